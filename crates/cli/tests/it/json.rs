//! What `--json` prints, against `docs/json.schema.json`, and that against `docs/use/json.md`.

use std::collections::BTreeSet;
use std::process::Output;

use serde_json::{Value, json};
use veilset_stage::{Party, code, stderr};

use crate::support::schema::Schema;
use crate::support::{json as object, meet, pair};

const LIST: [&str; 3] = ["list.csv", "--key", "email:email"];

fn parties() -> (Party, Party) {
    let (left, right) = pair();
    let list = |numbers: std::ops::Range<u32>| {
        let rows: String = numbers.map(|n| format!("user{n}@example.com,{n}.5\n")).collect();
        format!("email,amount\n{rows}")
    };
    left.file("list.csv", &list(0..30));
    right.file("list.csv", &list(20..40));
    (left, right)
}

fn command<'a>(operation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[operation], &LIST[..], more].concat()
}

/// The object of a command that fails.
fn failed(output: &Output) -> Value {
    assert_ne!(code(output), 0);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", stderr(output)))
}

#[test]
fn every_operation_prints_what_the_schema_says_and_both_sides_name_one_run() {
    let (schema, (left, right)) = (Schema::load(), parties());
    let mut runs = BTreeSet::new();
    for (operation, mine) in [
        ("intersect", &["-o", "out.csv", "--force"][..]),
        ("count", &[]),
        ("sum", &["--value", "amount"]),
        ("sum", &["--value", "amount", "--stats", "--where", "amount>=22"]),
        ("union", &["-o", "out.csv", "--force"]),
        ("share", &["--value", "amount", "-o", "out.csv", "--force"]),
        ("align", &["-o", "out.csv", "--force"]),
    ] {
        let (mine, theirs) =
            (command(operation, &[mine, &["--json"]].concat()), command(operation, &["--json"]));
        let (one, two) = meet(&left, &mine, &right, &theirs);
        let (one, two) = (object(&one), object(&two));
        for (end, name, key) in [(&one, "right", &right.key), (&two, "left", &left.key)] {
            schema.check("run", end);
            assert_eq!(end["peer"], json!({ "name": name, "key": key }), "{operation}");
            assert_eq!((&end["presets"], &end["learn"]), (&json!("email/1"), &json!("both")));
            assert_eq!((&end["security"], &end["schema"]), (&json!("semi-honest"), &json!(1)));
            assert_eq!(end["version"], env!("CARGO_PKG_VERSION"));
            let time = end["time"].as_str().expect("a time");
            assert!(time.len() == 20 && time.ends_with('Z') && &time[10..11] == "T", "{time}");
        }
        let run = one["run"].as_str().expect("an id").to_owned();
        assert!(run.len() == 32 && run.chars().all(|c| c.is_ascii_hexdigit()), "{run}");
        assert_eq!(one["run"], two["run"]);
        assert!(runs.insert(run), "another run, another id");
    }
}

#[test]
fn a_meeting_prints_what_the_schema_says() {
    let (schema, (left, right)) = (Schema::load(), parties());
    for party in [&left, &right] {
        party.file("mine.ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n");
    }
    let mine: Vec<&str> =
        "agree mine.ics --between 2027-03-29 --hours 09:00-11:00 --zone UTC --length 1h --json"
            .split(' ')
            .collect();
    let (one, two) = meet(&left, &mine, &right, &mine);
    let (one, two) = (object(&one), object(&two));
    schema.check("run", &one);
    assert_eq!((&one["result"], &one["run"]), (&two["result"], &two["run"]));
}

