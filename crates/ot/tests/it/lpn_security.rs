//! Every size of dual-LPN instance stands against the attacks of the estimator, and the estimator against published
//! numbers.

#[path = "../../examples/lpn_security/comb.rs"]
mod comb;

#[path = "../../examples/lpn_security/estimator.rs"]
mod estimator;

#[path = "../../src/vole/parameters.rs"]
mod parameters;

use comb::Attack;
use estimator::Instance;
use parameters::LpnParameters;

/// Of the two fields that vectors are over.
const FIELDS: [f64; 3] = [4.0, 64.0, 128.0];

fn instance(parameters: &LpnParameters, field_bits: f64) -> Instance {
    Instance {
        syndrome: parameters.compressed_len() as f64,
        length: (parameters.blocks() * parameters.block()) as f64,
        blocks: parameters.blocks() as f64,
        field_bits,
        value_bits: field_bits,
    }
}

/// Lengths up to the greatest, and those of key-value stores, which have a quarter or a third more columns than keys.
fn lens() -> impl Iterator<Item = usize> {
    let sizes = (10..=30).flat_map(|log| [1 << log, (1 << log) + 1, (1 << log) / 4 * 5]);
    let sizes = sizes.chain((10..=29).map(|log| (1 << log) / 20 * 27));
    [0, 1, 100].into_iter().chain(sizes.filter(|&len| len <= LpnParameters::MAX_LEN))
}

#[test]
fn every_size_has_128_bits() {
    for len in lens() {
        for field_bits in FIELDS {
            let bits = instance(&LpnParameters::new(len), field_bits).bits();
            assert!(bits.least() >= 128.0, "{len}: {bits:?}");
        }
    }
}

/// Two noisy places in the word, and twice as many rows as are expected. Of the bits above 128 a sender of wrong trees knows
/// about one, and two vectors in a run take another.
#[test]
fn regular_noise_misses_light_words_with_less_than_2_to_the_minus_128() {
    for len in lens() {
        let parameters = LpnParameters::new(len);
        let [rows, blocks] = [parameters.compressed_len(), parameters.blocks()];
        let attack = Attack { rows: rows as f64, blocks: blocks as f64, hits: 2, luck: 2.0 };
        if let Some(comb) = attack.best() {
            assert!(comb.bits >= 140.0, "{len}: {comb:?}");
        }
    }
}

/// Vectors of nonets, 2^19 entries at most, are nine syndromes over GF(2^8) with noise in the same places. Either all are taken at once, or a
/// combination of them that is zero at eight noisy places. A word on whose intervals up to eight noisy places lie leaves sums of
/// less than nine dimensions; of ten places two are parallel modulo the rest, and of twelve any four depend on one another, which lists
/// of four find. A run of 2^28 elements has 600 vectors.
#[test]
fn nine_syndromes_at_once_give_no_more_away() {
    for len in lens().filter(|&len| len <= 1 << 19).chain([524_288]) {
        let parameters = LpnParameters::new(len);
        let one = instance(&parameters, 8.0);
        let block = one.length / one.blocks;
        let freed = Instance { blocks: one.blocks - 8.0, length: one.length - 8.0 * block, ..one };
        for instance in [Instance { value_bits: 72.0, ..one }, freed] {
            let bits = instance.bits();
            assert!(bits.least() >= 128.0, "{len}: {bits:?}");
        }
        for (hits, least) in [(10, 140.0), (12, 128.0 + 600_f64.log2())] {
            let attack = Attack { rows: one.syndrome, blocks: one.blocks, hits, luck: 2.0 };
            if let Some(comb) = attack.best() {
                assert!(comb.bits >= least, "{len}: {comb:?}");
            }
        }
        // A set of half of each block with at most eight noisy places shows itself by its rank, whichever places they are.
        let (mut ways, mut sum) = (1.0, 1.0);
        for chosen in 1..=8 {
            ways *= (one.blocks - f64::from(chosen) + 1.0) / f64::from(chosen);
            sum += ways;
        }
        assert!(one.blocks - f64::log2(sum) >= 128.0, "{len}");
    }
}

