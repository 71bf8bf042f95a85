//! `veilset openmined`, against plain sets, against itself, and against the published package where Python has it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use veilset_stage::{Party, Running, code, root, stderr, stdout};

use crate::support::schema::Schema;
use crate::support::{PROGRAM, json, party};

const KEY: [&str; 2] = ["--key", "email:email"];

/// Who asks, who serves, and how many keys both have.
struct Sides {
    party: Party,
    common: BTreeSet<String>,
}

fn address(number: u32) -> String {
    format!("user{number}@example.com")
}

/// A list of ours, `list.csv`, and a partner's, `partner.csv` and `items.txt`, of so many keys each.
fn sides(keys: u32) -> Sides {
    let party = party();
    let (ours, theirs) = (0..keys, keys * 2 / 3..keys * 5 / 3);
    let common = ours.clone().filter(|number| theirs.contains(number)).map(address).collect();
    let row = |number: u32| format!(" {} ,{number}\n", address(number).to_uppercase());
    party.file("list.csv", &format!("email,n\n{}", ours.map(row).collect::<String>()));
    let lines: String = theirs.map(|number| address(number) + "\n").collect();
    party.file("partner.csv", &format!("email\n{lines}"));
    party.file("items.txt", &lines);
    Sides { party, common }
}

impl Sides {
    fn veilset(&self, command: &str, more: &[&str]) -> Output {
        let words = command.split(' ');
        self.party.run(
            &["openmined"].into_iter().chain(words).chain(more.iter().copied()).collect::<Vec<_>>(),
        )
    }

    /// Runs a command that succeeds.
    fn did(&self, command: &str, more: &[&str]) -> Output {
        let output = self.veilset(command, more);
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        output
    }

    /// Checks rows with a header.
    fn check_rows(&self, rows: &str, structure: &str) {
        let cells = rows.lines().skip(1).filter_map(|row| row.split(',').next());
        self.check(cells.map(|cell| cell.trim().to_lowercase()), structure);
    }

    /// Checks lines.
    fn check_items(&self, items: &str, structure: &str) {
        self.check(items.lines().map(str::to_owned), structure);
    }

    fn check(&self, found: impl Iterator<Item = String>, structure: &str) {
        let found: Vec<String> = found.collect();
        let common = found.iter().filter(|item| self.common.contains(*item)).count();
        let beside = found.len() - common;
        assert_eq!(common, self.common.len());
        assert!(beside <= most_false(structure), "{beside} by {structure}");
    }

    fn check_count(&self, count: &str, structure: &str) {
        let count: usize = count.trim().parse().expect("a number");
        let most = self.common.len() + most_false(structure);
        assert!((self.common.len()..=most).contains(&count), "{count} by {structure}");
    }

    /// A fresh name for a key.
    fn secret(&self, name: &str) -> String {
        let _ = fs::remove_file(self.party.path(name));
        name.to_owned()
    }
}

/// One request in seventy or so has a false positive in a Bloom filter of this form; three have a chance of one in a million.
fn most_false(structure: &str) -> usize {
    if structure == "bloom" { 2 } else { 0 }
}

const STRUCTURES: [&str; 3] = ["raw", "gcs", "bloom"];

