//! Rules on runs that obey them, and on runs that differ from those in one thing.

use std::path::Path;

use chrono::NaiveDate;
use veilset_protocols::{Operation, Security};
use veilset_session::{Learn, Noise, Release};

use super::section::NAMES;
use super::*;

/// Every rule, a line each.
const ALL: &str = r#"operations = ["count", "intersect", "share", "agree"]
learn = ["me", "both"]
security = "malicious"
protocols = ["rr22-malicious"]
key-columns = ["email"]
key-presets = ["email"]
send-columns = ["segment"]
own-least = 1_000
own-most = 100000
peer-least = 2000
peer-most = 3000
pad-to = 5000
least = 50
most-rate = 85
round = 10
noise = "epsilon=1,delta=1e-9"
runs = "10 per 7d"
runs-per-list = 3
epsilon = "2.5 per 24h"
least-difference = 50
reference = "DPA 17"
from = 2026-01-01
until = 2026-12-31
"#;

fn parse(text: &str) -> Result<Policy, PolicyError> {
    Policy::parse(Path::new("policy.toml"), text)
}

fn all() -> Rules {
    parse(ALL).expect("rules").rules_for("acme")
}

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).expect("a day")
}

fn keys(keys: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    keys.iter().map(|(column, preset)| (*column, (*preset).to_owned())).collect()
}

/// A run that obeys every rule.
fn facts() -> Facts<'static> {
    Facts {
        operation: Operation::Count,
        learn: Some(Learn::Both),
        security: Security::Malicious,
        protocol: Some("rr22-malicious"),
        keys: keys(&[("email", "email")]),
        sends: vec!["segment"],
        own: Some(1000),
        pad_to: Some(5000),
        peer: Some(3000),
        release: Release {
            least: Some(50),
            most_rate: Some(80),
            round: Some(20),
            noise: Noise::new(0.5, 1e-9).ok(),
        },
        reference: Some("DPA 17"),
        today: day(2026, 12, 31),
    }
}

#[test]
fn each_rule_refuses_what_differs_from_it_and_says_where_it_stands() {
    let rules = all();
    assert!(rules.check(&facts()).is_ok());
    let release = facts().release;
    let others = [
        ("operations", Facts { operation: Operation::Sum, ..facts() }),
        ("learn", Facts { learn: Some(Learn::Peer), ..facts() }),
        ("security", Facts { security: Security::SemiHonest, ..facts() }),
        ("protocols", Facts { protocol: Some("dh"), ..facts() }),
        ("key-columns", Facts { keys: keys(&[("email", "email"), ("tel", "email")]), ..facts() }),
        ("key-presets", Facts { keys: keys(&[("email", "phone")]), ..facts() }),
        ("send-columns", Facts { sends: vec!["segment", "income"], ..facts() }),
        ("own-least", Facts { own: Some(999), ..facts() }),
        ("own-most", Facts { own: Some(100_001), ..facts() }),
        ("peer-least", Facts { peer: Some(1999), ..facts() }),
        ("peer-most", Facts { peer: Some(3001), ..facts() }),
        ("pad-to", Facts { pad_to: Some(4999), ..facts() }),
        ("least", Facts { release: Release { least: Some(49), ..release }, ..facts() }),
        ("most-rate", Facts { release: Release { most_rate: None, ..release }, ..facts() }),
        ("round", Facts { release: Release { round: Some(15), ..release }, ..facts() }),
        (
            "noise",
            Facts { release: Release { noise: Noise::new(1.5, 1e-9).ok(), ..release }, ..facts() },
        ),
        ("reference", Facts { reference: None, ..facts() }),
        ("from", Facts { today: day(2025, 12, 31), ..facts() }),
        ("until", Facts { today: day(2027, 1, 1), ..facts() }),
    ];
    // Budgets are taken from the ledger, whose tests have them.
    let budgets = ["runs", "runs-per-list", "epsilon", "least-difference"];
    let names: Vec<&str> = NAMES.iter().copied().filter(|name| !budgets.contains(name)).collect();
    assert_eq!(others.each_ref().map(|(rule, _)| *rule), names[..]);
    let lines = (1..).zip(NAMES).filter(|(_, name)| !budgets.contains(name));
    for ((line, _), (rule, facts)) in lines.zip(others) {
        let refusal = rules.check(&facts).expect_err(rule);
        assert_eq!((refusal.rule, refusal.place.line), (rule, line));
        let text = refusal.to_string();
        assert!(text.ends_with(&format!("(rule `{rule}`, policy.toml:{line})")), "{text}");
    }
}

#[test]
fn what_is_not_known_yet_is_not_refused() {
    let early =
        Facts { protocol: None, keys: vec![], sends: vec![], own: None, peer: None, ..facts() };
    assert!(all().check(&early).is_ok());
    assert!(parse("").expect("no rules").rules_for("acme").check(&facts()).is_ok());
}

