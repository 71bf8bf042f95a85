//! The documentation is true: every `veilset` command in it runs.

use std::fs;
use std::process::Output;

use veilset_stage::{Party, Running, code, root, stderr, stdout};

#[cfg(unix)]
use crate::support::{self, PROGRAM, bucket::Bucket, pair, postgres::Postgres};
use crate::support::{ANY, party};

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

/// The words of a command, with this party's key. A command that listens does so at any free port of this machine, one
/// that connects goes to `address`.
fn words<'a>(command: &'a str, party: &'a Party, address: &'a str) -> Vec<&'a str> {
    command
        .split_whitespace()
        .skip(1)
        .map(|word| match word {
            "veilset1…" => party.key.as_str(),
            "0.0.0.0:7000" => ANY,
            "you.example:7000" | "alice.example:7000" => address,
            word => word.trim_matches('\''),
        })
        .collect()
}

/// Both get the files of this folder, at the same path.
fn give_examples(parties: [&Party; 2], folder: &str) {
    for file in fs::read_dir(root().join(folder)).expect("the examples are there") {
        let file = file.expect("a file");
        if !file.path().is_file() {
            continue;
        }
        let text = fs::read_to_string(file.path()).expect("text");
        for party in parties {
            fs::create_dir_all(party.path(folder)).expect("writable");
            party.file(&format!("{folder}/{}", file.file_name().display()), &text);
        }
    }
}

/// The same command for the other end.
fn mirrored(command: &str) -> String {
    let mirror = |word| match word {
        "--listen" => "--connect",
        "--connect" => "--listen",
        "0.0.0.0:7000" => "you.example:7000",
        "you.example:7000" => "0.0.0.0:7000",
        "acme" => "you",
        "you" => "acme",
        other => other,
    };
    command.split(' ').map(mirror).collect::<Vec<_>>().join(" ")
}

/// Runs a command of the reader, or acme's where its peer is the reader; and the same on the other side, where it takes two.
fn runs(reader: &Party, acme: &Party, command: &str) {
    let is_acmes = command.split_whitespace().any(|word| word == "you");
    let (own, other) = if is_acmes { (acme, reader) } else { (reader, acme) };
    let mirror = mirrored(command);
    let runs = if command.contains("--listen") {
        both(own.start(&words(command, acme, "")), |address| {
            other.start(&words(&mirror, acme, address))
        })
    } else if command.contains("--connect") {
        both(other.start(&words(&mirror, acme, "")), |address| {
            own.start(&words(command, acme, address))
        })
    } else {
        return succeeds(command, &own.run(&words(command, acme, "")));
    };
    runs.into_iter().for_each(|run| succeeds(command, &run.output()));
}

fn succeeds(command: &str, output: &Output) {
    assert_eq!(code(output), 0, "{command}: {}", stderr(output));
}

/// One that listens, and the one that connects to its address.
fn both(mut listening: Running, connect: impl FnOnce(&str) -> Running) -> Vec<Running> {
    let address = listening.address();
    vec![listening, connect(&address)]
}

