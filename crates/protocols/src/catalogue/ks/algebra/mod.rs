//! Multisets under encryption: the union, intersection and element reduction of Kissner and Song, "Privacy-Preserving Set
//! Operations", CRYPTO 2005, section 4, over additive ElGamal.
//!
//! A multiset is the polynomial whose roots its elements are, each as often as it occurs ([`EncryptedMultiset`]). Operations
//! take encrypted operands and give encrypted results, under fresh randomness, so they can be put together at will, and a
//! plain or a [threshold](veilset_crypto::threshold) key decrypts what comes out of the last one ([`Revealed`]).
//!
//! | operation | polynomial | an element then occurs |
//! |---|---|---|
//! | [`union`](EncryptedMultiset::union) | f·φ, φ plain | b₁ + b₂ times |
//! | [`intersection`](EncryptedMultiset::intersection) | Σ rᵢ·fᵢ | min bᵢ times |
//! | [`reduction`](EncryptedMultiset::reduction) by d | Σ rⱼ·f⁽ʲ⁾ for j from 0 to d | max(b − d, 0) times |
//!
//! **What a result shows.** A union decrypts to Π (x − a) over both multisets and shows these. The other two decrypt to g·u,
//! where g is the greatest common divisor of the operands, which is the resulting multiset, and u is uniform: with S the
//! sum of the two largest degrees of operands, and each rᵢ uniform of degree S − deg fᵢ, u is uniform of degree
//! S − deg g. For two operands without common roots, every polynomial h of degree S is r₁·f₁ + r₂·f₂: take r₁ as what
//! h/f₁ leaves modulo f₂, which has degree below deg f₂ ≤ S − deg f₁; then r₂ has degree S − deg f₂ at most. So the linear
//! map from (r₁, r₂) is onto, and maps uniform to uniform. A further operand is added to g·u in the same way, since
//! deg u ≥ S − deg g is no less than the further operand's degree beyond the common part. So a result follows from the
//! resulting multiset and S. The roots of u are random: that an element of no operand is among them has a probability of
//! about S in the group's order.
//!
//! **Smaller or sparser rᵢ are unsafe.** Whoever knows f₁ sees r₂·f₂ at the roots of f₁. With deg r₂ ≥ deg f₁ − 1 these values
//! are independent and uniform but where f₂ is 0; with less, they satisfy linear relations whose coefficients are 1/f₂
//! there, so that a guess of f₂ can be tested. Kissner and Song's lemma 2 takes all degrees equal and deg r ≥ deg f.
//!
//! **The reduction is not the published one.** That takes f and f⁽ᵈ⁾ alone. A root of multiplicity at most d can be a root of
//! f⁽ᵈ⁾ all the same (0 of x³ − x, with d = 2) and then stays; Seo, Yoon, Lim, Cheon and Hong ("Analysis of Privacy-Preserving
//! Element Reduction of Multiset") found the error. With all derivatives up to d, of which the b-th is not 0 at a root of
//! multiplicity b ≤ d, the divisor is exact, as long as degrees are below the group's order. The published over-threshold
//! protocols, which rest on the other form and let each party find elements that several hold, are not here.
//!
//! **Zero tests only.** Decryption gives coefficients times the generator. That tells of an element that one knows how
//! often it is a root: m times or more if the value and the first m − 1 derivatives there are 0, all of them linear in the
//! coefficients. It does not tell unknown roots, since a polynomial in the exponent cannot be factored. So nobody reads the
//! elements of a union off it; but whoever can list candidates can test them all.

mod revealed;
#[cfg(test)]
mod tests;

use rand_core::CryptoRng;
use veilset_crypto::elgamal::{Ciphertext, PublicKey, SecretKey};
use veilset_crypto::{Field, PrimeGroup};
use veilset_poly::encrypted::Ciphertexts;
use veilset_poly::{Module, Multiplication, PolyError, Scalar, expand, multiply};
use zeroize::Zeroizing;

use super::algorithms::multiplication;

pub use revealed::Revealed;

/// The coefficients of a polynomial, encrypted; lowest degree first. Its degree is public.
pub struct EncryptedMultiset<G: PrimeGroup> {
    coefficients: Vec<Ciphertext<G::Element>>,
}

