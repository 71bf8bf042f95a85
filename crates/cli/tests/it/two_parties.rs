//! The main job: two processes, two files, one answer over the network.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use veilset_stage::{NOBODY, Party, Running, code, stderr};

#[cfg(target_os = "linux")]
use crate::support::terminal::Terminal;
use crate::support::{ANY, json, meet, pair, party};

const COMMON: usize = 300;

/// Addresses `first..last`, some of them dirty, with a second column.
fn list(first: usize, last: usize) -> String {
    let row = |n: usize| match n % 5 {
        0 => format!("USER{n}@Example.com,{n}\n"),
        1 => format!(" user{n}@example.com,{n}\n"),
        _ => format!("user{n}@example.com,{n}\n"),
    };
    let rows: String = (first..last).map(row).collect();
    format!("email,n\n{rows}")
}

/// Two parties with 1000 and 800 addresses, 300 in common: numbers 700 to 999.
fn parties() -> (Party, Party) {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 1000));
    right.file("list.csv", &list(1000 - COMMON, 1500));
    (left, right)
}

fn numbers(csv: &str) -> Vec<usize> {
    let number = |row: &str| row.rsplit(',').next().and_then(|n| n.trim().parse().ok());
    csv.lines().skip(1).map(|row| number(row).expect("a number")).collect()
}

const INTERSECT: [&str; 4] = ["intersect", "list.csv", "--key", "email:email"];
const COUNT: [&str; 4] = ["count", "list.csv", "--key", "email:email"];

#[test]
fn both_get_their_own_rows_in_their_own_order() {
    let (left, right) = parties();
    let mine = [&INTERSECT[..], &["-o", "out.csv"]].concat();
    let (one, two) = meet(&left, &mine, &right, &INTERSECT);
    assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
    assert_eq!(numbers(&left.read("out.csv")), (700..1000).collect::<Vec<_>>());
    assert!(left.read("out.csv").contains("USER700@Example.com,700\n user701@example.com,701\n"));
    let printed = String::from_utf8(two.stdout).expect("text");
    assert_eq!(numbers(&printed), (700..1000).collect::<Vec<_>>());
    assert!(one.stdout.is_empty(), "rows went to the file");
    let said = stderr(&one);
    assert!(said.contains("You learn: which of your rows match. right learns: which"), "{said}");
}

#[test]
fn whoever_is_to_learn_learns_and_nobody_else() {
    for command in [&INTERSECT, &COUNT] {
        for (learn, other, shares) in [("me", "peer", [true, false]), ("peer", "me", [false, true])]
        {
            let (left, right) = parties();
            let one = [&command[..], &["--learn", learn, "--json"]].concat();
            let two = [&command[..], &["--learn", other, "--json"]].concat();
            let (one, two) = meet(&left, &one, &right, &two);
            for (output, learns) in [(&one, shares[0]), (&two, shares[1])] {
                let object = json(output);
                let expected =
                    if learns { serde_json::json!(COMMON) } else { serde_json::Value::Null };
                assert_eq!(object["result"]["count"], expected);
                assert_eq!(object["operation"], command[0]);
                assert_eq!(object["role"], if learns { "receiver" } else { "sender" });
            }
        }
    }
}

#[test]
fn json_has_what_scripts_rely_on() {
    let (left, right) = parties();
    let args = [&COUNT[..], &["--json", "--threads", "2"]].concat();
    let (one, two) = meet(&left, &args, &right, &args);
    let (one, two) = (json(&one), json(&two));
    assert_eq!(one["result"]["count"], COMMON);
    assert_eq!(two["result"]["count"], COMMON);
    assert_eq!(
        (&one["rows"], &one["distinct"], &one["peer_distinct"]),
        (&1000.into(), &1000.into(), &800.into())
    );
    assert_eq!(one["protocol"], "mqrpmt-dh");
    assert_eq!(one["threads"], 2);
    assert_eq!(one["bytes_sent"], two["bytes_received"]);
    assert_eq!(one["bytes_received"], two["bytes_sent"]);
    assert!(one["bytes_sent"].as_u64().expect("a number") > 32 * 1000);
    assert_eq!(one["rounds"], 3);
    let seconds = one["seconds"].as_object().expect("by phase");
    assert!(seconds.values().all(|value| value.as_f64().is_some_and(|value| value >= 0.0)));
    assert!(seconds.contains_key("blinded elements"));
    assert!(one["learned"].as_str().expect("a sentence").starts_with("You learn: how many"));
}

