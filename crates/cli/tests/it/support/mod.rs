//! Two parties as two processes.

pub(crate) mod bucket;
#[cfg(unix)]
pub(crate) mod postgres;
pub(crate) mod schema;
#[cfg(target_os = "linux")]
pub(crate) mod terminal;

use std::process::Output;

use veilset_stage::{Party, Running, stderr};

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_veilset");

/// Any free port of this machine: a party says which one it got.
pub(crate) const ANY: &str = "127.0.0.1:0";

/// A party that nobody knows.
pub(crate) fn party() -> Party {
    Party::new(PROGRAM)
}

/// Two parties that have pinned each other as `left` and `right`.
pub(crate) fn pair() -> (Party, Party) {
    Party::pair(PROGRAM, "left", "right")
}

/// Runs `args` on both sides, the left one listening; returns both ends. The left one is not quiet, since it says where it
/// listens.
pub(crate) fn meet(
    left: &Party,
    mine: &[&str],
    right: &Party,
    theirs: &[&str],
) -> (Output, Output) {
    let listen = ["--listen", ANY, "--peer", "right", "--deadline", "60s"];
    let mut listening = left.start(&[mine, &listen].concat());
    let address = listening.address();
    let connect = ["--connect", &address, "--peer", "left", "--deadline", "60s"];
    let connected = right.run(&[theirs, &connect].concat());
    (listening.output(), connected)
}

/// The JSON object that a process printed.
pub(crate) fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// A relay of this machine, and its URL.
pub(crate) fn relay(host: &Party) -> (Running, String) {
    let mut relay = host.start(&["relay", "--listen", ANY]);
    let line = relay.line_with("parties meet at");
    let address = line.split(" at ").nth(1).and_then(|rest| rest.split(' ').next());
    let url = format!("ws://{}", address.expect("an address"));
    (relay, url)
}
