//! The security of the dual-LPN instances behind the silent vector OLE, attack by attack, in bits.
//!
//! `lpn_security` prints a table for 2^10 to 2^30 correlations over 2^4, 2^64 and 2^128 elements; `lpn_security M N T LOG2Q` one
//! line for any instance. `words` are the light words of `comb.rs`, `(most)` with all that is allowed there; then how many
//! intervals the likeliest of them has in either half, and the share of a block that these cover on each side.

#![allow(clippy::print_stdout)]

#[path = "../../src/vole/parameters.rs"]
mod parameters;

mod comb;
mod estimator;

use comb::{Attack, Comb};
use estimator::{Bits, Instance};
use parameters::LpnParameters;

/// Noisy places that may lie in a light word, and how many times as many rows as expected: without and with allowances.
const COMBS: [(u32, f64); 2] = [(0, 1.0), (2, 2.0)];

fn main() {
    let arguments: Vec<f64> =
        std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    println!(
        "{:>14} {:>10} {:>10} {:>7} {:>4}  {:>5} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6}  {:>5}  intervals",
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
        "words",
        "(most)",
        "least"
    );
    if let [syndrome, length, blocks, field_bits] = arguments[..] {
        let value_bits = field_bits;
        return report("", Instance { syndrome, length, blocks, field_bits, value_bits });
    }
    for log in 10..=30 {
        let parameters = LpnParameters::new(1 << log);
        for field_bits in [4.0, 64.0, 128.0] {
            let instance = Instance {
                syndrome: parameters.compressed_len() as f64,
                length: (parameters.blocks() * parameters.block()) as f64,
                blocks: parameters.blocks() as f64,
                field_bits,
                value_bits: field_bits,
            };
            report(&format!("{}/{field_bits}", 1 << log), instance);
        }
    }
}

fn report(len: &str, instance: Instance) {
    let Instance { syndrome, length, blocks, .. } = instance;
    let bits = instance.bits();
    print!("{len:>14} {syndrome:10} {length:10} {:7.0} {blocks:4} ", length / blocks);
    let Bits { information_set, statistical_decoding, algebraic, hybrid, subspace } = bits;
    for bits in [information_set, statistical_decoding, algebraic, hybrid, subspace] {
        print!(" {bits:5.0}");
    }
    let mut least = bits.least();
    let combs = COMBS.map(|(hits, luck)| Attack { rows: syndrome, blocks, hits, luck }.best());
    for comb in combs {
        let bits = comb.map_or(f64::INFINITY, |comb| comb.bits);
        print!(" {bits:6.1}");
        least = least.min(bits);
    }
    print!("  {least:5.0}");
    if let [Some(Comb { intervals: [first, second], shares: [x, z], .. }), _] = combs {
        print!("  {first} of {x:.2}, {second} of {z:.2}");
    }
    println!();
}
