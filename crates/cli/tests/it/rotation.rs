//! One key after another: both are a peer's until it comes with the second.

use veilset_stage::{Party, code, stderr, stdout};

use crate::support::{ANY, json, meet, pair, party, relay};

const COUNT: [&str; 4] = ["count", "list.csv", "--key", "id"];

fn parties() -> (Party, Party) {
    let (left, right) = pair();
    for party in [&left, &right] {
        party.file("list.csv", "id\n1\n2\n");
    }
    (left, right)
}

/// What a command prints, without its end.
fn line(party: &Party, args: &[&str]) -> String {
    let output = party.run(args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output).trim_end().to_owned()
}

/// The two meet, the left one listening; what each says.
fn count(left: &Party, right: &Party) -> [String; 2] {
    let (one, other) = meet(left, &COUNT, right, &COUNT);
    for output in [&one, &other] {
        assert_eq!((code(output), &*stdout(output)), (0, "2\n"), "{}", stderr(output));
    }
    [stderr(&one), stderr(&other)]
}

const FORGOTTEN: &str = "the peer has the key that it announced; its former key is refused";

#[test]
fn both_keys_are_a_peers_until_it_comes_with_the_second() {
    // Whoever rotates listens, connects, or goes to a relay.
    for way in ["listens", "connects", "relay"] {
        let (left, right) = parties();
        let (rotating, other, name) = match way {
            "connects" => (&right, &left, "right"),
            _ => (&left, &right, "left"),
        };
        let (old, (_relay, url)) = (rotating.key.clone(), relay(&party()));
        // What the other one says.
        let run = || match way {
            "listens" => count(&left, &right)[1].clone(),
            "connects" => count(&left, &right)[0].clone(),
            _ => {
                let via = ["--via", &url, "--deadline", "60s", "--peer"];
                let met = right.start(&[&COUNT[..], &via, &["left"]].concat());
                let one = left.run(&[&COUNT[..], &via, &["right"]].concat());
                let met = met.output();
                assert_eq!((code(&one), code(&met)), (0, 0), "{}{}", stderr(&one), stderr(&met));
                stderr(&met)
            }
        };
        let next = line(rotating, &["id", "--next"]);
        assert_eq!(line(rotating, &["id", "--next"]), next, "there is one next key");
        assert_eq!(line(rotating, &["id"]), old);
        let pinned = other.run(&["peer", "add", name, &next]);
        assert!(stderr(&pinned).contains("beside the one that it has"), "{}", stderr(&pinned));
        assert_eq!(code(&other.run(&["peer", "add", name, &next])), 0, "once more");
        let listed = json(&other.run(&["peer", "list", "--json"]));
        assert_eq!(listed[0]["key"], old);

        // It has its old key yet, and then the new one.
        assert!(!run().contains(FORGOTTEN));
        let new = line(rotating, &["id", "--switch"]);
        assert_eq!(
            (&listed[0]["next"], line(rotating, &["id"])),
            (&new.clone().into(), new.clone())
        );
        let said = run();
        assert!(said.contains(FORGOTTEN), "{way}: {said}");
        let listed = json(&other.run(&["peer", "list", "--json"]));
        assert_eq!(listed, serde_json::json!([{ "name": name, "key": new }]));
        assert!(!run().contains(FORGOTTEN));
    }
}

#[test]
fn whoever_has_the_former_key_is_nobody_once_the_next_was_met() {
    let (left, right) = parties();
    let next = line(&left, &["id", "--next"]);
    line(&right, &["peer", "add", "left", &next]);
    line(&left, &["id", "--switch"]);
    let _ = count(&left, &right);
    let files = left.path("home").read_dir().expect("a folder");
    let mut files = files.map(|file| file.expect("readable").path());
    let former = files.find(|path| path.display().to_string().contains(".until-"));
    std::fs::copy(former.expect("a copy"), left.path("home/identity.key")).expect("writable");
    assert_eq!(line(&left, &["id"]), left.key);
    let mut waiting = left.start(&[&COUNT[..], &["--listen", ANY, "--peer", "right"]].concat());
    let address = waiting.address();
    let refused = right.run(&[&COUNT[..], &["--connect", &address, "--peer", "left"]].concat());
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("HAS ANOTHER KEY"), "{}", stderr(&refused));
}

