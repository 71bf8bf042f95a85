use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use veilset_channel::{Channel, Framed, Metered, Transport, memory_pair};
use veilset_crypto::{Element, permutation};

use super::matching::Token;
use super::*;
use crate::kit::wire::{put_values, take_values};
use crate::{Attached, AttachedShape, Means, Reveal, RunInput, Side, Silent};

/// An entry of a list.
type Entry = u64;

/// A trusted party in place of a comparator: entries cross as they are, which only a test may do.
struct Ideal {
    role: Role,
    own: Vec<Entry>,
    /// Of each pair that was tested, whether it was equal.
    tested: Vec<bool>,
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
        let pairs = pairs.iter().map(|pair| self.entry(*pair)).zip(values);
        let tested: Vec<_> =
            pairs.map(|(own, shown)| (own == shown).then_some(own.to_le_bytes())).collect();
        self.tested.extend(tested.iter().map(Option::is_some));
        Ok(tested)
    }
}

/// What one side ends with: the place of its entry, and the bytes that it sent.
type Ended = (Option<u32>, u64);

/// How a run is done.
#[derive(Clone, Copy)]
struct Setting {
    scheme: Scheme,
    course: Course,
    /// `None` for the trusted party.
    comparator: Option<Comparator>,
}

const COURSES: [Course; 3] = [Course::ToTheMatch, Course::AllRounds, Course::PairByPair];

const DH: Option<Comparator> = Some(Comparator::DiffieHellman);

/// The comparators on Paillier's encryption, with short keys.
fn encrypted(bits: u32) -> [Comparator; 3] {
    let size = KeySize::insecure(bits);
    [
        Comparator::Paillier(size, Reuse::Cached),
        Comparator::Paillier(size, Reuse::Fresh),
        Comparator::Implicit(size),
    ]
}

fn parts<'a>(
    role: Role,
    elements: &'a [Element],
    peer_count: usize,
    channel: &'a mut dyn Channel,
    rng: &'a mut dyn CryptoRng,
) -> Run<'a> {
    Run {
        side: Side { role, reveal: Reveal::Both },
        input: RunInput {
            elements: elements.to_vec().into(),
            peer_count,
            attached: Attached::Nothing,
            peer_attached: AttachedShape::Nothing,
            per_row: 1,
            slack: 0,
            coins: 0,
            least: None,
            choices: TO_THE_MATCH.spec.defaults(),
        },
        means: Means { session: &[7; 32], channel, rng, observer: &Silent },
    }
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
    let mut rng = ChaCha20Rng::from_seed([role as u8; 32]);
    let mut run = parts(role, &elements, peer.len(), channel, &mut rng);
    run.input.choices.scheme = Some(setting.scheme);
    let Some(comparator) = setting.comparator else {
        let mut ideal = Ideal { role, own: own.to_vec(), tested: Vec::new() };
        let agreed = compare(&mut run, &mut ideal, setting.course).expect("an honest run");
        return agreed.map(|pair| pair.place(role));
    };
    let conclude = run_to(setting.course, comparator, run).expect("an honest run");
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
fn exhaust(most: usize, comparator: Option<Comparator>) {
    for (scheme, course) in Scheme::ALL
        .into_iter()
        .flat_map(|scheme| COURSES.into_iter().map(move |course| (scheme, course)))
    {
        for (ours, theirs) in (0..=most).flat_map(|n| (0..=most).map(move |m| (n, m))) {
            let receiver: Vec<Entry> = (0..theirs as u64).collect();
            for sender in lists(ours, theirs as u64) {
                check(Setting { scheme, course, comparator }, &sender, &receiver);
            }
        }
    }
}

#[test]
fn all_orders_of_up_to_five_entries_agree_on_what_the_definitions_say() {
    exhaust(5, None);
}

#[test]
fn so_do_they_when_blinded() {
    exhaust(3, DH);
}

#[test]
fn so_do_they_when_encrypted() {
    for comparator in encrypted(256) {
        exhaust(2, Some(comparator));
    }
}

/// Lists of lengths up to `most`, with random entries, of which few or many are common.
fn random_lists(most: u32, comparator: Option<Comparator>, runs: usize) {
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    for (index, course) in COURSES.into_iter().cycle().take(runs).enumerate() {
        let scheme = Scheme::ALL[index % 2];
        let [ours, theirs, of] = [0; 3].map(|_| 1 + (rng.next_u32() % most) as usize);
        let mut list = |len: usize| -> Vec<Entry> {
            permutation(len + of, &mut rng)
                .iter()
                .take(len)
                .map(|entry| u64::from(*entry))
                .collect()
        };
        let (sender, receiver) = (list(ours), list(theirs));
        check(Setting { scheme, course, comparator }, &sender, &receiver);
    }
}

#[test]
fn so_do_longer_lists() {
    random_lists(60, DH, 24);
}

#[test]
fn so_do_longer_lists_with_several_values_in_a_plaintext() {
    for comparator in encrypted(512) {
        random_lists(20, Some(comparator), 8);
    }
}

