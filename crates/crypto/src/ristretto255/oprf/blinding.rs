//! The client's side.

use curve25519_dalek::traits::IsIdentity;
use curve25519_dalek::{RistrettoPoint, Scalar};
use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    Encoded, MAX_BATCH, OprfError, Output, Proof, PublicKey, TO_GROUP, decode, encode, output,
    random_scalar,
};
use crate::NotAnElement;

/// What a client keeps while it waits for the answers. Wiped when dropped.
pub struct Blinding {
    blinds: Zeroizing<Vec<Scalar>>,
    blinded: Vec<Encoded>,
}

impl Blinding {
    /// Blinds the inputs, on the threads of the caller's rayon pool.
    ///
    /// # Errors
    /// With the first input that maps to the neutral element; nobody knows one.
    ///
    /// # Panics
    /// When there are more than [`MAX_BATCH`] inputs, or one is longer than 65,535 bytes.
    pub fn new<I: AsRef<[u8]> + Sync>(
        inputs: &[I],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, NotAnElement> {
        assert!(inputs.len() <= MAX_BATCH, "places are numbers of two bytes");
        let mut blinds = Zeroizing::new(Vec::with_capacity(inputs.len()));
        blinds.extend(inputs.iter().map(|_| *random_scalar(rng)));
        let blinded = inputs.par_iter().zip(blinds.par_iter()).enumerate();
        let blinded = blinded.map(|(index, (input, blind))| {
            let uniform = Zeroizing::new(TO_GROUP.expand::<64>(input.as_ref()));
            let point = Zeroizing::new(RistrettoPoint::from_uniform_bytes(&uniform));
            let product = *point * blind;
            if product.is_identity() { Err(NotAnElement { index }) } else { Ok(encode(&product)) }
        });
        let blinded = blinded.collect::<Vec<_>>().into_iter().collect::<Result<_, _>>()?;
        Ok(Self { blinds, blinded })
    }

    /// What the owner gets: one element for each input, in order.
    #[must_use]
    pub fn blinded(&self) -> &[Encoded] {
        &self.blinded
    }

    /// Checks the proof and takes the blinds off. `inputs` are those of [`Blinding::new`].
    ///
    /// # Errors
    /// When an answer is no group element, or the proof does not hold for the `public` key.
    ///
    /// # Panics
    /// When the inputs or the answers are more or fewer than what was blinded.
    pub fn finalize<I: AsRef<[u8]> + Sync>(
        self,
        inputs: &[I],
        public: &PublicKey,
        evaluated: &[Encoded],
        proof: &Proof,
    ) -> Result<Vec<Output>, OprfError> {
        let count = self.blinded.len();
        assert!(inputs.len() == count && evaluated.len() == count, "one answer for each input");
        let points = decode(evaluated)?;
        let blinded = decode(&self.blinded)?;
        if !proof.holds(public, (&self.blinded, &blinded), (evaluated, &points)) {
            return Err(OprfError::Proof);
        }
        let all = inputs.par_iter().zip(points.par_iter()).zip(self.blinds.par_iter());
        Ok(all
            .map(|((input, point), blind)| {
                let inverse = Zeroizing::new(blind.invert());
                let image = Zeroizing::new(encode(&(point * *inverse)));
                output(input.as_ref(), &image)
            })
            .collect())
    }
}
