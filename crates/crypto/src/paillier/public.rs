//! What everybody can do.

use crypto_bigint::{BoxedUint, ConcatenatingMul, ConcatenatingSquare, Odd, RandomBits, Resize};
use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_simd::Kernel;
use veilset_simd::bignum::single::{Montgomery, Residue};
use zeroize::{Zeroize, Zeroizing};

use super::power::{FixedBase, Tables, power, square_often};
use super::{Integer, KeySize, Plaintexts};
use crate::NotAnElement;

/// The public key N, with what makes its operations fast: some 9 MB of tables for 2048 bits.
pub struct PublicKey {
    pub(super) size: KeySize,
    pub(super) n: Odd<BoxedUint>,
    /// Modulo N².
    pub(super) modulus: Montgomery,
    /// Whose powers are the randomness.
    pub(super) h: Residue,
    base: FixedBase,
}

/// An encryption under a key that its holder knows.
#[derive(Clone)]
pub struct Ciphertext(pub(super) Residue);

impl Zeroize for Ciphertext {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Powers of some ciphertexts, for many sums of products with the same ones.
pub struct CiphertextPowers(Tables);

/// Bits by which the exponents of [`PublicKey::rerandomise`] are longer than N.
const STATISTICAL: u32 = 64;

/// Ciphertexts that share an inversion.
const INVERTED: usize = 64;

impl PublicKey {
    /// The key N, odd and of the size's length.
    pub(super) fn new(size: KeySize, n: Odd<BoxedUint>) -> Self {
        let modulus = Montgomery::new(Kernel::best(), n.concatenating_square().as_words());
        let mut digest = vec![0; size.bits() as usize / 8 + 16];
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 randomness of Paillier");
        hasher.update(&n.to_be_bytes()).finalize_xof().fill(&mut digest);
        let y = modulus.residue(BoxedUint::from_le_slice_vartime(&digest).as_words());
        let power = power(&modulus, &modulus.multiply(&y, &y), n.as_words(), size.bits());
        let power = BoxedUint::from_words(modulus.integer(&power));
        // (−1)^N = −1, for N is odd.
        let h = modulus.residue(n.concatenating_square().wrapping_sub(&power).as_words());
        let base = FixedBase::new(&modulus, &h, size.bits() + STATISTICAL);
        Self { size, n, modulus, h, base }
    }

    /// Bits of N.
    #[must_use]
    pub fn size(&self) -> KeySize {
        self.size
    }

    /// N.
    #[must_use]
    pub fn n(&self) -> &Integer {
        &self.n
    }

    /// The ring of plaintexts.
    #[must_use]
    pub fn plaintexts(&self) -> Plaintexts {
        Plaintexts::new(self.n.clone())
    }

    /// A fresh encryption of each of `plain`, numbers below N.
    pub fn encrypt(&self, plain: &[Integer], rng: &mut dyn CryptoRng) -> Vec<Ciphertext> {
        let bits = self.size.bits() / 2;
        let exponents = self.exponents(plain.len(), bits, rng);
        let encrypt = |(plain, exponent): (&Integer, &BoxedUint)| {
            let randomness = self.base.power(&self.modulus, exponent.as_words(), bits);
            self.encryption(plain, &randomness)
        };
        plain.par_iter().zip(&*exponents).map(encrypt).collect()
    }

    pub(super) fn exponents(
        &self,
        count: usize,
        bits: u32,
        rng: &mut dyn CryptoRng,
    ) -> Zeroizing<Vec<BoxedUint>> {
        Zeroizing::new((0..count).map(|_| BoxedUint::random_bits(rng, bits)).collect())
    }

    /// (1 + m·N)·`randomness`.
    pub(super) fn encryption(&self, plain: &Integer, randomness: &Residue) -> Ciphertext {
        Ciphertext(self.modulus.multiply(&self.power_of_generator(plain), randomness))
    }

