//! Lists that are too long for the memory that is allowed: every operation gives the same, and nothing is left on the disk.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use serde_json::Value;
use veilset_stage::{Party, Running, code, stderr};

use crate::support::{ANY, PROGRAM, json as object, meet, pair};

const ROWS: u32 = 3000;

/// Rows of 250 bytes.
fn list(first: u32) -> String {
    let note = "of no use ".repeat(22);
    let rows = (first..first + ROWS).map(|n| format!("{n},user{n}@example.com,{n}.25,{note}\n"));
    format!("id,email,amount,note\n{}", rows.collect::<String>())
}

/// What allows a list in memory half as long as these, and a run over them.
const CAPPED: [&str; 4] = ["--max-memory", "19200kB", "--scratch", "scratch"];

const KEY: [&str; 3] = ["list.csv", "--key", "email:email"];

fn parties() -> (Party, Party) {
    let (left, right) = pair();
    for (party, first) in [(&left, 0), (&right, 2000)] {
        party.file("list.csv", &list(first));
        std::fs::create_dir(party.path("scratch")).expect("a new folder");
    }
    (left, right)
}

fn nothing_is_left(party: &Party) {
    assert_eq!(party.path("scratch").read_dir().expect("a folder").count(), 0);
}

/// The rows of a file, which have no order in some operations.
fn lines(party: &Party, file: &str) -> BTreeSet<String> {
    let lines = party.read(file).lines().map(str::to_owned).collect();
    std::fs::remove_file(party.path(file)).expect("it is there");
    lines
}

/// The left side's report and rows of an operation with these flags on the two sides, in the memory that is allowed or not.
fn outcome(
    left: &Party,
    right: &Party,
    operation: &str,
    [mine, theirs]: [&[&str]; 2],
    capped: bool,
) -> (Value, BTreeSet<String>) {
    let cap: &[&str] = if capped { &CAPPED } else { &[] };
    let rows = !matches!(operation, "count" | "sum");
    let out: &[&str] = if rows { &["-o", "out.csv"] } else { &[] };
    let [mine, theirs] =
        [mine, theirs].map(|flags| [&[operation], &KEY[..], flags, cap, &["--json"], out].concat());
    let (one, two) = meet(left, &mine, right, &theirs);
    let (report, _) = (object(&one), object(&two));
    assert_eq!(stderr(&one).contains("of disk in scratch"), capped, "{}", stderr(&one));
    for party in [left, right] {
        nothing_is_left(party);
    }
    let found = if rows { lines(left, "out.csv") } else { BTreeSet::new() };
    if rows {
        lines(right, "out.csv");
    }
    (report["result"].clone(), found)
}

#[test]
fn every_operation_gives_the_same_from_disk() {
    let (left, right) = parties();
    for (operation, flags) in [
        ("intersect", [&[][..]; 2]),
        ("count", [&[]; 2]),
        ("sum", [&["--value", "amount"], &[]]),
        ("union", [&["--send", "amount"]; 2]),
    ] {
        let memory = outcome(&left, &right, operation, flags, false);
        let disk = outcome(&left, &right, operation, flags, true);
        assert_eq!(disk, memory, "{operation}");
    }
    let (result, _) = outcome(&left, &right, "count", [&[]; 2], true);
    assert_eq!(result["count"], 1000);
}

/// The random results of these have the same shape.
#[test]
fn shares_and_identifiers_come_from_disk() {
    let (left, right) = parties();
    for operation in ["share", "align"] {
        let [memory, disk] =
            [false, true].map(|capped| outcome(&left, &right, operation, [&[]; 2], capped));
        assert_eq!(disk.1.len(), memory.1.len(), "{operation}");
        assert_eq!(disk.0["count"], memory.0["count"], "{operation}");
    }
}

#[test]
fn look_ups_and_checks_read_from_disk() {
    let (server, client) = parties();
    let said = |output: &Output| {
        assert_eq!(code(output), 0, "{}", stderr(output));
        assert!(stderr(output).contains("of disk in scratch"), "{}", stderr(output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let check = [&["check"], &KEY[..]].concat();
    let checked = server.run(&check);
    assert_eq!(
        said(&server.run(&[&check[..], &CAPPED].concat())),
        String::from_utf8_lossy(&checked.stdout)
    );
    said(&server.run(&[&["serve", "build", "-o", "list.veil"], &KEY[..], &CAPPED].concat()));
    let mut served = server.start(&["serve", "list.veil", "--listen", ANY, "--allow", "right"]);
    let address = served.address();
    let asked = ["lookup", "--file", "list.csv", "--key", "email:email", "--json", "-o", "out.csv"];
    let to = ["--connect", &address, "--peer", "left"];
    // A fetched list takes up to twenty times its length.
    let refused = client.run(&[&asked[..], &to, &["--max-memory", "17MB"]].concat());
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    said(&client.run(&[&asked[..], &to, &CAPPED].concat()));
    assert_eq!(lines(&client, "out.csv").len(), 1 + 1000);
    for party in [&server, &client] {
        nothing_is_left(party);
    }
}

#[test]
fn nothing_is_left_however_it_ends() {
    let (left, _) = parties();
    let flags = ["intersect", "--listen", ANY, "--peer", "right", "--deadline", "60s"];
    let flags = [&flags[..], &KEY[1..], &["list.csv"], &CAPPED].concat();
    for (signal, number, code) in [("KILL", Some(9), None), ("TERM", None, Some(143))] {
        let mut waiting = left.start(&flags);
        waiting.address();
        #[cfg(target_os = "linux")]
        assert!(holds_a_file(waiting.id(), &left.path("scratch")), "the list is on disk");
        nothing_is_left(&left);
        waiting.signal(signal);
        let ended = waiting.output().status;
        assert_eq!((ended.signal(), ended.code()), (number, code), "{signal}");
        nothing_is_left(&left);
    }
}

/// Whether a process has a file open in `folder`.
#[cfg(target_os = "linux")]
fn holds_a_file(process: u32, folder: &std::path::Path) -> bool {
    let folder = folder.canonicalize().expect("it is there");
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it runs");
    open.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok())
        .any(|file| file.starts_with(&folder))
}

/// A limit on the length of files stands for a disk that is full.
#[test]
fn a_disk_that_fills_up_is_said_and_nothing_is_lost() {
    let (left, _) = parties();
    left.file("out.csv", "precious");
    let run = format!(
        "trap '' XFSZ; ulimit -f 100; exec {PROGRAM} intersect list.csv --key email:email --listen {ANY} --peer right \
         --max-memory 19200kB --scratch scratch -o out.csv --force",
    );
    let output = Running::start(left.shell(&run)).output();
    assert_eq!(code(&output), 6, "{}", stderr(&output));
    for part in ["temporary file in scratch", "--scratch", "--max-memory"] {
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    assert_eq!(left.read("out.csv"), "precious");
    nothing_is_left(&left);
}
