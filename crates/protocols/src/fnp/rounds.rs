//! What each side computes, in the order of the figure.

use crypto_bigint::{BoxedUint, RandomBits, Resize};
use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::paillier::{Ciphertext, Integer, Powers, PublicKey, SecretKey};
use veilset_crypto::permutation;
use veilset_poly::fields::{PrimeField, Residue};
use veilset_poly::{Multiplication, PolyError, expand};
use zeroize::Zeroizing;

use super::layout::{KEY, Layout};
use crate::bins::Root;

/// Elements of a bin that are evaluated together.
const AT_ONCE: usize = 16;

/// An element's root: a number below 2^128, of which the field takes the residue.
pub(super) fn scalar(wide: &[u8; 64]) -> u128 {
    u128::from_le_bytes(std::array::from_fn(|at| wide[at]))
}

fn residue(field: &PrimeField<2>, number: u128) -> Residue<2> {
    field.residue(&number.into())
}

fn number(field: &PrimeField<2>, residue: &Residue<2>) -> u128 {
    let integer = field.integer(residue);
    let [low, high] = *integer.as_words();
    u128::from(low) | u128::from(high) << 64
}

/// A uniform number from 1 to p − 1, by rejection; how often tells nothing about it.
fn unit(layout: &Layout, rng: &mut dyn CryptoRng) -> u128 {
    loop {
        let mut bytes = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *bytes);
        let number = u128::from_le_bytes(*bytes) & ((1 << layout.bits) - 1);
        if (1..layout.prime()).contains(&number) {
            return number;
        }
    }
}

/// Step 1: for each bin the coefficients of the polynomial whose roots are the bin's and random ones, without the leading
/// one. As much is drawn whatever the bins hold.
pub(super) fn expanded(
    layout: &Layout,
    roots: &[Root<u128>],
    bins: &[Vec<u32>],
    rng: &mut dyn CryptoRng,
) -> Result<Zeroizing<Vec<Integer>>, PolyError> {
    let field = layout.field();
    let mut filled = Zeroizing::new(Vec::with_capacity(layout.coefficients()));
    filled.extend((0..layout.coefficients()).map(|_| residue(&field, unit(layout, rng))));
    for (filled, places) in filled.chunks_mut(layout.degree).zip(bins) {
        for (filled, place) in filled.iter_mut().zip(places) {
            *filled = residue(&field, roots[*place as usize].scalar);
        }
    }
    let how = Multiplication::fastest(&field, layout.degree);
    let expanded = filled.par_chunks(layout.degree).map(|roots| {
        let coefficients = Zeroizing::new(expand(&field, how, roots)?);
        let integer = |residue| BoxedUint::from(number(&field, residue));
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
    times: Zeroizing<BoxedUint>,
}

/// Steps 3 and 4: r·P(y) + name(y) for each element y, in a random order, several in a plaintext.
///
/// Each value is Σ a_i·(r·y^i mod p), a long number of which only the residue modulo p is to be seen: so a random multiple of p
/// is added.
pub(super) fn answers(
    layout: &Layout,
    key: &PublicKey,
    coefficients: &[Ciphertext],
    (roots, bins): (&[Root<u128>], &[Vec<u32>]),
    rng: &mut dyn CryptoRng,
) -> Vec<Ciphertext> {
    let masks: Vec<_> = roots.iter().map(|_| Mask::draw(layout, rng)).collect();
    let order = permutation(roots.len(), rng);
    let field = layout.field();
    let polynomials = coefficients.par_chunks(layout.degree).zip(bins);
    let evaluated = polynomials.flat_map_iter(|(polynomial, places)| {
        let powers = key.powers(polynomial, layout.window);
        let values = |places: &[u32]| {
            let elements = places.iter().map(|place| *place as usize);
            let elements = elements.map(|place| (&roots[place], &masks[place])).collect::<Vec<_>>();
            let values = values_at(layout, (key, &powers), &field, &elements);
            places.iter().copied().zip(values).collect::<Vec<_>>()
        };
        places.par_chunks(AT_ONCE).flat_map_iter(values).collect::<Vec<_>>()
    });
    let mut values: Vec<_> = evaluated.collect();
    values.sort_unstable_by_key(|(place, _)| *place);
    let packed = order.par_chunks(layout.slots).map(|places| {
        let (sums, plain): (Vec<_>, Vec<_>) =
            places.iter().map(|place| values[*place as usize].1.clone()).unzip();
        (key.pack(&sums, layout.width), side_by_side(layout, &plain))
    });
    let (mut packed, plain): (Vec<_>, Vec<_>) = packed.unzip();
    let plain = Zeroizing::new(plain.iter().map(|plain| Integer::clone(plain)).collect::<Vec<_>>());
    key.add_plain(&mut packed, &plain);
    key.rerandomise(&mut packed, rng);
    packed
}

impl Mask {
    fn draw(layout: &Layout, rng: &mut dyn CryptoRng) -> Self {
        let times = Zeroizing::new(BoxedUint::random_bits(rng, layout.mask));
        Self { r: Zeroizing::new(unit(layout, rng)), times }
    }
}

/// For each element Σ a_i·(r·y^i mod p) over the encrypted coefficients, and what is to be added to it: the leading term, the
/// name, and the multiple of p.
fn values_at(
    layout: &Layout,
    (key, powers): (&PublicKey, &Powers),
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
        let times = Zeroizing::new((&*mask.times).resize(layout.width));
        let mut plain = Zeroizing::new(times.wrapping_mul(layout.modulus()));
        plain.wrapping_add_assign(BoxedUint::from(number(field, &power)));
        plain.wrapping_add_assign(BoxedUint::from(root.name % layout.prime()));
        plain
    });
    let plain: Vec<_> = plain.collect();
    let scalars: Vec<_> = scalars.chunks(layout.degree).collect();
    let sums = key.sums_of_products(powers, &scalars, layout.bits);
    sums.into_iter().zip(plain).collect()
}

/// Σ 2^(width·i)·`plain[i]`.
fn side_by_side(layout: &Layout, plain: &[Zeroizing<Integer>]) -> Zeroizing<Integer> {
    let whole = Zeroizing::new(BoxedUint::zero_with_precision(KEY.bits()));
    plain.iter().rev().fold(whole, |whole, plain| {
        let shifted = whole.shl_vartime(layout.width).expect("room for the slots");
        let mut shifted = Zeroizing::new(shifted);
        shifted.wrapping_add_assign(&**plain);
        shifted
    })
}

/// Step 5: the residues of the `count` values in these answers.
pub(super) fn opened(
    layout: &Layout,
    key: &SecretKey,
    answers: &[Ciphertext],
    count: usize,
) -> Zeroizing<Vec<u128>> {
    let plain = key.decrypt(answers);
    let modulus = layout.modulus().into_nz().expect("a prime");
    let values = plain.par_iter().flat_map_iter(|plain| {
        (0..layout.slots as u32).map(|slot| {
            let shifted = plain.shr_vartime(slot * layout.width).expect("a slot of the plaintext");
            let top = KEY.bits() - layout.width;
            let value = shifted.shl_vartime(top).and_then(|value| value.shr_vartime(top));
            let rest = value.expect("less than the plaintext has").rem(&modulus);
            let words = rest.as_words();
            u128::from(words[0]) | u128::from(words[1]) << 64
        })
    });
    let mut values = Zeroizing::new(values.collect::<Vec<_>>());
    values.truncate(count);
    values
}
