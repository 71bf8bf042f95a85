//! Columns that go with the matches, against plain maps over random small lists, and what is written of them.

use std::collections::{BTreeMap, BTreeSet};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset::data::{Destination, KeySpec, Table};
use veilset::registry::{Operation, Outcome, Security};
use veilset::{Columns, Done, Input, Job, Join, Joining, Learn};

use crate::linkage::{KEYS, Random, Values, cases, run, specs, values_of};

/// By its number, the rows of the other list that go with a row, by their numbers, and the key.
type Joined = BTreeMap<usize, (usize, BTreeSet<usize>)>;

/// Whether two rows have a value under the key in common.
fn share(one: &Values, other: &Values, key: usize) -> bool {
    one[key].iter().any(|value| other[key].contains(value))
}

/// Key after key; a row goes with those of the other list that match at the same one.
fn in_tiers(mine: &[Values], theirs: &[Values]) -> Joined {
    let mut joined = Joined::new();
    let mut gone = BTreeSet::new();
    for key in 0..KEYS.len() {
        let mut drop_out = BTreeSet::new();
        let left = |rows: &[Values], gone: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..rows.len()).filter(|number| !gone(*number)).collect()
        };
        let here = left(mine, &|number| joined.contains_key(&number));
        for there in left(theirs, &|number| gone.contains(&number)) {
            for number in &here {
                if share(&mine[*number], &theirs[there], key) {
                    joined.entry(*number).or_insert((key, BTreeSet::new())).1.insert(there);
                    drop_out.insert(there);
                }
            }
        }
        gone.extend(drop_out);
    }
    joined
}

/// Each row with all of the other list's that share a value under the first key under which any does.
fn one_sided(mine: &[Values], theirs: &[Values]) -> Joined {
    let of = |row: &Values| {
        (0..KEYS.len()).find_map(|key| {
            let rows = (0..theirs.len()).filter(|there| share(row, &theirs[*there], key));
            let rows: BTreeSet<usize> = rows.collect();
            (!rows.is_empty()).then_some((key, rows))
        })
    };
    (0..mine.len()).filter_map(|number| Some((number, of(&mine[number])?))).collect()
}

/// What a side got with its rows.
fn got(done: &Done, input: &Input, order: &[usize]) -> Joined {
    let joined = done.joined(input).expect("it learned");
    let rows = joined.rows(Join::Inner, input).map(|row| {
        let rows = joined.rows_of(row);
        let key = rows[0].key - 1;
        assert!(rows.iter().all(|row| row.key == key + 1 && row.cells.len() == 1));
        let numbers: Vec<usize> =
            rows.iter().map(|row| row.cells[0].parse().expect("a number")).collect();
        let distinct: BTreeSet<usize> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), numbers.len(), "each once");
        (order[row], (key, distinct))
    });
    rows.collect()
}

fn without_rows(joined: Joined) -> BTreeMap<usize, usize> {
    joined.into_iter().map(|(number, (key, _))| (number, key)).collect()
}

fn keys_of(done: &Done, input: &Input, order: &[usize]) -> BTreeMap<usize, usize> {
    let rows = done.rows_by_key(input).expect("it learned");
    rows.map(|(row, key)| (order[row], key)).collect()
}

