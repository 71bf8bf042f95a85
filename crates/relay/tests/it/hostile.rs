//! A relay that does what it should not.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};
use veilset_channel::Transport;
use veilset_net::{Endpoint, NetError, Options, TlsTransport, establish};
use veilset_party::Identity;
use veilset_reach::wire::{LONGEST, MET, SUBPROTOCOL};

use crate::support::{LIVELY, Met, pair_at};

/// What it does with the messages of each direction, by their numbers.
type Mischief = fn(usize, Message) -> Vec<Message>;

/// A relay that brings together who comes, whatever room they name.
fn hostile(mischief: Mischief) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a socket");
    let addr = listener.local_addr().expect("bound");
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("a socket");
            loop {
                let (first, second) = (welcome(&listener).await, welcome(&listener).await);
                tokio::spawn(bring_together(first, second, mischief));
            }
        });
    });
    addr
}

async fn welcome(listener: &TcpListener) -> WebSocketStream<TcpStream> {
    let (tcp, _) = listener.accept().await.expect("a caller");
    #[expect(clippy::result_large_err, reason = "the library's type")]
    let accept = |_: &Request, mut response: Response| {
        let protocol = SUBPROTOCOL.parse().expect("a header");
        response.headers_mut().insert("sec-websocket-protocol", protocol);
        Ok(response)
    };
    let mut socket = accept_hdr_async(tcp, accept).await.expect("a WebSocket");
    let greeting = socket.next().await.expect("open").expect("whole");
    assert_eq!(greeting.len(), 33);
    socket
}

async fn bring_together(
    mut first: WebSocketStream<TcpStream>,
    mut second: WebSocketStream<TcpStream>,
    mischief: Mischief,
) {
    for socket in [&mut first, &mut second] {
        let _ = socket.send(Message::Binary(MET.to_vec().into())).await;
    }
    let mut numbers = [0; 2];
    loop {
        let (message, to, way) = tokio::select! {
            Some(Ok(message)) = first.next() => (message, &mut second, 0),
            Some(Ok(message)) = second.next() => (message, &mut first, 1),
            else => return,
        };
        for message in mischief(numbers[way], message) {
            let _ = to.send(message).await;
        }
        numbers[way] += 1;
    }
}

/// After the handshake, which takes two messages.
const LATER: usize = 6;

/// Sends frames until that fails; the other end has a part of them, in order, and ends with an error.
fn talk_until_it_ends([mut one, mut other]: [TlsTransport; 2]) {
    let frame = |number: usize| vec![(number % 251) as u8; 3000];
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut numbers = 0..;
            while numbers.next().is_some_and(|number| one.send(frame(number)).is_ok()) {}
        });
        scope.spawn(move || {
            for number in 0.. {
                match other.recv() {
                    Ok(got) => assert!(got == frame(number), "frame {number}"),
                    Err(_) => return,
                }
            }
        });
    });
}

fn meet_at(addr: SocketAddr, options: &Options) -> [Met; 2] {
    let url = format!("ws://{addr}");
    pair_at([&url, &url], options)
}

/// Ends soon where nothing comes.
fn impatient() -> Options {
    Options { deadline: Duration::from_secs(3), silence: Duration::from_secs(2), ..LIVELY }
}

#[test]
fn what_is_changed_held_back_or_sent_again_ends_the_run() {
    let flips: Mischief = |number, message| {
        let mut bytes = message.into_data().to_vec();
        if number == LATER
            && let Some(last) = bytes.last_mut()
        {
            *last ^= 1;
        }
        vec![Message::Binary(bytes.into())]
    };
    let repeats: Mischief = |number, message| vec![message; 1 + usize::from(number == LATER)];
    let drops: Mischief =
        |number, message| if number == LATER { Vec::new() } else { vec![message] };
    let stalls: Mischief =
        |number, message| if number >= LATER { Vec::new() } else { vec![message] };
    let ends: Mischief = |number, message| match number {
        LATER => vec![Message::Binary(Vec::new().into())],
        _ => vec![message],
    };
    let talks: Mischief = |number, message| match number {
        LATER => vec![Message::Text("hello".into())],
        _ => vec![message],
    };
    let floods: Mischief = |number, message| match number {
        LATER => vec![Message::Binary(vec![0; LONGEST + 1].into())],
        _ => vec![message],
    };
    let closes: Mischief = |number, message| match number {
        LATER => vec![Message::Close(None)],
        _ => vec![message],
    };
    thread::scope(|scope| {
        for mischief in [flips, repeats, drops, stalls, ends, talks, floods, closes] {
            scope.spawn(move || {
                let ends = meet_at(hostile(mischief), &impatient());
                talk_until_it_ends(ends.map(|met| met.expect("it began well")));
            });
        }
    });
}

#[test]
fn a_changed_handshake_brings_nobody_together() {
    for number in 0..3 {
        static AT: AtomicUsize = AtomicUsize::new(0);
        AT.store(number, SeqCst);
        let flips: Mischief = |number, message| {
            let mut bytes = message.into_data().to_vec();
            if number == AT.load(SeqCst) {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }
            vec![Message::Binary(bytes.into())]
        };
        for met in meet_at(hostile(flips), &impatient()) {
            match met {
                Err(
                    NetError::NobodyMet { .. }
                    | NetError::NotVeilset { .. }
                    | NetError::WrongKey { .. },
                ) => {}
                // What was changed came behind the handshake.
                Ok(mut way) => assert!(way.recv().is_err()),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn whoever_is_brought_together_wrongly_learns_so() {
    let addr = hostile(|_, message| vec![message]);
    let url = format!("ws://{addr}");
    let parties = [(); 4].map(|()| Arc::new(Identity::ephemeral()));
    let keys = parties.each_ref().map(|party| party.public_key());
    // Four who want to meet in pairs, of which the relay brings together the first two that come.
    let (sender, mut met): (UnboundedSender<Met>, UnboundedReceiver<Met>) = unbounded_channel();
    let wants = [(0, 1), (2, 3)];
    for (party, peer) in wants {
        let (identity, endpoint) = (Arc::clone(&parties[party]), Endpoint::Via(url.clone()));
        let sender = sender.clone();
        thread::spawn(move || {
            let met = establish(&identity, keys[peer], &endpoint, &impatient(), &|_| ());
            drop(sender.send(met));
        });
    }
    for _ in wants {
        match met.blocking_recv().expect("two of them") {
            Err(
                NetError::WrongKey { .. }
                | NetError::RefusedByPeer { .. }
                | NetError::NotVeilset { .. }
                | NetError::NobodyMet { .. },
            ) => {}
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("they are not each other's peers"),
        }
    }
}
