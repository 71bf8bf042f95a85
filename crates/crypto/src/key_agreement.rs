//! Key agreement in two messages, the second of which is pseudorandom (Rosulek and Trieu, "Compact and malicious private
//! set intersection for small sets", eprint 2021/1159, section 3.2).

use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

/// A key agreement of a sender, who sends the first message, and a receiver, who answers it n times.
///
/// A second message is an integer below the [`modulus`](Self::modulus) p, little-endian in all of its bytes, so that it is
/// an element of the field of p elements. A key is the encoding of a group element; 0 and the neutral element among them,
/// see below.
///
/// # The four definitions
///
/// 1. *Correctness*: both sides get the same keys.
/// 2. *Security against an eavesdropper*: a key looks random beside both messages.
/// 3. *Non-malleability*: that holds even beside an oracle for [`keys`](Self::keys) of any other second message.
/// 4. *Pseudorandom second messages*: they look uniform even to who chose the first.
///
/// Definitions 2 and 3 speak of keys that are strings without structure. A key here is a group element, and several second
/// messages have the same one: those that are decoded alike. So the caller hashes a key **together with both messages**,
/// or with a transcript that determines them, and the definitions hold of the digest: in the random-oracle model if
/// computational Diffie–Hellman is hard in the group beside an oracle that decides whether a pair of an element and a key
/// belongs to the first message, which is the strong Diffie–Hellman assumption and gives oracle Diffie–Hellman (Abdalla,
/// Bellare and Rogaway, "The oracle Diffie–Hellman assumptions", 2001, section 4). Definition 1 is tested, and the
/// implementations say what gives definition 4.
///
/// # Messages that no honest receiver sends
///
/// [`keys`](Self::keys) refuses nothing. In the protocol which second messages the sender decodes depends on its items, so
/// that an error would tell about them. Numbers that decode to an element of small order get a key that anybody can
/// name, which is no more than a receiver has that knows its exponent.
///
/// # Time
///
/// The time of all functions depends on numbers of messages and on the public messages; that of
/// [`second`](Self::second) also on how many attempts its messages took, of which the accepted ones are independent. Work
/// is done on the caller's rayon pool, and is the same for any number of threads.
pub trait KeyAgreement: Sync {
    /// The sender's exponent; it wipes itself.
    type Secret: Sync;

    /// A second message, or a key: an array of bytes.
    type Value: Copy + Send + Sync + Zeroize + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

    /// Bytes of the first message.
    fn first_len(&self) -> usize;

    /// p.
    fn modulus(&self) -> Self::Value;

    /// The sender: a fresh exponent, and the first message.
    fn first(&self, rng: &mut dyn CryptoRng) -> (Self::Secret, Vec<u8>);

    /// The receiver: n second messages and their keys.
    ///
    /// # Errors
    /// When `first` is no first message.
    fn second(
        &self,
        first: &[u8],
        n: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Second<Self::Value>, FirstMessageError>;

    /// The sender: the key of each second message, in order. Numbers from p on are reduced.
    fn keys(&self, secret: &Self::Secret, messages: &[Self::Value]) -> Zeroizing<Vec<Self::Value>>;
}

/// What the receiver has after the first message, in the same order.
pub struct Second<V: Zeroize> {
    /// Second messages.
    pub messages: Zeroizing<Vec<V>>,
    /// Their keys.
    pub keys: Zeroizing<Vec<V>>,
}

/// The peer's first message is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FirstMessageError {
    /// It has another number of bytes.
    #[error(
        "the peer's first message of the key agreement has {found} bytes where {expected} belong; \
         no honest peer sends it, so end the run"
    )]
    Length {
        /// As the agreement has it.
        expected: usize,
        /// As the peer sent it.
        found: usize,
    },
    /// It is a number of the right length and encodes nothing: too large, or of no group element.
    #[error(
        "the peer's first message of the key agreement encodes no element of the group; \
         no honest peer sends it, so end the run"
    )]
    NotAnElement,
    /// It encodes the neutral element, or another whose order is small, so that anybody knows the keys.
    #[error(
        "the peer's first message of the key agreement encodes an element of small order; \
         no honest peer sends it, so end the run"
    )]
    SmallOrder,
}