#[test]
fn every_command_in_the_readme_runs() {
    let (reader, acme) = (party(), party());
    acme.pin("you", &reader);
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
fn the_commands_on_the_page_of_configurations_run_and_its_file_is_read() {
    let reader = party();
    let page = fs::read_to_string(root().join("docs/use/config.md")).expect("the page is there");
    let file = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    reader.file("home/config.toml", file.expect("a file"));
    let commands = commands("docs/use/config.md");
    let [all, one] = commands.as_slice() else { panic!("two commands") };
    let shown = reader.run(&words(all, &reader, ""));
    succeeds(all, &shown);
    assert!(stdout(&shown).contains("wss://relay.example"), "{}", stdout(&shown));
    let completed = reader.run(&words(one, &reader, ""));
    let want = "veilset count --connect=acme.example:7000 '--reference=DPA 2026/17' --deadline=1h list.csv --key email:email --peer acme\n";
    assert_eq!(stdout(&completed), want, "{}", stderr(&completed));
}

#[test]
fn the_commands_on_the_page_of_organisations_change_a_key() {
    let (you, peer) = (party(), party());
    peer.pin("you", &you);
    let commands = commands("docs/use/organisations.md");
    let [next, add, switch, id] = commands.as_slice() else { panic!("four commands") };
    let printed = |command: &str| {
        let output = you.run(&words(command, &you, ""));
        succeeds(command, &output);
        stdout(&output).trim_end().to_owned()
    };
    let announced = printed(next);
    let add = add.replace("veilsetnext1…", &announced);
    succeeds(&add, &peer.run(&words(&add, &you, "")));
    assert_eq!(printed(switch), printed(id));
    let listed = stdout(&peer.run(&["peer", "list"]));
    assert_eq!(listed, format!("you {} {}\n", you.key, printed(id)));
}

#[test]
fn the_commands_on_the_page_of_agree_run() {
    let (alice, bob) = (party(), party());
    alice.pin("bob", &bob);
    bob.pin("alice", &alice);
    give_examples([&alice, &bob], "examples/agree");
    let commands = commands("docs/use/agree.md");
    let [listening, connecting, plan, one, other] = commands.as_slice() else {
        panic!("five commands")
    };
    let mut listening = alice.start(&words(listening, &bob, ""));
    let connected = bob.run(&words(connecting, &alice, &listening.address()));
    let listening = listening.output();
    // Tuesday 11:00 in Berlin: tenth of Alice's slots and second of Bob's; no other pair of places adds up to less.
    for output in [&listening, &connected] {
        assert_eq!(code(output), 0, "{}", stderr(output));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, "2027-03-30T09:00:00Z\t2027-03-30T10:00:00Z\n");
    }
    assert!(stderr(&listening).contains("number 10 of your 23 slots"), "{}", stderr(&listening));
    assert!(stderr(&connected).contains("number 2 of your 16 slots"), "{}", stderr(&connected));
    assert_eq!(alice.read("meeting.ics").lines().count(), 11);
    let output = alice.run(&words(plan, &bob, ""));
    assert_eq!(code(&output), 0, "{}", stderr(&output));

    let mut one = alice.start(&words(one, &bob, ""));
    let other = bob.run(&words(other, &alice, &one.address()));
    let one = one.output();
    assert_eq!((code(&one), code(&other)), (0, 0), "{}{}", stderr(&one), stderr(&other));
    assert_eq!(String::from_utf8_lossy(&one.stdout), "place,dish\nKrone,dumplings\n");
    assert_eq!(bob.read("lunch.csv"), "place,walk\nKrone,10\n");
}

#[test]
fn the_commands_on_the_page_of_linkage_run_and_give_what_it_shows() {
    let (clinic, registry) = (party(), party());
    clinic.pin("registry", &registry);
    registry.pin("clinic", &clinic);
    give_examples([&clinic, &registry], "examples/linkage");
    let commands = commands("docs/use/linkage.md");
    let [check, listening, connecting, counting, other] = commands.as_slice() else {
        panic!("five commands")
    };
    let checked = clinic.run(&words(check, &registry, ""));
    succeeds(check, &checked);
    let keys = String::from_utf8_lossy(&checked.stdout).matches("\nkey ").count();
    assert_eq!(keys, 3, "a look under each key");
    let mut listened = clinic.start(&words(listening, &registry, ""));
    let connected = registry.run(&words(connecting, &clinic, &listened.address()));
    let listened = listened.output();
    succeeds(listening, &listened);
    succeeds(connecting, &connected);
    let page = fs::read_to_string(root().join("docs/use/linkage.md")).expect("the page is there");
    let matches = clinic.read("matches.csv");
    assert!(page.contains(&matches), "{matches}");
    let by_key = "8 of your 9 rows match: 3 by key 1, 3 by key 2, 1 by key 3, 1 by key 4";
    assert!(stderr(&listened).contains(by_key), "{}", stderr(&listened));
    let matches = registry.read("theirs.csv");
    let keys = matches.lines().filter_map(|line| line.rsplit_once(';')).map(|(_, key)| key);
    assert_eq!(keys.collect::<Vec<_>>(), ["veilset_key", "1", "1", "2", "2", "3", "1", "4"]);
    let mut counted = clinic.start(&words(counting, &registry, ""));
    let counts = registry.run(&words(other, &clinic, &counted.address()));
    let counted = counted.output();
    succeeds(counting, &counted);
    succeeds(other, &counts);
    assert_eq!((stdout(&counted), stdout(&counts)), ("6\n".to_owned(), "6\n".to_owned()));
    assert!(page.contains("Both print 6"));
}

