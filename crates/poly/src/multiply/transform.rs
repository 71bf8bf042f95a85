//! Fast Fourier transforms with a root of unity of the field, on elements of a module.

use super::split::BATCH;
use crate::coefficients::{Wiped, powers};
use crate::{Module, PolyError, Scalar};
use veilset_crypto::{Field, tasks};

/// Powers of a root of unity ω of order n.
pub(super) struct Roots<S> {
    /// 1, ω, …, ω^(n/2 − 1).
    forward: Vec<S>,
    /// The same of 1/ω.
    inverse: Vec<S>,
    /// 1/n.
    pub(super) inverse_of_size: S,
}

/// The two halves of a block, or pieces of them.
type Halves<'a, E> = (&'a mut [E], &'a mut [E]);

/// From coefficients to values, or back but for the division by n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Inverse,
}

impl<S: Clone> Roots<S> {
    pub(super) fn new<F: Field<Element = S>>(field: &F, log_size: u32) -> Result<Self, PolyError> {
        let root = field.root_of_unity(log_size).ok_or(PolyError::NoRootOfUnity { log_size })?;
        let size = 1u64 << log_size;
        let inverse_of_size = field.inverse(&field.element(size));
        let inverse_of_size = inverse_of_size.ok_or(PolyError::Characteristic { divisor: size })?;
        let forward = powers(field, &root, 1 << log_size >> 1);
        // ω^−j = −ω^(n/2 − j).
        let negated = forward.iter().skip(1).rev().map(|power| field.neg(power));
        let inverse = forward.iter().take(1).cloned().chain(negated).collect();
        Ok(Self { forward, inverse, inverse_of_size })
    }

    /// The powers of the root of order 2·`half`.
    fn step(&self, direction: Direction, half: usize) -> Vec<S> {
        let all = match direction {
            Direction::Forward => &self.forward,
            Direction::Inverse => &self.inverse,
        };
        all.iter().step_by(all.len() / half).cloned().collect()
    }
}

/// Transforms each block of n elements, n the order of the root. Values stand in bit-reversed order, so nothing needs to
/// be moved: forward by decimation in frequency, back by decimation in time.
pub(super) fn transform<M: Module>(
    module: &M,
    roots: &Roots<Scalar<M>>,
    direction: Direction,
    blocks: &mut [M::Element],
) {
    let largest = roots.forward.len();
    let halves = (0..usize::BITS).map(|log| 1 << log).take_while(|half| *half <= largest);
    let mut halves: Vec<usize> = halves.collect();
    if direction == Direction::Forward {
        halves.reverse();
    }
    for half in halves {
        let twiddles = &roots.step(direction, half)[..];
        if 2 * half <= BATCH {
            tasks::each(blocks.chunks_mut(BATCH), |blocks| {
                let pairs = blocks.chunks_exact_mut(2 * half).map(|block| block.split_at_mut(half));
                butterflies(module, direction, pairs.collect(), twiddles, true);
            });
            continue;
        }
        for block in blocks.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            let pieces = low.chunks_mut(BATCH).zip(high.chunks_mut(BATCH));
            tasks::each(
                pieces.zip(twiddles.chunks(BATCH)).enumerate(),
                |(index, (pair, twiddles))| {
                    butterflies(module, direction, vec![pair], twiddles, index == 0);
                },
            );
        }
    }
}

/// (u, v) becomes (u + v, (u − v)·ω^j), or backwards (u + v·ω^−j, u − v·ω^−j), for all places j of all pairs of halves.
/// The first twiddle may be 1, as if `first`; it is not multiplied by then.
fn butterflies<M: Module>(
    module: &M,
    direction: Direction,
    mut pairs: Vec<Halves<'_, M::Element>>,
    twiddles: &[Scalar<M>],
    first: bool,
) {
    let skipped = usize::from(first);
    if direction == Direction::Inverse {
        scale_high(module, &mut pairs, twiddles, skipped);
    }
    let mut differences = Wiped::new(Vec::with_capacity(twiddles.len()));
    for (low, high) in &mut pairs {
        differences.clear();
        differences.extend_from_slice(low);
        module.sub(&mut differences, high);
        module.add(low, high);
        high.clone_from_slice(&differences);
    }
    if direction == Direction::Forward {
        scale_high(module, &mut pairs, twiddles, skipped);
    }
}

/// Multiplies all upper halves by the twiddles, but for the first `skipped` of each, in one call.
fn scale_high<M: Module>(
    module: &M,
    pairs: &mut [Halves<'_, M::Element>],
    twiddles: &[Scalar<M>],
    skipped: usize,
) {
    let row = twiddles.len() - skipped;
    if row == 0 {
        return;
    }
    let mut scalars = Vec::with_capacity(pairs.len() * row);
    let mut elements = Wiped::new(Vec::with_capacity(pairs.len() * row));
    for (_, high) in pairs.iter() {
        scalars.extend_from_slice(&twiddles[skipped..]);
        elements.extend_from_slice(&high[skipped..]);
    }
    module.scale(&scalars, &mut elements);
    for ((_, high), scaled) in pairs.iter_mut().zip(elements.chunks(row)) {
        high[skipped..].clone_from_slice(scaled);
    }
}
