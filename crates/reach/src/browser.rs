//! The way of a page: a browser opens WebSockets to relays, and nothing else.

use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use veilset_host::page::{Closed, Socket};
use veilset_host::task::timeout;

use crate::JoinError;
use crate::url::RelayUrl;
use crate::wire::{Closing, LONGEST, MET, Room, SUBPROTOCOL, Side, WAITING, greeting};

/// How long a relay may take until it has said that one is in.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no connection to a host.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// What the browser says.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A browser has proxies of its own.
#[derive(Default)]
pub struct Proxies;

impl Proxies {
    /// Those of the browser.
    ///
    /// # Errors
    /// Never.
    pub fn from_env() -> Result<Self, String> {
        Ok(Self)
    }
}

/// A stream of bytes to a peer.
pub enum Way {
    /// Over a relay.
    Relayed(Box<Relayed>),
}

impl Way {
    /// The next hop, which no browser tells.
    ///
    /// # Errors
    /// Always.
    pub fn next_hop(&self) -> io::Result<SocketAddr> {
        Err(ErrorKind::Unsupported.into())
    }

    fn relayed(self: Pin<&mut Self>) -> Pin<&mut Relayed> {
        let Self::Relayed(relayed) = self.get_mut();
        Pin::new(relayed)
    }
}

impl AsyncRead for Way {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.relayed().poll_read(cx, buf)
    }
}

impl AsyncWrite for Way {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.relayed().poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.relayed().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.relayed().poll_shutdown(cx)
    }
}

/// Goes into a room at a relay and waits there until somebody of the other side comes, however long that takes. `waits` hears
/// that nobody is there yet.
///
/// # Errors
/// See [`JoinError`].
pub async fn join(
    url: &RelayUrl,
    room: &Room,
    side: Side,
    _: &Proxies,
    waits: impl FnOnce(),
) -> Result<Relayed, JoinError> {
    let scheme = if url.is_secure { "wss" } else { "ws" };
    let place = format!("{scheme}://{}{}", url.authority(), url.path);
    let entering = async {
        let mut socket = Socket::open(&place, SUBPROTOCOL);
        poll_fn(|cx| socket.poll_open(cx)).await.map_err(unopened)?;
        socket.send(&greeting(room, side));
        let has_met = heard(&mut socket).await?;
        Ok::<_, JoinError>((socket, has_met))
    };
    let entered = timeout(PATIENCE, entering).await;
    let late = |_| io::Error::new(ErrorKind::TimedOut, "it does not answer");
    let (mut socket, mut has_met) = entered.map_err(late)??;
    if !has_met {
        waits();
    }
    while !has_met {
        has_met = heard(&mut socket).await?;
    }
    Ok(Relayed { socket, rest: Vec::new(), taken: 0, is_over: false, has_ended: false })
}

/// Whether the other side is there, once the relay has said whether it is.
async fn heard(socket: &mut Socket) -> Result<bool, JoinError> {
    match poll_fn(|cx| socket.poll_message(cx)).await {
        Ok(said) if said == MET => Ok(true),
        Ok(said) if said == WAITING => Ok(false),
        Ok(_) => Err(JoinError::NotARelay("it says what no relay says".to_owned())),
        Err(Closed(code)) => Err(match Closing::of(code) {
            Some(Closing::Malformed) => JoinError::NotARelay(Closing::Malformed.why().to_owned()),
            Some(closing) => JoinError::Busy(closing.why().to_owned()),
            None => io::Error::new(ErrorKind::ConnectionReset, "it closed the connection").into(),
        }),
    }
}

/// A browser does not say why it opens no WebSocket.
fn unopened(_: Closed) -> JoinError {
    let why = "the browser cannot reach it: there is no network, or it is no relay";
    io::Error::new(ErrorKind::ConnectionRefused, why).into()
}

/// A stream of bytes to whoever else is in the room. The peer's going away ends it as a closed connection does; a relay's,
/// as a network that fails.
pub struct Relayed {
    socket: Socket,
    /// The message that is being read, and how much of it was taken.
    rest: Vec<u8>,
    taken: usize,
    is_over: bool,
    has_ended: bool,
}

impl AsyncRead for Relayed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.taken == self.rest.len() && !self.is_over {
            match ready!(self.socket.poll_message(cx)) {
                Ok(message) if message.is_empty() => self.is_over = true,
                Ok(message) => (self.rest, self.taken) = (message, 0),
                Err(Closed(code)) if Closing::of(code) == Some(Closing::Left) => {
                    self.is_over = true;
                }
                Err(closed) => return Poll::Ready(Err(lost(closed))),
            }
        }
        let rest = &self.rest[self.taken..];
        let count = buf.remaining().min(rest.len());
        buf.put_slice(&rest[..count]);
        self.taken += count;
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
        if count > 0 {
            ready!(self.socket.poll_room(cx)).map_err(lost)?;
            self.socket.send(&bytes[..count]);
        }
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// The browser sends what it has before it closes a socket; one that is closed already has nobody to tell.
    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.has_ended {
            self.socket.send(b"");
            self.has_ended = true;
        }
        Poll::Ready(Ok(()))
    }
}

/// A failure of the way, and not of the peer.
fn lost(Closed(code): Closed) -> io::Error {
    io::Error::other(Closing::of(code).map_or("the relay went away", Closing::why))
}
