//! `veilset policy`: what a policy says, and what it would make of a command.

pub(crate) mod args;

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use veilset::json::versioned;
use veilset::party::{Home, Peers};
use veilset::policy::{Ledger, Policy, Sentence};
use veilset::{Job, Release};

use crate::args::{Command, Talk};
use crate::config::{self, Places};
use crate::error::Failure;
use crate::escape::json_line;
use crate::history::key_of;
use crate::operation::read;
use crate::order::Order;
use crate::policy::args::{PolicyArgs, PolicyCommand};
use crate::progress::say_warning;

pub(crate) fn run(args: PolicyArgs, talk: &Talk) -> Result<(), Failure> {
    match args.command {
        PolicyCommand::Check { file, json } => check(&load(&file)?, json),
        PolicyCommand::Try { file, command } => attempt(&load(&file)?, command, talk),
    }
}

fn load(path: &Path) -> Result<Policy, Failure> {
    Ok(Policy::load(path).map_err(veilset::Error::from)?)
}

/// Prints the rules in sentences.
fn check(policy: &Policy, json: bool) -> Result<(), Failure> {
    let sentences = policy.sentences();
    warn_of_strangers(policy);
    if json {
        let rule = |Sentence { peer, line, text }: &Sentence<'_>| json!({ "peer": peer, "line": line, "text": text });
        let object = versioned(json!({ "rules": sentences.iter().map(rule).collect::<Vec<_>>() }));
        return Ok(print_line!("{}", json_line(&object))?);
    }
    if sentences.first().is_none_or(|first| first.peer.is_some()) {
        print_line!("No rule is for every peer.")?;
    }
    let mut before = None;
    for Sentence { peer, line, text } in sentences {
        if let Some(peer) = peer.filter(|_| peer != before) {
            print_line!("With {peer}, in place of the rules for every peer:")?;
        }
        before = peer;
        print_line!("{line:>4}  {text}")?;
    }
    Ok(())
}

/// Says which peers with rules of their own nobody pinned: a slip in a name would leave its rules out.
fn warn_of_strangers(policy: &Policy) {
    let Ok(home) = Home::from_env() else { return };
    let Ok(peers) = Peers::load(&home, None) else { return };
    for name in policy.peers().filter(|name| peers.get(name).is_none()) {
        say_warning(&format!(
            "the policy has rules for {name:?}, and you pinned nobody under that name: they are for `pair` and `openmined` alone, with --peer"
        ));
    }
}

/// Says whether the policy lets a command go on to its peer, and with which terms.
fn attempt(policy: &Policy, command: Vec<String>, talk: &Talk) -> Result<(), Failure> {
    let order = order(command)?;
    order.check()?;
    let home = Home::from_env()?;
    let named = order.party.meet.peer.iter().map(|peer| key_of(&home, &peer.name));
    let (names, keys): (Vec<_>, Vec<_>) = named.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let job = order.job(names).under(policy);
    let ledger = Ledger::open(&home).map_err(veilset::Error::from)?;
    let job = Job { ledger: Some(Arc::new(ledger)), ..job };
    job.check()?;
    let input = read(&order, None, talk)?;
    job.check_list(&input)?;
    job.check_budgets(&input, &keys)?;
    print_line!(
        "Your policy lets this run go on to {}. It is checked again on the agreed terms, and when the run takes its budgets.",
        job.peers.join(" and ")
    )?;
    if let Some(told) = job.pad_to_of(&input).filter(|_| job.pad_to.is_none()) {
        match input.left_out() {
            Some(_) => print_line!(
                "Your list is filled up to {told} keys: at least as many as all its rows have."
            )?,
            None => print_line!("The policy fills your list up: --pad-to {told}.")?,
        }
    }
    for term in completed(&order, &job) {
        print_line!("The policy adds to the terms, for both sides: {term}.")?;
    }
    Ok(())
}

/// The command, if it is one that a policy is about.
fn order(command: Vec<String>) -> Result<Order, Failure> {
    let words = ["veilset".to_owned()].into_iter().chain(command);
    let (cli, _) =
        config::parse(words, Places::All).map_err(|refused| Failure::Flags(refused.why()))?;
    match cli.command {
        Command::Compute(order) => Ok(*order),
        _ => Err(Failure::Flags(
            "a command on lists is needed, such as intersect or count with --peer".to_owned(),
        )),
    }
}

/// The terms that the command left open, and the policy has.
fn completed(order: &Order, job: &Job) -> Vec<String> {
    let given = Release::from(&order.party.release);
    let Release { least, most_rate, round, noise } = job.release;
    let noise = noise.filter(|_| given.noise.is_none());
    let flag = |name: &str, value: Option<u64>, given: bool| {
        value.filter(|_| !given).map(|value| format!("{name} {value}"))
    };
    let reference = job.reference.as_ref().filter(|_| order.party.meet.reference.is_none());
    [
        flag("--least", least, given.least.is_some()),
        flag("--most-rate", most_rate.map(u64::from), given.most_rate.is_some()),
        flag("--round", round, given.round.is_some()),
        noise.map(|noise| format!("--noise {noise}")),
        reference.map(|reference| format!("--reference {reference:?}")),
    ]
    .into_iter()
    .flatten()
    .collect()
}
