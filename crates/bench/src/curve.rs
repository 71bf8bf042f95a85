//! Curve operations against the reference.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_crypto::kernel::{Kernel, Scalar, map_batch, multiply_batch, p256};
use veilset_crypto::{
    Accelerator, CommutativePrf, Element, Group, Point, PrimeGroup, Ristretto255, accelerator,
    with_prf,
};

use crate::BenchError;

/// Operations a sample at most, all in one batch, and at least.
const SAMPLE: usize = 4096;
const FEWEST: usize = 64;

/// Batches of a sample on a device.
const DEVICE_BATCHES: usize = 32;

/// Operations a sample of the reference, which every measurement is set beside.
const REFERENCE: usize = 128;

/// Samples; the fastest counts, since noise only ever slows.
const SAMPLES: usize = 7;

/// The time of one operation of a kernel beside the reference's multiplication.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveCost {
    /// The kernel's name: of the instructions, for Curve25519, of another group, or of P-256 and the instructions.
    pub kernel: String,
    /// `mul` (one key, many points), `map` (an element to the curve), `add` (two points), `root` (from an x-coordinate to a
    /// point) or `check` (whether a point is on the curve).
    pub op: &'static str,
    /// Nanoseconds an operation.
    pub ns: f64,
    /// Nanoseconds an X25519 of the reference, in the same run.
    pub reference_ns: f64,
}

/// Seconds that one X25519 takes in the reference library (aws-lc) now.
#[must_use]
pub fn reference_seconds() -> f64 {
    let Ok(key) = PrivateKey::from_private_key(&X25519, &[0x5a; 32]) else { return f64::NAN };
    let mut point: Point = [9; 32];
    best(REFERENCE, || {
        for _ in 0..REFERENCE {
            let peer = UnparsedPublicKey::new(&X25519, point);
            let product = agree(&key, peer, (), |shared| shared.try_into().map_err(|_| ()));
            point = product.unwrap_or([9; 32]);
        }
        black_box(point);
    })
}

/// Times every kernel and operation on one thread, each for `budget` at most.
///
/// # Errors
/// When that thread cannot be started.
pub fn curve(budget: Duration) -> Result<Vec<CurveCost>, BenchError> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    Ok(pool.install(|| curve_here(budget)))
}

fn curve_here(budget: Duration) -> Vec<CurveCost> {
    let mut reference = reference_seconds();
    let mut costs = Vec::new();
    for kernel in Kernel::available() {
        costs.extend(kernel_costs(kernel, budget));
        reference = reference.min(reference_seconds());
    }
    costs.extend(accelerator().map(device_costs).into_iter().flatten());
    costs.extend(operations());
    for group in Group::ALL.into_iter().filter(|group| *group != Group::Curve25519) {
        costs.extend(with_prf!(group, F => group_costs::<F>(group.name(), budget)));
        reference = reference.min(reference_seconds());
    }
    costs.iter_mut().for_each(|cost| cost.reference_ns = 1e9 * reference);
    costs
}

/// Of a device, many batches at once; an operation is a point, so the map is that of a batch that is mapped and multiplied.
fn device_costs(device: &dyn Accelerator) -> [CurveCost; 2] {
    let points = Arc::new(vec![[9; 32]; device.batch()]);
    let elements = Arc::new(vec![Element([7; 32]); device.batch()].into());
    let per_point = |start: &dyn Fn() -> Receiver<Vec<Point>>| {
        best(DEVICE_BATCHES * device.batch(), || {
            let started: Vec<_> = (0..DEVICE_BATCHES).map(|_| start()).collect();
            started.into_iter().for_each(|batch| drop(black_box(batch.recv())));
        })
    };
    let cost = |op, seconds: f64| CurveCost {
        kernel: device.name().to_owned(),
        op,
        ns: 1e9 * seconds,
        reference_ns: f64::NAN,
    };
    let multiplication = per_point(&|| device.multiply(&[8; 32], Arc::clone(&points)));
    let both = per_point(&|| device.map_and_multiply(&[8; 32], Arc::clone(&elements)));
    [cost("mul", multiplication), cost("map", (both - multiplication).max(0.0))]
}

