//! The way back to a peer whose connection was lost.
//!
//! Both ends keep what the other may lack, and nothing else of the run changes: over the next connection, which is authenticated as
//! the first was, each says how many frames came, and the other sends the rest again, byte for byte. So neither end computes anything
//! anew, no protocol begins again, and a peer that comes back knows nothing, and can ask nothing, that it could not before.

use std::time::Duration;

use veilset_channel::{ChannelError, NetworkFault};

use crate::clock::timeout;
use crate::connect::Caller;
use crate::handshake::{Connected, Place};
#[cfg(not(target_family = "wasm"))]
use crate::returns::Returns;
use crate::wire::{Ended, How};
use crate::{Event, Options};

/// How an end meets the peer of a run again.
pub(crate) enum Back {
    /// It waits where it waited.
    #[cfg(not(target_family = "wasm"))]
    Listener(Returns),
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
        let longest = options.comeback.longest(options.deadline);
        let wait = match ended.how {
            How::ForGood => return Err(ended.why),
            // Most often the peer's process ended; else the peer may notice by its silence alone.
            How::Cut => longest.min(options.silence.max(peer_silence) + options.heartbeat),
            How::Failed => longest,
        };
        if tells {
            options.comeback.tell(Event::Lost { why: ended.why.to_string(), wait });
        }
        let mut last = None;
        let meeting = async {
            match self {
                #[cfg(not(target_family = "wasm"))]
                Self::Listener(returns) => returns.wait(place, &mut last).await,
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
