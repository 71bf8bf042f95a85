//! What the rules refuse.

use chrono::NaiveDate;
use veilset_protocols::{Gives, Operation, Security};
use veilset_session::{Learn, Noise, Release, can_be_filled};

use super::section::{Placed, Protocol, Section};
use super::{Place, Rules};

/// What is known of a run when its rules are checked.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// What is computed.
    pub operation: Operation,
    /// Who learns, as this side sees it; `None` where that is known only once the terms are agreed on.
    pub learn: Option<Learn>,
    /// Against whom the protocol holds; before the terms are agreed on, what this side asks for at least.
    pub security: Security,
    /// The protocol, if it is chosen.
    pub protocol: Option<&'a str>,
    /// The columns of the keys with their presets, once the keys are known.
    pub keys: Vec<(&'a str, String)>,
    /// The columns of which anything goes to the peer beside the keys.
    pub sends: Vec<&'a str>,
    /// This side's distinct keys, once the list is read.
    pub own: Option<u64>,
    /// Up to how many keys this side's list is filled up.
    pub pad_to: Option<u64>,
    /// The peer's, once it said so.
    pub peer: Option<u64>,
    /// How much of the result is released.
    pub release: Release,
    /// The agreement's reference.
    pub reference: Option<&'a str>,
    /// The day in UTC.
    pub today: NaiveDate,
}

/// A rule that a run does not obey.
#[derive(Debug, thiserror::Error)]
#[error("your policy refuses this run: {why} (rule `{rule}`, {place})")]
pub struct Refusal {
    /// The rule's name.
    pub rule: &'static str,
    /// Where it stands.
    pub place: Place,
    /// What it wants and what the run has.
    pub why: String,
}

/// A line that refuses, and why.
type Refused = (&'static str, usize, String);

impl Rules {
    /// Whether a run of which this is known obeys the rules, as far as that can be said of it.
    ///
    /// # Errors
    /// With the first rule that it does not obey.
    pub fn check(&self, facts: &Facts<'_>) -> Result<(), Refusal> {
        let section = &self.section;
        let refused = allowed(section, facts)
            .or_else(|| columns(section, facts))
            .or_else(|| sizes(section, facts))
            .or_else(|| released(section, facts))
            .or_else(|| agreement(section, facts));
        refused.map_or(Ok(()), |(rule, line, why)| {
            Err(Refusal { rule, place: Place { path: self.path.clone(), line }, why })
        })
    }
}

/// Whether what is computed, for whom and how, is among what may be.
fn allowed(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    let Facts { operation, learn, security, protocol, .. } = facts;
    let operations =
        refusing(&section.operations, |all| !all.contains(operation)).map(|(line, all)| {
            ("operations", line, format!("it allows {}, not {operation}", listed(all)))
        });
    let learners = || {
        let learn = learn.as_ref()?;
        let (line, all) = refusing(&section.learn, |all| !all.contains(learn))?;
        Some(("learn", line, format!("it allows --learn {}, not {learn}", listed(all))))
    };
    let security = || {
        let (line, least) = refusing(&section.security, |least| security < least)?;
        let why = format!("it asks for {least} security: give --security {least}");
        Some(("security", line, why))
    };
    let protocols = || {
        let is_other = |all: &Vec<Protocol>| {
            protocol.is_some_and(|id| !all.iter().any(|Protocol(other)| *other == id))
        };
        let (line, all) = refusing(&section.protocols, is_other)?;
        let all: Vec<&str> = all.iter().map(|Protocol(id)| *id).collect();
        let id = protocol.unwrap_or_default();
        Some(("protocols", line, format!("it allows {}, not {id}", listed(&all))))
    };
    operations.or_else(learners).or_else(security).or_else(protocols)
}

/// Whether the columns are among those that may be used or sent.
fn columns(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    let keys = || facts.keys.iter();
    outside(&section.key_columns, keys().map(|(column, _)| *column))
        .map(|(line, all, other)| {
            ("key-columns", line, format!("it allows the key columns {all}, not {other}"))
        })
        .or_else(|| {
            let presets = keys().map(|(_, preset)| preset.as_str());
            let (line, all, other) = outside(&section.key_presets, presets)?;
            Some(("key-presets", line, format!("it allows the presets {all}, not {other}")))
        })
        .or_else(|| {
            let sends = facts.sends.iter().copied();
            let (line, all, other) = outside(&section.send_columns, sends)?;
            let why = format!("it lets the columns {all} go to the peer, not {other}");
            Some(("send-columns", line, why))
        })
}

/// The line of a rule, the names that it has, and the first that is used and not among them.
fn outside<'a>(
    rule: &Option<Placed<Vec<String>>>,
    mut used: impl Iterator<Item = &'a str>,
) -> Option<(usize, String, String)> {
    let Placed { value: all, line } = rule.as_ref()?;
    let other = used.find(|name| !all.iter().any(|allowed| allowed == name))?;
    Some((*line, listed(all), format!("{other:?}")))
}

