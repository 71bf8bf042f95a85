//! What each side computes in some bins, in the order of the figure.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::elgamal::{Ciphertext, PublicKey, SecretKey};
use veilset_poly::encrypted::{Ciphertexts, Elements, ScalarField};
use veilset_poly::{Field, Itself, Module, Multiplication, PolyError, evaluate, expand, multiply};
use zeroize::{Zeroize, Zeroizing};

use super::algorithms::Algorithms;
use super::layout::Layout;

/// Coefficients of some polynomials one after the other, lowest degree first.
pub(super) type Coefficients<G> = Zeroizing<Vec<<G as veilset_crypto::PrimeGroup>::Scalar>>;

/// Steps 2 and 3: for each bin the polynomial of `degree` with the bin's roots and random ones, without its leading
/// coefficient, which is 1.
pub(super) fn expanded<G: ScalarField>(
    group: &G,
    bins: &[Vec<G::Scalar>],
    degree: usize,
    rng: &mut dyn CryptoRng,
) -> Result<Coefficients<G>, PolyError> {
    let filled = bins.iter().map(|roots| {
        let more = (roots.len()..degree).map(|_| group.random(rng)).collect::<Vec<_>>();
        Zeroizing::new(roots.iter().cloned().chain(more).collect::<Vec<_>>())
    });
    let filled: Vec<_> = filled.collect();
    let expanded = filled.par_iter().map(|roots| {
        let mut coefficients =
            expand(group.field(), Multiplication::fastest(group.field(), degree), roots)?;
        coefficients.truncate(degree);
        Ok(coefficients)
    });
    let mut expanded: Vec<Vec<G::Scalar>> = expanded.collect::<Result<_, PolyError>>()?;
    let all = Zeroizing::new(expanded.concat());
    expanded.zeroize();
    Ok(all)
}

/// Step 5 for some bins: γ₁·f + γ₂·g, encrypted afresh. Both polynomials come without their leading coefficients.
///
/// What is plain is added up before it is encrypted: γ₂·g, and γ₁ times the leading term of f.
pub(super) fn combined<G: ScalarField>(
    (group, key, algorithms): (&G, &PublicKey<G>, Algorithms),
    layout: &Layout,
    f: &[Ciphertext<G::Element>],
    g: &[G::Scalar],
    rng: &mut dyn CryptoRng,
    step: &mut dyn FnMut(&'static str),
) -> Result<Vec<Ciphertext<G::Element>>, PolyError> {
    let bins = f.len() / layout.receiver;
    let mut random =
        |count| Zeroizing::new((0..bins * count).map(|_| group.random(rng)).collect::<Vec<_>>());
    let (by_f, by_g) = (random(layout.sender + 1), random(layout.receiver + 1));
    step("multiplication");
    let how = algorithms.multiplication(layout.sender + 1, layout.receiver);
    let bins = f
        .par_chunks(layout.receiver)
        .zip(g.par_chunks(layout.sender))
        .zip(by_f.par_chunks(layout.sender + 1).zip(by_g.par_chunks(layout.receiver + 1)));
    let products = bins.map(|((f, g), (by_f, by_g))| {
        let mut sum = multiply(&Ciphertexts(group), how, by_f, f)?;
        sum.push(Ciphertexts(group).zero());
        Ok((sum, plain_part(group, layout, g, (by_f, by_g))?))
    });
    let products: Vec<(Vec<_>, Coefficients<G>)> = products.collect::<Result<_, PolyError>>()?;
    step("encryption");
    let (sums, plain): (Vec<_>, Vec<_>) = products.into_iter().unzip();
    let plain =
        Zeroizing::new(plain.iter().flat_map(|plain| plain.iter().cloned()).collect::<Vec<_>>());
    let mut combined = key.encrypt(group, &plain, rng);
    Ciphertexts(group).add(&mut combined, &sums.concat());
    Ok(combined)
}

/// γ₂·g + γ₁·x^k, where k is the degree of f.
fn plain_part<G: ScalarField>(
    group: &G,
    layout: &Layout,
    g: &[G::Scalar],
    (by_f, by_g): (&[G::Scalar], &[G::Scalar]),
) -> Result<Coefficients<G>, PolyError> {
    let field = group.field();
    let how = Multiplication::fastest(field, by_g.len());
    let mut monic = Zeroizing::new(g.to_vec());
    monic.push(field.one());
    let mut sum = Zeroizing::new(multiply(&Itself(field), how, by_g, &monic)?);
    for (sum, coefficient) in sum[layout.receiver..].iter_mut().zip(by_f) {
        *sum = field.add(sum, coefficient);
    }
    Ok(sum)
}

/// Steps 7 and 8 for some bins: which of the bins' roots are roots of what came back.
pub(super) fn common<G: ScalarField>(
    (group, key, algorithms): (&G, &SecretKey<G>, Algorithms),
    layout: &Layout,
    answers: &[Ciphertext<G::Element>],
    bins: &[Vec<G::Scalar>],
    step: &mut dyn FnMut(&'static str),
) -> Result<Vec<bool>, PolyError> {
    step("decryption");
    let plain = key.decrypt(group, answers);
    step("evaluation");
    let len = layout.result_len();
    let values = match algorithms.evaluation(len, bins.first().map_or(0, Vec::len)) {
        Some(how) => {
            let values = plain
                .par_chunks(len)
                .zip(bins)
                .map(|(theta, roots)| evaluate(&Elements(group), how, theta, roots));
            let mut values: Vec<Vec<G::Element>> = values.collect::<Result<_, PolyError>>()?;
            let all = Zeroizing::new(values.concat());
            values.zeroize();
            all
        }
        None => Zeroizing::new(sums(group, &plain, bins, len)),
    };
    Ok(group.are_identity(&values))
}

/// θ(α) for each root of each bin as one sum of products, many sums at a time.
fn sums<G: ScalarField>(
    group: &G,
    plain: &[G::Element],
    bins: &[Vec<G::Scalar>],
    len: usize,
) -> Vec<G::Element> {
    let points: Vec<_> = plain
        .chunks(len)
        .zip(bins)
        .flat_map(|(theta, roots)| roots.iter().map(move |root| (theta, root)))
        .collect();
    const AT_ONCE: usize = 64;
    let values = points.par_chunks(AT_ONCE).flat_map_iter(|points| {
        let powers = points.iter().flat_map(|(_, root)| powers(group.field(), root, len));
        let powers = Zeroizing::new(powers.collect::<Vec<_>>());
        let elements = points.iter().flat_map(|(theta, _)| theta.iter().cloned());
        let elements = Zeroizing::new(elements.collect::<Vec<_>>());
        group.sums_of_products(&powers, &elements, len)
    });
    values.collect()
}

/// 1, α, α², …
fn powers<'a, F: Field>(
    field: &'a F,
    alpha: &'a F::Element,
    count: usize,
) -> impl Iterator<Item = F::Element> + 'a {
    std::iter::successors(Some(field.one()), |power| Some(field.mul(power, alpha))).take(count)
}
