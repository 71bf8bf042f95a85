//! Private matching under Paillier's encryption: `3pr-paillier` and `3pr-paillier-uncached`, the paper's
//! 3PR^C-FNP-explicit, cached and not.
//!
//! Before the rounds both sides exchange public keys, each with the proof that it is well formed. For a pair (a, b) of an entry
//! of the side that tests and one of the side that shows:
//!
//! 1. The tester offers E(a) under its key: once an entry, ahead of the first round that needs it, or afresh for each pair.
//! 2. The shower returns E(r·(a − b) + name(b)) for a fresh r: the polynomial x − a at b, which Freedman, Nissim and Pinkas
//!    evaluate obliviously, with the payload that the paper has too.
//! 3. The tester decrypts, and has an equal pair where it finds name(a).
//!
//! Entries, r and names are numbers modulo a small prime p, and values lie side by side in a plaintext, each with a random multiple
//! of p ([`packing`](crate::kit::paillier::packing)): for `fnp`, of which this is the case of degree 1. So r costs 60 products instead of 2,500, and
//! the shower's fresh randomness and the tester's decryption serve ten pairs at once. With unequal entries the value is uniform but for
//! name(b); roots that are equal modulo p, or a value that is name(a) by chance, happen with probability 2/p a pair,
//! 2^-41 in a run.
//!
//! **Security.** Semi-honest, under decisional composite residuosity, factoring (short exponents) and a random oracle. The shower sees
//! encryptions, semantically secure however often one is used. The tester sees plaintexts that can be drawn from which pairs of the round
//! are equal, within 2^-40 for all rounds, in ciphertexts with fresh randomness of full length. A tester that offers
//! encryptions of longer numbers overruns the masks and reads roots of the entries that it is shown: keyed digests, against which
//! it can test guesses.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::Channel;
use veilset_crypto::PrimeField;
use veilset_crypto::paillier::{Ciphertext, Integer, KeySize};
use veilset_structures::match_bits;
use zeroize::Zeroizing;

use super::keys::{Keys, Offers, Reuse, Subject};
use super::matching::{Matching, Token};
use super::scheme::Pair;
use crate::kit::bins::{Root, roots};
use crate::kit::paillier::packing::{Slots, number, residue, scalar};
use crate::{ProtocolError, Role, Run};

/// Bits of p beyond those that make one false match in 2^40 runs: there are two kinds, and one bit is spare.
const SPARE_BITS: u32 = 2;

/// How values of lists of these lengths lie in plaintexts; of a run that must fail less often by `slack` bits.
pub(super) fn slots(key: KeySize, own: usize, peer: usize, slack: u32) -> Slots {
    // x − a has one coefficient that is not 1.
    Slots::new(key, match_bits(own, peer) + SPARE_BITS + slack, 1, own * peer)
}

/// One side of the comparator.
pub(super) struct Paillier {
    role: Role,
    roots: Zeroizing<Vec<Root<u128>>>,
    keys: Keys,
    slots: Slots,
    field: PrimeField<2>,
    /// What one has offered, and what the peer has.
    own: Offers<()>,
    peers: Offers<Ciphertext>,
}

impl Paillier {
    /// Exchanges the keys.
    pub(super) fn new(
        run: &mut Run<'_>,
        size: KeySize,
        reuse: Reuse,
    ) -> Result<Self, ProtocolError> {
        let slots = slots(size, run.input.elements.len(), run.input.peer_count, run.input.slack);
        Ok(Self {
            role: run.side.role,
            roots: roots(scalar, run.means.session, &run.input.elements),
            keys: Keys::exchange(run, size)?,
            slots,
            field: slots.field(),
            own: Offers::new(reuse, run.side.role),
            peers: Offers::new(reuse, run.side.role.other()),
        })
    }

    fn root(&self, pair: Pair) -> &Root<u128> {
        &self.roots[pair.place(self.role) as usize]
    }

    /// What is added to r·a for an entry b: −r·b and a name modulo p, and a random multiple of p.
    fn rest(&self, root: &Root<u128>, r: u128, times: &Integer) -> Zeroizing<Integer> {
        let field = &self.field;
        let product = field.mul(&residue(field, r), &residue(field, root.scalar));
        let rest = field.sub(&residue(field, root.name), &product);
        self.slots.masked(times, &[number(field, &rest)])
    }

    /// Encryptions of r·(a − b) + name(b) for each pair, for a fresh r each.
    fn values(&mut self, pairs: &[Pair], rng: &mut dyn CryptoRng) -> Vec<Ciphertext> {
        let mut values = self.peers.of(pairs);
        let random: Zeroizing<Vec<_>> =
            Zeroizing::new(pairs.iter().map(|_| self.slots.unit(rng)).collect());
        let times: Vec<_> = pairs.iter().map(|_| self.slots.times(rng)).collect();
        let scalars: Zeroizing<Vec<Integer>> =
            Zeroizing::new(random.iter().map(|r| Integer::from(*r)).collect());
        self.keys.peer.scale(&scalars, self.slots.bits, &mut values);
        let masks = random.par_iter().zip(&times);
        let rest = pairs.par_iter().zip(masks);
        let rest = rest.map(|(pair, (r, times))| self.rest(self.root(*pair), *r, times));
        let rest: Vec<_> = rest.collect();
        let mut packed = self.slots.pack(&self.keys.peer, &values);
        self.keys.peer.add_plain(&mut packed, &self.slots.pack_plain(&rest));
        self.keys.peer.rerandomise(&mut packed, rng);
        packed
    }
}

/// The values of a round's pairs, and what makes decoys of them.
pub(super) struct Prepared {
    values: Vec<Ciphertext>,
    tokens: Vec<Token>,
    offsets: Zeroizing<Vec<Integer>>,
}

impl Matching for Paillier {
    type Prepared = Prepared;

    fn offer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        let due = self.own.due(pairs);
        let entry = |(place, _): &Subject| {
            let root = residue(&self.field, self.roots[*place as usize].scalar);
            Integer::from(number(&self.field, &root))
        };
        let entries = Zeroizing::new(due.iter().map(entry).collect::<Vec<_>>());
        Keys::put(channel, self.keys.own.public(), &self.keys.own.encrypt(&entries, rng))?;
        self.own.add(due.into_iter().map(|subject| (subject, ())));
        Ok(())
    }

    fn take_offer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
    ) -> Result<(), ProtocolError> {
        let due = self.peers.due(pairs);
        let offers = Keys::take(channel, &self.keys.peer, due.len())?;
        self.peers.add(due.into_iter().zip(offers));
        Ok(())
    }

    fn prepare(
        &mut self,
        pairs: &[Pair],
        rng: &mut dyn CryptoRng,
    ) -> Result<Prepared, ProtocolError> {
        let values = self.values(pairs, rng);
        let offsets = pairs.iter().map(|_| Zeroizing::new(Integer::from(self.slots.unit(rng))));
        let offsets = self.slots.pack_plain(&offsets.collect::<Vec<_>>());
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
        let count = pairs.len().div_ceil(self.slots.count);
        let packed = Keys::take(channel, self.keys.own.public(), count)?;
        let names = self.slots.opened(&self.keys.own, &packed, pairs.len());
        let tested = pairs.iter().map(|pair| self.root(*pair)).zip(&*names);
        let equal = |root: &Root<u128>, name| root.name % self.slots.prime() == name;
        Ok(tested.map(|(root, name)| equal(root, *name).then(|| token(root))).collect())
    }
}

/// An entry's name, of which the value of a pair shows the residue, and that only where the other side has it.
pub(super) fn token(root: &Root<u128>) -> Token {
    root.name.to_le_bytes()
}
