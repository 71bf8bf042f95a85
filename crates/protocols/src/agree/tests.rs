use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use veilset_channel::{Channel, Framed, Metered, memory_pair};
use veilset_crypto::{Element, permutation};

use super::*;
use crate::wire::{put_values, take_values};
use crate::{Attached, AttachedShape, Params, Silent};

/// An entry of a list.
type Entry = u64;

/// A trusted party in place of an engine: entries cross as they are, which only a test may do.
struct Ideal {
    role: Role,
    own: Vec<Entry>,
}

impl Ideal {
    fn entry(&self, pair: Pair) -> u128 {
        self.own[pair.place(self.role) as usize].into()
    }
}

impl Matching for Ideal {
    type Prepared = Vec<u128>;

    fn prepare(
        &mut self,
        pairs: &[Pair],
        _rng: &mut dyn CryptoRng,
    ) -> Result<Vec<u128>, ProtocolError> {
        Ok(pairs.iter().map(|pair| self.entry(*pair)).collect())
    }

    fn show(
        &mut self,
        channel: &mut dyn Channel,
        prepared: Vec<u128>,
        genuine: bool,
    ) -> Result<Vec<Token>, ProtocolError> {
        let values = if genuine { prepared.clone() } else { vec![u128::MAX; prepared.len()] };
        put_values(channel, &values, u128::BITS)?;
        Ok(prepared.into_iter().map(u128::to_le_bytes).collect())
    }

    fn test(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[Pair],
    ) -> Result<Vec<Option<Token>>, ProtocolError> {
        let values = take_values(channel, pairs.len(), u128::BITS)?;
        let tested = pairs.iter().map(|pair| self.entry(*pair)).zip(values);
        Ok(tested.map(|(own, shown)| (own == shown).then_some(own.to_le_bytes())).collect())
    }
}

/// What one side ends with: the place of its entry, and the bytes that it sent.
type Ended = (Option<u32>, u64);

/// How a run is done.
#[derive(Clone, Copy)]
struct Setting {
    scheme: Scheme,
    length: Length,
    ideal: bool,
}

fn party(
    setting: Setting,
    role: Role,
    lists: [&[Entry]; 2],
    channel: &mut dyn Channel,
) -> Option<u32> {
    let [own, peer] = if role == Role::Sender { lists } else { [lists[1], lists[0]] };
    let element = |entry: &Entry| {
        let mut bytes = [0; Element::LEN];
        bytes[..8].copy_from_slice(&entry.to_le_bytes());
        Element(bytes)
    };
    let elements: Vec<Element> = own.iter().map(element).collect();
    let params = Params { scheme: setting.scheme, ..TO_THE_MATCH.spec.params() };
    let mut run = Run {
        role,
        reveal: Reveal::Both,
        elements: &elements,
        peer_count: peer.len(),
        attached: Attached::Nothing,
        peer_attached: AttachedShape::Nothing,
        slack: 0,
        params,
        session: &[7; 32],
        channel,
        rng: &mut ChaCha20Rng::from_seed([role as u8; 32]),
        observer: &Silent,
    };
    if setting.ideal {
        let rounds = Rounds::new(setting.scheme.composition(), sizes(&run), setting.length);
        let mut ideal = Ideal { role, own: own.to_vec() };
        let agreed = reconcile(&mut run, &mut ideal, rounds).expect("an honest run");
        return agreed.map(|pair| pair.place(role));
    }
    let protocol = if setting.length == Length::Fixed { &FIXED } else { &TO_THE_MATCH };
    let conclude = protocol.run(run).expect("an honest run");
    match conclude().expect("an honest run") {
        Outcome::Agreed(index) => index,
        _ => panic!("another outcome"),
    }
}

/// Runs both sides; the sender's end first.
fn run(setting: Setting, sender: &[Entry], receiver: &[Entry]) -> [Ended; 2] {
    let (left, right) = memory_pair();
    let lists = [sender, receiver];
    let side = |role, transport| {
        let mut channel = Metered::new(Framed::new(transport), "start");
        let place = party(setting, role, lists, &mut channel);
        (place, channel.costs().bytes_sent())
    };
    thread::scope(|scope| {
        let other = scope.spawn(move || side(Role::Sender, left));
        let here = side(Role::Receiver, right);
        [other.join().expect("no panic"), here]
    })
}

/// The paper's definitions 3 and 4, and the rule for ties, over all common entries: the sender's place and the receiver's.
fn plain(scheme: Scheme, sender: &[Entry], receiver: &[Entry]) -> [Option<u32>; 2] {
    let n = sender.len().max(receiver.len());
    let common = sender.iter().enumerate().filter_map(|(s, entry)| {
        let r = receiver.iter().position(|other| other == entry)?;
        let ranks = (n - s, n - r);
        let (sum, min) = (ranks.0 + ranks.1, ranks.0.min(ranks.1));
        let combined = match scheme {
            Scheme::SumOfRanks => (sum, min),
            Scheme::MinimumOfRanks => (min, sum),
        };
        Some(((combined, ranks.1), [s as u32, r as u32]))
    });
    common.max().map_or([None, None], |(_, places)| places.map(Some))
}

