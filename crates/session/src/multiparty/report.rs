//! What the user sees before a run of several parties, and what it leaves.

use std::cmp::Reverse;
use std::time::Duration;

use veilset_channel::{Costs, PhaseCost};
use veilset_data::{Warning, WarningCode};
use veilset_protocols::{Operation, Outcome, Withstands};

use super::seats::Seated;
use super::terms::Exchanged;
use super::{AgreedMultiparty, ConnectedPeer, peer_at};
use crate::briefing::{NO_KEYS, leaks_of_offer};
use crate::report::run_id;
use crate::terms::Terms;
use crate::{Asked, Briefing, Learn, Offer, PeerBriefing, PeerReport, Receipt, Report};

/// The agreed run in words, for the party in this place.
pub(super) fn briefing(
    peers: &[ConnectedPeer],
    offer: &Offer,
    agreed: &Exchanged,
    place: usize,
) -> Briefing {
    let Exchanged { theirs, protocol, seated, .. } = agreed;
    let spec = protocol.spec();
    let mut learners = seated.learners.clone();
    learners.remove(place);
    let told = peers.iter().zip(theirs).zip(learners);
    let hashed = "Each party learns whether the others' keys look like hashes.";
    let names = Names { peers, place };
    Briefing {
        operation: offer.operation,
        presets: offer.presets.clone(),
        protocol: spec.id,
        choices: spec.choices,
        security: spec.security,
        learn: names.learn(seated),
        // All name the same protocol.
        asked_by_peer: Asked::default(),
        learned: names.learned(offer.operation, seated)
            + &names.seats(spec.withstands, seated)
            + &offer.release.sentences(None, None),
        leaks: spec
            .leaks
            .iter()
            .copied()
            .chain(leaks_of_offer(offer, false, false))
            .chain([hashed])
            .collect(),
        peers: told
            .map(|((peer, terms), learns)| PeerBriefing::with(&peer.name, terms, learns))
            .collect(),
        warnings: warnings(peers, offer, theirs),
    }
}

/// What this side calls the parties; it stands in a place itself.
struct Names<'a> {
    peers: &'a [ConnectedPeer],
    place: usize,
}

impl Names<'_> {
    /// Who gets the result, as a run of two would have it.
    fn learn(&self, seated: &Seated) -> Learn {
        let others = seated.learners.iter().filter(|learns| **learns).count();
        match (seated.learners[self.place], others) {
            (true, 1) => Learn::Me,
            (true, _) => Learn::Both,
            (false, _) => Learn::Peer,
        }
    }

    /// The name of the party in a place.
    fn of(&self, place: usize) -> &str {
        peer_at(place, self.place).map_or("you", |at| &self.peers[at].name)
    }

    /// Who learns what.
    fn learned(&self, operation: Operation, seated: &Seated) -> String {
        let all = self.peers.len() + 1;
        let what = |whose: &str| match operation {
            Operation::Count => format!("how many distinct keys all {all} lists have"),
            Operation::Overlaps => {
                format!("how many distinct keys each two lists have, and all {all}")
            }
            _ => format!("which of {whose} rows all {all} lists have"),
        };
        let [learn, others] = [true, false].map(|learns| {
            let others = (0..all).filter(|at| *at != self.place && seated.learners[*at] == learns);
            others.map(|at| self.of(at)).collect::<Vec<&str>>()
        });
        let learns = |names: &[&str], whose: &str| match names {
            [] => String::new(),
            [one] => format!(" {one} learns: {whose}."),
            several => format!(" {} learn: {whose}.", listed(several)),
        };
        let nothing = "nothing but the numbers of distinct keys";
        let own = match seated.learners[self.place] {
            true => what("your"),
            false => nothing.to_owned(),
        };
        format!("You learn: {own}.{}{}", learns(&learn, &what("their")), learns(&others, nothing))
    }

    /// Who must not pool what they see.
    fn seats(&self, withstands: Withstands, seated: &Seated) -> String {
        match withstands {
            Withstands::AllButOne => {
                " Whoever pools what it sees with others learns no more, even all others but one."
                    .to_owned()
            }
            Withstands::LeaderApartFromPivot => format!(
                " The leader is {} and the pivot {}: these two must not pool what they see; any others may.",
                self.of(seated.leader),
                self.of(seated.pivot)
            ),
        }
    }
}

/// "a, b and c".
#[must_use]
pub fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

fn warnings(peers: &[ConnectedPeer], offer: &Offer, theirs: &[Terms]) -> Vec<Warning> {
    if offer.distinct == offer.padding {
        return vec![Warning::of_lists(WarningCode::EmptySet, NO_KEYS.to_owned())];
    }
    let pairs = peers.iter().zip(theirs);
    let warning = |(ConnectedPeer { name, .. }, terms): (&ConnectedPeer, &Terms)| {
        if terms.distinct == 0 {
            let text = format!("The set of {name} is empty.");
            return Some(Warning::of_lists(WarningCode::EmptyPeerSet, text));
        }
        let whose = if terms.looks_hashed { name } else { "this side" };
        let text = format!(
            "The keys of {whose} look hashed, those of the other side ({name}'s or yours) plain: nothing will match. \
             Veilset hashes for you; give it the plain keys everywhere."
        );
        (terms.looks_hashed != offer.looks_hashed)
            .then(|| Warning::of_lists(WarningCode::HashedOnOneSide, text))
    };
    pairs.filter_map(warning).collect()
}

