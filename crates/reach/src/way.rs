//! A stream of bytes to a peer, whichever way it takes.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::Relayed;

/// A stream of bytes to a peer.
pub enum Way {
    /// A TCP connection, through a proxy or not.
    Tcp(TcpStream),
    /// Over a relay.
    Relayed(Box<Relayed>),
}

impl Way {
    /// The next hop: the peer, a proxy, or a relay.
    ///
    /// # Errors
    /// When it is gone.
    pub fn next_hop(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Tcp(tcp) => tcp.peer_addr(),
            Self::Relayed(relayed) => Ok(relayed.relay()),
        }
    }
}

impl AsyncRead for Way {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_read(cx, buf),
            Self::Relayed(relayed) => Pin::new(&mut **relayed).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Way {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_write(cx, bytes),
            Self::Relayed(relayed) => Pin::new(&mut **relayed).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_write_vectored(cx, pieces),
            Self::Relayed(relayed) => Pin::new(&mut **relayed).poll_write_vectored(cx, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        matches!(self, Self::Tcp(_))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_flush(cx),
            Self::Relayed(relayed) => Pin::new(&mut **relayed).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Self::Relayed(relayed) => Pin::new(&mut **relayed).poll_shutdown(cx),
        }
    }
}
