//! `veilset bench timing`: its rows, its JSON and its exit code. What it finds of the kernels is not asserted here, since
//! that depends on the machine and its load; the control's difference is far above the threshold on any.

use serde_json::Value;
use veilset_stage::{code, stderr};

use crate::support::party;

const SHORT: [&str; 4] = ["bench", "timing", "--seconds", "0.05"];

/// The rows' kernel and op, in order, without the control.
fn names(rows: &[[String; 2]]) -> Vec<[&str; 2]> {
    rows[1..].iter().map(|[kernel, op]| [kernel.as_str(), op.as_str()]).collect()
}

/// The control comes first, then each kernel of this processor with both operations.
fn complete(rows: &[[String; 2]]) {
    assert_eq!(rows[0], ["control", "branch"]);
    let names = names(rows);
    assert_eq!(names[..2], [["scalar", "mul"], ["scalar", "map"]]);
    assert!(names.len() <= 8);
    for pair in names.chunks(2) {
        assert!(["scalar", "avx2", "avx512f", "avx512ifma"].contains(&pair[0][0]));
        assert_eq!(pair, [[pair[0][0], "mul"], [pair[0][0], "map"]]);
    }
}

#[test]
fn every_line_is_an_object_and_the_exit_code_says_what_they_say() {
    let output = party().run(&[&SHORT[..], &["--json"]].concat());
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let name = |row: &Value, key: &str| row[key].as_str().expect("a name").to_owned();
    complete(&lines.iter().map(|row| [name(row, "kernel"), name(row, "op")]).collect::<Vec<_>>());
    for row in &lines {
        let keys: Vec<&String> = row.as_object().expect("an object").keys().collect();
        let wanted =
            ["schema", "version", "kernel", "op", "measurements", "t", "threshold", "leak"];
        assert_eq!(keys, wanted);
        assert!(row["measurements"].as_u64().expect("a count") >= 360);
        let t = row["t"].as_f64().expect("a number");
        assert_eq!(row["threshold"], 10.0);
        assert_eq!(row["leak"], t > 10.0);
    }
    assert_eq!(lines[0]["leak"], true, "the control is seen");
    let clean = lines[1..].iter().all(|row| row["leak"] == false);
    assert_eq!(code(&output), if clean { 0 } else { 70 }, "{}", stderr(&output));
}

#[test]
fn the_table_has_a_verdict_in_every_line() {
    let output = party().run(&SHORT);
    let text = String::from_utf8(output.stdout).expect("text");
    let (header, rows) = text.split_once('\n').expect("a header");
    assert_eq!(
        header.split_whitespace().collect::<Vec<_>>(),
        ["kernel", "op", "measurements", "|t|", "verdict"]
    );
    let words: Vec<Vec<&str>> = rows.lines().map(|row| row.split_whitespace().collect()).collect();
    complete(&words.iter().map(|row| [row[0].to_owned(), row[1].to_owned()]).collect::<Vec<_>>());
    assert_eq!(words[0][4..], ["DIFFERENCE"]);
    for row in words {
        let t: f64 = row[3].parse().expect("a number");
        let verdict = row[4..].join(" ");
        assert!(
            verdict == "DIFFERENCE" && t >= 10.0 || verdict == "no difference seen" && t <= 10.0
        );
    }
}
