//! Three processes, three files, one answer that all learn.

use std::cmp::Reverse;
use std::process::Output;

use veilset::party::PublicKey;
use veilset_stage::{NOBODY, Party, Running, code, commands, stderr};

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

/// All three, each with its own flags beside `--listen` and `--peer`. The one with the largest key comes first and the one
/// with the smallest last, since a party waits for those with smaller keys and goes to the others: so each of these is told
/// where the ones before it wait, and nobody goes to the address that stands for the ones after it.
fn meet(parties: &[Party; 3], operation: &str, flags: [&[&str]; 3]) -> Vec<Output> {
    let mut order = [0, 1, 2];
    order.sort_by_key(|own| Reverse(parties[*own].key.parse::<PublicKey>().expect("a key")));
    let mut addresses = [NOBODY; 3].map(str::to_owned);
    let mut running = [const { None }; 3];
    for (place, own) in order.into_iter().enumerate() {
        let others = (0..3).filter(|other| *other != own);
        let others = others.flat_map(|other| {
            ["--peer".to_owned(), format!("{}@{}", NAMES[other], addresses[other])]
        });
        let others: Vec<String> = others.collect();
        let mut args = vec![operation, "list.csv", "--listen", ANY, "--deadline", "60s"];
        args.extend(others.iter().map(String::as_str));
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
    let to_stdout = [&KEY[..], &["--protocol", "ks-parties"]].concat();
    let to_file = [&to_stdout[..], &["--json", "-o", "out.csv"]].concat();
    let outputs = meet(&parties, "intersect", [&to_file, &to_stdout, &to_file]);
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

/// Two of three learn; the receipt of each has all three signatures.
#[test]
fn those_learn_who_are_named_and_all_sign() {
    let parties = parties();
    let common = [
        "--key",
        "email:email",
        "--protocol",
        "leader-pivot",
        "--json",
        "-o",
        "out.csv",
        "--least",
        "6",
    ];
    let seats = [
        &["--learner", "me", "--learner", "eve", "--leader", "me", "--pivot", "bob"],
        &["--learner", "ann", "--learner", "eve", "--leader", "ann", "--pivot", "me"],
        &["--learner", "ann", "--learner", "me", "--leader", "ann", "--pivot", "bob"],
    ];
    let flags = seats.map(|seats| [&common[..], &seats[..]].concat());
    let outputs = meet(&parties, "intersect", [&flags[0], &flags[1], &flags[2]]);
    for output in &outputs {
        assert_eq!(code(output), 0, "{}", stderr(output));
    }
    let expected = list([22, 25, 28, 31, 34, 37].into_iter());
    assert_eq!(parties[0].read("out.csv"), expected);
    assert_eq!(parties[2].read("out.csv"), expected);
    assert!(!parties[1].files().contains(&"out.csv".to_owned()));
    let said = stderr(&outputs[1]);
    // In the order of their keys.
    let learn = ["ann and eve", "eve and ann"].map(|who| {
        format!("You learn: nothing but the numbers of distinct keys. {who} learn: which of")
    });
    assert!(learn.iter().any(|learn| said.contains(learn)), "{said}");
    let nothing = "you are not to learn the result: no output file will be written";
    assert!(said.contains(nothing), "{said}");
    assert!(
        said.contains("The leader is ann and the pivot you: these two must not pool"),
        "{said}"
    );
    assert!(said.contains("you were not to learn it"), "{said}");
    let objects: Vec<_> = outputs.iter().map(json).collect();
    let schema = Schema::load();
    objects.iter().for_each(|object| schema.check("several", object));
    assert_eq!(objects[1]["learn"], "peer");
    let run = objects[0]["run"].as_str().expect("an id");
    for (party, object) in parties.iter().zip(&objects) {
        assert_eq!(
            object["receipt"],
            serde_json::json!({ "digest": objects[0]["receipt"]["digest"], "signed": true })
        );
        let verified = party.run(&["receipt", "verify", run]);
        let said = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert!(said.contains("all 3 parties signed the statement"), "{said}{}", stderr(&verified));
    }
}

/// What the page says, by the party that the reader is.
#[test]
fn the_command_on_the_page_of_several_parties_runs() {
    let reader = party();
    reader.pin("bank", &party());
    reader.pin("shop", &party());
    reader.file("list.csv", &list(0..40));
    let commands = commands("docs/use/several.md", "veilset");
    let [command, overlaps] = &commands[..] else { panic!("{commands:?}") };
    let shape = "veilset intersect list.csv --key email:email --listen 0.0.0.0:7000 --peer bank@bank.example:7000 --peer shop@shop.example:7000";
    assert_eq!(command, shape);
    let words = |text: &str| {
        let text = text.replace("bank@bank.example:7000", &format!("bank@{NOBODY}"));
        let text = text
            .replace("shop@shop.example:7000", &format!("shop@{NOBODY}"))
            .replace("0.0.0.0:7000", ANY);
        text.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // It waits for those with smaller keys, or goes to those with larger ones, who are nowhere.
    let output = reader.run(&[&words[..], &["--deadline", "1s"]].concat());
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    let words: Vec<&str> = overlaps.split(' ').skip(1).collect();
    let nowhere = format!("ws://{NOBODY}");
    let words: Vec<&str> = words
        .into_iter()
        .map(|word| if word == "wss://relay.example" { nowhere.as_str() } else { word })
        .collect();
    let output = reader.run(&[&words[..], &["--deadline", "1s"]].concat());
    assert_eq!(code(&output), 4, "{}", stderr(&output));
}

#[test]
fn too_small_a_result_is_withheld_from_all() {
    let parties = parties();
    let flags = [&KEY[..], &["--least", "7"]].concat();
    for output in meet(&parties, "intersect", [&flags, &flags, &flags]) {
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(output.stdout.is_empty());
        assert!(stderr(&output).contains("fewer than 7 matches"), "{}", stderr(&output));
    }
}

#[test]
fn all_count_what_all_have_without_seeing_which() {
    let parties = parties();
    for output in meet(&parties, "count", [&KEY, &KEY, &KEY]) {
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "6\n");
        let said = stderr(&output);
        assert!(said.contains("6 distinct keys are in all 3 lists"), "{said}");
    }
}

/// A rule refuses before anybody is met, also where only some learn; one about who learns does once that is agreed on.
#[test]
fn rules_hold_among_several_parties() {
    let parties = parties();
    let others = ["--peer", "bob@127.0.0.1:1", "--peer", "eve@127.0.0.1:2"];
    let alone = [&["intersect", "list.csv", "--listen", ANY], &KEY[..], &others].concat();
    for (rule, more) in [
        ("own-most = 39", &["--learner", "me"][..]),
        ("operations = [\"count\"]", &["--learner", "bob"]),
        ("protocols = [\"leader-pivot\"]", &["--protocol", "all-but-one"]),
        ("learn = [\"me\"]", &[]),
    ] {
        parties[0].file("home/policy.toml", &format!("{rule}\n"));
        let output = parties[0].run(&[&alone[..], more].concat());
        assert_eq!(code(&output), 6, "{rule}: {}", stderr(&output));
        assert!(!stderr(&output).contains("meeting"), "{rule}: {}", stderr(&output));
    }
    parties[0].file("home/policy.toml", "learn = [\"me\"]\n");
    let seats = [&["--learner", "me"][..], &["--learner", "ann"], &["--learner", "ann"]];
    let flags = seats.map(|seats| [&KEY[..], seats].concat());
    let outputs = meet(&parties, "intersect", [&flags[0], &flags[1], &flags[2]]);
    assert_eq!(outputs.iter().map(code).collect::<Vec<_>>(), [0, 0, 0], "{}", stderr(&outputs[0]));
    let seats = [&["--learner", "bob"][..], &["--learner", "me"], &["--learner", "bob"]];
    let flags = seats.map(|seats| [&KEY[..], seats].concat());
    let outputs = meet(&parties, "intersect", [&flags[0], &flags[1], &flags[2]]);
    assert_eq!(code(&outputs[0]), 6, "{}", stderr(&outputs[0]));
    assert!(outputs.iter().all(|output| output.stdout.is_empty()));
}

/// Numbers of each two and of all, in words, in JSON and as a picture.
#[test]
fn all_see_how_much_each_two_have_in_common() {
    let parties = parties();
    let picture = [&KEY[..], &["--picture", "shared.svg"]].concat();
    let as_json = [&KEY[..], &["--json"]].concat();
    let outputs = meet(&parties, "overlaps", [&picture, &as_json, &KEY]);
    for output in &outputs {
        assert_eq!(code(output), 0, "{}", stderr(output));
    }
    let lines = String::from_utf8_lossy(&outputs[0].stdout).into_owned();
    let mut counts = Vec::new();
    for line in lines.lines() {
        let (names, count) = line.split_once('\t').expect("two columns");
        let mut names: Vec<&str> =
            names.split(", ").flat_map(|names| names.split(" and ")).collect();
        names.sort_unstable();
        counts.push((names.join(" "), count.to_owned()));
    }
    counts.sort();
    // 20 to 39; 10, 13, … to 37; 22, 25, … to 49; and of these those up to 37.
    let expected = [("bob eve", "10"), ("bob eve you", "6"), ("bob you", "20"), ("eve you", "10")];
    assert_eq!(counts, expected.map(|(names, count)| (names.to_owned(), count.to_owned())));
    let svg = parties[0].read("shared.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("bob, 30 keys"), "{svg}");
    let object = json(&outputs[1]);
    Schema::load().check("several", &object);
    assert_eq!(object["result"]["count"], 6);
    assert_eq!(object["result"]["shared"].as_array().map(Vec::len), Some(4));
    let refused = parties[0].run(&[
        "overlaps",
        "list.csv",
        "--key",
        "email:email",
        "--listen",
        ANY,
        "--peer",
        "bob@127.0.0.1:1",
        "--peer",
        "eve@127.0.0.1:2",
        "--picture",
        "shared.svg",
    ]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("shared.svg"), "{}", stderr(&refused));
}

#[test]
fn parties_that_differ_stop_before_anything_is_computed() {
    let parties = parties();
    let raw = ["--key", "email:raw"];
    let outputs = meet(&parties, "intersect", [&KEY, &KEY, &raw]);
    assert!(outputs.iter().all(|output| code(output) == 3 && output.stdout.is_empty()));
    let said = stderr(&outputs[2]);
    assert!(said.contains("do not agree on the terms: key presets: here raw/1"), "{said}");
}

#[test]
fn flags_for_two_parties_are_refused() {
    let parties = parties();
    let others =
        ["--listen", "127.0.0.1:0", "--peer", "bob@127.0.0.1:1", "--peer", "eve@127.0.0.1:2"];
    for (command, more, expected) in [
        ("union", &[][..], "they compute intersect, count and overlaps"),
        ("intersect", &["--learn", "me"], "give --learner in place of --learn"),
        ("intersect", &["--protocol", "ks"], "no protocol of this name"),
        ("count", &["--protocol", "all-but-one"], "no protocol of this name"),
        ("intersect", &["--security", "malicious"], "leave out --security"),
        ("intersect", &["--group", "p256"], "leave out --group"),
        ("intersect", &["--learner", "dan"], "dan is none of the parties"),
        ("intersect", &["--leader", "me", "--pivot", "me"], "are two parties"),
        ("count", &["--leader", "bob", "--learner", "me"], "so it learns"),
        ("count", &["--noise", "epsilon=1,delta=1e-6"], "a count has no noise"),
        ("intersect", &["--peer", "bob@127.0.0.1:3"], "bob is named twice"),
        ("intersect", &["--peer", "dan@127.0.0.1:3"], "dan"),
        ("intersect", &["--peer", "bob"], "bob needs an address behind its name"),
        ("intersect", &["--peer", "@127.0.0.1:3"], "is no party"),
        ("intersect", &["--peer", "dan@127.0.0.1"], "127.0.0.1"),
        ("count", &["--key", "n"], "count by one"),
        ("overlaps", &["--key", "n"], "one --key"),
        ("intersect", &["--key", "n", "--learner", "me"], "leave out --learner"),
        ("intersect", &["--key", "n", "--match", "one-sided"], "--match"),
        ("intersect", &["--match", "tiers"], "--key for each key"),
        ("intersect", &["--send", "n"], "leave out --send"),
    ] {
        let args = [&[command, "list.csv"], &KEY[..], &others, more].concat();
        let output = parties[0].run(&args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    for way in [&["--connect", "127.0.0.1:1"], &["--listen", ANY]] {
        for seat in ["--learner", "--leader", "--pivot"] {
            let two =
                ["intersect", "list.csv", "--key", "email:email", "--peer", "bob", seat, "me"];
            let output = parties[0].run(&[&two[..], way].concat());
            assert_eq!(code(&output), 2, "{way:?} {seat}");
        }
    }
    let two = ["overlaps", "list.csv", "--key", "email:email", "--listen", ANY, "--peer", "bob"];
    let output = parties[0].run(&two);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("of three lists or more: give --peer"), "{}", stderr(&output));
    let alone = [&["intersect", "list.csv"], &KEY[..]].concat();
    let [bob, eve] = ["bob@127.0.0.1:1", "eve@127.0.0.1:2"];
    for (way, expected) in [
        (&["--peer", "bob"][..], "say how you meet bob"),
        (&["--peer", "bob", "--peer", "eve"], "say how you meet bob"),
        (&["--peer", bob, "--connect", "127.0.0.1:1"], "address once"),
        (&["--peer", bob, "--via", "ws://127.0.0.1:1"], "give bob by name alone"),
        (&["--peer", bob, "--peer", eve, "--connect", "127.0.0.1:1"], "nobody gives --connect"),
    ] {
        let output = parties[0].run(&[&alone[..], way].concat());
        assert_eq!(code(&output), 2, "{way:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

/// Two that both listen, and know where the other does, meet once, as every two of several do.
#[test]
fn of_two_that_listen_the_one_with_the_smaller_key_connects() {
    let parties = parties();
    let key = |at: usize| parties[at].key.parse::<PublicKey>().expect("a key");
    let (larger, smaller) = if key(0) > key(1) { (0, 1) } else { (1, 0) };
    let args = |peer: &str| {
        let args = ["count", "list.csv", "--key", "email:email", "--listen", ANY, "--peer", peer];
        args.map(str::to_owned)
    };
    let start = |own: usize, other: usize, address: &str| {
        let args = args(&format!("{}@{address}", NAMES[other]));
        parties[own].start(&args.each_ref().map(String::as_str))
    };
    let mut waiting = start(larger, smaller, NOBODY);
    let address = waiting.address();
    let outputs = [start(smaller, larger, &address), waiting].map(Running::output);
    for output in outputs {
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "20\n");
    }
    // Who has the peer's address alone goes there.
    let alone = format!("{}@{NOBODY}", NAMES[larger]);
    let args = ["count", "list.csv", "--key", "email:email", "--peer", &alone, "--deadline", "1s"];
    let output = parties[smaller].run(&args);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
}
