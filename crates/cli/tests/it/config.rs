//! Flags that files and the environment give.

use serde_json::Value;
use veilset_stage::{NOBODY, Party, code, stderr, stdout};

use crate::support::{json, pair, party, relay};

/// What a command gets, as `veilset config` prints it.
fn completed(party: &Party, variables: &[(&str, &str)], line: &str) -> String {
    let words: Vec<&str> = ["config"].into_iter().chain(line.split(' ')).collect();
    let mut command = party.command(&words);
    let output = command.envs(variables.iter().copied()).output().expect("it starts");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output).trim_end().to_owned()
}

#[test]
fn the_first_place_that_has_a_flag_decides() {
    let (left, _right) = pair();
    let line = "count l.csv --key id --peer right";
    let bare = format!("veilset {line}");
    let added = |variables: &[(&str, &str)], line: &str| {
        completed(&left, variables, line).replace(&format!(" {}", &line[6..]), "")
    };
    assert_eq!(completed(&left, &[], line), bare);
    left.file("home/config.toml", "[defaults]\ndeadline = \"1m\"\n");
    assert_eq!(added(&[], line), "veilset count --deadline=1m");
    left.file(
        "home/config.toml",
        "[defaults]\ndeadline = \"1m\"\n[peers.right]\ndeadline = \"2m\"\n[peers.other]\ndeadline = \"9m\"\n",
    );
    assert_eq!(added(&[], line), "veilset count --deadline=2m");
    left.file("veilset.toml", "[defaults]\ndeadline = \"3m\"\n");
    assert_eq!(added(&[], line), "veilset count --deadline=3m");
    left.file(
        "veilset.toml",
        "[peers]\nright = { deadline = \"4m\" }\n[defaults]\ndeadline = \"3m\"",
    );
    assert_eq!(added(&[], line), "veilset count --deadline=4m");
    assert_eq!(added(&[("VEILSET_DEADLINE", "5m")], line), "veilset count --deadline=5m");
    let given = format!("{line} --deadline 6m");
    assert_eq!(
        completed(&left, &[("VEILSET_DEADLINE", "5m")], &given),
        format!("{bare} --deadline 6m")
    );
    // Empty is not set, as for other variables.
    assert_eq!(added(&[("VEILSET_DEADLINE", "")], line), "veilset count --deadline=4m");
}

#[test]
fn a_stronger_flag_keeps_out_what_it_excludes() {
    let party = party();
    party.file(
        "home/config.toml",
        "[defaults]\nvia = \"wss://r.example\"\nquiet = true\npeer = \"acme\"\n[peers.acme]\nlisten = \"0.0.0.0:7000\"\n",
    );
    let all = "veilset count --listen=0.0.0.0:7000 --peer=acme --quiet l.csv --key id";
    assert_eq!(completed(&party, &[], "count l.csv --key id"), all);
    let to_other = "veilset count --quiet --via=wss://r.example l.csv --key id --peer b";
    assert_eq!(completed(&party, &[], "count l.csv --key id --peer b"), to_other);
    let verbose = "veilset count --peer=acme -v l.csv --key id --connect a:1";
    assert_eq!(completed(&party, &[], "count -v l.csv --key id --connect a:1"), verbose);
    let spoken = [("VEILSET_QUIET", "false"), ("VEILSET_VIA", "ws://127.0.0.1:1")];
    let from_variables = "veilset count --via=ws://127.0.0.1:1 --peer=acme l.csv --key id";
    assert_eq!(completed(&party, &spoken, "count l.csv --key id"), from_variables);
    // A command of another kind, and one of a command, get nothing.
    for line in ["protocols", "serve build l.csv --key id -o l.veil", "check l.csv"] {
        assert_eq!(completed(&party, &spoken, line), format!("veilset {line}"));
    }
    assert!(completed(&party, &[], "serve l.veil --allow b").contains(" --via=wss://r.example"));
}

#[test]
fn several_peers_get_what_all_of_them_have_alike() {
    let party = party();
    let peers = "[peers.a]\nvia = \"wss://r.example\"\ndeadline = \"5m\"\n\
                 [peers.b]\nvia = \"wss://r.example\"\ndeadline = \"6m\"\n\
                 [peers.c]\nlisten = \"0.0.0.0:7000\"\n";
    party.file("home/config.toml", peers);
    let line = |peers: &str| format!("count l.csv --key id {peers}");
    for (peers, added) in [
        ("--peer a", "--deadline=5m --via=wss://r.example "),
        ("--peer a --peer b", "--via=wss://r.example "),
        ("--peer a --peer b --peer c", ""),
        ("--peer a --peer z", ""),
        // Whoever has the peer's address needs no relay.
        ("--peer a@a.example:7000", "--deadline=5m "),
        ("--peer c@c.example:7000", "--listen=0.0.0.0:7000 "),
    ] {
        let expected = format!("veilset count {added}l.csv --key id {peers}");
        assert_eq!(completed(&party, &[], &line(peers)), expected);
    }
    let named = "[defaults]\npeer = [\"a\", \"b\"]\n".to_owned() + peers;
    party.file("home/config.toml", &named);
    let both = "veilset count --via=wss://r.example --peer=a --peer=b l.csv --key id ";
    assert!(completed(&party, &[], &line("")).starts_with(both.trim_end()));
}

