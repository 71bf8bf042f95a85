//! The security of the dual-LPN instances behind the silent vector OLE, attack by attack, in bits.
//!
//! `lpn_security` prints a table for 2^10 to 2^25 correlations over 2^64 and 2^128 elements; `lpn_security M N T LOG2Q` one
//! line for any instance.

#![allow(clippy::print_stdout)]

#[path = "../../src/vole/parameters.rs"]
mod parameters;

mod estimator;

use estimator::{Bits, Instance};
use parameters::Parameters;

/// Relative distances at which the linear tests are shown.
const DISTANCES: [f64; 3] = [0.15, 0.27, 0.45];

fn main() {
    let arguments: Vec<f64> =
        std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    println!(
        "{:>10} {:>9} {:>9} {:>7} {:>4}  {:>5} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6}  {:>5}",
        "wanted/log₂q",
        "m",
        "N",
        "block",
        "t",
        "ISD",
        "SD",
        "alg.",
        "hyb.",
        "bits",
        "δ=.15",
        "δ=.27",
        "δ=.45",
        "least"
    );
    if let [syndrome, length, blocks, field_bits] = arguments[..] {
        return report("", Instance { syndrome, length, blocks, field_bits });
    }
    for log in 10..=25 {
        let parameters = Parameters::new(1 << log);
        for field_bits in [64.0, 128.0] {
            let instance = Instance {
                syndrome: parameters.compressed_len() as f64,
                length: parameters.noise_len() as f64,
                blocks: (parameters.noise_len() / parameters.block()) as f64,
                field_bits,
            };
            report(&format!("{}/{field_bits}", 1 << log), instance);
        }
    }
}

fn report(len: &str, instance: Instance) {
    let Instance { syndrome, length, blocks, .. } = instance;
    let bits = instance.bits();
    print!("{len:>10} {syndrome:9} {length:9} {:7.0} {blocks:4} ", length / blocks);
    let Bits { information_set, statistical_decoding, algebraic, hybrid, subspace } = bits;
    for bits in [information_set, statistical_decoding, algebraic, hybrid, subspace] {
        print!(" {bits:5.0}");
    }
    for distance in DISTANCES {
        print!(" {:6.1}", instance.linear_test(distance));
    }
    println!("  {:5.0}", bits.least());
}
