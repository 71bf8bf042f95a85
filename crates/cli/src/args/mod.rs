//! Every flag. Help, the man page and the completions come from these definitions.

mod choices;
mod partner;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{
    ArgGroup, Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint, value_parser,
};
use veilset::data::{KeySpec, Scratch};
use veilset::net::{Comeback, Endpoint, Options};
use veilset::party::PublicKey;
use veilset::registry::Operation;
use veilset::voice;
use veilset::{DeviceChoice, Ends, NamedPeer, Noise, PeerAddress, Release, Seats, seats};

pub(crate) use self::choices::ChoiceArgs;
pub(crate) use self::partner::{PartnerArgs, unrecorded};
#[cfg(feature = "calendar")]
use crate::agree::args::AgreeArgs;
#[cfg(feature = "bench")]
use crate::bench::args::BenchArgs;
use crate::complete;
use crate::config::command::ConfigArgs;
#[cfg(feature = "console")]
use crate::console::ConsoleArgs;
use crate::device;
use crate::error::Failure;
use crate::exchange::{ExchangeArgs, RunArgs};
use crate::history::{BudgetArgs, HistoryArgs};
use crate::interrupt::Interrupt;
use crate::invite::{AcceptArgs, InviteArgs};
use crate::openmined::args::OpenMinedArgs;
use crate::operation::all_cores;
use crate::order::Order;
use crate::pair::args::PairArgs;
use crate::plan::args::PlanArgs;
use crate::policy::args::PolicyArgs;
use crate::receipt::ReceiptArgs;
#[cfg(feature = "relay")]
use crate::relay::RelayArgs;
use crate::serve::args::ServeArgs;
use crate::units;

/// The headings under which help has flags, beside those that are a command's own.
pub(crate) const LIST: &str = "Your list";
pub(crate) const PEER: &str = "The peer";
pub(crate) const PROTOCOL: &str = "The protocol";
pub(crate) const RESULT: &str = "The result";
pub(crate) const RULES: &str = "Rules";
pub(crate) const MACHINE: &str = "This machine";
pub(crate) const MESSAGES: &str = "Messages";

const EXAMPLES: &str = "\
Examples:
  veilset demo                                   see it work in ten seconds
  veilset id                                     your key, to send to the peer
  veilset peer add acme veilset1…                pin the key that the peer sent
  veilset invite acme --via wss://relay.example  or pin each other by a code
  veilset check list.csv --key email:email       look at your list alone
  veilset intersect list.csv --key email:email --listen 0.0.0.0:7000 \\
      --peer acme -o matches.csv                 your side
  veilset intersect list.csv --key email:email --connect you.example:7000 \\
      --peer you                                 acme's side

Environment:
  VEILSET_VIA   stands for --via, and so on (docs/use/config.md)
  VEILSET_HOME  the folder of your identity and of the keys that you pinned
                [default: XDG_CONFIG_HOME/veilset, or ~/.config/veilset, or
                on Windows APPDATA/veilset]
  HTTPS_PROXY   the proxy through which veilset goes out, http://HOST:PORT;
                hosts in NO_PROXY and this machine are reached without it
  SSL_CERT_FILE the authorities that vouch for relays and stores
                [default: the system's]

Exit codes:
  0 done    2 your input or flags    3 the parties do not agree on terms
  4 network or deadline    5 the peer broke the protocol    6 policy refused
  70 a bug    130, 143 interrupted; nothing was written";

pub(crate) const LIST_AND_KEY: &str = "<FILE> --key <COL[:PRESET],…>";
pub(crate) const WAY: &str =
    "--peer <NAME|KEY>\n           <--listen <HOST:PORT>|--connect <HOST:PORT>|--via <URL>>";

/// How an operation on two lists is called.
pub(crate) fn of_two(name: &str) -> String {
    usage(name, &[LIST_AND_KEY, WAY])
}

/// How one on the lists of several parties is called.
pub(crate) fn of_several(name: &str) -> String {
    usage(name, &[LIST_AND_KEY, "--peer <NAME@HOST:PORT>… --listen <HOST:PORT>"])
}

/// How one is called that takes two lists or more.
pub(crate) fn of_two_or_several(name: &str) -> String {
    format!("{}\n       {}", of_two(name), of_several(name))
}

/// How a command is called, in lines that are short enough.
pub(crate) fn usage(name: &str, lines: &[&str]) -> String {
    format!("veilset {name} [OPTIONS] {}", lines.join("\n           "))
}

/// Private set operations between two parties: compute something of two private lists, and learn nothing else.
#[derive(Parser)]
#[command(name = "veilset", version, after_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) talk: Talk,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// All commands, each with the flags that every command has.
    pub(crate) fn built() -> clap::Command {
        let mut program = Self::command();
        program.build();
        program
    }
}

