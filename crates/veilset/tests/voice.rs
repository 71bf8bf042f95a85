//! A program that panics ends and says so, whatever its standard error is. Each case is this test as a program of its own.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use veilset::data::{Destination, Table};
use veilset::voice;

/// Names the case to a child.
const CASE: &str = "VEILSET_TEST_PANIC";

/// The folder of its result.
const FOLDER: &str = "VEILSET_TEST_FOLDER";

/// What only a text that is made while the program runs can hold.
const VALUE: &str = "ann@example.org";

/// Panics somewhere that nobody waits for, and waits for something else for ever.
#[test]
fn child() {
    let Ok(case) = std::env::var(CASE) else { return };
    voice::end_at_panics("a test");
    match case.as_str() {
        "thread" => drop(thread::spawn(|| panic!("of a thread"))),
        "pool" => rayon::spawn(|| panic!("of a pool")),
        "caught" => drop(std::panic::catch_unwind(|| panic!("for somebody who catches it"))),
        "writing" => drop(thread::spawn(write_half_a_result)),
        "value" => drop(thread::spawn(|| panic!("{}", std::env::var(CASE).expect("set") + VALUE))),
        other => unreachable!("{other}"),
    }
    let (_sender, never) = mpsc::channel::<()>();
    let _ = never.recv();
}

fn write_half_a_result() {
    let table = Table::parse("t".to_owned(), b"k\na\n".to_vec(), b',').expect("a table");
    let file =
        Destination::file(PathBuf::from(std::env::var(FOLDER).expect("set")).join("o.csv"), false);
    let rows = [0].into_iter().inspect(|_| panic!("in the middle of a result"));
    file.write_rows(&table, rows).expect("it never ends");
}

fn ended(case: &str, stderr: Stdio) -> (Option<i32>, String) {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "child", "--nocapture"]).env(CASE, case).env_remove("RUST_BACKTRACE");
    let output = command.stdout(Stdio::null()).stderr(stderr).output().expect("it starts");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn a_panic_of_any_thread_ends_the_program_with_one_line() {
    for (case, words) in [
        ("thread", "(of a thread)"),
        ("pool", "(of a pool)"),
        ("caught", "(for somebody who catches it)"),
        ("value", ""),
    ] {
        let (code, said) = ended(case, Stdio::piped());
        assert_eq!(code, Some(70), "{case}: {said}");
        assert!(said.contains(words) && said.contains("tests/voice.rs:"), "{said}");
        assert!(said.ends_with("; this is a bug, please report this line\n"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!said.contains(VALUE), "{said}");
    }
}

#[test]
fn a_panic_leaves_no_half_a_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "child", "--nocapture"]).env(CASE, "writing");
    let output = command.env(FOLDER, folder.path()).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(70) && said.contains("in the middle"), "{said}");
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_panic_ends_the_program_where_nothing_can_be_said() {
    let full = File::options().write(true).open("/dev/full").expect("there");
    assert_eq!(ended("thread", full.into()).0, Some(70));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    assert_eq!(ended("thread", writer.into()).0, Some(70));
}
