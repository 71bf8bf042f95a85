//! The operations beyond the main job: two processes, two files, against plain sets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use veilset_stage::{Party, code, root, stderr};

use crate::support::schema::Schema;
use crate::support::{json as object, meet, pair};

/// Rows `first..last` with repeated keys, keys in two spellings, rows without a key, and amounts of both signs.
fn list(first: u32, last: u32) -> String {
    let mut text = String::from("id,email,amount,note\n");
    for n in first..last {
        text.push_str(&format!("{n},user{n}@example.com,{},\"a, {n}\"\n", amount(n)));
        if n % 7 == 0 {
            text.push_str(&format!("again {n},USER{n}@EXAMPLE.com,0.5,\n"));
        }
        if n % 50 == 0 {
            text.push_str(&format!("nobody {n},,99,\n"));
        }
    }
    text
}

/// What a row is worth, in hundredths.
fn hundredths(n: u32) -> i64 {
    i64::from(n) * 101 - 60_000
}

fn amount(n: u32) -> String {
    let value = hundredths(n);
    format!("{}{}.{:02}", if value < 0 { "-" } else { "" }, value.abs() / 100, value.abs() % 100)
}

const LEFT: (u32, u32) = (0, 1000);
const RIGHT: (u32, u32) = (700, 1300);

fn parties() -> (Party, Party) {
    let (left, right) = pair();
    left.file("list.csv", &list(LEFT.0, LEFT.1));
    right.file("list.csv", &list(RIGHT.0, RIGHT.1));
    (left, right)
}

/// The numbers in the e-mail addresses of a file, row by row.
fn keys(csv: &str, column: usize) -> Vec<Option<u32>> {
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_bytes());
    let number = |text: &str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    reader.records().map(|row| number(&row.expect("a row")[column])).collect()
}

const KEY: [&str; 3] = ["list.csv", "--key", "email:email"];

fn command<'a>(operation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[operation], &KEY[..], more].concat()
}

#[test]
fn a_sum_is_exact_and_its_owner_alone_learns_it() {
    let (left, right) = parties();
    // Repeated rows of one key add up: 0.5 for each multiple of 7.
    let expected: i64 = (700..1000).map(|n| hundredths(n) + if n % 7 == 0 { 50 } else { 0 }).sum();
    let owner = command("sum", &["--value", "amount", "--value", "id", "--json"]);
    let refused = right
        .run(&command("sum", &["--value", "note", "--connect", "127.0.0.1:1", "--peer", "left"]));
    assert_eq!(code(&refused), 2, "a note is no number: {}", stderr(&refused));
    assert!(!stderr(&refused).contains("a, 7"), "no value is shown");
    let owner_list = list(LEFT.0, LEFT.1).replace("again ", "").replace("nobody ", "");
    left.file("list.csv", &owner_list);
    let (one, two) = meet(&left, &owner, &right, &command("sum", &["--json"]));
    let (one, two) = (object(&one), object(&two));
    let ids: u32 = (700..1000).map(|n| if n % 7 == 0 { 2 * n } else { n }).sum();
    let text = format!("{}.{:02}", expected / 100, expected % 100);
    assert_eq!(
        one["result"],
        json!({ "count": 300, "sum": { "amount": text, "id": ids.to_string() } })
    );
    assert_eq!(two["result"]["count"], 300);
    assert_eq!(two["result"]["sum"], Value::Null);
    assert_eq!((&one["role"], &two["role"]), (&json!("sender"), &json!("receiver")));
    let learned = one["learned"].as_str().expect("a sentence");
    assert!(learned.contains("the sums of your values"), "{learned}");
}

#[test]
fn a_sum_prints_its_numbers_and_one_side_must_own_values() {
    let (left, right) = parties();
    left.file(
        "list.csv",
        "email,v\nuser700@example.com,-0.10\nuser1@example.com,5\nUser701@example.com,0.30\n",
    );
    let (one, two) = meet(&left, &command("sum", &["--value", "v"]), &right, &command("sum", &[]));
    assert_eq!(String::from_utf8_lossy(&one.stdout), "count\t2\nv\t0.20\n", "{}", stderr(&one));
    assert_eq!(String::from_utf8_lossy(&two.stdout), "count\t2\n");
    let (one, two) = meet(&left, &command("sum", &[]), &right, &command("sum", &[]));
    assert_eq!((code(&one), code(&two)), (3, 3));
    assert!(stderr(&one).contains("--value"), "{}", stderr(&one));
}