#[test]
fn duplicates_and_empty_keys_have_defined_counts() {
    let (left, right) = pair();
    left.file("list.csv", "email,n\na@x.org,1\nA@X.ORG,2\n,3\nb@x.org,4\n a@x.org ,5\n");
    right.file("list.csv", "email,n\na@x.org,7\n,8\nA@x.org,9\nc@x.org,10\n");
    let one = [&INTERSECT[..], &["--json", "-o", "out.csv"]].concat();
    let two = [&INTERSECT[..], &["--json", "-o", "out.csv"]].concat();
    let (one, two) = meet(&left, &one, &right, &two);
    let (one, two) = (json(&one), json(&two));
    assert_eq!((&one["result"]["count"], &one["result"]["rows"]), (&1.into(), &3.into()));
    assert_eq!((&two["result"]["count"], &two["result"]["rows"]), (&1.into(), &2.into()));
    assert_eq!((&one["rows"], &one["distinct"], &one["empty"]), (&5.into(), &2.into(), &1.into()));
    assert_eq!(numbers(&left.read("out.csv")), [1, 2, 5]);
    assert_eq!(numbers(&right.read("out.csv")), [7, 9]);
}

#[test]
fn empty_lists_work() {
    let (left, right) = parties();
    left.file("list.csv", "email,n\n");
    for command in [&INTERSECT, &COUNT] {
        let args = [&command[..], &["--json"]].concat();
        let (one, two) = meet(&left, &args, &right, &args);
        assert_eq!(
            (&json(&one)["result"]["count"], &json(&two)["result"]["count"]),
            (&0.into(), &0.into())
        );
    }
}

#[test]
fn lists_come_from_standard_input_too() {
    let (left, right) = parties();
    let mut command =
        left.command(&["count", "-", "--key", "email:email", "--listen", ANY, "--peer", "right"]);
    command.stdin(std::process::Stdio::piped());
    let mut listening = Running::start(command);
    listening.feed(&list(0, 1000));
    let address = listening.address();
    let other = [&COUNT[..], &["--connect", &address, "--peer", "left"]].concat();
    let (two, one) = (right.run(&other), listening.output());
    assert_eq!((one.stdout.as_slice(), two.stdout.as_slice()), (&b"300\n"[..], &b"300\n"[..]));
}

#[test]
fn terms_that_differ_end_both_sides_with_both_values() {
    for (one, two, field, values) in [
        (&COUNT[..], &INTERSECT[..], "operation", ["count", "intersect"]),
        (
            &COUNT[..],
            &["count", "list.csv", "--key", "email:raw"][..],
            "key presets",
            ["email/1", "raw/1"],
        ),
        (
            &COUNT[..],
            &["count", "list.csv", "--key", "email:email", "--learn", "me"][..],
            "who learns",
            ["both", "me"],
        ),
    ] {
        let (left, right) = parties();
        let (one, two) = meet(&left, one, &right, two);
        for output in [&one, &two] {
            let said = stderr(output);
            assert_eq!(code(output), 3, "{said}");
            assert!(
                said.contains(field) && values.iter().all(|value| said.contains(value)),
                "{said}"
            );
        }
    }
}

