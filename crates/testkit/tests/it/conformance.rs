//! Every registry entry against plain sets: sizes, both roles, all ways to reveal, all groups and digests.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use veilset_crypto::Element;
use veilset_protocols::{
    GroupSums, Identifier, Operation, Outcome, PROTOCOLS, Reveal, Role, Scheme, Shares, Sharing,
};
use veilset_testkit::{
    COLUMNS, GROUPS, LENT_GROUPS, Sets, Setting, WIDTH, factor, group, item, lent_group, run_both,
    values,
};

/// Sender's size, receiver's size, common elements. 4096 elements fill a frame.
const SIZES: [(usize, usize, usize); 12] = [
    (0, 0, 0),
    (0, 1, 0),
    (1, 0, 0),
    (1, 1, 0),
    (1, 1, 1),
    (2, 2, 1),
    (30, 12, 4),
    (300, 300, 0),
    (300, 300, 300),
    (1000, 1000, 500),
    (4097, 3, 2),
    (3, 4097, 3),
];

/// What plain sets say of a run.
struct Plain<'a> {
    sets: &'a Sets,
    common: HashSet<Element>,
}

impl<'a> Plain<'a> {
    fn new(sets: &'a Sets) -> Self {
        let theirs: HashSet<Element> = sets.receiver.iter().copied().collect();
        let common = sets.sender.iter().copied().filter(|element| theirs.contains(element));
        Self { sets, common: common.collect() }
    }

    /// The indices of the elements of `role` that are common, or are not.
    fn indices(&self, role: Role, common: bool) -> Vec<u32> {
        let wanted = |element: &Element| self.common.contains(element) == common;
        (0u32..).zip(self.sets.of(role)).filter(|(_, e)| wanted(e)).map(|(i, _)| i).collect()
    }

    fn elements(&self, role: Role, common: bool) -> impl Iterator<Item = &Element> {
        self.indices(role, common).into_iter().map(move |i| &self.sets.of(role)[i as usize])
    }

    fn check(&self, setting: Setting, ends: [Outcome; 2]) {
        let (operation, reveal) = (setting.protocol.spec().operation, setting.reveal);
        let count = self.common.len() as u64;
        let withheld = setting.least.is_some_and(|least| count < least);
        let roles = [Role::Sender, Role::Receiver];
        match (operation, ends) {
            (Operation::Share, [Outcome::Shares(sender), Outcome::Shares(receiver)]) => {
                self.check_shares(setting.both_share, &sender, &receiver);
            }
            (
                Operation::Align,
                [
                    Outcome::Identifiers { own: left, others: to_left },
                    Outcome::Identifiers { own: right, others: to_right },
                ],
            ) => self.check_identifiers([&left, &right], [&to_left, &to_right]),
            (Operation::Agree, ends) => {
                let [sender, receiver] = self.preferred(setting.choices.scheme.unwrap_or_default());
                assert_eq!(ends, [Outcome::Agreed(sender), Outcome::Agreed(receiver)]);
            }
            (_, ends) => {
                for (role, outcome) in roles.into_iter().zip(ends) {
                    if !reveal.reaches(role) {
                        assert_eq!(outcome, Outcome::Nothing);
                        continue;
                    }
                    match (operation, outcome) {
                        (Operation::Union, Outcome::Lacking { width: WIDTH, bytes }) => {
                            let got: Vec<&[u8]> = bytes.chunks(WIDTH).collect();
                            let got: BTreeSet<&[u8]> = unique(got);
                            let items: Vec<_> =
                                self.elements(role.other(), false).map(item).collect();
                            assert_eq!(
                                got,
                                unique(items.iter().map(<[u8; WIDTH]>::as_slice).collect())
                            );
                        }
                        (Operation::Lookup, outcome) => {
                            let labels = self.elements(role, true).flat_map(item).collect();
                            let rows = self.indices(role, true);
                            assert_eq!(outcome, Outcome::Listed { rows, width: WIDTH, labels });
                        }
                        (Operation::Intersect, outcome) if setting.with_rows => {
                            let labels = self.elements(role, true).flat_map(item).collect();
                            let rows = self.indices(role, true);
                            assert_eq!(outcome, Outcome::Listed { rows, width: WIDTH, labels });
                        }
                        (Operation::Intersect, outcome) => {
                            assert_eq!(outcome, Outcome::Matched(self.indices(role, true)));
                        }
                        (Operation::Sum, outcome) if setting.by_groups || setting.lends_groups => {
                            let by_group = self.sums_by_group(setting);
                            let learns = role == Role::Sender;
                            assert_eq!(outcome, if learns { by_group } else { Outcome::Nothing });
                        }
                        (_, outcome) if withheld => assert_eq!(outcome, Outcome::Fewer),
                        (Operation::Sum, outcome) if role == Role::Sender => {
                            assert_eq!(
                                outcome,
                                Outcome::Sums { count, sums: self.sums(setting.products) }
                            );
                        }
                        (_, outcome) => assert_eq!(outcome, Outcome::Count(count)),
                    }
                }
            }
        }
    }

