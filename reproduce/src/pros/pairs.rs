//! 3PR-FNP-explicit as sections 3.4 and 4.6.2 have it, **insecure**: keys that are made before, an encryption with r^N, factors of full
//! length, a ciphertext and a round trip for each pair, and both parties over TCP. With a cache it takes the steps of
//! 3PR-FNP-implicit, which the text tells from it by the class of its polynomials alone.

use std::collections::{HashMap, HashSet};
use std::thread;

use chacha20::ChaCha20Rng;
use crypto_bigint::BoxedUint;
use rand_core::SeedableRng;
use veilset_bench::BenchError;
use veilset_protocols::Scheme;
use veilset_protocols::agree::Reuse;

use super::lists::Lists;
use super::paillier::{Ciphertext, PublicKey, SecretKey};
use super::runs::{Ran, timed};
use super::wire::Wire;
use crate::Failure;

/// A party's keys of `bits` bits, and the other's.
pub(super) fn keys(bits: u32) -> [SecretKey; 2] {
    [14, 15].map(|seed| SecretKey::generate(bits, &mut ChaCha20Rng::from_seed([seed; 32])))
}

/// Both variants, not cached and cached.
pub(super) fn both(
    keys: &[SecretKey; 2],
    scheme: Scheme,
    lists: &Lists,
) -> [Result<Ran, Failure>; 2] {
    [Reuse::Fresh, Reuse::Cached].map(|reuse| run(keys, reuse, scheme, lists))
}

/// Runs both parties, and looks whether they stop at the pair that the scheme prefers.
pub(super) fn run(
    keys: &[SecretKey; 2],
    reuse: Reuse,
    scheme: Scheme,
    lists: &Lists,
) -> Result<Ran, Failure> {
    let [left, right] = Wire::pair()?;
    let party = |side: usize, wire| {
        let (own, peer, list) = (&keys[side], keys[1 - side].public(), lists.numbers(side));
        let rng = ChaCha20Rng::from_seed([side as u8; 32]);
        let (sent, taken) = (HashSet::new(), HashMap::new());
        Party { side, own, peer, list, reuse, wire, rng, sent, taken }
    };
    let (ran, compared) = timed(|| {
        thread::scope(|scope| {
            let other = scope.spawn(|| party(1, right).run(scheme));
            let here = party(0, left).run(scheme)?;
            Ok([here, other.join().map_err(|_| BenchError::Threads)??])
        })
    })?;
    let expected = lists.comparisons(scheme);
    match compared.into_iter().find(|found| *found != expected) {
        Some(found) => Err(BenchError::WrongResult { protocol: "3PR", found, expected }.into()),
        None => Ok(ran),
    }
}

/// The encrypted coefficients of x − a, the constant one first.
type Polynomial = [Ciphertext; 2];

/// One side of a run.
struct Party<'a> {
    side: usize,
    own: &'a SecretKey,
    peer: &'a PublicKey,
    list: &'a [u32],
    reuse: Reuse,
    wire: Wire,
    rng: ChaCha20Rng,
    /// The places of one's own entries that the other has.
    sent: HashSet<u32>,
    /// The polynomials of the other's, by their places.
    taken: HashMap<u32, Polynomial>,
}

impl Party<'_> {
    /// Compares pair by pair, and returns how many there were up to the match. The sides take turns by rounds.
    fn run(mut self, scheme: Scheme) -> Result<u64, Failure> {
        let sizes = [self.list.len() as u32; 2];
        let mut compared = 0;
        for (round, pairs) in scheme.rounds(sizes).enumerate() {
            for places in pairs {
                compared += 1;
                let (own, others) = (places[self.side], places[1 - self.side]);
                let equal = match round % 2 == self.side {
                    true => self.ask(own)?,
                    false => self.answer(own, others)?,
                };
                if equal {
                    return Ok(compared);
                }
            }
        }
        Ok(compared)
    }

    fn number(&self, place: u32) -> BoxedUint {
        BoxedUint::from(self.list[place as usize])
    }

    /// Sends the polynomial of an entry, unless it is cached, and tells the other whether what comes back is the entry.
    fn ask(&mut self, own: u32) -> Result<bool, Failure> {
        let (entry, public) = (self.number(own), self.own.public());
        if self.reuse == Reuse::Fresh || self.sent.insert(own) {
            let polynomial = [
                public.encrypt_negative(&entry, &mut self.rng),
                public.encrypt(&BoxedUint::one(), &mut self.rng),
            ];
            self.wire.send(&polynomial.map(|coefficient| public.encode(&coefficient)).concat())?;
        }
        let value = self.own.decrypt(&public.decode(&self.wire.receive()?));
        let equal = value == entry;
        self.wire.send(&[u8::from(equal)])?;
        Ok(equal)
    }

    /// Evaluates the other's polynomial p at one's own entry b, E(r·p(b) + b), and hears whether it was equal.
    fn answer(&mut self, own: u32, others: u32) -> Result<bool, Failure> {
        if self.reuse == Reuse::Fresh || !self.taken.contains_key(&others) {
            let message = self.wire.receive()?;
            let (constant, leading) = message.split_at(message.len() / 2);
            self.taken.insert(others, [constant, leading].map(|bytes| self.peer.decode(bytes)));
        }
        let [constant, leading] = &self.taken[&others];
        let (entry, peer) = (self.number(own), self.peer);
        let value = peer.add(&peer.scale(leading, &entry), constant);
        let value = peer.scale(&value, &peer.random(&mut self.rng));
        let value = peer.add(&value, &peer.encrypt(&entry, &mut self.rng));
        self.wire.send(&peer.encode(&value))?;
        Ok(self.wire.receive()? == [1])
    }
}
