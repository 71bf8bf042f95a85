//! The key agreements, each with the field of its second messages and a permutation of that.

use std::sync::LazyLock;

use crypto_bigint::Uint;
use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::ideal_permutation::{
    Feistel2048, FieldPermutation, Rijndael256, StringPermutation,
};
use veilset_crypto::{Curve25519Agreement, Field, KeyAgreement, PrimeField, SafePrimeAgreement};
use veilset_poly::plain::PlainField;
use veilset_poly::{Element25519, Field25519};
use zeroize::Zeroizing;

use crate::kit::membership::VALUES_A_TASK;

/// A key agreement whose second messages are elements of a field of at most `LEN` bytes, and a permutation of these.
pub(super) struct Suite<A, F, P, const LEN: usize> {
    /// Names it to the random oracles.
    pub(super) name: &'static str,
    pub(super) agreement: A,
    pub(super) field: F,
    pub(super) permutation: FieldPermutation<P, LEN>,
}

/// On Curve25519, with messages in the field that its coordinates are from.
pub(super) type Curve = Suite<Curve25519Agreement, Field25519, Rijndael256, 32>;

/// On the quadratic residues modulo a safe prime, with messages modulo that prime.
pub(super) type SafePrime = Suite<SafePrimeAgreement, PrimeField<32>, Feistel2048, 256>;

/// `rt21`'s.
pub(super) static CURVE25519: LazyLock<Curve> = LazyLock::new(|| {
    Suite::new("Curve25519", Curve25519Agreement, Field25519::new(), Rijndael256::new())
});

/// `rt21-ffdh`'s.
pub(super) static FFDHE2048: LazyLock<SafePrime> =
    LazyLock::new(|| Suite::modulo("ffdhe2048", SafePrimeAgreement::ffdhe2048()));

impl SafePrime {
    /// `rt21-ffdh`'s over another prime. The session that keys the oracles depends on the prime, so no name has to.
    pub(super) fn over(prime: &veilset_crypto::SafePrime) -> Self {
        Suite::modulo("a given safe prime", SafePrimeAgreement::new(prime))
    }

    fn modulo(name: &'static str, agreement: SafePrimeAgreement) -> Self {
        let modulus = Uint::from_le_slice(&agreement.modulus());
        let field = PrimeField::new(&modulus).expect("the agreement's modulus is prime");
        Self::new(name, agreement, field, Feistel2048)
    }
}

impl<A, F, P, const LEN: usize> Suite<A, F, P, LEN>
where
    A: KeyAgreement<Value = [u8; LEN]>,
    F: Residues<LEN>,
    P: StringPermutation<LEN>,
{
    fn new(name: &'static str, agreement: A, field: F, strings: P) -> Self {
        let permutation = FieldPermutation::new(strings, agreement.modulus());
        Self { name, agreement, field, permutation }
    }

    /// A uniform element.
    pub(super) fn random(&self, rng: &mut dyn CryptoRng) -> F::Element {
        let mut wide = Zeroizing::new(vec![0; LEN + MORE]);
        rng.fill_bytes(&mut wide);
        self.field.reduced(&wide)
    }

    /// The elements that messages of this agreement are.
    pub(super) fn elements(&self, messages: &[[u8; LEN]]) -> Zeroizing<Vec<F::Element>> {
        let messages = messages.par_iter().with_min_len(VALUES_A_TASK);
        let element = |message| self.field.decode(message).expect("below the modulus");
        Zeroizing::new(messages.map(element).collect())
    }

    /// What [`elements`](Self::elements) takes.
    pub(super) fn messages(&self, elements: &[F::Element]) -> Zeroizing<Vec<[u8; LEN]>> {
        let elements = elements.par_iter().with_min_len(VALUES_A_TASK);
        Zeroizing::new(elements.map(|element| self.field.encode(element)).collect())
    }
}

/// Bytes by which a number is longer than a modulus, so that its residue is uniform but for 2^-128.
pub(super) const MORE: usize = 16;

/// A field whose elements are little-endian strings of `LEN` bytes.
pub(super) trait Residues<const LEN: usize>: PlainField {
    /// The element with this encoding; `None` if it is not below the modulus.
    fn decode(&self, bytes: &[u8; LEN]) -> Option<Self::Element>;

    /// The element's encoding.
    fn encode(&self, element: &Self::Element) -> [u8; LEN];

    /// 2^(8·`LEN`).
    fn shift(&self) -> Self::Element;

    /// The residue of a string that may not be below the modulus.
    fn residue(&self, bytes: &[u8; LEN]) -> Self::Element;

    /// The residue of a number of `LEN` + [`MORE`] bytes.
    fn reduced(&self, number: &[u8]) -> Self::Element {
        let (low, high) = number.split_at(LEN);
        let mut more = [0; LEN];
        more[..MORE].copy_from_slice(high);
        let low = std::array::from_fn(|at| low[at]);
        let high = self.mul(&self.residue(&more), &self.shift());
        self.add(&self.residue(&low), &high)
    }
}

impl Residues<32> for Field25519 {
    fn decode(&self, bytes: &[u8; 32]) -> Option<Element25519> {
        Element25519::from_bytes(bytes)
    }

    fn encode(&self, element: &Element25519) -> [u8; 32] {
        element.to_bytes()
    }

    fn shift(&self) -> Element25519 {
        // 2^255 = 19.
        self.element(38)
    }

    fn residue(&self, bytes: &[u8; 32]) -> Element25519 {
        Element25519::reduced(bytes)
    }
}

impl Residues<256> for PrimeField<32> {
    fn decode(&self, bytes: &[u8; 256]) -> Option<Self::Element> {
        let integer = Uint::from_le_slice(bytes);
        (integer < *self.modulus()).then(|| PrimeField::residue(self, &integer))
    }

    fn encode(&self, element: &Self::Element) -> [u8; 256] {
        let words = self.integer(element).to_words().map(u64::to_le_bytes);
        std::array::from_fn(|at| words.as_flattened()[at])
    }

    fn shift(&self) -> Self::Element {
        self.add(&PrimeField::residue(self, &Uint::MAX), &self.one())
    }

    fn residue(&self, bytes: &[u8; 256]) -> Self::Element {
        PrimeField::residue(self, &Uint::from_le_slice(bytes))
    }
}
