//! What a run says of the quality of its lists, and of its result.

use serde_json::{Value, json};
use veilset_stage::{Party, stderr};

use crate::support::{json as object, meet, pair, party};

const COUNT: [&str; 4] = ["count", "list.csv", "--key", "k"];

/// Two parties with lists of these keys, in a column `k` beside `v`.
fn parties(left: &[&str], right: &[&str]) -> (Party, Party) {
    let parties = pair();
    for (party, keys) in [(&parties.0, left), (&parties.1, right)] {
        let rows = keys.iter().map(|key| format!("\"{key}\",1\n"));
        party.file("list.csv", &format!("k,v\n{}", rows.collect::<String>()));
    }
    parties
}

/// The codes of a JSON object's warnings, with their rows.
fn codes(report: &Value) -> Vec<(String, Option<u64>)> {
    let warnings = report["warnings"].as_array().expect("warnings");
    let code = |warning: &Value| warning["code"].as_str().expect("a code").to_owned();
    warnings
        .iter()
        .map(|warning| {
            assert!(!warning["text"].as_str().expect("a sentence").is_empty());
            (code(warning), warning["rows"].as_u64())
        })
        .collect()
}

/// The lines of warnings that somebody sees.
fn lines(output: &std::process::Output) -> Vec<String> {
    let said = stderr(output);
    said.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect()
}

const DIRTY: [&str; 8] = ["n/a", "NULL", "-", "unknown", "None", "nan", "ann", "bob"];

#[test]
fn placeholders_match_only_where_both_sides_keep_them() {
    let (left, right) = parties(&DIRTY, &DIRTY);
    let quiet = [&COUNT[..], &["-q"]].concat();
    let with_json = [&COUNT[..], &["--json"]].concat();
    let (two, one) = meet(&left, &with_json, &right, &quiet);
    assert_eq!(one.stdout, b"2\n", "ann and bob");
    let [line] = &lines(&one)[..] else { panic!("one warning, quiet or not: {}", stderr(&one)) };
    assert!(line.contains("6 rows") && line.contains("placeholder"), "{line}");
    let report = object(&two);
    assert_eq!((&report["result"], &report["placeholders"]), (&json!({ "count": 2 }), &json!(6)));
    assert_eq!(codes(&report), [("placeholders".to_owned(), Some(6))]);

    let keep = [&COUNT[..], &["--keep-placeholders"]].concat();
    let (one, two) = meet(&left, &keep, &right, &COUNT);
    assert_eq!((&*one.stdout, &*two.stdout), (&b"2\n"[..], &b"2\n"[..]), "one side is not enough");
    let (one, two) = meet(&left, &keep, &right, &keep);
    assert_eq!((&*one.stdout, &*two.stdout), (&b"8\n"[..], &b"8\n"[..]));
    assert!(lines(&one).is_empty() && lines(&two).is_empty(), "they were asked for");
}

#[test]
fn hashes_on_one_side_are_said_quiet_and_in_json() {
    // MD5 of "a" to "c", SHA-1 of "a" to "c", by coreutils.
    let md5 = [
        "0cc175b9c0f1b6a831c399e269772661",
        "92eb5ffee6ae2fec3ad71c777531578f",
        "4a8a08f09d37b73795649038408b5f33",
    ];
    let sha1 = [
        "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
        "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98",
        "84a516841ba77a5b4648de2cd0dfcb30ea46dbb4",
    ];
    for hashed in [md5, sha1] {
        let (left, right) = parties(&["a", "b", "c"], &hashed);
        let quiet = [&COUNT[..], &["-q"]].concat();
        let with_json = [&COUNT[..], &["--json"]].concat();
        let (two, one) = meet(&left, &with_json, &right, &quiet);
        let [line] = &lines(&one)[..] else { panic!("one warning: {}", stderr(&one)) };
        assert!(line.contains("hashed on one side only (yours)"), "{line}");
        assert_eq!(codes(&object(&two)), [("hashed-on-one-side".to_owned(), None)]);
    }
}

