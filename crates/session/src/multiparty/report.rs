//! What the user sees before a run of several parties, and what it leaves.

use veilset_channel::PhaseCost;
use veilset_data::{Warning, WarningCode};
use veilset_protocols::{Choices, Outcome};

use super::{AgreedMultiparty, ConnectedPeer, MULTIPARTY_GROUP, MULTIPARTY_PROTOCOL};
use crate::briefing::NO_KEYS;
use crate::report::run_id;
use crate::terms::Terms;
use crate::{Asked, Briefing, Offer, PeerBriefing, PeerReport, Report};

/// The agreed run in words.
pub(super) fn briefing(peers: &[ConnectedPeer], offer: &Offer, theirs: &[Terms]) -> Briefing {
    let names: Vec<&str> = peers.iter().map(|peer| peer.name.as_str()).collect();
    let all = peers.len() + 1;
    let learned = format!(
        "You learn: which of your rows all {all} lists have. {} learn: which of their rows all {all} lists have.",
        listed(&names)
    );
    let told = peers.iter().zip(theirs);
    Briefing {
        operation: offer.operation,
        presets: offer.presets.clone(),
        protocol: MULTIPARTY_PROTOCOL,
        choices: Choices { group: Some(MULTIPARTY_GROUP), ..Choices::default() },
        security: offer.security,
        learn: offer.learn,
        // There is one protocol for several parties.
        asked_by_peer: Asked::default(),
        learned,
        leaks: vec![
            "Each party learns how many distinct keys each other has.",
            "Each party learns whether the others' keys look like hashes.",
        ],
        peers: told.map(|(peer, terms)| PeerBriefing::of(&peer.name, terms.distinct)).collect(),
        warnings: warnings(peers, offer, theirs),
    }
}

/// "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

fn warnings(peers: &[ConnectedPeer], offer: &Offer, theirs: &[Terms]) -> Vec<Warning> {
    if offer.distinct == 0 {
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

/// What a run leaves in which these of this side's keys matched.
pub(super) fn report(agreed: &mut AgreedMultiparty, matched: Vec<u32>, threads: usize) -> Report {
    let AgreedMultiparty { peers, session, briefing, offer, .. } = agreed;
    let (phases, rounds) = costs(&mut peers.0);
    let peers = peers.0.iter_mut().zip(&briefing.peers).map(|(peer, briefed)| PeerReport {
        name: peer.name.clone(),
        key: Some(peer.key),
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
        matching: None,
        role: None,
        learned: briefing.learned.clone(),
        distinct: offer.distinct as u64,
        told: offer.distinct as u64,
        warnings: briefing.warnings.clone(),
        choices,
        peer_columns: Vec::new(),
        peer_rows_of_key: 0,
        outcome: Outcome::Matched(matched),
        receipt: None,
        release: offer.release,
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
    let (mut phases, mut rounds): (Vec<PhaseCost>, u64) = (Vec::new(), 0);
    for peer in peers {
        let costs = peer.pipe.costs();
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
    (phases, rounds)
}

/// Agreement, consent and the end of the run, which are no rounds of the protocol.
const STEPS_AROUND: u64 = 3;
