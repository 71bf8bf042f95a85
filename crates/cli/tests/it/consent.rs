//! The question before a run, at a terminal, and what happens while it is open.

use veilset_stage::{Party, Running, code, stderr};

use crate::support::terminal::Terminal;
use crate::support::{ANY, pair};

/// Two parties with three keys in common.
fn parties() -> (Party, Party) {
    let (left, right) = pair();
    left.file("list.csv", "id\n1\n2\n3\n4\n");
    right.file("list.csv", "id\n9\n4\n3\n2\n");
    (left, right)
}

/// The left side at a terminal, which will be asked, and where it waits for the right one.
fn asked(left: &Party) -> (Terminal, String) {
    waiting(left, "veilset count list.csv --key id --patience 10s --peer right")
}

/// A line of the left side at a terminal, which listens, and where it waits for the right one.
fn waiting(left: &Party, line: &str) -> (Terminal, String) {
    let mut terminal = Terminal::run(left, &format!("{line} --listen {ANY}"));
    let address = terminal.address("right");
    (terminal, address)
}

/// Two parties, of which the left one is asked, and the right one has consented.
struct Open {
    parties: (Party, Party),
    terminal: Terminal,
    peer: Running,
}

/// Lets both meet; `flags` are the right side's.
fn open_question(flags: &[&str]) -> Open {
    let (left, right) = parties();
    let (mut terminal, address) = asked(&left);
    let peer = unattended(&right, &address, flags);
    terminal.until("Go on?");
    Open { parties: (left, right), terminal, peer }
}

/// The right side, where nobody is.
fn unattended(right: &Party, address: &str, flags: &[&str]) -> Running {
    let command = ["count", "list.csv", "--key", "id", "--connect", address, "--peer", "left"];
    right.start(&[&command[..], flags].concat())
}

#[test]
fn a_list_on_standard_input_leaves_the_question_to_the_terminal() {
    let (left, right) = parties();
    let line = "cat list.csv | veilset count - --key id --learn me --peer right";
    let (mut terminal, address) = waiting(&left, line);
    let peer = unattended(&right, &address, &["--learn", "peer"]);
    terminal.until("Go on? [Y/n] ");
    let shown = terminal.screen.replace("\r\n", " ").replace("  ", " ");
    for part in ["count", "raw/1", "mqrpmt-dh", "curve25519", "semi-honest", "4 distinct keys"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.contains("You learn: how many distinct keys match"), "{shown}");
    assert!(shown.contains("sent and") && shown.contains("on a network of 1 Gbit/s"), "{shown}");
    assert!(!shown.contains("If both learn"), "{shown}");
    terminal.press("maybe\n");
    terminal.until("please answer y or n: Go on? [Y/n] ");
    terminal.press("y\n");
    let (ended, shown) = terminal.end();
    assert_eq!(ended, Some(0), "{shown}");
    // The bar is wiped from the line that the number gets.
    let mut lines = shown.split(['\r', '\n']).map(|line| line.trim_start_matches("\x1b[2K"));
    assert!(lines.any(|line| line == "3"), "{shown}");
    assert_eq!(code(&peer.output()), 0);
}

#[test]
fn consent_beforehand_is_not_asked_for() {
    for flag in ["--yes", "--no-input"] {
        let (left, right) = parties();
        let line = format!("veilset count list.csv --key id --peer right {flag}");
        let (terminal, address) = waiting(&left, &line);
        let peer = unattended(&right, &address, &[]);
        let (ended, shown) = terminal.end();
        assert_eq!(ended, Some(0), "{shown}");
        assert!(shown.contains("You learn") && !shown.contains("Go on?"), "{shown}");
        assert_eq!(code(&peer.output()), 0);
    }
}

#[test]
fn what_the_peer_asks_for_needs_a_yes_of_its_own() {
    const WEAK: &[&str] = &["--protocol", "fnp-binned"];
    // Consent beforehand is no consent to that.
    for flag in ["", "--yes"] {
        for (key, answer) in [("\n", 6), ("y\n", 0)] {
            let (left, right) = parties();
            let line = "veilset intersect list.csv --key id -o out.csv --learn peer --peer right";
            let (mut terminal, address) = waiting(&left, &format!("{line} {flag}"));
            let theirs = ["intersect", "list.csv", "--key", "id", "-o", "out.csv", "--learn", "me"];
            let ends = ["--connect", &address, "--peer", "left"];
            let peer = right.start(&[&theirs[..], &ends, WEAK].concat());
            terminal.until("Go on? [y/N] ");
            let shown = terminal.screen.replace("\r\n", " ").replace("  ", " ");
            let asked = "asked for by the peer, not by you: protocol fnp-binned";
            assert!(
                shown.contains("semi-honest security, keys raw/1 protocol fnp-binned")
                    && shown.contains(asked),
                "{shown}"
            );
            terminal.press(key);
            let (ended, shown) = terminal.end();
            assert_eq!(ended, Some(answer), "{shown}");
            assert_eq!(code(&peer.output()), answer);
            assert_eq!(right.path("out.csv").exists(), answer == 0);
        }
    }
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let (left, right) = parties();
    let (mut terminal, address) = asked(&left);
    terminal.press("y\n");
    terminal.until("y\r\n");
    let peer = unattended(&right, &address, &[]);
    terminal.until("Go on?");
    terminal.press("n\n");
    let (ended, shown) = terminal.end();
    assert_eq!(ended, Some(6), "{shown}");
    assert_eq!(code(&peer.output()), 6);
}

