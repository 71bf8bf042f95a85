//! A session's way to the peer: frames over any transport, metered.

use std::thread::sleep;
use std::time::Duration;

use veilset_channel::{
    Abort, Channel, ChannelError, ChannelExt, Costs, Framed, Message, Metered, Transport, WireBytes,
};
use veilset_host::time::Instant;

use crate::SessionError;

/// The first pause between two looks for a message, which doubles up to the last.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// The metered channel of one session.
pub struct Pipe {
    pub(crate) channel: Metered<Framed<Box<dyn Transport>>>,
    pub(crate) binding: [u8; 32],
    /// The peer's public key, which it proved; `None` where the way to it has no keys.
    pub(crate) peer: Option<[u8; 32]>,
    /// How long the peer may take to send its terms, and then to consent to them; for ever where nobody says.
    pub(crate) patience: Option<Duration>,
}

/// How a session leaves its peer.
pub(crate) enum End {
    /// The run is complete.
    Complete,
    /// This side stops, and says why.
    Abort(Abort),
}

impl Pipe {
    /// Over a fresh transport; `binding` is what both ends, and nobody else, know of this very connection.
    #[must_use]
    pub fn new(transport: Box<dyn Transport>, binding: [u8; 32]) -> Self {
        let channel = Metered::new(Framed::new(transport), "agreement");
        Self { channel, binding, peer: None, patience: None }
    }

    /// The same, to the peer of this public key.
    #[must_use]
    pub fn with_peer(self, key: [u8; 32]) -> Self {
        Self { peer: Some(key), ..self }
    }

    /// The same, with a bound on how long the peer may take to send its terms, and then to consent to them; its transport tells whether a frame is
    /// here.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// Whether the peer's next message is here; it stays for whoever takes it.
    ///
    /// # Errors
    /// With the peer's goodbye, or why the connection ended.
    pub(crate) fn look(&mut self) -> Result<bool, ChannelError> {
        self.channel.inner().look()
    }

    /// Waits until the peer's next message `is_here`; whether it came in time.
    pub(crate) fn await_until(
        &mut self,
        end: Option<Instant>,
        is_here: fn(&mut Self) -> Result<bool, ChannelError>,
    ) -> Result<bool, ChannelError> {
        let [mut pause, longest] = PAUSES;
        while let Some(end) = end
            && !is_here(self)?
        {
            if Instant::now() >= end {
                return Ok(false);
            }
            sleep(pause);
            pause = (2 * pause).min(longest);
        }
        Ok(true)
    }

    /// Takes what the peer sends at once: part of the terms, before anybody is asked.
    pub(crate) fn take_in_time<M: Message>(
        &mut self,
        step: &'static str,
        context: &M::Context,
    ) -> Result<M, SessionError> {
        // What the peer sent before it left says more than its goodbye.
        let is_here = |pipe: &mut Self| pipe.channel.inner().is_ready();
        if !self.await_until(self.due(), is_here).map_err(SessionError::at(step))? {
            return Err(SessionError::NoTerms { waited: self.patience.unwrap_or_default() });
        }
        self.channel.take(context).map_err(SessionError::at(step))
    }

    /// When what the peer is to say is due, if it is asked now.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.patience.and_then(|patience| Instant::now().checked_add(patience))
    }

    /// Says goodbye and closes; bounded in time.
    pub(crate) fn end(&mut self, end: &End) {
        match end {
            End::Complete => self.channel.inner().close(),
            End::Abort(reason) => self.channel.inner().abort(*reason),
        }
    }

    /// Tells the peer why, where it can still hear, if this is an error.
    ///
    /// # Errors
    /// As `result`.
    pub fn say_goodbye_if_failed<T>(
        &mut self,
        result: Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        if let Some(reason) = result.as_ref().err().and_then(SessionError::goodbye) {
            self.end(&End::Abort(reason));
        }
        result
    }

    /// The step that runs now.
    pub(crate) fn step(&self) -> &'static str {
        self.channel.current()
    }

    pub(crate) fn costs(&mut self) -> Costs {
        self.channel.costs().clone()
    }

    /// Bytes on the wire, with what the transport adds; the frames' bytes where it adds nothing.
    pub(crate) fn wire_bytes(&mut self) -> WireBytes {
        let wire = self.channel.wire_bytes();
        let costs = self.channel.costs();
        wire.unwrap_or(WireBytes { sent: costs.bytes_sent(), received: costs.bytes_received() })
    }
}
