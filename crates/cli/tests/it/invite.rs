//! Two parties that know nothing of each other, and a code.

use std::collections::BTreeSet;

use veilset_stage::{Party, Running, code, stderr, stdout};

use crate::support::{ANY, PROGRAM, json, party, relay};

/// One that waits with an invitation, its output in a file, and the line that it printed.
pub(crate) fn inviting(host: &Party, args: &[&str]) -> (Running, String) {
    let line = format!("exec veilset invite {} > line.txt", args.join(" "));
    let mut command = host.shell(&line.replace("veilset", PROGRAM));
    command.stdout(std::process::Stdio::null());
    let mut running = Running::start(command);
    running.line_with("the code is good once");
    let line = host.read("line.txt").trim().to_owned();
    (running, line)
}

/// The six words that a side shows.
fn words(said: &str) -> String {
    let line = said.lines().skip_while(|line| !line.contains("the same words")).nth(1);
    let words = line.expect("words").trim().to_owned();
    assert_eq!(words.split(' ').count(), 6, "{said}");
    words
}

#[test]
fn a_link_pins_both_and_their_next_run_needs_a_name_and_a_list() {
    let (host, guest) = (party(), party());
    let (_relay, url) = relay(&host);
    let offer = ["--operation", "count", "--key", "email:email", "--learn", "me", "--me", "shop"];
    let (inviting, link) = inviting(&host, &[&["acme", "--via", &url], &offer[..]].concat());
    assert!(link.starts_with("http://127.0.0.1:") && link.contains("/#"), "{link}");
    let accepted = guest.run(&["accept", &link]);
    assert_eq!(code(&accepted), 0, "{}", stderr(&accepted));
    let invited = inviting.output();
    assert_eq!(code(&invited), 0, "{}", stderr(&invited));
    assert_eq!(words(&stderr(&invited)), words(&stderr(&accepted)));
    assert!(stdout(&host.run(&["peer", "list"])).contains(&format!("acme {}", guest.key)));
    assert!(stdout(&guest.run(&["peer", "list"])).contains(&format!("shop {}", host.key)));

    host.file("list.csv", "email\nann@example.org\nben@example.org\n");
    guest.file("list.csv", "Mail\nBEN@example.org\neve@example.org\n");
    let ours = host.start(&["run", "acme", "list.csv", "--no-input", "--json"]);
    // Its list has another column, which takes the place of the one that was offered.
    let theirs = guest.run(&["run", "shop", "list.csv", "--key", "Mail:email", "--no-input"]);
    assert_eq!(code(&theirs), 0, "{}", stderr(&theirs));
    let ours = json(&ours.output());
    assert_eq!((&ours["result"]["count"], &ours["peer"]["name"]), (&1.into(), &"acme".into()));
    assert_eq!(stdout(&theirs), "", "the host alone learns");

    // The code was good once.
    let again = guest.run(&["accept", &link, "again", "--deadline", "1s"]);
    assert_eq!(code(&again), 4, "{}", stderr(&again));
}

#[test]
fn a_code_works_without_a_relay_where_one_side_listens() {
    let (host, guest) = (party(), party());
    let (mut inviting, shown) = inviting(&host, &["acme", "--listen", ANY]);
    let address = inviting.address();
    let said = shown.to_lowercase().replace('-', " ");
    let accepted = guest.run(&["accept", &said, "shop", "--connect", &address]);
    assert_eq!(code(&accepted), 0, "{}", stderr(&accepted));
    let invited = inviting.output();
    assert_eq!(words(&stderr(&invited)), words(&stderr(&accepted)));
    let agreed = guest.read("home/agreements/shop.toml");
    assert!(agreed.contains(&format!("connect = \"{address}\"")), "{agreed}");
    // Nothing was offered, so the operation is still to be said.
    let run = guest.run(&["run", "shop", "list.csv"]);
    assert_eq!(code(&run), 2);
    assert!(stderr(&run).contains("agreed on no operation"), "{}", stderr(&run));
}

