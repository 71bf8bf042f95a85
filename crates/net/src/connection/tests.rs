//! Two ends of a connection on one thread, over pipes in memory. The clock stands, and goes on to the next time that is
//! waited for when both ends wait.

use std::future::pending;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, copy_bidirectional, duplex};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use veilset_channel::{MAX_FRAME, Malformed, PeerFault};

use super::*;
use crate::handshake::{Standing, client_over, server_over};
use crate::returns::Returns;
use crate::tls::{self, OwnKey, PinnedKey};
use veilset_party::Identity;

/// What a pipe holds, as a socket's buffers do.
const ROOM: usize = 1 << 16;

/// One end, which moves frames as long as this lives.
struct End {
    ends: Ends,
    moving: JoinHandle<()>,
}

impl End {
    fn of(connected: Connected<DuplexStream>) -> Self {
        Self::moving(connected, Options::default(), None)
    }

    /// One that waits for its peer if the connection is lost.
    fn lasting(connected: Connected<DuplexStream>, options: Options) -> Self {
        let own = OwnKey::of(&Identity::ephemeral());
        let peer = connected.peer;
        let addr = connected.addr.parse().expect("of this machine");
        Self::moving(connected, options, Some(Back::Listener(Returns { own, peer, addr })))
    }

    fn moving(connected: Connected<DuplexStream>, options: Options, back: Option<Back>) -> Self {
        let (ends, pump) = Ends::of(connected, options, back, QUEUED_FRAMES);
        Self { ends, moving: tokio::spawn(pump.run(pending())) }
    }

    async fn send(&self, frame: Vec<u8>) {
        self.ends.outgoing.send(frame).await.expect("open");
    }

    async fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        let frame = self.ends.incoming.recv().await;
        frame.ok_or_else(|| self.ends.ended.get().expect("it ended").clone())
    }

    /// Sends until that fails; why it fails.
    async fn send_for_ever(&self) -> ChannelError {
        while self.ends.outgoing.send(vec![7; 100_000]).await.is_ok() {}
        self.ends.ended.get().expect("it ended").clone()
    }
}

/// Both sides of a connection over these streams, the one that connected first.
async fn handshake(one: DuplexStream, other: DuplexStream) -> [Connected<DuplexStream>; 2] {
    handshake_of(one, other, Standing::Single).await
}

/// As [`handshake`]; the connection is this to both.
async fn handshake_of(
    one: DuplexStream,
    other: DuplexStream,
    standing: Standing,
) -> [Connected<DuplexStream>; 2] {
    let (caller, listener) = (Identity::ephemeral(), Identity::ephemeral());
    let (own, peer) = (caller.public_key(), listener.public_key());
    let addr = "127.0.0.1:1".to_owned();
    let (to_peer, to_caller) = (PinnedKey::new(peer), PinnedKey::new(own));
    let (called, heard) = tokio::join!(
        client_over(
            tls::client(&OwnKey::of(&caller), &to_peer),
            &to_peer,
            own,
            one,
            addr.clone(),
            standing
        ),
        server_over(
            tls::server(&OwnKey::of(&listener), &to_caller),
            &to_caller,
            peer,
            other,
            addr,
            standing
        ),
    );
    let called = called.unwrap_or_else(|why| panic!("{why:?}"));
    let heard = heard.unwrap_or_else(|turned_away| panic!("{:?}", turned_away.why));
    [called, heard]
}

async fn pair() -> [End; 2] {
    let (one, other) = duplex(ROOM);
    handshake(one, other).await.map(End::of)
}

