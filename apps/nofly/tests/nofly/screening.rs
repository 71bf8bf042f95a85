//! Screenings between two processes, and a list that changes under them.

use std::collections::BTreeSet;
use std::thread::{self, JoinHandle};

use serde_json::Value;
use veilset::net::Stop;
use veilset::registry::{Operation, PROTOCOLS};
use veilset::relay::{Limits, Options, Relay};
use veilset_stage::{NOBODY, PATIENCE, Party, code, stderr, stdout};

use crate::support::{SCREEN, pair, party, screen, serve};

/// Passengers `P0` to `P39`.
fn manifest() -> String {
    let rows: String = (0..40).map(|n| format!("{n},\"Doe, {n}\",P{n}\n")).collect();
    format!("seat,name,id\n{rows}")
}

/// A list of these passengers and many others.
fn list(passengers: &[usize]) -> String {
    let others: String = (1000..1030).map(|n| format!("P{n}\n")).collect();
    let listed: String = passengers.iter().map(|n| format!("P{n}\n")).collect();
    format!("id\n{others}{listed}")
}

/// An authority whose list has passengers 3 and 17, and an airline.
fn parties() -> (Party, Party) {
    let (authority, airline) = pair();
    authority.file("list.csv", &list(&[3, 17]));
    airline.file("manifest.csv", &manifest());
    (authority, airline)
}

/// The seats in the rows that were printed.
fn seats(csv: &str) -> Vec<usize> {
    let seat = |row: csv::StringRecord| row[0].parse().expect("a number");
    csv::Reader::from_reader(csv.as_bytes())
        .into_records()
        .map(|row| seat(row.expect("a row")))
        .collect()
}

