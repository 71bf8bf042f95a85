//! The documentation is true: every `veilset` command in it runs.

mod support;

use std::fs;

use support::bucket::Bucket;
#[cfg(unix)]
use support::postgres::Postgres;
use support::{Party, code, free_address, root, stderr};

/// The lines of fenced blocks that begin with `veilset`, without their comments.
fn commands(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    text.split("```")
        .skip(1)
        .step_by(2)
        .flat_map(str::lines)
        .filter(|line| line.starts_with("veilset "))
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
        .collect()
}

fn words<'a>(command: &'a str, party: &'a Party, address: &'a str) -> Vec<&'a str> {
    command
        .split_whitespace()
        .skip(1)
        .map(|word| match word {
            "veilset1…" => party.key.as_str(),
            "0.0.0.0:7000" | "you.example:7000" => address,
            word => word,
        })
        .collect()
}

/// The same command for the other end.
fn mirrored<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mirror = |word: &&'a str| match *word {
        "--listen" => "--connect",
        "--connect" => "--listen",
        "acme" => "you",
        "you" => "acme",
        other => other,
    };
    words.iter().map(mirror).collect()
}

/// Runs a command of the reader, or acme's where its peer is the reader.
fn runs(reader: &Party, acme: &Party, command: &str) {
    let address = free_address();
    let words = words(command, acme, &address);
    let needs_peer = words.contains(&"--listen") || words.contains(&"--connect");
    let (own, other) = if words.contains(&"you") { (acme, reader) } else { (reader, acme) };
    let other = needs_peer.then(|| other.start(&mirrored(&words)));
    let output = own.run(&words);
    assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    if let Some(other) = other {
        let output = other.wait_with_output().expect("it ends");
        assert_eq!(code(&output), 0, "{command}, the other side: {}", stderr(&output));
    }
}

#[test]
fn every_command_in_the_readme_runs() {
    let (reader, acme) = (Party::new(), Party::new());
    assert!(acme.run(&["peer", "add", "you", &reader.key]).status.success());
    for party in [&reader, &acme] {
        party.file("customers.csv", "email,name\nann@example.org,Ann\nben@example.org,Ben\n");
    }
    let commands = commands("README.md");
    assert!(commands.len() >= 5, "the README shows the main commands");
    for command in commands {
        runs(&reader, &acme, &command);
    }
    assert!(reader.read("matches.csv").contains("ann@example.org"));
}

#[test]
fn the_commands_on_the_page_of_agree_run() {
    let (alice, bob) = (Party::new(), Party::new());
    assert!(alice.run(&["peer", "add", "bob", &bob.key]).status.success());
    assert!(bob.run(&["peer", "add", "alice", &alice.key]).status.success());
    for name in ["alice.ics", "bob.ics", "likes.txt"] {
        let path = format!("examples/agree/{name}");
        let text = fs::read_to_string(root().join(&path)).expect("the example is there");
        for party in [&alice, &bob] {
            fs::create_dir_all(party.path("examples/agree")).expect("writable");
            party.file(&path, &text);
        }
    }
    let address = free_address();
    let commands: Vec<String> = commands("docs/use/agree.md")
        .iter()
        .map(|command| {
            command.replace("0.0.0.0:7000", &address).replace("alice.example:7000", &address)
        })
        .collect();
    let [listening, connecting, plan] = commands.as_slice() else { panic!("three commands") };
    let listening = alice.start(&words(listening, &bob, &address));
    let connected = bob.run(&words(connecting, &alice, &address));
    let listening = listening.wait_with_output().expect("it ends");
    // Tuesday 11:00 in Berlin: tenth of Alice's slots and second of Bob's; no other pair of places adds up to less.
    for output in [&listening, &connected] {
        assert_eq!(code(output), 0, "{}", stderr(output));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, "2027-03-30T09:00:00Z\t2027-03-30T10:00:00Z\n");
    }
    assert!(stderr(&listening).contains("number 10 of your 23 slots"), "{}", stderr(&listening));
    assert!(stderr(&connected).contains("number 2 of your 16 slots"), "{}", stderr(&connected));
    assert_eq!(alice.read("meeting.ics").lines().count(), 11);
    let output = alice.run(&words(plan, &bob, &address));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn every_command_on_the_page_of_data_runs() {
    let (reader, acme) = Party::pair();
    let server = Postgres::start();
    server.run(
        "create table customers (email text, paid numeric); insert into customers values ('ann@example.org', 1)",
    );
    for party in [&reader, &acme] {
        party.file("customers.csv", "email,name,amount\nann@example.org,Ann,1.50\n");
        party.file("others.csv", "email\nann@example.org\nben@example.org\n");
        fs::create_dir_all(party.path("exports")).expect("writable");
        party.file("exports/1.ndjson", "{\"email\":\"ann@example.org\"}\n");
    }
    let bucket = Bucket::start();
    bucket.put("customers.csv", "email,name\nann@example.org,Ann\n");
    bucket.put("exports/1.ndjson", "{\"email\":\"ann@example.org\"}\n");
    let listen = free_address();
    let shell = |party: &Party, command: &str| {
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_veilset")).display().to_string();
        let command = command
            .replacen("veilset", &program, 1)
            .replace("0.0.0.0:7000", &listen)
            .replace("postgresql://ann@db.example/shop", &server.address("ann"));
        let mut shell = party.shell(&command);
        bucket.known_to("ann", &mut shell);
        shell.env("PGPASSWORD", "open:sesame").spawn().expect("it starts")
    };
    let commands = commands("docs/use/data.md");
    assert_eq!(commands.len(), 10);
    for command in commands {
        let listening = shell(&reader, &command.replace("--peer acme", "--peer right"));
        let other = command.contains("--listen").then(|| {
            let other =
                command.replace("--peer acme", "--peer left").replace("--listen", "--connect");
            let other = other.replace("s3://lists/matches", "s3://lists/theirs");
            shell(&acme, &other)
        });
        for child in std::iter::once(listening).chain(other) {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        }
    }
}