/// How much is said beside the result.
#[derive(Args)]
#[command(next_help_heading = MESSAGES)]
pub(crate) struct Talk {
    /// Say nothing but the result, warnings and errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more about the connection and the phases
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Ask nothing: accept terms that both sides named, and refuse a run that needs your yes, such as one with a protocol
    /// that the peer alone asks for
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
}

impl Talk {
    /// A run goes on over another connection when one is lost, of which the user hears.
    fn comeback(&self) -> Comeback {
        let quiet = self.quiet;
        Comeback::told(move |event| {
            if !quiet {
                voice::say(event);
            }
        })
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run two local parties over TLS on bundled lists and show what each learned
    Demo(DemoArgs),
    /// Print your one-line public key; the first call makes it
    Id(IdArgs),
    /// Pin, list or forget other parties' keys
    Peer(PeerArgs),
    /// Invite somebody by a single-use code: both pin each other
    #[command(override_usage = usage("invite", &["<NAME> <--via <URL>|--listen <HOST:PORT>>"]))]
    Invite(InviteArgs),
    /// Accept an invitation
    #[command(override_usage = usage("accept", &["<CODE|LINK> [NAME]"]))]
    Accept(AcceptArgs),
    /// Run what you and a peer agreed on with its invitation
    Run(RunArgs),
    #[command(flatten)]
    Compute(Box<Order>),
    #[cfg(feature = "calendar")]
    #[command(about = Operation::Agree.spec().help, override_usage = crate::agree::args::calls())]
    Agree(Box<AgreeArgs>),
    /// Serve a list for lookups, without showing it; or build or change one
    #[command(override_usage = usage("serve", &["<FILE> <--listen <HOST:PORT>|--via <URL>>", "<--allow <NAME|KEY>|--allow-file <FILE>>"]))]
    Serve(ServeArgs),
    #[command(about = Operation::Lookup.spec().help, override_usage = usage("lookup", &["<ITEMS|--file <FILE>>", "--peer <NAME|KEY> <--connect <HOST:PORT>|--via <URL>>"]))]
    Lookup(LookupArgs),
    /// Work with a partner who runs OpenMined's PSI (the Python package openmined.psi)
    Openmined(OpenMinedArgs),
    /// Price a run beforehand: its time, traffic and memory, and what each side learns
    Plan(PlanArgs),
    /// Check a list before a run; nothing is sent
    Check(CheckArgs),
    /// Speak PAIR, IAB Tech Lab's protocol, with a partner's clean room: keys, encrypted lists, match rates
    Pair(PairArgs),
    /// Run what you and a peer agreed on once, as a file says it
    Exchange(ExchangeArgs),
    /// Show the flags that your files and the environment give, and where they stand
    Config(ConfigArgs),
    /// Check a policy, or try a command under it; nothing is sent
    Policy(PolicyArgs),
    /// List the runs that you took part in, as your ledger has them
    History(HistoryArgs),
    /// Show what is left of your policy's budgets with a peer
    Budget(BudgetArgs),
    /// Show or verify what both sides signed at the end of a run
    Receipt(ReceiptArgs),
    /// Show this party on a page, for one browser on this machine: invitations, runs, history
    #[cfg(feature = "console")]
    Console(ConsoleArgs),
    /// Bring parties together of which neither can be reached: each gives --via and this relay's address
    #[cfg(feature = "relay")]
    Relay(RelayArgs),
    /// List the protocols, or show one in full with its assumptions and leaks
    Protocols(ProtocolsArgs),
    /// Measure protocols with both parties on this machine, or the curve operations under them
    #[cfg(feature = "bench")]
    Bench(BenchArgs),
    /// Print a new safe prime for --prime; this takes about a minute
    Prime,
    /// Print a shell's completion script
    Completions(CompletionsArgs),
    /// Print the manual, or write its pages into a folder
    Man(ManArgs),
}

impl Command {
    /// Whether the result is to be JSON.
    pub(crate) fn prints_json(&self) -> bool {
        match self {
            Self::Demo(args) => args.json,
            Self::Compute(order) => order.party.meet.json,
            #[cfg(feature = "calendar")]
            Self::Agree(args) => args.meet.json,
            Self::Lookup(args) => args.json,
            Self::Openmined(args) => args.prints_json(),
            Self::Plan(args) => args.json,
            Self::Check(args) => args.json,
            Self::Config(args) => args.json,
            Self::Policy(args) => args.prints_json(),
            Self::Pair(args) => args.prints_json(),
            Self::History(args) => args.json,
            Self::Budget(args) => args.json,
            Self::Protocols(args) => args.json,
            #[cfg(feature = "bench")]
            Self::Bench(args) => args.json,
            #[cfg(feature = "console")]
            Self::Console(_) => false,
            #[cfg(feature = "relay")]
            Self::Relay(_) => false,
            Self::Id(_)
            | Self::Invite(_)
            | Self::Accept(_)
            | Self::Run(_)
            | Self::Peer(_)
            | Self::Serve(_)
            | Self::Prime
            | Self::Exchange(_)
            | Self::Receipt(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Your own lists for the parties north and south, in place of the bundled ones; nothing leaves this machine
    #[arg(num_args = 2, value_names = ["FILE", "FILE"], requires = "key")]
    pub(crate) files: Vec<String>,
    /// The key columns of both files, or with --other-key of the first: COL[:PRESET][,COL[:PRESET]…]
    #[arg(long, value_name = "COL[:PRESET],…", requires = "files")]
    pub(crate) key: Option<KeySpec>,
    /// The key columns of the second file, if they have other names there
    #[arg(long, value_name = "COL[:PRESET],…", requires = "key")]
    pub(crate) other_key: Option<KeySpec>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct IdArgs {
    /// Replace the identity, of which a copy stays; peers who pinned the old key must pin the new one
    #[arg(long)]
    pub(crate) new: bool,
    /// Make your next key, if there is none, and print the line with which peers pin it beside the one that you have
    #[arg(long, conflicts_with = "new")]
    pub(crate) next: bool,
    /// Replace the identity by your next key, which peers know who pinned it
    #[arg(long, conflicts_with_all = ["new", "next"])]
    pub(crate) switch: bool,
}

#[derive(Args)]
pub(crate) struct PeerArgs {
    #[command(subcommand)]
    pub(crate) command: PeerCommand,
}

#[derive(Subcommand)]
pub(crate) enum PeerCommand {
    /// Pin a party's key under a name
    Add {
        /// Your name for the party
        name: String,
        /// The line that `veilset id` printed on the party's side, or for its next key `veilset id --next`
        key: String,
        /// Replace the key that is pinned under this name
        #[arg(long)]
        force: bool,
    },
    /// Print the pinned names and keys
    List {
        /// Print a JSON array of objects with name and key
        #[arg(long)]
        json: bool,
    },
    /// Forget a pinned key
    Remove {
        /// The party's name
        #[arg(add = complete::peers())]
        name: String,
    },
}

/// Where a list is.
#[derive(Args)]
pub(crate) struct PlaceArgs {
    /// Your list: a file (CSV with a header, NDJSON, Parquet, Arrow or .xlsx; also as .gz or .zst), a folder or 'pattern*' of
    /// such files, - for standard input, objects (s3://BUCKET/NAME, gs://…, az://…) or a database
    /// (postgresql://USER@HOST/DATABASE)
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: String,
    /// The select statement whose rows are your list, if a database holds it
    #[arg(long, help_heading = LIST, value_name = "SQL")]
    pub(crate) query: Option<String>,
    /// The delimiter of a CSV file: one ASCII character, or tab [default: a comma; in .tsv a tab]
    #[arg(long, help_heading = LIST, value_parser = units::delimiter)]
    pub(crate) delimiter: Option<u8>,
}

/// The list and its key, for every command that reads a file.
#[derive(Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// The key columns, each with the preset that normalises it: COL[:PRESET][,COL[:PRESET]…]; presets: raw, email,
    /// email-gmail, email-sha256, email-ascii-sha256, phone, phone-CC (CC is a country such as gb), phone-sha256, phone-sha256-CC, name, date, ip,
    /// domain, number, iban, vat, address, postcode-CC. Where rows match by several keys, give --key for each, the
    /// most trusted first. A generator after a preset forgives typos (docs/use/linkage.md says which): ~deletion, ~transposition,
    /// ~day-month, ~year, ~swapped, ~soundex, ~metaphone, ~nysiis, ~cologne, ~minhash
    #[arg(long, help_heading = LIST, value_name = "COL[:PRESET],…", required = true)]
    key: Vec<KeySpec>,
    #[command(flatten)]
    keep: KeepArgs,
}

impl ListArgs {
    /// The keys, as their flags have them.
    pub(crate) fn keys(&self) -> Vec<KeySpec> {
        self.key.iter().map(|key| self.keep.of(key)).collect()
    }
}

/// What a user has a list for because it is nobody's.
#[derive(Clone)]
pub(crate) struct StopValues(pub(crate) Arc<[String]>);

/// What else can be in a key.
#[derive(Args)]
#[command(next_help_heading = LIST)]
pub(crate) struct KeepArgs {
    /// Treat placeholders such as n/a, NULL, - and test@test.com as ordinary keys [default: rows with a placeholder never match]
    #[arg(long)]
    keep_placeholders: bool,
    /// A file of values that never match, one a line, such as your office's telephone; each is the value of one column, read as the
    /// key's columns are
    #[arg(long, value_name = "FILE", value_parser = units::stop_values)]
    stop: Option<StopValues>,
}

impl KeepArgs {
    /// The key with these flags.
    pub(crate) fn of(&self, key: &KeySpec) -> KeySpec {
        let key = key.clone().keeping_placeholders(self.keep_placeholders);
        match &self.stop {
            Some(StopValues(values)) => key.without(values),
            None => key,
        }
    }
}

/// How many rows may carry a key.
#[derive(Args)]
#[command(next_help_heading = LIST)]
pub(crate) struct CrowdArgs {
    /// Leave out keys that more than N rows carry, such as an office's telephone; both sides give the same [default: any number
    /// may]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(crate) most_per_key: Option<u32>,
}

/// How much memory a list may take where nothing is agreed on.
#[derive(Args)]
#[command(next_help_heading = MACHINE)]
pub(crate) struct RoomArgs {
    /// Keep the list on disk if it takes more than a quarter of SIZE, such as 500MB or 2GiB [default: in memory]
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub(crate) max_memory: Option<u64>,
    /// The folder for the temporary file of a list on disk, which is encrypted, and for a result that cannot be written to
    /// its place [default: TMPDIR, or /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
}

impl RoomArgs {
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch::new(self.scratch.clone(), self.max_memory)
    }
}

/// What every operation on two lists needs.
#[derive(Args)]
pub(crate) struct PartyArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) crowd: CrowdArgs,
    #[command(flatten)]
    pub(crate) meet: MeetArgs,
    #[command(flatten)]
    pub(crate) seats: SeatArgs,
    /// The folder for the temporary file of a list on disk, which is encrypted, and for a result that cannot be written to
    /// its place [default: TMPDIR, or /var/tmp]
    #[arg(long, help_heading = MACHINE, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    /// The side that learns the result; both sides give both, or one gives me and the other peer
    #[arg(long, help_heading = RESULT, value_enum, default_value = "both")]
    pub(crate) learn: LearnArg,
    #[command(flatten)]
    pub(crate) release: ReleaseArgs,
}

/// Who is what among several parties.
#[derive(Args)]
#[command(next_help_heading = PEER)]
pub(crate) struct SeatArgs {
    /// Of several parties, one that learns the result; give it once for each, and me for yourself; all give the same [default: all]
    #[arg(long, value_name = "NAME|me", add = complete::peers())]
    pub(crate) learner: Vec<String>,
    /// Of several parties, the one that computes the result, one of those who learn; all give the same [default: of those who learn the one with
    /// the smallest key]
    #[arg(long, value_name = "NAME|me", add = complete::peers())]
    pub(crate) leader: Option<String>,
    /// Of several parties, the one that must not pool what it sees with the leader, in a protocol that needs one; all give the same [default: of
    /// the others the one with the smallest key]
    #[arg(long, value_name = "NAME|me", add = complete::peers())]
    pub(crate) pivot: Option<String>,
}

impl SeatArgs {
    /// Who is what, by the keys that the parties have now.
    pub(crate) fn of(&self, own: PublicKey, peers: &[PeerAddress]) -> Result<Seats, Failure> {
        let Self { learner, leader, pivot } = self;
        let seats = seats(own, peers, learner, leader.as_deref(), pivot.as_deref());
        Ok(seats.map_err(veilset::Error::from)?)
    }
}

/// How much of a result is released, and of a list's size.
#[derive(Args)]
#[command(next_help_heading = RULES)]
pub(crate) struct ReleaseArgs {
    /// Withhold a result of fewer than N matches from whoever learns; both sides give the same
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    least: Option<u64>,
    /// Withhold a result in which more than so many per cent of the smaller list match; both sides give the same
    #[arg(long, value_name = "PERCENT", value_parser = value_parser!(u8).range(1..100))]
    most_rate: Option<u8>,
    /// Round numbers of the result to multiples of N (count and sum only); both sides give the same
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    round: Option<u64>,
    /// Give the numbers noise that neither side can subtract, with differential privacy for each key of the other's list
    /// (count and sum only); both sides give the same
    #[arg(long, value_name = "epsilon=E,delta=D")]
    noise: Option<Noise>,
    /// Fill your list up to N keys with made-up ones, so that the peer does not see how few you have (intersect,
    /// count, sum and overlaps only)
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) pad_to: Option<u64>,
}

