//! A stream of bytes in a WebSocket's messages.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};

use crate::wire::{Closing, LONGEST};

/// What carries a WebSocket: TCP, or TLS over it.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

pub(crate) type Socket = WebSocketStream<Box<dyn Duplex>>;

/// A stream of bytes to whoever else is in the room. The peer's going away ends it as a closed connection does; a relay's,
/// as a network that fails.
pub struct Relayed {
    socket: Socket,
    relay: SocketAddr,
    /// Of the message that is being read.
    rest: Bytes,
    is_over: bool,
    has_ended: bool,
}

impl Relayed {
    pub(crate) fn new(socket: Socket, relay: SocketAddr) -> Self {
        Self { socket, relay, rest: Bytes::new(), is_over: false, has_ended: false }
    }

    /// The address of the relay, or of the proxy on the way to it.
    #[must_use]
    pub fn relay(&self) -> SocketAddr {
        self.relay
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_ready(cx)).map_err(failed)?;
        let message = Message::Binary(Bytes::copy_from_slice(bytes));
        Poll::Ready(Pin::new(&mut self.socket).start_send(message).map_err(failed))
    }
}

impl AsyncRead for Relayed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.rest.is_empty() && !self.is_over {
            match ready!(Pin::new(&mut self.socket).poll_next(cx)) {
                Some(Ok(Message::Binary(bytes))) if bytes.is_empty() => self.is_over = true,
                Some(Ok(Message::Binary(bytes))) => self.rest = bytes,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map_or(0, |frame| frame.code.into());
                    match Closing::of(code) {
                        Some(Closing::Left) => self.is_over = true,
                        Some(closing) => return Poll::Ready(Err(lost(closing.why()))),
                        None => return Poll::Ready(Err(lost(GONE))),
                    }
                }
                Some(Ok(Message::Text(_) | Message::Frame(_))) => {
                    return Poll::Ready(Err(lost("the relay sent what it should not")));
                }
                Some(Err(error)) => return Poll::Ready(Err(failed(error))),
                None => return Poll::Ready(Err(lost(GONE))),
            }
        }
        let count = buf.remaining().min(self.rest.len());
        buf.put_slice(&self.rest.split_to(count));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Relayed {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = bytes.len().min(LONGEST);
        if count == 0 {
            return Poll::Ready(Ok(0));
        }
        self.poll_send(cx, &bytes[..count]).map_ok(|()| count)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx).map_err(failed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.has_ended {
            ready!(self.poll_send(cx, b""))?;
            self.has_ended = true;
        }
        self.poll_flush(cx)
    }
}

/// What is said of a relay that goes without a word.
const GONE: &str = "the relay went away";

/// A failure of the way, and not of the peer: a text alone, whatever it was.
fn lost(why: &str) -> io::Error {
    io::Error::other(why)
}

/// How the system says that the other end of a connection is no more: it depends on what that had not read yet.
const ENDED: [ErrorKind; 4] = [
    ErrorKind::BrokenPipe,
    ErrorKind::ConnectionAborted,
    ErrorKind::ConnectionReset,
    ErrorKind::UnexpectedEof,
];

fn failed(error: Error) -> io::Error {
    match error {
        Error::Io(why) if ENDED.contains(&why.kind()) => lost(GONE),
        Error::Io(why) => io::Error::other(format!("the connection to the relay broke: {why}")),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => lost(GONE),
        other => io::Error::other(format!("the relay: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_that_dies_went_away_however_its_connection_ends() {
        let said = |error: Error| failed(error).to_string();
        for kind in ENDED {
            assert_eq!(said(Error::Io(kind.into())), "the relay went away");
        }
        assert_eq!(said(Error::ConnectionClosed), "the relay went away");
        let broken = said(Error::Io(ErrorKind::TimedOut.into()));
        assert_eq!(broken, "the connection to the relay broke: timed out");
    }
}
