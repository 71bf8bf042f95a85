//! Counts what crosses a stream, and knows when something last came.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use veilset_channel::WireBytes;
use veilset_reach::Way;

use crate::clock::Instant;

/// Bytes both ways, everything that TLS adds included, and the time of the last arrival.
pub(crate) struct Meter {
    start: Instant,
    sent: AtomicU64,
    received: AtomicU64,
    /// Microseconds from `start` to the last arrival.
    arrival: AtomicU64,
}

impl Meter {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            arrival: AtomicU64::new(0),
        }
    }

    pub(crate) fn bytes(&self) -> WireBytes {
        WireBytes { sent: self.sent.load(Relaxed), received: self.received.load(Relaxed) }
    }

    pub(crate) fn last_arrival(&self) -> Instant {
        self.start + Duration::from_micros(self.arrival.load(Relaxed))
    }

    fn arrived(&self, count: usize) {
        self.received.fetch_add(count as u64, Relaxed);
        let since = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.arrival.store(since, Relaxed);
    }

    /// Counts what another meter counted, the last arrival of which was just now.
    fn take_over(&self, other: &Self) {
        let WireBytes { sent, received } = other.bytes();
        self.sent.fetch_add(sent, Relaxed);
        self.arrived(usize::try_from(received).unwrap_or(usize::MAX));
    }

    fn left(&self, count: usize) {
        self.sent.fetch_add(count as u64, Relaxed);
    }
}

/// What crossed the connections that were opened with it so far, for whoever shows it.
#[derive(Clone)]
pub struct Traffic(Option<Arc<Mutex<Vec<Arc<Meter>>>>>);

impl Traffic {
    /// Nobody looks.
    pub const UNSEEN: Self = Self(None);

    /// Of no connection yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "UNSEEN is as good a default")]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Bytes both ways, everything that TLS adds included.
    #[must_use]
    pub fn bytes(&self) -> WireBytes {
        let mut all = WireBytes::default();
        if let Some(meters) = &self.0 {
            for meter in &*meters.lock().unwrap_or_else(PoisonError::into_inner) {
                let WireBytes { sent, received } = meter.bytes();
                all.sent += sent;
                all.received += received;
            }
        }
        all
    }

    /// Takes in another connection.
    pub(crate) fn count(&self, meter: &Arc<Meter>) {
        if let Some(meters) = &self.0 {
            meters.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(meter));
        }
    }
}

impl fmt::Debug for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Traffic").field(&self.bytes()).finish()
    }
}

/// A stream with a meter.
pub(crate) struct MeteredStream<S = Way> {
    stream: S,
    meter: Arc<Meter>,
}

impl<S> MeteredStream<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, meter: Arc::new(Meter::new()) }
    }

    pub(crate) fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.meter)
    }

    /// Counts with `meter` from now on, and what it counted so far.
    pub(crate) fn count_on(&mut self, meter: &Arc<Meter>) {
        meter.take_over(&self.meter);
        self.meter = Arc::clone(meter);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MeteredStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let count = buf.filled().len() - before;
        if count > 0 {
            self.meter.arrived(count);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MeteredStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write(cx, buf))?;
        self.meter.left(count);
        Poll::Ready(Ok(count))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, bufs))?;
        self.meter.left(count);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
