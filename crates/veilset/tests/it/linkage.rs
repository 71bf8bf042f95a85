//! Matching by several keys against a plain greedy one, over random small lists.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset::data::{Destination, KeySpec, Table};
use veilset::registry::{Operation, Outcome, Security, Silent};
use veilset::{Connection, Done, Error, Input, Job, Learn, Matching, Resources};
use veilset_channel::memory_pair;

/// Whoever a row is about: an address, a telephone number, a name and a birthday.
pub(crate) type Row = [Option<u32>; 4];

/// The keys: of each, its columns, and what it makes of their numbers.
pub(crate) const KEYS: [(&str, &[usize], Made); 5] = [
    ("mail:email", &[0], |value| vec![value.to_vec()]),
    ("phone:phone-gb", &[1], |value| vec![value.to_vec()]),
    ("name:name,born:date", &[2, 3], |value| vec![value.to_vec()]),
    // One year is the number, and the value of two years is named by the second.
    ("born:date~year", &[3], |value| vec![value.to_vec(), vec![value[0] + 1]]),
    // Without its digit every name is the same; what else is left of it, no other name leaves.
    ("name:name~deletion", &[2], |value| vec![value.to_vec(), vec![NO_NUMBER]]),
];

/// The values of a row under a key.
pub(crate) type Made = fn(&[u32]) -> Vec<Vec<u32>>;

/// No row has it.
const NO_NUMBER: u32 = u32::MAX;

/// As many lists of `VEILSET_LINKAGE_CASES`, where that is set.
const CASES: u64 = 150;

pub(crate) struct Random(pub(crate) ChaCha20Rng);

impl Random {
    pub(crate) fn below(&mut self, most: u32) -> u32 {
        self.0.next_u32() % most
    }

    pub(crate) fn rows(&mut self) -> Vec<Row> {
        let (rows, values) = (self.below(9), 1 + self.below(9));
        let mut row =
            || std::array::from_fn(|_| Some(self.below(values)).filter(|_| self.below(4) > 0));
        (0..rows).map(|_| row()).collect()
    }

    /// The rows' numbers in some order.
    pub(crate) fn order(&mut self, rows: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..rows).collect();
        for place in (1..rows).rev() {
            order.swap(place, self.below(place as u32 + 1) as usize);
        }
        order
    }

    /// The rows in this order, with their numbers, and each value written in one of the ways that mean it.
    pub(crate) fn table(&mut self, rows: &[Row], order: &[usize]) -> Table {
        let mut text = "row,mail,phone,name,born\n".to_owned();
        for number in order {
            let [mail, phone, name, born] = rows[*number];
            let mut either = |some: Option<[String; 2]>| {
                let [one, other] = some.unwrap_or(["".into(), "n/a".into()]);
                if self.below(2) == 0 { one } else { other }
            };
            let cells = [
                either(mail.map(|n| [format!("a{n}@b.example"), format!(" A{n}@B.Example ")])),
                either(
                    phone.map(|n| [format!("020 7946 00{n:02}"), format!("+44207946 00{n:02}")]),
                ),
                either(name.map(|n| [format!("Zo\u{eb} {n}"), format!("zoe\u{308}  {n}")])),
                either(born.map(|n| [format!("199{n}-01-02"), format!("199{n}/01/02")])),
            ];
            text.push_str(&format!("{number},{}\n", cells.join(",")));
        }
        Table::parse("list".into(), text.into(), b',').expect("a table")
    }

    pub(crate) fn list(&mut self, rows: &[Row], order: &[usize], most_rows: Option<u32>) -> Input {
        let keys = KEYS.map(|(key, ..)| key);
        Input::linked(self.table(rows, order), &specs(&keys, most_rows), None)
            .expect("the columns are there")
    }
}

pub(crate) fn specs(keys: &[&str], most_rows: Option<u32>) -> Vec<KeySpec> {
    let key = |key: &&str| key.parse::<KeySpec>().expect("a key").carried_by_at_most(most_rows);
    keys.iter().map(key).collect()
}

/// What a row has under each key.
pub(crate) type Values = [Vec<Vec<u32>>; KEYS.len()];

/// What each row has; what more rows have than may is nothing.
pub(crate) fn values_of(rows: &[Row], most_rows: Option<u32>) -> Vec<Values> {
    let value = |row: &Row, key: usize| {
        let (_, columns, made) = KEYS[key];
        let value: Option<Vec<u32>> = columns.iter().map(|column| row[*column]).collect();
        value.map(|value| made(&value)).unwrap_or_default()
    };
    let all: Vec<Values> =
        rows.iter().map(|row| std::array::from_fn(|key| value(row, key))).collect();
    let carried =
        |key: usize, of: &Vec<u32>| all.iter().filter(|row| row[key].contains(of)).count();
    let may =
        |key: usize, of: &Vec<u32>| most_rows.is_none_or(|most| carried(key, of) <= most as usize);
    let kept = |row: &Values| {
        std::array::from_fn(|key| {
            row[key].iter().filter(|value| may(key, value)).cloned().collect()
        })
    };
    all.iter().map(kept).collect()
}