/// Words that were built with 280 blocks at 2^20 and 2^22 elements, by a test of the code, end where their rows do and so are
/// missed a little more often.
#[test]
fn light_words_are_missed_as_those_that_were_built() {
    for (block, bits) in [(7_496, 199.1), (29_960, 154.1)] {
        let rows = f64::from(140 * block);
        let attack = Attack { rows, blocks: 280.0, hits: 0, luck: 1.0 };
        let counted = attack.best().map(|comb| comb.bits).expect("rows enough");
        assert!((0.0..5.0).contains(&(counted - bits)), "{counted}");
    }
}

/// The formula by itself: rows enough lie in the intervals that were found, and what they cover is missed so seldom.
#[test]
fn the_intervals_have_the_rows_that_they_need() {
    for (rows, blocks, luck) in [(1e6, 280.0, 1.0), (2.7e8, 616.0, 2.0)] {
        let attack = Attack { rows, blocks, hits: 0, luck };
        let comb = attack.best().expect("rows enough");
        let [first, second] = comb.intervals.map(|count| count as f64);
        let [x, z] = comb.shares;
        let tau = 4.0 * second * z / blocks;
        let inside = luck * rows * (4.0 * first * x / blocks) * tau.powi(7);
        let needed = 28.0 * (first + second) + 1.0;
        assert!((0.0..1.0).contains(&(inside - needed)), "{inside}: {comb:?}");
        let missed = (1.0 - x).powf(2.0 * first) * (1.0 - z).powf(2.0 * second);
        assert!((missed.log2() + comb.bits).abs() < 0.01, "{comb:?}");
    }
}

/// Two rows of tables 5 and 6 of eprint 2025/1284: RSD(2^14, 3482, 338) and RSD(2^12, 1589, 172), truncated to whole
/// blocks.
#[test]
fn the_hybrid_attack_costs_what_its_paper_says() {
    for (length, dimension, blocks, bits) in
        [(16_224.0, 3_322.0, 338.0, 133.15), (3_956.0, 1_449.0, 172.0, 132.60)]
    {
        let instance = Instance {
            syndrome: length - dimension,
            length,
            blocks,
            field_bits: 128.0,
            value_bits: 128.0,
        };
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
        let instance = Instance {
            syndrome: length - dimension,
            length,
            blocks,
            field_bits: 128.0,
            value_bits: 128.0,
        };
        let algebraic = instance.algebraic();
        assert!((algebraic - bits).abs() < 1.0, "{length}, {blocks}: {algebraic}");
    }
}

/// Prange's algorithm on regular noise misses it with probability (1 − k/N)^t in each trial.
#[test]
fn half_of_each_block_is_free_of_noise_with_probability_two_to_the_minus_t() {
    let instance = instance(&LpnParameters::new(1 << 20), 128.0);
    let prange = 280.0 + 2.0 * instance.syndrome.log2();
    // What lists of noisy places save.
    let saved = prange - instance.information_set();
    assert!((0.0..20.0).contains(&saved), "{saved}");
}

/// Binary noise of weight 128 at N = 2,048 falls short of 128 bits by more than elimination alone would tell.
#[test]
fn a_small_field_and_few_blocks_are_seen_to_be_weak() {
    let instance = Instance {
        syndrome: 1_024.0,
        length: 2_048.0,
        blocks: 64.0,
        field_bits: 1.0,
        value_bits: 1.0,
    };
    assert!(instance.information_set() < 90.0, "{}", instance.information_set());
}

/// A binary code, one of degree 1 and one of degree 2.
#[test]
fn a_binary_code_is_seen_to_be_weak() {
    let instance = instance(&LpnParameters::new(1 << 20), 128.0);
    let bits = [0, 1, 2].map(|degree| instance.subspace(degree));
    assert!(bits[0] < 40.0 && bits[1] < 220.0 && bits[2] > 270.0, "{bits:?}");
    let instance = Instance { blocks: 128.0, ..instance };
    assert!(instance.subspace(0) < 1.0 && instance.subspace(2) > 120.0);
}