/// What the paper on mqRPMT (eprint 2022/652, section 7.5) speaks of: multiplications, maps and roots on P-256 in lanes and
/// without, and an addition, which is on ristretto255. On the caller's threads, without a reference.
#[must_use]
pub fn operations() -> Vec<CurveCost> {
    let best = Kernel::best();
    let kernels = [Kernel::Scalar, Kernel::Avx512Ifma];
    let mut costs: Vec<CurveCost> =
        kernels.into_iter().filter(|kernel| *kernel <= best).flat_map(p256_costs).collect();
    costs.push(addition());
    costs
}

/// Multiplication and map on Curve25519 with one kernel.
fn kernel_costs(kernel: Kernel, budget: Duration) -> [CurveCost; 2] {
    let key = Scalar::new(&[0x5a; 32]);
    let elements = elements();
    let mut points: Vec<Point> = vec![[0; 32]; SAMPLE];
    let map = best_batch(budget, |count| {
        map_batch(kernel, black_box(&elements[..count]), &mut points[..count]);
    });
    let mul = best_batch(budget, |count| {
        multiply_batch(kernel, &key, black_box(&mut points[..count]));
    });
    [cost(kernel.name(), "mul", mul), cost(kernel.name(), "map", map)]
}

/// The operations of P-256 with one kernel; multiplication gives x-coordinates.
fn p256_costs(kernel: Kernel) -> [CurveCost; 4] {
    let key = p256::Scalar::new(&[0x5a; 32]).expect("1 to n − 1");
    let elements = &elements()[..REFERENCE];
    let (mut points, mut xs) = (vec![[0; 64]; REFERENCE], vec![[0; 32]; REFERENCE]);
    let map = best(REFERENCE, || p256::map_batch(kernel, black_box(elements), &mut points));
    let mul = best(REFERENCE, || {
        p256::map_batch(kernel, black_box(elements), &mut points);
        p256::multiply_to_x_batch(kernel, &key, &mut points, &mut xs);
    });
    let root = best(REFERENCE, || {
        p256::lift_batch(kernel, black_box(&xs), &mut points).expect("products are on the curve");
    });
    let check = best(REFERENCE, || {
        p256::check_batch(kernel, black_box(&points)).expect("points are on the curve");
    });
    let times = [("mul", (mul - map).max(0.0)), ("map", map), ("root", root), ("check", check)];
    times.map(|(op, seconds)| cost(format!("p256 {}", kernel.name()), op, seconds))
}

/// The sum of two points of ristretto255.
fn addition() -> CurveCost {
    let points = vec![Ristretto255.generator(); SAMPLE];
    let mut sums = points.clone();
    let seconds = best(SAMPLE, || Ristretto255.add(&mut sums, black_box(&points)));
    cost(Group::Ristretto255.name(), "add", seconds)
}

/// A group's multiplication and map; the reference is measured around all.
fn group_costs<F: CommutativePrf>(kernel: &'static str, budget: Duration) -> [CurveCost; 2] {
    let prf = F::generate(&mut ChaCha20Rng::from_seed([7; 32]));
    let elements = elements();
    let points = prf.hash_and_evaluate(&elements);
    let mul = best_batch(budget, |count| drop(black_box(prf.evaluate(&points[..count]))));
    let both =
        best_batch(budget, |count| drop(black_box(prf.hash_and_evaluate(&elements[..count]))));
    [cost(kernel, "mul", mul), cost(kernel, "map", (both - mul).max(0.0))]
}

fn elements() -> Vec<Element> {
    (0..SAMPLE).map(|index| Element([index as u8; 32])).collect()
}

/// A row whose reference is filled in later.
fn cost(kernel: impl Into<String>, op: &'static str, seconds: f64) -> CurveCost {
    CurveCost { kernel: kernel.into(), op, ns: seconds * 1e9, reference_ns: f64::NAN }
}

/// Seconds an operation of the fastest sample; `batch` makes so many at once, as many as the budget has time for.
fn best_batch(budget: Duration, mut batch: impl FnMut(usize)) -> f64 {
    let first = best(FEWEST, || batch(FEWEST));
    let count = (budget.as_secs_f64() / SAMPLES as f64 / first) as usize;
    let count = count.clamp(FEWEST, SAMPLE);
    best(count, || batch(count))
}

/// Seconds an operation of the fastest sample, which has so many.
fn best(operations: usize, mut sample: impl FnMut()) -> f64 {
    let time = |_| {
        let started = Instant::now();
        sample();
        started.elapsed().as_secs_f64() / operations as f64
    };
    (0..SAMPLES).map(time).fold(f64::INFINITY, f64::min)
}
