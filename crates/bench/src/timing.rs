//! Whether the time of an operation depends on its secret: a statistical test on this machine.
//!
//! Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?" (eprint 2016/1123). The operation is timed on
//! secrets of two classes, one that is always the same and one that is random, in random order, and Welch's t tells
//! how sure it is that the means differ. Interrupts only ever slow, so the test is repeated on what is left after the
//! slowest measurements are cut off, for several shares, and the largest |t| counts.

use std::array;
use std::hint::black_box;
use std::iter;
use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_crypto::kernel::{Kernel, Scalar, map_batch, multiply_batch};
use veilset_crypto::{Element, Point};

use crate::welch::largest_t;

/// The |t| above which the times differ.
///
/// The authors take more than 4.5 as a sign and more than 10 as certain. The first rests on independent measurements,
/// and on a virtual machine a neighbour or a change of the clock lasts for many; so it is 10 here, in both of two runs.
pub const TIMING_THRESHOLD: f64 = 10.0;

/// Values in a batch.
const BATCH: usize = 16;

/// Measurements of a run, at least, however short its time.
const LEAST: usize = 400;

/// Measurements of a run, at most: they are all kept.
const MOST: usize = 1 << 22;

/// What an operation is given: a batch of elements, or a key in the first place.
type Secret = [[u8; 32]; BATCH];

/// One measurement.
pub(crate) struct Sample {
    /// Whether the secret was the one that is always the same.
    pub(crate) fixed: bool,
    /// Nanoseconds.
    pub(crate) time: u64,
}

/// What the test says of one operation of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The kernel's name, or `control` for an operation whose time does depend on its secret.
    pub kernel: &'static str,
    /// `mul` (keys), `map` (elements), or `branch` for the control.
    pub op: &'static str,
    /// Measurements behind `t`, both classes together.
    pub measurements: usize,
    /// The largest |t|; of the two runs' the smaller one, where there were two.
    pub t: f64,
}

impl Timing {
    /// The `kernel` of the control.
    pub const CONTROL: &'static str = "control";

    /// Whether the times differ: two independent runs said so.
    #[must_use]
    pub fn leak(&self) -> bool {
        self.t > TIMING_THRESHOLD
    }

    /// Whether this is the control, which has to leak for the test to mean anything.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.kernel == Self::CONTROL
    }
}

/// Tests the control and then every kernel and operation, each for `budget`, on the thread that takes the next one.
/// A row takes that time again when its first run sees a difference.
pub fn timing(budget: Duration) -> impl Iterator<Item = Timing> {
    let kernels = Kernel::available().flat_map(|kernel| [multiplication(kernel), map(kernel)]);
    iter::once(control()).chain(kernels).map(move |mut subject| subject.test(budget))
}

/// An operation that is tested.
struct Subject {
    kernel: &'static str,
    op: &'static str,
    /// Prepares the operation with a secret, and returns how long it took by itself.
    timed: Box<dyn FnMut(&Secret) -> Duration>,
}

impl Subject {
    /// One run, and another to confirm it if it sees a difference: a neighbour's doing does not come twice.
    fn test(&mut self, budget: Duration) -> Timing {
        let first = self.run(budget, 1);
        if !first.leak() {
            return first;
        }
        let second = self.run(budget, 2);
        if second.t < first.t { second } else { first }
    }

    fn run(&mut self, budget: Duration, run: u8) -> Timing {
        let samples = self.samples(budget, ChaCha20Rng::from_seed([run; 32]));
        // Caches, predictors and the clock frequency settle in the first tenth.
        let settled = &samples[samples.len() / 10..];
        let (kernel, op) = (self.kernel, self.op);
        Timing { kernel, op, measurements: settled.len(), t: largest_t(settled) }
    }

