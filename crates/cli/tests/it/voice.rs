//! Standard error that nobody reads, or that is full, ends nothing.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use veilset_stage::{Party, Running, code, stderr};

use crate::support::{ANY, PROGRAM, pair};

const KEYS: &str = "id\n1\n2\n3\n4\n";

/// Two parties with three keys in common.
fn parties() -> (Party, Party) {
    let (left, right) = pair();
    left.file("list.csv", KEYS);
    right.file("list.csv", "id\n9\n4\n3\n2\n");
    (left, right)
}

/// Two parties, of which the left one has a list to serve.
fn server_and_client() -> (Party, Party) {
    let (server, client) = pair();
    server.file("list.csv", KEYS);
    let built = server.run(&["serve", "build", "list.csv", "--key", "id", "-o", "list.veil"]);
    assert_eq!(code(&built), 0, "{}", stderr(&built));
    (server, client)
}

/// Turns strangers away, answers a client, and stops at a signal.
fn goes_on_and_stops(service: Running, client: &Party, address: &str) {
    let asked = ["lookup", "3", "--connect", address, "--peer", "left", "--deadline", "20s"];
    for _ in 0..3 {
        let answer = client.run(&asked);
        assert_eq!((code(&answer), &*answer.stdout), (0, &b"listed\n"[..]), "{}", stderr(&answer));
        let mut stranger = TcpStream::connect(address).expect("it listens");
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("open");
        // It is turned away, which the service says, before its connection ends.
        let _ = stranger.read_to_end(&mut Vec::new());
    }
    service.signal("TERM");
    assert_eq!(code(&service.output()), 0);
}

/// A service whose standard error is one end of a pair, of which this has both.
struct Heard {
    service: Running,
    address: String,
    writer: UnixStream,
    reader: BufReader<UnixStream>,
}

/// Serves the list, and reads what the service says until it has said all that it says by itself.
fn heard(server: &Party) -> Heard {
    let (writer, reader) = UnixStream::pair().expect("a pair");
    let mut served = server.command(&["serve", "list.veil", "--listen", ANY, "--allow", "right"]);
    served.stderr(OwnedFd::from(writer.try_clone().expect("a handle")));
    let service = Running::start(served);
    let mut reader = BufReader::new(reader);
    let mut line = String::new();
    while !line.contains("Z serving version") {
        line.clear();
        assert_ne!(reader.read_line(&mut line).expect("text"), 0, "it ended");
    }
    let address = line.split(" at ").nth(1).and_then(|rest| rest.split(',').next());
    let address = address.expect("an address").to_owned();
    Heard { service, address, writer, reader }
}

#[test]
fn a_service_that_nobody_reads_goes_on_and_stops() {
    let (server, client) = server_and_client();
    let Heard { service, address, writer, reader } = heard(&server);
    drop((writer, reader));
    goes_on_and_stops(service, &client, &address);
}

#[test]
fn a_service_whose_reader_is_stalled_goes_on_and_stops() {
    let (server, client) = server_and_client();
    let Heard { service, address, mut writer, reader: _stalled } = heard(&server);
    // Full to the last byte, and nobody reads it.
    writer.set_nonblocking(true).expect("its own");
    let refused = std::iter::repeat_with(|| writer.write(b".")).find_map(Result::err);
    assert_eq!(refused.map(|why| why.kind()), Some(ErrorKind::WouldBlock));
    writer.set_nonblocking(false).expect("its own");
    goes_on_and_stops(service, &client, &address);
}

/// How a run ends whose output goes where `redirected` says, and what its peer prints.
fn run_with(redirected: &str) -> (String, String) {
    let (left, right) = parties();
    let flags = ["intersect", "list.csv", "--key", "id", "--listen", ANY, "--peer", "left"];
    let mut peer = right.start(&[&flags[..], &["--deadline", "60s"]].concat());
    let address = peer.address();
    let line = format!(
        "{{ {PROGRAM} intersect list.csv --key id --connect {address} --peer right; echo $? > code; }} {redirected}"
    );
    let run = Running::start(left.shell(&line));
    let peer = peer.output();
    assert_eq!(code(&peer), 0, "{}", stderr(&peer));
    drop(run.output());
    (left.read("code"), String::from_utf8(peer.stdout).expect("text"))
}

#[test]
fn a_run_whose_words_nobody_takes_is_complete() {
    let full = if cfg!(target_os = "linux") { "2> /dev/full" } else { "2>&-" };
    for redirected in ["2>&1 | head -1", "2>&1 | true", full] {
        assert_eq!(run_with(redirected), ("0\n".into(), "id\n4\n3\n2\n".into()), "{redirected}");
    }
}
