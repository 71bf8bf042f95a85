//! Agreements of three parties over memory.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Blob, memory_pair};
use veilset_data::{KeySpec, Linkage, Table};
use veilset_protocols::{Operation, Security, Silent};

use super::*;
use crate::tiers::{TierRoll, TierSize};
use crate::{Learn, Matching, Noise, Pipe, Release, Seats};

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
            pipe: Pipe::new(Box::new(transport), [0; 32]).with_peer([number as u8; 32]),
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
            agree([seed; 32], peers, offer, &mut ChaCha20Rng::from_seed([seed; 32]))
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
        assert_eq!(party.tiers, [[5, 0, 7]]);
        assert_eq!(party.session, agreed[0].session);
    }
    let briefing = agreed[0].briefing();
    assert_eq!(
        briefing.learned,
        "You learn: which of your rows all 3 lists have. \
         party 1 and party 2 learn: which of their rows all 3 lists have. \
         Whoever pools what it sees with others learns no more, even all others but one."
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
    mesh[0][1].pipe.peer = Some([9; 32]);
    let results = agreed(mesh, offers());
    for result in results {
        let text = result.err().expect("other parties").to_string();
        assert!(text.contains("who the parties are") || text.contains("stopped"), "{text}");
    }
}

#[test]
fn sets_and_memory_have_bounds() {
    let by_polynomials = |distinct| Offer { protocol: Some("ks-parties"), ..offer(distinct) };
    let large = [5, 1 << 17, 7].map(by_polynomials);
    let mut small = [5, 100, 7].map(offer);
    small[0].memory = 1 << 10;
    let results = agreed(mesh(), large);
    assert!(matches!(results[1], Err(SessionError::TooLarge { count: 131_072, .. })));
    let results = agreed(mesh(), small);
    assert!(matches!(results[0], Err(SessionError::Memory { .. })));
}

#[test]
fn what_several_parties_cannot_do_is_refused_by_its_name() {
    let noise: Noise = "epsilon=1,delta=1e-6".parse().expect("noise");
    let others = [
        (Offer { operation: Operation::Union, ..offer(5) }, "between two"),
        (Offer { learn: Learn::Me, ..offer(5) }, "give --learner in place of --learn"),
        (Offer { protocol: Some("dh"), ..offer(5) }, "no protocol of this name"),
        (Offer { protocol: Some("leader-pivot-count"), ..offer(5) }, "no protocol of this name"),
        (Offer { security: Security::Malicious, ..offer(5) }, "leave out --security"),
        (
            Offer { release: Release { noise: Some(noise), ..Release::default() }, ..offer(5) },
            "--noise",
        ),
    ];
    for (other, expected) in others {
        let results = agreed(mesh(), [offer(5), offer(0), other]);
        let text = results[2].as_ref().err().expect("refused").to_string();
        assert!(text.contains(expected), "{text}");
    }
}

/// An offer of a protocol that has seats for these.
fn seated(learners: &[u8], leader: Option<u8>, pivot: Option<u8>) -> Offer {
    let key = |number: u8| [number; 32];
    let seats = Seats {
        learners: learners.iter().copied().map(key).collect(),
        leader: leader.map(key),
        pivot: pivot.map(key),
    };
    Offer { protocol: Some("leader-pivot"), seats, ..offer(5) }
}

#[test]
fn all_see_who_learns_and_who_must_not_pool_what_they_see() {
    let offers = [(); 3].map(|()| seated(&[2, 1], Some(2), None));
    let agreed = agreed(mesh(), offers);
    let learned: Vec<&str> = agreed
        .iter()
        .map(|agreed| &*agreed.as_ref().expect("the same").briefing().learned)
        .collect();
    assert_eq!(
        learned,
        [
            "You learn: nothing but the numbers of distinct keys. party 1 and party 2 learn: which of their rows all 3 \
             lists have. The leader is party 2 and the pivot you: these two must not pool what they see; any others may.",
            "You learn: which of your rows all 3 lists have. party 2 learns: which of their rows all 3 lists have. party \
             0 learns: nothing but the numbers of distinct keys. The leader is party 2 and the pivot party 0: these two \
             must not pool what they see; any others may.",
            "You learn: which of your rows all 3 lists have. party 1 learns: which of their rows all 3 lists have. party \
             0 learns: nothing but the numbers of distinct keys. The leader is you and the pivot party 0: these two must \
             not pool what they see; any others may.",
        ]
    );
    let learn = agreed.iter().map(|agreed| agreed.as_ref().expect("the same").briefing().learn);
    assert_eq!(learn.collect::<Vec<_>>(), [Learn::Peer, Learn::Both, Learn::Both]);
}

