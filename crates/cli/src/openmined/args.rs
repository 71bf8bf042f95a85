//! The flags of `veilset openmined`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint, value_parser};
use veilset::tongues::openmined::{Plan, Structure};

use crate::args::{ListArgs, MACHINE, OutputArgs, PEER, PartnerArgs, RESULT, RoomArgs, usage};
use crate::units;

const EXAMPLES: &str = "\
Examples:
  The partner serves its list, and you learn what you share. Send request.bin,
  and get setup.bin and response.bin:
  veilset openmined request list.csv --key email:email --secret mine.key \\
      -o request.bin
  veilset openmined intersect list.csv --key email:email --secret mine.key \\
      --setup setup.bin --response response.bin -o matches.csv

  You serve your list, and the partner learns. Send setup.bin, get request.bin,
  and send response.bin:
  veilset openmined setup list.csv --key email:email --secret mine.key \\
      --client-keys 10000 -o setup.bin
  veilset openmined respond request.bin --secret mine.key -o response.bin

docs/interop.md has the partner's side in Python, and what leaks.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct OpenMinedArgs {
    #[command(subcommand)]
    pub(crate) command: OpenMinedCommand,
}

impl OpenMinedArgs {
    /// Whether the result is to be JSON.
    pub(crate) fn prints_json(&self) -> bool {
        match &self.command {
            OpenMinedCommand::Intersect(args) => args.json,
            OpenMinedCommand::Query(args) => args.json,
            _ => false,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum OpenMinedCommand {
    /// Make the setup of your list, for partners who ask about it
    #[command(override_usage = usage("openmined setup", &["<FILE> --key <COL[:PRESET]>", "--secret <FILE> --client-keys <N> [-o <FILE>]"]))]
    Setup(SetupArgs),
    /// Answer a partner's request about the list of your setup
    #[command(override_usage = usage("openmined respond", &["<REQUEST> --secret <FILE> [-o <FILE>]"]))]
    Respond(RespondArgs),
    /// Make a request about your list, for a partner who serves one
    #[command(override_usage = usage("openmined request", &["<FILE> --key <COL[:PRESET]>", "--secret <FILE> [-o <FILE>]"]))]
    Request(RequestArgs),
    /// Find what you share with a partner, by its setup and its response to your request
    #[command(override_usage = usage("openmined intersect", &["<FILE> --key <COL[:PRESET]>", "--secret <FILE> --setup <FILE> --response <FILE>"]))]
    Intersect(IntersectArgs),
    /// Serve your list over HTTP to partners who ask about it: GET /setup, POST /request
    #[command(override_usage = usage("openmined serve", &["<FILE> --key <COL[:PRESET]>", "--listen <HOST:PORT> --client-keys <N>"]))]
    Serve(ServeArgs),
    /// Find what you share with a partner who serves a list over HTTP
    #[command(override_usage = usage("openmined query", &["<FILE> --key <COL[:PRESET]>", "--connect <URL>"]))]
    Query(QueryArgs),
}

/// Where a message goes.
#[derive(Args)]
#[command(next_help_heading = RESULT)]
pub(crate) struct MessageArgs {
    /// Write the message to this file or object [default: standard output, as with -]
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<String>,
    /// Overwrite the output file, and with a new key the file of --secret
    #[arg(long)]
    pub(crate) force: bool,
}

/// How a setup holds the list.
#[derive(Args)]
#[command(next_help_heading = PEER)]
pub(crate) struct PlanArgs {
    /// The most keys that a partner asks about in one request; requests with more are refused
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    client_keys: u32,
    /// How the setup holds the list: raw has no false positives and is the longest, gcs the shortest; with bloom about one request in
    /// seventy finds a key that you do not have
    #[arg(long, value_enum, default_value = "raw")]
    structure: StructureArg,
    /// The probability that in a request of N keys any matches that you do not have, with gcs; bloom takes it, and does not reach it
    #[arg(long, value_name = "P", default_value = "1e-9")]
    false_positives: f64,
}

impl PlanArgs {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            structure: self.structure.structure(),
            client_items: self.client_keys as usize,
            false_positives: self.false_positives,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum StructureArg {
    Raw,
    Gcs,
    Bloom,
}

impl StructureArg {
    fn structure(self) -> Structure {
        match self {
            Self::Raw => Structure::Raw,
            Self::Gcs => Structure::Gcs,
            Self::Bloom => Structure::Bloom,
        }
    }
}

/// What the client learns.
#[derive(Args)]
#[command(next_help_heading = RESULT)]
pub(crate) struct CountArgs {
    /// Whoever asks learns how many keys match, and not which; the partner says the same (reveal_intersection = False)
    #[arg(long)]
    count: bool,
}

impl CountArgs {
    /// Whether the client learns which keys match.
    pub(crate) fn reveal(&self) -> bool {
        !self.count
    }
}

#[derive(Args)]
pub(crate) struct SetupArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Put the key of this setup into this new file, which respond needs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret: PathBuf,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    #[command(flatten)]
    pub(crate) count: CountArgs,
    #[command(flatten)]
    pub(crate) out: MessageArgs,
}

#[derive(Args)]
pub(crate) struct RespondArgs {
    /// The partner's request; - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) request: String,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// The file with the key, which setup made
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret: PathBuf,
    #[command(flatten)]
    pub(crate) out: MessageArgs,
}

#[derive(Args)]
pub(crate) struct RequestArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// Put the key of this request into this new file, which intersect needs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret: PathBuf,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    #[command(flatten)]
    pub(crate) count: CountArgs,
    #[command(flatten)]
    pub(crate) out: MessageArgs,
}

#[derive(Args)]
pub(crate) struct IntersectArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// The file with the key, which request made
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret: PathBuf,
    /// The partner's setup
    #[arg(long, help_heading = PEER, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) setup: String,
    /// The partner's response to the request
    #[arg(long, help_heading = PEER, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) response: String,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    #[command(flatten)]
    pub(crate) out: OutputArgs,
    /// Print one JSON object on standard output
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// Take callers at this address; whoever can reach it can ask, so keep it to this machine and put a proxy before it that ends TLS
    /// and knows who may
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Answer about N keys until this program ends, all requests together [default: any number]
    #[arg(long, help_heading = PEER, value_name = "N")]
    pub(crate) budget: Option<usize>,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    #[command(flatten)]
    pub(crate) count: CountArgs,
}

#[derive(Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// The partner's service, https://… or http://…
    #[arg(long, help_heading = PEER, value_name = "URL")]
    pub(crate) connect: String,
    /// How long the partner may take for each answer
    #[arg(long, help_heading = PEER, value_name = "DURATION", default_value = "60s", value_parser = units::duration)]
    pub(crate) deadline: Duration,
    /// The longest setup to fetch
    #[arg(long, help_heading = MACHINE, value_name = "SIZE", default_value = "256MiB", value_parser = units::bytes)]
    pub(crate) max_setup: u64,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    #[command(flatten)]
    pub(crate) count: CountArgs,
    #[command(flatten)]
    pub(crate) out: OutputArgs,
    /// Print one JSON object on standard output
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
}
