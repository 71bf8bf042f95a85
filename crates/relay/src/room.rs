//! One guest in a room, then two.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, interval_at, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use veilset_reach::wire::{Closing, LONGEST, MET, Room, Side, WAITING, greeted};

use crate::hall::{Connection, Entrance, Hall, Waiting};
use crate::metrics::Refused;
use crate::server::{Limits, Note};

/// How long somebody may take to say which room.
const GREETING: Duration = Duration::from_secs(10);

/// How often whoever waits hears that the relay is there, and has to answer.
const PULSE: Duration = Duration::from_secs(20);

/// How long a farewell may take to be sent and answered.
const FAREWELL: Duration = Duration::from_secs(2);

/// How far a direction may be ahead of its rate.
const BURST: Duration = Duration::from_millis(250);

/// Whoever computes takes nothing meanwhile; one that takes nothing for this long, while the other sends nothing either, is gone.
const STUCK: Duration = Duration::from_secs(600);

/// What a frame counts beside its bytes.
const FRAME: u64 = 16;

/// Bytes that are read at once.
const READ: usize = 16 << 10;

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Somebody who has come.
pub(crate) struct Guest {
    socket: Box<Socket>,
    /// Its place among all.
    _connection: Connection,
}

impl Guest {
    pub(crate) async fn over(upgraded: Upgraded, connection: Connection) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ)
            .write_buffer_size(0)
            .max_write_buffer_size(2 * LONGEST)
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let io = TokioIo::new(upgraded);
        let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
        Self { socket: Box::new(socket), _connection: connection }
    }

    /// Asks for the room, and is there until it goes.
    pub(crate) async fn attend(mut self, hall: Arc<Hall>) {
        let said = tokio::select! {
            biased;
            () = hall.stop.stopped() => return self.leave(Closing::Stopping).await,
            said = timeout(GREETING, self.socket.next()) => said,
        };
        let greeting = match said {
            Ok(Some(Ok(Message::Binary(said)))) => greeted(&said),
            Ok(Some(Err(Error::Io(_) | Error::ConnectionClosed)) | None) => return,
            Ok(Some(_)) => None,
            Err(_) => {
                hall.metrics.refuse(Refused::Slow);
                return self.leave(Closing::Malformed).await;
            }
        };
        match greeting {
            Some((room, side)) => stay(self, room, side, &hall).await,
            None => {
                hall.metrics.refuse(Refused::Malformed);
                self.leave(Closing::Malformed).await;
            }
        }
    }

    /// Waits for the other side.
    async fn wait(mut self, mut waiting: Waiting, hall: &Hall) -> Waited {
        let mut pulse = interval_at(Instant::now() + PULSE, PULSE);
        let mut answers = true;
        let mut said = self.say(WAITING).await;
        let why = loop {
            if !said {
                break None;
            }
            tokio::select! {
                biased;
                () = hall.stop.stopped() => break Some(Closing::Stopping),
                partner = &mut waiting.partner => match partner {
                    Ok(partner) => return Waited::Met(self, partner),
                    Err(_) => break None,
                },
                heard = self.socket.next() => match heard {
                    Some(Ok(Message::Pong(_))) => answers = true,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
                    Some(Ok(_)) => {
                        hall.metrics.refuse(Refused::Malformed);
                        break Some(Closing::Malformed);
                    }
                },
                _ = pulse.tick() => {
                    if !answers {
                        hall.metrics.refuse(Refused::Idle);
                        break Some(Closing::Idle);
                    }
                    answers = false;
                    said = self.send(Message::Ping(Bytes::new())).await;
                }
            }
        };
        let partner = waiting.leave();
        if let Some(why) = why {
            self.leave(why).await;
        }
        Waited::Gone(partner)
    }

    async fn say(&mut self, message: &'static [u8]) -> bool {
        self.send(Message::Binary(Bytes::from_static(message))).await
    }

    /// Whether a few bytes could be sent soon: else nothing is taken at the other end.
    async fn send(&mut self, message: Message) -> bool {
        timeout(FAREWELL, self.socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
    }

    /// Closes the connection, and says why.
    async fn leave(mut self, why: Closing) {
        let frame = CloseFrame { code: why.code().into(), reason: why.why().into() };
        let leaving = async {
            self.socket.send(Message::Close(Some(frame))).await?;
            // What still comes is read, so that closing does not destroy what is on its way.
            while self.socket.next().await.is_some_and(|heard| heard.is_ok()) {}
            Ok::<_, Error>(())
        };
        let _ = timeout(FAREWELL, leaving).await;
    }
}

/// What came of waiting.
enum Waited {
    /// Somebody of the other side came.
    Met(Guest, Guest),
    /// Whoever waited is gone; somebody may have come for it.
    Gone(Option<Guest>),
}

/// Has a guest in its room until it goes, alone or with another.
async fn stay(guest: Guest, room: Room, side: Side, hall: &Arc<Hall>) {
    let (mut guest, mut side) = (guest, side);
    loop {
        match hall.enter(room, side, guest) {
            Entrance::Met => return,
            Entrance::Refused(guest, why) => return guest.leave(why).await,
            Entrance::Waits(waiter, waiting) => match waiter.wait(waiting, hall).await {
                Waited::Met(waiter, partner) => return together(waiter, partner, hall).await,
                // Who came too late for it waits in turn.
                Waited::Gone(Some(late)) => (guest, side) = (late, side.other()),
                Waited::Gone(None) => return,
            },
        }
    }
}