#[test]
fn the_commands_on_the_page_of_lookup_run() {
    let (you, acme) = (Party::new(), Party::new());
    assert!(you.run(&["peer", "add", "acme", &acme.key]).status.success());
    assert!(acme.run(&["peer", "add", "you", &you.key]).status.success());
    you.file(
        "breached.csv",
        "email,source\nann@example.org,dump-2019\nben@example.org,dump-2021\n",
    );
    acme.file("customers.csv", "email,name\nANN@example.org,Ann\neve@example.org,Eve\n");
    let address = free_address();
    let commands: Vec<String> = commands("docs/use/lookup.md")
        .iter()
        .map(|command| command.replace("127.0.0.1:9100", "127.0.0.1:0"))
        .collect();
    let [build, serve, add, remove, one, file] = commands.as_slice() else {
        panic!("six commands")
    };
    let run = |party: &Party, command: &str| {
        let output = party.run(&words(command, &acme, &address));
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    run(&you, build);
    run(&you, add);
    run(&you, remove);
    let mut service = you.start(&words(serve, &acme, &address));
    let answer = run(&acme, one);
    run(&acme, file);
    service.kill().expect("it runs");
    service.wait().expect("it ends");
    assert_eq!(answer, "dump-2019\n");
    let listed =
        "email,name,veilset_label\nANN@example.org,Ann,dump-2019\neve@example.org,Eve,dump-2026\n";
    assert_eq!(acme.read("listed.csv"), listed);
}

#[test]
fn every_command_on_the_benchmarks_page_parses() {
    let party = Party::new();
    let pages = ["docs/results/benchmarks.md", "docs/results/papers.md"];
    for command in pages.into_iter().flat_map(commands) {
        let small = command
            .replace("2^16", "2^2")
            .replace("2^20", "2^3")
            .replace("bench timing", "bench timing --seconds 0.05");
        let output = party.run(&words(&small, &party, ""));
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
}

#[test]
fn every_command_on_the_page_of_scale_runs() {
    let party = Party::new();
    let commands = commands("docs/notes/scale.md");
    assert_eq!(commands.len(), 4);
    for command in commands {
        let small = command.replace("100_000,1_000_000,10_000_000", "2^4");
        let output = party.run(&words(&small, &party, ""));
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
}

#[test]
fn every_page_that_the_readme_names_is_there() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links {
        assert!(root().join(link).exists(), "{link}");
    }
}

#[test]
fn design_stays_short() {
    let design = fs::read_to_string(root().join("docs/DESIGN.md")).expect("there");
    let words = design.split_whitespace().count();
    assert!(words <= 2000, "{words} words");
}