    /// The sender's and the receiver's index of the common element whose places have the least sum or maximum, the least of
    /// the other among these, and then the better place for the receiver.
    fn preferred(&self, scheme: Scheme) -> [Option<u32>; 2] {
        let places = self.indices(Role::Sender, true).into_iter().map(|mine| {
            let same = |element: &Element| *element == self.sets.sender[mine as usize];
            let theirs = self.sets.receiver.iter().position(same).expect("it is common") as u32;
            let (sum, worse) = (mine + theirs, mine.max(theirs));
            let combined = match scheme {
                Scheme::SumOfRanks => (sum, worse),
                Scheme::MinimumOfRanks => (worse, sum),
            };
            (combined, theirs, mine)
        });
        places.min().map_or([None; 2], |(_, theirs, mine)| [Some(mine), Some(theirs)])
    }

    fn sums(&self, products: bool) -> Vec<i128> {
        (0..COLUMNS)
            .map(|column| {
                self.common.iter().map(|element| numbers(element, products)[column]).sum()
            })
            .collect()
    }

    /// What the sender learns of each of its groups.
    fn sums_by_group(&self, setting: Setting) -> Outcome {
        let Setting { least, products, by_groups, lends_groups, .. } = setting;
        let of_group = |[of, lent]: [u32; 2]| {
            let common: Vec<_> = self
                .common
                .iter()
                .filter(|element| {
                    (!by_groups || group(element) == of)
                        && (!lends_groups || lent_group(element) == lent)
                })
                .collect();
            let sum = |column: usize| {
                common.iter().map(|element| numbers(element, products)[column]).sum()
            };
            let (count, sums) = (common.len() as u64, (0..COLUMNS).map(sum).collect());
            least.is_none_or(|least| count >= least).then_some(GroupSums { count, sums })
        };
        let [own, lent] = [(by_groups, GROUPS), (lends_groups, LENT_GROUPS)]
            .map(|(is, groups)| if is { groups as u32 } else { 1 });
        let all = (0..own).flat_map(|own| (0..lent).map(move |lent| [own, lent]));
        Outcome::ByGroup(all.map(of_group).collect())
    }

    fn check_shares(&self, both: bool, sender: &Shares, receiver: &Shares) {
        let columns = 1 + COLUMNS + usize::from(both);
        assert_eq!((sender.columns, receiver.columns), (columns, columns));
        assert!(receiver.order.is_none());
        let order = sender.order.as_ref().expect("the sender knows its places");
        let places: BTreeSet<u32> = unique(order.iter().flatten().copied().collect());
        assert_eq!(places.len(), self.sets.sender.len());
        let pairs = sender.words.chunks(columns).zip(receiver.words.chunks(columns));
        assert_eq!(pairs.len(), order.len());
        for (index, (one, other)) in order.iter().zip(pairs) {
            let element = index.map(|index| &self.sets.sender[index as usize]);
            let secret: Vec<i128> = one
                .iter()
                .zip(other)
                .map(|(one, other)| match sender.sharing {
                    Sharing::Additive => one.wrapping_add(*other) as i128,
                    Sharing::Xor => (one ^ other) as i128,
                })
                .collect();
            let common = element.filter(|element| self.common.contains(*element));
            let expected = common.map_or([0; 4], |element| {
                let [first, second] = values(element);
                [1, first, second, factor(element)]
            });
            assert_eq!(secret, expected[..columns]);
        }
    }

    fn check_identifiers(&self, own: [&[Identifier]; 2], others: [&[Identifier]; 2]) {
        let mut names: BTreeMap<[u8; 32], Identifier> = BTreeMap::new();
        for (role, ids) in [Role::Sender, Role::Receiver].into_iter().zip(own) {
            assert_eq!(ids.len(), self.sets.of(role).len());
            for (element, id) in self.sets.of(role).iter().zip(ids) {
                assert_eq!(names.entry(element.0).or_insert(*id), id, "one name on both sides");
            }
        }
        unique(names.values().collect());
        for (role, others) in [Role::Sender, Role::Receiver].into_iter().zip(others) {
            let lacking = self.elements(role.other(), false).map(|e| names[&e.0]).collect();
            assert!(others.is_sorted());
            assert_eq!(unique(others.to_vec()), unique(lacking));
        }
    }
}

/// A set that holds nothing twice.
fn unique<T: Ord>(values: Vec<T>) -> BTreeSet<T> {
    let count = values.len();
    let set: BTreeSet<T> = values.into_iter().collect();
    assert_eq!(set.len(), count, "nothing comes twice");
    set
}