#[cfg(unix)]
#[test]
fn a_service_refuses_the_former_key_of_a_client_that_came_with_its_next() {
    let (server, client) = pair();
    server.file("list.csv", "id\n1\n2\n");
    line(&server, &["serve", "build", "list.csv", "--key", "id", "-o", "list.veil"]);
    let next = line(&client, &["id", "--next"]);
    line(&server, &["peer", "add", "right", &next]);
    let mut serving = server.start(&["serve", "list.veil", "--listen", ANY, "--allow", "right"]);
    let address = serving.address();
    let asks = ["lookup", "2", "--connect", &address, "--peer", "left", "--deadline", "20s"];
    assert_eq!(line(&client, &asks), "listed");
    line(&client, &["id", "--switch"]);
    assert_eq!(line(&client, &asks), "listed");
    serving.line_with("right has the key that it announced; its former key is refused");
    serving.line_with("may not ask any more");
    let files = client.path("home").read_dir().expect("a folder");
    let mut files = files.map(|file| file.expect("readable").path());
    let former = files.find(|path| path.display().to_string().contains(".until-"));
    std::fs::copy(former.expect("a copy"), client.path("home/identity.key")).expect("writable");
    let refused = client.run(&asks);
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    serving.signal("TERM");
    assert_eq!(code(&serving.output()), 0);
}

#[test]
fn only_the_key_before_announces_the_next() {
    let (left, right) = parties();
    let stranger = party();
    let next = line(&stranger, &["id", "--next"]);
    let refused = right.run(&["peer", "add", "left", &next]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("comes from another key than the one pinned as left"));
    let next = line(&left, &["id", "--next"]);
    let (rest, last) = next.split_at(next.len() - 1);
    let typo = format!("{rest}{}", if last == "q" { "r" } else { "q" });
    for text in [&typo, &next[..100]] {
        let refused = right.run(&["peer", "add", "left", text]);
        assert_eq!(code(&refused), 2, "{}", stderr(&refused));
        assert!(stderr(&refused).contains("copy the whole line"), "{}", stderr(&refused));
    }
    let refused = right.run(&["peer", "add", "nobody", &next]);
    assert!(stderr(&refused).contains("there is no peer called"), "{}", stderr(&refused));
    let refused = right.run(&["id", "--switch"]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("there is no next identity"), "{}", stderr(&refused));
    assert_eq!(line(&right, &["id"]), right.key);
}

#[test]
fn budgets_count_a_peer_through_its_keys() {
    let (left, right) = parties();
    right.file("home/policy.toml", "runs = \"2 per 24h\"\n");
    let _ = count(&left, &right);
    let next = line(&left, &["id", "--next"]);
    line(&right, &["peer", "add", "left", &next]);
    line(&left, &["id", "--switch"]);
    let _ = count(&left, &right);
    let (one, other) = meet(&left, &COUNT, &right, &COUNT);
    assert_eq!((code(&one), code(&other)), (6, 6), "{}{}", stderr(&one), stderr(&other));
    assert!(stderr(&other).contains("runs"), "{}", stderr(&other));
    let history = json(&right.run(&["history", "--peer", "left", "--json"]));
    assert_eq!(history["runs"].as_array().map(Vec::len), Some(2), "{history}");
}

#[test]
fn what_is_replaced_is_kept() {
    let party = party();
    let before = std::fs::read(party.path("home/identity.key")).expect("there");
    let output = party.run(&["id", "--new"]);
    let said = stderr(&output);
    let backup = said.lines().find_map(|line| line.strip_prefix("your former key is kept in "));
    assert_eq!(std::fs::read(backup.expect("a place")).expect("there"), before);
    assert_ne!(stdout(&output).trim_end(), party.key);
}

#[cfg(target_os = "linux")]
#[test]
fn somebody_at_a_terminal_is_asked_before_a_key_is_replaced() {
    use crate::support::terminal::Terminal;
    let party = party();
    for (answer, is_replaced) in [("n\n", false), ("y\n", true)] {
        let mut terminal = Terminal::run(&party, "veilset id --new");
        terminal.until("Replace your identity?");
        terminal.press(answer);
        let (ended, said) = terminal.end();
        assert_eq!(ended, Some(if is_replaced { 0 } else { 2 }), "{said}");
        assert_eq!(line(&party, &["id"]) != party.key, is_replaced);
    }
}
