//! The flags of `veilset pair`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use veilset::tongues::pair::{Kind, Shape};

use crate::args::{LIST, LIST_AND_KEY, ListArgs, OutputArgs, PartnerArgs, RESULT, RoomArgs, usage};
use crate::units;

const EXAMPLES: &str = "\
Examples:
  in the publisher's clean room
    veilset pair key ks -o ks.txt                to the advertiser's, too
    veilset pair key kp -o kp.txt
    veilset pair encrypt list.csv --key email:email-ascii-sha256 \\
        --salt ks.txt --cipher-key kp.txt -o pub1.csv --table ids.csv
    veilset pair reencrypt adv1.csv --cipher-key kp.txt -o adv2.csv
    veilset pair match --sent pub1.csv --ours pub2.csv --theirs adv2.csv
  in the advertiser's
    veilset pair key ka -o ka.txt
    veilset pair encrypt list.csv --key email:email-ascii-sha256 \\
        --salt ks.txt --cipher-key ka.txt -o adv1.csv
    veilset pair reencrypt pub1.csv --cipher-key ka.txt -o pub2.csv
    veilset pair match --sent adv1.csv --ours adv2.csv --theirs pub2.csv \\
        --cipher-key ka.txt -o matched.csv

docs/interop.md has the steps, and what they leak.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PairArgs {
    #[command(subcommand)]
    pub(crate) command: PairCommand,
}

#[derive(Subcommand)]
pub(crate) enum PairCommand {
    /// Make a key of PAIR's, or import a partner's, into a file for you alone
    #[command(override_usage = usage("pair key", &["<ks|kp|ka> --output <FILE>"]))]
    Key(KeyArgs),
    /// Encrypt your list for the other clean room
    #[command(override_usage = usage("pair encrypt", &[LIST_AND_KEY, "--salt <FILE> --cipher-key <FILE>"]))]
    Encrypt(Box<EncryptArgs>),
    /// Put your key on the list that the other clean room sent, and shuffle it
    Reencrypt(ReencryptArgs),
    /// Match the two lists that have all keys, and print both rates as PAIR allows
    Match(MatchArgs),
}

/// Which key.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// The publisher's salt, for both clean rooms; PAIR takes it for 30 days
    Ks,
    /// The cipher key of the publisher's clean room, for 180 days
    Kp,
    /// The cipher key of the advertiser's clean room, for 180 days
    Ka,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Ks => Self::Ks,
            KindArg::Kp => Self::Kp,
            KindArg::Ka => Self::Ka,
        }
    }
}

#[derive(Args)]
pub(crate) struct KeyArgs {
    /// Which key
    #[arg(value_enum)]
    pub(crate) kind: KindArg,
    /// Write the key to this file, which you alone can read
    #[arg(long, short, help_heading = RESULT, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Overwrite the output file
    #[arg(long, help_heading = RESULT)]
    pub(crate) force: bool,
    /// Take the key from this file, or - for standard input, in place of a new one: the Base64 of 32 bytes, as partners have it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) import: Option<String>,
    /// The day on which the partner made the key, such as 2026-11-28 [default: today]
    #[arg(long, value_name = "DAY", value_parser = units::day, requires = "import")]
    pub(crate) made: Option<SystemTime>,
}

/// What the rows of lists say that clean rooms exchange.
#[derive(Args)]
pub(crate) struct PairingArgs {
    /// What both clean rooms call this pair of advertiser and publisher (PAIR's AdvPubID); it stands in each row that you write, and
    /// a row that says another is refused
    #[arg(long, help_heading = LIST, value_name = "TEXT", value_parser = units::reference)]
    pub(crate) advpubid: Option<String>,
}

/// How a list is written.
#[derive(Args)]
pub(crate) struct ShapeArgs {
    #[command(flatten)]
    pub(crate) pairing: PairingArgs,
    /// Write lines without a header, as text
    #[arg(long, help_heading = RESULT)]
    pub(crate) bare: bool,
}

impl From<&ShapeArgs> for Shape {
    fn from(args: &ShapeArgs) -> Self {
        Self { pairing: args.pairing.advpubid.clone(), bare: args.bare }
    }
}

#[derive(Args)]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// The file with Ks, the publisher's salt
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) salt: PathBuf,
    /// The file with your cipher key: Kp in the publisher's clean room, Ka in the advertiser's
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) cipher_key: PathBuf,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    /// Write the publisher's table to this file, too: all rows of the list, each with its Publisher Identifier
    #[arg(long, help_heading = RESULT, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    #[command(flatten)]
    pub(crate) out: OutputArgs,
}

/// Which column has the entries.
#[derive(Args)]
pub(crate) struct ColumnArgs {
    /// The column with the encrypted identifiers [default: identifier or pair_id, the only one, or the first where there is no header]
    #[arg(long, help_heading = LIST, value_name = "COL")]
    pub(crate) column: Option<String>,
}

#[derive(Args)]
pub(crate) struct ReencryptArgs {
    /// The list that the other clean room encrypted for you
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: String,
    /// The file with your cipher key: Kp in the publisher's clean room, Ka in the advertiser's
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) cipher_key: PathBuf,
    #[command(flatten)]
    pub(crate) column: ColumnArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    #[command(flatten)]
    pub(crate) out: OutputArgs,
}

#[derive(Args)]
pub(crate) struct MatchArgs {
    /// The list that you encrypted and sent
    #[arg(long, help_heading = LIST, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) sent: String,
    /// The same list as it came back, with the other clean room's key on it
    #[arg(long, help_heading = LIST, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ours: String,
    /// The other clean room's list, on which you put your key
    #[arg(long, help_heading = LIST, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) theirs: String,
    #[command(flatten)]
    pub(crate) column: ColumnArgs,
    #[command(flatten)]
    pub(crate) pairing: PairingArgs,
    #[command(flatten)]
    pub(crate) partner: PartnerArgs,
    /// The file with Ka, which is taken off what matched; in the advertiser's clean room alone
    #[arg(long, value_name = "FILE", requires = "output", value_hint = ValueHint::FilePath)]
    pub(crate) cipher_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
    /// Write the Publisher Identifiers of what matched to this file or object, for the advertiser's platform
    #[arg(long, short, help_heading = RESULT, value_name = "OUT", requires = "cipher_key", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<String>,
    /// Overwrite the output file
    #[arg(long, help_heading = RESULT)]
    pub(crate) force: bool,
    /// Write lines without a header, as text
    #[arg(long, help_heading = RESULT)]
    pub(crate) bare: bool,
    /// Print one JSON object
    #[arg(long, help_heading = RESULT)]
    pub(crate) json: bool,
}

impl PairArgs {
    /// Whether the result is to be JSON.
    pub(crate) fn prints_json(&self) -> bool {
        matches!(&self.command, PairCommand::Match(args) if args.json)
    }
}