#[test]
fn commands_of_one_side_print_what_the_schema_says() {
    let (schema, (left, _)) = (Schema::load(), parties());
    let lines = |args: &[&str]| -> Vec<Value> {
        let output = left.run(args);
        assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let settings = "[defaults]\ndeadline = \"1m\"\n[peers.right]\nvia = \"wss://relay.example\"\n";
    left.file("home/config.toml", settings);
    let plan = ["plan", "--operation", "intersect", "--json", "--threads", "1"];
    for (name, args) in [
        ("check", &command("check", &["--json", "--value", "email"])[..]),
        ("columns", &["check", "list.csv", "--json"]),
        ("prices", &[&plan[..], &["--rows", "100", "--peer-rows", "200"]].concat()),
        (
            "clusters",
            &[&plan[..], &["--cluster", "--rows", "10^7", "--peer-rows", "10^7"]].concat(),
        ),
        (
            "prices_of_several",
            &[&plan[..], &["--parties", "3", "--rows", "100", "--peer-rows", "200"]].concat(),
        ),
        ("config", &["config", "--json"]),
        ("protocols", &["protocols", "--json"]),
        ("protocols_of_several", &["protocols", "--several", "--json"]),
        ("measurement", &["bench", "dh", "mqrpmt-dh-sum", "--sizes", "16", "--json"]),
        ("measurement_of_several", &["bench", "leader-pivot", "--sizes", "16", "--json"]),
        ("curve", &["bench", "curve", "--seconds", "0.02", "--json"]),
        ("timing", &["bench", "timing", "--seconds", "0.02", "--json"]),
        ("demo", &["demo", "--json"]),
    ] {
        let found = if name == "timing" {
            // So short a test may not see the control's difference, which is its fault then.
            let text = String::from_utf8(left.run(args).stdout).expect("text");
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
        } else {
            lines(args)
        };
        assert!(!found.is_empty(), "{name}");
        for line in found.iter().filter(|line| line.get("error").is_none()) {
            schema.check(name, line);
        }
    }
}

#[test]
fn a_failure_prints_an_error_as_json_too() {
    let (schema, (left, right)) = (Schema::load(), parties());
    let check = |output: &Output, kind: &str| {
        let object = failed(output);
        schema.check("error", &object);
        let error = &object["error"];
        assert_eq!((&error["code"], &error["kind"]), (&json!(code(output)), &json!(kind)));
        let (text, said) = (error["text"].as_str().expect("text"), stderr(output));
        assert!(said.contains(text), "{text:?} is said, too: {said:?}");
        text.to_owned()
    };
    let wrong = left.run(&["check", "list.csv", "--key", "mail", "--json"]);
    assert!(check(&wrong, "input").contains("did you mean"));
    let flags = left.run(&["count", "list.csv", "--key", "email", "--json", "--protcol", "dh"]);
    assert!(check(&flags, "input").contains("--protcol"));
    let nobody = command("count", &["--json", "--deadline", "1s", "--peer", "right"]);
    let away = left.run(&[&nobody[..], &["--connect", "127.0.0.1:9"]].concat());
    check(&away, "network");

    let (one, two) = meet(
        &left,
        &command("count", &["--json"]),
        &right,
        &command("intersect", &["--json", "--security", "malicious", "--learn", "me"]),
    );
    for end in [&one, &two] {
        let text = check(end, "terms");
        for field in ["operation: here", "security: here", "who learns"] {
            assert!(text.contains(field), "all differences at once: {text}");
        }
    }
    assert!(left.run(&["--help"]).stdout.starts_with(b"Private set operations"));
}

#[test]
fn the_page_and_the_schema_name_the_same_members() {
    let schema = Schema::load();
    let mut named = BTreeSet::new();
    members(schema.document(), &mut named);
    let page = include_str!("../../../../docs/use/json.md");
    let said: BTreeSet<String> = page.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let missing: Vec<_> = named.difference(&said).collect();
    assert!(missing.is_empty(), "docs/use/json.md does not say what these are: {missing:?}");
    // The first column of the tables whose rows are members.
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|line| line.split('|').nth(1));
    let first = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let unknown: Vec<_> = first.filter(|name| !named.contains(*name)).collect();
    assert!(unknown.is_empty(), "docs/json.schema.json has none of {unknown:?}");
}

/// Every property that some definition names.
fn members(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(rules) => {
            let own = rules.get("properties").and_then(Value::as_object);
            found.extend(own.into_iter().flat_map(|own| own.keys().cloned()));
            rules.values().for_each(|rule| members(rule, found));
        }
        Value::Array(rules) => rules.iter().for_each(|rule| members(rule, found)),
        _ => {}
    }
}