impl<G: PrimeGroup> EncryptedMultiset<G> {
    /// The multiset of `roots`, where repeated ones count.
    ///
    /// # Errors
    /// When the group is too small for polynomials of that degree.
    pub fn encrypt(
        group: &G,
        key: &PublicKey<G>,
        roots: &[G::Scalar],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, PolyError> {
        let expansion = expansion(group, roots)?;
        Ok(Self::monic(group, key.encrypt(group, &expansion[..roots.len()], rng)))
    }

    /// The polynomial with these coefficients below the leading one, which is 1 and needs no key. So nobody can send a
    /// polynomial that is 0 everywhere for a multiset.
    #[must_use]
    pub fn monic(group: &G, mut low: Vec<Ciphertext<G::Element>>) -> Self {
        low.push([group.identity(), group.generator()]);
        Self { coefficients: low }
    }

    /// The polynomial with all these coefficients.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    pub fn new(coefficients: Vec<Ciphertext<G::Element>>) -> Self {
        assert!(!coefficients.is_empty(), "a polynomial has a coefficient");
        Self { coefficients }
    }

    /// All coefficients, to be sent or decrypted.
    #[must_use]
    pub fn coefficients(&self) -> &[Ciphertext<G::Element>] {
        &self.coefficients
    }

    /// How many elements the polynomial has room for.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Together with the elements `roots`. If this polynomial is monic so is the result.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn union(
        &self,
        group: &G,
        key: &PublicKey<G>,
        roots: &[G::Scalar],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, PolyError> {
        let product = product(group, &expansion(group, roots)?, &self.coefficients)?;
        Ok(Self::fresh(group, key, product, rng))
    }

    /// What is in all operands, of which there is at least one; with two or more, nothing else about them is left.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn intersection(
        group: &G,
        key: &PublicKey<G>,
        operands: &[&Self],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, PolyError> {
        let module = Ciphertexts(group);
        let len = masked_len(operands.iter().map(|operand| operand.degree()));
        let mut sum = vec![module.zero(); len];
        for operand in operands {
            let r = (operand.degree()..len).map(|_| group.random(rng));
            let r = Zeroizing::new(r.collect::<Vec<_>>());
            module.add(&mut sum, &product(group, &r, &operand.coefficients)?);
        }
        Ok(Self::fresh(group, key, sum, rng))
    }

    /// Each element as often as it occurs beyond `times`; nothing else is left.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn reduction(
        &self,
        group: &G,
        key: &PublicKey<G>,
        times: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, PolyError> {
        let mut derivatives: Vec<Self> = Vec::new();
        for _ in 0..times.min(self.degree()) {
            let last = derivatives.last().unwrap_or(self);
            let next = derivative(&Ciphertexts(group), &last.coefficients);
            derivatives.push(Self::new(next));
        }
        let operands: Vec<&Self> = std::iter::once(self).chain(&derivatives).collect();
        Self::intersection(group, key, &operands, rng)
    }

    /// What the holder of the whole key learns.
    #[must_use]
    pub fn reveal(&self, group: &G, key: &SecretKey<G>) -> Revealed<G> {
        Revealed::new(key.decrypt(group, &self.coefficients))
    }

    /// The same plaintexts under new randomness, so that nobody sees how they were made.
    fn fresh(
        group: &G,
        key: &PublicKey<G>,
        coefficients: Vec<Ciphertext<G::Element>>,
        rng: &mut dyn CryptoRng,
    ) -> Self {
        let zeros = vec![group.field().zero(); coefficients.len()];
        let mut fresh = key.encrypt(group, &zeros, rng);
        Ciphertexts(group).add(&mut fresh, &coefficients);
        Self::new(fresh)
    }
}

/// Coefficients of an intersection of operands of such degrees: one more than the two largest together.
pub(super) fn masked_len(degrees: impl Iterator<Item = usize>) -> usize {
    let [mut largest, mut second] = [0, 0];
    for degree in degrees {
        second = second.max(largest.min(degree));
        largest = largest.max(degree);
    }
    largest + second + 1
}

fn expansion<G: PrimeGroup>(
    group: &G,
    roots: &[G::Scalar],
) -> Result<Zeroizing<Vec<G::Scalar>>, PolyError> {
    let how = Multiplication::fastest(group.field(), roots.len());
    expand(group.field(), how, roots).map(Zeroizing::new)
}

fn product<G: PrimeGroup>(
    group: &G,
    plain: &[G::Scalar],
    poly: &[Ciphertext<G::Element>],
) -> Result<Vec<Ciphertext<G::Element>>, PolyError> {
    let how = multiplication(group.field(), plain.len(), poly.len());
    multiply(&Ciphertexts(group), how, plain, poly)
}

/// The formal derivative; that of a constant has one coefficient too, 0.
fn derivative<M: Module>(module: &M, poly: &[M::Element]) -> Vec<M::Element> {
    let mut derivative = poly[1..].to_vec();
    let degrees = (1..).take(derivative.len()).map(|degree| module.field().element(degree));
    module.scale(&degrees.collect::<Vec<Scalar<M>>>(), &mut derivative);
    if derivative.is_empty() {
        derivative.push(module.zero());
    }
    derivative
}
