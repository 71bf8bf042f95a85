//! `veilset history` and `veilset budget`: what this party took part in, and what is left of its budgets.

use std::time::SystemTime;

use clap::Args;
use serde_json::{Value, json};
use veilset::json::{PastRun, of_budget, of_past_run, time_of, versioned};
use veilset::party::{Home, Identity, Peers};
use veilset::policy::{Budget, Entry, Ledger, LedgerPeer, Policy};

use crate::complete;
use crate::error::Failure;
use crate::escape::json_line;

#[derive(Args)]
pub(crate) struct HistoryArgs {
    /// Only runs with this party: a pinned name, or its key; or what you called a partner who runs something else
    #[arg(long, value_name = "NAME|KEY", add = complete::peers())]
    peer: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct BudgetArgs {
    /// The other party: a pinned name, or its key; or what you called a partner who runs something else
    #[arg(add = complete::peers())]
    peer: String,
    /// Your policy [default: policy.toml in the folder of your identity]
    #[arg(long, value_name = "FILE")]
    policy: Option<std::path::PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Prints the runs of the ledger, the first first.
pub(crate) fn history(args: &HistoryArgs) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let wanted = args.peer.as_deref().map(|peer| known(&home, peer)).transpose()?;
    let is_wanted = |run: &PastRun| {
        let peers = &run.began.peers;
        let is = |(name, key): &(String, String)| {
            peers.iter().any(|peer| !key.is_empty() && peer.key == *key || peer.name == *name)
        };
        wanted.as_ref().is_none_or(is)
    };
    let runs = PastRun::all(ledger(&home)?.entries().map_err(veilset::Error::from)?);
    let runs = runs.into_iter().filter(is_wanted);
    if args.json {
        let object =
            versioned(json!({ "runs": runs.map(|run| of_past_run(&run)).collect::<Vec<_>>() }));
        return Ok(print_line!("{}", json_line(&object))?);
    }
    for run in runs {
        let began = &run.began;
        let peers: Vec<&str> = began.peers.iter().map(|peer| peer.name.as_str()).collect();
        let ending = run.ending();
        print_line!(
            "{}  {:9} with {}, {} keys, by {}: {ending}  {}",
            time_of(began.at),
            began.operation,
            peers.join(", "),
            began.own,
            began.protocol,
            began.run
        )?;
    }
    Ok(())
}

/// Prints the budgets of a peer and what of them is spent.
pub(crate) fn budget(args: &BudgetArgs) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let (name, key) = known(&home, &args.peer)?;
    let policy = Policy::of_party(&home, args.policy.as_deref()).map_err(veilset::Error::from)?;
    let Some(policy) = policy else {
        return Err(Failure::Flags(format!(
            "there is no policy: write one to {}, or give --policy",
            home.path().join("policy.toml").display()
        )));
    };
    let rules = policy.rules_for(&name);
    let budgets =
        ledger(&home)?.budgets(&rules, &key, SystemTime::now()).map_err(veilset::Error::from)?;
    if args.json {
        let budgets: Vec<Value> = budgets.iter().map(of_budget).collect();
        return Ok(print_line!(
            "{}",
            json_line(&versioned(json!({ "peer": name, "budgets": budgets })))
        )?);
    }
    if budgets.is_empty() {
        print_line!("Your policy has no budget for {name}: no rule runs or epsilon.")?;
    }
    for budget in &budgets {
        let Budget { rule, place, most, spent, within, renewed } = budget;
        let hours = within / 3_600;
        let again =
            renewed.map_or(String::new(), |at| format!("; some comes back at {}", time_of(at)));
        print_line!("{rule}: {spent} of {most} in {hours} h{again} ({place})")?;
    }
    Ok(())
}

fn ledger(home: &Home) -> Result<Ledger, Failure> {
    Ok(Ledger::open(home).map_err(veilset::Error::from)?)
}

/// The same, or the name of a partner who runs something else, with an empty key, if the ledger has a step with it.
fn known(home: &Home, peer: &str) -> Result<(String, String), Failure> {
    key_of(home, peer).or_else(|why| {
        let entries = ledger(home)?.entries().map_err(veilset::Error::from)?;
        let is_it = |known: &LedgerPeer| known.key.is_empty() && known.name == peer;
        let has =
            |entry: &Entry| matches!(entry, Entry::Began(began) if began.peers.iter().any(is_it));
        if entries.iter().any(has) { Ok((peer.to_owned(), String::new())) } else { Err(why) }
    })
}

/// The party's name and key, as this party pinned it.
pub(crate) fn key_of(home: &Home, peer: &str) -> Result<(String, String), Failure> {
    let own = Identity::load(home)?.public_key();
    let peer = Peers::load(home, Some(own))?.resolve(peer)?;
    Ok((peer.name, peer.keys.now().to_string()))
}
