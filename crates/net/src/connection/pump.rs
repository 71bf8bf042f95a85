//! What moves frames between a connection and its owner's queues, and from one connection to the next.

use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use veilset_channel::{ChannelError, NetworkFault};
use veilset_reach::Way;

use super::Passage;
use crate::Options;
use crate::clock::{sleep, timeout};
use crate::comeback::Back;
use crate::handshake::{Connected, Place, Stream};
use crate::meter::Meter;
use crate::wire::{Ended, How, receive, transmit};

/// How long a peer may take to hear that this side's user ended the connection.
pub(super) const LAST_WORD: Duration = Duration::from_secs(1);

/// After so long an owner is taken to compute, or to wait until it can send.
const STUCK: Duration = Duration::from_secs(1);

/// How long a lost peer is waited for that may lack the last that this side has said.
const PARTING: Duration = Duration::from_secs(10);

/// The longest pause before a connection that follows one over which nothing new came.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// An owner's ends of a connection's queues.
pub(crate) struct Ends {
    pub(crate) outgoing: mpsc::Sender<Vec<u8>>,
    pub(crate) incoming: mpsc::Receiver<Vec<u8>>,
    /// Why the connection ended, once it has.
    pub(crate) ended: Arc<OnceLock<ChannelError>>,
}

impl Ends {
    /// The owner's ends, of queues of so many frames, and the pump that moves them.
    pub(crate) fn of<S>(
        connected: Connected<S>,
        options: Options,
        back: Option<Back>,
        frames: usize,
    ) -> (Self, Pump<S>) {
        let (outgoing, to_send) = mpsc::channel(frames);
        // A goodbye has room behind as many frames as the peer may be ahead.
        let (received, incoming) = mpsc::channel(frames + 1);
        let ended = Arc::new(OnceLock::new());
        let back = back.filter(|_| connected.lasting);
        let cause = Arc::clone(&ended);
        let pump = Pump { connected, to_send, received, ended: cause, options, back };
        (Self { outgoing, incoming, ended }, pump)
    }
}

/// Moves the frames of a run between its streams and its owner's queues.
pub(crate) struct Pump<S = Way> {
    connected: Connected<S>,
    to_send: mpsc::Receiver<Vec<u8>>,
    received: mpsc::Sender<Vec<u8>>,
    ended: Arc<OnceLock<ChannelError>>,
    options: Options,
    /// The way to the peer if the connection is lost.
    back: Option<Back>,
}

impl<S: Stream> Pump<S> {
    /// Moves them until the connection ends, and no other follows, or its owner cuts it.
    pub(crate) async fn run(self, cut: impl Future<Output = ()>) {
        let Self { connected, to_send, received, ended, options, back } = self;
        let (run, meter) = (connected.run, Arc::clone(&connected.meter));
        let passage = Arc::new(Passage::new(back.is_some()));
        let (peer_silence, pauses) = (connected.peer_silence, Pauses::default());
        let mut again = back.map(|back| Again { back, run, peer_silence, pauses });
        // The queues outlive the moment at which the cause is known, so that whoever finds one gone finds the cause.
        let mut queues = Queues { to_send, received, passage, ended, options };
        let mut cut = pin!(cut);
        let mut next = queues.carry(connected, again.as_mut(), cut.as_mut()).await;
        let why = loop {
            let met = match (next, &mut again) {
                (None, _) => return,
                (Some(Next::Met(met)), _) => *met,
                (Some(Next::Ended(lost)), Some(again)) if queues.go_on_after(&lost) => {
                    let met = tokio::select! {
                        biased;
                        () = cut.as_mut() => return,
                        met = again.seek(lost, &queues) => met,
                    };
                    match met {
                        Ok(met) => met,
                        Err(why) => break why,
                    }
                }
                (Some(Next::Ended(Ended { why, .. })), _) => break why,
            };
            next = queues.carry(met.after(run, &meter), again.as_mut(), cut.as_mut()).await;
        };
        let _ = queues.ended.set(why);
    }
}

/// What follows a connection.
enum Next {
    Ended(Ended),
    /// The peer is back already.
    Met(Box<Connected>),
}

/// How the peer of a run is met again.
struct Again {
    back: Back,
    run: [u8; 16],
    peer_silence: Duration,
    pauses: Pauses,
}

