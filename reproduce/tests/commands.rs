//! Every command that the page of benchmarks has for a paper's tables runs, at small sizes.

use std::fs;
use std::process::{Command, Output};

const CALL: &str = "cargo run --release -p veilset-reproduce -- ";

fn reproduce(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reproduce")).args(arguments).output().expect("it runs")
}

#[test]
fn every_command_of_the_page_runs() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results/papers.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(CALL)).collect();
    assert_eq!(commands.len(), 5, "one for each paper");
    for command in commands {
        let small = command
            .replace("2^7,2^8,2^9,2^10,2^12x2^8,2^16x2^12,2^20x2^16", "2^4,2^5x2^4")
            .replace("2^20x11041,2^20x5535,2^16x11041,2^16x5535", "2^5x3")
            .replace("20,50,100,200,500,1000,2000", "2^3")
            .replace("2^12,2^16,2^20", "2^4")
            .replace("2^7,2^8,2^9,2^10,2^11,2^12", "2^4");
        let output = reproduce(&small.split_whitespace().collect::<Vec<_>>());
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {told}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("\n|---|"), "{command}");
    }
}

#[test]
fn what_cannot_be_reproduced_is_refused() {
    let refused = |arguments: &[&str], why: &str| {
        let output = reproduce(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(told.contains(why), "{told}");
    };
    refused(&["none"], "papers: mqrpmt, kissner-song, rosulek-trieu, pros, fhe-psi");
    refused(&["pros", "--sizes", "0"], "sizes go from 1 to 2^31");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    refused(&["pros", "--sizes", "8", "--write", page], "has no lines <!-- paper pros -->");
}
