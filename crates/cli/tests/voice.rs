//! Standard error that nobody reads, or that is full, ends nothing.
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::time::Duration;

use support::{Party, code, free_address, stderr, wait};

const KEYS: &str = "id\n1\n2\n3\n4\n";

/// Two parties with three keys in common.
fn parties() -> (Party, Party) {
    let (left, right) = Party::pair();
    left.file("list.csv", KEYS);
    right.file("list.csv", "id\n9\n4\n3\n2\n");
    (left, right)
}

/// Two parties, of which the left one has a list to serve.
fn server_and_client() -> (Party, Party) {
    let (server, client) = Party::pair();
    server.file("list.csv", KEYS);
    let built = server.run(&["serve", "build", "list.csv", "--key", "id", "-o", "list.veil"]);
    assert_eq!(code(&built), 0, "{}", stderr(&built));
    (server, client)
}

/// Turns strangers away, answers a client, and stops at a signal.
fn goes_on_and_stops(service: Child, client: &Party, address: &str) {
    let asked = ["lookup", "3", "--connect", address, "--peer", "left", "--deadline", "20s"];
    for _ in 0..3 {
        let answer = client.run(&asked);
        assert_eq!((code(&answer), &*answer.stdout), (0, &b"listed\n"[..]), "{}", stderr(&answer));
        let mut stranger = TcpStream::connect(address).expect("it listens");
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("open");
        // It is turned away, which the service says, before its connection ends.
        let _ = stranger.read_to_end(&mut Vec::new());
    }
    let id = service.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
    assert_eq!(code(&wait(service, Duration::from_secs(20))), 0);
}

#[test]
fn a_service_that_nobody_reads_goes_on_and_stops() {
    let (server, client) = server_and_client();
    let address = free_address();
    let mut service =
        server.start(&["serve", "list.veil", "--listen", &address, "--allow", "right"]);
    let mut said = BufReader::new(service.stderr.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("Z serving version") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended");
    }
    drop(said);
    goes_on_and_stops(service, &client, &address);
}

#[test]
fn a_service_whose_reader_is_stalled_goes_on_and_stops() {
    let (server, client) = server_and_client();
    let address = free_address();
    // Full to the last byte, and nobody reads it.
    let (mut full, _reader) = UnixStream::pair().expect("a pair");
    full.set_nonblocking(true).expect("its own");
    let refused = std::iter::repeat_with(|| full.write(b".")).find_map(Result::err);
    assert_eq!(refused.map(|why| why.kind()), Some(ErrorKind::WouldBlock));
    full.set_nonblocking(false).expect("its own");
    let served = ["serve", "list.veil", "--listen", &address, "--allow", "right"];
    let service = server.command(&served).stderr(OwnedFd::from(full)).spawn().expect("it starts");
    goes_on_and_stops(service, &client, &address);
}

/// How a run ends whose output goes where `redirected` says, and what its peer counts.
fn run_with(redirected: &str) -> (String, String) {
    let (left, right) = parties();
    let address = free_address();
    let program = env!("CARGO_BIN_EXE_veilset");
    let line = format!(
        "{{ {program} intersect list.csv --key id --listen {address} --peer right; echo $? > code; }} {redirected}"
    );
    let run = left.shell(&line).spawn().expect("it starts");
    let flags = ["intersect", "list.csv", "--key", "id", "--connect", &address, "--peer", "left"];
    let peer = right.run(&[&flags[..], &["--deadline", "60s"]].concat());
    assert_eq!(code(&peer), 0, "{}", stderr(&peer));
    wait(run, Duration::from_secs(30));
    (left.read("code"), String::from_utf8(peer.stdout).expect("text"))
}

#[test]
fn a_run_whose_words_nobody_takes_is_complete() {
    let full = if cfg!(target_os = "linux") { "2> /dev/full" } else { "2>&-" };
    for redirected in ["2>&1 | head -1", "2>&1 | true", full] {
        assert_eq!(run_with(redirected), ("0\n".into(), "id\n4\n3\n2\n".into()), "{redirected}");
    }
}