#[test]
fn a_union_brings_the_rows_that_one_lacks() {
    let (left, right) = parties();
    let mine = command("union", &["-o", "all.csv", "--json"]);
    let theirs = command("union", &["-o", "all.csv", "--send", "note", "--send", "id", "--json"]);
    let (one, two) = meet(&left, &mine, &right, &theirs);
    let (one, two) = (object(&one), object(&two));
    assert_eq!(one["result"], json!({ "count": 1300, "matches": 300, "received": 300 }));
    assert_eq!(two["result"], json!({ "count": 1300, "matches": 300, "received": 700 }));

    let all = left.read("all.csv");
    assert!(all.starts_with(&list(LEFT.0, LEFT.1)), "own rows stay byte for byte");
    let received = &keys(&all, 1)[keys(&list(LEFT.0, LEFT.1), 1).len()..];
    let received: BTreeSet<u32> = received.iter().map(|key| key.expect("a key")).collect();
    assert_eq!(received, (1000..1300).collect());
    assert!(
        all.contains("\n1234,user1234@example.com,,\"a, 1234\"\n"),
        "cells go to their columns"
    );
    let received = &keys(&right.read("all.csv"), 1)[keys(&list(RIGHT.0, RIGHT.1), 1).len()..];
    let received: BTreeSet<u32> = received.iter().map(|key| key.expect("a key")).collect();
    assert_eq!(received, (0..700).collect());
}

#[test]
fn a_union_can_be_for_one_side_alone() {
    let (left, right) = parties();
    let mine = command("union", &["--learn", "me"]);
    let (one, two) = meet(&left, &mine, &right, &command("union", &["--learn", "peer"]));
    assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
    assert_eq!(
        String::from_utf8_lossy(&one.stdout).lines().count(),
        list(0, 1000).lines().count() + 300
    );
    assert!(two.stdout.is_empty());
    assert!(
        stderr(&two).contains("left learns: your rows whose keys it lacks"),
        "{}",
        stderr(&two)
    );
}

#[test]
fn aligned_lists_share_identifiers_and_nothing_else() {
    let (left, right) = parties();
    let args = command("align", &["-o", "out.csv", "--json"]);
    let (one, two) = meet(&left, &args, &right, &args);
    assert_eq!(object(&one)["result"], json!({ "count": 1300, "matches": 300, "received": 300 }));
    assert_eq!(object(&two)["result"], json!({ "count": 1300, "matches": 300, "received": 700 }));
    let read = |party: &Party| {
        let text = party.read("out.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().expect("a header").get(4), Some("veilset_id"));
        let mut own: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        let mut all = BTreeSet::new();
        for row in reader.records().map(|row| row.expect("a row")) {
            let id = row[4].to_owned();
            if row[0].starts_with("nobody") {
                assert_eq!(id, "", "a row without a key has no identifier");
                continue;
            }
            assert_eq!(id.len(), 32);
            all.insert(id.clone());
            if row[1].is_empty() {
                assert_eq!(row.iter().filter(|cell| !cell.is_empty()).count(), 1);
            } else {
                let digits: String = row[1].chars().filter(char::is_ascii_digit).collect();
                own.entry(digits.parse().expect("a number")).or_default().insert(id);
            }
        }
        assert!(own.values().all(|ids| ids.len() == 1), "one identifier a key");
        let own: BTreeMap<u32, String> =
            own.into_iter().filter_map(|(key, ids)| Some((key, ids.into_iter().next()?))).collect();
        (own, all)
    };
    let ((left_own, left_all), (right_own, right_all)) = (read(&left), read(&right));
    assert_eq!((left_own.len(), right_own.len(), left_all.len()), (1000, 600, 1300));
    assert_eq!(left_all, right_all, "both have the identifiers of the union");
    for (key, id) in &left_own {
        assert_eq!(right_own.get(key), (*key >= 700).then_some(id));
    }
}

/// The words of a file of shares: indicator and value of each position, and the row where the file tells.
fn shares(csv: &str, xor: bool) -> Vec<(Vec<u128>, Option<usize>)> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    assert_eq!(header.iter().take(2).collect::<Vec<_>>(), ["position", "indicator"]);
    let row_at = header.iter().position(|name| name == "source_row");
    let word = |text: &str| {
        if xor { u128::from_str_radix(text, 16) } else { text.parse() }.expect("a word")
    };
    let rows = reader.records().enumerate().map(|(position, row)| {
        let row = row.expect("a row");
        assert_eq!(row[0].parse(), Ok(position));
        let words = row.iter().take(row_at.unwrap_or(row.len())).skip(1).map(word).collect();
        (words, row_at.map(|column| row[column].parse().expect("a row number")))
    });
    rows.collect()
}