/// What is withheld is not taken for a list with nobody on it.
#[test]
fn a_result_that_a_rule_withholds_is_no_result() {
    let (authority, airline) = parties();
    for party in [&authority, &airline] {
        party.file("home/policy.toml", "least = 3\n");
    }
    let mut server = serve(&authority, "airline", &[]);
    let address = server.address();
    let output = screen(&airline, &address, &["--output", "out.csv", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("fewer than 3 matches: the result is withheld"), "{said}");
    assert!(!said.contains("on the list"), "{said}");
    let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(
        (&object["result"]["count"], &object["result"]["withheld"]["fewer_than"]),
        (&Value::Null, &3.into())
    );
    assert!(!airline.files().contains(&"out.csv".to_owned()), "nothing is written");
    authority.file("list.csv", &list(&[3, 17, 20]));
    let output = screen(&airline, &address, &[]);
    assert_eq!(seats(&stdout(&output)), [3, 17, 20]);
}

/// A relay in this process, at this address, until it is stopped.
fn relay() -> (String, Stop, JoinHandle<()>) {
    let relay = Relay::bind("127.0.0.1:0").expect("a free port");
    let (url, stop) = (format!("ws://{}", relay.local_addr()), Stop::new());
    let options = Options {
        limits: Limits::default(),
        certificates: None,
        behind_proxy: false,
        metrics: None,
        page: None,
        threads: 1,
        grace: PATIENCE,
    };
    let stopping = stop.clone();
    let serve = move || relay.serve(&options, &stopping, &stopping, |_| ()).expect("it serves");
    (url, stop, thread::spawn(serve))
}

#[test]
fn screenings_go_over_a_relay_one_after_the_other() {
    let (authority, airline) = parties();
    let (url, stop, relaying) = relay();
    let flags = ["serve", "list.csv", "--key", "id", "--peer", "airline", "--via", &url];
    let mut server = authority.start(&flags);
    server.line_with("answering airline at ws://");
    for _ in 0..2 {
        let output = airline.run(&[&SCREEN[..], &["--deadline", "60s", "--via", &url]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(seats(&stdout(&output)), [3, 17]);
    }
    stop.stop();
    relaying.join().expect("no panic");
}

#[test]
fn a_changed_list_counts_from_the_next_screening_on() {
    let (authority, airline) = parties();
    let mut server = serve(&authority, "airline", &[]);
    let address = server.address();
    let screened = || {
        let output = screen(&airline, &address, &[]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        seats(&stdout(&output))
    };
    assert_eq!(screened(), [3, 17]);
    assert_eq!(code(&authority.run(&["add", "list.csv", "P5"])), 0);
    assert_eq!(screened(), [3, 5, 17]);
    assert_eq!(code(&authority.run(&["remove", "list.csv", "P3"])), 0);
    assert_eq!(screened(), [5, 17]);
    authority.file("list.csv", &list(&[39]));
    assert_eq!(screened(), [39], "whoever changed the file");
    authority.file("list.csv", "identity\nP1\n");
    assert_eq!(screened(), [39], "a list without its column is not taken");
    authority.file("list.csv", &list(&[0]));
    server.signal("HUP");
    server.line_with("31 rows, 31 distinct keys");
    assert_eq!(screened(), [0]);
    server.signal("INT");
    let (code, printed, said) = server.end();
    assert_eq!((code, printed.as_str()), (Some(0), ""));
    assert!(said.contains("stopped; complete screenings: 6"), "{said}");
    assert!(said.contains("stays in use"), "{said}");
    assert!(said.contains("airline learns: which of its rows match"), "{said}");
    assert!(!said.contains("P1") && !said.contains("Doe"), "the server never shows data: {said}");
}

#[test]
fn every_intersection_finds_the_same_rows() {
    let (authority, airline) = parties();
    let specs = PROTOCOLS.iter().map(|protocol| protocol.spec());
    let ids: Vec<_> =
        specs.filter(|spec| spec.operation == Operation::Intersect).map(|spec| spec.id).collect();
    assert!(ids.len() >= 5, "{ids:?}");
    for id in ids.into_iter().chain(["auto"]) {
        let mut server = serve(&authority, "airline", &["--threads", "1", "--protocol", id]);
        let address = server.address();
        let output = screen(&airline, &address, &["--protocol", id, "--threads", "1"]);
        assert_eq!(code(&output), 0, "{id}: {}", stderr(&output));
        assert_eq!(seats(&stdout(&output)), [3, 17], "{id}");
        assert!(stdout(&output).contains("3,\"Doe, 3\",P3\n"), "rows are as they were");
        server.signal("INT");
        assert_eq!(server.end().0, Some(0));
    }
}

#[test]
fn json_has_what_scripts_rely_on() {
    let (authority, airline) = parties();
    let mut server = serve(&authority, "airline", &[]);
    let output = screen(&airline, &server.address(), &["--json", "-o", "found.csv"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let object: Value = serde_json::from_str(&stdout(&output)).expect("one object");
    assert_eq!(object["operation"], "screen");
    assert_eq!(object["role"], "receiver");
    assert_eq!((&object["rows"], &object["peer_distinct"]), (&40.into(), &32.into()));
    assert_eq!(object["result"], serde_json::json!({ "count": 2, "rows": 2 }));
    let seconds = object["seconds"].as_object().expect("by sub-module");
    assert!(seconds.contains_key("agreement") && seconds.len() >= 3, "{seconds:?}");
    assert!(seconds.values().all(|time| time.as_f64().is_some_and(|time| time >= 0.0)));
    assert_eq!(seats(&airline.read("found.csv")), [3, 17]);
    let said = stderr(&output);
    assert!(said.contains("sub-module") && said.contains("agreement"), "{said}");
    assert!(
        said.contains("2 of 40 distinct keys are on the list, in 2 rows; written to found.csv")
    );
    server.signal("INT");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_stranger_gets_nothing_and_the_service_goes_on() {
    let (authority, airline) = parties();
    let stranger = party();
    stranger.pin("authority", &authority);
    stranger.file("manifest.csv", &manifest());
    let mut server = serve(&authority, "airline", &[]);
    let address = server.address();
    let refused = screen(&stranger, &address, &["-o", "found.csv"]);
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    assert_eq!((stdout(&refused), stranger.files()), (String::new(), files()));
    server.line_with("turned away");

    airline.pin("other", &stranger);
    let mut args = SCREEN;
    args[5] = "other";
    let wrong = airline.run(&[&args[..], &["--connect", &address, "-o", "found.csv"]].concat());
    assert_eq!(code(&wrong), 6, "{}", stderr(&wrong));
    assert_eq!(airline.files(), files());

    assert_eq!(seats(&stdout(&screen(&airline, &address, &[]))), [3, 17]);
    server.signal("INT");
    assert_eq!(server.end().0, Some(0));
}

/// What is in a party's folder when nothing was written.
fn files() -> Vec<String> {
    ["home", "manifest.csv"].map(str::to_owned).to_vec()
}

#[test]
fn terms_that_differ_and_large_manifests_are_refused_on_both_sides() {
    for (ours, theirs, exit, words) in [
        (&["--protocol", "dh"][..], &["--protocol", "rr22"][..], 3, "protocol"),
        (&[][..], &["--protocol", "ks-binned"][..], 3, "did not take --protocol ks-binned"),
        (&["--max-manifest", "39"][..], &[][..], 6, "declined"),
    ] {
        let (authority, airline) = parties();
        let mut server = serve(&authority, "airline", ours);
        let flags = [theirs, &["-o", "found.csv"]].concat();
        let output = screen(&airline, &server.address(), &flags);
        assert_eq!(code(&output), exit, "{}", stderr(&output));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
        assert_eq!(airline.files(), files());
        server.line_with("still answering");
        server.signal("TERM");
        let (code, _, said) = server.end();
        assert_eq!(code, Some(0));
        assert!(said.contains("complete screenings: 0"), "{said}");
    }
}

#[test]
fn bad_input_ends_before_anything_is_sent() {
    let (authority, airline) = parties();
    airline.file("found.csv", "mine\n");
    let run = |manifest: &str, key: &str, flags: &[&str]| {
        let args = ["screen", manifest, "--key", key, "--peer", "authority", "--deadline", "1s"];
        airline.run(&[&args[..], &["--connect", NOBODY], flags].concat())
    };
    for (output, exit, words) in [
        (run("none.csv", "id", &[]), 2, "there is no such file"),
        (run("manifest.csv", "seta", &[]), 2, "did you mean \"seat\"?"),
        (run("manifest.csv", "id", &["-o", "found.csv"]), 2, "found.csv"),
        (run("manifest.csv", "id", &["--json", "-o", "-"]), 2, "cannot share standard output"),
        (run("manifest.csv", "id", &["--protocol", "mqrpmt-dh"]), 2, "one of: dh"),
        (run("manifest.csv", "id", &[]), 4, NOBODY),
        (
            authority.run(&[
                "serve",
                "none.csv",
                "--key",
                "id",
                "--listen",
                "127.0.0.1:0",
                "--peer",
                "airline",
            ]),
            2,
            "there is no such file",
        ),
        (
            authority.run(&[
                "serve",
                "list.csv",
                "--key",
                "ids",
                "--listen",
                "127.0.0.1:0",
                "--peer",
                "airline",
            ]),
            2,
            "did you mean \"id\"?",
        ),
        (
            authority.run(&[
                "serve",
                "list.csv",
                "--key",
                "id",
                "--listen",
                "127.0.0.1:0",
                "--peer",
                "nobody",
            ]),
            2,
            "nobody",
        ),
    ] {
        let said = stderr(&output);
        assert_eq!(code(&output), exit, "{words}: {said}");
        assert!(said.contains(words) && said.contains("error: "), "{words}: {said}");
        // An error is all that is printed, and that as JSON alone.
        let printed = stdout(&output);
        let is_error = printed.starts_with("{\"schema\":1,") && printed.contains("\"error\":");
        assert!(printed.is_empty() || is_error && words.contains("standard output"), "{printed}");
    }
    assert_eq!(airline.read("found.csv"), "mine\n");
}

#[test]
fn edits_keep_the_rest_of_the_list() {
    let party = party();
    let run = |args: &[&str]| party.run(args);
    party.file("list.csv", "name,id\r\n\"Doe, J\", ab1 \r\nKim,CD2\r\n");
    let key = ["--key", "id:email"];
    let add = |value: &str| run(&[&["add", "list.csv", value], &key[..]].concat());
    assert!(stderr(&add("AB1")).contains("on the list already"));
    assert_eq!(code(&add("e,\"f")), 0);
    assert_eq!(
        party.read("list.csv"),
        "name,id\r\n\"Doe, J\", ab1 \r\nKim,CD2\r\n,\"e,\"\"f\"\r\n"
    );
    let removed = run(&[&["remove", "list.csv", "Ab1"], &key[..]].concat());
    assert_eq!(code(&removed), 0, "{}", stderr(&removed));
    assert_eq!(party.read("list.csv"), "name,id\r\nKim,CD2\r\n,\"e,\"\"f\"\r\n");
    let before = party.read("list.csv");
    for (args, words) in [
        (&["remove", "list.csv", "ZZ9", "--key", "id"][..], "no row of list.csv"),
        (&["add", "list.csv", "ZZ9"][..], "has 2 columns"),
        (&["add", "list.csv", "ZZ9", "--key", "id,name"][..], "one column"),
        (&["add", "list.csv", " ", "--key", "id:email"][..], "email/1"),
        (&["add", "none.csv", "ZZ9"][..], "there is no such file"),
    ] {
        let output = run(args);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains(words) && !said.contains("ZZ9"), "{words}: {said}");
        assert_eq!(party.read("list.csv"), before);
    }
    assert_eq!(party.files(), ["home", "list.csv"], "nothing is left over");
}

#[test]
fn edits_at_the_same_time_all_count() {
    let party = party();
    party.file("list.csv", "id\nP0");
    let start = |n: usize| party.command(&["add", "list.csv", &format!("P{n}")]).spawn();
    let edits: Vec<_> = (1..=12).map(|n| start(n).expect("it starts")).collect();
    for mut edit in edits {
        assert!(edit.wait().expect("it ends").success());
    }
    let text = party.read("list.csv");
    let found: BTreeSet<String> = text.lines().skip(1).map(str::to_owned).collect();
    assert_eq!(found, (0..=12).map(|n| format!("P{n}")).collect());
}