#[test]
fn all_rounds_are_alike_wherever_the_match_is() {
    let receiver: Vec<Entry> = (0..12).collect();
    let bytes = |sender: &[Entry], course, comparator| {
        let setting = Setting { scheme: Scheme::MinimumOfRanks, course, comparator };
        run(setting, sender, &receiver).map(|(_, bytes)| bytes)
    };
    let early: Vec<Entry> = (0..9).collect();
    let late: Vec<Entry> = (100..108).chain([11]).collect();
    let never: Vec<Entry> = (100..109).collect();
    for comparator in [DH].into_iter().chain(encrypted(256).map(Some)) {
        let fixed =
            [&early, &late, &never].map(|sender| bytes(sender, Course::AllRounds, comparator));
        assert!(fixed.iter().all(|both| *both == fixed[0]), "{fixed:?}");
        assert_eq!(bytes(&never, Course::ToTheMatch, comparator), fixed[0]);
        assert!(bytes(&early, Course::ToTheMatch, comparator) < fixed[0]);
    }
    let early = bytes(&early, Course::ToTheMatch, DH);
    // One pair is shown, and found equal; points go both ways before.
    assert_eq!(early, [21 * 32 + 10 + 5 + 6, 21 * 32 + 10 + 5 + 20]);
}

/// Of the pairs that each side tests, over a trusted party, whether they are equal; the sender's first.
fn tested(course: Course, lists: [&[Entry]; 2]) -> [Vec<bool>; 2] {
    let (left, right) = memory_pair();
    let side = |role: Role, transport| {
        let (mut channel, mut rng) = (Framed::new(transport), ChaCha20Rng::from_seed([1; 32]));
        let own = lists[role as usize];
        let elements: Vec<Element> = own.iter().map(|_| Element([0; Element::LEN])).collect();
        let peer_count = lists[role.other() as usize].len();
        let mut run = parts(role, &elements, peer_count, &mut channel, &mut rng);
        let mut ideal = Ideal { role, own: own.to_vec(), tested: Vec::new() };
        compare(&mut run, &mut ideal, course).expect("an honest run");
        ideal.tested
    };
    thread::scope(|scope| {
        let other = scope.spawn(move || side(Role::Sender, left));
        let here = side(Role::Receiver, right);
        [other.join().expect("no panic"), here]
    })
}

#[test]
fn pair_by_pair_nobody_sees_a_pair_after_the_first_that_is_equal() {
    // Places add up to 4 in every common pair: round 4 has all five, after ten pairs of earlier rounds.
    let lists: [&[Entry]; 2] = [&[1, 2, 3, 4, 5], &[5, 4, 3, 2, 1]];
    let counts = |course| {
        let pairs = tested(course, lists).concat();
        (pairs.len(), pairs.iter().filter(|equal| **equal).count())
    };
    assert_eq!(counts(Course::ToTheMatch), (15, 5));
    assert_eq!(counts(Course::PairByPair), (11, 1));
    // The two sides take turns, the receiver first.
    let [sender, receiver] = tested(Course::PairByPair, lists);
    assert_eq!((sender, receiver), (vec![false; 5], [vec![false; 5], vec![true]].concat()));
}

#[test]
fn offers_are_made_once_an_entry_or_once_a_pair() {
    // Seven and four entries, none common: sums of places up to 9 in ten rounds, of which the receiver tests those with even numbers.
    let [sender, receiver] = [(0..7).collect::<Vec<Entry>>(), (10..14).collect()];
    let bytes = |comparator| {
        let setting = Setting {
            scheme: Scheme::SumOfRanks,
            course: Course::ToTheMatch,
            comparator: Some(comparator),
        };
        run(setting, &sender, &receiver).map(|(_, bytes)| bytes)
    };
    let [cached, fresh, implicit] = encrypted(256).map(bytes);
    // Pairs that each side tests, in frames: each round that it tests has an offer, but not each has one for the first time.
    let tested = |parity| {
        let pairs = (0..7).flat_map(|s| (0..4).map(move |r| s + r));
        pairs.filter(|sum| sum % 2 == parity).count() as u64
    };
    let (ciphertext, header) = (64, 5);
    // Sums 1, 3, 5, 7, 9 bring up the sender's places 0–1, 2–3, 4–5, 6; sums 0, 2, 4 the receiver's 0, 1–2, 3.
    let expected =
        [(tested(1) - 7) * ciphertext + header, (tested(0) - 4) * ciphertext + 2 * header];
    assert_eq!([fresh[0] - cached[0], fresh[1] - cached[1]], expected);
    // One value fits a plaintext of 256 bits, so the other comparator sends a coefficient more an entry.
    assert_eq!(
        [implicit[0] - cached[0], implicit[1] - cached[1]],
        [7 * ciphertext, 4 * ciphertext]
    );
}

#[test]
fn a_key_that_comes_back_is_refused() {
    let (left, mut right) = memory_pair();
    let answer = thread::scope(|scope| {
        scope.spawn(move || {
            let frame = right.recv().expect("a key");
            right.send(frame).expect("a channel");
        });
        let comparator = encrypted(256)[0];
        let mut channel = Metered::new(Framed::new(left), "start");
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        run_over(comparator, parts(Role::Sender, &[Element([1; 32])], 1, &mut channel, &mut rng))
            .err()
    });
    let error = answer.expect("its own key").to_string();
    assert!(error.contains("proof that a Paillier key"), "{error}");
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
        let mut run = parts(role, &elements, 3, &mut channel, &mut rng);
        let mut comparator = DiffieHellman::new(&mut run).expect("an honest run");
        let every: Vec<Pair> = (0..9).map(|n| Pair { receiver: n / 3, sender: n % 3 }).collect();
        if role == Role::Sender {
            let prepared = comparator.prepare(&every, run.means.rng).expect("it works");
            comparator.show(run.means.channel, prepared, true).expect("an honest run");
            return (Vec::new(), Vec::new());
        }
        let shown = take_values(run.means.channel, 9, comparator.bits()).expect("an honest run");
        (shown, comparator.known_values())
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
