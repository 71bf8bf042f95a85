//! The connection between two drivers.

use veilset_channel::MAX_FRAME;
use veilset_net::{Comeback, Endpoint, Event, Messages, Options, establish};
use veilset_party::{Identity, PeerKeys, PublicKey};
use veilset_session::{SessionError, run_id, session_of};

use crate::ClusterError;

/// The most bytes of a message.
pub const MAX_MESSAGE: usize = MAX_FRAME;

/// An authenticated connection for messages; one thread may send while another receives.
pub struct DriverConnection {
    messages: Messages,
    session: [u8; 32],
    peer: PublicKey,
}

impl DriverConnection {
    /// Waits for the peer with key `peer`, or one of its keys, on whichever side it appears.
    ///
    /// # Errors
    /// When it does not come in time or is somebody else.
    pub fn open(
        identity: &Identity,
        peer: impl Into<PeerKeys>,
        endpoint: &Endpoint,
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, ClusterError> {
        // One thread sends while another receives, which a run that goes on is not made for.
        let options = Options { comeback: Comeback::NEVER, ..options.clone() };
        let transport = establish(identity, peer, endpoint, &options, events)?;
        let session =
            blake3::derive_key("veilset v1 session of a cluster run", &transport.binding());
        let peer = transport.peer();
        Ok(Self { messages: Messages::over(transport), session, peer })
    }

    /// The peer's key, which it proved.
    #[must_use]
    pub fn peer(&self) -> PublicKey {
        self.peer
    }

    /// An id of the run for records, the same on both sides.
    #[must_use]
    pub fn run(&self) -> String {
        run_id(&self.session)
    }

    /// What both ends of this connection have, and no other connection: elements are keyed by it.
    #[must_use]
    pub fn session(&self) -> [u8; 32] {
        self.session
    }

    /// The same for the values under a further key, numbered from 1.
    #[must_use]
    pub fn session_of(&self, key: u32) -> [u8; 32] {
        session_of(&self.session, key)
    }

    /// Sends a message of at most [`MAX_MESSAGE`] bytes.
    ///
    /// # Errors
    /// When the connection has ended.
    pub fn send(&self, message: Vec<u8>) -> Result<(), ClusterError> {
        Ok(self.messages.send(message).map_err(ended)?)
    }

    /// Waits for the next message, which has at most [`MAX_MESSAGE`] bytes.
    ///
    /// # Errors
    /// When the connection has ended.
    pub fn receive(&self) -> Result<Vec<u8>, ClusterError> {
        Ok(self.messages.receive().map_err(ended)?)
    }

    /// Says that no more comes, and waits a while until the peer has everything.
    pub fn close(&self) {
        self.messages.close();
    }
}

fn ended(source: veilset_channel::ChannelError) -> SessionError {
    SessionError::Channel { step: "the drivers' conversation", source }
}
