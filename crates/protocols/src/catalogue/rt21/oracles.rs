//! H₁ and H₂.

use rayon::prelude::*;
use veilset_crypto::Element;
use zeroize::Zeroizing;

use super::suite::{MORE, Residues};
use crate::kit::membership::VALUES_A_TASK;

/// The random oracles of one run: BLAKE3 keyed by the session, the key agreement and its first message, so that a message
/// of another run says nothing in this one. One context for each oracle.
pub(super) struct Oracles {
    points: [u8; 32],
    values: [u8; 32],
}

/// H₂ of an element and a key: 2κ = 256 bits, the low half first.
pub(super) type Value = [u128; 2];

impl Oracles {
    pub(super) fn new(name: &str, session: &[u8; 32], first: &[u8]) -> Self {
        let derive = |context| {
            let mut hasher = blake3::Hasher::new_derive_key(context);
            hasher.update(session).update(name.as_bytes()).update(first);
            *hasher.finalize().as_bytes()
        };
        Self {
            points: derive("veilset v1 compact intersection H1"),
            values: derive("veilset v1 compact intersection H2"),
        }
    }

    /// H₁ of each element.
    pub(super) fn points<F: Residues<LEN>, const LEN: usize>(
        &self,
        field: &F,
        elements: &[Element],
    ) -> Zeroizing<Vec<F::Element>> {
        let point = |element: &Element| {
            let mut wide = Zeroizing::new(vec![0; LEN + MORE]);
            let mut hasher = blake3::Hasher::new_keyed(&self.points);
            hasher.update(&element.0).finalize_xof().fill(&mut wide);
            field.reduced(&wide)
        };
        let points = elements.par_iter().with_min_len(VALUES_A_TASK).map(point);
        Zeroizing::new(points.collect())
    }

    /// H₂ of each element with its second message and key. The message is in, since several have the same key.
    pub(super) fn values<V: AsRef<[u8]> + Sync>(
        &self,
        elements: &[Element],
        messages: &[V],
        keys: &[V],
    ) -> Zeroizing<Vec<Value>> {
        let value = |(element, (message, key)): (&Element, (&V, &V))| {
            let mut hasher = blake3::Hasher::new_keyed(&self.values);
            hasher.update(&element.0).update(message.as_ref()).update(key.as_ref());
            let digest = hasher.finalize();
            let (halves, _) = digest.as_bytes().as_chunks();
            [halves[0], halves[1]].map(u128::from_le_bytes)
        };
        let agreed = messages.par_iter().zip(keys);
        let all = elements.par_iter().zip(agreed).with_min_len(VALUES_A_TASK);
        Zeroizing::new(all.map(value).collect())
    }
}
