//! The connection once it stands: a thread that moves frames while its owner computes.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};
use tokio_rustls::TlsStream;

use veilset_channel::{ChannelError, NetworkFault, QUEUED_FRAMES, Transport, WireBytes};
use veilset_party::PublicKey;

use self::latch::{Latch, latch};
use crate::Options;
use crate::clock::sleep;
use crate::comeback::Back;
use crate::handshake::{Connected, Stream};
use crate::meter::Meter;

mod latch;
mod passage;
mod pump;

pub(crate) use passage::Passage;
pub(crate) use pump::Ends;
#[cfg(not(target_family = "wasm"))]
pub(crate) use pump::Pump;

/// How long a goodbye waits for a peer that is alive to take what was sent last.
const FAREWELL: Duration = Duration::from_secs(25);

/// Frames over TLS, to and from the peer that was pinned.
///
/// [`QUEUED_FRAMES`] frames wait in each direction. When the connection ends, frames that arrived before are still
/// received, then every call returns the cause. Dropping it without [`Transport::close`] cuts the connection.
///
/// Its methods block and must not be called inside an asynchronous runtime.
pub struct TlsTransport {
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    incoming: Option<mpsc::Receiver<Vec<u8>>>,
    ended: Arc<OnceLock<ChannelError>>,
    meter: Arc<Meter>,
    connects: bool,
    peer: PublicKey,
    binding: [u8; 32],
    task: Option<Task>,
}

/// What moves the frames, on a thread that may do so for several connections.
struct Task {
    /// Dropped here to cut the connection.
    lifeline: oneshot::Sender<Infallible>,
    /// When the connection is gone.
    ended: Latch,
}

impl Task {
    fn cut(self) {
        drop(self.lifeline);
        self.ended.wait(Duration::MAX);
    }
}

impl TlsTransport {
    /// Whether this side went to the other, or over a relay is the one of the two that counts as having gone.
    #[must_use]
    pub fn connects(&self) -> bool {
        self.connects
    }

    /// The peer's key, which it proved.
    #[must_use]
    pub fn peer(&self) -> PublicKey {
        self.peer
    }

    /// What this connection alone has: 32 bytes that both ends compute from the TLS handshake and the two keys, and
    /// that differ between any two connections. Mixed into what two parties say to each other, they show whether
    /// somebody relays it from one connection into another.
    ///
    /// It is the TLS exporter (RFC 8446, section 7.5) with the label `EXPERIMENTAL veilset binding` and the two public
    /// keys as context, first the key of the side that connected.
    #[must_use]
    pub fn binding(&self) -> [u8; 32] {
        self.binding
    }

    /// The owner's end, and what moves the frames once it is polled.
    pub(crate) fn over(
        connected: Connected<impl Stream>,
        options: Options,
        back: Option<Back>,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (lifeline, cut) = oneshot::channel::<Infallible>();
        let (alive, task_ended) = latch();
        let meter = Arc::clone(&connected.meter);
        options.traffic.count(&meter);
        let (peer, binding) = (connected.peer, connected.binding);
        let connects = matches!(connected.stream, TlsStream::Client(_));
        let stop = options.stop.clone();
        let (Ends { outgoing, incoming, ended }, pump) =
            Ends::of(connected, options, back, QUEUED_FRAMES);
        let cause = Arc::clone(&ended);
        let transport = Self {
            outgoing: Some(outgoing),
            incoming: Some(incoming),
            ended,
            meter,
            connects,
            peer,
            binding,
            task: Some(Task { lifeline, ended: task_ended }),
        };
        let held = stop.hold();
        let moving = async move {
            let too_long = async {
                stop.stopped().await;
                sleep(pump::LAST_WORD).await;
            };
            tokio::select! {
                biased;
                () = pump.run(async { drop(cut.await) }) => {}
                () = too_long => drop(cause.set(NetworkFault::Stopped.into())),
            }
            drop((alive, held));
        };
        (transport, moving)
    }

    fn cause(&self) -> ChannelError {
        self.ended.get().cloned().unwrap_or_else(|| NetworkFault::Closed.into())
    }
}

/// A connection for short messages that one thread sends and another receives.
pub struct Messages {
    outgoing: Mutex<Option<mpsc::Sender<Vec<u8>>>>,
    incoming: Mutex<Option<mpsc::Receiver<Vec<u8>>>>,
    ended: Arc<OnceLock<ChannelError>>,
    transport: Mutex<TlsTransport>,
}

impl Messages {
    /// Over a connection that nothing was sent on.
    #[must_use]
    pub fn over(mut transport: TlsTransport) -> Self {
        Self {
            outgoing: Mutex::new(transport.outgoing.take()),
            incoming: Mutex::new(transport.incoming.take()),
            ended: Arc::clone(&transport.ended),
            transport: Mutex::new(transport),
        }
    }

    /// Sends a message of at most [`MAX_FRAME`](veilset_channel::MAX_FRAME) bytes.
    ///
    /// # Errors
    /// With the cause, when the connection has ended.
    pub fn send(&self, message: Vec<u8>) -> Result<(), ChannelError> {
        let queue = lock(&self.outgoing).clone();
        let sent = queue.and_then(|queue| queue.blocking_send(message).ok());
        sent.ok_or_else(|| self.cause())
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// With the cause, when the connection has ended and all that came before it was received.
    pub fn receive(&self) -> Result<Vec<u8>, ChannelError> {
        let mut incoming = lock(&self.incoming);
        let message = incoming.as_mut().and_then(mpsc::Receiver::blocking_recv);
        message.ok_or_else(|| self.cause())
    }

    /// As [`Transport::close`]; a thread that receives is told that the connection has ended.
    pub fn close(&self) {
        lock(&self.outgoing).take();
        lock(&self.transport).close();
    }

    fn cause(&self) -> ChannelError {
        self.ended.get().cloned().unwrap_or_else(|| NetworkFault::Closed.into())
    }
}

/// What a thread left when it panicked is as good as before: nothing is ever half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Transport for TlsTransport {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        let queue = self.outgoing.as_ref().ok_or(NetworkFault::Closed)?;
        queue.blocking_send(frame).map_err(|_| self.cause())
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.outgoing.as_ref().is_some_and(|queue| queue.try_send(frame).is_ok())
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        let queue = self.incoming.as_mut().ok_or(NetworkFault::Closed)?;
        queue.blocking_recv().ok_or_else(|| self.cause())
    }

    fn try_recv(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        let queue = self.incoming.as_mut().ok_or(NetworkFault::Closed)?;
        match queue.try_recv() {
            Ok(frame) => Ok(Some(frame)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(self.cause()),
        }
    }

    /// Delivers what is queued, says that no more comes, and waits until the peer has taken it all: for a while for a
    /// peer that computes, not at all for one that is gone.
    fn close(&mut self) {
        self.outgoing = None;
        self.incoming = None;
        if let Some(task) = self.task.take() {
            task.ended.wait(FAREWELL);
            task.cut();
        }
    }

    fn wire_bytes(&self) -> Option<WireBytes> {
        Some(self.meter.bytes())
    }
}

impl Drop for TlsTransport {
    fn drop(&mut self) {
        // Without the wait of a goodbye; dropping the queues first would start one.
        if let Some(task) = self.task.take() {
            task.cut();
        }
    }
}

#[cfg(test)]
mod tests;