/// As [`pair`], with somebody between them who carries bytes on until this is dropped, and closes nothing.
async fn pair_with_a_carrier() -> ([End; 2], oneshot::Sender<()>) {
    let ((one, mut near), (mut far, other)) = (duplex(ROOM), duplex(ROOM));
    let (carrying, stalled) = oneshot::channel::<()>();
    tokio::spawn(async move {
        tokio::select! {
            biased;
            _ = stalled => pending().await,
            carried = copy_bidirectional(&mut near, &mut far) => drop(carried),
        }
    });
    (handshake(one, other).await.map(End::of), carrying)
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_computes_is_not_dead() {
    let [mut left, mut right] = pair().await;
    let hours = Duration::from_secs(10_000);
    sleep(hours).await;
    right.send(b"done".to_vec()).await;
    assert_eq!(left.recv().await, Ok(b"done".to_vec()));
    sleep(hours).await;
    left.send(b"thanks".to_vec()).await;
    assert_eq!(right.recv().await, Ok(b"thanks".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn a_peer_from_whom_nothing_comes_is_dead() {
    let Options { silence, heartbeat, .. } = Options::default();
    let silent = ChannelError::Network(NetworkFault::Silent(silence));
    let ([left, mut right], carrying) = pair_with_a_carrier().await;
    // In between two heartbeats.
    sleep(10 * heartbeat + heartbeat / 2).await;
    let stalled = Instant::now();
    drop(carrying);
    let (sending, receiving) = tokio::join!(left.send_for_ever(), right.recv());
    assert_eq!((sending, receiving), (silent.clone(), Err(silent)));
    let took = stalled.elapsed();
    assert!((silence - heartbeat..=silence).contains(&took), "{took:?}");
    assert!(right.ends.outgoing.send(vec![1]).await.is_err());
}

/// A frame that tells its place.
fn frame(number: usize) -> Vec<u8> {
    let mut frame = vec![(number % 251) as u8; MAX_FRAME];
    frame[..8].copy_from_slice(&(number as u64).to_le_bytes());
    frame
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_not_dead_and_gets_all_even_after_a_goodbye() {
    const FRAMES: usize = 100;
    let [left, mut right] = pair().await;
    let sender = tokio::spawn(async move {
        for number in 0..FRAMES {
            left.send(frame(number)).await;
        }
    });
    for number in 0..FRAMES {
        if number % 20 == 10 {
            // Longer than a silence: the queue is full meanwhile, which does not count.
            sleep(2 * Options::default().silence).await;
        }
        assert!(right.recv().await.expect("sent") == frame(number), "frame {number}");
    }
    assert_eq!(right.recv().await, Err(NetworkFault::Closed.into()));
    sender.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_goodbye_waits_for_a_peer_that_computes() {
    let [left, mut right] = pair().await;
    let mut sent = 0;
    // The clock goes on when every queue and buffer between the two is full.
    let second = Duration::from_secs(1);
    while timeout(second, left.ends.outgoing.send(frame(sent))).await.is_ok() {
        sent += 1;
    }
    assert!(sent > QUEUED_FRAMES, "{sent}");
    let End { ends, moving } = left;
    drop(ends);
    sleep(10 * Options::default().silence).await;
    assert!(!moving.is_finished(), "it waits");
    for number in 0..sent {
        assert!(right.recv().await.expect("sent") == frame(number), "frame {number}");
    }
    assert_eq!(right.recv().await, Err(NetworkFault::Closed.into()));
    moving.await.expect("it ended");
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_ends_with_the_peer() {
    let [left, right] = pair().await;
    let cut = async {
        sleep(Duration::from_secs(60)).await;
        right.moving.abort();
    };
    let (why, ()) = tokio::join!(left.send_for_ever(), cut);
    assert_eq!(why, NetworkFault::Closed.into());
}

#[tokio::test(start_paused = true)]
async fn a_length_over_the_bound_is_the_peers_fault() {
    let too_long = || {
        let got = MAX_FRAME + 1;
        Err(PeerFault::TooLong { what: "frame", max: MAX_FRAME, got }.into())
    };
    let start = Instant::now();
    let (one, other) = duplex(ROOM);
    let [Connected { stream: mut rogue, .. }, honest] = handshake(one, other).await;
    // Two heartbeats, a frame of one byte, then a length of MAX_FRAME + 1 = 0x20006.
    rogue.write_all(b"\0\0\0\0\0\0\0\0\x01\0\0\0A\x06\0\x02\0").await.expect("open");
    rogue.flush().await.expect("open");
    let mut honest = End::of(honest);
    let heard = [honest.recv().await, honest.recv().await, honest.recv().await];
    assert_eq!(heard, [Ok(b"A".to_vec()), too_long(), too_long()]);
    assert_eq!(start.elapsed(), Duration::ZERO, "at once");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_says_it_has_what_was_not_sent_is_at_fault() {
    let (one, other) = duplex(ROOM);
    let [Connected { stream: mut rogue, .. }, honest] =
        handshake_of(one, other, Standing::Lasting(Options::default().silence)).await;
    assert!(honest.lasting);
    let End { mut ends, moving } = End::lasting(honest, Options::default());
    ends.outgoing.send(vec![1]).await.expect("open");
    let mut frame = [0; 5];
    rogue.read_exact(&mut frame).await.expect("sent");
    assert_eq!(frame, [1, 0, 0, 0, 1]);
    // One frame came, as it did, and then two.
    rogue.write_all(b"\x01\0\0\x80\x02\0\0\x80").await.expect("open");
    rogue.flush().await.expect("open");
    assert_eq!(ends.incoming.recv().await, None);
    let why = ends.ended.get().expect("it ended").clone();
    let what = "receipt of frames";
    assert_eq!(why, PeerFault::Malformed { what, why: Malformed::OutOfRange }.into());
    moving.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_slow_owner_gets_all_that_came_though_the_peer_is_gone() {
    const FRAMES: u8 = 50;
    let (one, other) = duplex(ROOM);
    let standing = Standing::Lasting(Options::default().silence);
    let [sender, receiver] = handshake_of(one, other, standing).await;
    let sender = End::of(sender);
    for byte in 0..FRAMES {
        sender.send(vec![byte; 500]).await;
    }
    let options = Options { deadline: Duration::from_secs(1), ..Options::default() };
    let End { mut ends, moving } = End::lasting(receiver, options);
    // All are in the pipe, and then nobody is at its other end.
    sleep(Duration::from_secs(1)).await;
    sender.moving.abort();
    for byte in 0..FRAMES {
        // Its signs of life go nowhere meanwhile.
        sleep(Duration::from_secs(30)).await;
        assert_eq!(ends.incoming.recv().await, Some(vec![byte; 500]));
    }
    assert_eq!(ends.incoming.recv().await, None);
    moving.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn connections_in_vain_take_longer_and_longer() {
    let mut pauses = pump::Pauses::default();
    let mut next = |progress| pauses.next(progress);
    assert_eq!((next((0, 0)), next((0, 1))), (Duration::ZERO, Duration::ZERO));
    let vain: Vec<Duration> = (0..12).map(|_| next((0, 1))).collect();
    assert!(vain.is_sorted() && vain[0] > Duration::ZERO, "{vain:?}");
    assert_eq!(vain.last(), Some(&Duration::from_secs(5)));
    assert_eq!(next((1, 1)), Duration::ZERO);
}