#[test]
fn empty_value_cells_are_said_for_each_column() {
    let (left, right) = pair();
    left.file("list.csv", "k\na\nb\nc\n");
    right.file("list.csv", "k,v,w\na,1,\nb,,\nc,3,5\n,,\n");
    let owner = ["sum", "list.csv", "--key", "k", "--value", "v", "--value", "w", "--json", "-q"];
    let other = ["sum", "list.csv", "--key", "k"];
    let (_, one) = meet(&left, &other, &right, &owner);
    let report = object(&one);
    assert_eq!(report["result"], json!({ "count": 3, "sum": { "v": "4", "w": "5" } }));
    let empty = |rows| ("empty-values".to_owned(), Some(rows));
    assert_eq!(codes(&report), [empty(1), empty(2)]);
    let said = lines(&one);
    assert!(said[0].contains("\"v\" counts as 0") && said[1].contains("2 rows"), "{said:?}");
}

#[test]
fn no_match_at_all_says_what_to_compare() {
    let (left, right) = parties(&["a", "b", "c"], &["x", "y", "z"]);
    let with_json = [&COUNT[..], &["--json"]].concat();
    let (one, two) = meet(&left, &COUNT, &right, &with_json);
    let [line] = &lines(&one)[..] else { panic!("one warning: {}", stderr(&one)) };
    for part in ["presets", "one key", "hashed"] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(codes(&object(&two)), [("no-match".to_owned(), None)]);
    // Whoever asks for one key asks a question, and is answered.
    let (left, right) = parties(&["a"], &["x", "y", "z"]);
    let (one, two) = meet(&left, &COUNT, &right, &COUNT);
    assert!(lines(&one).is_empty() && lines(&two).is_empty());
}

#[test]
fn a_run_warns_in_three_lines_at_most_and_json_has_all() {
    let keys = ["n/a", " a", "1.5E+11", "Ann@Example.com", "+44 20 7946 0018"];
    let (left, right) = parties(&keys, &["x", "y", "z"]);
    let with_json = [&COUNT[..], &["--json"]].concat();
    let (one, _) = meet(&left, &with_json, &right, &COUNT);
    let said = lines(&one);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[1].contains("and 4 more") && said[1].contains("veilset check"), "{said:?}");
    assert_eq!(codes(&object(&one)).len(), 6, "{:?}", codes(&object(&one)));
}

#[test]
fn people_with_calendars_read_of_slots() {
    let (left, right) = pair();
    let calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n";
    let mut ends = Vec::new();
    for (party, hours) in [(&left, "09:00-12:00"), (&right, "10:00-12:00")] {
        party.file("mine.ics", calendar);
        let command =
            ["agree", "mine.ics", "--between", "2027-03-29", "--length", "1h", "--step", "1h"];
        ends.push([&command[..], &["--zone", "UTC", "--hours", hours]].concat());
    }
    let (one, _) = meet(&left, &ends[0], &right, &ends[1]);
    let said = stderr(&one);
    assert!(said.contains("right offers 2 slots"), "{said}");
    assert!(!said.contains("distinct") && !said.contains("hash"), "{said}");
}

#[test]
fn a_demo_takes_two_lists_of_ones_own() {
    let party = party();
    party.file("a.csv", "mail,n\nAnn@x.com,1\nbob@x.com,2\n,3\n");
    party.file("b.csv", "address\nann@X.com\ncy@x.com\n");
    let demo = ["demo", "a.csv", "b.csv", "--key", "mail:email", "--other-key", "address:email"];
    let shown = party.run(&demo);
    assert!(shown.status.success(), "{}", stderr(&shown));
    let rows = String::from_utf8_lossy(&shown.stdout);
    assert!(rows.ends_with("mail,n\nAnn@x.com,1\n"), "{rows}");
    assert!(stderr(&shown).contains("1 of its keys match"), "{}", stderr(&shown));
    let report = object(&party.run(&[&demo[..], &["--json"]].concat()));
    assert_eq!(report["runs"][0]["north"]["result"], json!({ "count": 1 }));
    let alone = party.run(&["demo", "a.csv", "--key", "mail"]);
    assert_eq!(alone.status.code(), Some(2));
}
