//! `veilset receipt`: what both sides signed at the end of a run.

use std::fs;
use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::Value;
use veilset::json::time_of;
use veilset::party::{Home, Identity, Peers};
use veilset::policy::{Ledger, SignedReceipt};

use crate::error::Failure;

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
    let bytes = match own {
        Some(bytes) => bytes,
        None => read(Path::new(receipt)).map_err(|why| {
            Failure::Flags(format!("no run of yours and no file is called {receipt}: {why}"))
        })?,
    };
    SignedReceipt::read(&bytes).map_err(|why| Failure::Flags(format!("{receipt}: {why}")))
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if fs::metadata(path)?.len() > LONGEST {
        return Err(std::io::Error::other("it has more than 1 MiB"));
    }
    fs::read(path)
}

fn show(receipt: &SignedReceipt, json: bool) -> Result<(), Failure> {
    if json {
        let file = String::from_utf8_lossy(&receipt.to_bytes()).into_owned();
        return Ok(print_line!("{}", file.trim_end())?);
    }
    let statement = receipt.statement();
    let text = |value: &Value| shown(value.as_str().unwrap_or_default());
    for name in ["run", "operation", "protocol", "security", "presets", "outcome", "version"] {
        print_line!("{name:10} {}", text(&statement[name]))?;
    }
    for party in statement["parties"].as_array().into_iter().flatten() {
        let began = party["began"].as_u64().map(time_of).unwrap_or_default();
        let learns = if party["learns"] == true { "learns" } else { "does not learn" };
        print_line!("party      {}", named(&text(&party["key"])))?;
        print_line!(
            "             {} distinct keys, {learns} the result, began {began}",
            party["distinct"]
        )?;
        print_line!("             list {}", text(&party["commitment"]))?;
    }
    for detail in statement["details"].as_array().into_iter().flatten() {
        print_line!("{}: {}", text(&detail["name"]), text(&detail["value"]))?;
    }
    let signed = receipt
        .verify()
        .map_or_else(|why| why.to_string(), |()| "both parties signed it".to_owned());
    print_line!("{signed}")?;
    Ok(())
}

fn verify(receipt: &SignedReceipt) -> Result<(), Failure> {
    receipt.verify().map_err(|why| Failure::Unverified(why.to_string()))?;
    print_line!(
        "Both parties signed the statement of run {}:",
        shown(receipt.statement()["run"].as_str().unwrap_or_default())
    )?;
    for party in receipt.statement()["parties"].as_array().into_iter().flatten() {
        print_line!("  {}", named(party["key"].as_str().unwrap_or_default()))?;
    }
    Ok(())
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
        let found = peers.iter().find(|(_, pinned)| pinned.to_string() == key);
        found.map(|(name, _)| name.to_owned())
    };
    let name = name().map_or(String::new(), |name| format!(" ({name})"));
    format!("{}{name}", shown(key))
}

/// Text from a file, made harmless for a terminal.
fn shown(text: &str) -> String {
    text.chars()
        .flat_map(|c| if c.is_control() { c.escape_debug().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}
