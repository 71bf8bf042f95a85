//! Private matching: is my one element your one element? (Mayer, Wetzel, Teubert and Meyer, "Implementation and performance
//! evaluation of privacy-preserving fair reconciliation protocols on ordered sets", CODASPY 2011, section 4.5.)
//!
//! The asking side offers elements, once. Then, as often as wanted, both name pairs of an offered element and one of the
//! answering side's; the asking side learns which pairs are equal, and nothing else of the others; the answering side
//! learns nothing. What was offered stays, so an element costs its offer once however often it is compared: the paper's
//! cached variant. What is compared, and who tells whom about a match, is the caller's protocol.
//!
//! Two ways, of which both sides must take the same ([`Matching`]):
//!
//! * **Paillier.** The offer of a is its encryption; the answer for b is r·(a − b), encrypted afresh, with r uniform
//!   modulo N: the polynomial x − a at b, as Freedman, Nissim and Pinkas evaluate it, without a payload. Equal elements give 0;
//!   others a uniform number, for a − b is a unit modulo N unless the asker puts in a factor of N, which
//!   tells it a residue of b that it guessed. Elements are taken as 127-bit numbers.
//! * **Diffie–Hellman.** The offer is F_k(H(a)); the answer has F_l(H(b)) and a digest of F_l(F_k(H(a))), with a fresh key l
//!   for each pair, so that answers for other pairs cannot be combined. Under DDH and a random oracle.
//!
//! Both are for semi-honest parties.

mod diffie_hellman;
mod paillier;
#[cfg(test)]
mod tests;

use rand_core::CryptoRng;
use veilset_channel::Channel;
use veilset_crypto::Element;

use crate::ProtocolError;

/// How pairs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matching {
    /// By oblivious evaluation of a polynomial under Paillier's encryption, with keys of 2048 bits.
    Paillier,
    /// By a commutative function on Curve25519.
    DiffieHellman,
}

/// The side that learns.
pub trait Asker {
    /// Sends offers of elements, which are numbered on from those before.
    ///
    /// # Errors
    /// When the channel fails.
    fn offer(
        &mut self,
        channel: &mut dyn Channel,
        elements: &[Element],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError>;

    /// For each pair, given by the number of its offered element, whether the two are equal.
    ///
    /// # Errors
    /// When the channel fails, or the peer answers with something else.
    ///
    /// # Panics
    /// When there is no such offer.
    fn learn(
        &mut self,
        channel: &mut dyn Channel,
        offered: &[usize],
    ) -> Result<Vec<bool>, ProtocolError>;
}

/// The side that answers.
pub trait Answerer {
    /// Takes so many offers.
    ///
    /// # Errors
    /// When the channel fails, or the peer sends something else.
    fn take_offer(&mut self, channel: &mut dyn Channel, count: usize) -> Result<(), ProtocolError>;

    /// Answers for each pair of an offer's number and an element.
    ///
    /// # Errors
    /// When the channel fails, or an offer was no element.
    ///
    /// # Panics
    /// When there is no such offer.
    fn answer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[(usize, Element)],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError>;
}

/// Begins as the side that learns. `session` is what both sides know and no other session has.
///
/// # Errors
/// When the channel fails.
pub fn asker(
    matching: Matching,
    channel: &mut dyn Channel,
    session: &[u8; 32],
    rng: &mut dyn CryptoRng,
) -> Result<Box<dyn Asker>, ProtocolError> {
    Ok(match matching {
        Matching::Paillier => Box::new(paillier::Asker::start(channel, session, rng)?),
        Matching::DiffieHellman => Box::new(diffie_hellman::Asker::start(rng)),
    })
}

/// Begins as the side that answers.
///
/// # Errors
/// When the channel fails, or the peer's key is not well formed.
pub fn answerer(
    matching: Matching,
    channel: &mut dyn Channel,
    session: &[u8; 32],
) -> Result<Box<dyn Answerer>, ProtocolError> {
    Ok(match matching {
        Matching::Paillier => Box::new(paillier::Answerer::start(channel, session)?),
        Matching::DiffieHellman => Box::new(diffie_hellman::Answerer::default()),
    })
}
