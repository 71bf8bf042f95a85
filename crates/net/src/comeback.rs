//! The way back to a peer whose connection was lost.
//!
//! Both ends keep what the other may lack, and nothing else of the run changes: over the next connection, which is authenticated as
//! the first was, each says how many frames came, and the other sends the rest again, byte for byte. So neither end computes anything
//! anew, no protocol begins again, and a peer that comes back knows nothing, and can ask nothing, that it could not before.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use veilset_channel::{ChannelError, NetworkFault};
use veilset_party::PublicKey;

use crate::connect::Caller;
use crate::crowd::Crowd;
use crate::handshake::{Connected, Place, Standing};
use crate::listen::Door;
use crate::tls::OwnKey;
use crate::wire::{Ended, How};
use crate::{Event, Options};

/// The pause after an address could not be listened on again.
const PAUSE: Duration = Duration::from_millis(500);

/// How an end meets the peer of a run again.
pub(crate) enum Back {
    /// It waits where it waited.
    Listener { own: OwnKey, peer: PublicKey, addr: SocketAddr },
    /// It goes where it went, to the peer or to a relay.
    Caller(Box<Caller>),
}

impl Back {
    /// Waits for the peer after the connection `ended`, at this place of the run.
    ///
    /// # Errors
    /// With what ended the run, for good: the peer does not come, or this side's user ends the wait.
    pub(crate) async fn seek(
        &self,
        ended: Ended,
        place: Place,
        peer_silence: Duration,
        options: &Options,
        tells: bool,
    ) -> Result<Connected, ChannelError> {
        let wait = match ended.how {
            How::ForGood => return Err(ended.why),
            // Most often the peer's process ended; else the peer may notice by its silence alone.
            How::Cut => options.deadline.min(options.silence.max(peer_silence) + options.heartbeat),
            How::Failed => options.deadline,
        };
        if tells {
            options.comeback.tell(Event::Lost { why: ended.why.to_string(), wait });
        }
        let mut last = None;
        let meeting = async {
            match self {
                Self::Listener { own, peer, addr } => {
                    wait_at(*addr, own, *peer, place, &mut last).await
                }
                Self::Caller(caller) => caller.return_to(place, &mut last).await,
            }
        };
        let met = tokio::select! {
            biased;
            () = options.stop.stopped() => return Err(NetworkFault::Stopped.into()),
            met = timeout(wait, meeting) => met,
        };
        let Ok(connected) = met else {
            let why = ended.why.to_string();
            return Err(NetworkFault::Lost { why, waited: wait, last }.into());
        };
        if tells {
            options.comeback.tell(Event::Returned { addr: connected.addr.clone() });
        }
        Ok(connected)
    }
}

/// The peer, once it comes back to this address; why it could not, at `last`.
async fn wait_at(
    addr: SocketAddr,
    own: &OwnKey,
    peer: PublicKey,
    place: Place,
    last: &mut Option<String>,
) -> Connected {
    loop {
        let bound = TcpListener::bind(addr).await;
        *last = bound.as_ref().err().map(|why| format!("this side cannot listen on {addr}: {why}"));
        if let Ok(socket) = bound {
            let standing = Standing::Again(place);
            let mut door =
                Door::new(own.clone(), vec![peer], &|_| (), Crowd::new()).for_runs(standing);
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
