//! Both ends of a line.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::{Answer, Asked, Courier, CourierError, Limits, Office};

const PATIENCE: Duration = Duration::from_secs(20);

/// An office that answers with what it is sent; at `/no` it refuses.
fn office(message: usize) -> SocketAddr {
    let limits = Limits { message, connections: 4, patience: PATIENCE };
    let office = Office::open("127.0.0.1:0", limits).expect("a free port");
    let address = office.address().expect("bound");
    let answer = |Asked { place, message }: Asked| match (place.as_str(), message) {
        ("/look", None) => Answer::Message(b"seen"[..].into()),
        ("/say", Some(message)) => Answer::Message(message.into()),
        ("/fail", _) => panic!("a bug"),
        _ => Answer::Refused(404, "nothing\u{1b}[2J is there".to_owned()),
    };
    thread::spawn(move || office.serve(answer).map(drop));
    address
}

fn courier(address: SocketAddr) -> Courier {
    Courier::new(&format!("http://{address}/"), PATIENCE).expect("an address")
}

/// Sends this, and reads all that comes back.
fn raw(address: SocketAddr, text: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(text).expect("open");
    let mut answer = String::new();
    // A caller that is turned away may not hear all.
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn messages_go_and_come() {
    let courier = courier(office(1 << 20));
    assert_eq!(courier.get("look", 4).expect("an answer"), b"seen");
    let long = vec![7; 1 << 20];
    assert_eq!(courier.post("say", &long, 1 << 20).expect("an answer"), long);
    assert!(courier.post("say", b"", 0).expect("an answer").is_empty());
    assert!(!courier.is_open());
}

#[test]
fn refusals_are_shown_in_one_line() {
    let courier = courier(office(10));
    let refused = |result: Result<Vec<u8>, CourierError>| match result {
        Err(CourierError::Refused { status, text, .. }) => (status, text),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(courier.get("no", 9)), (404, "nothing [2J is there".to_owned()));
    assert_eq!(refused(courier.post("say", &[0; 11], 99)).0, 413);
    assert_eq!(refused(courier.get("fail", 9)).0, 500);
    // A bug ends no service.
    assert_eq!(courier.get("look", 4).expect("an answer"), b"seen");
}

#[test]
fn answers_longer_than_expected_are_refused() {
    let too_long = courier(office(10)).get("look", 3);
    assert!(matches!(too_long, Err(CourierError::TooLong { most: 3, .. })), "{too_long:?}");
}

#[test]
fn lengths_that_are_claimed_cost_nothing() {
    let address = office(10);
    let claims = b"POST /say HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999\r\n\r\n";
    assert!(raw(address, claims).starts_with("HTTP/1.1 413"));
    let chunks = b"POST /say HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n";
    assert!(raw(address, chunks).starts_with("HTTP/1.1 413"));
    assert!(
        raw(address, b"PUT /say HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            .starts_with("HTTP/1.1 405")
    );
    assert!(raw(address, b"nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert_eq!(courier(address).get("look", 4).expect("an answer"), b"seen");
}

#[test]
fn who_is_not_there_is_said_to_be_out_of_reach() {
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let result = courier(gone).get("look", 4);
    assert!(matches!(result, Err(CourierError::Unreachable { .. })), "{result:?}");
    for bad in ["", "ftp://x", "https://", "partner.example", "http://x/?y=1"] {
        assert!(
            Courier::new(bad, PATIENCE).is_err_and(|why| matches!(why, CourierError::Address)),
            "{bad}"
        );
    }
}

/// A service that answers whatever it is asked with this text, and goes away.
fn says(text: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let _ = stream.read(&mut [0; 4096]).expect("a request");
        stream.write_all(text.as_bytes()).expect("open");
    });
    address
}

#[test]
fn answers_that_break_off_or_lead_elsewhere_are_told_apart() {
    let get = |text| courier(says(text)).get("look", 10);
    for broken in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour"] {
        let ended = get(broken);
        assert!(matches!(ended, Err(CourierError::Ended { .. })), "{ended:?}");
    }
    let moved =
        get("HTTP/1.1 302 Found\r\nLocation: http://localhost/\r\nContent-Length: 0\r\n\r\n");
    assert!(matches!(moved, Err(CourierError::Elsewhere { status: 302, .. })), "{moved:?}");
    // The length alone is too much, and none of the bytes is waited for.
    let long = get("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n");
    assert!(matches!(long, Err(CourierError::TooLong { most: 10, .. })), "{long:?}");
    let other = get("SSH-2.0-x\r\n");
    assert!(matches!(other, Err(CourierError::Unreachable { .. })), "{other:?}");
}