/// Each way to match, each protocol that sends rows, each side with columns or without.
#[test]
fn rows_go_with_those_that_match_by_the_same_key() {
    let (mut sent, mut several) = (0, 0);
    for seed in 0..cases() {
        let mut random = Random(ChaCha20Rng::seed_from_u64(seed));
        let rows = [random.rows(), random.rows()];
        let orders = [random.order(rows[0].len()), random.order(rows[1].len())];
        let most_rows = [None, None, Some(2)][random.below(3) as usize];
        let keys = specs(&KEYS.map(|(key, ..)| key)[..1 + random.below(5) as usize], most_rows);
        let values = [0, 1].map(|side| {
            let mut values = values_of(&rows[side], most_rows);
            let unused = |row: &mut Values| row[keys.len()..].iter_mut().for_each(Vec::clear);
            values.iter_mut().for_each(unused);
            values
        });
        let connecting = random.below(2) as usize;
        let sides = [1 - connecting, connecting];
        let (protocol, security, both) = match random.below(5) {
            0 | 1 => ("rr22", Security::SemiHonest, random.below(2) == 0),
            2 => ("rr22-malicious", Security::Malicious, false),
            _ => ("dh", Security::SemiHonest, random.below(2) == 0),
        };
        let learner = random.below(2) as usize;
        let learns = [0, 1].map(|side| match (both, side == learner) {
            (true, _) => Learn::Both,
            (false, true) => Learn::Me,
            (false, false) => Learn::Peer,
        });
        let job =
            Job { protocol: Some(protocol), security, ..Job::new(Operation::Intersect, ["peer"]) };
        let column = ["row".to_owned()];
        let sends = [0, 1].map(|side| learns[side] != Learn::Me && random.below(4) > 0);
        let lists = [0, 1].map(|side| {
            let table = random.table(&rows[side], &orders[side]);
            let job = Job { learn: learns[side], ..job.clone() };
            let matching = job.matching_of(&keys).expect("it takes them");
            let input = Input::linked(table, &keys, matching).expect("the columns are there");
            let send = if sends[side] { &column[..] } else { &[] };
            let columns = Columns { send, ..Columns::default() };
            let input = input.attach(job.operation, job.learn, columns).expect("short");
            if random.below(2) == 0 { input } else { input.for_one_run() }
        });
        let ends = run(sides.map(|side| &lists[side]), sides.map(|side| learns[side]), &job);
        for (done, side) in ends.map(|end| end.expect("it runs")).iter().zip(sides) {
            let told = format!("{protocol}, seed {seed}, side {side}");
            if learns[side] == Learn::Peer {
                assert_eq!(done.report.outcome, Outcome::Nothing, "{told}");
                continue;
            }
            let (mine, theirs) = (&values[side], &values[1 - side]);
            let expected = if both { in_tiers(mine, theirs) } else { one_sided(mine, theirs) };
            let list = &lists[side];
            if sends[1 - side] {
                sent += expected.len();
                several += expected.values().filter(|(_, rows)| rows.len() > 1).count();
                assert_eq!(got(done, list, &orders[side]), expected, "{told}");
            } else {
                let keys = keys_of(done, list, &orders[side]);
                assert_eq!(keys, without_rows(expected), "{told}");
            }
        }
    }
    assert!(sent as u64 > cases() / 2 && several > 0, "{sent}, {several}");
}

fn list(text: &str, key: &str, send: &[&str], learn: Learn) -> Input {
    let table = Table::parse("list.csv".into(), text.into(), b',').expect("a table");
    let keys: Vec<KeySpec> = specs(&key.split(' ').collect::<Vec<_>>(), None);
    let matching = Job { learn, ..Job::intersect(["peer"]) }.matching_of(&keys);
    let input = Input::linked(table, &keys, matching.expect("it takes them")).expect("columns");
    let send: Vec<String> = send.iter().map(|name| (*name).to_owned()).collect();
    let columns = Columns { send: &send, ..Columns::default() };
    input.attach(Operation::Intersect, learn, columns).expect("the columns are there")
}

fn written(done: &Done, input: &Input, name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    done.write(input, &Destination::file(path.clone(), false)).expect("writable");
    std::fs::read(path).expect("written")
}

fn text(done: &Done, input: &Input) -> String {
    String::from_utf8(written(done, input, "out.csv")).expect("text")
}

const OURS: &str = "id,city,mail\n1,Ulm,ann@b.c\n2,\"a, b\",BEN@b.c\n3,,eve@b.c\n4,Rom,Ann@b.c\n";
const THEIRS: &str = "mail,city,plan\nann@b.c,Oslo,=1+1\nfay@b.c,Bonn,x\nben@b.c,,-5\n\
                      Ann@b.c,Paris,a\u{1b}b\n";

