//! The flags of `veilset bench`.

use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};
use veilset::DeviceChoice;
use veilset::registry::{MAX_FACTOR, MAX_GROUPS, MAX_LENT_GROUPS};
use veilset_bench::Sizes;

use crate::args::ChoiceArgs;
use crate::device;
use crate::units;

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// The protocols to measure; curve measures the operations under them, and timing tests that those take the same time for
    /// every secret [default: all protocols]
    #[arg(value_parser = target)]
    pub(crate) targets: Vec<BenchTarget>,
    /// Set sizes, each for both parties or as SENDERxRECEIVER [default: 2^12; for ordered lists 2^8]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = |text: &str| veilset::units::sizes(text).map(Sizes::from))]
    pub(crate) sizes: Vec<Sizes>,
    /// How many parties a protocol for several has; each has as many keys
    #[arg(long, value_name = "N", default_value = "3", value_parser = value_parser!(u16).range(3..=64))]
    pub(crate) parties: u16,
    /// How many groups the values of a sum are added up by
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_GROUPS as i64))]
    pub(crate) groups: Option<u16>,
    /// Multiply the values of a sum by a factor of the receiver's, of so many bytes
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u8).range(1..=MAX_FACTOR as i64))]
    pub(crate) factor: Option<u8>,
    /// How many groups of the receiver's the values of a sum are added up by, too
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_LENT_GROUPS as i64))]
    pub(crate) lent_groups: Option<u16>,
    /// The network between the parties
    #[arg(long, value_enum, default_value = "memory")]
    pub(crate) net: NetArg,
    /// Threads of each party
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::threads)]
    pub(crate) threads: usize,
    /// Seconds for each row of `timing`, and at most for each of `curve`
    #[arg(long, value_name = "S", default_value = "1.5", value_parser = seconds)]
    pub(crate) seconds: Duration,
    /// Who multiplies points of the curve
    #[arg(long, value_name = "cpu|gpu", value_parser = device::named(), default_value = "cpu")]
    pub(crate) device: DeviceChoice,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone)]
pub(crate) enum BenchTarget {
    /// The curve operations.
    Curve,
    /// Whether their time depends on secrets.
    Timing,
    /// A protocol.
    Protocol(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetArg {
    /// Queues in memory
    Memory,
    /// Simulated: 10 Gbit/s, 0.1 ms
    Lan,
    /// Simulated: 50 Mbit/s, 80 ms
    Wan,
    /// TLS over loopback
    Tls,
}

/// `1.5` or `60`, more than 0 and at most an hour.
fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|seconds| *seconds > 0.0 && *seconds <= 3600.0)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "seconds above 0 and up to 3600 are needed, such as 1.5".to_owned())
}

/// `curve`, `timing` or a protocol's id.
fn target(text: &str) -> Result<BenchTarget, String> {
    match text {
        "curve" => Ok(BenchTarget::Curve),
        "timing" => Ok(BenchTarget::Timing),
        text => units::id(text)
            .map(BenchTarget::Protocol)
            .map_err(|ids| format!("curve, timing, or {ids}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_read_as_people_write_them() {
        assert_eq!(seconds("0.05"), Ok(Duration::from_millis(50)));
        assert!(["0", "-1", "nan", "inf", "3601", "1s"].iter().all(|text| seconds(text).is_err()));
    }
}