#[test]
fn both_sides_of_ours_find_what_plain_sets_have_in_common() {
    let sides = sides(300);
    for (structure, count) in STRUCTURES.into_iter().flat_map(|s| [(s, None), (s, Some("--count"))])
    {
        let (own, theirs) = (sides.secret("own.key"), sides.secret("their.key"));
        let count: Vec<&str> = count.into_iter().collect();
        let setup = [
            "--secret",
            &theirs,
            "--client-keys",
            "300",
            "--structure",
            structure,
            "-o",
            "setup.bin",
            "--force",
        ];
        sides.did("setup partner.csv", &[&KEY[..], &setup, &count].concat());
        let request = ["--secret", &own, "-o", "request.bin", "--force"];
        let told = sides.did("request list.csv", &[&KEY[..], &request, &count].concat());
        assert!(stderr(&told).contains("no terms are agreed on"), "{}", stderr(&told));
        sides.did("respond request.bin", &["--secret", &theirs, "-o", "response.bin", "--force"]);
        let found = sides.did(
            "intersect list.csv --setup setup.bin --response response.bin",
            &[&KEY[..], &["--secret", &own]].concat(),
        );
        let printed = sides.did(
            "intersect list.csv --json --setup setup.bin --response response.bin",
            &[&KEY[..], &["--secret", &own]].concat(),
        );
        let printed = json(&printed);
        Schema::load().check("openmined", &printed);
        assert_eq!(printed["structure"], structure);
        assert_eq!(printed["result"]["rows"].is_null(), !count.is_empty());
        sides.check_count(&printed["result"]["count"].to_string(), structure);
        if count.is_empty() {
            sides.check_rows(&stdout(&found), structure);
        } else {
            sides.check_count(&stdout(&found), structure);
        }
    }
}

#[test]
fn a_service_answers_until_its_budget_is_spent() {
    let sides = sides(30);
    let serve = "openmined serve partner.csv --key email:email --listen 127.0.0.1:0 --client-keys 30 --budget 50";
    let mut service = sides.party.start(&serve.split(' ').collect::<Vec<_>>());
    let url = format!("http://{}", service.address());
    let query = [&KEY[..], &["--connect", &url]].concat();
    sides.check_rows(&stdout(&sides.did("query list.csv", &query)), "raw");
    let refused = sides.veilset("query list.csv --count --json", &query);
    Schema::load().check("error", &serde_json::from_slice(&refused.stdout).expect("an object"));
    let counts = sides.veilset("query list.csv --count", &query);
    assert_eq!(code(&counts), 3, "{}", stderr(&counts));
    let spent = sides.veilset("query list.csv", &query);
    assert_eq!((code(&spent), stdout(&spent).as_str()), (6, ""), "{}", stderr(&spent));
    sides.party.file(
        "long.csv",
        &format!("email\n{}", (0..31).map(|n| address(n) + "\n").collect::<String>()),
    );
    assert_eq!(code(&sides.veilset("query long.csv", &query)), 6);
    service.line_with("refused");
    drop(service);
    let gone = sides.veilset("query list.csv", &query);
    assert_eq!(code(&gone), 4, "{}", stderr(&gone));
}

#[test]
fn bad_messages_lists_and_keys_are_refused_and_cost_nothing() {
    let sides = sides(30);
    sides.did("setup partner.csv --secret their.key --client-keys 30 -o setup.bin", &KEY);
    sides.did("request list.csv --secret own.key -o request.bin", &KEY);
    sides.did("respond request.bin --secret their.key -o response.bin", &[]);
    let intersect =
        "intersect list.csv --secret own.key --setup setup.bin --response response.bin -o rows.csv";
    let fails = |command: &str, expected: i32, why: &str| {
        let key: &[&str] = if command.starts_with("respond") { &[] } else { &KEY };
        let output = sides.veilset(command, key);
        assert_eq!(code(&output), expected, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains(why), "{command}: {}", stderr(&output));
    };
    for (name, bytes) in [("setup.bin", 1000), ("response.bin", 100)] {
        let whole = fs::read(sides.party.path(name)).expect("readable");
        fs::write(sides.party.path(name), &whole[..bytes]).expect("writable");
        fails(intersect, 5, "it ends in the middle of a field");
        let mut off = whole.clone();
        // The first element's form, behind its tags and lengths.
        let first = whole.iter().position(|byte| *byte == 33).expect("a length") + 1;
        off[first] = 9;
        fs::write(sides.party.path(name), &off).expect("writable");
        fails(intersect, 5, "is no point of P-256");
        fs::write(sides.party.path(name), &whole).expect("writable");
    }
    fails("respond request.bin --secret own.key", 2, "it is the other side's");
    fails("respond setup.bin --secret their.key", 5, "this is no request");
    fails("respond nothing.bin --secret their.key", 2, "nothing.bin");
    fails(
        "setup partner.csv --secret their.key --client-keys 30 -o new.bin",
        2,
        "their.key holds the key",
    );
    fails("request list.csv --secret own.key -o new.bin", 2, "own.key holds the key");
    fails(
        "intersect partner.csv --secret own.key --setup setup.bin --response response.bin",
        2,
        "have changed since",
    );
    assert!(!sides.party.path("rows.csv").exists() && !sides.party.path("new.bin").exists());
    sides.did(intersect, &KEY);
    sides.check_rows(&sides.party.read("rows.csv"), "raw");
    let two = sides.veilset("request list.csv --secret new.key --key email,n", &[]);
    assert_eq!(code(&two), 2);
    assert!(stderr(&two).contains("the key has 2 columns"), "{}", stderr(&two));
    assert!(!sides.party.path("new.key").exists());
}

