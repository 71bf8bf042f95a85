//! Two calendars, two processes, one slot.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};
use veilset_stage::{Party, code, stderr};

use crate::support::schema::Schema;
use crate::support::{json as object, meet, pair};

/// Busy times of 2027-03-29 in hours of UTC.
fn calendar(busy: &[(u32, u32)]) -> String {
    let event = |(from, to): &(u32, u32)| {
        format!(
            "BEGIN:VEVENT\r\nUID:{from}\r\nSUMMARY:Secret{from}\r\nDTSTART:20270329T{from:02}0000Z\r\n\
             DTEND:20270329T{to:02}0000Z\r\nEND:VEVENT\r\n"
        )
    };
    let events: String = busy.iter().map(event).collect();
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n")
}

/// Left has 9 to 12 free and likes it in this order; right likes 12, 13, 11 and 9 in this order, and 10 is not free.
fn parties() -> (Party, Party) {
    let (left, right) = pair();
    left.file("mine.ics", &calendar(&[(12, 14)]));
    right.file("mine.ics", &calendar(&[(10, 11)]));
    right.file("likes.txt", "12:00\n13:00\n11:00\n09:00\n");
    (left, right)
}

/// The command for both, but for what follows; a later flag would not replace an earlier one.
fn command<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let common = [
        "agree",
        "mine.ics",
        "--between",
        "2027-03-29",
        "--hours",
        "09:00-14:00",
        "--zone",
        "UTC",
        "--step",
        "1h",
    ];
    [&common, more].concat()
}

fn slot(hour: u32) -> Value {
    json!({
        "start": format!("2027-03-29T{hour:02}:00:00Z"),
        "end": format!("2027-03-29T{:02}:00:00Z", hour + 1),
    })
}

#[test]
fn each_scheme_finds_its_slot_with_every_protocol() {
    for (scheme, hour) in [("sum-of-ranks", 9), ("minimum-of-ranks", 11)] {
        for protocol in ["auto", "3pr-dh-fixed", "3pr-dh-pairwise", "3pr-paillier"] {
            let (left, right) = parties();
            let more = [
                "--length",
                "1h",
                "--scheme",
                scheme,
                "--protocol",
                protocol,
                "--json",
                "-o",
                "out.ics",
            ];
            let mine = command(&more);
            let theirs = command(&[&more[..], &["--prefer", "likes.txt"]].concat());
            let (one, two) = meet(&left, &mine, &right, &theirs);
            for (end, party) in [(object(&one), &left), (object(&two), &right)] {
                assert_eq!(end["result"], slot(hour), "{scheme} {protocol}");
                assert_eq!(end["operation"], "agree");
                let learned = end["learned"].as_str().expect("a sentence");
                assert!(learned.contains("that both together prefer most"), "{learned}");
                let written = party.read("out.ics");
                assert!(written.contains(&format!("DTSTART:20270329T{hour:02}0000Z\r\n")));
                assert!(!written.contains("Secret"), "only the slot is written");
            }
            let leaks = stderr(&one).contains("leaks: One side also learns");
            assert_eq!(leaks, protocol != "3pr-dh-pairwise", "{}", stderr(&one));
        }
    }
}