#[test]
fn a_no_ends_the_others_question() {
    let (left, right) = parties();
    let (mut one, address) = asked(&left);
    let line = "veilset count list.csv --key id --peer left --connect";
    let mut two = Terminal::run(&right, &format!("{line} {address}"));
    one.until("Go on?");
    two.until("Go on?");
    two.press("n\n");
    let ((first, heard), (second, _)) = (one.end(), two.end());
    assert_eq!((first, second), (Some(6), Some(6)), "{heard}");
    assert!(heard.contains("it declined the run"), "{heard}");
}

#[test]
fn a_yes_waits_for_the_other_and_says_so() {
    let (left, right) = parties();
    let (mut one, address) = asked(&left);
    let line = "veilset count list.csv --key id --peer left --connect";
    let mut two = Terminal::run(&right, &format!("{line} {address}"));
    one.until("Go on?");
    two.until("Go on?");
    one.press("y\n");
    one.until("waiting for the consent of right, for 10 min at most (until ");
    two.press("\n");
    let ((first, _), (second, shown)) = (one.end(), two.end());
    assert_eq!((first, second), (Some(0), Some(0)), "{shown}");
}

#[test]
fn the_deadline_is_for_consent_too() {
    let Open { parties: _parties, terminal, peer } = open_question(&["--deadline", "2s"]);
    let late = peer.output();
    assert_eq!(code(&late), 4, "{}", stderr(&late));
    assert!(stderr(&late).contains("did not consent to the terms within 2 s"), "{}", stderr(&late));
    let (ended, shown) = terminal.end();
    assert_eq!(ended, Some(4), "{shown}");
    assert!(shown.contains("its deadline passed"), "{shown}");
}

#[test]
fn an_interrupt_is_told_to_the_peer() {
    for (name, number) in [("INT", 130), ("TERM", 143)] {
        let Open { parties: _parties, terminal, peer } = open_question(&[]);
        peer.signal(name);
        let interrupted = peer.output();
        assert_eq!(code(&interrupted), number, "{}", stderr(&interrupted));
        assert!(stderr(&interrupted).ends_with("interrupted; nothing was written\n"));
        let (ended, shown) = terminal.end();
        assert_eq!(ended, Some(4), "{shown}");
        assert!(shown.contains("the peer interrupted the run"), "{shown}");
    }
}

#[test]
fn a_key_that_interrupts_ends_an_open_question() {
    let Open { parties: _parties, mut terminal, peer } = open_question(&[]);
    terminal.press("\u{3}");
    let (ended, shown) = terminal.end();
    assert_eq!(ended, Some(130), "{shown}");
    assert!(shown.contains("interrupted; nothing was written"), "{shown}");
    let left_alone = peer.output();
    assert_eq!(code(&left_alone), 4, "{}", stderr(&left_alone));
    assert!(stderr(&left_alone).contains("the peer interrupted the run"));
}

#[test]
fn a_peer_that_is_gone_ends_an_open_question() {
    let Open { parties: _parties, terminal, peer } = open_question(&[]);
    drop(peer);
    let (ended, shown) = terminal.end();
    assert_eq!(ended, Some(4), "{shown}");
    assert!(shown.contains("the peer closed the connection"), "{shown}");
}

#[test]
fn how_long_a_peer_may_be_silent_is_ones_own_choice() {
    let Open { parties: (left, _right), mut terminal, peer } = open_question(&["--patience", "1h"]);
    peer.signal("STOP");
    terminal.until("nothing came from the peer for 10 s, not even a heartbeat; the run goes on if");
    // It sees that the connection is gone, and comes back.
    peer.signal("CONT");
    terminal.until("the peer is back, at 127.0.0.1");
    terminal.press("y\n");
    let ((ended, shown), output) = (terminal.end(), peer.output());
    assert_eq!((ended, code(&output)), (Some(0), 0), "{shown}{}", stderr(&output));
    let hasty = left.run(&["count", "list.csv", "--key", "id", "--patience", "5s"]);
    assert!(code(&hasty) == 2 && stderr(&hasty).contains("from 10s to 1d"), "{}", stderr(&hasty));
}
