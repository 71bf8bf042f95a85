//! `veilset bench`: measurements on this machine.

pub(crate) mod args;
mod timing;

use serde_json::{Value, json};
use veilset::json::{versioned, with_choices};
use veilset::registry::{Choices, Operation, PROTOCOLS, find, find_multiparty};
use veilset_bench::{
    BenchError, Case, CurveCost, Measurement, Net, SeveralCase, SeveralMeasurement, Sizes, curve,
};

use self::args::{BenchArgs, BenchTarget, NetArg};
use crate::args::Talk;
use crate::device;
use crate::error::Failure;
use crate::progress::say;
use crate::units::show_bytes;

/// Measures what was asked for, one line each.
pub(crate) fn run(args: &BenchArgs, talk: &Talk) -> Result<(), Failure> {
    device::choose(args.device, talk)?;
    let everything: Vec<BenchTarget> = fitting(args).map(BenchTarget::Protocol).collect();
    let targets = if args.targets.is_empty() { &everything } else { &args.targets };
    for target in targets {
        check(target, args)?;
    }
    let ratios = |target: &BenchTarget| !matches!(target, BenchTarget::Timing);
    if !args.json && targets.iter().any(ratios) {
        say(
            talk,
            "both parties in this process; ratio: processor time over that of as many X25519 of aws-lc",
        );
    }
    let protocols = targets.iter().filter(|target| matches!(target, BenchTarget::Protocol(_)));
    let protocols = protocols.count();
    if !args.json && protocols > 0 {
        let (net, threads) = (net(args).name(), args.threads);
        say(
            talk,
            &format!("protocols: {protocols}; between them: {net}; threads a side: {threads}"),
        );
        print_line!(
            "{:22} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>5}",
            "protocol",
            "keys",
            "seconds",
            "cpu s",
            "sender",
            "receiver",
            "peak",
            "ratio"
        )?;
    }
    for target in targets {
        match target {
            BenchTarget::Curve => show_curves(args)?,
            BenchTarget::Timing => timing::run(args)?,
            BenchTarget::Protocol(id) => measure(id, args)?,
        }
    }
    Ok(())
}

/// The protocols that run on the group and with the digest that were asked for.
fn fitting(args: &BenchArgs) -> impl Iterator<Item = &'static str> {
    let choices = args.choices.0;
    let specs = PROTOCOLS.iter().map(|protocol| protocol.spec());
    let plain = !on_shares(args);
    let specs =
        specs.filter(move |spec| spec.on_shares || plain).filter(move |spec| spec.takes(choices));
    specs.map(|spec| spec.id)
}

/// Whether something is asked for that sums have on shares alone.
fn on_shares(args: &BenchArgs) -> bool {
    args.groups.is_some() || args.lent_groups.is_some() || args.factor.is_some()
}

/// The sizes that were asked for, or the default ones.
fn sizes(args: &BenchArgs, default: &[Sizes]) -> Vec<Sizes> {
    if args.sizes.is_empty() { default.to_vec() } else { args.sizes.clone() }
}

fn failed(error: BenchError) -> Failure {
    Failure::Bug(error.to_string())
}

/// Whether a protocol that was named runs with the parameters that were.
fn check(target: &BenchTarget, args: &BenchArgs) -> Result<(), Failure> {
    match target {
        BenchTarget::Protocol(protocol) if find_multiparty(protocol).is_some() => {
            let uneven = args.sizes.iter().any(|sizes| sizes.sender != sizes.receiver);
            if uneven || on_shares(args) || args.choices.0 != Choices::default() {
                return Err(Failure::Flags(format!(
                    "all parties of {protocol} have as many keys, and nothing is chosen beside it: leave out --group, --groups, --lent-groups, --factor, --digest, \
                     --flooding and --prime, and give --sizes single numbers"
                )));
            }
            Ok(())
        }
        BenchTarget::Protocol(protocol) if !fitting(args).any(|id| id == *protocol) => {
            Err(Failure::Flags(format!(
                "{protocol} does not run on that group, with that digest, that flooding or another prime, by --groups, --lent-groups or with --factor; see: veilset \
                 protocols --json"
            )))
        }
        _ => Ok(()),
    }
}

fn measure(protocol: &'static str, args: &BenchArgs) -> Result<(), Failure> {
    let net = net(args);
    if find_multiparty(protocol).is_some() {
        for Sizes { sender: size, .. } in sizes(args, &[Sizes::equal(SEVERAL)]) {
            let (parties, threads) = (args.parties.into(), args.threads);
            let case = SeveralCase { protocol, parties, size, threads, net };
            show_several(&case.measure().map_err(failed)?, args.json)?;
        }
        return Ok(());
    }
    for sizes in sizes(args, &[Sizes::equal(default_size(protocol))]) {
        let (choices, groups) = (args.choices.0, args.groups.map(usize::from));
        let factor = args.factor.unwrap_or_default().into();
        let lent_groups = args.lent_groups.map(usize::from);
        let case = Case {
            protocol,
            choices,
            sizes,
            groups,
            factor,
            lent_groups,
            threads: args.threads,
            net,
        };
        show(&case.measure().map_err(failed)?, args.json)?;
    }
    Ok(())
}