impl From<&ReleaseArgs> for Release {
    fn from(args: &ReleaseArgs) -> Self {
        let ReleaseArgs { least, most_rate, round, noise, .. } = *args;
        Self { least, most_rate, round, noise }
    }
}

/// The way to the peer, and how to compute with it.
#[derive(Args)]
#[command(group(ArgGroup::new("end").args(["listen", "connect", "via"])))]
pub(crate) struct MeetArgs {
    /// Wait for the peer at this address; either side may start first
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    pub(crate) listen: Option<String>,
    /// Connect to the peer at this address; either side may start first
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// Meet the peer at this relay, if neither side can listen; the peer gives the same URL, such as wss://relay.example
    #[arg(long, help_heading = PEER, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// The other party: a pinned name, or its key, and with @ its address, where it has one. Where both listen, the side with the
    /// smaller key connects. Give it once for each of several parties (intersect, count and overlaps), with --listen or --via
    #[arg(long, help_heading = PEER, value_name = "NAME|KEY[@HOST:PORT]", required = true, add = complete::peers())]
    pub(crate) peer: Vec<NamedPeer>,
    /// The protocol, or auto for the planner's choice; see: veilset protocols
    #[arg(long, help_heading = PROTOCOL, value_name = "auto|ID", default_value = "auto", value_parser = units::protocol)]
    pub(crate) protocol: ProtocolArg,
    /// The least security that you accept
    #[arg(long, help_heading = PROTOCOL, value_enum, default_value = "semi-honest")]
    pub(crate) security: SecurityArg,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    /// Your policy; veilset refuses a run that does not obey its rules (docs/use/rules.md) [default: policy.toml in the folder
    /// of your identity, if there is one]
    #[arg(long, help_heading = RULES, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// The reference of your agreement with the peer, such as a contract's number; both sides give the same
    #[arg(long, help_heading = RULES, value_name = "TEXT", value_parser = units::reference)]
    pub(crate) reference: Option<String>,
    /// Threads for computing [default: all cores]
    #[arg(long, help_heading = MACHINE, value_name = "N", value_parser = units::threads)]
    pub(crate) threads: Option<usize>,
    /// Who multiplies points of the curve: this processor, a graphics processor, or that one where a run is large enough
    #[arg(long, help_heading = MACHINE, value_name = "auto|cpu|gpu", default_value = "auto", value_parser = device::any())]
    pub(crate) device: DeviceChoice,
    /// The most memory for the run, such as 500MB or 2GiB; a list goes to disk if it takes more than a quarter, and veilset
    /// refuses a run that needs more [default: the machine's free memory]
    #[arg(long, help_heading = MACHINE, value_name = "SIZE", value_parser = units::memory)]
    pub(crate) max_memory: Option<u64>,
    /// The longest wait for the peer to appear, then for its consent to the terms, and for its return after the network
    /// failed, such as 90s, 10m or 1d
    #[arg(long, help_heading = PEER, value_name = "DURATION", default_value = "10m", value_parser = units::duration)]
    pub(crate) deadline: Duration,
    /// The longest silence before the connection counts as lost, such as 2m; each side sets its own: raise yours if the
    /// peer's machine may pause
    #[arg(long, help_heading = PEER, value_name = "DURATION", default_value = "20s", value_parser = units::patience)]
    pub(crate) patience: Duration,
    /// Try again up to N times after the network failed or a deadline passed: the whole run, with the list as it was read
    #[arg(long, help_heading = PEER, value_name = "N", default_value_t = 0)]
    pub(crate) retry: u32,
    /// End the run after this time, whatever it waits for or computes, unless it writes its result already [default: no limit]
    #[arg(long, help_heading = PEER, value_name = "DURATION", value_parser = units::duration)]
    pub(crate) time_limit: Option<Duration>,
    /// Consent to the terms beforehand: veilset shows them and does not ask
    #[arg(long, help_heading = PEER)]
    pub(crate) yes: bool,
    /// Print one JSON object about the run; rows of the result then go to --output only
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
    /// Begin each message with the time and the run's identifier, or make it a JSON object with them [default: plain sentences]
    #[arg(long, help_heading = MESSAGES, value_enum, value_name = "text|json")]
    pub(crate) log_format: Option<LogFormat>,
}

