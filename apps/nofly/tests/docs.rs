//! The documentation is true: every `nofly` command in it runs.

mod support;

use std::fs;

use support::{Browser, Party, Running, root};

/// The lines of fenced blocks that begin with `nofly`.
fn commands(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let blocks = text.split("```").skip(1).step_by(2).flat_map(str::lines);
    blocks.filter(|line| line.starts_with("nofly ")).map(str::to_owned).collect()
}

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
    let (authority, airline) = Party::pair();
    for party in [&authority, &airline] {
        fs::create_dir_all(party.path("examples/nofly")).expect("a folder");
        for name in ["list.csv", "manifest.csv"] {
            let path = format!("examples/nofly/{name}");
            fs::copy(root().join(&path), party.path(&path)).expect("an example");
        }
    }
    let mut server = None;
    let mut address = String::new();
    let commands = commands("docs/nofly.md");
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
            let (browser, _) = Browser::open(line.trim_start_matches("page: "));
            assert_eq!(browser.await_end()["result"]["result"]["count"], 4);
            assert_eq!(browser.close().status, 204);
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
