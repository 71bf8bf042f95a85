//! Every flag. Help comes from these definitions.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand};
use veilset::data::KeySpec;

use crate::units;

const EXAMPLES: &str = "\
Examples:
  nofly serve list.csv --key passport --listen 0.0.0.0:7000 \\
      --peer airline                               the authority's side
  nofly screen manifest.csv --key passport --connect authority.example:7000 \\
      --peer authority                             the airline's side
  nofly screen …  --page                           the same, in your browser
  nofly add list.csv X1234567 --key passport       from the next screening on
  nofly remove list.csv X1234567 --key passport

Both sides first run `veilset id` and send each other the line that it prints.

Exit codes:
  0 done, or stopped between screenings    2 your input or flags
  3 the parties do not agree on terms    4 network or deadline
  5 the peer broke the protocol    6 policy refused    70 a bug
  130, 143 interrupted";

/// Find which passengers are on a list, without showing the list or the manifest.
#[derive(Parser)]
#[command(name = "nofly", version, after_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Cli {
    /// Say nothing but the result and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Answer screenings against a list, one after the other, until stopped
    Serve(ServeArgs),
    /// Find which rows of a manifest are on the peer's list
    Screen(ScreenArgs),
    /// Put a value on a list
    Add(EditArgs),
    /// Take a value off a list
    Remove(EditArgs),
    /// Write the manual and the completions into a folder, for packages
    #[command(hide = true)]
    Reference {
        /// The folder
        folder: PathBuf,
    },
}

/// What both sides of a screening need.
#[derive(Args)]
pub(crate) struct PartyArgs {
    /// The key columns, each with the preset that normalises it, such as raw, name or date: COL[:PRESET][,COL[:PRESET]…];
    /// docs/use/data.md has all presets. Both sides need the same
    #[arg(long, value_name = "COL[:PRESET],…")]
    pub(crate) key: KeySpec,
    /// The other party: a pinned name, or its key
    #[arg(long, value_name = "NAME|KEY")]
    pub(crate) peer: String,
    /// Threads for computing [default: all cores]
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub(crate) threads: Option<usize>,
}

#[derive(Args)]
#[command(group(ArgGroup::new("end").required(true).args(["listen", "via"])))]
pub(crate) struct ServeArgs {
    /// The list: a CSV file with a header; changes count from the next screening on
    pub(crate) list: PathBuf,
    #[command(flatten)]
    pub(crate) party: PartyArgs,
    /// Answer at this address
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) listen: Option<String>,
    /// Answer at this relay, such as wss://relay.example
    #[arg(long, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// The protocol to answer by, or auto for those that the planner takes; the authority refuses an airline that asks for
    /// another
    #[arg(long, value_name = "auto|ID", default_value = "auto", value_parser = units::protocol)]
    pub(crate) protocol: ProtocolArg,
    /// Refuse a manifest with more than N distinct keys; an airline that asks for every possible key learns the whole list
    #[arg(long, value_name = "N")]
    pub(crate) max_manifest: Option<u64>,
}

#[derive(Args)]
#[command(group(ArgGroup::new("end").required(true).args(["connect", "via"])))]
pub(crate) struct ScreenArgs {
    /// The manifest: a CSV file with a header, or - for standard input
    pub(crate) manifest: String,
    #[command(flatten)]
    pub(crate) party: PartyArgs,
    /// Connect to the authority at this address
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// Meet the authority at this relay, such as wss://relay.example
    #[arg(long, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// An intersection protocol such as ks-binned, which the authority must name, too, or auto for the planner's choice; see:
    /// veilset protocols
    #[arg(long, value_name = "auto|ID", default_value = "auto", value_parser = units::protocol)]
    pub(crate) protocol: ProtocolArg,
    /// The longest wait for the authority, such as 90s or 10m
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = units::duration)]
    pub(crate) deadline: Duration,
    /// Write the rows that are on the list to this file (- or nothing: standard output)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Overwrite the output file
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object about the run; rows then go to --output only
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the screening in a browser on this machine; the address is printed and works once
    #[arg(long)]
    pub(crate) page: bool,
}

#[derive(Args)]
pub(crate) struct EditArgs {
    /// The list: a CSV file with a header
    pub(crate) list: PathBuf,
    /// The value; - reads it from standard input, so that other users of the machine do not see it
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
    /// The column that holds the value, with its preset [default: the only column, raw]
    #[arg(long, value_name = "COL[:PRESET]")]
    pub(crate) key: Option<KeySpec>,
}

/// `auto`, or a protocol's id.
#[derive(Clone, Copy)]
pub(crate) struct ProtocolArg(pub(crate) Option<&'static str>);
