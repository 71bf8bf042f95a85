//! The rules in sentences.

use super::Policy;
use super::check::listed;
use super::section::{Difference, Placed, Protocol, Section};

/// A rule in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The peer whom it is about; `None` is every peer.
    pub peer: Option<&'a str>,
    /// The rule's line, from 1.
    pub line: usize,
    /// The sentence.
    pub text: String,
}

impl Policy {
    /// The rules in sentences: those for every peer, and then those for each that has its own.
    #[must_use]
    pub fn sentences(&self) -> Vec<Sentence<'_>> {
        let own = self.peers.iter().map(|(name, section)| (Some(name.as_str()), section));
        let all = [(None, &self.general)].into_iter().chain(own);
        let sentences = all.flat_map(|(peer, section)| {
            section.sentences().into_iter().map(move |(line, text)| Sentence { peer, line, text })
        });
        sentences.collect()
    }
}

impl Section {
    fn sentences(&self) -> Vec<(usize, String)> {
        let section = self;
        let protocols = |all: &Vec<Protocol>| {
            let all: Vec<&str> = all.iter().map(|Protocol(id)| *id).collect();
            format!("The protocol is one of: {}.", listed(&all))
        };
        let sentences = [
            say(&section.operations, |all| format!("You compute: {}.", listed(all))),
            say(&section.learn, |all| {
                format!("The result goes, with --learn, to: {}.", listed(all))
            }),
            say(&section.security, |least| format!("The protocol has {least} security at least.")),
            say(&section.protocols, protocols),
            say(&section.key_columns, |all| {
                format!("Keys come from the columns: {}.", listed(all))
            }),
            say(&section.key_presets, |all| format!("Keys have the presets: {}.", listed(all))),
            say(&section.send_columns, |all| {
                format!("Of other columns, these go to the peer: {}.", listed(all))
            }),
            say(&section.own_least, |least| {
                format!("Your list has {least} distinct keys at least.")
            }),
            say(&section.own_most, |most| format!("Your list has {most} distinct keys at most.")),
            say(&section.peer_least, |least| {
                format!("The peer's list has {least} distinct keys at least.")
            }),
            say(&section.peer_most, |most| {
                format!("The peer's list has {most} distinct keys at most.")
            }),
            say(&section.pad_to, |told| {
                format!(
                    "A list of fewer than {told} distinct keys is filled up to {told} with made-up ones."
                )
            }),
            say(&section.least, |least| {
                format!("A result of fewer than {least} matches is withheld from whoever learns.")
            }),
            say(&section.most_rate, |most| {
                format!(
                    "A result in which more than {most} % of the smaller list match is withheld, too."
                )
            }),
            say(&section.round, |round| format!("Numbers are rounded to multiples of {round}.")),
            say(&section.noise, |noise| {
                format!("A count and a sum have noise of {noise} or stronger.")
            }),
            say(&section.runs, |runs| {
                format!("At most {} runs with one peer begin in {}.", runs.most, runs.time())
            }),
            say(&section.runs_per_list, |most| {
                format!("One list is used {most} times with a peer for one operation at most.")
            }),
            say(&section.epsilon, |epsilon| {
                let (most, time) = (epsilon.most, epsilon.time());
                format!(
                    "Numbers with noise spend an epsilon of {most} on one peer in {time} at most; those without noise are refused."
                )
            }),
            say(&section.least_difference, |Difference(least)| {
                format!(
                    "A list differs by {least} keys at least from each that was used with a peer for the same operation before, or by none."
                )
            }),
            say(&section.reference, |text| {
                format!("Both sides give the agreement's reference {text:?}.")
            }),
            say(&section.from, |day| format!("There are runs from {day}.")),
            say(&section.until, |day| format!("There are runs until {day}, that day included.")),
        ];
        let mut sentences: Vec<_> = sentences.into_iter().flatten().collect();
        sentences.sort_unstable_by_key(|(line, _)| *line);
        sentences
    }
}

fn say<T>(rule: &Option<Placed<T>>, sentence: impl Fn(&T) -> String) -> Option<(usize, String)> {
    rule.as_ref().map(|Placed { value, line }| (*line, sentence(value)))
}
