//! Results that their place does not take: found before the peer is met, or kept.

use std::fs;

use veilset_stage::{Party, Running, code, stderr};

use crate::support::{ANY, PROGRAM, meet, pair};

/// Rows of 250 bytes.
fn list(first: u32, last: u32) -> String {
    let note = "of no use ".repeat(22);
    let rows = (first..last).map(|n| format!("{n},user{n}@example.com,{note}\n"));
    format!("id,email,note\n{}", rows.collect::<String>())
}

const KEY: [&str; 3] = ["list.csv", "--key", "email:email"];

/// Runs the program with these words; none of its files may have more than 128 KiB, which stands for a disk with as little
/// room.
fn in_little_room(party: &Party, words: &str) -> Running {
    let line = format!("trap '' XFSZ; ulimit -f 256; exec {PROGRAM} {words}");
    Running::start(party.shell(&line))
}

#[test]
fn a_result_that_might_not_fit_is_refused_before_the_peer_is_met() {
    let (left, _) = pair();
    left.file("list.csv", &list(0, 1000));
    for out in ["out.csv", "out.ndjson", "out.parquet", "out.arrow"] {
        let words = format!("intersect list.csv --key email:email --listen {ANY} --peer right");
        let output = in_little_room(&left, &format!("{words} -o {out}")).output();
        let said = stderr(&output);
        assert_eq!(code(&output), 6, "{said}");
        assert!(said.contains(out) && said.contains("make room"), "{said}");
        assert!(!said.contains("waiting"), "{said}");
        assert!(!left.files().iter().any(|name| name.contains("out")), "{:?}", left.files());
    }
}

#[test]
fn rows_of_the_peer_that_might_not_fit_are_refused_before_they_come() {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 10));
    right.file("list.csv", &list(5, 1000));
    let words = "union list.csv --key email:email --send note --peer right -o out.csv";
    let mut refusing = in_little_room(&left, &format!("{words} --listen {ANY}"));
    let address = refusing.address();
    let flags = ["--send", "note", "--connect", &address, "--peer", "left", "-o", "out.csv"];
    let declined = right.run(&[&["union"], &KEY[..], &flags].concat());
    let output = refusing.output();
    assert_eq!(code(&output), 6, "{}", stderr(&output));
    assert!(stderr(&output).contains("make room"), "{}", stderr(&output));
    assert_eq!(code(&declined), 6, "{}", stderr(&declined));
    for party in [&left, &right] {
        assert!(!party.files().iter().any(|name| name.contains("out")), "{:?}", party.files());
    }
}

/// Its folder goes away while the peer is awaited.
#[test]
fn a_result_that_its_place_does_not_take_is_kept_and_said_where() {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 300));
    right.file("list.csv", &list(200, 400));
    for folder in ["there", "scratch"] {
        fs::create_dir(left.path(folder)).expect("a new folder");
    }
    let flags = ["--listen", ANY, "--peer", "right", "--scratch", "scratch"];
    let mut run =
        left.start(&[&["intersect"], &KEY[..], &flags, &["-o", "there/out.csv"]].concat());
    let address = run.address();
    fs::remove_dir(left.path("there")).expect("nothing is in it");

    let flags = ["--connect", &address, "--peer", "left", "-o", "out.csv"];
    let peer = right.run(&[&["intersect"], &KEY[..], &flags].concat());
    let output = run.output();
    let rest = stderr(&output).split_off(stderr(&output).find("waiting").expect("it waited"));
    assert_eq!((code(&peer), code(&output)), (0, 2), "{}{rest}", stderr(&peer));
    assert_eq!(right.read("out.csv").lines().count(), 1 + 100);

    let kept: Vec<_> = fs::read_dir(left.path("scratch")).expect("a folder").collect();
    let [Ok(kept)] = &kept[..] else { panic!("one file, not {kept:?}") };
    let name = kept.file_name().into_string().expect("text");
    assert!(name.starts_with("veilset-") && name.ends_with(".csv"), "{name}");
    assert!(rest.contains(&name) && rest.contains("peer"), "{rest}");
    let rows: Vec<String> = list(200, 300).lines().map(str::to_owned).collect();
    let text = fs::read_to_string(kept.path()).expect("readable");
    assert_eq!(text.lines().collect::<Vec<_>>(), rows);
}

#[test]
fn a_name_that_would_mislead_is_refused_before_anything_happens() {
    let (left, right) = pair();
    left.file("list.csv", &list(0, 10));
    right.file("list.csv", &list(0, 10));
    for out in ["out.xlsx", "out.csv.gz", "s.veil"] {
        let words = ["--connect", "127.0.0.1:1", "--peer", "right", "-o", out];
        let output = left.run(&[&["intersect"], &KEY[..], &words].concat());
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(".parquet"), "{}", stderr(&output));
    }
    let (one, two) = meet(
        &left,
        &[&["intersect"], &KEY[..], &["-o", "out.tsv"]].concat(),
        &right,
        &[&["intersect"], &KEY[..], &["-o", "out"]].concat(),
    );
    assert_eq!((code(&one), code(&two)), (0, 0), "{}{}", stderr(&one), stderr(&two));
    assert_eq!(left.read("out.tsv"), list(0, 10).replace(',', "\t"));
    assert_eq!(right.read("out"), list(0, 10));
}