#[test]
fn slots_may_have_several_lengths_of_which_each_side_likes_its_own() {
    let (left, right) = parties();
    right.file("mine.ics", &calendar(&[(11, 13)]));
    right.file("likes.txt", "2h\nnot 1h 09:00\n");
    let mine = command(&["--json", "--length", "2h,1h"]);
    let theirs = command(&["--json", "--length", "60m,120m", "--prefer", "likes.txt"]);
    let written = |command: &[&'static str]| [command, &["-o", "out.ics"]].concat();
    let (one, two) = meet(&left, &written(&mine), &right, &written(&theirs));
    // Left: 9–11, 9–10, 10–12, 10–11, 11–12. Right: 9–11, 10–11, 13–14.
    let slot = json!({ "start": "2027-03-29T09:00:00Z", "end": "2027-03-29T11:00:00Z" });
    for (end, party) in [(&one, &left), (&two, &right)] {
        assert_eq!(object(end)["result"], slot, "{}", stderr(end));
        assert!(party.read("out.ics").contains("DTEND:20270329T110000Z\r\n"));
    }
    assert!(stderr(&one).contains("5 slots of 120m,60m are free"), "{}", stderr(&one));
    assert!(stderr(&two).contains("number 1 of your 3 slots"), "{}", stderr(&two));
    // The long one is not free for both any more, and a short one counts by its own length.
    right.file("mine.ics", &calendar(&[(9, 10), (11, 13)]));
    let (one, two) = meet(&left, &mine, &right, &theirs);
    let slot = json!({ "start": "2027-03-29T10:00:00Z", "end": "2027-03-29T11:00:00Z" });
    assert_eq!(
        [object(&one)["result"].clone(), object(&two)["result"].clone()],
        [slot.clone(), slot]
    );
}

#[test]
fn the_slot_goes_to_standard_output_and_another_zone_means_the_same() {
    let (left, right) = parties();
    let mine = command(&["--length", "1h"]);
    let theirs = [
        "agree",
        "mine.ics",
        "--between",
        "2027-03-29",
        "--hours",
        "05:00-10:00",
        "--zone",
        "America/New_York",
        "--step",
        "1h",
        "--length",
        "60m",
        "--prefer",
        "late",
    ];
    let (one, two) = meet(&left, &mine, &right, &theirs);
    // Left: 9, 10, 11. Right, whose clock is four hours behind: 13, 12, 11, 9.
    let expected = "2027-03-29T09:00:00Z\t2027-03-29T10:00:00Z\n";
    for end in [&one, &two] {
        assert_eq!(String::from_utf8_lossy(&end.stdout), expected, "{}", stderr(end));
    }
    assert!(
        stderr(&two).contains("Mon 2027-03-29 05:00–06:00 in your zone, number 4 of your 4"),
        "{}",
        stderr(&two)
    );
}

#[test]
fn two_lists_give_the_row_that_both_prefer() {
    // Of the common keys, b has places 1 and 2, c has 2 and 0, and a has 0 and 3: sums 3, 2 and 3, and maxima 2, 2 and 3.
    for (scheme, key, rows) in [("sum-of-ranks", "c", [3, 0]), ("minimum-of-ranks", "c", [3, 0])] {
        for protocol in ["auto", "3pr-dh-fixed", "3pr-implicit"] {
            let (left, right) = pair();
            left.file("list.csv", "id,note\nA,1\nb,2\na,again\nc,3\n,none\nx,4\n");
            right.file("list.csv", "id\nc\nz\nB \na\n");
            let common = ["agree", "--list", "list.csv", "--key", "id:name", "--json"];
            let chosen = ["--scheme", scheme, "--protocol", protocol, "-o", "out.csv"];
            let command = [&common[..], &chosen].concat();
            let (one, two) = meet(&left, &command, &right, &command);
            for (output, row) in [&one, &two].into_iter().zip(rows) {
                let end = object(output);
                assert_eq!(end["result"], json!({ "row": row }), "{scheme} {protocol}");
                Schema::load().check("run", &end);
            }
            assert_eq!(left.read("out.csv"), format!("id,note\n{key},3\n"));
            assert_eq!(right.read("out.csv"), format!("id\n{key}\n"));
            let told = format!("agreed: row {} of your 6; written to out.csv", rows[0] + 1);
            assert!(stderr(&one).contains(&told), "{}", stderr(&one));
        }
    }
}

#[test]
fn lists_without_a_common_key_give_nothing() {
    let (left, right) = pair();
    left.file("list.csv", "id\na\n");
    right.file("list.csv", "id\nb\n");
    let command = ["agree", "--list", "list.csv", "--key", "id"];
    let (one, two) = meet(&left, &command, &right, &command);
    for end in [&one, &two] {
        assert_eq!(String::from_utf8_lossy(&end.stdout), "id\n");
        assert!(stderr(end).contains("no key is in both lists"), "{}", stderr(end));
    }
    // A calendar's flags are none of a list's, and each needs its own.
    for (flags, missing) in [
        (
            &["agree", "--list", "list.csv", "--key", "id", "--between", "2027-03-29"][..],
            "--between",
        ),
        (&["agree", "--list", "list.csv"], "--key"),
        (&["agree", "list.csv", "--zone", "UTC"], "--between"),
    ] {
        let refused = left.run(&[flags, &["--peer", "right", "--listen", "127.0.0.1:0"]].concat());
        assert_eq!(code(&refused), 2);
        assert!(stderr(&refused).contains(missing), "{}", stderr(&refused));
    }
}

#[test]
fn a_calendar_may_be_on_the_web() {
    let (left, right) = parties();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/mine.ics?secret", listener.local_addr().expect("bound"));
    let body = calendar(&[(12, 14)]);
    let server = thread::spawn(move || {
        let (mut caller, _) = listener.accept().expect("a caller");
        assert!(caller.read(&mut [0; 4096]).expect("a request") > 0);
        let head =
            format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", body.len());
        caller.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).expect("it reads");
    });
    let theirs = command(&["--length", "1h"]);
    let mut mine = theirs.clone();
    mine[1] = &url;
    let (one, two) = meet(&left, &mine, &right, &theirs);
    server.join().expect("one caller");
    let expected = "2027-03-29T09:00:00Z\t2027-03-29T10:00:00Z\n";
    for end in [&one, &two] {
        assert_eq!(String::from_utf8_lossy(&end.stdout), expected, "{}", stderr(end));
        assert!(!stderr(end).contains("secret"), "{}", stderr(end));
    }
    assert!(stderr(&one).contains("127.0.0.1: 1 events; 3 slots"), "{}", stderr(&one));
    let output = left.run(
        &[&["agree", "ftp://h/secret"], &theirs[2..], &["--connect", "h:1", "--peer", "right"]]
            .concat(),
    );
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("https:// or http://"), "{}", stderr(&output));
}