#[test]
fn a_key_is_replaced_once_the_message_is_out() {
    let sides = sides(30);
    sides.did("setup partner.csv --secret their.key --client-keys 30 -o setup.bin", &KEY);
    sides.did("request list.csv --secret own.key -o request.bin", &KEY);
    let (theirs, own) = (sides.party.read("their.key"), sides.party.read("own.key"));
    let away = sides.party.path("away");
    fs::create_dir(&away).expect("room");
    for command in [
        "setup partner.csv --secret their.key --client-keys 30 --force -o away",
        "request list.csv --secret own.key --force -o away",
        "request list.csv --secret own.key --force -o own.key",
        "request list.csv --secret own.key --force -o away/../own.key",
        "request list.csv --secret list.csv --force -o new.bin",
        "request list.csv --secret fresh.key --force -o ./fresh.key",
    ] {
        let list = sides.party.read("list.csv");
        let failed = sides.veilset(command, &KEY);
        assert_eq!(code(&failed), 2, "{command}: {}", stderr(&failed));
        assert_eq!(sides.party.read("their.key"), theirs, "{command}");
        assert_eq!(sides.party.read("own.key"), own, "{command}");
        assert_eq!(sides.party.read("list.csv"), list, "{command}");
        assert!(!sides.party.path("fresh.key").exists(), "{command}");
    }
    let files = sides.party.files();
    assert!(files.iter().all(|name| !name.starts_with('.')), "{files:?}");
    if cfg!(target_os = "linux") {
        let line = "request list.csv --key email:email --secret own.key --force";
        let mut to_a_full_disk =
            sides.party.shell(&format!("{PROGRAM} openmined {line} > /dev/full"));
        let failed = to_a_full_disk.output().expect("it starts");
        assert_eq!(code(&failed), 2, "{}", stderr(&failed));
        assert_eq!(sides.party.read("own.key"), own);
    }
    sides.did("request list.csv --secret own.key --force -o request.bin", &KEY);
    assert_ne!(sides.party.read("own.key"), own);
}

#[cfg(unix)]
#[test]
fn keys_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let sides = sides(30);
    sides.did("request list.csv --secret own.key -o request.bin", &KEY);
    let about = fs::metadata(sides.party.path("own.key")).expect("a file");
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    fs::set_permissions(sides.party.path("own.key"), fs::Permissions::from_mode(0o644))
        .expect("mine");
    let exposed = sides.veilset("intersect list.csv --secret own.key --setup s --response r", &KEY);
    assert_eq!(code(&exposed), 2);
}

/// What `history` has: operation, partner, protocol, own keys, the partner's, and the ending of each step.
fn history(sides: &Sides) -> Vec<String> {
    let all = json(&sides.party.run(&["history", "--json"]));
    Schema::load().check("history", &all);
    let runs = all["runs"].as_array().expect("a list").iter().map(|run| {
        let peer = &run["peers"][0];
        assert!(peer["key"].is_null());
        let texts = [&run["operation"], &peer["name"], &run["protocol"], &run["ending"]];
        let texts = texts.map(|text| text.as_str().expect("a text").to_owned());
        format!("{} {} {}", texts.join(" "), run["distinct"], peer["distinct"])
    });
    runs.collect()
}

