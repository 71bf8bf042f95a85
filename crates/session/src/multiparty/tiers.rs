//! Key after key among several parties: how many values each has left under the next.
//!
//! Each tier is an intersection of its own over the values of rows that matched by no key before, in a session of its own. All learn
//! each result, so all know of their own rows what drops out. A tier withstands what the protocol withstands: parties that pool what
//! they see have, of each tier, its result and the numbers of values that are left, and nothing else. As between two, a party that
//! changes its program can keep rows in that have matched.

use veilset_channel::Blob;
use veilset_crypto::Element;
use veilset_data::Linkage;
use veilset_protocols::{AttachedShape, Found, MultipartyConclusion, Observer};

use super::*;
use crate::tiers::{STEP, TierRoll, TierSize, session_of};

impl AgreedMultiparty {
    /// Key after key; what matches is known after each.
    pub(super) fn drive_tiers(
        &mut self,
        elements: &[Element],
        linkage: &Linkage,
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<MultipartyConclusion, SessionError> {
        let mut found = Found::of(AttachedShape::Nothing);
        for tier in 0..self.tiers.len() {
            let left = linkage.left(tier, found.matched());
            let sizes = self.swap_sizes(tier, left.len())?;
            if sizes.contains(&0) {
                continue;
            }
            let own = left.iter().map(|number| elements[*number as usize]);
            let own = Zeroizing::new(own.collect::<Vec<_>>());
            let number = u32::try_from(tier).unwrap_or(u32::MAX);
            let scope = Scope { session: session_of(&self.session, number), sizes: &sizes };
            let conclusion = self.drive(own, scope, observer, rng)?;
            let outcome = conclusion().map_err(|error| self.peers.of_run(self.place, error))?;
            found.add(&outcome, &left);
        }
        Ok(Box::new(|| Ok(found.outcome())))
    }

    /// Tells all how many values this party has left under a key, and hears how many each has, in the order of all parties: not more
    /// than in its terms. All tell one another what they heard, so that nobody tells different parties different numbers.
    fn swap_sizes(&mut self, tier: usize, own: usize) -> Result<Vec<usize>, SessionError> {
        self.peers.phase(STEP);
        self.peers.tell(STEP, |_| TierSize(own as u64))?;
        let most: Vec<u64> = self.tiers[tier].iter().map(|size| *size as u64).collect();
        let mut sizes =
            self.peers.take_each::<TierSize>(STEP, |at| most[place_of(at, self.place)])?;
        sizes.insert(self.place, TierSize(own as u64));
        let roll = roll(&sizes);
        self.peers.tell(STEP, |_| -> TierRoll { Blob(roll.to_vec()) })?;
        let rolls = self.peers.take_each::<TierRoll>(STEP, |_| roll.len())?;
        for (peer, Blob(theirs)) in self.peers.0.iter().zip(rolls) {
            if theirs != roll {
                let why =
                    "it heard other numbers of values than this side, so somebody told them two"
                        .to_owned();
                return Err(SessionError::Deviation { step: STEP, why }.with(peer.name.clone()));
            }
        }
        // The terms were checked for what this machine can index.
        Ok(sizes.iter().map(|size| usize::try_from(size.0).unwrap_or(usize::MAX)).collect())
    }
}

/// A digest of everybody's number.
fn roll(sizes: &[TierSize]) -> [u8; 32] {
    let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.0.to_le_bytes()).collect();
    blake3::derive_key("veilset v1 sizes of a tier", &sizes)
}