/// Whether the lists are large and small enough.
pub(super) fn sizes(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    let Facts { own, peer, .. } = *facts;
    let (yours, theirs) = ("your list", "the peer");
    let least = [
        ("own-least", &section.own_least, own, yours),
        ("peer-least", &section.peer_least, peer, theirs),
    ];
    let most = [
        ("own-most", &section.own_most, own, yours),
        ("peer-most", &section.peer_most, peer, theirs),
    ];
    let below = least.into_iter().find_map(|(rule, bound, size, whose)| {
        let size = size?;
        let (line, least) = refusing(bound, |least| size < *least)?;
        Some((rule, line, format!("{whose} has {size} keys, and it asks for {least} at least")))
    });
    let above = most.into_iter().find_map(|(rule, bound, size, whose)| {
        let size = size?;
        let (line, most) = refusing(bound, |most| size > *most)?;
        Some((rule, line, format!("{whose} has {size} keys, and it allows {most} at most")))
    });
    let shown = || {
        let size = own?;
        let is_shown = |least: &u64| size < *least && facts.pad_to.is_none_or(|to| to < *least);
        let (line, wanted) = refusing(&section.pad_to, is_shown)?;
        let why = match can_be_filled(facts.operation) {
            true => {
                let has = given("--pad-to", facts.pad_to);
                format!(
                    "your list has {size} keys, it asks for --pad-to {wanted} or more, and the run {has}"
                )
            }
            false => format!(
                "your list has {size} keys, it asks for {wanted}, and a list cannot be filled up for a {}",
                facts.operation
            ),
        };
        Some(("pad-to", line, why))
    };
    below.or(above).or_else(shown)
}

/// Whether no more of a result is released than may be.
fn released(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    let operation = facts.operation;
    if operation.spec().gives == Gives::Shares {
        let lines = [
            ("least", section.least.as_ref().map(|rule| rule.line)),
            ("most-rate", section.most_rate.as_ref().map(|rule| rule.line)),
        ];
        return lines.into_iter().find_map(|(rule, line)| {
            let why = format!(
                "nobody sees in a {operation} how many keys match, so this rule cannot be enforced"
            );
            Some((rule, line?, why))
        });
    }
    counted(section, facts).or_else(|| rounded(section, facts)).or_else(|| noisy(section, facts))
}

/// Whether a result is withheld for the number of its matches where it is to be.
fn counted(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    if !Release::is_counted(facts.operation) {
        return None;
    }
    let Release { least, most_rate, .. } = facts.release;
    refusing(&section.least, |most| least.is_none_or(|least| least < *most))
        .map(|(line, wanted)| {
            let has = given("--least", least);
            ("least", line, format!("it asks for --least {wanted} or more, and the run {has}"))
        })
        .or_else(|| {
            let (line, wanted) =
                refusing(&section.most_rate, |most| most_rate.is_none_or(|rate| rate > *most))?;
            let has = given("--most-rate", most_rate.map(u64::from));
            let why = format!("it asks for --most-rate {wanted} or less, and the run {has}");
            Some(("most-rate", line, why))
        })
}

/// Whether numbers are rounded as they are to be.
fn rounded(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    if !Release::is_of_numbers(facts.operation) {
        return None;
    }
    let round = facts.release.round;
    let is_finer = |to: &u64| round.is_none_or(|round| !round.is_multiple_of(*to));
    let (line, wanted) = refusing(&section.round, is_finer)?;
    let has = given("--round", round);
    Some(("round", line, format!("it asks for --round {wanted} or a multiple, and the run {has}")))
}

/// Whether a count or a sum has as much noise as it is to have.
fn noisy(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    if !Release::is_of_numbers(facts.operation) {
        return None;
    }
    let noise = facts.release.noise;
    let is_weaker = |wanted: &Noise| !noise.is_some_and(|noise| noise.is_as_strong_as(*wanted));
    let (line, wanted) = refusing(&section.noise, is_weaker)?;
    let why = match (facts.operation, noise) {
        (Operation::Count | Operation::Sum, Some(noise)) => {
            format!("it asks for --noise {wanted} or stronger, and the run has {noise}")
        }
        (Operation::Count | Operation::Sum, None) => {
            format!("it asks for --noise {wanted}, and the run has none")
        }
        (operation, _) => format!("it asks for noise, which a {operation} cannot have"),
    };
    Some(("noise", line, why))
}

/// A flag as a run has it.
fn given(flag: &str, value: Option<u64>) -> String {
    value.map_or(format!("has no {flag}"), |value| format!("has {flag} {value}"))
}

/// Whether there is an agreement, which is in force.
fn agreement(section: &Section, facts: &Facts<'_>) -> Option<Refused> {
    let Facts { reference, today, .. } = facts;
    refusing(&section.reference, |wanted| *reference != Some(wanted))
        .map(|(line, wanted)| {
            let has = reference.map_or("none".to_owned(), |given| format!("{given:?}"));
            (
                "reference",
                line,
                format!("it asks for the reference {wanted:?}, and the run has {has}"),
            )
        })
        .or_else(|| {
            let (line, day) = refusing(&section.from, |day| today < day)?;
            Some(("from", line, format!("it allows runs from {day}, and today is {today}")))
        })
        .or_else(|| {
            let (line, day) = refusing(&section.until, |day| today > day)?;
            Some(("until", line, format!("it allowed runs until {day}, and today is {today}")))
        })
}

/// The line and the value of a rule that there is, if it `refuses`.
fn refusing<T>(rule: &Option<Placed<T>>, refuses: impl Fn(&T) -> bool) -> Option<(usize, &T)> {
    let Placed { value, line } = rule.as_ref()?;
    refuses(value).then_some((*line, value))
}

/// What may be, in words.
pub(super) fn listed<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}