/// All lists of `len` entries, in all orders, of which each is an entry of 0..common or one that nobody else has.
fn lists(len: usize, common: u64) -> Vec<Vec<Entry>> {
    let mut all = vec![vec![]];
    for place in 0..len as u64 {
        let longer = |list: &Vec<Entry>| -> Vec<Vec<Entry>> {
            let entries = (0..common).filter(|entry| !list.contains(entry)).chain([100 + place]);
            entries.map(|entry| [&list[..], &[entry]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn check(setting: Setting, sender: &[Entry], receiver: &[Entry]) {
    let [(mine, _), (theirs, _)] = run(setting, sender, receiver);
    let plain = plain(setting.scheme, sender, receiver);
    assert_eq!([mine, theirs], plain, "{:?} {sender:?} {receiver:?}", setting.scheme);
}

/// The receiver's list may be 0, 1, 2, … by renaming entries; the sender's is every one.
fn exhaust(most: usize, lengths: &[Length], ideal: bool) {
    for (scheme, length) in Scheme::ALL
        .into_iter()
        .flat_map(|scheme| lengths.iter().map(move |length| (scheme, *length)))
    {
        for (ours, theirs) in (0..=most).flat_map(|n| (0..=most).map(move |m| (n, m))) {
            let receiver: Vec<Entry> = (0..theirs as u64).collect();
            for sender in lists(ours, theirs as u64) {
                check(Setting { scheme, length, ideal }, &sender, &receiver);
            }
        }
    }
}

#[test]
fn all_orders_of_up_to_five_entries_agree_on_what_the_definitions_say() {
    exhaust(5, &[Length::ToTheMatch, Length::Fixed], true);
}

#[test]
fn so_do_they_when_blinded() {
    exhaust(3, &[Length::ToTheMatch, Length::Fixed], false);
}

#[test]
fn so_do_longer_lists() {
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    for (index, length) in
        [Length::ToTheMatch, Length::Fixed].into_iter().cycle().take(24).enumerate()
    {
        let scheme = Scheme::ALL[index / 2 % 2];
        let [ours, theirs, of] = [0; 3].map(|_| 1 + (rng.next_u32() % 60) as usize);
        let mut list = |len: usize| -> Vec<Entry> {
            permutation(len + of, &mut rng)
                .iter()
                .take(len)
                .map(|entry| u64::from(*entry))
                .collect()
        };
        let (sender, receiver) = (list(ours), list(theirs));
        check(Setting { scheme, length, ideal: false }, &sender, &receiver);
    }
}

#[test]
fn all_rounds_are_alike_wherever_the_match_is() {
    let receiver: Vec<Entry> = (0..12).collect();
    let bytes = |sender: &[Entry], length| {
        let setting = Setting { scheme: Scheme::MinimumOfRanks, length, ideal: false };
        run(setting, sender, &receiver).map(|(_, bytes)| bytes)
    };
    let early: Vec<Entry> = (0..9).collect();
    let late: Vec<Entry> = (100..108).chain([11]).collect();
    let never: Vec<Entry> = (100..109).collect();
    let fixed = [&early, &late, &never].map(|sender| bytes(sender, Length::Fixed));
    assert!(fixed.iter().all(|both| *both == fixed[0]), "{fixed:?}");
    let early = bytes(&early, Length::ToTheMatch);
    // One pair is shown, and found equal; points go both ways before.
    assert_eq!(early, [21 * 32 + 10 + 5 + 6, 21 * 32 + 10 + 5 + 20]);
    assert_eq!(bytes(&never, Length::ToTheMatch), fixed[0]);
}

#[test]
fn a_tester_sees_pairs_of_the_round_alone() {
    // After round 0 both have touched their first entries; a tester that looked for its other entries among all that
    // was shown would find them only if an entry had one value in every place.
    let (left, right) = memory_pair();
    let lists: [&[Entry]; 2] = [&[1, 2, 3], &[3, 2, 1]];
    let values = |role: Role, transport| {
        let mut channel = Framed::new(transport);
        let elements: Vec<Element> =
            lists[role as usize].iter().map(|e| Element([*e as u8; 32])).collect();
        let mut rng = ChaCha20Rng::from_seed([role as u8; 32]);
        let mut run = Run {
            role,
            reveal: Reveal::Both,
            elements: &elements,
            peer_count: 3,
            attached: Attached::Nothing,
            peer_attached: AttachedShape::Nothing,
            slack: 0,
            params: TO_THE_MATCH.spec.params(),
            session: &[7; 32],
            channel: &mut channel,
            rng: &mut rng,
            observer: &Silent,
        };
        let mut engine = DiffieHellman::new(&mut run).expect("an honest run");
        let every: Vec<Pair> = (0..9).map(|n| Pair { receiver: n / 3, sender: n % 3 }).collect();
        if role == Role::Sender {
            let prepared = engine.prepare(&every, run.rng).expect("it works");
            engine.show(run.channel, prepared, true).expect("an honest run");
            return (Vec::new(), Vec::new());
        }
        let shown = take_values(run.channel, 9, engine.bits()).expect("an honest run");
        (shown, engine.known_values())
    };
    let (shown, known) = thread::scope(|scope| {
        scope.spawn(|| values(Role::Sender, left));
        values(Role::Receiver, right)
    });
    for (place, value) in known.iter().enumerate() {
        // Receiver's entry in place p is the sender's in place 2 − p, and is found in that pair alone.
        let found: Vec<usize> = (0..9).filter(|n| shown[*n] == *value).collect();
        assert_eq!(found, [3 * place + 2 - place]);
    }
}
