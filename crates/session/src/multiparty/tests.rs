//! Agreements of three parties over memory.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::memory_pair;

use super::*;

fn offer(distinct: usize) -> Offer {
    Offer { operation: Operation::Intersect, distinct, memory: 1 << 30, ..Offer::sample() }
}

/// A peer for each other party, of each party; key and name are the number.
fn mesh() -> Vec<Vec<ConnectedPeer>> {
    let mut mesh: Vec<Vec<ConnectedPeer>> = (0..3).map(|_| Vec::new()).collect();
    for (low, high) in [(0, 1), (0, 2), (1, 2)] {
        let (left, right) = memory_pair();
        let peer = |number: usize, transport, connecting| ConnectedPeer {
            name: format!("party {number}"),
            key: [number as u8; 32],
            pipe: Pipe::new(Box::new(transport), [0; 32]),
            connecting,
        };
        mesh[low].push(peer(high, left, true));
        mesh[high].push(peer(low, right, false));
    }
    mesh
}

fn agreed(
    mesh: Vec<Vec<ConnectedPeer>>,
    offers: [Offer; 3],
) -> Vec<Result<AgreedMultiparty, SessionError>> {
    let parties = (0..).zip(mesh).zip(offers).map(|((seed, peers), offer)| {
        thread::spawn(move || {
            agree_all([seed; 32], peers, offer, &mut ChaCha20Rng::from_seed([seed; 32]))
        })
    });
    let parties: Vec<_> = parties.collect();
    parties.into_iter().map(|party| party.join().expect("no panic")).collect()
}

fn offers() -> [Offer; 3] {
    [offer(5), offer(0), offer(7)]
}

#[test]
fn all_hold_the_same_and_see_who_learns_what() {
    let mut reversed = mesh();
    reversed[1].reverse();
    let agreed = agreed(reversed, offers());
    let agreed: Vec<_> = agreed.into_iter().map(|agreed| agreed.expect("the same terms")).collect();
    for (place, party) in agreed.iter().enumerate() {
        assert_eq!(party.place, place);
        assert_eq!(party.sizes, [5, 0, 7]);
        assert_eq!(party.session, agreed[0].session);
    }
    let briefing = agreed[0].briefing();
    assert_eq!(
        briefing.learned,
        "You learn: which of your rows all 3 lists have. \
         party 1 and party 2 learn: which of their rows all 3 lists have."
    );
    let has: Vec<&str> = briefing.peers.iter().map(|peer| peer.has.as_str()).collect();
    assert_eq!(has, ["party 1 has 0 distinct keys", "party 2 has 7 distinct keys"]);
    let warned: Vec<&str> = briefing.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert_eq!(warned, ["The set of party 1 is empty."]);
}

#[test]
fn a_difference_names_the_party_and_the_field() {
    let mut offers = offers();
    offers[2].presets = "raw/1".to_owned();
    let results = agreed(mesh(), offers);
    for (place, name) in [(0, "party 2"), (2, "party 0")] {
        let error = results[place].as_ref().err().expect("another preset");
        let text = error.to_string();
        assert!(text.starts_with(&format!("{name}: the two sides do not agree")), "{text}");
        assert!(text.contains("key presets"), "{text}");
        assert_eq!(error.blame(), crate::Blame::Terms);
    }
}

#[test]
fn parties_must_mean_the_same_parties() {
    let mut mesh = mesh();
    // Party 0 takes another for party 2.
    mesh[0][1].key = [9; 32];
    let results = agreed(mesh, offers());
    for result in results {
        let text = result.err().expect("other parties").to_string();
        assert!(text.contains("who the parties are") || text.contains("stopped"), "{text}");
    }
}

#[test]
fn sets_and_memory_have_bounds() {
    let mut large = offers();
    large[1].distinct = 1 << 17;
    let mut small = offers();
    small[0].memory = 1 << 10;
    let results = agreed(mesh(), large);
    assert!(matches!(results[1], Err(SessionError::TooLarge { count: 131_072, .. })));
    let results = agreed(mesh(), small);
    assert!(matches!(results[0], Err(SessionError::Memory { .. })));
}

#[test]
fn several_parties_do_one_thing() {
    let others = [
        Offer { operation: Operation::Count, ..offer(5) },
        Offer { learn: Learn::Me, ..offer(5) },
        Offer { protocol: Some("dh"), ..offer(5) },
        Offer { security: Security::Malicious, ..offer(5) },
    ];
    for other in others {
        let results = agreed(mesh(), [offer(5), offer(0), other]);
        assert!(matches!(results[2], Err(SessionError::Multiparty)));
    }
}
