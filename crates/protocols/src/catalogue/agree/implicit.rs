//! `3pr-implicit`, the paper's 3PR^C-FNP-implicit: the rounds evaluate polynomials obliviously, with no matching of entries in between.
//!
//! As the paper's section 3.4 has it, for a pair (a, b) of an entry of the side that tests and one of the side that shows:
//!
//! 1. The tester encrypts both coefficients of p(x) = x − a under its key, and sends them ahead of the first round that needs them.
//! 2. The shower evaluates: E(r·p(b) + name(b)), a ciphertext a pair, by Horner's rule, for a fresh r uniform modulo N.
//! 3. The tester decrypts, and has an equal pair where it finds name(a).
//!
//! Entries and names are numbers of 128 bits. Equal roots happen with probability 2^-128 a pair, and a false name with 1/N.
//! Compared with `3pr-paillier` this costs ten times as much: r has as many bits as N, and each pair has its own ciphertext.
//!
//! **Security.** Semi-honest, under the same assumptions as `3pr-paillier`, and with statistical distance 2^-64 a pair, from the fresh
//! randomness: of ciphertexts that ordinary encryption made. A tester that made its key and ciphertexts otherwise reads r modulo
//! a part of φ(N) in the randomness of what comes back (see [`veilset_crypto::paillier`]), and so digests of the entries that
//! are compared, against which it can test guesses; with many primes in N it tests a guess for each.

use rand_core::CryptoRng;
use veilset_channel::Channel;
use veilset_crypto::paillier::{Ciphertext, Integer, KeySize, Plaintexts};
use zeroize::Zeroizing;

use super::keys::{Keys, Offers, Reuse, Subject};
use super::matching::{Matching, Token};
use super::paillier::token;
use super::scheme::Pair;
use crate::kit::bins::{Root, roots};
use crate::kit::paillier::packing::scalar;
use crate::{ProtocolError, Role, Run};

/// Bits of an entry.
pub(super) const ENTRY_BITS: u32 = u128::BITS;

/// Coefficients of a polynomial, the constant one first.
pub(super) const COEFFICIENTS: usize = 2;

/// One side of the comparator.
pub(super) struct Implicit {
    role: Role,
    roots: Zeroizing<Vec<Root<u128>>>,
    keys: Keys,
    /// Of one's own key, and of the peer's.
    plaintexts: [Plaintexts; 2],
    own: Offers<()>,
    peers: Offers<[Ciphertext; COEFFICIENTS]>,
}

impl Implicit {
    /// Exchanges the keys.
    pub(super) fn new(run: &mut Run<'_>, size: KeySize) -> Result<Self, ProtocolError> {
        let keys = Keys::exchange(run, size)?;
        Ok(Self {
            role: run.side.role,
            roots: roots(scalar, run.means.session, &run.input.elements),
            plaintexts: [keys.own.public().plaintexts(), keys.peer.plaintexts()],
            keys,
            own: Offers::new(Reuse::Cached, run.side.role),
            peers: Offers::new(Reuse::Cached, run.side.role.other()),
        })
    }

    fn root(&self, pair: Pair) -> &Root<u128> {
        &self.roots[pair.place(self.role) as usize]
    }

    /// Step 2, by Horner's rule.
    fn values(&mut self, pairs: &[Pair], rng: &mut dyn CryptoRng) -> Vec<Ciphertext> {
        let polynomials = self.peers.of(pairs);
        let (constants, mut values): (Vec<_>, Vec<_>) =
            polynomials.into_iter().map(|[constant, leading]| (constant, leading)).unzip();
        let numbers = |number: fn(&Root<u128>) -> u128| -> Zeroizing<Vec<Integer>> {
            let numbers = pairs.iter().map(|pair| Integer::from(number(self.root(*pair))));
            Zeroizing::new(numbers.collect())
        };
        let (key, [_, ring]) = (&self.keys.peer, &self.plaintexts);
        key.scale(&numbers(|root| root.scalar), ENTRY_BITS, &mut values);
        key.add(&mut values, &constants);
        let random = Zeroizing::new(pairs.iter().map(|_| ring.random(rng)).collect::<Vec<_>>());
        key.scale(&random, key.size().bits(), &mut values);
        key.add_plain(&mut values, &numbers(|root| root.name));
        key.rerandomise(&mut values, rng);
        values
    }
}

/// The values of a round's pairs, and what makes decoys of them.
pub(super) struct Prepared {
    values: Vec<Ciphertext>,
    tokens: Vec<Token>,
    offsets: Zeroizing<Vec<Integer>>,
}

impl Matching for Implicit {
    type Prepared = Prepared;

    fn offer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        let due = self.own.due(pairs);
        let [ring, _] = &self.plaintexts;
        let coefficients = |(place, _): &Subject| {
            let root = Integer::from(self.roots[*place as usize].scalar);
            [ring.neg(&ring.mul(&ring.element(1), &root)), ring.element(1)]
        };
        let coefficients = Zeroizing::new(due.iter().flat_map(coefficients).collect::<Vec<_>>());
        Keys::put(channel, self.keys.own.public(), &self.keys.own.encrypt(&coefficients, rng))?;
        self.own.add(due.into_iter().map(|subject| (subject, ())));
        Ok(())
    }

    fn take_offer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
    ) -> Result<(), ProtocolError> {
        let due = self.peers.due(pairs);
        let offers = Keys::take(channel, &self.keys.peer, COEFFICIENTS * due.len())?;
        let (polynomials, _) = offers.as_chunks();
        self.peers.add(due.into_iter().zip(polynomials.iter().cloned()));
        Ok(())
    }

    fn prepare(
        &mut self,
        pairs: &[Pair],
        rng: &mut dyn CryptoRng,
    ) -> Result<Prepared, ProtocolError> {
        let values = self.values(pairs, rng);
        let [_, ring] = &self.plaintexts;
        let offsets = Zeroizing::new(pairs.iter().map(|_| ring.random(rng)).collect::<Vec<_>>());
        let tokens = pairs.iter().map(|pair| token(self.root(*pair))).collect();
        Ok(Prepared { values, tokens, offsets })
    }

    fn show(
        &mut self,
        channel: &mut dyn Channel,
        mut prepared: Prepared,
        genuine: bool,
    ) -> Result<Vec<Token>, ProtocolError> {
        let nothing = vec![Integer::zero(); prepared.offsets.len()];
        let offsets = if genuine { &nothing } else { &*prepared.offsets };
        self.keys.peer.add_plain(&mut prepared.values, offsets);
        Keys::put(channel, &self.keys.peer, &prepared.values)?;
        Ok(prepared.tokens)
    }

    fn test(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
    ) -> Result<Vec<Option<Token>>, ProtocolError> {
        let values = Keys::take(channel, self.keys.own.public(), pairs.len())?;
        let plain = self.keys.own.decrypt(&values);
        let tested = pairs.iter().map(|pair| self.root(*pair)).zip(&*plain);
        let equal = |root: &Root<u128>, plain: &Integer| *plain == Integer::from(root.name);
        Ok(tested.map(|(root, plain)| equal(root, plain).then(|| token(root))).collect())
    }
}