    fn samples(&mut self, budget: Duration, mut rng: ChaCha20Rng) -> Vec<Sample> {
        let started = Instant::now();
        let mut samples = Vec::new();
        while samples.len() < LEAST || (samples.len() < MOST && started.elapsed() < budget) {
            let (fixed, secret) = draw(&mut rng);
            let time = (self.timed)(&secret).as_nanos() as u64;
            samples.push(Sample { fixed, time });
        }
        samples
    }
}

/// A secret of a class drawn at random. The fixed one is zero throughout: as a key it has a single bit after clamping,
/// and as elements it puts the same into every lane. Both classes draw the same and touch the same memory.
fn draw(rng: &mut ChaCha20Rng) -> (bool, Secret) {
    let random = (rng.next_u32() & 1) as u8;
    let mask = black_box(random.wrapping_neg());
    let mut secret = [[0; 32]; BATCH];
    rng.fill_bytes(secret.as_flattened_mut());
    secret.as_flattened_mut().iter_mut().for_each(|byte| *byte &= mask);
    (random == 0, secret)
}

/// A batch of points times a key; the key's preparation is not timed.
fn multiplication(kernel: Kernel) -> Subject {
    let batch: [Point; BATCH] = array::from_fn(|index| [index as u8 + 9; 32]);
    let mut points = batch;
    let timed = move |secret: &Secret| {
        let key = Scalar::new(&secret[0]);
        points.copy_from_slice(&batch);
        time(|| multiply_batch(kernel, &key, black_box(&mut points)))
    };
    Subject { kernel: kernel.name(), op: "mul", timed: Box::new(timed) }
}

/// A batch of elements to the curve.
fn map(kernel: Kernel) -> Subject {
    let mut points: [Point; BATCH] = [[0; 32]; BATCH];
    let timed = move |secret: &Secret| {
        let elements = secret.map(Element);
        time(|| map_batch(kernel, black_box(&elements), black_box(&mut points)))
    };
    Subject { kernel: kernel.name(), op: "map", timed: Box::new(timed) }
}

/// A power that branches on the bits of its exponent, as no operation on a secret may.
fn control() -> Subject {
    let timed = |secret: &Secret| {
        let exponent = black_box(secret[0]);
        time(|| {
            black_box(branching_power(3, &exponent));
        })
    };
    Subject { kernel: Timing::CONTROL, op: "branch", timed: Box::new(timed) }
}

/// Square and multiply modulo 2^64; the exponent's bits go from the first byte's lowest upwards.
fn branching_power(base: u64, exponent: &[u8; 32]) -> u64 {
    let mut square = base;
    let mut power = 1u64;
    for bit in exponent.iter().flat_map(|byte| (0..8).map(move |place| byte >> place & 1)) {
        if bit == 1 {
            // Kept from becoming a conditional move.
            power = black_box(power.wrapping_mul(square));
        }
        square = square.wrapping_mul(square);
    }
    power
}

fn time(operation: impl FnOnce()) -> Duration {
    let started = Instant::now();
    operation();
    started.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_classes_are_drawn_and_the_fixed_one_is_always_the_same() {
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let draws: Vec<(bool, Secret)> = (0..1000).map(|_| draw(&mut rng)).collect();
        let fixed = draws.iter().filter(|(fixed, _)| *fixed).count();
        assert!((400..600).contains(&fixed));
        assert!(draws.iter().all(|(fixed, secret)| *fixed == (*secret == [[0; 32]; BATCH])));
    }

    #[test]
    fn the_control_computes_a_power() {
        let mut exponent = [0; 32];
        exponent[..2].copy_from_slice(&300u16.to_le_bytes());
        assert_eq!(branching_power(3, &exponent), 3u64.wrapping_pow(300));
    }

    #[test]
    fn the_control_is_seen_and_confirmed() {
        let timing = control().test(Duration::from_millis(20));
        assert!(timing.is_control() && timing.leak(), "{timing:?}");
    }

    #[test]
    fn a_run_without_time_still_measures() {
        let timing = control().run(Duration::ZERO, 1);
        assert_eq!(timing.measurements, LEAST - LEAST / 10);
    }
}