impl Again {
    /// Waits for the peer after the connection was lost; not for long once the owner has said all.
    async fn seek(&mut self, lost: Ended, queues: &Queues) -> Result<Connected, ChannelError> {
        let Queues { passage, options, received, .. } = queues;
        let place = Place { run: self.run, received: passage.received() };
        let pause = self.pauses.next(passage.progress());
        let seeking = async {
            sleep(pause).await;
            // Whoever has said all has nothing to wait for that a user should know.
            let tells = !received.is_closed();
            self.back.seek(lost, place, self.peer_silence, options, tells).await
        };
        let met = tokio::select! {
            biased;
            () = queues.parting() => return Err(NetworkFault::Closed.into()),
            met = seeking => met?,
        };
        passage.resume(met.taken)?;
        Ok(met)
    }
}

/// How long to wait before each further connection, so that a peer cannot make many of them in vain.
#[derive(Default)]
pub(super) struct Pauses {
    progress: Option<(u64, u64)>,
    vain: u32,
}

impl Pauses {
    pub(super) fn next(&mut self, progress: (u64, u64)) -> Duration {
        self.vain = if self.progress == Some(progress) { self.vain + 1 } else { 0 };
        self.progress = Some(progress);
        match self.vain {
            0 => Duration::ZERO,
            vain => Duration::from_millis(10 << vain.min(9)).min(LONGEST_PAUSE),
        }
    }
}

/// What stays while connections come and go.
struct Queues {
    to_send: mpsc::Receiver<Vec<u8>>,
    received: mpsc::Sender<Vec<u8>>,
    passage: Arc<Passage>,
    ended: Arc<OnceLock<ChannelError>>,
    options: Options,
}

impl Queues {
    /// Whether anything is left to do for a peer that may come back.
    fn go_on_after(&self, lost: &Ended) -> bool {
        lost.how != How::ForGood && !self.is_over()
    }

    /// Whether its owner has said all, and the peer has it.
    fn is_over(&self) -> bool {
        self.to_send.is_closed() && self.to_send.is_empty() && self.passage.is_settled()
    }

    /// Ends when its owner has said all, and the peer had the time to come back for what it lacks.
    async fn parting(&self) {
        self.received.closed().await;
        if !self.is_over() {
            sleep(PARTING).await;
        }
    }

    /// Moves frames over one connection until that ends, and says how; `None` if the owner cuts it. The peer is told where the
    /// run does not go on.
    async fn carry<S: Stream>(
        &mut self,
        mut connected: Connected<S>,
        again: Option<&mut Again>,
        cut: Pin<&mut impl Future<Output = ()>>,
    ) -> Option<Next> {
        let Connected { stream, meter, .. } = &mut connected;
        let next = tokio::select! {
            biased;
            () = cut => None,
            next = self.exchange(&mut *stream, meter, again) => Some(next),
        };
        if matches!(next, None | Some(Next::Ended(Ended { how: How::ForGood, .. }))) {
            // So that the peer waits for nothing; at once or not at all.
            let _ = timeout(Duration::ZERO, stream.shutdown()).await;
        }
        next
    }

    async fn exchange(
        &mut self,
        stream: impl AsyncRead + AsyncWrite,
        meter: &Meter,
        again: Option<&mut Again>,
    ) -> Next {
        let Self { to_send, received, passage, ended, options } = &mut *self;
        let (input, output) = tokio::io::split(stream);
        // With a handle of its own, since the queues are needed while it waits.
        let (taker, passage_of_reading) = (received.clone(), Arc::clone(passage));
        let mut reading = pin!(receive(input, &taker, &passage_of_reading, meter, options.silence));
        let written = tokio::select! {
            biased;
            how = &mut reading => return Next::Ended(how),
            written = transmit(output, to_send, passage, options) => written,
        };
        let Err(failed) = written else { return Next::Ended(reading.await) };
        if failed.why == NetworkFault::Stopped.into() {
            let _ = ended.set(failed.why.clone());
            // Until the peer has heard it: what is closed before may never arrive.
            let _ = timeout(LAST_WORD, reading).await;
            return Next::Ended(failed);
        }
        // Nothing can be sent any more. What the peer sent before is still to be read: up to its own end, which tells
        // that it has taken everything, or up to the fault that stopped the writing.
        let again = again.filter(|_| failed.how != How::ForGood);
        let Some(again) = again else {
            let _ = ended.set(failed.why);
            to_send.close();
            return Next::Ended(reading.await);
        };
        if let Ok(how) = timeout(STUCK, reading.as_mut()).await {
            return Next::Ended(how);
        }
        // The owner takes nothing now, and the reading stands. A peer that comes back sends again what was not taken; of one that is
        // gone the owner gets what came.
        match again.seek(failed, self).await {
            Ok(met) => Next::Met(Box::new(met)),
            Err(why) => Next::Ended(match reading.await {
                good @ Ended { how: How::ForGood, .. } => good,
                _ => why.into(),
            }),
        }
    }
}