fn under<'a>(rows: impl Iterator<Item = &'a Values>, key: usize) -> HashSet<Vec<u32>> {
    rows.flat_map(|row| row[key].clone()).collect()
}

/// Which of a side's rows match, and by which key.
pub(crate) type Matches = BTreeMap<usize, usize>;

/// Key after key, and what matches drops out on all sides.
pub(crate) fn in_tiers(lists: &[Vec<Values>]) -> Vec<Matches> {
    let mut matched = vec![Matches::new(); lists.len()];
    for key in 0..KEYS.len() {
        let left = |(list, matched): (&Vec<Values>, &Matches)| {
            let rows = list.iter().enumerate();
            under(rows.filter(|(n, _)| !matched.contains_key(n)).map(|(_, row)| row), key)
        };
        let left: Vec<_> = lists.iter().zip(&matched).map(left).collect();
        for (list, matched) in lists.iter().zip(&mut matched) {
            for (number, row) in list.iter().enumerate() {
                if row[key].iter().any(|value| left.iter().all(|left| left.contains(value))) {
                    matched.entry(number).or_insert(key);
                }
            }
        }
    }
    matched
}

/// Each row by the first of its values that the other list has.
fn one_sided(mine: &[Values], theirs: &[Values]) -> Matches {
    let theirs: Vec<_> = (0..KEYS.len()).map(|key| under(theirs.iter(), key)).collect();
    let first = |row: &Values| {
        (0..KEYS.len()).find(|key| row[*key].iter().any(|value| theirs[*key].contains(value)))
    };
    let rows = mine.iter().enumerate();
    rows.filter_map(|(number, row)| Some((number, first(row)?))).collect()
}

/// Both sides of a run; the second connects.
pub(crate) fn run(inputs: [&Input; 2], learns: [Learn; 2], job: &Job) -> [Result<Done, Error>; 2] {
    run_jobs(inputs, learns.map(|learn| Job { learn, ..job.clone() }))
}

/// As [`run`], each side with a job of its own.
pub(crate) fn run_jobs(inputs: [&Input; 2], jobs: [Job; 2]) -> [Result<Done, Error>; 2] {
    let (left, right) = memory_pair();
    let [first, second] = jobs;
    let side = |input: &Input, transport, connecting, job: Job| {
        let ready = job.offer(Connection::from_transport(transport, connecting), input)?;
        ready.run(input, &Resources { threads: 1, observer: &Silent })
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| side(inputs[0], Box::new(left), false, first));
        let here = side(inputs[1], Box::new(right), true, second);
        [other.join().expect("no panic"), here]
    })
}

/// What a side learned of its rows, by their numbers.
pub(crate) fn learned(done: &Done, input: &Input, order: &[usize]) -> Matches {
    let rows = done.rows_by_key(input).expect("it learned");
    rows.map(|(row, key)| (order[row], key)).collect()
}

pub(crate) fn cases() -> u64 {
    let more = std::env::var("VEILSET_LINKAGE_CASES").ok();
    more.and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

/// The semantics are exact: the same whatever the order of rows, the protocol, and which side connects.
#[test]
fn every_way_to_match_does_what_a_plain_one_does() {
    let mut matched = BTreeSet::new();
    for seed in 0..cases() {
        let mut random = Random(ChaCha20Rng::seed_from_u64(seed));
        let rows = [random.rows(), random.rows()];
        let orders = [random.order(rows[0].len()), random.order(rows[1].len())];
        let most_rows = [None, Some(1), Some(2)][random.below(3) as usize];
        let lists = [0, 1].map(|side| random.list(&rows[side], &orders[side], most_rows));
        let values = [0, 1].map(|side| values_of(&rows[side], most_rows));
        let connecting = random.below(2) as usize;
        let sides = [1 - connecting, connecting];
        let (protocol, security) = match random.below(4) {
            0 => ("rr22", Security::SemiHonest),
            1 => ("rr22-malicious", Security::Malicious),
            _ => ("dh", Security::SemiHonest),
        };
        let job =
            Job { protocol: Some(protocol), security, ..Job::new(Operation::Intersect, ["peer"]) };
        let inputs = sides.map(|side| &lists[side]);

        // It gives the result to one side alone.
        if security == Security::SemiHonest {
            let ends = run(inputs, [Learn::Both; 2], &job).map(|end| end.expect("it runs"));
            let expected = in_tiers(&values);
            for (done, side) in ends.iter().zip(sides) {
                assert_eq!(done.report.matching, Some(Matching::Tiers));
                let got = learned(done, &lists[side], &orders[side]);
                assert_eq!(got, expected[side], "tiers, {protocol}, seed {seed}, side {side}");
                matched.extend(got.values().copied());
            }
        }

        let learner = random.below(2) as usize;
        let learns = sides.map(|side| if side == learner { Learn::Me } else { Learn::Peer });
        let ends = run(inputs, learns, &job).map(|end| end.expect("it runs"));
        for (done, side) in ends.iter().zip(sides) {
            if side != learner {
                assert_eq!(done.report.outcome, Outcome::Nothing);
                continue;
            }
            let got = learned(done, &lists[side], &orders[side]);
            let expected = one_sided(&values[side], &values[1 - side]);
            assert_eq!(got, expected, "one-sided, {protocol}, seed {seed}, side {side}");
        }
    }
    assert_eq!(matched, (0..KEYS.len()).collect(), "rows match by every key");
}

fn people(text: &str, keys: &[&str]) -> Input {
    people_at_most(text, keys, None)
}

fn people_at_most(text: &str, keys: &[&str], most_rows: Option<u32>) -> Input {
    let table = Table::parse("people.csv".into(), text.into(), b',').expect("a table");
    Input::linked(table, &specs(keys, most_rows), None).expect("the columns are there")
}

#[test]
fn rows_say_by_which_key_they_match() {
    let ours =
        people("mail,phone\nann@b.c,1\nben@b.c,2\n,3\neve@b.c,4\n", &["mail:email", "phone"]);
    let theirs = people("tel,mail\n2,ben@b.c\n1,\n3,eve@b.c\n", &["mail:email", "tel"]);
    let job = Job::new(Operation::Intersect, ["peer"]);
    let [one, other] =
        run([&ours, &theirs], [Learn::Both; 2], &job).map(|end| end.expect("it runs"));
    let written = |done: &Done, input: &Input| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        done.write(input, &Destination::file(path.clone(), false)).expect("writable");
        std::fs::read_to_string(path).expect("written")
    };
    // Three has matched by its address before its number could.
    let expected = "mail,phone,veilset_key\nann@b.c,1,2\nben@b.c,2,1\neve@b.c,4,1\n";
    assert_eq!(written(&one, &ours), expected);
    let expected = "tel,mail,veilset_key\n2,ben@b.c,1\n1,,2\n3,eve@b.c,1\n";
    assert_eq!(written(&other, &theirs), expected);
    assert_eq!(one.counts_by_key(&ours), Some(vec![2, 1]));
}

