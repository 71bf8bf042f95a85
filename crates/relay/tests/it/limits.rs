//! What callers can take.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use veilset_net::{NetError, Options};
use veilset_reach::wire::{Room, Side};
use veilset_reach::{JoinError, Proxies, RelayUrl, join};
use veilset_relay::{Limits, Note};

use crate::support::{LIVELY, LONG, Running, pair, pair_at};

/// Goes into a room, and says when it waits there.
async fn enter(
    relay: &Running,
    room: u8,
    side: Side,
    waits: impl FnOnce(),
) -> Result<(), JoinError> {
    let url: RelayUrl = relay.url().parse().expect("well formed");
    join(&url, &Room([room; 32]), side, &Proxies::default(), waits).await.map(drop)
}

fn on_one_thread<T>(doing: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(doing)
}

/// What a request is answered with.
fn asked(addr: SocketAddr, request: &str) -> String {
    let mut tcp = TcpStream::connect(addr).expect("it listens");
    tcp.set_read_timeout(Some(LONG)).expect("a time");
    tcp.write_all(request.as_bytes()).expect("open");
    let mut answer = Vec::new();
    let _ = tcp.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_source_has_its_share_and_rooms_are_bounded() {
    let relay = Running::with(Limits { rooms: 3, ..Limits::default() });
    on_one_thread(async {
        let mut waiting = tokio::task::JoinSet::new();
        let url: RelayUrl = relay.url().parse().expect("well formed");
        let enter_and_stay = |room: u8| {
            let url = url.clone();
            let (told, waits) = tokio::sync::oneshot::channel();
            let stay = async move {
                let room = Room([room; 32]);
                let waits = || {
                    let _ = told.send(());
                };
                let _ = join(&url, &room, Side::First, &Proxies::default(), waits).await;
            };
            (stay, waits)
        };
        for room in 0..3 {
            let (stay, waits) = enter_and_stay(room);
            waiting.spawn(stay);
            waits.await.expect("it waits");
        }
        let full = enter(&relay, 3, Side::First, || ()).await;
        assert!(matches!(&full, Err(JoinError::Busy(why)) if why.contains("no room")), "{full:?}");
        // Whoever is awaited comes in.
        enter(&relay, 0, Side::Second, || ()).await.expect("somebody is there");
    });
    let relay = Running::with(Limits { connections_of_a_source: 4, ..Limits::default() });
    let many: Vec<TcpStream> =
        (0..4).map(|_| TcpStream::connect(relay.addr).expect("it listens")).collect();
    assert_eq!(asked(relay.addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "", "one too many");
    drop(many);
    let seen = || asked(relay.addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    while !seen().contains("This is a veilset relay") {
        thread::yield_now();
    }
}

#[test]
fn what_is_no_room_is_refused() {
    let relay = Running::with(Limits::default());
    let head = "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let ours = "Sec-WebSocket-Protocol: relay.veilset.1\r\n";
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\n{head}\r\n"), "426"),
        (format!("GET / HTTP/1.1\r\n{head}Sec-WebSocket-Protocol: chat\r\n\r\n"), "426"),
        (format!("POST / HTTP/1.1\r\n{head}{ours}\r\n"), "426"),
        ("GET /what HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), "200"),
        ("\x16\x03\x01garbage\r\n\r\n".to_owned(), "400"),
        (format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(40_000)), "431"),
    ] {
        let answer = asked(relay.addr, &request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request:.60}: {answer}");
    }
    // A greeting of another length, an unmasked frame, a text, a ping, and one that is too long: each is closed.
    let masked = |kind: u8, length: &[u8], bytes: usize| {
        [&[kind][..], length, &[0; 4], &vec![0; bytes]].concat()
    };
    for frame in [
        masked(0x82, &[0x80 | 5], 5),
        [&[0x82, 33][..], &[0; 33]].concat(),
        masked(0x81, &[0x80 | 33], 33),
        masked(0x89, &[0x80 | 125], 125),
        masked(0x82, &[0x80 | 127, 0, 0, 0, 1, 0, 0, 0, 0], 70_000),
    ] {
        let mut tcp = TcpStream::connect(relay.addr).expect("it listens");
        tcp.set_read_timeout(Some(LONG)).expect("a time");
        write!(tcp, "GET / HTTP/1.1\r\n{head}{ours}\r\n").expect("open");
        let _ = tcp.write_all(&frame);
        let _ = tcp.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = tcp.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        assert!(text.starts_with("HTTP/1.1 101"), "{text}");
        // RFC 6455, section 1.3, has this key and its answer.
        assert!(text.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{text}");
    }
}

#[test]
fn a_run_has_its_bytes_and_no_more() {
    use veilset_channel::Transport;

    let relay = Running::with(Limits { bytes: Some(1 << 20), ..Limits::default() });
    let [mut one, mut other] = pair(&relay.url(), &LIVELY);
    let sending = thread::spawn(move || while one.send(vec![7; 50_000]).is_ok() {});
    let mut received = 0;
    let why = loop {
        match other.recv() {
            Ok(frame) => received += frame.len(),
            Err(why) => break why.to_string(),
        }
    };
    assert!(why.contains("no more bytes through"), "{why}");
    assert!((500_000..1 << 20).contains(&received), "{received}");
    sending.join().expect("no panic");
    let parted = relay.notes.iter().find(|note| matches!(note, Note::Parted { .. }));
    assert!(matches!(parted, Some(Note::Parted { bytes, .. }) if bytes <= (1 << 20) + 65_536));
}

#[test]
fn what_rests_is_closed() {
    let limits = Limits { idle: Duration::from_millis(300), ..Limits::default() };
    let relay = Running::with(limits);
    let [mut one, _other] = pair(&relay.url(), &Options { heartbeat: LONG, ..LIVELY });
    let why = veilset_channel::Transport::recv(&mut one).expect_err("it rested");
    assert!(why.to_string().contains("heard nothing"), "{why}");
}

#[test]
fn a_direction_keeps_to_its_rate() {
    use veilset_channel::Transport;

    // 400 kB at 400 kB/s, of which a quarter of a second is free.
    let relay = Running::with(Limits { rate: Some(400_000), ..Limits::default() });
    let [mut one, mut other] = pair(&relay.url(), &LIVELY);
    let start = std::time::Instant::now();
    let sending = thread::spawn(move || {
        (0..40).for_each(|_| one.send(vec![7; 10_000]).expect("open"));
        one
    });
    (0..40).for_each(|_| assert_eq!(other.recv().expect("open").len(), 10_000));
    assert!(start.elapsed() >= Duration::from_millis(600), "{:?}", start.elapsed());
    drop(sending.join().expect("no panic"));
}

#[test]
fn a_proxy_before_it_names_the_source() {
    let relay = Running::at("127.0.0.1:0", |options| {
        options.behind_proxy = true;
        options.limits.connections_of_a_source = 1;
    });
    let options = Options { deadline: Duration::from_secs(2), ..LIVELY };
    let url = relay.url();
    for met in pair_at([&url, &url], &options) {
        let Err(NetError::NotARelay { why, .. }) = met else { panic!("no proxy was there") };
        assert!(why.contains("400"), "{why}");
    }
    let ask = |source: &str| {
        let mut tcp = TcpStream::connect(relay.addr).expect("it listens");
        tcp.set_read_timeout(Some(LONG)).expect("a time");
        write!(
            tcp,
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: relay.veilset.1\r\nX-Forwarded-For: {source}\r\n\r\n"
        )
        .expect("open");
        let mut status = [0; 12];
        tcp.read_exact(&mut status).expect("an answer");
        (tcp, String::from_utf8_lossy(&status).into_owned())
    };
    let (first, status) = ask("192.0.2.1");
    assert_eq!(status, "HTTP/1.1 101");
    // What a caller says itself stands before what the proxy says.
    assert_eq!(ask("198.51.100.9, 192.0.2.1").1, "HTTP/1.1 429");
    assert_eq!(ask("192.0.2.1, 198.51.100.9").1, "HTTP/1.1 101");
    drop(first);
}

#[test]
fn metrics_count_and_name_nobody() {
    let relay = Running::at("127.0.0.1:0", |options| {
        options.metrics = Some(([127, 0, 0, 1], 0).into());
    });
    let Ok(Note::Metrics(addr)) = relay.notes.recv_timeout(LONG) else { panic!("no address") };
    let _ends = pair(&relay.url(), &LIVELY);
    let text = asked(addr, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    for line in
        ["veilset_relay_met_total 1\n", "veilset_relay_pairs 1\n", "veilset_relay_connections 2\n"]
    {
        assert!(text.contains(line), "{line}{text}");
    }
}