#[test]
fn what_is_wrong_in_a_file_is_said_with_its_line() {
    let party = party();
    let refused = |file: &str, text: &str, why: &str| {
        party.file(file, text);
        let output = party.run(&["count", "l.csv", "--key", "id", "--json"]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{why}: {}", stderr(&output));
        let told: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert!(told["error"]["text"].as_str().is_some_and(|text| text.contains(why)), "{told}");
        party.file(file, "");
    };
    let project = "veilset.toml";
    refused(project, "[defaults]\nvia = [\n", "veilset.toml:2: ");
    refused(
        project,
        "via = \"wss://r\"\n",
        "veilset.toml:1: a configuration has the tables [defaults] and",
    );
    refused(project, "[peers]\nacme = 1\n", "veilset.toml:2: a configuration has the tables");
    refused(
        project,
        "[peers.\"a b\"]\nvia = \"x\"\n",
        "veilset.toml:1: `a b` cannot be a peer's name",
    );
    refused(project, "[defaults]\nkye = 1\n", "veilset.toml:2: no command has a flag \"kye\"");
    refused(project, "[defaults]\nkey = \"id\"\n", "veilset.toml:2: key describes a list");
    refused(
        project,
        "[defaults]\nthreads = { a = 1 }\n",
        "veilset.toml:2: threads takes a text, a number, or true",
    );
    for own in [
        "yes",
        "no-input",
        "quiet",
        "log-format",
        "force",
        "policy",
        "output",
        "learn",
        "least",
        "protocol",
        "security",
        "reference",
        "retry",
        "new-list",
        "raw-cells",
        "allow",
    ] {
        refused(project, &format!("[defaults]\n{own} = true\n"), "is not for a project's file");
        party.file("home/config.toml", &format!("[defaults]\n{own} = true\n"));
        let output = party.run(&["config"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    party.file("home/config.toml", "[defaults]\nvia = \"ws://127.0.0.1:1\"\npeer = \"acme\"\n");
    let value = "[defaults]\ndeadline = \"soon\"\n";
    refused(project, value, "--deadline is from veilset.toml:2");
}

#[test]
fn a_project_names_no_peer_that_is_not_pinned_and_hides_nothing() {
    let (left, right) = pair();
    left.file("l.csv", "id\n1\n");
    let count = ["count", "l.csv", "--key", "id", "-q"];
    for peer in ["stranger", &party().key, &right.key] {
        let text = format!("[defaults]\npeer = {peer:?}\nconnect = \"{NOBODY}\"\n");
        left.file("veilset.toml", &text);
        let output = left.run(&count);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        let why = "veilset.toml:2: you pinned nobody under this name";
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    let text = format!("[defaults]\npeer = \"right\"\nconnect = \"{NOBODY}\"\ndeadline = \"1s\"\n");
    left.file("veilset.toml", &text);
    let output = left.run(&count);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(
        stderr(&output).starts_with("veilset.toml in this folder gives"),
        "{}",
        stderr(&output)
    );
    // A file that stands for a command takes nothing from a project's.
    left.file("exchange.toml", "operation = \"count\"\nlist = \"l.csv\"\nkey = \"id\"\n");
    let output = left.run(&["exchange", "exchange.toml"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("--peer"), "{}", stderr(&output));
}

#[test]
fn a_link_says_where_to_go_whatever_is_configured() {
    let (host, guest) = (party(), party());
    let (_relay, url) = relay(&host);
    guest.file("home/config.toml", "[defaults]\nvia = \"wss://elsewhere.example\"\n");
    let mut inviting = host.start(&["invite", "guest", "--via", &url, "--me", "host"]);
    inviting.line_with("leave this running");
    let refused = host.run(&["invite", "other", "--via", &format!("{url}#daily")]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    let link = inviting.said().split("accept ").find_map(|rest| {
        let code = rest.split(' ').next()?;
        (code.len() == 14).then(|| format!("{}/#{code}/host", url.replace("ws://", "http://")))
    });
    let accepted = guest.run(&["accept", &link.expect("a code")]);
    assert_eq!(code(&accepted), 0, "{}", stderr(&accepted));
    assert_eq!(code(&inviting.output()), 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_change_is_refused() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let party = party();
    for file in ["veilset.toml", "home/config.toml"] {
        party.file(file, "[defaults]\ndeadline = \"1m\"\n");
        set_permissions(party.path(file), Permissions::from_mode(0o666)).expect("own");
        let output = party.run(&["config"]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("others may change"), "{}", stderr(&output));
        std::fs::remove_file(party.path(file)).expect("it is there");
    }
}

#[test]
fn settings_are_shown_with_their_places_and_a_project_says_what_it_gives() {
    let (left, _right) = pair();
    left.file("home/config.toml", "[defaults]\ndeadline = \"1m\"\nthreads = 2\n");
    let way = format!("[peers.right]\nconnect = \"{NOBODY}\"\n[defaults]\ndeadline = \"1s\"\n");
    left.file("veilset.toml", &way);
    let shown = stdout(&left.run(&["config"]));
    for part in
        ["home/config.toml:2 (a stronger one is above)", "veilset.toml:4", "threads", NOBODY]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let object = json(&left.run(&["config", "--json"]));
    let deadlines = object["settings"].as_array().expect("settings").iter();
    let deadlines: Vec<_> = deadlines.filter(|one| one["name"] == "deadline").collect();
    assert_eq!((&deadlines[0]["value"], &deadlines[0]["used"]), (&"1s".into(), &true.into()));
    assert_eq!((&deadlines[1]["value"], &deadlines[1]["used"]), (&"1m".into(), &false.into()));
    left.file("home/config.toml", "[defaults]\nleast = \"ten\"\nyes = true\nlearn = \"me\"\n");
    let object = json(&left.run(&["config", "--json"]));
    let of_user = object["settings"].as_array().expect("settings").iter();
    let wrong = of_user.filter(|one| one["right"] == false).map(|one| &one["name"]);
    assert_eq!(wrong.collect::<Vec<_>>(), ["least"]);
    left.file("home/config.toml", "");
    left.file("l.csv", "id\n1\n");
    let output = left.run(&["count", "l.csv", "--key", "id", "--peer", "right"]);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    let told = format!("veilset.toml in this folder gives --connect={NOBODY} --deadline=1s\n");
    assert!(stderr(&output).starts_with(&told), "{}", stderr(&output));
}

#[test]
fn two_parties_run_with_a_peer_and_a_list_alone() {
    let (left, right) = pair();
    let (_relay, url) = relay(&party());
    for (party, peer) in [(&left, "right"), (&right, "left")] {
        party.file("l.csv", "id\n1\n2\n");
        let defaults = format!("[defaults]\nvia = \"{url}\"\ndeadline = \"60s\"\n");
        party.file("home/config.toml", &format!("{defaults}peer = \"{peer}\"\n"));
    }
    let run = ["count", "l.csv", "--key", "id"];
    let other = right.start(&run);
    assert_eq!(stdout(&left.run(&run)), "2\n");
    assert_eq!(stdout(&other.output()), "2\n");
}

#[cfg(unix)]
#[test]
fn a_shell_completes_commands_flags_and_peers() {
    let (left, _right) = pair();
    left.pin("rival", &party());
    left.file("list.csv", "id\n");
    let folder =
        std::path::Path::new(crate::support::PROGRAM).parent().expect("a folder").display();
    let completed = |words: &str| {
        let last = words.split(' ').count() - 1;
        let line = format!(
            "PATH={folder}:$PATH; source <(veilset completions bash); COMP_WORDS=({words}); COMP_CWORD={last}; COMP_TYPE=9; \
             _clap_complete_veilset veilset \"${{COMP_WORDS[{last}]}}\"; printf '%s ' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = left.shell("exec bash -c \"$LINE\"");
        let output = bash.env("LINE", line).output().expect("it starts");
        stdout(&output).trim_end().to_owned()
    };
    assert_eq!(completed("veilset inter"), "intersect");
    assert_eq!(completed("veilset count list.csv --peer ri"), "right rival");
    assert_eq!(completed("veilset peer remove riv"), "rival");
    assert_eq!(completed("veilset count list.csv --secur"), "--security");
    assert_eq!(completed("veilset count li"), "list.csv");
    assert_eq!(completed("veilset run ri"), "", "nothing is agreed with either");
    // A variable that is left over ends no command.
    let output = left.command(&["id"]).env("VEILSET_COMPLETE", "bash").output();
    assert_eq!(stdout(&output.expect("it starts")).trim_end(), left.key);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&left.run(&["completions", shell]));
        assert!(script.contains("VEILSET_COMPLETE"), "{shell}: {script}");
    }
}