/// What a run leaves.
pub(super) fn report(
    agreed: &mut AgreedMultiparty,
    outcome: Outcome,
    receipt: Option<Receipt>,
    threads: usize,
) -> Report {
    let AgreedMultiparty { peers, place, session, briefing, offer, .. } = agreed;
    let (phases, rounds) = costs(&mut peers.0);
    let peers = peers.0.iter_mut().zip(&briefing.peers).map(|(peer, briefed)| PeerReport {
        name: peer.name.clone(),
        key: Some(peer.key()),
        distinct: briefed.distinct,
        wire: peer.pipe.wire_bytes(),
    });
    let Briefing { operation, protocol, security, learn, choices, .. } = *briefing;
    Report {
        run: run_id(session),
        peers: peers.collect(),
        operation,
        protocol,
        security,
        learn,
        presets: briefing.presets.clone(),
        matching: offer.matching,
        role: None,
        place: Some(*place),
        learned: briefing.learned.clone(),
        distinct: (offer.distinct - offer.padding) as u64,
        told: offer.distinct as u64,
        warnings: briefing.warnings.clone(),
        choices,
        peer_columns: Vec::new(),
        peer_lent: None,
        peer_rows_of_key: 0,
        outcome,
        receipt,
        release: offer.release,
        noise_of_each: None,
        reference: offer.reference.clone(),
        withheld: None,
        rounds,
        phases,
        threads,
    }
    .and_no_match()
    .released(&[])
}

/// The phases with the traffic to all, and the rounds of the protocol.
fn costs(peers: &mut [ConnectedPeer]) -> (Vec<PhaseCost>, u64) {
    let pipes: Vec<Costs> = peers.iter_mut().map(|peer| peer.pipe.costs()).collect();
    let rounds = pipes.iter().map(Costs::rounds).max().unwrap_or(0).saturating_sub(STEPS_AROUND);
    (phases_of(&pipes), rounds)
}

/// The phases of pipes whose last phases all end now: the traffic of those of one name, and how long a phase of this name was the last that
/// began on any pipe, since this party does one thing at a time. What was before all pipes were there does not count.
fn phases_of(pipes: &[Costs]) -> Vec<PhaseCost> {
    let all_there = pipes.iter().map(time_of).min().unwrap_or_default();
    let mut sums: Vec<PhaseCost> = Vec::new();
    let mut begun = Vec::new();
    for costs in pipes {
        let mut ago = time_of(costs);
        for phase in &costs.phases {
            begun.push((ago.min(all_there), phase.name));
            ago = ago.saturating_sub(phase.time);
            add(&mut sums, phase);
        }
    }
    // Those that began together stay in the order of a pipe.
    begun.sort_by_key(|(ago, _)| Reverse(*ago));
    for (place, (ago, name)) in begun.iter().enumerate() {
        let next = begun.get(place + 1).map_or(Duration::ZERO, |(next, _)| *next);
        let sum = sums.iter_mut().find(|sum| sum.name == *name);
        sum.expect("its traffic was added up").time += *ago - next;
    }
    sums
}

fn time_of(costs: &Costs) -> Duration {
    costs.phases.iter().map(|phase| phase.time).sum()
}

/// Adds the traffic of a phase to that of its name.
fn add(sums: &mut Vec<PhaseCost>, phase: &PhaseCost) {
    let PhaseCost { name, bytes_sent, bytes_received, frames_sent, frames_received, .. } = *phase;
    match sums.iter_mut().find(|sum| sum.name == name) {
        Some(sum) => {
            sum.bytes_sent += bytes_sent;
            sum.bytes_received += bytes_received;
            sum.frames_sent += frames_sent;
            sum.frames_received += frames_received;
        }
        None => sums.push(PhaseCost { time: Duration::ZERO, ..phase.clone() }),
    }
}

/// Agreement, consent and the end of the run, which are no rounds of the protocol.
const STEPS_AROUND: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    /// Phases of these names and milliseconds, each with a byte.
    fn pipe(phases: &[(&'static str, u64)]) -> Costs {
        let phase = |(name, millis): &(&'static str, u64)| PhaseCost {
            name,
            bytes_sent: 1,
            bytes_received: 0,
            frames_sent: 1,
            frames_received: 0,
            time: Duration::from_millis(*millis),
        };
        Costs { phases: phases.iter().map(phase).collect() }
    }

    #[test]
    fn a_party_is_in_one_phase_at_a_time() {
        // The first pipe was there 100 ms before the second; then both agree for 10 ms. The first computes for 20 ms, the second for 30 ms,
        // and all ends.
        let first = pipe(&[("start", 102), ("agreement", 10), ("vector OLE", 50), ("end", 5)]);
        let second = pipe(&[("start", 2), ("agreement", 30), ("vector OLE", 30), ("end", 5)]);
        let phases = phases_of(&[first, second]);
        let times: Vec<_> = phases
            .iter()
            .map(|phase| (phase.name, phase.time.as_millis(), phase.bytes_sent))
            .collect();
        assert_eq!(
            times,
            [("start", 2, 2), ("agreement", 10, 2), ("vector OLE", 50, 2), ("end", 5, 2)]
        );
        let all: Duration = phases.iter().map(|phase| phase.time).sum();
        assert_eq!(all, Duration::from_millis(67));
    }
}
