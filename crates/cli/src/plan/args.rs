//! The flags of `veilset plan`.

use std::time::Duration;

use clap::{ArgGroup, Args, value_parser};
use veilset::DeviceChoice;
use veilset::data::MAX_LINKAGE_KEYS;
use veilset::planner::Link;
use veilset::registry::{MAX_FACTOR, MAX_GROUPS, MAX_LENT_GROUPS, Operation};

use crate::args::{ChoiceArgs, LearnArg, MACHINE, PROTOCOL, RESULT, SecurityArg};
use crate::device;
use crate::units;

/// The heading of the flags for runs between clusters.
const CLUSTERS: &str = "Clusters";

#[derive(Args)]
#[command(group(ArgGroup::new("computed").required(true).args(["what", "operation"])))]
pub(crate) struct PlanArgs {
    /// The operation, in place of --operation
    #[arg(value_name = "OP", value_parser = value_parser!(Operation))]
    pub(crate) what: Option<Operation>,
    /// Your number of distinct keys, such as 100000 or 2^20 [default with --cluster: 10^8, 10^9 and 10^10]
    #[arg(long, value_name = "N", value_parser = units::count, required_unless_present = "cluster", requires = "peer_rows")]
    pub(crate) rows: Option<u64>,
    /// The peer's number of distinct keys
    #[arg(long, value_name = "M", value_parser = units::count, required_unless_present = "cluster", requires = "rows")]
    pub(crate) peer_rows: Option<u64>,
    /// Price a run of so many parties, of which you are one and each other has --peer-rows keys (intersect, count and overlaps only)
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(3..=64), conflicts_with_all = ["cluster", "keys", "learn", "security", "values", "groups", "row_bytes", "group", "digest", "prime", "flooding"])]
    pub(crate) parties: Option<u16>,
    /// The keys by which rows match, of which a row has a value under each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..=MAX_LINKAGE_KEYS as u64))]
    pub(crate) keys: u64,
    /// Price a run in which nobody sees by which of several keys rows match, as with --match blind
    #[arg(long, conflicts_with_all = ["cluster", "parties"])]
    pub(crate) blind: bool,
    /// The operation
    #[arg(long, value_name = "OP", value_parser = value_parser!(Operation))]
    pub(crate) operation: Option<Operation>,
    /// The side that learns the result [default: both; in a lookup me]
    #[arg(long, value_enum)]
    pub(crate) learn: Option<LearnArg>,
    /// The least security that you accept
    #[arg(long, help_heading = PROTOCOL, value_enum, default_value = "semi-honest")]
    pub(crate) security: SecurityArg,
    /// The network to the peer: bandwidth and round trip, such as 50mbit,80ms [default: 1gbit,1ms; with --cluster 10gbit,1ms]
    #[arg(long, value_name = "BANDWIDTH,ROUNDTRIP")]
    pub(crate) link: Option<Link>,
    /// Threads for computing, with --cluster those of a worker [default: all cores; with --cluster 4]
    #[arg(long, help_heading = MACHINE, value_name = "N", value_parser = units::threads)]
    pub(crate) threads: Option<usize>,
    /// Who multiplies points of the curve in the run; a graphics processor is measured, too
    #[arg(long, help_heading = MACHINE, value_name = "cpu|gpu", value_parser = device::named(), default_value = "cpu", conflicts_with = "cluster")]
    pub(crate) device: DeviceChoice,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// The number of value columns that a sum or share has
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) values: usize,
    /// How many of these a sum multiplies by a column of the peer's
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["cluster", "parties"])]
    pub(crate) products: usize,
    /// The bytes of the longest number in that column, in units of its last decimal place
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u8).range(1..=MAX_FACTOR as i64), requires = "products")]
    pub(crate) factor_bytes: u8,
    /// The number of value columns that the peer has in a share, too
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["cluster", "parties", "blind"])]
    pub(crate) peer_values: usize,
    /// The number of groups at most by which a sum adds up
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_GROUPS as i64), conflicts_with = "cluster")]
    pub(crate) groups: Option<u16>,
    /// The number of groups that the peer lends to a sum
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=MAX_LENT_GROUPS as i64), conflicts_with_all = ["cluster", "parties"])]
    pub(crate) lent_groups: Option<u16>,
    /// The bytes of the longest row that a union or --send sends, or of the longest label [default: 32; of an intersection none]
    #[arg(long, value_name = "N")]
    pub(crate) row_bytes: Option<usize>,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Print one JSON object
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
}

impl PlanArgs {
    /// What to compute; one of the two is there.
    pub(crate) fn operation(&self) -> Operation {
        self.what.or(self.operation).unwrap_or(Operation::Intersect)
    }
}

/// The clusters of a run between two of them.
#[derive(Args)]
#[command(next_help_heading = CLUSTERS)]
pub(crate) struct ClusterArgs {
    /// Price a run between two clusters of workers, one a side
    #[arg(long)]
    pub(crate) cluster: bool,
    /// Workers a side [default: the fewest that finish within --within]
    #[arg(long, value_name = "N", value_parser = units::workers, requires = "cluster")]
    pub(crate) workers: Option<u64>,
    /// The longest time for the run
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = units::duration, requires = "cluster", conflicts_with = "workers")]
    pub(crate) within: Duration,
    /// The memory of a worker, such as 16GB
    #[arg(long, value_name = "SIZE", default_value = "16GB", value_parser = units::bytes, requires = "cluster")]
    pub(crate) worker_memory: u64,
    /// The price of a worker for an hour, in any currency
    #[arg(long, value_name = "AMOUNT", default_value = "0.40", value_parser = units::amount, requires = "cluster")]
    pub(crate) price: f64,
    /// The price of a gigabyte that one cluster sends to the other
    #[arg(long, value_name = "AMOUNT", default_value = "0.05", value_parser = units::amount, requires = "cluster")]
    pub(crate) egress: f64,
}
