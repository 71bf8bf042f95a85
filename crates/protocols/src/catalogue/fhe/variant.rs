//! Which of the papers' improvements are used.
//!
//! Users choose floods alone, and terms carry nothing else. The rest is here for the reproduction of the papers' tables: it switches
//! improvements off, one after the other, and so measures the code that runs. No session and no served list is run with that.

use veilset_names::names;

use crate::Choices;

names! {
    "flooding";
    /// Whether the sender's answers hide their noise.
    pub enum Flooding {
        /// They do not: the oblivious function hides the sender's set.
        Off = "off",
        /// They do.
        On = "on",
    }
}

/// Which improvements are used, one after the other as Chen, Laine and Rindal introduce them (CCS 2017, section 4), and what
/// hides the sender's set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// A ciphertext holds as many values as it has slots; otherwise those of one bin.
    pub batching: bool,
    /// Elements are hashed to bins; otherwise each of the receiver's has a bin with all of the sender's.
    pub hashing: bool,
    /// Functions that hash them there, three or four.
    pub functions: usize,
    /// Which powers of the receiver's values travel.
    pub windowing: Windowing,
    /// Bins are cut into partitions; otherwise each is one polynomial.
    pub partitioning: bool,
    /// Answers come down to one prime and a few bits; otherwise they keep all primes.
    pub switching: bool,
    /// What tables and polynomials are made of.
    pub items: Items,
    /// Each slot's polynomial is multiplied by a random factor other than 0, so that the value at what does not match says
    /// nothing. The factor is drawn with the polynomial, so a [`Database`](super::Database) may answer one query.
    pub masks: bool,
    /// Noise is flooded, so that an answer says its plaintext and nothing else.
    pub flooding: bool,
}

/// Which powers of the receiver's values travel; the sender multiplies the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Windowing {
    /// Those of which the others are products of two, for Paterson and Stockmeyer's sum (Cong et al., CCS 2021), or all that the
    /// sum takes: what the search finds better.
    Stamps,
    /// x^(i·2^(ℓj)) for 1 ≤ i < 2^ℓ and all j: the windows of CCS 2017 for this ℓ, from 1 on.
    Base(u32),
    /// x alone.
    First,
    /// All up to the degree.
    All,
}

/// What tables and polynomials are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Items {
    /// What the oblivious function gives for elements (CCS 2018).
    OfFunction,
    /// Elements as they are: strings of so many bits, 1 to 64, which their first eight bytes have as a little-endian number (CCS 2017). The
    /// receiver then learns the values of the sender's polynomials at them, so that [`Variant::masks`] and [`Variant::flooding`] have to
    /// hide the sender's set, and they do that from a semi-honest receiver alone.
    OfBits(u32),
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            batching: true,
            hashing: true,
            functions: 3,
            windowing: Windowing::Stamps,
            partitioning: true,
            switching: true,
            items: Items::OfFunction,
            masks: false,
            flooding: false,
        }
    }
}

impl From<Choices> for Variant {
    /// What a run takes whose sides chose this.
    fn from(choices: Choices) -> Self {
        Self { flooding: choices.flooding == Some(Flooding::On), ..Self::default() }
    }
}
