//! What the user sees before a run of several parties, and what it leaves.

use std::time::Duration;

use veilset_channel::{PhaseCost, WireBytes};
use veilset_data::{Warning, WarningCode};
use veilset_protocols::{Choices, Operation, Security};

use super::{CIRCLE_GROUP, CIRCLE_PROTOCOL, CircleOffer, Member};
use crate::briefing::NO_KEYS;
use crate::report::{no_match, run_id};
use crate::terms::Terms;
use crate::{Asked, Briefing, Learn, Means, PeerBriefing};

/// Another party of a run.
#[derive(Debug, Clone)]
pub struct PeerReport {
    /// What this side calls it.
    pub name: String,
    /// Its public key.
    pub key: [u8; 32],
    /// Its number of distinct keys.
    pub distinct: u64,
    /// Bytes on the wire to and from it, with what the transport adds.
    pub wire: WireBytes,
}

/// The result of a run with its circumstances.
#[derive(Debug, Clone)]
pub struct CircleReport {
    /// The run's id, the same on all sides.
    pub run: String,
    /// The versioned presets of the key columns, such as `email/1`.
    pub presets: String,
    /// The protocol.
    pub protocol: &'static str,
    /// Its group.
    pub group: &'static str,
    /// Against whom it holds.
    pub security: Security,
    /// "You learn: …. NAME and NAME learn: …."
    pub learned: String,
    /// This side's number of distinct keys.
    pub distinct: u64,
    /// The others.
    pub peers: Vec<PeerReport>,
    /// What looked wrong about the sets before the run, and what does about the result.
    pub warnings: Vec<Warning>,
    /// The indices of this side's keys that all have, rising.
    pub matched: Vec<u32>,
    /// Rounds of the protocol.
    pub rounds: u64,
    /// The phases, with the traffic to all others, in order.
    pub phases: Vec<PhaseCost>,
    /// Threads that the run could use.
    pub threads: usize,
}

/// The agreed run in words.
pub(super) fn briefing(members: &[Member], offer: &CircleOffer, theirs: &[Terms]) -> Briefing {
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let all = members.len() + 1;
    let learned = format!(
        "You learn: which of your rows all {all} lists have. {} learn: which of their rows all {all} lists have.",
        listed(&names)
    );
    let peers = members.iter().zip(theirs);
    Briefing {
        operation: Operation::Intersect,
        presets: offer.presets.clone(),
        protocol: CIRCLE_PROTOCOL,
        choices: Choices { group: Some(CIRCLE_GROUP), ..Choices::default() },
        security: Security::SemiHonest,
        learn: Learn::Both,
        // There is one protocol for several parties.
        asked_by_peer: Asked::default(),
        learned,
        leaks: vec![
            "Each party learns how many distinct keys each other has.",
            "Each party learns whether the others' keys look like hashes.",
        ],
        peers: peers
            .map(|(member, terms)| PeerBriefing::of(&member.name, terms.distinct))
            .collect(),
        warnings: warnings(members, offer, theirs),
    }
}

/// "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

fn warnings(members: &[Member], offer: &CircleOffer, theirs: &[Terms]) -> Vec<Warning> {
    if offer.distinct == 0 {
        return vec![Warning::of_lists(WarningCode::EmptySet, NO_KEYS.to_owned())];
    }
    let pairs = members.iter().zip(theirs);
    let warning = |(Member { name, .. }, terms): (&Member, &Terms)| {
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

impl CircleReport {
    pub(super) fn new(
        (members, session): (&mut [Member], &[u8; 32]),
        briefing: &Briefing,
        offer: &CircleOffer,
        matched: Vec<u32>,
        means: &Means<'_>,
    ) -> Self {
        let mut peers = Vec::new();
        let (mut phases, mut rounds): (Vec<PhaseCost>, u64) = (Vec::new(), 0);
        for (member, peer) in members.iter_mut().zip(&briefing.peers) {
            let wire = member.pipe.wire_bytes();
            let (name, key) = (peer.name.clone(), member.key);
            peers.push(PeerReport { name, key, distinct: peer.distinct, wire });
            let costs = member.pipe.costs();
            rounds = rounds.max(costs.rounds().saturating_sub(STEPS_AROUND));
            if phases.is_empty() {
                phases = costs.phases;
                continue;
            }
            // All pipes go through the same phases at the same time.
            for (sum, phase) in phases.iter_mut().zip(costs.phases) {
                sum.bytes_sent += phase.bytes_sent;
                sum.bytes_received += phase.bytes_received;
                sum.frames_sent += phase.frames_sent;
                sum.frames_received += phase.frames_received;
                sum.time = sum.time.max(phase.time);
            }
        }
        let mut warnings = briefing.warnings.clone();
        if matched.is_empty() && warnings.is_empty() {
            let sizes: Vec<u64> = peers.iter().map(|peer| peer.distinct).collect();
            warnings.extend(no_match(&[&sizes[..], &[offer.distinct as u64]].concat()));
        }
        let Briefing { protocol, security, .. } = *briefing;
        Self {
            run: run_id(session),
            presets: briefing.presets.clone(),
            protocol,
            group: CIRCLE_GROUP.name(),
            security,
            learned: briefing.learned.clone(),
            distinct: offer.distinct as u64,
            peers,
            warnings,
            matched,
            rounds,
            phases,
            threads: means.threads,
        }
    }

    /// The time of all phases.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.phases.iter().map(|phase| phase.time).sum()
    }

    /// Bytes on the wire, to and from all.
    #[must_use]
    pub fn wire(&self) -> WireBytes {
        let sum = |of: fn(&PeerReport) -> u64| self.peers.iter().map(of).sum();
        WireBytes { sent: sum(|peer| peer.wire.sent), received: sum(|peer| peer.wire.received) }
    }
}

/// Agreement, consent and the end of the run, which are no rounds of the protocol.
const STEPS_AROUND: u64 = 3;
