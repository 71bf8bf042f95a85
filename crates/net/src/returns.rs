//! The side that waited, and waits for its peer to come back.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use veilset_party::PublicKey;

use crate::clock::sleep;
use crate::crowd::Crowd;
use crate::handshake::{Connected, Place, Standing};
use crate::listen::Door;
use crate::tls::OwnKey;

/// The pause after an address could not be listened on again.
const PAUSE: Duration = Duration::from_millis(500);

/// Where a peer comes back to.
pub(crate) struct Returns {
    pub(crate) own: OwnKey,
    pub(crate) peer: PublicKey,
    pub(crate) addr: SocketAddr,
}

impl Returns {
    /// The peer, once it comes back to this address; why it could not, at `last`.
    pub(crate) async fn wait(&self, place: Place, last: &mut Option<String>) -> Connected {
        let Self { own, peer, addr } = self;
        loop {
            let bound = TcpListener::bind(addr).await;
            *last =
                bound.as_ref().err().map(|why| format!("this side cannot listen on {addr}: {why}"));
            if let Ok(socket) = bound {
                let standing = Standing::Again(place);
                let mut door =
                    Door::new(own.clone(), vec![*peer], &|_| (), Crowd::new()).for_runs(standing);
                loop {
                    // The peer of another release is another run's.
                    if let Ok(connected) = door.answer(&socket).await {
                        return connected;
                    }
                }
            }
            sleep(PAUSE).await;
        }
    }
}
