//! What each side computes in some bins, in the order of the figure.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::elgamal::{Ciphertext, PublicKey, SecretKey};
use veilset_crypto::{Field, PrimeGroup};
use veilset_poly::encrypted::{Ciphertexts, Elements};
use veilset_poly::{
    Evaluation, Itself, Module, Multiplication, PolyError, concatenate, evaluate, expand, multiply,
};
use zeroize::Zeroizing;

use super::algorithms::Algorithm;
use super::layout::Layout;
use crate::ProtocolError;

/// Coefficients of some polynomials one after the other, lowest degree first.
pub(super) type Coefficients<G> = Zeroizing<Vec<<G as veilset_crypto::PrimeGroup>::Scalar>>;

/// Steps 2 and 3: for each bin the polynomial of `degree` with the bin's roots and random ones, without its leading
/// coefficient, which is 1. As much is drawn whatever the bins hold.
pub(super) fn expanded<G: PrimeGroup>(
    group: &G,
    bins: &[Vec<G::Scalar>],
    degree: usize,
    rng: &mut dyn CryptoRng,
) -> Result<Coefficients<G>, PolyError> {
    let mut filled = randoms(group, bins.len() * degree, rng);
    for (filled, roots) in filled.chunks_mut(degree).zip(bins) {
        filled[..roots.len()].clone_from_slice(roots);
    }
    let field = group.field();
    let how = Multiplication::fastest(field, degree);
    let expanded = filled.par_chunks(degree).map(|roots| {
        let mut coefficients = Zeroizing::new(expand(field, how, roots)?);
        coefficients.truncate(degree);
        Ok(coefficients)
    });
    let expanded = expanded.collect::<Result<Vec<_>, PolyError>>()?;
    Ok(Zeroizing::new(concatenate(&expanded)))
}

fn randoms<G: PrimeGroup>(group: &G, count: usize, rng: &mut dyn CryptoRng) -> Coefficients<G> {
    Zeroizing::new((0..count).map(|_| group.random(rng)).collect())
}

/// A key, the group that it is of, and how to compute there.
#[derive(Clone, Copy)]
pub(super) struct Keyed<'a, G, K> {
    pub(super) group: &'a G,
    pub(super) key: &'a K,
    pub(super) algorithm: Algorithm,
}