#[test]
fn no_common_slot_says_that_alone() {
    let (left, right) = parties();
    right.file("mine.ics", &calendar(&[(9, 12)]));
    let args = command(&["--length", "1h", "--json", "-o", "out.ics"]);
    let (one, two) = meet(&left, &args, &right, &args);
    for (end, party) in [(&one, &left), (&two, &right)] {
        assert_eq!(object(end)["result"], Value::Null);
        assert!(stderr(end).contains("no slot is free for both"), "{}", stderr(end));
        assert!(!party.files().contains(&"out.ics".to_owned()));
    }
    // A side without any free slot.
    right.file("mine.ics", &calendar(&[(0, 24 - 1)]));
    let args = command(&["--length", "1h"]);
    let (one, two) = meet(&left, &args, &right, &args);
    assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
    assert!(one.stdout.is_empty() && two.stdout.is_empty());
}

#[test]
fn different_terms_end_the_run_and_are_named() {
    let (left, right) = parties();
    let base = ["agree", "mine.ics", "--zone", "UTC"];
    let with = |dates, length, step, scheme| {
        let terms = ["--between", dates, "--length", length, "--step", step, "--scheme", scheme];
        [&base[..], &terms].concat()
    };
    let mine = with("2027-03-29", "60m", "30m", "sum-of-ranks");
    for (theirs, named) in [
        (
            with("2027-03-29", "30m", "30m", "sum-of-ranks"),
            "slot length (--length): here 60m, at the peer 30m",
        ),
        (
            with("2027-03-29", "60m,30m", "30m", "sum-of-ranks"),
            "slot length (--length): here 60m, at the peer 30m,60m",
        ),
        (
            with("2027-03-30", "60m", "30m", "sum-of-ranks"),
            "dates (--between): here 2027-03-29..2027-03-29",
        ),
        (
            with("2027-03-29", "60m", "15m", "sum-of-ranks"),
            "slot grid (--step): here 30m, at the peer 15m",
        ),
        (
            with("2027-03-29", "60m", "30m", "minimum-of-ranks"),
            "scheme: here sum-of-ranks, at the peer minimum-of-ranks",
        ),
    ] {
        let (one, two) = meet(&left, &mine, &right, &theirs);
        assert_eq!((code(&one), code(&two)), (3, 3), "{}{}", stderr(&one), stderr(&two));
        assert!(stderr(&one).contains(named), "{}", stderr(&one));
    }
}

#[test]
fn a_calendar_that_cannot_be_read_ends_before_anything_is_sent() {
    let (left, _) = parties();
    left.file("mine.ics", &calendar(&[(9, 10)]).replace("UID:9", "SECRET"));
    let output =
        left.run(&command(&["--length", "1h", "--connect", "127.0.0.1:1", "--peer", "right"]));
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(
        said.contains("mine.ics, line 4: no content line") && !said.contains("SECRET"),
        "{said}"
    );
}
