//! Microseconds a message of both key agreements and of the permutations of their fields, on one thread, the best of 25.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::hint::black_box;
use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::ideal_permutation::{
    Feistel2048, FieldPermutation, Rijndael256, StringPermutation,
};
use veilset_crypto::{Curve25519Agreement, KeyAgreement, SafePrimeAgreement};

const SAMPLES: usize = 25;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread starts");
    pool.install(|| {
        println!(
            "{:>12} {:>6} {:>10} {:>10} {:>10} {:>10}",
            "", "n", "second", "keys", "Π", "Π^-1"
        );
        let permutation = FieldPermutation::new(Rijndael256::new(), Curve25519Agreement.modulus());
        for n in [1, 16, 39, 40, 256, 1024] {
            measure("Curve25519", &Curve25519Agreement, &permutation, n);
        }
        let agreement = SafePrimeAgreement::ffdhe2048();
        let permutation = FieldPermutation::new(Feistel2048, agreement.modulus());
        for n in [1, 8, 64, 256] {
            measure("ffdhe2048", &agreement, &permutation, n);
        }
    });
}

fn measure<A, P, const BYTES: usize>(
    name: &str,
    agreement: &A,
    permutation: &FieldPermutation<P, BYTES>,
    n: usize,
) where
    A: KeyAgreement<Value = [u8; BYTES]>,
    P: StringPermutation<BYTES>,
{
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let (secret, first) = agreement.first(&mut rng);
    let mut second = agreement.second(&first, n, &mut rng).expect("an honest first message");
    let times = [
        best(n, || drop(black_box(agreement.second(black_box(&first), n, &mut rng)))),
        best(n, || drop(black_box(agreement.keys(&secret, black_box(&second.messages))))),
    ];
    let permute = [
        best(n, || permutation.apply(black_box(&mut second.messages))),
        best(n, || permutation.invert(black_box(&mut second.messages))),
    ];
    let [second, keys] = times;
    let [there, back] = permute;
    println!("{name:>12} {n:>6} {second:>10.2} {keys:>10.2} {there:>10.3} {back:>10.3}");
}

/// Microseconds a message of the fastest sample.
fn best(n: usize, mut sample: impl FnMut()) -> f64 {
    let time = |_| {
        let started = Instant::now();
        sample();
        started.elapsed().as_secs_f64() * 1e6 / n as f64
    };
    (0..SAMPLES).map(time).fold(f64::INFINITY, f64::min)
}
