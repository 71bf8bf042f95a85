//! The documentation is true: every `appoint` command in it runs.

use std::collections::BTreeSet;
use std::fs;

use veilset_stage::{HttpClient, code, commands, stderr};

use crate::support::{pair, start};

#[test]
fn every_command_on_the_page_runs() {
    let commands = commands("docs/use/appoint.md", "appoint");
    assert!(commands.len() >= 3, "the page shows the main commands");
    let (alice, bob) = pair();
    for party in [&alice, &bob] {
        party.copy(&["examples/agree/alice.ics", "examples/agree/bob.ics"]);
        party.copy(&["examples/agree/likes.txt"]);
    }
    for command in commands {
        let party = if command.contains("--peer alice") { &bob } else { &alice };
        let flags: Vec<&str> = command.split_whitespace().skip(1).collect();
        let (running, address) = start(party, &flags);
        let (client, _) = HttpClient::open(&address);
        let setup = client.get("/setup").json();
        assert_eq!(setup["calendar"].is_null(), !command.contains(".ics"), "{command}");
        assert_eq!(client.post("/close", "").status, 204);
        assert_eq!(running.end().0, Some(0), "{command}");
    }
}

#[test]
fn packages_get_the_manual_and_the_completions() {
    let (party, _) = pair();
    let output = party.run(&["--reference", "share"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let files = fs::read_dir(party.path("share")).expect("a folder");
    let files = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
    let files: BTreeSet<String> = files.collect();
    let wanted = ["_appoint", "appoint.1", "appoint.bash", "appoint.fish"];
    assert_eq!(files, wanted.map(str::to_owned).into());
}
