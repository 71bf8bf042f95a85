//! The result of an alignment in the form of ADMAP.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use veilset_stage::{Party, code, commands, root, stderr};

use crate::support::{ANY, PROGRAM, meet, pair};

const ALIGN: [&str; 4] = ["align", "list.csv", "--key", "email:email-ascii-sha256"];

fn parties() -> (Party, Party) {
    let (left, right) = pair();
    // One side may have the digest of an address alone.
    let digest = "f48e0a4a2f4e2e0a4e4b0d6a6a5ff4c1a9c8e3a7b7dcf0b0d2d9a1c0a4f1b3d5";
    left.file(
        "list.csv",
        &format!(
            "email,n\nAnn@Example.org,1\n,2\nben@example.org ,3\nANN@example.org,4\n{digest},5\n"
        ),
    );
    right.file(
        "list.csv",
        &format!("email\neve@example.org\n{}\n ann@EXAMPLE.org\n", digest.to_uppercase()),
    );
    (left, right)
}

/// The Space ID of a file, which all rows have, and the ADMAP ID of each key value.
fn mapping(party: &Party) -> (String, BTreeMap<String, String>) {
    let text = party.read("out.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().expect("a header"), vec!["Key Value", "ADMAP ID", "Space ID"]);
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    let spaces: BTreeSet<String> = rows.iter().map(|row| row[2].to_owned()).collect();
    let [space] = &spaces.into_iter().collect::<Vec<_>>()[..] else { panic!("one space: {text}") };
    let ids: BTreeMap<String, String> =
        rows.iter().map(|row| (row[0].to_owned(), row[1].to_owned())).collect();
    assert_eq!(ids.len(), rows.len(), "each key value once");
    assert_eq!(ids.values().collect::<BTreeSet<_>>().len(), rows.len(), "each id once");
    assert!(ids.iter().all(|(key, id)| key.len() == 64 && id.len() == 32));
    (space.clone(), ids)
}

#[test]
fn each_key_has_an_id_that_both_sides_have_where_it_matches() {
    let (left, right) = parties();
    let more = ["--format", "admap", "-o", "out.csv", "--force"];
    let mine = [&ALIGN[..], &more].concat();
    let named = [&mine[..], &["--space-id", "campaign 7"]].concat();
    for (line, name) in [(&mine, None), (&named, Some("campaign 7"))] {
        let (one, two) = meet(&left, line, &right, line);
        assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
        let ((space, ours), (same, theirs)) = (mapping(&left), mapping(&right));
        assert_eq!(space, same);
        assert!(name.map_or(space.len() == 32, |name| name == space), "{space}");
        assert_eq!((ours.len(), theirs.len()), (3, 3));
        // Of ann@example.org and the digest; the others are each side's alone.
        let common: Vec<&String> = ours.keys().filter(|key| theirs.contains_key(*key)).collect();
        assert_eq!(common.len(), 2);
        assert!(common.iter().any(|key| key.starts_with(ANN)), "{common:?}");
        assert!(common.iter().all(|key| ours[*key] == theirs[*key]));
        let others = |ids: &BTreeMap<String, String>| -> BTreeSet<String> {
            ids.iter().filter(|(key, _)| !common.contains(key)).map(|(_, id)| id.clone()).collect()
        };
        assert!(others(&ours).is_disjoint(&others(&theirs)));
    }
}

/// The first digits of the SHA-256 of ann@example.org.
const ANN: &str = "438c4c7afe600cdf";

/// The texts of a kind in the vectors, each with its key value.
fn vectors(all: &Value, kind: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let rows = all[kind].as_array().expect("a list").iter();
    rows.map(|row| (text(&row["text"]), text(&row["key_value"]))).collect()
}

#[test]
fn key_values_are_those_of_the_vectors() {
    let all = fs::read_to_string(root().join("vectors/admap.json")).expect("there");
    let all: Value = serde_json::from_str(&all).expect("JSON");
    for (kind, preset) in [("email", "email-ascii-sha256"), ("phone", "phone-sha256")] {
        let (left, right) = pair();
        let texts = vectors(&all, kind);
        let list = |texts: &[(String, String)]| {
            let rows: String = texts.iter().map(|(text, _)| format!("\"{text}\"\n")).collect();
            format!("k\n{rows}")
        };
        left.file("list.csv", &list(&texts));
        right.file("list.csv", &list(&texts[..1]));
        let key = format!("k:{preset}");
        let line = ["align", "list.csv", "--key", &key, "--format", "admap", "-o", "out.csv"];
        let (one, two) = meet(&left, &line, &right, &line);
        assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
        let ((_, ours), (_, theirs)) = (mapping(&left), mapping(&right));
        let first = texts[0].1.clone();
        assert_eq!(theirs.keys().collect::<Vec<_>>(), [&first]);
        assert_eq!(ours[&first], theirs[&first]);
        assert!(kind == "phone" || all["published"][kind] == first.as_str());
        let expected: BTreeSet<String> = texts.into_iter().map(|(_, value)| value).collect();
        assert_eq!(ours.keys().cloned().collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn several_columns_are_no_key_value() {
    let (left, _) = parties();
    let line = "align list.csv --key email:email-ascii-sha256,n --format admap --peer right --connect 127.0.0.1:1";
    let output = left.run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("ADMAP has one key value in a row"), "{}", stderr(&output));
    let line = "align list.csv --key email --space-id 7 --peer right --connect 127.0.0.1:1";
    assert_eq!(code(&left.run(&line.split(' ').collect::<Vec<_>>())), 2);
}

#[test]
fn the_command_on_the_page_of_partners_runs() {
    let (you, acme) = Party::pair(PROGRAM, "you", "acme");
    for party in [&you, &acme] {
        party.file("customers.csv", "email\nann@example.org\n");
    }
    let page = commands("docs/interop.md", "veilset");
    let line = page.iter().find(|line| line.contains("admap")).expect("a command");
    let line = line.replace(" --listen 0.0.0.0:7000 --peer acme", "");
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let mut listening = you.start(&[&words[..], &["--listen", ANY, "--peer", "acme"]].concat());
    let address = listening.address();
    let connected = acme.run(&[&words[..], &["--connect", &address, "--peer", "you"]].concat());
    let listened = listening.output();
    assert_eq!((code(&listened), code(&connected)), (0, 0), "{}", stderr(&listened));
    assert_eq!(you.read("mapping.csv"), acme.read("mapping.csv"), "the same key");
}