/// Rows that several rows match come once for each, and a name that both lists have is told apart.
#[test]
fn joins_are_what_a_database_says() {
    let theirs = list(THEIRS, "mail:email", &["city", "plan"], Learn::Peer);
    let of = |joining| list(OURS, "mail:email", &[], Learn::Me).joining(joining);
    let job = Job::intersect(["acme"]);
    let joined = |joining: Joining| {
        let ours = of(joining);
        let [one, _] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &job);
        let done = one.expect("it runs");
        text(&done, &ours)
    };
    let header = "id,city,mail,acme.city,plan\n";
    let ann = |row: &str, formula: &str, control: &str| {
        format!("{row},Oslo,{formula}\n{row},Paris,{control}\n")
    };
    let first = ann("1,Ulm,ann@b.c", "'=1+1", "a\\u{1b}b");
    let last = ann("4,Rom,Ann@b.c", "'=1+1", "a\\u{1b}b");
    let ben = "2,\"a, b\",BEN@b.c,,-5\n";
    let inner = Joining::default();
    assert_eq!(joined(inner), format!("{header}{first}{ben}{last}"));
    let left = Joining { join: Join::Left, ..inner };
    assert_eq!(joined(left), format!("{header}{first}{ben}3,,eve@b.c,,\n{last}"));
    let anti = Joining { join: Join::Anti, ..inner };
    assert_eq!(joined(anti), "id,city,mail\n3,,eve@b.c\n");
    let raw = joined(Joining { raw_cells: true, ..inner });
    let first = ann("1,Ulm,ann@b.c", "=1+1", "a\u{1b}b");
    let last = ann("4,Rom,Ann@b.c", "=1+1", "a\u{1b}b");
    assert_eq!(raw, format!("{header}{first}{ben}{last}"));
}

#[test]
fn each_side_sends_what_it_chose_and_both_hear_it_before() {
    let ours = list(OURS, "mail:email", &["id"], Learn::Both);
    let theirs = list(THEIRS, "mail:email", &["plan"], Learn::Both);
    for protocol in ["rr22", "rr22-pq", "dh"] {
        let job = Job { protocol: Some(protocol), ..Job::intersect(["acme"]) };
        let ends = run([&ours, &theirs], [Learn::Both; 2], &job);
        let [one, other] = ends.map(|end| end.expect("it runs"));
        assert!(one.report.learned.contains("acme sends with matches: \"plan\"."), "{protocol}");
        assert!(other.report.learned.contains("You send with matches: \"plan\"."), "{protocol}");
        let expected = "id,city,mail,plan\n1,Ulm,ann@b.c,'=1+1\n1,Ulm,ann@b.c,a\\u{1b}b\n\
                        2,\"a, b\",BEN@b.c,-5\n4,Rom,Ann@b.c,'=1+1\n4,Rom,Ann@b.c,a\\u{1b}b\n";
        assert_eq!(text(&one, &ours), expected, "{protocol}");
        let expected = "mail,city,plan,id\nann@b.c,Oslo,=1+1,1\nann@b.c,Oslo,=1+1,4\nben@b.c,,-5,2\n\
                        Ann@b.c,Paris,a\u{1b}b,1\nAnn@b.c,Paris,a\u{1b}b,4\n";
        assert_eq!(text(&other, &theirs), expected, "{protocol}");
    }
}

/// Bytes that a party may take, too few for all at once.
const MEMORY: u64 = 22_500_000;

/// Parts of a run have the rows of their elements.
#[test]
fn rows_go_with_matches_in_parts_too() {
    let of = |first: usize, send: &[&str], learn| {
        let rows: String = (first..first + 40_000).map(|n| format!("{n},row {n}\n")).collect();
        list(&format!("id,text\n{rows}"), "id", send, learn)
    };
    let (ours, theirs) = (of(0, &[], Learn::Me), of(10_000, &["text"], Learn::Peer));
    for protocol in ["rr22", "dh"] {
        let job =
            Job { protocol: Some(protocol), max_memory: Some(MEMORY), ..Job::intersect(["acme"]) };
        let [one, _] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &job);
        let done = one.expect("it runs");
        let parts = done.report.phases.iter().filter(|phase| phase.name == "set").count();
        assert!(parts > 1, "{protocol}: {parts}");
        let rows = (10_000..40_000).map(|n| format!("{n},row {n},row {n}\n"));
        let expected: String =
            std::iter::once("id,text,acme.text\n".to_owned()).chain(rows).collect();
        assert_eq!(text(&done, &ours), expected, "{protocol}");
    }
}