#[test]
fn a_wrong_guess_uses_the_code_up_and_pins_nobody() {
    let (host, guest, eve) = (party(), party(), party());
    let (_relay, url) = relay(&host);
    let (inviting, link) = inviting(&host, &["acme", "--via", &url]);
    // Whoever knows which invitation it is guesses the rest.
    let (plate, secret) = link.split_at(link.len() - 1);
    let guess = format!("{plate}{}", if secret == "0" { "1" } else { "0" });
    let guessed = eve.run(&["accept", &guess, "shop"]);
    let invited = inviting.output();
    assert_eq!((code(&guessed), code(&invited)), (6, 6), "{}", stderr(&invited));
    assert!(stderr(&invited).contains("used up"), "{}", stderr(&invited));
    let late = guest.run(&["accept", &link, "shop", "--deadline", "1s"]);
    assert_eq!(code(&late), 4, "{}", stderr(&late));
    let pinned: BTreeSet<String> =
        [&host, &guest, &eve].map(|end| stdout(&end.run(&["peer", "list"]))).into_iter().collect();
    assert_eq!(pinned, [String::new()].into());
}

#[test]
fn what_is_no_invitation_is_said_before_anybody_is_met() {
    let (host, other) = (party(), party());
    host.pin("acme", &other);
    for (args, said) in [
        (&["invite", "acme", "--listen", ANY][..], "pinned acme already"),
        (&["invite", "a/b", "--listen", ANY], "a/b"),
        (
            &["invite", "b", "--listen", ANY, "--operation", "agree", "--key", "x"],
            "intersect, count or sum",
        ),
        (&["invite", "b", "--listen", ANY, "--operation", "sum", "--key", "x:what"], "what"),
        (&["invite", "b", "--via", "https://relay.example"], "in the place of https://"),
        (&["accept", "7KQ2-9FM4", "b"], "12 letters"),
        (&["accept", "7KQ2-9FM4-TX3U", "b"], "U does not occur"),
        (&["accept", "https://relay.example/", "b"], "lost its part behind #"),
        (&["accept", "https://relay.example/#7KQ2-9FM4-TX3H"], "give a name"),
        (&["accept", "https://relay.example/#7KQ2-9FM4-TX3H/acme"], "pinned acme already"),
        (&["invite", "b", "--listen", ANY, "--me", "a b"], "a b"),
        (&["accept", "7KQ2-9FM4-TX3H", "b"], "--via or --connect"),
        (&["accept", "https://relay.example/#7KQ2-9FM4-TX3H", "--via", "wss://x"], "leave out"),
        (&["run", "../home/identity", "list.csv"], "nothing is agreed"),
    ] {
        let output = host.run(args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
    }
    let expired = host.run(&["invite", "b", "--listen", ANY, "--expires", "200ms"]);
    assert_eq!(code(&expired), 4, "{}", stderr(&expired));
}

#[test]
fn whoever_is_known_under_another_name_is_not_pinned_again_by_either_side() {
    let (host, guest) = (party(), party());
    host.pin("old", &guest);
    let (_relay, url) = relay(&host);
    let (inviting, link) = inviting(&host, &["new", "--via", &url, "--me", "shop"]);
    let accepted = guest.run(&["accept", &link]);
    let invited = inviting.output();
    assert_eq!((code(&invited), code(&accepted)), (2, 6), "{}", stderr(&accepted));
    assert!(stderr(&invited).contains("already, as old"), "{}", stderr(&invited));
    assert_eq!(stdout(&guest.run(&["peer", "list"])), "");
    // One's own invitation is nobody's.
    let (inviting, link) = self::inviting(&host, &["new", "--via", &url, "--me", "shop"]);
    let accepted = host.run(&["accept", &link]);
    assert!(stderr(&inviting.output()).contains("your own invitation"));
    assert_ne!(code(&accepted), 0);
}
