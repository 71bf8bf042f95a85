//! Integers modulo a prime that is known at run time.

use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, RandomMod, Uint};
use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::Field;

/// Bases that are tried for a quadratic non-residue. Half of all residues are none, so a prime without one among the
/// smallest 256, of which 54 are prime, is met with probability about 2^-54, and none is known.
const BASES: u64 = 256;

/// Integers modulo a prime of at most 64·`LIMBS` bits: 4 limbs for 2^255 − 19, 16 and 32 for 1024 and 2048 bits. If the
/// prime is v·2^t + 1 with v odd, transforms have up to 2^t coefficients.
pub struct PrimeField<const LIMBS: usize> {
    parameters: FixedMontyParams<LIMBS>,
    /// t, and an element of order 2^t.
    log_order: u32,
    root: Residue<LIMBS>,
}

/// A residue in Montgomery form; [`PrimeField::residue`] and [`PrimeField::integer`] convert.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Residue<const LIMBS: usize>(Uint<LIMBS>);

/// Why a modulus makes no field to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModulusError {
    /// Not odd, or not greater than 3.
    #[error("a field's modulus is an odd prime greater than 3; this one is even or smaller")]
    EvenOrSmall,
    /// Not prime.
    #[error("a field's modulus is prime; this one fails a test of primality")]
    NotPrime,
}

impl<const LIMBS: usize> PrimeField<LIMBS> {
    /// The field of integers modulo `modulus`, which is public and which the caller knows to be prime: of composite
    /// ones only those are noticed that fail Euler's criterion for a few small bases.
    ///
    /// # Errors
    /// When the modulus cannot be prime, or is 2 or 3.
    pub fn new(modulus: &Uint<LIMBS>) -> Result<Self, ModulusError> {
        let odd = Odd::new(*modulus).into_option();
        let odd = odd.filter(|_| *modulus > Uint::from(3u8)).ok_or(ModulusError::EvenOrSmall)?;
        let parameters = FixedMontyParams::new_vartime(odd);
        let log_order = modulus.wrapping_sub(&Uint::ONE).trailing_zeros();
        let root = root(&parameters, log_order)?;
        Ok(Self { parameters, log_order, root })
    }

    /// The residue of an integer.
    #[must_use]
    pub fn residue(&self, integer: &Uint<LIMBS>) -> Residue<LIMBS> {
        Residue(FixedMontyForm::new(integer, &self.parameters).to_montgomery())
    }

    /// The least non-negative integer of a residue class.
    #[must_use]
    pub fn integer(&self, residue: &Residue<LIMBS>) -> Uint<LIMBS> {
        self.form(residue).retrieve()
    }

    /// The residue with the words that [`Residue::to_words`] gave; `None` if they are not below the modulus.
    #[must_use]
    pub fn from_words(&self, words: &[u64; LIMBS]) -> Option<Residue<LIMBS>> {
        let form = Uint::from_words(*words);
        (form < *self.modulus()).then_some(Residue(form))
    }