#[test]
fn the_commands_on_the_page_of_joins_run_and_give_what_it_shows() {
    let (north, south) = (party(), party());
    north.pin("south", &south);
    south.pin("north", &north);
    give_examples([&north, &south], "examples");
    let page = fs::read_to_string(root().join("docs/use/join.md")).expect("the page is there");
    let commands = commands("docs/use/join.md");
    let [listening, sending, missing, matching] = commands.as_slice() else {
        panic!("four commands")
    };
    for (one, other) in [(listening, sending), (missing, matching)] {
        let mut listened = north.start(&words(one, &south, ""));
        let connected = south.run(&words(other, &north, &listened.address()));
        let listened = listened.output();
        succeeds(one, &listened);
        succeeds(other, &connected);
    }
    let joined = north.read("joined.csv");
    let header = joined.lines().next().expect("a header");
    assert!(page.contains(&format!("\n{header}\n")), "{header}");
    let rows = |text: &str| text.lines().count() - 1;
    let all = rows(&fs::read_to_string(root().join("examples/north.csv")).expect("it is there"));
    assert_eq!(rows(&joined) + rows(&north.read("missing.csv")), all);
    let since = joined.lines().skip(1).map(|line| line.rsplit_once(',').expect("columns").1);
    assert!(since.into_iter().all(|date| date.len() == "2015-06-15".len()), "{joined}");
}

#[test]
fn the_commands_on_the_page_of_numbers_run_and_give_what_it_shows() {
    let [north, south, shop, bank] = [(); 4].map(|()| party());
    for (name, one, other_name, other) in
        [("north", &north, "south", &south), ("shop", &shop, "bank", &bank)]
    {
        one.pin(other_name, other);
        other.pin(name, one);
    }
    give_examples([&north, &south], "examples");
    give_examples([&shop, &bank], "examples/groups");
    let page = fs::read_to_string(root().join("docs/use/numbers.md")).expect("the page is there");
    let commands = commands("docs/use/numbers.md");
    let [
        counting,
        counted,
        adding,
        agreeing,
        crossing,
        lending_groups,
        multiplying,
        lending,
        asking,
        answering,
    ] = commands.as_slice()
    else {
        panic!("ten commands")
    };
    let run = |[one, other]: [&Party; 2], first: &str, second: &str| {
        let mut listened = one.start(&words(first, other, ""));
        let connected = other.run(&words(second, one, &listened.address()));
        let listened = listened.output();
        succeeds(first, &listened);
        succeeds(second, &connected);
        [listened, connected].map(|output| (stdout(&output), stderr(&output)))
    };
    let [(count, said), (same, _)] = run([&north, &south], counting, counted);
    assert_eq!(count, same);
    assert!(said.contains("circuit-count in") && said.contains("against the programs"), "{said}");
    let [(sums, said), (nothing, _)] = run([&shop, &bank], adding, agreeing);
    assert!(said.contains("circuit-sum in") && nothing.is_empty(), "{said}{nothing}");
    let is_shown = |numbers: &str| {
        let shown: Vec<&str> = numbers.lines().map(str::trim_end).collect();
        assert!(page.contains(&format!("\n{}\n```", shown.join("\n"))), "{numbers}");
    };
    is_shown(&sums);
    assert!(sums.contains("fewer than 10"), "{sums}");
    let [(crossed, said), (nothing, heard)] = run([&shop, &bank], crossing, lending_groups);
    is_shown(&crossed);
    assert!(said.contains("bank lends groups by \"segment\": \"gold\"; \"silver\"."), "{said}");
    assert!(heard.contains("You lend, and shop learns") && nothing.is_empty(), "{heard}{nothing}");
    let [(products, said), (count, heard)] = run([&shop, &bank], multiplying, lending);
    is_shown(&products);
    assert!(said.contains("by bank's column \"rate\""), "{said}");
    assert!(
        heard.contains("by your column \"rate\"") && count.lines().count() == 1,
        "{heard}{count}"
    );
    let [(spread, said), (count, heard)] = run([&shop, &bank], asking, answering);
    is_shown(&spread);
    assert!(
        said.contains("rows left out by --where") && count.lines().count() == 1,
        "{said}{count}"
    );
    // The bank hears of as many keys as all rows have.
    assert!(heard.contains("66 distinct keys"), "{heard}");
}

