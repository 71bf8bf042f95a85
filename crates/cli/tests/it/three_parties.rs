//! Three processes, three files, one answer that all learn.

use std::cmp::Reverse;
use std::process::Output;

use veilset::party::PublicKey;
use veilset_stage::{NOBODY, Party, Running, code, stderr};

use crate::support::schema::Schema;
use crate::support::{ANY, json, party};

const NAMES: [&str; 3] = ["ann", "bob", "eve"];

/// Three parties that have pinned one another; each has a list of addresses and numbers.
fn parties() -> [Party; 3] {
    let parties = [party(), party(), party()];
    for (own, party) in parties.iter().enumerate() {
        for (other, name) in NAMES.iter().enumerate().filter(|(other, _)| *other != own) {
            party.pin(name, &parties[other]);
        }
    }
    parties[0].file("list.csv", &list(0..40));
    parties[1].file("list.csv", &list(20..50));
    parties[2].file("list.csv", &list((10..60).step_by(3)));
    parties
}

fn list(numbers: impl Iterator<Item = usize>) -> String {
    let row = |n: usize| match n % 3 {
        0 => format!("User{n}@Example.com,{n}\n"),
        _ => format!("user{n}@example.com,{n}\n"),
    };
    format!("email,n\n{}", numbers.map(row).collect::<String>())
}

/// All three, each with its own flags beside `--listen` and `--with`. The one with the largest key comes first and the one
/// with the smallest last, since a party waits for those with smaller keys and goes to the others: so each of these is told
/// where the ones before it wait, and nobody goes to the address that stands for the ones after it.
fn meet(parties: &[Party; 3], flags: [&[&str]; 3]) -> Vec<Output> {
    let mut order = [0, 1, 2];
    order.sort_by_key(|own| Reverse(parties[*own].key.parse::<PublicKey>().expect("a key")));
    let mut addresses = [NOBODY; 3].map(str::to_owned);
    let mut running = [const { None }; 3];
    for (place, own) in order.into_iter().enumerate() {
        let with = (0..3).filter(|other| *other != own);
        let with = with.flat_map(|other| {
            ["--with".to_owned(), format!("{}@{}", NAMES[other], addresses[other])]
        });
        let with: Vec<String> = with.collect();
        let mut args = vec!["intersect", "list.csv", "--listen", ANY, "--deadline", "60s"];
        args.extend(with.iter().map(String::as_str));
        args.extend(flags[own]);
        let mut party = parties[own].start(&args);
        if place < 2 {
            addresses[own] = party.address();
        }
        running[own] = Some(party);
    }
    running.into_iter().flatten().map(Running::output).collect()
}

const KEY: [&str; 2] = ["--key", "email:email"];

#[test]
fn all_get_their_own_rows_that_all_have() {
    let parties = parties();
    let to_file = [&KEY[..], &["--json", "-o", "out.csv"]].concat();
    let outputs = meet(&parties, [&to_file, &KEY, &to_file]);
    for output in &outputs {
        assert_eq!(code(output), 0, "{}", stderr(output));
    }
    // 10, 13, … that lie between 20 and 39.
    let expected = list([22, 25, 28, 31, 34, 37].into_iter());
    assert_eq!(parties[0].read("out.csv"), expected);
    assert_eq!(parties[2].read("out.csv"), expected);
    assert_eq!(String::from_utf8(outputs[1].stdout.clone()).expect("text"), expected);
    let said = stderr(&outputs[1]);
    assert!(said.contains("You learn: which of your rows all 3 lists have. "), "{said}");
    assert!(said.contains("ann has 40 distinct keys"), "{said}");
    assert!(said.contains("6 of your 30 keys are in all 3 lists, in 6 rows"), "{said}");

    let (one, other) = (json(&outputs[0]), json(&outputs[2]));
    assert_eq!((&one["operation"], &one["protocol"]), (&"intersect".into(), &"ks-parties".into()));
    assert_eq!((&one["rows"], &one["distinct"]), (&40.into(), &40.into()));
    assert_eq!(one["result"], serde_json::json!({ "count": 6, "rows": 6 }));
    let peer = |object: &serde_json::Value, name: &str| {
        let peers = object["peers"].as_array().expect("a list").clone();
        peers.into_iter().find(|peer| peer["name"] == name).expect("a peer")
    };
    assert_eq!(peer(&one, "bob")["distinct"], 30);
    assert_eq!(peer(&one, "eve")["bytes_sent"], peer(&other, "ann")["bytes_received"]);
    assert_eq!(one["run"], other["run"]);
    let schema = Schema::load();
    for object in [&one, &other] {
        schema.check("several", object);
    }
    assert_eq!(peer(&one, "bob")["key"], parties[1].key);
    // What was told before the run is what the protocol sends; the way there and the agreement add some kilobytes.
    let told = stderr(&outputs[0]);
    let told = told.split(" kB sent and ").next().and_then(|told| told.rsplit(' ').next());
    let told: f64 = told.and_then(|told| told.parse().ok()).expect("kilobytes");
    let sent = one["bytes_sent"].as_f64().expect("bytes") / 1000.0;
    assert!(told < sent && sent < 2.0 * told, "{told} kB told, {sent} kB sent");
    // Key, sets, sums, decryption.
    assert_eq!(one["rounds"], 4);
    assert!(one["seconds"]["joint decryption"].as_f64().is_some());
}

#[test]
fn parties_that_differ_stop_before_anything_is_computed() {
    let parties = parties();
    let raw = ["--key", "email:raw"];
    let outputs = meet(&parties, [&KEY, &KEY, &raw]);
    assert!(outputs.iter().all(|output| code(output) == 3 && output.stdout.is_empty()));
    let said = stderr(&outputs[2]);
    assert!(said.contains("do not agree on the terms: key presets: here raw/1"), "{said}");
}

#[test]
fn flags_for_two_parties_are_refused() {
    let parties = parties();
    let with =
        ["--listen", "127.0.0.1:0", "--with", "bob@127.0.0.1:1", "--with", "eve@127.0.0.1:2"];
    for (command, more, expected) in [
        ("count", &[][..], "only intersect takes --with"),
        ("intersect", &["--learn", "me"], "leave out --learn"),
        ("intersect", &["--protocol", "ks"], "leave out --protocol"),
        ("intersect", &["--security", "malicious"], "leave out --security"),
        ("intersect", &["--with", "bob@127.0.0.1:3"], "names bob twice"),
        ("intersect", &["--with", "dan@127.0.0.1:3"], "dan"),
        ("intersect", &["--with", "bob"], "the party's name and its address"),
    ] {
        let args = [&[command, "list.csv"], &KEY[..], &with, more].concat();
        let output = parties[0].run(&args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let one = [&["intersect", "list.csv"], &KEY[..], &with[..4]].concat();
    let output = parties[0].run(&one);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("at least twice"), "{}", stderr(&output));
}