fn check(setting: Setting, sets: &Sets, seed: u8) {
    let (sent, received) = run_both(setting, sets, seed);
    let ends = [sent, received].map(|(outcome, _)| outcome.expect("an honest run ends well"));
    Plain::new(sets).check(setting, ends);
}

/// The runs of all sizes, and for each protocol those that are left out.
const RAN: u32 = 683;
const LEFT_OUT: [(&str, u32); 10] = [
    ("3pr-dh", 3),
    ("3pr-dh-fixed", 3),
    ("3pr-dh-pairwise", 3),
    ("3pr-implicit", 6),
    ("3pr-paillier", 5),
    ("3pr-paillier-pairwise", 6),
    ("3pr-paillier-uncached", 5),
    ("fnp", 10),
    ("fnp-binned", 6),
    ("ks", 2),
];

#[test]
fn every_protocol_computes_what_plain_sets_say() {
    let (mut ran, mut left_out) = (0, BTreeMap::<&str, u32>::new());
    for protocol in PROTOCOLS {
        for (sender, receiver, common) in SIZES {
            let sets = Sets::new(sender, receiver, common);
            for reveal in protocol.spec().reveals {
                let setting = Setting::new(protocol, *reveal);
                if setting.is_quick(&sets) {
                    check(setting, &sets, 1);
                    ran += 1;
                } else {
                    *left_out.entry(protocol.spec().id).or_default() += 1;
                }
            }
        }
    }
    // What takes long is left out; nothing more drops out unseen.
    assert_eq!((ran, left_out), (RAN, LEFT_OUT.into_iter().collect()));
}

/// The runs in which rows go with the matches.
const RAN_WITH_ROWS: u32 = 96;

#[test]
fn rows_go_with_the_matches_alone() {
    let mut ran = 0;
    for protocol in PROTOCOLS {
        for (sender, receiver, common) in SIZES {
            let sets = Sets::new(sender, receiver, common);
            for reveal in protocol.spec().reveals {
                let Some(setting) = Setting::new(protocol, *reveal).and_rows() else { continue };
                check(setting, &sets, 3);
                ran += 1;
            }
        }
    }
    assert_eq!(ran, RAN_WITH_ROWS);
}

/// What the sums of an element are of, the last one multiplied or not.
fn numbers(element: &Element, products: bool) -> [i128; COLUMNS] {
    let [first, last] = values(element);
    [first, last * if products { factor(element) } else { 1 }]
}

/// The runs by groups, and those with a least result.
const RAN_ON_SHARES: u32 = 5 * 12;
const RAN_WITH_LEAST: u32 = 3 * (2 + 1 + 5) * 12;

#[test]
fn groups_and_what_is_withheld_are_those_of_plain_sets() {
    let (mut on_shares, mut with_least) = (0, 0);
    for protocol in PROTOCOLS {
        for (sender, receiver, common) in SIZES {
            let sets = Sets::new(sender, receiver, common);
            for reveal in protocol.spec().reveals {
                let plain = Setting::new(protocol, *reveal);
                let products = plain.and_products();
                let by_groups = products.and_then(Setting::and_groups);
                let lent = plain.and_lent_groups();
                let all = by_groups.and_then(Setting::and_lent_groups);
                let settings = [Some(plain), plain.and_groups(), products, by_groups, lent, all];
                for setting in settings.into_iter().flatten() {
                    if setting.by_groups || setting.products || setting.lends_groups {
                        check(setting, &sets, 4);
                        on_shares += 1;
                    }
                    for least in [1, common as u64, common as u64 + 1] {
                        if let Some(setting) = setting.and_least(least) {
                            check(setting, &sets, 5);
                            with_least += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!((on_shares, with_least), (RAN_ON_SHARES, RAN_WITH_LEAST));
}

#[test]
fn so_does_it_with_every_choice() {
    let [large, small] = [Sets::new(300, 200, 50), Sets::new(12, 8, 3)];
    for protocol in PROTOCOLS {
        let spec = protocol.spec();
        let default = Setting::new(protocol, spec.reveals[0]);
        let sets = if default.is_quick(&large) { &large } else { &small };
        // The other test has the defaults.
        for other in spec.choices.others() {
            let other = Setting { choices: other.or(default.choices), ..default };
            check(other, sets, 2);
            if let Some(both) = other.and_both_share() {
                check(both, sets, 2);
            }
        }
    }
}

#[test]
fn both_sides_values_come_out_as_shares() {
    let mut ran = 0;
    for protocol in PROTOCOLS {
        for (sender, receiver, common) in SIZES {
            let setting = Setting::new(protocol, Reveal::Both).and_both_share();
            if let Some(setting) = setting {
                check(setting, &Sets::new(sender, receiver, common), 6);
                ran += 1;
            }
        }
    }
    assert_eq!(ran, SIZES.len());
}
