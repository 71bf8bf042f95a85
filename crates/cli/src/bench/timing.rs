//! `veilset bench timing`: whether the time of the curve operations depends on secrets.

use serde_json::{Value, json};
use veilset::json::versioned;
use veilset_bench::{TIMING_THRESHOLD, Timing, timing};

use super::args::BenchArgs;
use crate::error::Failure;

/// Tests every kernel and operation, one line each.
///
/// A difference is a bug of the program, except in the control, where its absence is one of the test.
pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    if !args.json {
        print_line!("{:10} {:6} {:>12} {:>9}  verdict", "kernel", "op", "measurements", "|t|")?;
    }
    let mut leaks = Vec::new();
    let mut blind = false;
    for timing in timing(args.seconds) {
        show(&timing, args.json)?;
        match (timing.is_control(), timing.leak()) {
            (true, seen) => blind = !seen,
            (false, true) => leaks.push(format!("{} of {}", timing.op, timing.kernel)),
            (false, false) => {}
        }
    }
    if !leaks.is_empty() {
        let leaks = leaks.join(", ");
        return Err(Failure::Bug(format!("the time depends on secrets: {leaks}")));
    }
    if blind {
        return Err(Failure::Flags(
            "the test did not see the control's difference, so it would see no other: give more --seconds, on an idle machine"
                .to_owned(),
        ));
    }
    Ok(())
}

fn show(timing: &Timing, as_json: bool) -> Result<(), Failure> {
    if as_json {
        print_line!("{}", object(timing))?;
        return Ok(());
    }
    let verdict = if timing.leak() { "DIFFERENCE" } else { "no difference seen" };
    print_line!(
        "{:10} {:6} {:>12} {:>9.2}  {verdict}",
        timing.kernel,
        timing.op,
        timing.measurements,
        timing.t
    )?;
    Ok(())
}

fn object(timing: &Timing) -> Value {
    versioned(json!({
        "kernel": timing.kernel,
        "op": timing.op,
        "measurements": timing.measurements,
        "t": timing.t,
        "threshold": TIMING_THRESHOLD,
        "leak": timing.leak(),
    }))
}