#[test]
fn shares_make_the_indicator_and_the_values() {
    for (encoding, xor) in [("additive", false), ("xor", true)] {
        let (left, right) = parties();
        let mine = command("share", &["--value", "amount", "--shares", encoding, "-o", "mine.csv"]);
        let theirs = command("share", &["--shares", encoding, "-o", "theirs.csv"]);
        let (one, two) = meet(&left, &mine, &right, &theirs);
        assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
        let mine = shares(&left.read("mine.csv"), xor);
        let theirs = shares(&right.read("theirs.csv"), xor);
        assert_eq!((mine.len(), theirs.len()), (1000, 1000));
        let rows = keys(&left.read("list.csv"), 1);
        let mut seen = BTreeSet::new();
        for ((one, row), (two, _)) in mine.iter().zip(&theirs) {
            let n = rows[row.expect("the owner knows its rows") - 1].expect("a key");
            assert!(seen.insert(n));
            let make =
                |(a, b): (&u128, &u128)| if xor { a ^ b } else { a.wrapping_add(*b) } as i128;
            let secret: Vec<i128> = one.iter().zip(two).map(make).collect();
            let value = i128::from(hundredths(n)) + if n.is_multiple_of(7) { 50 } else { 0 };
            assert_eq!(secret, if n >= 700 { [1, value] } else { [0, 0] }, "{n}");
        }
    }
}

#[test]
fn empty_lists_are_lists() {
    for operation in ["sum", "union", "share", "align", "count", "intersect"] {
        let (left, right) = parties();
        right.file("list.csv", "id,email,amount,note\n1,,2,\n");
        let values: &[&str] =
            if matches!(operation, "sum" | "share") { &["--value", "amount"] } else { &[] };
        let (one, two) = meet(&left, &command(operation, values), &right, &command(operation, &[]));
        assert_eq!(
            (code(&one), code(&two)),
            (0, 0),
            "{operation} {}{}",
            stderr(&one),
            stderr(&two)
        );
        let (one, two) = meet(&left, &command(operation, &[]), &right, &command(operation, values));
        assert_eq!(
            (code(&one), code(&two)),
            (0, 0),
            "{operation} {}{}",
            stderr(&one),
            stderr(&two)
        );
    }
}

#[test]
fn groups_and_digests_are_terms() {
    let (left, right) = parties();
    let named = ["--group", "p256", "--digest", "bloom", "--json"];
    let mine = command("count", &named);
    let (one, two) = meet(&left, &mine, &right, &mine);
    for end in [object(&one), object(&two)] {
        assert_eq!((&end["group"], &end["digest"]), (&json!("p256"), &json!("bloom")));
        assert_eq!(end["result"]["count"], 300);
    }
    assert!(stderr(&one).contains("protocol mqrpmt-dh on p256, sets bloom"), "{}", stderr(&one));
    let other = command("count", &["--group", "curve25519", "--digest", "sorted"]);
    let (one, two) = meet(&left, &mine, &right, &other);
    assert_eq!((code(&one), code(&two)), (3, 3));
    for end in [one, two] {
        let said = stderr(&end);
        assert!(said.contains("group: here") && said.contains("; digest: here"), "{said}");
    }
}

