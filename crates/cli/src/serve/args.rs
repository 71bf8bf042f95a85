//! The flags of `veilset serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand, value_parser};
use veilset::data::KeySpec;
use veilset::lookup::Way;

use crate::args::{KeepArgs, LIST, LIST_AND_KEY, ListArgs, PROTOCOL, RESULT, RoomArgs, usage};
use crate::units;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group(ArgGroup::new("guests").required(true).multiple(true).args(["allow", "allow_file"])))]
pub(crate) struct ServeArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,
    /// A list that `veilset serve build` made; changes of the file count at once
    #[arg(required = true)]
    pub(crate) file: Option<PathBuf>,
    /// Answer at this address
    #[arg(long, value_name = "HOST:PORT", required = true)]
    pub(crate) listen: Option<String>,
    /// Who may ask: pinned names, or keys; give all of them
    #[arg(long, value_name = "NAME|KEY")]
    pub(crate) allow: Vec<String>,
    /// Who may ask, too: a file with a name or a key a line and comments after #, read again at SIGHUP
    #[arg(long, value_name = "FILE")]
    pub(crate) allow_file: Option<PathBuf>,
    /// The most items that each of them may ask for in an hour, such as 500/hour; kept in FILE.used
    #[arg(long, value_name = "N/hour", value_parser = units::per_hour)]
    pub(crate) quota: Option<u64>,
    /// Show counts for Prometheus at this address of this machine, such as 127.0.0.1:9100
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics: Option<SocketAddr>,
    /// Append a line for each request to this file, in place of standard error: when, whose, how many items, what became of it
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
    /// Mask a list once, into a file that can be served
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
    /// A column that whoever asks for an item learns
    #[arg(long, help_heading = LIST, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// How it is looked up in: `oprf-filter`, clients fetch the masked items once, or `fhe-lookup`, they fetch nothing and ask by
    /// encrypted questions
    #[arg(long, help_heading = PROTOCOL, value_name = "ID", default_value = Way::Filter.protocol(), value_parser = way())]
    pub(crate) protocol: Way,
    /// Keep all wrong answers over so many look-ups together below 2^-40 [default: below 2^-30 for each]
    #[arg(long, help_heading = PROTOCOL, value_name = "N", value_parser = units::count)]
    pub(crate) budget: Option<u64>,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    /// The file to make, which holds the list's key
    #[arg(long, help_heading = RESULT, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Build over an older list, as its next version under a new key
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
    /// Items, or - to read them from standard input, one a line, where other users of the machine do not see them
    pub(crate) items: Vec<String>,
    /// The items of this CSV file
    #[arg(long, help_heading = LIST, value_name = "FILE", requires = "key")]
    pub(crate) from: Option<String>,
    /// With --from: the key columns with the list's presets
    #[arg(long, help_heading = LIST, value_name = "COL[:PRESET],…", requires = "from")]
    pub(crate) key: Option<KeySpec>,
    /// With --from: the character between fields of CSV, one ASCII character, or tab [default: a comma; a tab in .tsv]
    #[arg(long, help_heading = LIST, value_parser = units::delimiter)]
    pub(crate) delimiter: Option<u8>,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// The label of the items; with --from, the column that has it
    #[arg(long, help_heading = LIST, value_name = "TEXT|COL")]
    pub(crate) label: Option<String>,
}
