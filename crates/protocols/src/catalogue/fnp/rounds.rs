//! What each side computes, in the order of the figure.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::PrimeField;
use veilset_crypto::paillier::{Ciphertext, CiphertextPowers, Integer, PublicKey};
use veilset_crypto::permutation;
use veilset_poly::{Multiplication, PolyError, expand};
use zeroize::Zeroizing;

use super::layout::Layout;
use crate::kit::bins::Root;
use crate::kit::paillier::packing::{number, residue};

/// Elements of a bin that are evaluated together.
const AT_ONCE: usize = 16;

/// Step 1: for each bin the coefficients of the polynomial whose roots are the bin's and random ones, without the leading
/// one. As much is drawn whatever the bins hold.
pub(super) fn expanded(
    layout: &Layout,
    roots: &[Root<u128>],
    bins: &[Vec<u32>],
    rng: &mut dyn CryptoRng,
) -> Result<Zeroizing<Vec<Integer>>, PolyError> {
    let field = layout.slots.field();
    let mut filled = Zeroizing::new(Vec::with_capacity(layout.coefficients()));
    filled.extend((0..layout.coefficients()).map(|_| residue(&field, layout.slots.unit(rng))));
    for (filled, places) in filled.chunks_mut(layout.degree).zip(bins) {
        for (filled, place) in filled.iter_mut().zip(places) {
            *filled = residue(&field, roots[*place as usize].scalar);
        }
    }
    let how = Multiplication::fastest(&field, layout.degree);
    let expanded = filled.par_chunks(layout.degree).map(|roots| {
        let coefficients = Zeroizing::new(expand(&field, how, roots)?);
        let integer = |residue| Integer::from(number(&field, residue));
        Ok(coefficients[..layout.degree].iter().map(integer).collect())
    });
    let expanded: Vec<Vec<Integer>> = expanded.collect::<Result<_, PolyError>>()?;
    Ok(Zeroizing::new(expanded.into_iter().flatten().collect()))
}

/// What hides an element's value.
struct Mask {
    /// Not 0 modulo p.
    r: Zeroizing<u128>,
    /// How often p is added.
    times: Zeroizing<Integer>,
}

/// Steps 3 and 4: r·P(y) + name(y) for each element y, in a random order, several in a plaintext.
///
/// Each value is Σ a_i·(r·y^i mod p), a long number of which only the residue modulo p is to be seen: so a random multiple of p
/// is added.
pub(super) fn answers(
    layout: &Layout,
    key: &PublicKey,
    coefficients: &[Ciphertext],
    roots: &[Root<u128>],
    bins: &[Vec<u32>],
    rng: &mut dyn CryptoRng,
) -> Vec<Ciphertext> {
    let masks: Vec<_> = roots.iter().map(|_| Mask::draw(layout, rng)).collect();
    let order = permutation(roots.len(), rng);
    let field = layout.slots.field();
    let polynomials = coefficients.par_chunks(layout.degree).zip(bins);
    let evaluated = polynomials.flat_map_iter(|(polynomial, places)| {
        let powers = key.powers(polynomial, layout.window);
        let values = |places: &[u32]| {
            let elements = places.iter().map(|place| *place as usize);
            let elements = elements.map(|place| (&roots[place], &masks[place])).collect::<Vec<_>>();
            let values = values_at(layout, key, &powers, &field, &elements);
            places.iter().copied().zip(values).collect::<Vec<_>>()
        };
        places.par_chunks(AT_ONCE).flat_map_iter(values).collect::<Vec<_>>()
    });
    let mut values: Vec<_> = evaluated.collect();
    values.sort_unstable_by_key(|(place, _)| *place);
    let ordered = order.iter().map(|place| values[*place as usize].1.clone());
    let (sums, plain): (Vec<_>, Vec<_>) = ordered.unzip();
    let mut packed = layout.slots.pack(key, &sums);
    key.add_plain(&mut packed, &layout.slots.pack_plain(&plain));
    key.rerandomise(&mut packed, rng);
    packed
}

impl Mask {
    fn draw(layout: &Layout, rng: &mut dyn CryptoRng) -> Self {
        let times = layout.slots.times(rng);
        Self { r: Zeroizing::new(layout.slots.unit(rng)), times }
    }
}

/// For each element Σ a_i·(r·y^i mod p) over the encrypted coefficients, and what is to be added to it: the leading term, the
/// name, and the multiple of p.
fn values_at(
    layout: &Layout,
    key: &PublicKey,
    powers: &CiphertextPowers,
    field: &PrimeField<2>,
    elements: &[(&Root<u128>, &Mask)],
) -> Vec<(Ciphertext, Zeroizing<Integer>)> {
    let mut scalars = Zeroizing::new(Vec::with_capacity(layout.degree * elements.len()));
    let plain = elements.iter().map(|(root, mask)| {
        let (point, mut power) = (residue(field, root.scalar), residue(field, *mask.r));
        for _ in 0..layout.degree {
            scalars.push(number(field, &power));
            power = field.mul(&power, &point);
        }
        let name = root.name % layout.slots.prime();
        layout.slots.masked(&mask.times, &[number(field, &power), name])
    });
    let plain: Vec<_> = plain.collect();
    let scalars: Vec<_> = scalars.chunks(layout.degree).collect();
    let sums = key.sums_of_products(powers, &scalars, layout.slots.bits);
    sums.into_iter().zip(plain).collect()
}