/// Names and cells of a peer's run nowhere, and an empty cell is none that is missing.
#[test]
fn what_a_peer_wrote_is_text_and_an_empty_cell_is_a_cell() {
    let theirs = list("k,=1+1,\"a\u{1b}b\"\nx,,1\n", "k", &["=1+1", "a\u{1b}b"], Learn::Peer);
    let left = Joining { join: Join::Left, ..Joining::default() };
    let ours = list("k\nx\ny\n", "k", &[], Learn::Me).joining(left);
    let [one, _] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &Job::intersect(["acme"]));
    let done = one.expect("it runs");
    assert_eq!(text(&done, &ours), "k,'=1+1,a\\u{1b}b\nx,,1\ny,,\n");
    let objects = String::from_utf8(written(&done, &ours, "out.ndjson")).expect("text");
    let first = "{\"k\":\"x\",\"=1+1\":\"\",\"a\\u001bb\":\"1\"}";
    let second = "{\"k\":\"y\",\"=1+1\":null,\"a\\u001bb\":null}";
    assert_eq!(objects, format!("{first}\n{second}\n"));
    let raw = Joining { raw_cells: true, ..left };
    let ours = ours.joining(raw);
    assert_eq!(text(&done, &ours), "k,=1+1,a\u{1b}b\nx,,1\ny,,\n");
}

/// By several values of one key a row of the peer's comes once.
#[test]
fn a_row_that_comes_by_several_values_comes_once() {
    let theirs = "n,id\nabcdefgh,1\nbcdefgh,2\nabcdefgh,3\n";
    let theirs = list(theirs, "n:name~deletion", &["id"], Learn::Peer);
    let ours = list("n\nabcdefgh\n", "n:name~deletion", &[], Learn::Me);
    let [one, _] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &Job::intersect(["acme"]));
    let done = one.expect("it runs");
    let mut ids: Vec<String> = text(&done, &ours).lines().skip(1).map(str::to_owned).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["abcdefgh,1", "abcdefgh,2", "abcdefgh,3"]);
    assert_eq!(done.rows_of_join(&ours), Some(3));
}

/// Other formats keep types, and give a row again for each that it matches.
#[test]
fn other_formats_have_the_same_rows() {
    let ours = list(OURS, "mail:email", &[], Learn::Me);
    let theirs = list(THEIRS, "mail:email", &["plan"], Learn::Peer);
    let job = Job::intersect(["acme"]);
    let [one, _] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &job);
    let done = one.expect("it runs");
    let expected = "id,city,mail,plan\n1,Ulm,ann@b.c,'=1+1\n1,Ulm,ann@b.c,a\\u{1b}b\n\
                    2,\"a, b\",BEN@b.c,-5\n4,Rom,Ann@b.c,'=1+1\n4,Rom,Ann@b.c,a\\u{1b}b\n";
    for name in ["out.parquet", "out.arrow", "out.arrows", "out.ndjson"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        done.write(&ours, &Destination::file(path.clone(), false)).expect("writable");
        let source = veilset::data::Source::new(&path.display().to_string());
        let again = Table::read(&source, None).expect("readable");
        let mut read = Vec::new();
        again.write_rows(&mut read, 0..again.rows()).expect("to memory");
        let read = String::from_utf8(read).expect("text");
        let plain = expected.replace("'=", "=").replace("\\u{1b}", "\u{1b}");
        assert_eq!(read, plain, "{name}");
    }
}

#[test]
fn what_cannot_be_sent_or_named_is_refused_on_both_sides() {
    let theirs = list(THEIRS, "mail:email", &["plan"], Learn::Peer);
    let taken = "mail,plan,acme.plan\nann@b.c,1,2\n";
    let ours = list(taken, "mail:email", &[], Learn::Me);
    let job = Job::intersect(["acme"]);
    let [one, other] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &job);
    let said = one.err().expect("refused").to_string();
    assert!(said.contains("acme.plan"), "{said}");
    assert_eq!(other.err().map(|error| error.exit_code()), Some(3));

    let fhe = Job { protocol: Some("fhe"), ..job };
    let ours = list(OURS, "mail:email", &[], Learn::Me);
    let [one, other] = run([&ours, &theirs], [Learn::Me, Learn::Peer], &fhe);
    let said = other.err().expect("refused").to_string();
    assert!(said.contains("protocol fhe sends no columns with its matches"), "{said}");
    assert!(one.is_err());
}