#[test]
fn rules_hold_or_refuse_before_anything_is_written() {
    let sides = sides(30);
    let request = "request list.csv --secret own.key -o request.bin";
    let fails = |command: &str, why: &str| {
        let key: &[&str] = if command.starts_with("respond") { &[] } else { &KEY };
        let refused = sides.veilset(command, key);
        assert_eq!(code(&refused), 6, "{command}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(why), "{command}: {}", stderr(&refused));
    };
    let policy = |text: &str| sides.party.file("home/policy.toml", text);
    policy("least = 10\n");
    fails(request, "say with --peer what you call this partner");
    for (rules, why) in [
        ("operations = [\"count\"]", "it allows count, not intersect (rule `operations`"),
        ("reference = \"DPA 7\"", "nobody compares references"),
        ("protocols = [\"rr22\"]", "it allows rr22, not openmined"),
        ("key-presets = [\"phone\"]", "it allows the presets phone"),
        ("own-least = 31", "your list has 30 keys"),
        ("pad-to = 100", "your list has fewer keys"),
    ] {
        policy(rules);
        fails(&format!("{request} --peer acme"), why);
    }
    policy("least = 5\n[peers.acme]\nleast = 11\nprotocols = [\"openmined\"]\npeer-most = 29\n");
    let setup = "setup partner.csv --secret their.key --client-keys 30 -o setup.bin --peer acme";
    fails(setup, "the partner's program sees the whole result");
    assert_eq!(history(&sides), [""; 0]);
    assert!(!sides.party.path("own.key").exists() && !sides.party.path("their.key").exists());
    // Another file of rules, without that one.
    sides.party.file("more.toml", "peer-least = 10\nruns = \"3 per 1d\"\n");
    sides.did(&format!("{setup} --policy more.toml"), &KEY);
    sides.did(&format!("{request} --peer acme"), &KEY);
    let respond = "respond request.bin --secret their.key --policy more.toml --peer acme";
    fails(&respond.replace("more", "home/policy"), "the partner's program sees");
    sides.did(&format!("{respond} -o response.bin"), &[]);
    fails(respond, "3 have begun");
    sides.party.file("more.toml", "peer-least = 31\n");
    fails(respond, "the peer has 30 keys");
    // Ten keys match, and the setup shows how many the partner has.
    let intersect = "intersect list.csv --secret own.key --setup setup.bin --response response.bin";
    fails(&format!("{intersect} --peer acme"), "it allows 29 at most (rule `peer-most`");
    sides.did(&format!("{intersect} --peer other"), &KEY);
    let steps =
        ["intersect acme openmined complete 30 0", "intersect acme openmined complete 30 0"];
    assert_eq!(history(&sides), [&steps[..], &["answer acme openmined complete 30 30"]].concat());
}

#[test]
fn a_service_keeps_the_rules_that_it_can() {
    let sides = sides(30);
    let serve = "serve partner.csv --listen 127.0.0.1:0 --client-keys 30 --budget 500 --peer shop";
    for (rules, why) in [
        ("runs = \"3 per 1d\"", "anybody who reaches the service may ask"),
        ("most-rate = 50", "the partner's program sees the whole result"),
    ] {
        sides.party.file("home/policy.toml", rules);
        let refused = sides.veilset(serve, &KEY);
        assert_eq!(code(&refused), 6, "{}", stderr(&refused));
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
    sides.party.file("home/policy.toml", "peer-least = 20\n");
    let words = ["openmined"].into_iter().chain(serve.split(' ')).chain(KEY);
    let mut service = sides.party.start(&words.collect::<Vec<_>>());
    let url = format!("http://{}", service.address());
    let query = [&KEY[..], &["--connect", &url, "--peer", "me"]].concat();
    sides.check_rows(&stdout(&sides.did("query list.csv", &query)), "raw");
    sides.party.file("few.csv", "email\nuser25@example.com\n");
    let refused = sides.veilset("query few.csv", &query);
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("no request of so few"), "{}", stderr(&refused));
    assert!(!stderr(&refused).contains("policy.toml"), "{}", stderr(&refused));
    service.line_with("the peer has 1 keys, and it asks for 20 at least");
    // This side's own rules: how many the server has, and how many match.
    for (rules, why) in [
        ("peer-most = 29", "the peer has 30 keys"),
        ("least = 11", "fewer than 11 matches, so the result is withheld (rule `least`"),
    ] {
        sides.party.file("own.toml", rules);
        let refused = sides.veilset("query list.csv --policy own.toml", &query);
        assert_eq!((code(&refused), stdout(&refused).as_str()), (6, ""), "{}", stderr(&refused));
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
}

/// An interpreter that has the package: the one of this variable, or the one of the Python package's tests.
fn python() -> Option<PathBuf> {
    let own = std::env::var_os("VEILSET_OPENMINED_PYTHON").map(PathBuf::from);
    let target =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent()?.join("python/venv/bin/python");
    own.into_iter().chain([target]).find(|python| {
        let mut command = Command::new(python);
        command.args(["-c", "import private_set_intersection.python"]).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// The partner's command.
fn partner(sides: &Sides, python: &PathBuf, words: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(root().join("examples/openmined/partner.py")).args(words.split(' '));
    command.current_dir(sides.party.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn partner_did(sides: &Sides, python: &PathBuf, words: &str) -> String {
    let output = partner(sides, python, words).output().expect("it starts");
    assert_eq!(code(&output), 0, "{words}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn the_published_package_finds_what_we_find_in_both_directions() {
    let Some(python) = python() else {
        veilset::voice::say("skipped: no Python with openmined.psi; scripts/venv makes one");
        return;
    };
    let sides = sides(10_000);
    for structure in STRUCTURES {
        for (theirs, ours) in [("", &[][..]), ("--count ", &["--count"])] {
            let own = sides.secret("own.key");
            partner_did(
                &sides,
                &python,
                &format!("{theirs}setup items.txt 10000 {structure} their.key setup.bin"),
            );
            sides.did(
                "request list.csv -o request.bin --force",
                &[&KEY[..], &["--secret", &own], ours].concat(),
            );
            partner_did(
                &sides,
                &python,
                &format!("{theirs}respond their.key request.bin response.bin"),
            );
            let found = sides.did(
                "intersect list.csv --setup setup.bin --response response.bin",
                &[&KEY[..], &["--secret", &own]].concat(),
            );
            let own = sides.secret("own.key");
            let setup = ["--secret", &own, "--structure", structure];
            sides.did(
                "setup list.csv --client-keys 10000 -o setup.bin --force",
                &[&KEY[..], &setup, ours].concat(),
            );
            partner_did(
                &sides,
                &python,
                &format!("{theirs}request items.txt their.key request.bin"),
            );
            sides.did("respond request.bin -o response.bin --force", &["--secret", &own]);
            let there = partner_did(
                &sides,
                &python,
                &format!("{theirs}intersect items.txt their.key setup.bin response.bin"),
            );
            if ours.is_empty() {
                sides.check_rows(&stdout(&found), structure);
                sides.check_items(&there, structure);
            } else {
                sides.check_count(&stdout(&found), structure);
                sides.check_count(&there, structure);
            }
        }
    }
    over_http(&sides, &python);
}

fn over_http(sides: &Sides, python: &PathBuf) {
    let mut theirs = Running::start(partner(sides, python, "serve items.txt 10000 gcs"));
    let url = format!("http://{}", theirs.address());
    let query = [&KEY[..], &["--connect", &url]].concat();
    sides.check_rows(&stdout(&sides.did("query list.csv", &query)), "gcs");
    let serve =
        "openmined serve list.csv --key email:email --listen 127.0.0.1:0 --client-keys 10000";
    let mut ours = sides.party.start(&serve.split(' ').collect::<Vec<_>>());
    let url = format!("http://{}", ours.address());
    sides.check_items(&partner_did(sides, python, &format!("query items.txt {url}")), "raw");
}
