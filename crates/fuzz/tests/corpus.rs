//! Every target on honest inputs, on those with changes, and on noise: the same ones every time.

use std::panic::catch_unwind;

use veilset_fuzz::{Mutator, TARGETS, Target};

/// Inputs of a target that are honest ones with changes, more where they are quick; each is from a number, so that a failure
/// can be had again.
const CHANGED: usize = 500;

/// Inputs that are noise.
const NOISE: u64 = 100;

/// The longest noise in bytes.
const LONGEST: usize = 600;

fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).expect("a target")
}

/// Runs a target on one input, and says which it was if that fails.
fn feed(target: &Target, input: &str, bytes: &[u8]) {
    if catch_unwind(|| (target.run)(bytes)).is_err() {
        panic!("target {}, {input}: see the panic above", target.name);
    }
}

/// Runs a target on its honest inputs, on `changed` changed ones, and on noise.
fn run(name: &str, changed: usize) {
    let target = target(name);
    let seeds = (target.seeds)();
    for seed in &seeds {
        feed(target, &format!("seed \"{}\"", seed.name), &seed.bytes);
    }
    for (number, seed) in (0u64..).zip(seeds.iter().cycle()).take(changed) {
        let mut bytes = seed.bytes.clone();
        Mutator::new(number).change(&mut bytes);
        feed(target, &format!("seed \"{}\" changed by Mutator::new({number})", seed.name), &bytes);
    }
    for number in 0..NOISE {
        let bytes = Mutator::new(number).noise(LONGEST);
        feed(target, &format!("noise of Mutator::new({number})"), &bytes);
    }
}

#[test]
fn sorted_set() {
    run("sorted_set", 20 * CHANGED);
}

#[test]
fn protocol_messages() {
    run("protocol_messages", CHANGED);
}

#[test]
fn fhe_messages() {
    run("fhe_messages", CHANGED);
}

#[test]
fn agreement() {
    run("agreement", CHANGED / 2);
}

#[test]
fn receipt() {
    run("receipt", 20 * CHANGED);
}

#[test]
fn table() {
    run("table", 20 * CHANGED);
}

#[test]
fn objects() {
    run("objects", 20 * CHANGED);
}

#[test]
fn parquet() {
    run("parquet", 2 * CHANGED);
}

#[test]
fn arrow() {
    run("arrow", 2 * CHANGED);
}

#[test]
fn workbook() {
    run("workbook", 2 * CHANGED);
}

#[test]
fn gzip() {
    run("gzip", 2 * CHANGED);
}

#[test]
fn zstd() {
    run("zstd", 2 * CHANGED);
}

#[test]
fn calendar() {
    run("calendar", 10 * CHANGED);
}

#[test]
fn items() {
    run("items", 20 * CHANGED);
}

#[test]
fn flags() {
    run("flags", 20 * CHANGED);
}

#[test]
fn openmined() {
    run("openmined", 20 * CHANGED);
}

#[test]
fn lookup() {
    run("lookup", CHANGED);
}

#[test]
fn pair_list() {
    run("pair_list", 2 * CHANGED);
}

#[test]
fn pair_key() {
    run("pair_key", 20 * CHANGED);
}

#[test]
fn pair_seen() {
    run("pair_seen", 20 * CHANGED);
}

#[test]
fn every_target_has_a_program() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz");
    let manifest = std::fs::read_to_string(format!("{folder}/Cargo.toml")).expect("readable");
    let smoke = std::fs::read_to_string(format!("{folder}/smoke")).expect("readable");
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert!(smoke.contains(&names.join(" ")), "fuzz/smoke runs all");
    for name in names {
        assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")), "{name}");
        let program =
            std::fs::read_to_string(format!("{folder}/targets/{name}.rs")).expect("readable");
        assert!(program.contains(&format!("veilset_fuzz::{name}(data)")), "{name}");
    }
}