#[test]
fn the_commands_on_the_page_of_rules_run_and_their_policy_is_the_example() {
    let (reader, shop) = (party(), party());
    reader.pin("shop", &shop);
    shop.pin("you", &reader);
    give_examples([&reader, &shop], "examples");
    give_examples([&reader, &shop], "examples/rules");
    let page = fs::read_to_string(root().join("docs/use/rules.md")).expect("the page is there");
    let example = reader.read("examples/rules/policy.toml");
    let rules = example.lines().filter(|line| !line.starts_with('#'));
    assert!(page.contains(&rules.collect::<Vec<_>>().join("\n")));
    let commands = commands("docs/use/rules.md");
    let [check, attempt, listening, connecting, history, budget, receipts @ ..] =
        commands.as_slice()
    else {
        panic!("six commands, and those of receipts")
    };
    fs::copy(reader.path("examples/rules/policy.toml"), reader.path("home/policy.toml"))
        .expect("room");
    for command in [check, attempt, budget] {
        succeeds(command, &reader.run(&words(command, &shop, "")));
    }
    let mut listened = reader.start(&words(listening, &shop, ""));
    let connecting = connecting.replace("\"DPA 2026-17\"", "DPA_2026-17");
    let connecting: Vec<String> = words(&connecting, &reader, &listened.address())
        .iter()
        .map(|word| word.replace("DPA_", "DPA "))
        .collect();
    let connected = shop.run(&connecting.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(code(&connected), 0, "{}", stderr(&connected));
    let listened = listened.output();
    succeeds(listening, &listened);
    assert_eq!((stdout(&listened), code(&connected)), (stdout(&connected), 0));
    let runs = reader.run(&words(history, &shop, ""));
    let runs = stdout(&runs);
    assert!(runs.contains("count     with shop"), "{runs}");
    let run = runs.split_whitespace().last().expect("an id");
    assert_eq!(receipts.len(), 2);
    for command in receipts {
        let command = command.replace("RUN", run);
        succeeds(&command, &reader.run(&words(&command, &shop, "")));
    }
}

#[cfg(unix)]
#[test]
fn the_commands_on_the_page_of_invitations_run() {
    let (you, acme, host) = (party(), party(), party());
    you.file("customers.csv", "email\nann@example.org\n");
    acme.file("list.csv", "Mail\nANN@example.org\n");
    let (_relay, url) = support::relay(&host);
    let commands = commands("docs/use/invite.md");
    let [invite, by_link, by_code, by_address, ours, theirs] = commands.as_slice() else {
        panic!("six commands")
    };
    let at = |command: &str| command.replace("wss://relay.example", &url);
    for (number, accept) in [by_link, by_code, by_address].into_iter().enumerate() {
        let is_direct = accept.contains("--connect");
        let way = if is_direct { format!("--listen {ANY}") } else { format!("--via {url}") };
        let line = invite.replace("--via wss://relay.example", &way);
        let line = format!("exec {} --force > line.txt", line.replacen("veilset", PROGRAM, 1));
        let mut command = you.shell(&line);
        command.stdout(std::process::Stdio::null());
        let mut inviting = Running::start(command);
        inviting.line_with("the code is good once");
        let shown = you.read("line.txt").trim().to_owned();
        let letters = shown.rsplit('#').next().expect("a code").to_owned();
        let address = if is_direct { inviting.address() } else { String::new() };
        let accept = at(accept).replace("https://relay.example/#7KQ2-9FM4-TX3H/shop", &shown);
        let accept = accept.replace("7KQ2-9FM4-TX3H", &letters);
        // What a page calls a comment is a code here.
        let accept = if number == 0 { format!("veilset accept {shown}") } else { accept };
        let accept = format!("{accept} --force");
        let accepted = acme.run(&words(&accept, &acme, &address));
        succeeds(&accept, &accepted);
        succeeds(invite, &inviting.output());
        if number == 0 {
            let ours = you.start(&[&words(ours, &acme, "")[..], &["--no-input"]].concat());
            let theirs = acme.run(&[&words(theirs, &acme, "")[..], &["--no-input"]].concat());
            assert_eq!(code(&theirs), 0, "{}", stderr(&theirs));
            let ours = ours.output();
            assert_eq!((code(&ours), stdout(&ours)), (0, "1\n".to_owned()), "{}", stderr(&ours));
        }
    }
}

#[cfg(unix)]
#[test]
fn the_commands_on_the_page_of_relays_run() {
    let (you, acme) = (party(), party());
    you.pin("acme", &acme);
    acme.pin("you", &you);
    for party in [&you, &acme] {
        party.file("customers.csv", "email\nann@example.org\n");
    }
    for name in ["relay.pem", "relay.key"] {
        let file = root().join("crates/cli/tests/relay").join(name);
        fs::copy(file, you.path(name)).expect("room");
    }
    let commands: Vec<String> = commands("docs/use/relay.md")
        .iter()
        .map(|command| command.replace("0.0.0.0:443", ANY).replace("127.0.0.1:7000", ANY))
        .map(|command| command.replace("127.0.0.1:9100", ANY))
        .collect();
    let [yours, acmes, relay, behind] = commands.as_slice() else { panic!("four commands") };
    for relay in [relay, behind] {
        let mut running = you.start(&words(relay, &acme, ""));
        running.line_with("parties meet at");
        running.signal("TERM");
        succeeds(relay, &running.output());
    }
    let (_relay, url) = support::relay(&you);
    let [yours, acmes] = [yours, acmes].map(|side| side.replace("wss://relay.example", &url));
    let one = you.start(&words(&yours, &acme, ""));
    let other = acme.run(&words(&acmes, &you, ""));
    let one = one.output();
    succeeds(&yours, &one);
    succeeds(&acmes, &other);
    assert_eq!((stdout(&one), stdout(&other)), ("1\n".to_owned(), "1\n".to_owned()));
}

#[cfg(unix)]
#[test]
fn the_commands_on_the_page_of_browsers_run() {
    let (you, clinic) = (party(), party());
    for (party, name) in [(&you, "customers.csv"), (&clinic, "patients.csv")] {
        party.file(name, "Mail\nann@example.org\n");
    }
    for name in ["relay.pem", "relay.key"] {
        let file = root().join("crates/cli/tests/relay").join(name);
        fs::copy(file, you.path(name)).expect("room");
    }
    fs::create_dir_all(you.path("target/page")).expect("room");
    you.file("target/page/index.html", "<!doctype html>");
    let commands = commands("docs/use/browser.md");
    let [relay, invite, run] = commands.as_slice() else { panic!("three commands") };
    let mut running = you.start(&words(&relay.replace("0.0.0.0:443", ANY), &clinic, ""));
    running.line_with("parties meet at");
    running.signal("TERM");
    succeeds(relay, &running.output());
    let (_relay, url) = support::relay(&you);
    let line = invite.replace("wss://relay.example", &url);
    let line = format!("exec {} > line.txt", line.replacen("veilset", PROGRAM, 1));
    let mut command = you.shell(&line);
    command.stdout(std::process::Stdio::null());
    let mut inviting = Running::start(command);
    inviting.line_with("the code is good once");
    let accepted = clinic.run(&["accept", you.read("line.txt").trim()]);
    assert_eq!(code(&accepted), 0, "{}", stderr(&accepted));
    succeeds(invite, &inviting.output());
    let ours = you.start(&[&words(run, &clinic, "")[..], &["--no-input"]].concat());
    let theirs = clinic.run(&["run", "shop", "patients.csv", "--no-input"]);
    assert_eq!(stdout(&theirs), "Mail\nann@example.org\n", "{}", stderr(&theirs));
    succeeds(run, &ours.output());
}

#[cfg(unix)]
#[test]
fn every_command_on_the_page_of_data_runs() {
    let (reader, acme) = pair();
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
    let shell = |party: &Party, command: &str, address: &str| {
        let command = command
            .replacen("veilset", PROGRAM, 1)
            .replace("0.0.0.0:7000", address)
            .replace("postgresql://ann@db.example/shop", &server.address("ann"));
        let mut shell = party.shell(&command);
        bucket.known_to("ann", &mut shell);
        shell.env("PGPASSWORD", "open:sesame");
        Running::start(shell)
    };
    let commands = commands("docs/use/data.md");
    assert_eq!(commands.len(), 10);
    for command in commands {
        let run = shell(&reader, &command.replace("--peer acme", "--peer right"), ANY);
        let other = command.replace("--peer acme", "--peer left").replace("--listen", "--connect");
        let other = other.replace("s3://lists/matches", "s3://lists/theirs");
        let runs = if command.contains("--listen") {
            both(run, |address| shell(&acme, &other, address))
        } else {
            vec![run]
        };
        runs.into_iter().for_each(|run| succeeds(&command, &run.output()));
    }
}

#[test]
fn the_commands_on_the_page_of_lookup_run() {
    let (you, acme) = (party(), party());
    you.pin("acme", &acme);
    acme.pin("you", &you);
    you.file(
        "breached.csv",
        "email,source\nann@example.org,dump-2019\nben@example.org,dump-2021\n",
    );
    acme.file("customers.csv", "email,name\nANN@example.org,Ann\neve@example.org,Eve\n");
    let commands: Vec<String> = commands("docs/use/lookup.md")
        .iter()
        .map(|command| command.replace("127.0.0.1:9100", "127.0.0.1:0"))
        .collect();
    let [build, serve, add, remove, one, file] = commands.as_slice() else {
        panic!("six commands")
    };
    let run = |party: &Party, command: &str, address: &str| {
        let output = party.run(&words(command, &acme, address));
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    run(&you, build, "");
    run(&you, add, "");
    run(&you, remove, "");
    let mut service = you.start(&words(serve, &acme, ""));
    let address = service.address();
    let answer = run(&acme, one, &address);
    run(&acme, file, &address);
    assert_eq!(answer, "dump-2019\n");
    let listed =
        "email,name,veilset_label\nANN@example.org,Ann,dump-2019\neve@example.org,Eve,dump-2026\n";
    assert_eq!(acme.read("listed.csv"), listed);
}

#[test]
fn every_command_on_the_benchmarks_page_parses() {
    let party = party();
    for command in commands("docs/results/benchmarks.md") {
        let small = command
            .replace("2^16,2^20", "2^2")
            .replace("2^16", "2^2")
            .replace("bench timing", "bench timing --seconds 0.05")
            .replace("bench curve", "bench curve --seconds 0.05");
        let output = party.run(&words(&small, &party, ""));
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
}

#[test]
fn every_command_on_the_page_of_scale_runs() {
    let party = party();
    let commands = commands("docs/notes/scale.md");
    assert_eq!(commands.len(), 5);
    for command in commands {
        let small = command.replace("100_000,1_000_000,10_000_000", "2^4");
        let output = party.run(&words(&small, &party, ""));
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
}

#[test]
fn every_command_on_the_page_of_installing_runs() {
    let party = party();
    let commands = commands("docs/use/install.md");
    assert_eq!(commands.len(), 1);
    for command in commands {
        succeeds(&command, &party.run(&words(&command, &party, "")));
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