#[test]
fn what_a_command_leaves_open_is_as_the_rules_have_it() {
    let rules = all();
    let given = Release { least: Some(7), ..Release::default() };
    let noise = Noise::new(1.0, 1e-9).ok();
    let whole = Release { least: Some(7), most_rate: Some(85), round: Some(10), noise };
    assert_eq!(rules.complete(given, Operation::Count), whole);
    assert_eq!(rules.complete(given, Operation::Sum), whole);
    assert_eq!(rules.complete(given, Operation::Union).noise, None);
    let sums = parse("noise = \"epsilon=1,delta=1e-9\"").expect("a rule").rules_for("acme");
    let sum = Facts { operation: Operation::Sum, release: Release::default(), ..facts() };
    assert_eq!(sums.check(&sum).expect_err("exact").rule, "noise");
    // Rows are not rounded, and nothing is withheld from those who agree on a slot.
    let open = Release::default();
    assert_eq!(rules.complete(open, Operation::Intersect).round, None);
    assert_eq!(rules.complete(open, Operation::Agree), open);
    let agree = Facts { operation: Operation::Agree, release: open, ..facts() };
    assert!(rules.check(&agree).is_ok());
    // Nobody could withhold shares.
    let share = Facts { operation: Operation::Share, release: open, ..facts() };
    assert_eq!(rules.check(&share).expect_err("no count").rule, "least");
}

#[test]
fn a_peers_own_rules_stand_in_the_place_of_the_others() {
    let text = "least = 50\nround = 10\n[peers.acme]\nleast = 5\n[peers.\"the bank\"]\nround = 1\n";
    let policy = parse(text).expect("rules");
    let least = |peer: &str| {
        let Release { least, round, .. } =
            policy.rules_for(peer).complete(Release::default(), Operation::Count);
        (least, round)
    };
    assert_eq!(least("acme"), (Some(5), Some(10)));
    assert_eq!(least("the bank"), (Some(50), Some(1)));
    assert_eq!(least("somebody"), (Some(50), Some(10)));
    assert_eq!(policy.peers().collect::<Vec<_>>(), ["acme", "the bank"]);
    let said = policy.sentences();
    let places = said.iter().map(|sentence| (sentence.peer, sentence.line));
    let places: Vec<_> = places.collect();
    assert_eq!(places, [(None, 1), (None, 2), (Some("acme"), 4), (Some("the bank"), 6)]);
}

#[test]
fn every_rule_has_its_sentence() {
    let policy = parse(ALL).expect("rules");
    let lines: Vec<usize> = policy.sentences().iter().map(|sentence| sentence.line).collect();
    assert_eq!(lines, (1..=NAMES.len()).collect::<Vec<_>>());
}

#[test]
fn what_is_no_rule_is_refused_with_its_line() {
    for (text, said) in [
        (
            "least = 50\nleest = 1",
            "policy.toml:2: there is no rule `leest`; the rules are operations, learn",
        ),
        ("least = 0", "policy.toml:1: the rule `least` takes a number from 1"),
        ("least = \"50\"", "policy.toml:1: the rule `least` takes a number from 1"),
        (
            "most-rate = 100",
            "policy.toml:1: the rule `most-rate` takes a whole number of per cent, from 1 to 99",
        ),
        (
            "operations = [\"counts\"]",
            "policy.toml:1: the rule `operations` takes a list, each one of intersect",
        ),
        (
            "operations = \"count\"",
            "policy.toml:1: the rule `operations` takes a list, in brackets",
        ),
        (
            "\nprotocols = [\"dhh\"]",
            "policy.toml:2: the rule `protocols` takes a list, each a name that",
        ),
        (
            "until = \"2026-01-01\"",
            "policy.toml:1: the rule `until` takes a date such as 2027-12-31, without",
        ),
        ("runs = 10", "policy.toml:1: the rule `runs` takes a text such as \"10 per 7d\""),
        ("runs = \"0 per 7d\"", "policy.toml:1: the rule `runs` takes"),
        ("runs = \"1.5 per 7d\"", "policy.toml:1: the rule `runs` takes"),
        ("runs = \"1 per 7m\"", "policy.toml:1: the rule `runs` takes"),
        ("epsilon = \"NaN per 7d\"", "policy.toml:1: the rule `epsilon` takes"),
        ("noise = \"1\"", "policy.toml:1: the rule `noise` takes a text such as"),
        ("until = 2026-02-30", "policy.toml:1: "),
        ("reference = \"\"", "policy.toml:1: the rule `reference` takes a text"),
        (
            "from = 2026-02-01\nuntil = 2026-01-01",
            "policy.toml:1: the rule `from` is above the rule `until`",
        ),
        (
            "own-most = 5\n[peers.acme]\nown-least = 6",
            "policy.toml:3: the rule `own-least` is above the rule `own-most`",
        ),
        ("least = 50\nleast = 60", "policy.toml:2: duplicate key"),
        ("least 50", "policy.toml:1: "),
        ("peers = 1", "policy.toml:1: there is no rule `peers`"),
        ("[peers]\nacme = 1", "policy.toml:2: a peer's rules stand under [peers.NAME]"),
        ("[peers.acme]\npeers = 1", "policy.toml:2: there is no rule `peers`"),
        ("[result]\nleast = 1", "policy.toml:1: there is no rule `result`"),
    ] {
        let why = parse(text).expect_err(text).to_string();
        assert!(why.starts_with(said), "{why}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_change_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    use veilset_party::StoreError;

    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("policy.toml");
    std::fs::write(&path, ALL).expect("room");
    let home = Home::new(dir.path());
    assert!(Policy::of_home(&home).expect("ours").is_some());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).expect("own");
    assert!(matches!(Policy::load(&path), Err(PolicyError::Store(StoreError::Writable { .. }))));
    assert!(matches!(Policy::of_home(&home), Err(PolicyError::Store(StoreError::Writable { .. }))));
    std::fs::remove_file(&path).expect("own");
    assert!(Policy::of_home(&home).expect("no file").is_none());
    assert!(matches!(Policy::load(&path), Err(PolicyError::Store(StoreError::Read { .. }))));
}