/// Step 5 for some bins: γ₁·f + γ₂·g, encrypted afresh. Both polynomials come without their leading coefficients.
///
/// What is plain is added up before it is encrypted: γ₂·g, and γ₁ times the leading term of f.
pub(super) fn combined<G: PrimeGroup>(
    keyed: Keyed<'_, G, PublicKey<G>>,
    layout: &Layout,
    f: &[Ciphertext<G::Element>],
    g: &[G::Scalar],
    rng: &mut dyn CryptoRng,
    step: &mut dyn FnMut(&'static str),
) -> Result<Vec<Ciphertext<G::Element>>, PolyError> {
    let Keyed { group, key, algorithm } = keyed;
    let bins = f.len() / layout.receiver;
    let by_f = randoms(group, bins * (layout.sender + 1), rng);
    let by_g = randoms(group, bins * (layout.receiver + 1), rng);
    step("multiplication");
    let how = algorithm.multiplication(group, layout.sender + 1, layout.receiver);
    let bins = f
        .par_chunks(layout.receiver)
        .zip(g.par_chunks(layout.sender))
        .zip(by_f.par_chunks(layout.sender + 1).zip(by_g.par_chunks(layout.receiver + 1)));
    let products = bins.map(|((f, g), (by_f, by_g))| {
        let mut sum = multiply(&Ciphertexts(group), how, by_f, f)?;
        sum.push(Ciphertexts(group).zero());
        Ok((sum, plain_part(group, layout, g, by_f, by_g)?))
    });
    let products: Vec<(Vec<_>, Coefficients<G>)> = products.collect::<Result<_, PolyError>>()?;
    step("encryption");
    let (sums, plain): (Vec<_>, Vec<_>) = products.into_iter().unzip();
    let plain = Zeroizing::new(concatenate(&plain));
    let mut combined = key.encrypt(group, &plain, rng);
    Ciphertexts(group).add(&mut combined, &sums.concat());
    Ok(combined)
}

/// γ₂·g + γ₁·x^k, where k is the degree of f.
fn plain_part<G: PrimeGroup>(
    group: &G,
    layout: &Layout,
    g: &[G::Scalar],
    by_f: &[G::Scalar],
    by_g: &[G::Scalar],
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

/// What the receiver finds in some bins.
pub(super) struct Found {
    /// For each root of each bin whether it is one of what came back.
    pub(super) hits: Vec<bool>,
    /// Whether a polynomial came back that is 0, which no honest sender's is, and of which everything is a root.
    pub(super) forged: bool,
}

/// How many roots some bins can have, which both sides know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loads {
    /// All of them together, at most.
    most: usize,
    /// Each on average.
    mean: usize,
}

impl Loads {
    /// Of `bins` of the bins to which `items` fall.
    pub(super) fn of(layout: &Layout, bins: usize, items: usize) -> Self {
        Self { most: layout.most_in(bins, items), mean: layout.mean(items) }
    }
}

/// Steps 7 and 8 for some bins. The time depends on their `loads`, and not on how many roots there are.
///
/// # Errors
/// When there are more than the loads allow, which is very unlikely.
pub(super) fn common<G: PrimeGroup>(
    keyed: Keyed<'_, G, SecretKey<G>>,
    layout: &Layout,
    answers: &[Ciphertext<G::Element>],
    bins: &[Vec<G::Scalar>],
    loads: Loads,
    step: &mut dyn FnMut(&'static str),
) -> Result<Found, ProtocolError> {
    if bins.iter().map(Vec::len).sum::<usize>() > loads.most {
        return Err(ProtocolError::Overfull);
    }
    let Keyed { group, key, algorithm } = keyed;
    step("decryption");
    let plain = key.decrypt(group, answers);
    let len = layout.result_len();
    let neutral = group.are_identity(&plain);
    let forged =
        neutral.chunks(len).any(|coefficients| coefficients.iter().all(|neutral| *neutral));
    step("evaluation");
    let hits = match algorithm.evaluation(group, len, loads.mean) {
        Some(how) => whole_bins(group, how, &plain, bins, layout)?,
        None => group.are_identity(&sums(group, &plain, bins, len, loads.most)),
    };
    Ok(Found { hits, forged })
}

/// Which roots of the bins, filled up with zeros to as many as each has room for, are roots of the polynomials.
fn whole_bins<G: PrimeGroup>(
    group: &G,
    how: Evaluation,
    plain: &[G::Element],
    bins: &[Vec<G::Scalar>],
    layout: &Layout,
) -> Result<Vec<bool>, PolyError> {
    let hits = plain.par_chunks(layout.result_len()).zip(bins).map(|(theta, roots)| {
        let mut points = zeros(group, layout.receiver);
        points[..roots.len()].clone_from_slice(roots);
        let values = Zeroizing::new(evaluate(&Elements(group), how, theta, &points)?);
        let mut hits = group.are_identity(&values);
        hits.truncate(roots.len());
        Ok(hits)
    });
    Ok(hits.collect::<Result<Vec<_>, PolyError>>()?.concat())
}

fn zeros<G: PrimeGroup>(group: &G, count: usize) -> Coefficients<G> {
    Zeroizing::new(vec![group.field().zero(); count])
}

/// θ(α) for each root of each bin as one sum of `len` products, many sums at a time; as many sums as `most` are made.
fn sums<G: PrimeGroup>(
    group: &G,
    plain: &[G::Element],
    bins: &[Vec<G::Scalar>],
    len: usize,
    most: usize,
) -> Zeroizing<Vec<G::Element>> {
    const AT_ONCE: usize = 64;
    let roots = plain.chunks(len).zip(bins);
    let mut points: Vec<_> =
        roots.flat_map(|(theta, roots)| roots.iter().map(move |root| (theta, root))).collect();
    let (real, zero) = (points.len(), group.field().zero());
    points.resize(most, (&plain[..len], &zero));
    let values = points.par_chunks(AT_ONCE).map(|points| {
        let mut powers = Zeroizing::new(Vec::with_capacity(points.len() * len));
        let mut elements = Zeroizing::new(Vec::with_capacity(points.len() * len));
        for (theta, root) in points {
            let mut power = group.field().one();
            for element in *theta {
                elements.push(element.clone());
                let next = group.field().mul(&power, root);
                powers.push(std::mem::replace(&mut power, next));
            }
        }
        Zeroizing::new(group.sums_of_products(&powers, &elements, len))
    });
    let mut values = Zeroizing::new(concatenate(&values.collect::<Vec<_>>()));
    values.truncate(real);
    values
}