/// How messages are written for whoever reads them later.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line: the time in UTC, the run, the message
    Text,
    /// One JSON object a line
    Json,
}

impl MeetArgs {
    /// Has messages written as the flags want them.
    pub(crate) fn log(&self) {
        if let Some(format) = self.log_format {
            voice::log(match format {
                LogFormat::Text => voice::Format::Text,
                LogFormat::Json => voice::Format::Json,
            });
        }
    }

    /// How patient the connection is, and what ends it.
    pub(crate) fn options(&self, interrupt: &Interrupt, talk: &Talk) -> Options {
        Options {
            deadline: self.deadline,
            silence: self.patience,
            stop: interrupt.stop.clone(),
            comeback: talk.comeback(),
            ..Options::default()
        }
    }

    /// Threads for computing: every core that the system gives this process, unless it is said otherwise.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(all_cores)
    }

    /// The other parties, as the flags name them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.peer.iter().map(|peer| peer.name.clone()).collect()
    }

    /// Whether there are several others.
    pub(crate) fn has_several(&self) -> bool {
        self.peer.len() > 1
    }

    /// This side's end of the way to them, after a look at all addresses.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Failure> {
        let ends = Ends {
            listen: self.listen.as_deref(),
            connect: self.connect.as_deref(),
            via: self.via.as_deref(),
        };
        Ok(ends.endpoint(&self.peer)?)
    }
}

