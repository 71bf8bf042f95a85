//! The documentation is true: every `nofly` command in it runs.

use std::collections::BTreeSet;
use std::fs;

use veilset_stage::{HttpClient, Party, Running, code, commands, root, stderr};

use crate::support::{await_end, pair};

/// Starts a command of the page in the folder of the party that gives it.
fn start(party: &Party, command: &str, address: &str) -> Running {
    let word = |word| match word {
        "0.0.0.0:7000" => "127.0.0.1:0",
        "authority.example:7000" => address,
        word => word,
    };
    let words: Vec<&str> = command.split_whitespace().skip(1).map(word).collect();
    Running::start(party.command(&words))
}

#[test]
fn every_command_on_the_page_runs() {
    let (authority, airline) = pair();
    for party in [&authority, &airline] {
        party.copy(&["examples/nofly/list.csv", "examples/nofly/manifest.csv"]);
    }
    let mut server = None;
    let mut address = String::new();
    let commands = commands("docs/use/nofly.md", "nofly");
    assert!(commands.len() >= 6, "the page shows the main commands");
    for command in commands {
        if command.starts_with("nofly serve") {
            let mut started = start(&authority, &command, "");
            address = started.address();
            server = Some(started);
            continue;
        }
        let party = if command.starts_with("nofly screen") { &airline } else { &authority };
        let mut running = start(party, &command, &address);
        if command.ends_with("--page") {
            let line = running.line_with("page: ");
            let (browser, _) = HttpClient::open(line.trim_start_matches("page: "));
            assert_eq!(await_end(&browser)["result"]["result"]["count"], 4);
            assert_eq!(browser.post("/close", "").status, 204);
        }
        let (code, printed, said) = running.end();
        assert_eq!(code, Some(0), "{command}: {said}");
        if party.path("home") == airline.path("home") {
            assert!(said.contains("4 of 120 distinct keys"), "{command}: {said}");
            assert!(!printed.is_empty());
        }
    }
    assert_eq!(airline.read("found.csv").lines().count(), 1 + 4);
    let example = fs::read_to_string(root().join("examples/nofly/list.csv")).expect("an example");
    assert_eq!(authority.read("examples/nofly/list.csv"), example, "what was added was removed");
    let server = server.expect("the page serves");
    server.signal("INT");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn packages_get_the_manual_and_the_completions() {
    let (party, _) = pair();
    let output = party.run(&["reference", "share"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let files = fs::read_dir(party.path("share")).expect("a folder");
    let files = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
    let files: BTreeSet<String> = files.collect();
    let wanted = [
        "_nofly",
        "nofly-add.1",
        "nofly-remove.1",
        "nofly-screen.1",
        "nofly-serve.1",
        "nofly.1",
        "nofly.bash",
        "nofly.fish",
    ];
    assert_eq!(files, wanted.map(str::to_owned).into());
}
