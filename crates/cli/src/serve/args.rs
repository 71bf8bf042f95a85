//! The flags of `veilset serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand, value_parser};
use veilset::data::KeySpec;
use veilset::lookup::Way;

use crate::args::{
    KeepArgs, LIST, LIST_AND_KEY, ListArgs, PEER, PROTOCOL, RESULT, RoomArgs, usage,
};
use crate::complete;
use crate::units;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group(ArgGroup::new("end").required(true).args(["listen", "via"])))]
#[command(group(ArgGroup::new("guests").required(true).multiple(true).args(["allow", "allow_file"])))]
pub(crate) struct ServeArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,
    /// The list's file, from `veilset serve build`; the server takes a changed file at once
    #[arg(required = true)]
    pub(crate) file: Option<PathBuf>,
    /// Answer clients at this address
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    pub(crate) listen: Option<String>,
    /// Answer clients that come to this relay, where one connection waits for each that may ask
    #[arg(long, help_heading = PEER, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// A client that may ask: a pinned name, or its key; give --allow once for each
    #[arg(long, help_heading = PEER, value_name = "NAME|KEY", add = complete::peers())]
    pub(crate) allow: Vec<String>,
    /// A file of further clients that may ask, a name or a key a line, comments after #; the server reads it again at SIGHUP
    #[arg(long, help_heading = PEER, value_name = "FILE")]
    pub(crate) allow_file: Option<PathBuf>,
    /// The most items that a client may ask for in an hour, such as 500/hour; the server counts in FILE.used
    #[arg(long, value_name = "N/hour", value_parser = units::per_hour)]
    pub(crate) quota: Option<u64>,
    /// Serve metrics for Prometheus at this address of this machine, such as 127.0.0.1:9100
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics: Option<SocketAddr>,
    /// Append a line for each request to this file instead of standard error: time, client, number of items, outcome
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The most clients at once
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = value_parser!(u16).range(1..))]
    pub(crate) clients: u16,
    /// Threads that answer [default: all cores]
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Subcommand)]
pub(crate) enum ServeCommand {
    /// Mask a list and write it to a file, which `veilset serve` takes
    #[command(override_usage = usage("serve build", &[LIST_AND_KEY, "--output <FILE>"]))]
    Build(ServeBuildArgs),
    /// Put items on a list, or change their labels
    Add(ServeEditArgs),
    /// Take items off a list
    Remove(ServeEditArgs),
}

#[derive(Args)]
pub(crate) struct ServeBuildArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    /// The column of labels: a client learns the label of each item that it finds
    #[arg(long, help_heading = LIST, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The protocol of the lookups: with oprf-filter a client fetches the masked items once, with fhe-lookup it fetches
    /// nothing and sends encrypted questions
    #[arg(long, help_heading = PROTOCOL, value_name = "ID", default_value = Way::Filter.protocol(), value_parser = way())]
    pub(crate) protocol: Way,
    /// Keep the chance of any wrong answer in N lookups below 2^-40 [default: below 2^-30 in each lookup]
    #[arg(long, help_heading = PROTOCOL, value_name = "N", value_parser = units::count)]
    pub(crate) budget: Option<u64>,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    /// The file to write; it holds the list's key
    #[arg(long, help_heading = RESULT, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace an older list; the new one is its next version, under a new key
    #[arg(long, help_heading = RESULT)]
    pub(crate) force: bool,
}

/// The ways to look up, by their protocols.
fn way() -> impl TypedValueParser<Value = Way> {
    let of = |protocol: String| Way::ALL.into_iter().find(|way| way.protocol() == protocol);
    PossibleValuesParser::new(Way::ALL.map(Way::protocol))
        .map(move |protocol| of(protocol).expect("one of the possible values"))
}

#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["items", "from"])))]
pub(crate) struct ServeEditArgs {
    /// The list's file
    pub(crate) file: PathBuf,
    /// The items; - reads them from standard input, one a line, so that other users of the machine do not see them
    pub(crate) items: Vec<String>,
    /// Take the items from this CSV file
    #[arg(long, help_heading = LIST, value_name = "FILE", requires = "key")]
    pub(crate) from: Option<String>,
    /// The key columns of --from, with the list's presets
    #[arg(long, help_heading = LIST, value_name = "COL[:PRESET],…", requires = "from")]
    pub(crate) key: Option<KeySpec>,
    /// The delimiter of --from: one ASCII character, or tab [default: a comma; in .tsv a tab]
    #[arg(long, help_heading = LIST, value_parser = units::delimiter)]
    pub(crate) delimiter: Option<u8>,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// The label of the items; with --from, the column of labels
    #[arg(long, help_heading = LIST, value_name = "TEXT|COL")]
    pub(crate) label: Option<String>,
}