/// Where rows of a result go.
#[derive(Args)]
#[command(next_help_heading = RESULT)]
pub(crate) struct OutputArgs {
    /// Write the result's rows to this file or object; its ending gives the format: .csv (also if there is none), .tsv,
    /// .ndjson, .parquet or .arrow [default: CSV to standard output, as with -]
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<String>,
    /// Overwrite the output file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["items", "file"])))]
#[command(group(ArgGroup::new("end").args(["connect", "via"])))]
pub(crate) struct LookupArgs {
    /// The items; - reads them from standard input, one a line, so that other users of the machine do not see them
    pub(crate) items: Vec<String>,
    /// Look up the rows of this list, and write those that the server lists
    #[arg(long, help_heading = LIST, value_name = "FILE", requires = "key", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<String>,
    /// The key columns of --file, with the presets of the served list
    #[arg(long, help_heading = LIST, value_name = "COL[:PRESET],…", requires = "file")]
    pub(crate) key: Option<KeySpec>,
    /// The delimiter of --file: one ASCII character, or tab [default: a comma; in .tsv a tab]
    #[arg(long, help_heading = LIST, value_parser = units::delimiter)]
    pub(crate) delimiter: Option<u8>,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Connect to the server at this address
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// Meet the server at this relay, to which it goes, too
    #[arg(long, help_heading = PEER, value_name = "URL")]
    pub(crate) via: Option<String>,
    /// The server: a pinned name, or its key, and with @ its address
    #[arg(long, help_heading = PEER, value_name = "NAME|KEY[@HOST:PORT]", add = complete::peers())]
    pub(crate) peer: NamedPeer,
    /// Accept another list than the server had before at this address
    #[arg(long, help_heading = PEER)]
    pub(crate) new_list: bool,
    /// The longest list to fetch; it may take up to twenty times as much memory, within --max-memory
    #[arg(long, help_heading = MACHINE, value_name = "SIZE", default_value = "256MiB", value_parser = units::bytes)]
    pub(crate) max_list: u64,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    /// The longest wait for the server, such as 90s or 10m
    #[arg(long, help_heading = PEER, value_name = "DURATION", default_value = "30s", value_parser = units::duration)]
    pub(crate) deadline: Duration,
    #[command(flatten)]
    pub(crate) out: OutputArgs,
    /// Print one JSON object; rows of a file then go to --output only
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearnArg {
    /// This side alone
    Me,
    /// The peer alone
    Peer,
    /// Both sides
    Both,
}

impl From<LearnArg> for veilset::Learn {
    fn from(arg: LearnArg) -> Self {
        match arg {
            LearnArg::Me => Self::Me,
            LearnArg::Peer => Self::Peer,
            LearnArg::Both => Self::Both,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecurityArg {
    /// Against parties that follow the protocol
    SemiHonest,
    /// Against parties that do anything
    Malicious,
}

impl From<SecurityArg> for veilset::registry::Security {
    fn from(arg: SecurityArg) -> Self {
        match arg {
            SecurityArg::SemiHonest => Self::SemiHonest,
            SecurityArg::Malicious => Self::Malicious,
        }
    }
}

/// `auto`, or a protocol's id.
#[derive(Clone, Copy)]
pub(crate) struct ProtocolArg(pub(crate) Option<&'static str>);

#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// The key columns, each with its preset, as for a run, where --key may be given for each of several keys; without --key,
    /// veilset lists the columns and suggests a key for each
    #[arg(long, help_heading = LIST, value_name = "COL[:PRESET],…")]
    pub(crate) key: Vec<KeySpec>,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) crowd: CrowdArgs,
    /// A column of decimals to check as sum reads it
    #[arg(long, help_heading = LIST, value_name = "COL")]
    pub(crate) value: Vec<String>,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    /// Print one JSON object
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ProtocolsArgs {
    /// The protocols to show in full, with their assumptions and leaks
    #[arg(value_name = "ID", value_parser = units::id)]
    pub(crate) ids: Vec<&'static str>,
    /// List the protocols between three parties or more in place of those between two
    #[arg(long)]
    pub(crate) several: bool,
    /// List the protocols of this operation only
    #[arg(long, value_name = "OP", value_parser = value_parser!(Operation))]
    pub(crate) operation: Option<Operation>,
    /// Print a JSON array with all facts of each protocol
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// Write one page for each command into this folder, as packages have them [default: print all pages]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
