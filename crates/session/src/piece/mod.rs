//! One piece of a run that many workers share, over a connection of its own.

use rand_core::CryptoRng;
use veilset_channel::{Channel, ChannelError, ChannelExt, Malformed, Message, Reader, Signal, Tag};
use veilset_crypto::Element;
use veilset_protocols::{
    Attached, AttachedShape, Conclusion, Means, Outcome, Parts, Protocol, ProtocolError, Role, Run,
    RunInput, Shape, Side, Silent, capacity, find,
};
use zeroize::Zeroizing;

use crate::plan::memory_of;
use crate::run::{in_step, pool};
use crate::terms::Done;
use crate::{End, Pipe, SessionError};

/// The name of the first stage in errors.
const STEP: &str = "meeting of workers";

/// The protocol of an intersection's pieces.
pub(crate) const PIECE_PROTOCOL: &str = "rr22";

/// What both workers of a piece were told, and nobody else: a digest of the run's session, the phase, the piece, and how many
/// times it was tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ticket(pub [u8; 32]);

/// A piece of an intersection as one side sees it, without its elements.
#[derive(Debug, Clone, Copy)]
pub struct PieceShape {
    /// Which side this one is, and who learns.
    pub side: Side,
    /// This side's distinct keys in all pieces.
    pub count: u64,
    /// The peer's.
    pub peer_count: u64,
    /// Pieces: a power of two.
    pub pieces: u32,
}

impl PieceShape {
    /// Elements of this side's piece, filled up, and of the peer's.
    #[must_use]
    pub fn capacities(&self) -> (u64, u64) {
        (capacity(self.count, self.pieces), capacity(self.peer_count, self.pieces))
    }

    /// Bytes of memory that this side takes, its piece included; without bound for a piece that is too large.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let Side { role, reveal } = self.side;
        let protocol = piece_protocol();
        let (own, peer) = self.capacities();
        if own.max(peer) > protocol.spec().max_elements {
            return u64::MAX;
        }
        let (sender, receiver) = match role {
            Role::Sender => (own, peer),
            Role::Receiver => (peer, own),
        };
        let choices = protocol.spec().defaults();
        let shape = Shape::of_sets(sender, receiver, reveal, choices);
        memory_of(protocol, shape, role, Parts::ONE)
    }
}

/// What comes of a piece of an intersection.
#[derive(Debug, PartialEq, Eq)]
pub enum Matched {
    /// This side was to learn nothing.
    Nothing,
    /// The places of the elements that match.
    Places(Vec<u32>),
    /// The peer's elements were not distinct.
    Fault,
}

impl Pipe {
    /// Does `work` with the peer's worker that has the same ticket, waits until it has everything too, and says goodbye.
    ///
    /// # Errors
    /// When the peer's worker was told something else, breaks the protocol, or goes away.
    pub fn piece<T: Send>(
        &mut self,
        ticket: &Ticket,
        threads: usize,
        rng: &mut (dyn CryptoRng + Send),
        work: impl FnOnce(&mut Means<'_>) -> Result<T, ProtocolError> + Send,
    ) -> Result<T, SessionError> {
        self.channel.phase(STEP);
        self.channel.put(ticket).map_err(SessionError::at(STEP))?;
        self.channel.take::<Ticket>(ticket).map_err(SessionError::at(STEP))?;
        let session = &ticket.0;
        let channel = &mut self.channel;
        let done = pool(threads)?
            .install(|| work(&mut Means { session, channel, rng, observer: &Silent }));
        let done = done.map_err(|error| SessionError::of_protocol(self.step(), error))?;
        in_step::<Done>(self, "end of a piece", &Signal)?;
        self.end(&End::Complete);
        Ok(done)
    }

    /// Which of `elements` are in the peer's piece of the same ticket, if this side learns it.
    ///
    /// Both sides fill their piece up with random elements, so that sizes say nothing of the sets. A peer's fault that depends on
    /// the result is no error here: the caller raises it once the whole run is over on both sides, so that ending tells nothing.
    ///
    /// # Errors
    /// As [`Pipe::piece`], or when there are more elements than a piece can have.
    pub fn match_piece(
        &mut self,
        ticket: &Ticket,
        threads: usize,
        shape: &PieceShape,
        elements: &[Element],
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Matched, SessionError> {
        let conclusion =
            self.piece(ticket, threads, rng, |means| intersect(means, shape, elements))?;
        match pool(threads)?.install(conclusion) {
            // Those behind are the random ones.
            Ok(Outcome::Matched(mut places)) => {
                places.retain(|place| (*place as usize) < elements.len());
                Ok(Matched::Places(places))
            }
            Ok(_) => Ok(Matched::Nothing),
            Err(ProtocolError::Channel(ChannelError::Peer(_))) => Ok(Matched::Fault),
            Err(error) => Err(SessionError::of_protocol("result", error)),
        }
    }
}

/// An intersection of a piece, up to what is left to compute.
fn intersect(
    means: &mut Means<'_>,
    shape: &PieceShape,
    elements: &[Element],
) -> Result<Conclusion, ProtocolError> {
    let (own, peer) = shape.capacities();
    let protocol = piece_protocol();
    let input = RunInput {
        elements: fill(elements, own, means.rng)?,
        peer_count: usize::try_from(peer).map_err(|_| ProtocolError::Overfull)?,
        attached: Attached::Nothing,
        peer_attached: AttachedShape::Nothing,
        per_row: 1,
        slack: shape.pieces.ilog2(),
        coins: 0,
        least: None,
        choices: protocol.spec().defaults(),
    };
    let Means { session, channel, rng, observer } = means;
    let means = Means { session, channel: *channel, rng: *rng, observer: *observer };
    protocol.run(Run { side: shape.side, input, means })
}

fn piece_protocol() -> &'static dyn Protocol {
    find(PIECE_PROTOCOL).expect("it is in the registry")
}

/// The elements, and random ones behind them.
fn fill(
    elements: &[Element],
    capacity: u64,
    rng: &mut dyn CryptoRng,
) -> Result<Zeroizing<Vec<Element>>, ProtocolError> {
    let capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
    if elements.len() > capacity {
        return Err(ProtocolError::Overfull);
    }
    let mut filled = Zeroizing::new(vec![Element([0; Element::LEN]); capacity]);
    filled.iter_mut().for_each(|element| rng.fill_bytes(&mut element.0));
    filled[..elements.len()].copy_from_slice(elements);
    Ok(filled)
}

impl Message for Ticket {
    const TAG: Tag = Tag::Ticket;
    type Context = Self;

    fn max_len(_: &Self) -> usize {
        32
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, mine: &Self) -> Result<Self, Malformed> {
        let theirs = Self(reader.array()?);
        if theirs == *mine { Ok(theirs) } else { Err(Malformed::OutOfRange) }
    }
}

#[cfg(test)]
mod tests;
