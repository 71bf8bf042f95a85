//! A session's way to the peer: frames over any transport, metered.

use veilset_channel::{Abort, Channel, Costs, Framed, Metered, Transport, WireBytes};

/// The metered channel of one session.
pub struct Pipe {
    pub(crate) channel: Metered<Framed<Box<dyn Transport>>>,
    pub(crate) binding: [u8; 32],
}

/// How a session leaves its peer.
pub enum End {
    /// The run is complete.
    Complete,
    /// This side stops, and says why.
    Abort(Abort),
}

impl Pipe {
    /// Over a fresh transport; `binding` is what both ends, and nobody else, know of this very connection.
    #[must_use]
    pub fn new(transport: Box<dyn Transport>, binding: [u8; 32]) -> Self {
        Self { channel: Metered::new(Framed::new(transport), "agreement"), binding }
    }

    /// Says goodbye and closes; bounded in time.
    pub fn end(&mut self, end: &End) {
        match end {
            End::Complete => self.channel.inner().close(),
            End::Abort(reason) => self.channel.inner().abort(*reason),
        }
    }

    /// The step that runs now.
    #[must_use]
    pub fn step(&self) -> &'static str {
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
