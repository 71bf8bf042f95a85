//! A program that panics ends and says so, whatever its standard error is. Each case is this test as a program of its own.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use veilset::data::{Destination, Scratch, Table};
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
        "excess" => drop(thread::spawn(take_too_much)),
        "writing" => drop(thread::spawn(write_half_a_result)),
        "value" => drop(thread::spawn(|| panic!("{}", std::env::var(CASE).expect("set") + VALUE))),
        other => unreachable!("{other}"),
    }
    let (_sender, never) = mpsc::channel::<()>();
    let _ = never.recv();
}

/// As a library that a file misleads.
fn take_too_much() {
    veilset::end_at_excess(|why| voice::say(why));
    let list = PathBuf::from(std::env::var(FOLDER).expect("set")).join("list.csv");
    let scratch = Scratch::new(None, Some(32 << 20));
    veilset::table(list.to_str().expect("text"), None, None, &scratch).expect("a list");
    veilset_data::caught(|| {
        let mut much = Vec::new();
        while much.len() < 1 << 30 {
            much.extend_from_slice(&[7; 1 << 20]);
            thread::yield_now();
        }
        thread::park();
    });
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
    command
        .args(["--exact", "voice::child", "--nocapture"])
        .env(CASE, case)
        .env_remove("RUST_BACKTRACE");
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
        assert!(said.contains(words) && said.contains("tests/it/voice.rs:"), "{said}");
        assert!(said.ends_with("; this is a bug, please report this line\n"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!said.contains(VALUE), "{said}");
    }
}

#[test]
fn a_panic_leaves_no_half_a_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "voice::child", "--nocapture"]).env(CASE, "writing");
    let output = command.env(FOLDER, folder.path()).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(70) && said.contains("in the middle"), "{said}");
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_takes_more_memory_than_it_may_ends_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("list.csv"), "id\n1\n").expect("a list");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "voice::child", "--nocapture"]).env(CASE, "excess");
    let output = command.env(FOLDER, folder.path()).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("to read a file, which is more than --max-memory allows"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_panic_ends_the_program_where_nothing_can_be_said() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("there");
    assert_eq!(ended("thread", full.into()).0, Some(70));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    assert_eq!(ended("thread", writer.into()).0, Some(70));
}
