//! Attempts at second messages, many side by side.

use chacha20::ChaCha20Rng;
use curve25519_dalek::Scalar as Residue;
use rand_core::{CryptoRng, Rng};
use rayon::prelude::*;
use veilset_simd::Kernel;
use veilset_simd::ristretto255::{self, ElligatorBranch, Point, Scalar};
use zeroize::Zeroizing;

use crate::curve25519::VALUES_A_TASK;
use crate::curve25519::distributed::ORDER;
use crate::shuffle::seeded;

/// All bits of an [`ElligatorBranch`].
pub(super) const ALL: u8 = 0x1f;

/// Groups of eight lanes side by side: attempts are a multiple of their number.
const ATTEMPTS: usize = 24;

/// Second messages with the numbers b/8 modulo ℓ of their points.
pub(super) struct Drawn {
    pub(super) messages: Zeroizing<Vec<[u8; 32]>>,
    pub(super) eighths: Zeroizing<Vec<Scalar>>,
}

/// Draws n messages. Of the branches only the bits in `bits` are drawn, and the others 0: all, but in tests.
pub(super) fn draw(n: usize, bits: u8, rng: &mut dyn CryptoRng) -> Drawn {
    let mut messages = Zeroizing::new(vec![[0; 32]; n]);
    let mut eighths = Zeroizing::new(vec![[0; 32]; n]);
    let generators: Vec<_> = (0..n.div_ceil(VALUES_A_TASK)).map(|_| seeded(rng)).collect();
    let places = messages.par_chunks_mut(VALUES_A_TASK).zip(eighths.par_chunks_mut(VALUES_A_TASK));
    generators.into_par_iter().zip(places).for_each(|(rng, (messages, eighths))| {
        fill(rng, bits, messages, eighths);
    });
    Drawn { messages, eighths }
}

/// Puts the first attempts that succeed into both, which are as many.
fn fill(mut rng: ChaCha20Rng, bits: u8, messages: &mut [[u8; 32]], eighths: &mut [Scalar]) {
    let eighth = Residue::from(8u8).invert();
    let mut done = 0;
    while done < messages.len() {
        // Half of them succeed.
        let count = (2 * (messages.len() - done)).next_multiple_of(ATTEMPTS);
        let attempts = Attempts::new(&mut rng, bits, count);
        let places = messages[done..].iter_mut().zip(&mut eighths[done..]);
        for ((message, to), (number, scalar)) in places.zip(attempts.successes()) {
            let eighth_of = Zeroizing::new(Residue::from_bytes_mod_order(*scalar) * eighth);
            (*message, *to) = (*number, eighth_of.to_bytes());
            done += 1;
        }
    }
}

struct Attempts {
    scalars: Zeroizing<Vec<Scalar>>,
    numbers: Zeroizing<Vec<[u8; 32]>>,
    found: Vec<bool>,
}

impl Attempts {
    fn new(rng: &mut ChaCha20Rng, bits: u8, count: usize) -> Self {
        let scalars = scalars(rng, count);
        let mut bytes = Zeroizing::new(vec![0; count]);
        rng.fill_bytes(&mut bytes);
        let branches: Zeroizing<Vec<_>> =
            Zeroizing::new(bytes.iter().map(|byte| ElligatorBranch::new(byte & bits)).collect());
        let mut points = Zeroizing::new(vec![Point::IDENTITY; count]);
        ristretto255::multiply_generator(Kernel::best(), &scalars, &mut points);
        let (mut numbers, mut found) = (Zeroizing::new(vec![[0; 32]; count]), vec![false; count]);
        ristretto255::representatives(Kernel::best(), &points, &branches, &mut numbers, &mut found);
        Self { scalars, numbers, found }
    }

    /// Numbers and scalars of the attempts that succeeded, in order.
    fn successes(&self) -> impl Iterator<Item = (&[u8; 32], &Scalar)> {
        let both = self.numbers.iter().zip(&*self.scalars).zip(&self.found);
        both.filter(|(_, found)| **found).map(|(both, _)| both)
    }
}

/// Uniform numbers below ℓ: of 253 bits, drawn again while they are not below; how often tells nothing about those kept.
fn scalars(rng: &mut ChaCha20Rng, count: usize) -> Zeroizing<Vec<Scalar>> {
    let mut scalars = Zeroizing::new(vec![[0; 32]; count]);
    rng.fill_bytes(scalars.as_flattened_mut());
    for scalar in &mut *scalars {
        loop {
            scalar[31] &= 0x1f;
            if scalar.iter().rev().lt(ORDER.iter().rev()) {
                break;
            }
            rng.fill_bytes(scalar);
        }
    }
    scalars
}
