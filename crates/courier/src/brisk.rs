//! A line to a caller who takes what is sent, or loses it.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose other end takes so many bytes in each stretch of time in which writing waits for it.
pub(crate) struct Brisk<S> {
    stream: S,
    stretch: Duration,
    least: u64,
    /// The stretch that runs, and what was taken in it.
    running: Option<Pin<Box<Sleep>>>,
    taken: u64,
}

impl<S> Brisk<S> {
    pub(crate) fn new(stream: S, stretch: Duration, least: u64) -> Self {
        Self { stream, stretch, least, running: None, taken: 0 }
    }

    /// What came of an attempt to write.
    fn judge(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(count)) => {
                self.taken = self.taken.saturating_add(count as u64);
                Poll::Ready(Ok(count))
            }
            Poll::Pending => Poll::Ready(Err(ready!(self.late(context)))),
            failed => failed,
        }
    }

    /// Ready once too little was taken for a stretch.
    fn late(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            let running = self.running.get_or_insert_with(|| {
                self.taken = 0;
                Box::pin(sleep(self.stretch))
            });
            ready!(running.as_mut().poll(context));
            if self.taken < self.least {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.running = None;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Brisk<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Brisk<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.judge(written, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, bytes);
        this.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::runtime::Builder;

    use super::*;

    const STRETCH: Duration = Duration::from_secs(30);

    /// A runtime whose clock goes on as soon as everybody waits.
    fn paused<T>(work: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(work)
    }

    #[test]
    fn whoever_takes_nothing_loses_the_line() {
        let (near, _far) = duplex(16);
        let mut brisk = Brisk::new(near, STRETCH, 1);
        let refused = paused(async move { brisk.write_all(&[7; 64]).await });
        assert_eq!(refused.expect_err("nobody reads").kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn whoever_takes_enough_gets_all_however_long_it_takes() {
        let slow = |pause: u64| {
            paused(async move {
                let (near, mut far) = duplex(16);
                let mut brisk = Brisk::new(near, STRETCH, 32);
                let write = async move { brisk.write_all(&[7; 640]).await };
                let read = async move {
                    let (mut taken, mut bytes) = (0, [0; 16]);
                    while taken < 640 {
                        sleep(Duration::from_secs(pause)).await;
                        taken += far.read(&mut bytes).await.unwrap_or_default();
                    }
                };
                tokio::select! {
                    written = write => written,
                    () = read => Ok(()),
                }
            })
        };
        slow(10).expect("48 bytes in each half of a minute");
        assert_eq!(slow(20).expect_err("too few").kind(), io::ErrorKind::TimedOut);
    }
}