#[test]
fn what_is_nothing_for_several_keys_is_refused_before_anything_is_sent() {
    let several = |job: Job, keys: usize| {
        let keys = vec!["k".parse().expect("a key"); keys];
        job.matching_of(&keys).map_err(|error| error.to_string())
    };
    let job = |operation, learn, matching| Job { learn, matching, ..Job::new(operation, ["peer"]) };
    let (tiers, one_sided) = (Some(Matching::Tiers), Some(Matching::OneSided));
    let grouped = Some(Matching::Grouped);
    let intersect = |learn, matching| job(Operation::Intersect, learn, matching);
    assert_eq!(several(intersect(Learn::Both, None), 1), Ok(None));
    assert_eq!(several(intersect(Learn::Both, None), 2), Ok(tiers));
    assert_eq!(several(intersect(Learn::Me, None), 2), Ok(one_sided));
    assert_eq!(several(job(Operation::Count, Learn::Me, None), 2), Ok(grouped));
    for operation in [Operation::Count, Operation::Align, Operation::Share] {
        let key = "k:name~deletion".parse().expect("a key");
        let said = job(operation, Learn::Both, None).matching_of(&[key]).map_err(|e| e.to_string());
        assert!(said.expect_err("refused").contains("for intersect"), "{operation}");
    }
    for (job, keys, part) in [
        (intersect(Learn::Both, tiers), 1, "--key for each key"),
        (intersect(Learn::Both, one_sided), 2, "--learn me on one side"),
        (intersect(Learn::Peer, tiers), 2, "--learn both on both sides"),
        (intersect(Learn::Both, None), 65, "at most 64 keys"),
        (intersect(Learn::Both, grouped), 2, "give tiers where both learn"),
        (job(Operation::Align, Learn::Both, None), 2, "align takes one --key"),
        (job(Operation::Count, Learn::Both, tiers), 2, "leave out --match, or give grouped"),
    ] {
        let said = several(job, keys).expect_err(part);
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn the_first_key_that_differs_is_named() {
    let of = |keys: &[&str]| people("mail,phone\nann@b.c,1\n", keys);
    let job = Job::new(Operation::Intersect, ["peer"]);
    let ours = of(&["mail:email", "phone:phone-gb"]);
    let crowded =
        people_at_most("mail,phone\nann@b.c,1\n", &["mail:email", "phone:phone-gb"], Some(3));
    for (theirs, part) in [
        (
            crowded,
            "most rows of a key (--most-per-key; --pairs one-to-one is 1): here nothing, at the peer 3",
        ),
        (
            of(&["mail:email", "phone:phone-fr"]),
            "presets of key 2: here phone-gb/2, at the peer phone-fr/2",
        ),
        (of(&["mail:email"]), "number of keys (--key for each): here 2, at the peer 1"),
    ] {
        let [one, other] = run([&ours, &theirs], [Learn::Both; 2], &job);
        let said = one.err().expect("it must not go on").to_string();
        assert!(said.contains(part), "{said}");
        assert_eq!(other.err().map(|error| error.exit_code()), Some(3));
    }
}
