//! `veilset receipt`: what both sides signed at the end of a run.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::json;
use veilset::json::time_of;
use veilset::party::{Home, Identity, Peers};
use veilset::policy::{Ledger, SignedReceipt, Statement};

use crate::error::Failure;
use crate::escape::{json_line, shown};

#[derive(Args)]
pub(crate) struct ReceiptArgs {
    #[command(subcommand)]
    command: ReceiptCommand,
}

#[derive(Subcommand)]
enum ReceiptCommand {
    /// Print a receipt in words, or as the file that another party can verify
    Show {
        /// The receipt's file, or the id of a run of yours
        #[arg(value_name = "FILE|RUN")]
        receipt: String,
        /// Print the file
        #[arg(long)]
        json: bool,
    },
    /// Verify that both parties signed a receipt
    Verify {
        /// The receipt's file, or the id of a run of yours
        #[arg(value_name = "FILE|RUN")]
        receipt: String,
    },
}

pub(crate) fn run(args: ReceiptArgs) -> Result<(), Failure> {
    match args.command {
        ReceiptCommand::Show { receipt, json } => show(&load(&receipt)?, json),
        ReceiptCommand::Verify { receipt } => verify(&load(&receipt)?),
    }
}

/// The longest receipt in bytes: some times what the longest terms make.
const LONGEST: u64 = 1 << 20;

fn load(receipt: &str) -> Result<SignedReceipt, Failure> {
    let own = Ledger::receipt(&Home::from_env()?, receipt).map_err(veilset::Error::from)?;
    let is_own = own.is_some();
    let bytes = match own {
        Some(bytes) => bytes,
        None => read(Path::new(receipt)).map_err(|why| {
            Failure::Flags(format!("no run of yours and no file is called {receipt}: {why}"))
        })?,
    };
    let read =
        SignedReceipt::read(&bytes).map_err(|why| Failure::Flags(format!("{receipt}: {why}")))?;
    if is_own && read.statement().run != receipt {
        return Err(Failure::Unverified(format!(
            "the receipt of {receipt} is that of another run"
        )));
    }
    Ok(read)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(std::io::Error::other("it has more than 1 MiB"));
    }
    Ok(bytes)
}

fn show(receipt: &SignedReceipt, json: bool) -> Result<(), Failure> {
    if json {
        return Ok(print_line!("{}", json_line(&json!(receipt)))?);
    }
    let Statement {
        run, operation, protocol, security, presets, outcome, parties, details, ..
    } = receipt.statement();
    let named_values = [
        ("run", run),
        ("operation", operation),
        ("protocol", protocol),
        ("security", security),
        ("presets", presets),
        ("outcome", outcome),
    ];
    for (name, value) in named_values {
        print_line!("{name:10} {}", shown(value))?;
    }
    for party in parties {
        let learns = if party.learns { "learns" } else { "does not learn" };
        print_line!("party      {}", named(&party.key))?;
        print_line!(
            "             {} distinct keys, {learns} the result, says that it began {}",
            party.distinct,
            time_of(party.began)
        )?;
        if !party.columns.is_empty() {
            print_line!("             columns {}", shown(&party.columns.join(", ")))?;
        }
        print_line!("             list {}", shown(&party.commitment))?;
    }
    for detail in details {
        print_line!("{}: {}", shown(&detail.name), shown(&detail.value))?;
    }
    let signed = receipt
        .verify()
        .map_or_else(|why| why.to_string(), |()| format!("{} signed it", all(receipt, "both")));
    print_line!("{signed}")?;
    Ok(())
}

fn verify(receipt: &SignedReceipt) -> Result<(), Failure> {
    receipt.verify().map_err(|why| Failure::Unverified(why.to_string()))?;
    let run = shown(&receipt.statement().run);
    print_line!("{} signed the statement of run {run}:", all(receipt, "Both"))?;
    for party in &receipt.statement().parties {
        print_line!("  {}", named(&party.key))?;
    }
    Ok(())
}

/// All parties of a receipt; of two the word is `both`.
fn all(receipt: &SignedReceipt, both: &str) -> String {
    match receipt.statement().parties.len() {
        2 => format!("{both} parties"),
        parties => format!("all {parties} parties"),
    }
}

/// A party's key, with what this party calls it.
fn named(key: &str) -> String {
    let name = || {
        let home = Home::from_env().ok()?;
        let own = Identity::load(&home).ok().map(|identity| identity.public_key());
        if own.is_some_and(|own| own.to_string() == key) {
            return Some("you".to_owned());
        }
        let peers = Peers::load(&home, own).ok()?;
        let found =
            peers.iter().find(|(_, pinned)| pinned.iter().any(|pinned| pinned.to_string() == key));
        found.map(|(name, _)| name.to_owned())
    };
    let name = name().map_or(String::new(), |name| format!(" ({name})"));
    format!("{}{name}", shown(key))
}