/// Hands on what two guests send each other.
async fn together(mut one: Guest, mut other: Guest, hall: &Arc<Hall>) {
    let pair = hall.pair();
    hall.note(Note::Met);
    let traffic = Traffic::new();
    let (told_one, told_other) = tokio::join!(one.say(MET), other.say(MET));
    let why = if told_one && told_other {
        tokio::select! {
            biased;
            () = hall.closing.stopped() => Closing::Stopping,
            () = traffic.rest(hall.limits.idle) => Closing::Idle,
            why = exchange(&mut one.socket, &mut other.socket, &traffic, hall) => why,
        }
    } else {
        Closing::Left
    };
    match why {
        Closing::Idle => hall.metrics.refuse(Refused::Idle),
        Closing::Spent => hall.metrics.refuse(Refused::Spent),
        Closing::Malformed => hall.metrics.refuse(Refused::Malformed),
        _ => {}
    }
    drop(pair);
    let (bytes, time) = (traffic.bytes.load(Relaxed), traffic.start.elapsed());
    let told = if why == Closing::Left { "one side left" } else { why.why() };
    hall.note(Note::Parted { bytes, time, why: told });
    tokio::join!(one.leave(why), other.leave(why));
}

/// How one direction ended.
enum Ended {
    With(Closing),
    /// Nothing more can be sent to where it goes.
    Unsendable,
}

/// Why it ended.
async fn exchange(one: &mut Socket, other: &mut Socket, traffic: &Traffic, hall: &Hall) -> Closing {
    let ((mut to_one, mut from_one), (mut to_other, mut from_other)) = (one.split(), other.split());
    let mut there = pin!(hand_on(&mut from_one, &mut to_other, traffic, hall));
    let mut back = pin!(hand_on(&mut from_other, &mut to_one, traffic, hall));
    // Neither goes first, and what a guest that takes no more has sent before is the other's.
    let ended = tokio::select! {
        ended = &mut there => match ended {
            Ended::Unsendable => back.await,
            ended => ended,
        },
        ended = &mut back => match ended {
            Ended::Unsendable => there.await,
            ended => ended,
        },
    };
    match ended {
        Ended::With(why) => why,
        Ended::Unsendable => Closing::Left,
    }
}

/// Hands on what comes from one, in order.
async fn hand_on(
    from: &mut SplitStream<&mut Socket>,
    to: &mut SplitSink<&mut Socket, Message>,
    traffic: &Traffic,
    hall: &Hall,
) -> Ended {
    let Limits { bytes: most, rate, .. } = hall.limits;
    let mut due = Instant::now();
    loop {
        let message = match from.next().await {
            Some(Ok(message @ (Message::Binary(_) | Message::Pong(_)))) => message,
            None | Some(Ok(Message::Close(_)) | Err(Error::Io(_) | Error::ConnectionClosed)) => {
                return Ended::With(Closing::Left);
            }
            Some(Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake))) => {
                return Ended::With(Closing::Left);
            }
            Some(_) => return Ended::With(Closing::Malformed),
        };
        // What has no bytes costs something, too.
        let count = message.len() as u64 + FRAME;
        hall.metrics.bytes.fetch_add(message.len() as u64, Relaxed);
        if traffic.count(count) > most.unwrap_or(u64::MAX) {
            return Ended::With(Closing::Spent);
        }
        if message.is_binary() {
            traffic.blocked.fetch_add(1, Relaxed);
            let sent = to.send(message).await;
            traffic.blocked.fetch_sub(1, Relaxed);
            if sent.is_err() {
                return Ended::Unsendable;
            }
            traffic.moved();
        }
        if let Some(rate) = rate {
            // A direction that has rested may be ahead of its rate for a moment.
            let now = Instant::now();
            due = due.max(now) + Duration::from_secs_f64(count as f64 / rate.max(1) as f64);
            if due > now + BURST {
                sleep_until(due - BURST).await;
            }
        }
    }
}

/// What goes through a room.
struct Traffic {
    start: Instant,
    bytes: AtomicU64,
    /// Milliseconds from `start` to the last message.
    last: AtomicU64,
    /// Directions in which something waits to be taken.
    blocked: AtomicU64,
}

impl Traffic {
    fn new() -> Self {
        let [bytes, last, blocked] = [0; 3].map(AtomicU64::new);
        Self { start: Instant::now(), bytes, last, blocked }
    }

    /// Counts a message, and all bytes before.
    fn count(&self, bytes: u64) -> u64 {
        self.moved();
        self.bytes.fetch_add(bytes, Relaxed) + bytes
    }

    fn moved(&self) {
        self.last.store(self.now(), Relaxed);
    }

    /// Ends when nothing has moved for so long, or for longer where somebody takes nothing.
    async fn rest(&self, idle: Duration) {
        loop {
            let is_blocked = self.blocked.load(Relaxed) > 0;
            let longest = if is_blocked { idle.max(STUCK) } else { idle };
            let end = self.start + Duration::from_millis(self.last.load(Relaxed)) + longest;
            if end <= Instant::now() {
                return;
            }
            sleep_until(end.min(Instant::now() + idle)).await;
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