fn net(args: &BenchArgs) -> Net {
    match args.net {
        NetArg::Memory => Net::Memory,
        NetArg::Lan => Net::Lan,
        NetArg::Wan => Net::Wan,
        NetArg::Tls => Net::Tls,
    }
}

/// Ordered lists are compared pair by pair, and shorter ones where that takes Paillier's encryption.
fn default_size(protocol: &str) -> usize {
    match find(protocol).map(|protocol| protocol.spec()) {
        Some(spec) if spec.operation == Operation::Agree && spec.max_elements <= 1 << 10 => 1 << 5,
        Some(spec) if spec.operation == Operation::Agree => 1 << 8,
        _ => 1 << 12,
    }
}

fn show(m: &Measurement, as_json: bool) -> Result<(), Failure> {
    if as_json {
        print_line!("{}", object(m))?;
        return Ok(());
    }
    print_line!(
        "{:22} {:>7} {:>7.3} {:>7.3} {:>8} {:>8} {:>8} {:>5}",
        m.case.protocol,
        show_sizes(m.case.sizes),
        m.seconds,
        m.cpu_seconds,
        show_bytes(m.bytes_sender as f64),
        show_bytes(m.bytes_receiver as f64),
        show_bytes(m.peak_rss as f64),
        m.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
    )?;
    Ok(())
}

/// Keys of each of several parties; encrypted polynomials of more take minutes.
const SEVERAL: usize = 1 << 8;

/// A line of several parties, of which the most that one sends and the most that one receives stand for the two sides.
fn show_several(m: &SeveralMeasurement, as_json: bool) -> Result<(), Failure> {
    let SeveralCase { protocol, parties, size, threads, net } = m.case;
    if as_json {
        print_line!(
            "{}",
            versioned(json!({
                "protocol": protocol,
                "operation": m.operation,
                "parties": parties,
                "n": size,
                "threads": threads,
                "net": net.name(),
                "seconds": m.seconds,
                "cpu_seconds": m.cpu_seconds,
                "bytes_sent": m.sent,
                "bytes_received": m.received,
                "bytes_modelled": m.modelled,
                "rounds": m.rounds,
                "peak_rss": m.peak_rss,
            }))
        )?;
        return Ok(());
    }
    let most = |bytes: &[u64]| show_bytes(bytes.iter().max().copied().unwrap_or(0) as f64);
    print_line!(
        "{protocol:22} {:>7} {:>7.3} {:>7.3} {:>8} {:>8} {:>8} {:>5}",
        format!("{parties}x{size}"),
        m.seconds,
        m.cpu_seconds,
        most(&m.sent),
        most(&m.received),
        show_bytes(m.peak_rss as f64),
        "-",
    )?;
    Ok(())
}

fn show_sizes(Sizes { sender, receiver }: Sizes) -> String {
    if sender == receiver { sender.to_string() } else { format!("{sender}x{receiver}") }
}

fn object(m: &Measurement) -> Value {
    let mut object = json!({
        "protocol": m.case.protocol,
        "operation": m.operation,
        "n_sender": m.case.sizes.sender,
        "n_receiver": m.case.sizes.receiver,
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
    });
    if let Some(groups) = m.case.groups {
        object["groups"] = json!(groups);
    }
    if let Some(groups) = m.case.lent_groups {
        object["lent_groups"] = json!(groups);
    }
    if m.case.factor > 0 {
        object["factor"] = json!(m.case.factor);
    }
    if let Some(parts) = m.parts {
        object["offline_cpu_seconds"] = json!(parts.offline_cpu_seconds);
        object["online_cpu_seconds"] = json!(parts.online_cpu_seconds);
    }
    versioned(with_choices(object, "operation", m.choices))
}

fn show_curves(args: &BenchArgs) -> Result<(), Failure> {
    let costs = curve(args.seconds).map_err(|error| Failure::Bug(error.to_string()))?;
    costs.iter().try_for_each(|cost| show_curve(cost, args.json))
}

fn show_curve(cost: &CurveCost, as_json: bool) -> Result<(), Failure> {
    if as_json {
        print_line!(
            "{}",
            versioned(json!({
                "kernel": cost.kernel,
                "op": cost.op,
                "ns": cost.ns,
                "reference": "aws-lc",
                "reference_ns": cost.reference_ns,
            }))
        )?;
        return Ok(());
    }
    print_line!(
        "{:17} {:5} {:9.1} ns   X25519 of aws-lc {:9.0} ns   ratio {:.4}",
        cost.kernel,
        cost.op,
        cost.ns,
        cost.reference_ns,
        cost.ns / cost.reference_ns
    )?;
    Ok(())
}