    /// The inverse of the factor that words of residues have, see [`Residue::to_words`].
    #[must_use]
    pub fn inverse_of_factor(&self) -> Uint<LIMBS> {
        FixedMontyForm::from_montgomery(Uint::ONE, &self.parameters).retrieve()
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> &Uint<LIMBS> {
        self.parameters.modulus()
    }

    /// A uniform residue, by rejection; how often tells nothing about it.
    pub fn random(&self, rng: &mut dyn CryptoRng) -> Residue<LIMBS> {
        let modulus = self.parameters.modulus().as_nz_ref();
        self.residue(&Zeroizing::new(Uint::random_mod_vartime(rng, modulus)))
    }

    fn form(&self, residue: &Residue<LIMBS>) -> FixedMontyForm<LIMBS> {
        FixedMontyForm::from_montgomery(residue.0, &self.parameters)
    }

    /// 0.
    #[must_use]
    pub fn zero(&self) -> Residue<LIMBS> {
        Residue(Uint::ZERO)
    }

    /// 1.
    #[must_use]
    pub fn one(&self) -> Residue<LIMBS> {
        Residue(*self.parameters.one())
    }

    /// The residue of a small integer.
    #[must_use]
    pub fn element(&self, value: u64) -> Residue<LIMBS> {
        self.residue(&Uint::from(value))
    }

    /// a + b.
    #[must_use]
    pub fn add(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Residue(a.0.add_mod(&b.0, self.parameters.modulus().as_nz_ref()))
    }

    /// a − b.
    #[must_use]
    pub fn sub(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Residue(a.0.sub_mod(&b.0, self.parameters.modulus().as_nz_ref()))
    }

    /// a·b.
    #[must_use]
    pub fn mul(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Residue(self.form(a).mul(&self.form(b)).to_montgomery())
    }

    /// −a.
    #[must_use]
    pub fn neg(&self, a: &Residue<LIMBS>) -> Residue<LIMBS> {
        Residue(a.0.neg_mod(self.parameters.modulus().as_nz_ref()))
    }

    /// 1/a, or `None` for 0. Takes a time that tells only which of both.
    #[must_use]
    pub fn inverse(&self, a: &Residue<LIMBS>) -> Option<Residue<LIMBS>> {
        self.form(a).invert().into_option().map(|inverse| Residue(inverse.to_montgomery()))
    }

    /// An element of order exactly 2^`log_size`, always the same one, or `None` if there is none.
    #[must_use]
    pub fn root_of_unity(&self, log_size: u32) -> Option<Residue<LIMBS>> {
        let squarings = self.log_order.checked_sub(log_size)?;
        Some((0..squarings).fold(self.root, |root, _| self.mul(&root, &root)))
    }
}

impl<const LIMBS: usize> Field for PrimeField<LIMBS> {
    type Element = Residue<LIMBS>;

    fn zero(&self) -> Residue<LIMBS> {
        Self::zero(self)
    }

    fn one(&self) -> Residue<LIMBS> {
        Self::one(self)
    }

    fn element(&self, value: u64) -> Residue<LIMBS> {
        Self::element(self, value)
    }

    fn add(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::add(self, a, b)
    }

    fn sub(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::sub(self, a, b)
    }

    fn mul(&self, a: &Residue<LIMBS>, b: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::mul(self, a, b)
    }

    fn neg(&self, a: &Residue<LIMBS>) -> Residue<LIMBS> {
        Self::neg(self, a)
    }

    fn inverse(&self, a: &Residue<LIMBS>) -> Option<Residue<LIMBS>> {
        Self::inverse(self, a)
    }

    fn root_of_unity(&self, log_size: u32) -> Option<Residue<LIMBS>> {
        Self::root_of_unity(self, log_size)
    }
}

impl<const LIMBS: usize> Zeroize for Residue<LIMBS> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl<const LIMBS: usize> Residue<LIMBS> {
    /// The words of the residue's Montgomery form, least first: of the integer times 2^(64·`LIMBS`), below the modulus.
    #[must_use]
    pub fn to_words(&self) -> [u64; LIMBS] {
        self.0.to_words()
    }
}

/// An element of order 2^t where the modulus q is v·2^t + 1: for a base b that is no square, b^((q−1)/2) = −1, and so
/// b^v has that order.
fn root<const LIMBS: usize>(
    parameters: &FixedMontyParams<LIMBS>,
    log_order: u32,
) -> Result<Residue<LIMBS>, ModulusError> {
    let one = FixedMontyForm::one(parameters);
    let even = parameters.modulus().as_ref().wrapping_sub(&Uint::ONE);
    for base in 2..BASES {
        let base = FixedMontyForm::new(&Uint::from(base), parameters);
        let symbol = base.pow_vartime(&even.shr_vartime(1));
        if symbol == one.neg() {
            return Ok(Residue(base.pow_vartime(&even.shr_vartime(log_order)).to_montgomery()));
        }
        if symbol != one && base.retrieve() != Uint::ZERO {
            return Err(ModulusError::NotPrime);
        }
    }
    Err(ModulusError::NotPrime)
}
