//! Every size of dual-LPN instance stands against the attacks of the estimator, and the estimator against published
//! numbers.

#[path = "../examples/lpn_security/estimator.rs"]
mod estimator;

#[path = "../src/vole/parameters.rs"]
mod parameters;

use estimator::Instance;
use parameters::Parameters;

/// Of the two fields that vectors are over.
const FIELDS: [f64; 2] = [64.0, 128.0];

fn instance(parameters: &Parameters, field_bits: f64) -> Instance {
    Instance {
        syndrome: parameters.compressed_len() as f64,
        length: parameters.noise_len() as f64,
        blocks: (parameters.noise_len() / parameters.block()) as f64,
        field_bits,
    }
}

#[test]
fn every_size_has_128_bits() {
    let sizes = (10..=25).flat_map(|log| [1 << log, (1 << log) / 4 * 5, (1 << log) / 20 * 27]);
    for len in [0, 1, 100].into_iter().chain(sizes) {
        for field_bits in FIELDS {
            let instance = instance(&Parameters::new(len), field_bits);
            let bits = instance.bits();
            assert!(bits.least() >= 128.0, "{len}: {bits:?}");
            assert!(instance.linear_test(0.15) >= 64.0, "{len}");
            assert!(instance.linear_test(0.272) >= 128.0, "{len}");
        }
    }
}

/// Two rows of tables 5 and 6 of eprint 2025/1284: RSD(2^14, 3482, 338) and RSD(2^12, 1589, 172), truncated to whole
/// blocks.
#[test]
fn the_hybrid_attack_costs_what_its_paper_says() {
    for (length, dimension, blocks, bits) in
        [(16_224.0, 3_322.0, 338.0, 133.15), (3_956.0, 1_449.0, 172.0, 132.60)]
    {
        let instance = Instance { syndrome: length - dimension, length, blocks, field_bits: 128.0 };
        let hybrid = instance.hybrid();
        assert!((hybrid - bits).abs() < 0.01, "{length}: {hybrid}");
    }
}

/// Costs by exact arithmetic on the published formula, over all numbers of blocks and places to guess.
#[test]
fn the_algebraic_attack_costs_what_exact_arithmetic_says() {
    for (length, dimension, blocks, bits) in [
        (1_024.0, 652.0, 57.0, 111.48),
        (1_024.0, 652.0, 106.0, 178.68),
        (2_240.0, 1_120.0, 280.0, 311.33),
    ] {
        let instance = Instance { syndrome: length - dimension, length, blocks, field_bits: 128.0 };
        let algebraic = instance.algebraic();
        assert!((algebraic - bits).abs() < 1.0, "{length}, {blocks}: {algebraic}");
    }
}

/// Prange's algorithm on regular noise misses it with probability (1 − k/N)^t in each trial.
#[test]
fn half_of_each_block_is_free_of_noise_with_probability_two_to_the_minus_t() {
    let instance = instance(&Parameters::new(1 << 20), 128.0);
    let prange = 280.0 + 2.0 * instance.syndrome.log2();
    // What lists of noisy places save.
    let saved = prange - instance.information_set();
    assert!((0.0..20.0).contains(&saved), "{saved}");
}

/// Binary noise of weight 128 at N = 2,048 falls short of 128 bits by more than elimination alone would tell.
#[test]
fn a_small_field_and_few_blocks_are_seen_to_be_weak() {
    let instance = Instance { syndrome: 1_024.0, length: 2_048.0, blocks: 64.0, field_bits: 1.0 };
    assert!(instance.information_set() < 90.0, "{}", instance.information_set());
    assert!(instance.linear_test(0.25) <= 64.0);
}

/// A binary code, one of degree 1 and one of degree 2.
#[test]
fn a_binary_code_is_seen_to_be_weak() {
    let instance = instance(&Parameters::new(1 << 20), 128.0);
    let bits = [0, 1, 2].map(|degree| instance.subspace(degree));
    assert!(bits[0] < 40.0 && bits[1] < 220.0 && bits[2] > 270.0, "{bits:?}");
    let instance = Instance { blocks: 128.0, ..instance };
    assert!(instance.subspace(0) < 1.0 && instance.subspace(2) > 120.0);
}