#[test]
fn parties_must_have_the_same_seats() {
    for other in [seated(&[1], None, None), seated(&[], Some(1), None), seated(&[], None, Some(2))]
    {
        let results = agreed(mesh(), [seated(&[], None, None), other, seated(&[], None, None)]);
        for result in results {
            let text = result.err().expect("other seats").to_string();
            assert!(text.contains("who learns, leads and is the pivot"), "{text}");
        }
    }
}

#[test]
fn seats_that_no_run_has_are_refused() {
    for (wrong, expected) in [
        (seated(&[9], None, None), "is one of the parties"),
        (seated(&[1], Some(2), None), "has to be one of those who learn"),
        (seated(&[], Some(2), Some(2)), "are two parties"),
        (Offer { protocol: Some("ks-parties"), ..seated(&[1], None, None) }, "all learn"),
    ] {
        let results = agreed(mesh(), [offer(5), offer(0), wrong]);
        let text = results[2].as_ref().err().expect("refused").to_string();
        assert!(text.contains(expected), "{text}");
    }
}

/// An offer of two keys, under which the list has so many values.
fn tiered(tiers: [usize; 2]) -> Offer {
    let presets = "email/1;raw/1".to_owned();
    let matching = Some(Matching::Tiers);
    Offer { presets, matching, tiers: tiers.to_vec(), ..offer(tiers.iter().sum()) }
}

#[test]
fn with_several_keys_all_hold_the_sizes_of_each() {
    let agreed = agreed(mesh(), [[2, 3], [4, 1], [0, 5]].map(tiered));
    let agreed: Vec<_> = agreed.into_iter().map(|agreed| agreed.expect("the same terms")).collect();
    for party in &agreed {
        assert_eq!(party.tiers, [[2, 4, 0], [3, 1, 5]]);
    }
    let briefing = agreed[0].briefing();
    assert_eq!(briefing.peers[1].has, "party 2 has 0 + 5 distinct values of its keys");
    assert!(briefing.leaks.iter().any(|leak| leak.starts_with("Under each key, each side learns")));
}

#[test]
fn with_several_keys_all_learn() {
    let some = || Offer { seats: seated(&[1], None, None).seats, ..tiered([2, 3]) };
    for result in agreed(mesh(), [some(), some(), some()]) {
        let text = result.err().expect("refused").to_string();
        assert!(text.contains("leave out --learner"), "{text}");
    }
    let more = |tiers: &[usize]| Offer { tiers: tiers.to_vec(), ..tiered([2, 3]) };
    for impossible in [more(&[2, 4]), more(&[5]), more(&[1, 2, 2])] {
        let results = agreed(mesh(), [tiered([2, 3]), tiered([2, 3]), impossible]);
        assert!(matches!(results[0], Err(SessionError::Party { .. })));
    }
}

/// Two parties of two keys; a third tells them two numbers of values under the first.
#[test]
fn whoever_tells_two_numbers_ends_the_run() {
    let parties = agreed(mesh(), [[2, 2], [2, 2], [2, 2]].map(tiered));
    let parties = parties.into_iter().map(|party| party.expect("the same terms"));
    let [one, other, mut liar]: [AgreedMultiparty; 3] =
        parties.collect::<Vec<_>>().try_into().ok().expect("three");
    let honest = |agreed: AgreedMultiparty| {
        thread::spawn(|| {
            let table = Table::parse("l".into(), "a,b\n1,2\n3,4\n".into(), b',').expect("a table");
            let keys = ["a", "b"].map(|key| key.parse::<KeySpec>().expect("a key"));
            let linkage = Linkage::build(&table, &keys).expect("the columns are there");
            let digests = Zeroizing::new(vec![[7; 32]; 4]);
            let resources = Resources { threads: 1, observer: &Silent };
            let mut rng = ChaCha20Rng::from_seed([5; 32]);
            let attached = veilset_protocols::Attached::Nothing;
            let list = ListInput { keys: digests, attached, rows: None, linkage: Some(&linkage) };
            agreed.run(list, &resources, &mut rng).map(drop)
        })
    };
    let running = [honest(one), honest(other)];
    let due = liar.peers.consent().expect("both are there");
    liar.peers.consented(due).expect("both consent");
    let ways = &mut liar.peers.0;
    for (size, peer) in [1, 2].into_iter().zip(ways.iter_mut()) {
        peer.pipe.channel.put(&TierSize(size)).expect("there is room");
    }
    for peer in ways {
        peer.pipe.channel.take::<TierSize>(&2).expect("it tells its own");
        let roll: TierRoll = Blob(vec![0; 32]);
        peer.pipe.channel.put(&roll).expect("there is room");
    }
    for ended in running {
        let why = ended.join().expect("no panic").expect_err("two numbers");
        assert_eq!(why.blame(), crate::Blame::Peer, "{why}");
        let text = why.to_string();
        assert!(
            text.contains("heard other numbers") || text.contains("broke the protocol"),
            "{text}"
        );
    }
}