#[test]
fn what_one_side_alone_asks_for_is_refused_on_both_without_somebody_to_ask() {
    let (left, right) = parties();
    for flags in [
        &["--protocol", "mqrpmt-dh-intersect"][..],
        &["--protocol", "fnp-binned"],
        &["--group", "ffdhe2048"],
    ] {
        let (plain, asks) = (command("intersect", &[]), command("intersect", flags));
        let (one, two) = meet(&left, &plain, &right, &asks);
        let (three, four) = meet(&left, &asks, &right, &plain);
        for (asked, asking) in [(one, two), (four, three)] {
            assert_eq!((code(&asked), code(&asking)), (3, 3), "{flags:?}");
            let flags = flags.join(" ");
            let (asked, asking) = (stderr(&asked), stderr(&asking));
            assert!(asked.contains(&format!("run again with {flags},")), "{asked}");
            assert!(asking.contains(&format!("the peer did not take {flags},")), "{asking}");
        }
    }
    let asks = command("intersect", &["--protocol", "mqrpmt-dh-intersect"]);
    let (one, two) = meet(&left, &asks, &right, &asks);
    assert_eq!((code(&one), code(&two)), (0, 0), "{}", stderr(&one));
}

#[test]
fn the_prime_is_a_term() {
    let (left, right) = parties();
    let file = root().join("vectors/rfc3526-group14.txt").display().to_string();
    let given = ["--json", "--protocol", "rt21-ffdh", "--security", "malicious", "--prime", &file];
    let side = |learn, flags| [&command("intersect", &["--learn", learn])[..], flags].concat();
    let (one, two) = meet(&left, &side("me", &given), &right, &side("peer", &given));
    let ends = [object(&one), object(&two)];
    assert_eq!(ends[0]["result"]["count"], 300);
    assert!(ends[0]["group"].as_str().is_some_and(|name| name.starts_with("safe-prime-")));
    assert_eq!(ends[0]["group"], ends[1]["group"]);

    let (one, two) = meet(&left, &side("me", &given), &right, &side("peer", &given[..5]));
    assert_eq!((code(&one), code(&two)), (3, 3));
    assert!(stderr(&two).contains("--prime"), "{}", stderr(&two));

    let flags =
        command("intersect", &["--prime", "list.csv", "--connect", "::1:9", "--peer", "right"]);
    let refused = left.run(&flags);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("hexadecimal digit"), "{}", stderr(&refused));
}

#[test]
fn flooding_is_a_term() {
    let (left, right) = parties();
    let given = ["--json", "--protocol", "fhe", "--learn", "both"];
    let side = |flags: &[&'static str]| command("intersect", &[&given[..], flags].concat());
    for (flags, theirs, flooding) in [
        (&["--flooding", "on"][..], &["--flooding", "on"][..], "on"),
        (&["--flooding", "off"], &[], "off"),
        (&[], &[], "off"),
    ] {
        let (one, two) = meet(&left, &side(flags), &right, &side(theirs));
        let ends = [object(&one), object(&two)];
        for end in &ends {
            Schema::load().check("run", end);
            assert_eq!(
                (&end["result"]["count"], &end["flooding"]),
                (&300.into(), &flooding.into())
            );
        }
    }
    let (one, two) = meet(&left, &side(&["--flooding", "on"]), &right, &side(&[]));
    assert_eq!((code(&one), code(&two)), (3, 3));
    assert!(stderr(&two).contains("flooding (--flooding): here nothing, at the peer on"));

    let plan = ["plan", "--operation", "count", "--rows", "9", "--peer-rows", "9"];
    let refused = left.run(&[&plan[..], &["--flooding", "on"]].concat());
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("digest: any; flooding: on)"), "{}", stderr(&refused));
}

#[test]
fn what_leaks_is_said_before_the_run() {
    let (left, right) = parties();
    let (one, _) = meet(&left, &command("union", &[]), &right, &command("union", &[]));
    assert!(stderr(&one).contains("sees from its size how many keys match"), "{}", stderr(&one));
    let (one, _) = meet(&left, &command("count", &[]), &right, &command("count", &[]));
    assert!(stderr(&one).contains("repeated runs over slightly different lists reveal members"));
}
