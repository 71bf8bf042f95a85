//! Base oblivious transfers: random OTs from public-key operations alone.
//!
//! | | [`Ristretto`] | [`MlKem`] |
//! |---|---|---|
//! | rests on | Diffie–Hellman with an oracle, ristretto255 | module learning with errors, ML-KEM-768 |
//! | a quantum computer | breaks it | is not known to |
//! | receiver to sender | 64 bytes an OT | 2,336 bytes an OT |
//! | sender to receiver | 32 bytes | 2,176 bytes an OT |
//! | frames for 128 OTs | 1 and 1 | 3 and 3 |
//!
//! Both are the construction of Masny and Rindal (Endemic Oblivious Transfer, CCS 2019, eprint 2019/706, figure 8). The
//! receiver with choice `c` sends two uniform elements `(r_0, r_1)` of a group for which
//!
//! > m_j = r_j + H_j(r_{1−j})
//!
//! is a key-agreement message that it made itself at `j = c`, and one that nobody knows a secret for at `j = 1 − c`:
//! whichever oracle is asked last fixes its sum after both elements are fixed. The sender answers both, and each party
//! hashes what was agreed.
//!
//! # What is guaranteed
//!
//! *Endemic* security (definition 2.4 there) against a malicious party in the random-oracle model: the receiver's
//! choice stays hidden, and the pad not chosen is uniform and hidden. A malicious sender may pick both blocks of a pair
//! and a malicious receiver the block of its choice; each honest party's others are uniform. An OT extension above must
//! live with that. Where it draws a challenge by hashing (Fiat–Shamir), the hash has to cover the messages of the base
//! OT as well (McQuoid–Rosulek–Roy, eprint 2021/682, figure 10), or a sender of base OTs fits its blocks to the
//! challenge.
//!
//! # What is hashed
//!
//! BLAKE3 with a context of its own for each oracle stands for the random oracles. All take the run's `session`; the
//! masks `H_j` the instance `i` and the branch `j`; the keys both, and a digest of all messages of both sides. Without
//! the instance a receiver that repeats its message gets equal pads in several OTs, which breaks extensions above
//! (eprint 2021/682, section 3); without the sender's message it could do so across runs.
//!
//! The receiver's choices are handled in constant time. Sums, masks and keys are computed alike for both values, down
//! to the hashing to a group: nothing is sampled by rejection once a choice is involved.

mod batch;
mod ml_kem;
mod module;
mod oracle;
mod ristretto;
#[cfg(test)]
mod tests;

use subtle::Choice;

use crate::{BaseOt, WireCost};

pub use ml_kem::MlKem;
pub use ristretto::Ristretto;

/// A base OT, by what it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Diffie–Hellman: [`Ristretto`].
    Ristretto,
    /// Module learning with errors: [`MlKem`].
    MlKem,
}

impl Base {
    /// The base OT of a run.
    #[must_use]
    pub fn of(self, session: Session) -> Box<dyn BaseOt> {
        match self {
            Self::Ristretto => Box::new(Ristretto::new(session)),
            Self::MlKem => Box::new(MlKem::new(session)),
        }
    }

    /// Bytes and frames of `count` OTs.
    #[must_use]
    pub fn wire_cost(self, count: usize) -> WireCost {
        match self {
            Self::Ristretto => ristretto::wire_cost(count),
            Self::MlKem => ml_kem::wire_cost(count),
        }
    }
}

/// The most OTs in one run of a base OT.
pub const MAX_COUNT: usize = 2048;

/// The identifier of a run: 32 bytes that both parties know and that no other run has, the one in the opposite direction
/// included. A digest of the agreement, with something fresh from each party, and of the run's place in the protocol
/// will do. It keeps the oracles of one run from those of another (eprint 2019/706, remarks 2.8 and E.5).
pub type Session = [u8; 32];

/// A choice bit for constant-time selection.
fn secret(bit: bool) -> Choice {
    Choice::from(u8::from(bit))
}
