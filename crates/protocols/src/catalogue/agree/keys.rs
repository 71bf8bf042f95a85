//! What comparators on Paillier's encryption share: both sides' keys, and who has been offered what.

use std::collections::HashMap;

use veilset_channel::Channel;
use veilset_crypto::paillier::{Ciphertext, KeySize, PublicKey, SecretKey};

use super::scheme::Pair;
use crate::kit::paillier::{ciphertext_chunks, put_frame, put_key, take_frame, take_key};
use crate::{ProtocolError, Role, Run};

/// One's own key, for what one tests, and the peer's, for what one shows.
pub(super) struct Keys {
    pub(super) own: SecretKey,
    pub(super) peer: PublicKey,
}

impl Keys {
    /// Draws a key, sends it with the proof that it is well formed, and takes the peer's, whose proof is tested.
    pub(super) fn exchange(run: &mut Run<'_>, size: KeySize) -> Result<Self, ProtocolError> {
        run.means.channel.phase("key generation");
        let own = SecretKey::generate(size, run.means.rng);
        run.means.channel.phase("keys");
        put_key(run.means.channel, &own, &context(run.means.session, run.side.role))?;
        let peer =
            take_key(run.means.channel, size, &context(run.means.session, run.side.role.other()))?;
        Ok(Self { own, peer })
    }

    /// Sends ciphertexts under the peer's key, or one's own.
    pub(super) fn put(
        channel: &mut dyn Channel,
        key: &PublicKey,
        ciphertexts: &[Ciphertext],
    ) -> Result<(), ProtocolError> {
        let mut chunks = ciphertext_chunks(key.size(), ciphertexts.len()).ranges();
        chunks.try_for_each(|range| put_frame(channel, key, &ciphertexts[range]))
    }

    /// Takes `count` ciphertexts under that key.
    pub(super) fn take(
        channel: &mut dyn Channel,
        key: &PublicKey,
        count: usize,
    ) -> Result<Vec<Ciphertext>, ProtocolError> {
        let mut ciphertexts = Vec::new();
        for range in ciphertext_chunks(key.size(), count).ranges() {
            ciphertexts.extend(take_frame(channel, key, range.len())?);
        }
        Ok(ciphertexts)
    }
}

/// What a side's proof is bound to, so that its key cannot come back to it as the peer's.
fn context(session: &[u8; 32], role: Role) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 key of a side in an agreement");
    *hasher.update(session).update(&[role as u8]).finalize().as_bytes()
}

/// How often an entry is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Once, before the first round that compares it: the paper's cached variant.
    Cached,
    /// Afresh for each comparison: the paper's variant without a cache.
    Fresh,
}

/// What an encryption stands for: an entry's place, and that of the other side's entry unless it serves all.
pub(super) type Subject = (u32, Option<u32>);

/// The encryptions that one of the sides, which tests, has offered to the other.
pub(super) struct Offers<T> {
    reuse: Reuse,
    tester: Role,
    made: HashMap<Subject, T>,
}

impl<T: Clone> Offers<T> {
    pub(super) fn new(reuse: Reuse, tester: Role) -> Self {
        Self { reuse, tester, made: HashMap::new() }
    }

    fn subject(&self, pair: Pair) -> Subject {
        let other = (self.reuse == Reuse::Fresh).then(|| pair.place(self.tester.other()));
        (pair.place(self.tester), other)
    }

    /// What is to be offered before these pairs can be shown, in an order that both sides know.
    pub(super) fn due(&self, pairs: &[Pair]) -> Vec<Subject> {
        let mut due: Vec<Subject> = pairs.iter().map(|pair| self.subject(*pair)).collect();
        due.sort_unstable();
        due.dedup();
        due.retain(|subject| !self.made.contains_key(subject));
        due
    }

    pub(super) fn add(&mut self, offers: impl IntoIterator<Item = (Subject, T)>) {
        self.made.extend(offers);
    }

    /// What was offered of these pairs. What serves one comparison alone is not kept.
    ///
    /// # Panics
    /// When something was not.
    pub(super) fn of(&mut self, pairs: &[Pair]) -> Vec<T> {
        let offer = |pair: &Pair| {
            let subject = self.subject(*pair);
            let offer = match self.reuse {
                Reuse::Cached => self.made.get(&subject).cloned(),
                Reuse::Fresh => self.made.remove(&subject),
            };
            offer.expect("offers come before what is shown")
        };
        pairs.iter().map(offer).collect()
    }
}