    /// (1 + N)^m = 1 + m·N.
    fn power_of_generator(&self, plain: &Integer) -> Zeroizing<Residue> {
        let plain = Zeroizing::new(plain.resize(self.size.bits()));
        let mut power = Zeroizing::new(plain.concatenating_mul(self.n.as_ref()));
        power.wrapping_add_assign(BoxedUint::one());
        Zeroizing::new(self.modulus.residue(power.as_words()))
    }

    /// The encryption of 0 with randomness 1, which anybody recognises.
    #[must_use]
    pub fn zero(&self) -> Ciphertext {
        Ciphertext(self.modulus.one().clone())
    }

    /// Adds `other[i]` to `into[i]`.
    pub fn add(&self, into: &mut [Ciphertext], other: &[Ciphertext]) {
        assert_eq!(into.len(), other.len(), "each summand has its other");
        into.par_iter_mut().zip(other).with_min_len(INVERTED).for_each(|(into, other)| {
            into.0 = self.modulus.multiply(&into.0, &other.0);
        });
    }

    /// Adds the numbers `plain[i]` below N to `into[i]`.
    pub fn add_plain(&self, into: &mut [Ciphertext], plain: &[Integer]) {
        assert_eq!(into.len(), plain.len(), "each summand has its other");
        into.par_iter_mut().zip(plain).for_each(|(into, plain)| {
            into.0 = self.modulus.multiply(&into.0, &self.power_of_generator(plain));
        });
    }

    /// Multiplies each plaintext by −1.
    ///
    /// # Panics
    /// When there is one that has a common divisor with N, which [`decode`](Self::decode) refuses.
    pub fn negate(&self, ciphertexts: &mut [Ciphertext]) {
        ciphertexts.par_chunks_mut(INVERTED).for_each(|ciphertexts| self.invert(ciphertexts));
    }

    /// One inversion for all (Montgomery's trick).
    fn invert(&self, ciphertexts: &mut [Ciphertext]) {
        let mut product = self.modulus.one().clone();
        let mut before = Vec::with_capacity(ciphertexts.len());
        for ciphertext in &*ciphertexts {
            let next = self.modulus.multiply(&product, &ciphertext.0);
            before.push(std::mem::replace(&mut product, next));
        }
        let integer = BoxedUint::from_words(self.modulus.integer(&product));
        let square = Odd::new(self.n.concatenating_square()).expect("the square of an odd number");
        let inverse = integer.invert_odd_mod(&square).expect("a product of units");
        let mut inverse = self.modulus.residue(inverse.as_words());
        for (ciphertext, before) in ciphertexts.iter_mut().zip(before).rev() {
            let next = self.modulus.multiply(&inverse, &ciphertext.0);
            ciphertext.0 = self.modulus.multiply(&inverse, &before);
            inverse = next;
        }
    }

    /// Multiplies the plaintexts by `scalars[i]`, of which `bits` bits count.
    pub fn scale(&self, scalars: &[Integer], bits: u32, ciphertexts: &mut [Ciphertext]) {
        assert_eq!(scalars.len(), ciphertexts.len(), "each ciphertext has its scalar");
        ciphertexts.par_iter_mut().zip(scalars).for_each(|(ciphertext, scalar)| {
            ciphertext.0 = power(&self.modulus, &ciphertext.0, scalar.as_words(), bits);
        });
    }

    /// Adds fresh encryptions of 0. If the ciphertexts were made from what [`encrypt`](Self::encrypt) makes, who has the key
    /// learns nothing but the plaintexts, within 2^-64 each.
    pub fn rerandomise(&self, ciphertexts: &mut [Ciphertext], rng: &mut dyn CryptoRng) {
        let bits = self.size.bits() + STATISTICAL;
        let exponents = self.exponents(ciphertexts.len(), bits, rng);
        ciphertexts.par_iter_mut().zip(&*exponents).for_each(|(ciphertext, exponent)| {
            let randomness = self.base.power(&self.modulus, exponent.as_words(), bits);
            ciphertext.0 = self.modulus.multiply(&ciphertext.0, &randomness);
        });
    }