#[test]
fn a_wrong_key_is_refused_loudly_and_the_right_peer_still_gets_in() {
    let (left, right) = parties();
    let stranger = party();
    stranger.file("list.csv", &list(0, 10));
    stranger.pin("left", &left);
    let listen = [&COUNT[..], &["--listen", ANY, "--peer", "right", "--deadline", "60s"]].concat();
    let mut waiting = left.start(&listen);
    let address = waiting.address();

    let connect =
        [&COUNT[..], &["--connect", &address, "--peer", "left", "--deadline", "20s"]].concat();
    let refused = stranger.run(&connect);
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("veilset peer add"), "{}", stderr(&refused));

    let mut garbage = TcpStream::connect(&address).expect("it listens");
    garbage.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("open");
    let _silent = TcpStream::connect(&address).expect("it listens");

    // The connecting side pinned another key than the one that listens.
    let (_, mistaken) = pair();
    mistaken.file("list.csv", &list(0, 10));
    let mistaken = mistaken.run(&connect);
    assert_eq!(code(&mistaken), 6, "{}", stderr(&mistaken));

    let right = right.run(&connect);
    let left = waiting.output();
    assert_eq!((code(&left), code(&right)), (0, 0), "{}{}", stderr(&left), stderr(&right));
    assert!(stderr(&left).contains("turned away"), "{}", stderr(&left));
}

#[test]
fn an_address_where_something_else_listens_is_named() {
    let (_, right) = parties();
    let other = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = other.local_addr().expect("an address").to_string();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = other.accept().expect("a caller");
        stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n").expect("open");
        // Until the caller is gone.
        while let Ok(1..) = stream.read(&mut [0; 4096]) {}
    });
    let connect =
        [&COUNT[..], &["--connect", &address, "--peer", "left", "--deadline", "20s"]].concat();
    let output = right.run(&connect);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    answering.join().expect("no panic");
}

#[test]
fn nobody_there_is_a_deadline_not_a_hang() {
    let (left, right) = parties();
    let connect =
        [&COUNT[..], &["--connect", NOBODY, "--peer", "left", "--deadline", "1s"]].concat();
    let listen = [&COUNT[..], &["--listen", ANY, "--peer", "right", "--deadline", "1s"]].concat();
    for (output, [begin, end]) in [
        (right.run(&connect), ["calling left at 127.0.0.1:", ", for 1 s at most (until "]),
        (left.run(&listen), ["waiting for right at 127.0.0.1:", ", for 1 s at most (until "]),
    ] {
        let said = stderr(&output);
        assert_eq!(code(&output), 4, "{said}");
        assert!(said.lines().any(|line| line.starts_with(begin) && line.contains(end)), "{said}");
    }
}

/// Kills one side in the middle of the work, when the other shows how far it is; returns how that one ended and what it
/// showed.
#[cfg(target_os = "linux")]
fn killed(kill_listener: bool) -> (Option<i32>, String, Party) {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 300_000));
    right.file("list.csv", &list(150_000, 450_000));
    let slow = ["--protocol", "dh", "--threads", "1", "-o", "out.csv"];
    let listen = [&INTERSECT[..], &slow, &["--peer", "right", "--listen", ANY]].concat();
    let at_terminal = |party: &Party, args: &[&str]| {
        Terminal::run(party, &format!("veilset {} --yes", args.join(" ")))
    };
    let connect =
        |address| [&INTERSECT[..], &slow, &["--peer", "left", "--connect", address]].concat();
    let (victim, mut terminal, survivor) = if kill_listener {
        let mut victim = left.start(&listen);
        let terminal = at_terminal(&right, &connect(&victim.address()));
        (victim, terminal, right)
    } else {
        let mut terminal = at_terminal(&left, &listen);
        let victim = right.start(&connect(&terminal.address("right")));
        (victim, terminal, left)
    };
    terminal.until("blinded elements");
    drop(victim);
    let (code, shown) = terminal.end();
    (code, shown, survivor)
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_peer_is_reported_with_the_step_and_leaves_no_file() {
    // At once, since the one that is left waits for a while.
    let runs = [true, false].map(|kill_listener| std::thread::spawn(move || killed(kill_listener)));
    for run in runs {
        let (code, said, party) = run.join().expect("no panic");
        assert_eq!(code, Some(4), "{said}");
        assert!(said.contains("the run goes on if the peer comes back within"), "{said}");
        assert!(said.contains("did not come back within 25 s"), "{said}");
        assert!(said.contains("during "), "{said}");
        assert_eq!(party.files(), ["home", "list.csv"]);
    }
}

