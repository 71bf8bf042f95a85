//! What moves frames between a connection and its owner's queues, and from one connection to the next.

use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use veilset_channel::{ChannelError, NetworkFault};

use super::Passage;
use crate::Options;
use crate::comeback::Back;
use crate::handshake::{Connected, Place, Stream};
use crate::meter::Meter;
use crate::wire::{Ended, How, receive, transmit};

/// How long a peer may take to hear that this side's user ended the connection.
pub(super) const LAST_WORD: Duration = Duration::from_secs(1);

/// After so long an owner that cannot send is taken to wait for that.
const STUCK: Duration = Duration::from_secs(1);

/// How long a lost peer is waited for that may lack the last that this side has said.
const PARTING: Duration = Duration::from_secs(5);

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
pub(crate) struct Pump<S = TcpStream> {
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
        let peer_silence = connected.peer_silence;
        let passage = Passage::new(back.is_some());
        // The queues outlive the moment at which the cause is known, so that whoever finds one gone finds the cause.
        let mut queues = Queues { to_send, received, passage, ended, options };
        let mut cut = pin!(cut);
        let mut how = queues.carry(connected, cut.as_mut()).await;
        let mut pauses = Pauses::default();
        let why = loop {
            let (lost, back) = match (how, &back) {
                (None, _) => return,
                (Some(lost), Some(back)) if queues.go_on_after(&lost) => (lost, back),
                (Some(Ended { why, .. }), _) => break why,
            };
            let place = Place { run, received: queues.passage.received() };
            let seeking = async {
                sleep(pauses.next(queues.passage.progress())).await;
                back.seek(lost, place, peer_silence, &queues.options).await
            };
            let met = tokio::select! {
                biased;
                () = cut.as_mut() => return,
                () = queues.parting() => break NetworkFault::Closed.into(),
                met = seeking => met,
            };
            let met = met.and_then(|met| Ok(queues.passage.resume(met.taken).map(|()| met)?));
            how = match met {
                Ok(met) => queues.carry(met.after(run, &meter), cut.as_mut()).await,
                Err(why) => break why,
            };
        };
        let _ = queues.ended.set(why);
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
    passage: Passage,
    ended: Arc<OnceLock<ChannelError>>,
    options: Options,
}

impl Queues {
    /// Whether anything is left to do for a peer that may come back.
    fn go_on_after(&self, lost: &Ended) -> bool {
        let has_closed = self.to_send.is_closed() && self.to_send.is_empty();
        lost.how != How::ForGood && !(has_closed && self.passage.is_settled())
    }

    /// Ends when its owner has said all, and the peer had the time to come back for what it lacks.
    async fn parting(&self) {
        self.received.closed().await;
        if !self.passage.is_settled() {
            sleep(PARTING).await;
        }
    }

    /// Moves frames over one connection until that ends, and says how; `None` if the owner cuts it. The peer is told where the
    /// run does not go on.
    async fn carry<S: Stream>(
        &mut self,
        mut connected: Connected<S>,
        cut: Pin<&mut impl Future<Output = ()>>,
    ) -> Option<Ended> {
        let Connected { stream, meter, .. } = &mut connected;
        let how = tokio::select! {
            biased;
            () = cut => None,
            how = self.exchange(&mut *stream, meter) => Some(how),
        };
        if how.as_ref().is_none_or(|ended| ended.how == How::ForGood) {
            // So that the peer waits for nothing; at once or not at all.
            let _ = timeout(Duration::ZERO, stream.shutdown()).await;
        }
        how
    }

    async fn exchange(&mut self, stream: impl AsyncRead + AsyncWrite, meter: &Meter) -> Ended {
        let Self { to_send, received, passage, ended, options } = self;
        let (input, output) = tokio::io::split(stream);
        let mut reading = pin!(receive(input, received, passage, meter, options.silence));
        let written = tokio::select! {
            biased;
            how = &mut reading => return how,
            written = transmit(output, to_send, passage, options) => written,
        };
        let Err(failed) = written else { return reading.await };
        if failed.why == NetworkFault::Stopped.into() {
            let _ = ended.set(failed.why.clone());
            // Until the peer has heard it: what is closed before may never arrive.
            let _ = timeout(LAST_WORD, reading).await;
            return failed;
        }
        // Nothing can be sent any more. What the peer sent before is still to be read: up to its own end, which tells
        // that it has taken everything, or up to the fault that stopped the writing.
        if !passage.is_lasting() || failed.how == How::ForGood {
            let _ = ended.set(failed.why);
            to_send.close();
            return reading.await;
        }
        loop {
            let waiting = to_send.len();
            match timeout(STUCK, reading.as_mut()).await {
                Ok(how) => return how,
                // The owner takes nothing because it waits until it can send.
                Err(_) if waiting == to_send.max_capacity() => return failed,
                Err(_) => {}
            }
        }
    }
}
