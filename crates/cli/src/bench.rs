//! `veilset bench`: measurements on this machine.

use serde_json::{Value, json};
use veilset::bench::{Case, CurveCost, Measurement, Net, curve};
use veilset::registry::PROTOCOLS;

use crate::args::{BenchArgs, BenchTarget, NetArg, Talk};
use crate::error::Failure;
use crate::progress::say;
use crate::units::show_bytes;

/// Measures what was asked for, one line each.
pub(crate) fn run(args: &BenchArgs, talk: &Talk) -> Result<(), Failure> {
    let everything: Vec<BenchTarget> =
        PROTOCOLS.iter().map(|protocol| BenchTarget::Protocol(protocol.spec().id)).collect();
    let targets = if args.targets.is_empty() { &everything } else { &args.targets };
    if !args.json {
        say(
            talk,
            "both parties in this process; ratio: processor time over that of as many X25519 of aws-lc",
        );
    }
    for target in targets {
        match target {
            BenchTarget::Curve => show_curves(args.json)?,
            BenchTarget::Protocol(id) => measure(id, args)?,
        }
    }
    Ok(())
}

fn measure(protocol: &'static str, args: &BenchArgs) -> Result<(), Failure> {
    for size in &args.sizes {
        let size = usize::try_from(*size)
            .ok()
            .filter(|size| (1..=1 << 31).contains(size))
            .ok_or_else(|| Failure::Flags("sizes go from 1 to 2^31".to_owned()))?;
        let net = match args.net {
            NetArg::Memory => Net::Memory,
            NetArg::Lan => Net::Lan,
            NetArg::Wan => Net::Wan,
            NetArg::Tls => Net::Tls,
        };
        let case = Case {
            protocol,
            group: args.params.group,
            digest: args.params.digest,
            sender: size,
            receiver: size,
            threads: args.threads,
            net,
        };
        let measured = case.measure().map_err(|error| Failure::Bug(error.to_string()))?;
        show(&measured, args.json)?;
    }
    Ok(())
}

fn show(m: &Measurement, as_json: bool) -> Result<(), Failure> {
    if as_json {
        print_line!("{}", object(m))?;
        return Ok(());
    }
    print_line!(
        "{:24} n = {:<8} {:6} {} threads  {:8.3} s  cpu {:8.3} s  {:>9} + {:>9}  {} rounds  peak {:>9}  ratio {:.2}",
        m.case.protocol,
        m.case.sender,
        m.case.net.name(),
        m.case.threads,
        m.seconds,
        m.cpu_seconds,
        show_bytes(m.bytes_sender as f64),
        show_bytes(m.bytes_receiver as f64),
        m.rounds,
        show_bytes(m.peak_rss as f64),
        m.ratio(),
    )?;
    Ok(())
}

fn object(m: &Measurement) -> Value {
    json!({
        "protocol": m.case.protocol,
        "operation": m.operation,
        "group": m.params.group.name(),
        "digest": m.params.digest.name(),
        "n_sender": m.case.sender,
        "n_receiver": m.case.receiver,
        "threads": m.case.threads,
        "net": m.case.net.name(),
        "seconds": m.seconds,
        "cpu_seconds": m.cpu_seconds,
        "bytes_sender": m.bytes_sender,
        "bytes_receiver": m.bytes_receiver,
        "rounds": m.rounds,
        "peak_rss": m.peak_rss,
        "curve_operations": m.curve_operations,
        "reference": "aws-lc",
        "reference_ns": m.reference_seconds * 1e9,
        "ratio": m.ratio(),
    })
}

fn show_curves(as_json: bool) -> Result<(), Failure> {
    let costs = curve().map_err(|error| Failure::Bug(error.to_string()))?;
    costs.iter().try_for_each(|cost| show_curve(cost, as_json))
}

fn show_curve(cost: &CurveCost, as_json: bool) -> Result<(), Failure> {
    if as_json {
        print_line!(
            "{}",
            json!({
                "kernel": cost.kernel,
                "op": cost.op,
                "ns": cost.ns,
                "reference": "aws-lc",
                "reference_ns": cost.reference_ns,
            })
        )?;
        return Ok(());
    }
    print_line!(
        "{:10} {:4} {:9.0} ns   X25519 of aws-lc {:9.0} ns   ratio {:.2}",
        cost.kernel,
        cost.op,
        cost.ns,
        cost.reference_ns,
        cost.ns / cost.reference_ns
    )?;
    Ok(())
}