    /// Tables for [`sums_of_products`](Self::sums_of_products) with scalars taken by digits of `window` bits: 2^`window`
    /// residues for each ciphertext.
    #[must_use]
    pub fn powers(&self, ciphertexts: &[Ciphertext], window: u32) -> CiphertextPowers {
        let bases: Vec<_> = ciphertexts.iter().map(|ciphertext| &ciphertext.0).collect();
        CiphertextPowers(Tables::new(&self.modulus, &bases, window))
    }

    /// For each of `scalars` Σ `scalars[i]`·m_i, where m_i are the plaintexts of the powers, for scalars of at most `bits` bits.
    /// It works in one thread; some ten at once make the best of a processor's cache.
    ///
    /// # Panics
    /// When there are not as many scalars as powers.
    #[must_use]
    pub fn sums_of_products(
        &self,
        powers: &CiphertextPowers,
        scalars: &[&[u128]],
        bits: u32,
    ) -> Vec<Ciphertext> {
        powers.0.products(&self.modulus, scalars, bits).into_iter().map(Ciphertext).collect()
    }

    /// Σ 2^(`width`·i)·m_i: several plaintexts of at most `width` bits side by side in one.
    #[must_use]
    pub fn pack(&self, ciphertexts: &[Ciphertext], width: u32) -> Ciphertext {
        let mut ciphertexts = ciphertexts.iter().rev();
        let Some(highest) = ciphertexts.next() else { return self.zero() };
        Ciphertext(ciphertexts.fold(highest.0.clone(), |packed, ciphertext| {
            let shifted = square_often(&self.modulus, packed, width);
            self.modulus.multiply(&shifted, &ciphertext.0)
        }))
    }

    /// Appends the encodings, [`KeySize::ciphertext_len`] bytes each: numbers below N², the highest byte first.
    pub fn encode(&self, ciphertexts: &[Ciphertext], out: &mut Vec<u8>) {
        let bytes = |ciphertext: &Ciphertext| {
            BoxedUint::from_words(self.modulus.integer(&ciphertext.0)).to_be_bytes()
        };
        let encodings: Vec<_> = ciphertexts.par_iter().map(bytes).collect();
        encodings.iter().for_each(|bytes| out.extend_from_slice(bytes));
    }

    /// The ciphertexts that `encoded` has one after the other.
    ///
    /// That they have no common divisor with N costs one multiplication each and one inversion for all.
    ///
    /// # Errors
    /// With the first that is not below N², or has a common divisor with N.
    ///
    /// # Panics
    /// When there are not whole encodings.
    pub fn decode(&self, encoded: &[u8]) -> Result<Vec<Ciphertext>, NotAnElement> {
        let encodings = encoded.chunks_exact(self.size.ciphertext_len());
        assert!(encodings.remainder().is_empty(), "whole encodings");
        let square = self.n.concatenating_square();
        let decode = |(index, bytes): (usize, &[u8])| {
            let integer = BoxedUint::from_be_slice_vartime(bytes);
            match integer < square {
                true => Ok(Ciphertext(self.modulus.residue(integer.as_words()))),
                false => Err(NotAnElement { index }),
            }
        };
        let encodings: Vec<_> = encodings.enumerate().collect();
        let ciphertexts: Vec<_> =
            encodings.into_par_iter().map(decode).collect::<Result<_, _>>()?;
        if !self.are_units(&ciphertexts) {
            let unit = |ciphertext| self.are_units(std::slice::from_ref(ciphertext));
            let index = ciphertexts.iter().position(|ciphertext| !unit(ciphertext));
            return Err(NotAnElement { index: index.unwrap_or(0) });
        }
        Ok(ciphertexts)
    }

    fn are_units(&self, ciphertexts: &[Ciphertext]) -> bool {
        let one = self.modulus.one().clone();
        let product = ciphertexts
            .iter()
            .fold(one, |product, ciphertext| self.modulus.multiply(&product, &ciphertext.0));
        let product = BoxedUint::from_words(self.modulus.integer(&product));
        let rest = product.rem_vartime(self.n.as_nz_ref());
        rest.invert_odd_mod_vartime(&self.n).is_some().to_bool()
    }
}