/// The connection is cut in the middle of the work, and both programs go on where they were.
#[cfg(target_os = "linux")]
#[test]
fn a_cut_connection_is_not_the_end_of_a_run() {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 100_000));
    right.file("list.csv", &list(50_000, 150_000));
    let slow = ["--protocol", "dh", "--threads", "1", "--yes", "-o", "out.csv"];
    let listen = [&INTERSECT[..], &slow, &["--peer", "right", "--listen", ANY]].concat();
    let mut terminal = Terminal::run(&left, &format!("veilset {}", listen.join(" ")));
    let relay = veilset_stage::Relay::start();
    relay.to(&terminal.address("right"));
    let peer = right
        .start(&[&INTERSECT[..], &slow, &["--peer", "left", "--connect", &relay.address]].concat());
    terminal.until("blinded elements");
    relay.cut();
    let (ended, shown) = terminal.end();
    for line in
        ["the run goes on if the peer comes back within 25 s", "the peer is back, at 127.0.0.1"]
    {
        assert!(shown.contains(line), "{shown}");
    }
    let output = peer.output();
    assert_eq!((ended, code(&output)), (Some(0), 0), "{shown}{}", stderr(&output));
    let common: Vec<usize> = (50_000..100_000).collect();
    for party in [&left, &right] {
        assert_eq!(numbers(&party.read("out.csv")), common);
    }
    assert!(stderr(&output).contains("the peer is back"), "{}", stderr(&output));
}

#[test]
fn outputs_are_checked_before_anybody_waits() {
    let (left, _) = parties();
    left.file("out.csv", "precious");
    let args = [&INTERSECT[..], &["--listen", ANY, "--peer", "right", "-o", "out.csv"]].concat();
    let output = left.run(&args);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(left.read("out.csv"), "precious");
}

#[test]
fn a_run_that_would_need_too_much_memory_is_refused() {
    let (left, right) = parties();
    // The program itself takes all but some hundred bytes.
    let capped = [&COUNT[..], &["--max-memory", "16778kB"]].concat();
    let (one, two) = meet(&left, &capped, &right, &COUNT);
    assert_eq!((code(&one), code(&two)), (6, 6), "{}{}", stderr(&one), stderr(&two));
    for cap in ["8MB", "16MiB", "100"] {
        let capped = ["--listen", "127.0.0.1:0", "--peer", "right", "--max-memory", cap];
        let output = left.run(&[&COUNT[..], &capped].concat());
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("the program itself takes 16.8 MB"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn an_intersection_that_does_not_fit_is_run_in_parts() {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 30_000));
    right.file("list.csv", &list(20_000, 50_000));
    let common: Vec<usize> = (20_000..30_000).collect();
    for (protocol, cap) in [("dh", "18800kB"), ("rr22", "18800kB")] {
        let mine = [&INTERSECT[..], &["--protocol", protocol, "--json", "-o", "out.csv"]].concat();
        let capped = [&mine[..], &["--max-memory", cap]].concat();
        let rounds = |mine: &[&str]| {
            let (one, two) = meet(&left, mine, &right, &INTERSECT);
            assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
            assert_eq!(numbers(&left.read("out.csv")), common);
            std::fs::remove_file(left.path("out.csv")).expect("it was written");
            let report: serde_json::Value = serde_json::from_slice(&one.stdout).expect("an object");
            report["rounds"].as_u64().expect("a number")
        };
        let (whole, parts) = (rounds(&mine), rounds(&capped));
        assert!(parts >= 2 * whole && parts.is_multiple_of(whole), "{protocol}: {parts} {whole}");
    }
}
