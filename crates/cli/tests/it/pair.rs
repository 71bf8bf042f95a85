//! PAIR between clean rooms as processes, with files between the steps.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use veilset_stage::{Party, code, root, stderr, stdout};

use crate::support::schema::Schema;
use crate::support::{PROGRAM, json, party};

/// The publisher's clean room and the advertiser's, each with its keys and its client's list.
fn rooms() -> (Party, Party) {
    let (publisher, advertiser) = (party(), party());
    let list = |header: &str, numbers: std::ops::Range<u32>| {
        let rows: String = numbers.map(|n| format!("{n}, User{n}@Example.COM \n")).collect();
        format!("id,{header}\n{rows}")
    };
    // With a row twice, one without an address, and one that is nobody's.
    let more = "9,user9@example.com\n,\n,n/a\n";
    publisher.file("list.csv", &[&list("email", 0..1500), more].concat());
    advertiser.file("list.csv", &list("Mail", 1000..2200));
    runs(&publisher, "pair key ks -o ks.txt");
    runs(&publisher, "pair key kp -o kp.txt");
    runs(&advertiser, "pair key ka -o ka.txt");
    give(&publisher, "ks.txt", &advertiser);
    (publisher, advertiser)
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn runs(party: &Party, line: &str) -> String {
    let output = party.run(&words(line));
    assert_eq!(code(&output), 0, "{line}: {}", stderr(&output));
    stdout(&output)
}

/// What is said where a command fails with this code.
fn fails(party: &Party, line: &str, expected: i32) -> String {
    let output = party.run(&words(line));
    assert_eq!(code(&output), expected, "{line}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{line}");
    stderr(&output)
}

/// One party's file goes to the other, with the rights that it has.
fn give(from: &Party, name: &str, to: &Party) {
    fs::copy(from.path(name), to.path(name)).expect("room");
}

const PUBLISHER: &str = "pair encrypt list.csv --key email:email-ascii-sha256 --salt ks.txt --cipher-key kp.txt -o pub1.csv \
                         --table table.csv --advpubid 17";
const ADVERTISER: &str = "pair encrypt list.csv --key Mail:email-ascii-sha256 --salt ks.txt --cipher-key ka.txt -o adv1.csv \
                          --advpubid 17";

/// Both rooms' files after each has put its key on the other's list.
fn exchanged() -> (Party, Party) {
    let (publisher, advertiser) = rooms();
    runs(&publisher, PUBLISHER);
    runs(&advertiser, ADVERTISER);
    give(&publisher, "pub1.csv", &advertiser);
    give(&advertiser, "adv1.csv", &publisher);
    runs(&publisher, "pair reencrypt adv1.csv --cipher-key kp.txt -o adv2.csv --advpubid 17");
    runs(&advertiser, "pair reencrypt pub1.csv --cipher-key ka.txt -o pub2.csv --advpubid 17");
    give(&publisher, "adv2.csv", &advertiser);
    give(&advertiser, "pub2.csv", &publisher);
    (publisher, advertiser)
}

const IN_ADVERTISERS: &str = "pair match --sent adv1.csv --ours adv2.csv --theirs pub2.csv --advpubid 17 --cipher-key ka.txt -o \
                              matched.csv";
const IN_PUBLISHERS: &str =
    "pair match --sent pub1.csv --ours pub2.csv --theirs adv2.csv --advpubid 17";

/// The cells of a column of a file.
fn column(party: &Party, file: &str, name: &str) -> Vec<String> {
    let text = party.read(file);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let place = reader.headers().expect("a header").iter().position(|cell| cell == name);
    let place = place.unwrap_or_else(|| panic!("{file} has no {name}"));
    reader.records().map(|record| record.expect("a row")[place].to_owned()).collect()
}

#[test]
fn two_clean_rooms_match_and_the_platform_gets_what_the_publisher_looks_up() {
    let (publisher, advertiser) = exchanged();
    // 500 of 1200, and of 1500.
    assert_eq!(runs(&advertiser, IN_ADVERTISERS), "ours\t41%\ntheirs\t33%\n");
    assert_eq!(runs(&publisher, IN_PUBLISHERS), "ours\t33%\ntheirs\t41%\n");
    let rows: Vec<(String, String)> = column(&publisher, "table.csv", "id")
        .into_iter()
        .zip(column(&publisher, "table.csv", "publisher_identifier"))
        .collect();
    assert_eq!(rows.len(), 1503);
    assert_eq!(rows[9].1, rows[1500].1, "the same address");
    assert!(rows[1501].1.is_empty() && rows[1502].1.is_empty());
    let matched = column(&advertiser, "matched.csv", "identifier");
    assert!(matched.iter().all(|identifier| identifier.len() == 44 && identifier.ends_with('=')));
    let matched: BTreeSet<String> = matched.into_iter().collect();
    let common = |(id, _): &&(String, String)| id.parse().is_ok_and(|id: u32| id >= 1000);
    let expected: BTreeSet<String> =
        rows.iter().filter(common).map(|(_, identifier)| identifier.clone()).collect();
    assert_eq!((matched.len(), matched), (500, expected));
    // What the rooms exchange has another order each time, and the pair's name in each row.
    let sent = column(&publisher, "pub1.csv", "identifier");
    let looked_up: Vec<String> = rows[..1500].iter().map(|(_, text)| text.clone()).collect();
    assert_ne!(sent, looked_up);
    assert_eq!(BTreeSet::from_iter(&sent), BTreeSet::from_iter(&looked_up));
    assert!(column(&publisher, "pub1.csv", "AdvPubID").iter().all(|cell| cell == "17"));
}

#[test]
fn what_pair_leaks_is_said_before() {
    let (publisher, advertiser) = exchanged();
    let said = |party: &Party, line: &str| stderr(&party.run(&words(line)));
    for said in [
        said(&publisher, &format!("{PUBLISHER} --force")),
        said(&publisher, "pair reencrypt adv1.csv --cipher-key kp.txt -o adv2.csv --force"),
        said(&advertiser, IN_ADVERTISERS),
    ] {
        let leaks =
            said.find("the other clean room learns").or(said.find("both clean rooms learn"));
        let promises = said.find("no terms are agreed on").expect("said");
        assert!(leaks.is_some_and(|leaks| leaks < promises), "{said}");
    }
}

#[test]
fn the_rates_are_json_and_as_the_schema_says() {
    let (publisher, _) = exchanged();
    let output = publisher.run(&words(&format!("{IN_PUBLISHERS} --json")));
    let rates: Value = json(&output);
    Schema::load().check("pair_rates", &rates);
    assert_eq!((&rates["ours"], &rates["theirs"]), (&"33%".into(), &"41%".into()));
}

#[test]
fn lists_without_a_header_and_in_other_formats_do() {
    let (publisher, advertiser) = exchanged();
    runs(&advertiser, &format!("{IN_ADVERTISERS} --bare"));
    let bare = advertiser.read("matched.csv");
    assert_eq!(bare.lines().count(), 500);
    let lines: String = column(&advertiser, "adv1.csv", "identifier")
        .iter()
        .map(|text| format!("{text}\n"))
        .collect();
    publisher.file("bare.txt", &lines);
    let again = "pair reencrypt bare.txt --cipher-key kp.txt --bare -o again.txt";
    runs(&publisher, again);
    let again: BTreeSet<String> = publisher.read("again.txt").lines().map(str::to_owned).collect();
    assert_eq!(again, column(&publisher, "adv2.csv", "pair_id").into_iter().collect());
    runs(&publisher, "pair reencrypt adv1.csv --cipher-key kp.txt -o again.parquet");
    let said = fails(&publisher, "pair reencrypt again.parquet --cipher-key kp.txt -o no.csv", 2);
    assert!(said.contains("its entries have the keys of both rooms"), "{said}");
    let third = "pair reencrypt again.parquet --column pair_id --cipher-key kp.txt -o third.ndjson";
    let said = fails(&publisher, third, 2);
    assert!(said.contains("those with one room's key are needed"), "{said}");
    runs(&publisher, "pair reencrypt adv1.csv --cipher-key kp.txt -o third.ndjson");
    assert_eq!(publisher.read("third.ndjson").lines().count(), 1200);
}

#[test]
fn lists_in_each_others_place_are_noticed_where_they_show_it() {
    let (publisher, advertiser) = exchanged();
    let swapped = |sent: &str, ours: &str, theirs: &str| {
        format!("pair match --sent {sent} --ours {ours} --theirs {theirs}")
    };
    for (sent, ours, theirs) in [
        ("pub2.csv", "pub1.csv", "adv2.csv"),
        ("pub1.csv", "pub2.csv", "adv1.csv"),
        ("pub1.csv", "pub1.csv", "adv2.csv"),
        ("adv2.csv", "pub2.csv", "pub1.csv"),
    ] {
        let said = fails(&publisher, &swapped(sent, ours, theirs), 2);
        assert!(said.contains("its header says that its entries have"), "{said}");
    }
    // Without a header what the entries are shows it, where it does.
    let bare = |name: &str, of: &str, column_name: &str| {
        let lines: Vec<String> = column(&publisher, of, column_name);
        publisher.file(name, &(lines.join("\n") + "\n"));
    };
    for name in ["pub1", "adv1"] {
        bare(&format!("{name}.txt"), &format!("{name}.csv"), "identifier");
    }
    for name in ["pub2", "adv2"] {
        bare(&format!("{name}.txt"), &format!("{name}.csv"), "pair_id");
    }
    for (sent, ours, theirs, code, why) in [
        ("pub2.txt", "pub1.txt", "adv2.txt", 2, "it looks swapped with --ours"),
        ("pub1.txt", "pub1.txt", "adv2.txt", 5, "an entry came back as it was sent"),
        ("pub1.txt", "pub2.txt", "pub2.txt", 2, "the same entries in the same order"),
        ("pub1.txt", "pub2.txt", "pub1.txt", 2, "it looks swapped with --ours"),
        ("pub1.txt", "adv2.txt", "pub2.txt", 5, "unless --ours and --theirs are swapped"),
    ] {
        let said = fails(&publisher, &swapped(sent, ours, theirs), code);
        assert!(said.contains(why), "{sent} {ours} {theirs}: {said}");
    }
    let one_key = publisher.run(&words(&swapped("pub1.txt", "pub2.txt", "adv1.txt")));
    assert_eq!((code(&one_key), stdout(&one_key).as_str()), (0, "ours\t0%\ntheirs\t0%\n"));
    assert!(stderr(&one_key).contains("that --theirs is the list on which you put your key"));
    let said = stderr(&advertiser.run(&words(IN_ADVERTISERS)));
    assert!(!said.contains("less than 1 %"), "{said}");
}

#[test]
fn the_rules_of_pair_are_obeyed() {
    let (publisher, advertiser) = exchanged();
    let first: String =
        publisher.read("list.csv").lines().take(1000).map(|l| format!("{l}\n")).collect();
    publisher.file("few.csv", &first);
    let few = PUBLISHER
        .replace("list.csv", "few.csv")
        .replace("pub1", "few1")
        .replace("table.csv", "few2.csv");
    let said = fails(&publisher, &few, 6);
    assert!(said.contains("few.csv: the list has 999 identifiers"), "{said}");
    let few: String =
        publisher.read("adv1.csv").lines().take(1000).map(|l| format!("{l}\n")).collect();
    publisher.file("few1.csv", &few);
    let said = fails(&publisher, "pair reencrypt few1.csv --cipher-key kp.txt -o x.csv", 6);
    assert!(said.contains("at least 1000"), "{said}");
    // Nor does a list that says the same twice.
    publisher.file("few1.csv", &[&few[..], few.split_once('\n').expect("a header").1].concat());
    let said = fails(&publisher, "pair reencrypt few1.csv --cipher-key kp.txt -o x.csv", 6);
    assert!(said.contains("the list has 999 identifiers"), "{said}");
    // The same lists may be matched again, and one with a row less may not.
    runs(&publisher, IN_PUBLISHERS);
    runs(&publisher, IN_PUBLISHERS);
    let cut = |name: &str, to: &str| {
        let text = publisher.read(name);
        let (short, _) = text.trim_end().rsplit_once('\n').expect("lines");
        publisher.file(to, &format!("{short}\n"));
    };
    cut("adv2.csv", "less.csv");
    let said = fails(&publisher, &IN_PUBLISHERS.replace("adv2", "less"), 6);
    assert!(said.contains("the other room's list differs in 1 identifiers"), "{said}");
    // What matched is the advertiser's alone, and the table the publisher's.
    let said = fails(&publisher, &format!("{IN_PUBLISHERS} --cipher-key kp.txt -o m.csv"), 6);
    assert!(said.contains("to the advertiser's clean room alone"), "{said}");
    let said = fails(&advertiser, &format!("{ADVERTISER} --table t.csv --force"), 6);
    assert!(said.contains("is the publisher's, who has Kp"), "{said}");
    assert!(!advertiser.path("t.csv").exists() && !publisher.path("m.csv").exists());
}

#[test]
fn a_policy_holds_or_refuses_and_the_ledger_has_what_was_sent() {
    let (publisher, advertiser) = rooms();
    let named = |line: &str| format!("{line} --peer shop");
    for (rules, why) in [
        ("least = 10", "the partner's program sees the whole result"),
        ("learn = [\"me\"]", "it allows --learn me, not both"),
        ("operations = [\"count\"]", "it allows count, not intersect"),
        ("key-columns = [\"id\"]", "it allows the key columns id"),
        ("own-most = 1000", "your list has 1500 keys"),
    ] {
        publisher.file("home/policy.toml", rules);
        let said = fails(&publisher, &named(PUBLISHER), 6);
        assert!(said.contains(why), "{said}");
    }
    assert!(!publisher.path("pub1.csv").exists() && !publisher.path("table.csv").exists());
    publisher.file("home/policy.toml", "peer-least = 1200\nruns = \"2 per 1d\"");
    let said = fails(&publisher, PUBLISHER, 6);
    assert!(said.contains("say with --peer"), "{said}");
    runs(&publisher, &named(PUBLISHER));
    runs(&advertiser, ADVERTISER);
    give(&advertiser, "adv1.csv", &publisher);
    let again = "pair reencrypt adv1.csv --cipher-key kp.txt -o adv2.csv --advpubid 17";
    runs(&publisher, &named(again));
    let said = fails(&publisher, &named(&format!("{again} --force")), 6);
    assert!(said.contains("it allows 2 runs in 1 day with shop"), "{said}");
    publisher.file("home/policy.toml", "peer-least = 1201");
    let said = fails(&publisher, &named(&format!("{again} --force")), 6);
    assert!(said.contains("the peer has 1200 keys"), "{said}");
    let lines: Vec<String> = runs(&publisher, "history")
        .lines()
        .map(|line| line.split_whitespace().skip(1).take(8).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        lines,
        [
            "intersect with shop, 1500 keys, by pair: complete",
            "answer with shop, 1500 keys, by pair: complete",
        ]
    );
    assert_eq!(runs(&publisher, "history --peer shop").lines().count(), 2);
    fails(&publisher, "history --peer shops", 2);
    publisher.file("home/policy.toml", "runs = \"3 per 1d\"");
    runs(&publisher, &format!("{PUBLISHER} --peer other --force"));
    let budget = runs(&publisher, "budget shop");
    assert!(budget.starts_with("runs: 2 of 3 in 24 h"), "{budget}");
    assert!(runs(&publisher, "budget other").starts_with("runs: 1 of 3"));
    // Without an identity nothing has a ledger, and no rule needs one.
    let nobody = party();
    fs::remove_file(nobody.path("home/identity.key")).expect("an identity");
    for name in ["list.csv", "ks.txt", "ka.txt"] {
        give(&advertiser, name, &nobody);
    }
    let output = nobody.run(&words(ADVERTISER));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("no ledger has this"), "{}", stderr(&output));
    nobody.file("home/policy.toml", "runs = \"2 per 1d\"");
    let said = fails(&nobody, &format!("{} --force", named(ADVERTISER)), 2);
    assert!(said.contains("veilset id"), "{said}");
}

#[test]
fn keys_are_for_one_user_and_grow_old() {
    let (publisher, advertiser) = rooms();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(publisher.path(name)).expect("there").permissions();
        assert_eq!(mode("kp.txt").mode() & 0o777, 0o600);
        fs::set_permissions(advertiser.path("ks.txt"), fs::Permissions::from_mode(0o644))
            .expect("own");
        let said = fails(&advertiser, ADVERTISER, 6);
        assert!(said.contains("others may read the key in ks.txt"), "{said}");
        fs::set_permissions(advertiser.path("ks.txt"), fs::Permissions::from_mode(0o600))
            .expect("own");
    }
    let before = publisher.read("ks.txt");
    let said = fails(&publisher, "pair key ks -o ks.txt", 2);
    assert!(said.contains("ks.txt exists"), "{said}");
    assert_eq!(publisher.read("ks.txt"), before);
    runs(&publisher, "pair key ks -o ks.txt --force");
    assert_ne!(publisher.read("ks.txt"), before);
    // What is no key is not replaced, and what a step reads or keeps is no output of it.
    let said = fails(&publisher, "pair key ks -o list.csv --force", 2);
    assert!(said.contains("so --force does not replace it"), "{said}");
    for line in [
        PUBLISHER.replace("-o pub1.csv", "-o ./ks.txt"),
        PUBLISHER.replace("-o pub1.csv", "-o table.csv"),
        PUBLISHER.replace("table.csv", "kp.txt"),
        "pair reencrypt list.csv --cipher-key kp.txt -o kp.txt".to_owned(),
        "pair match --sent a --ours list.csv --theirs c --cipher-key ka.txt -o c".to_owned(),
    ] {
        let room = if line.contains("ka.txt") { &advertiser } else { &publisher };
        let said = fails(room, &format!("{line} --force"), 2);
        assert!(said.contains("is read or kept by this very command"), "{said}");
    }
    let aged = before.replace(&before[18..38], "2020-01-01T00:00:00Z");
    fs::write(advertiser.path("ks.txt"), aged).expect("own");
    let said = fails(&advertiser, ADVERTISER, 6);
    assert!(said.contains("PAIR takes 30 days at most"), "{said}");
    let said = fails(&advertiser, &ADVERTISER.replace("--salt ks", "--salt ka"), 2);
    assert!(said.contains("ka.txt: it has Ka"), "{said}");
    // A partner's, in Base64 alone.
    let text = before.split_whitespace().last().expect("Base64").to_owned();
    advertiser.file("partner.txt", &text);
    let import = "pair key ks --import partner.txt -o imported.txt";
    let said = fails(&advertiser, &format!("{import} --made 2020-01-01"), 6);
    assert!(said.contains("days old"), "{said}");
    runs(&advertiser, import);
    runs(&advertiser, &ADVERTISER.replace("--salt ks", "--salt imported"));
    let said = fails(&advertiser, "pair key ka --import list.csv -o other.txt", 2);
    assert!(said.contains("not the Base64 (RFC 4648) of 32 bytes"), "{said}");
}

#[test]
fn what_a_foreign_room_sends_wrong_is_refused_with_its_place() {
    let (publisher, _) = exchanged();
    let honest = publisher.read("adv1.csv");
    let lines: Vec<&str> = honest.lines().collect();
    let with = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = text;
        lines.join("\n")
    };
    let neutral = format!("{}=,17", "A".repeat(43));
    let not_canonical = format!("{}8=,17", "/".repeat(42));
    let huge = format!("{},17", "A".repeat(1 << 20));
    for (text, code, part) in [
        (with(40, &neutral), 5, "bad.csv, line 40: its 32 bytes are no point of ristretto255"),
        (with(1201, &not_canonical), 5, "bad.csv, line 1201: its 32 bytes are no point"),
        (with(7, &lines[6][1..]), 5, "bad.csv, line 7: not an encrypted identifier"),
        (with(8, &huge), 5, "bad.csv, line 8: not an encrypted identifier"),
        (with(9, ",17"), 5, "bad.csv, line 9: not an encrypted identifier"),
        (with(10, &lines[9].replace(",17", ",18")), 3, "bad.csv, line 10: its AdvPubID is not"),
        (with(1, "x,y"), 2, "bad.csv has several columns and none called \"identifier\""),
        (
            honest[..honest.len() - 20].to_owned(),
            2,
            "bad.csv, line 1201: the number of fields is 1",
        ),
    ] {
        publisher.file("bad.csv", &text);
        let line = "pair reencrypt bad.csv --cipher-key kp.txt -o out.csv --advpubid 17";
        let said = fails(&publisher, line, code);
        assert!(said.contains(part), "{said}");
        assert!(!publisher.path("out.csv").exists());
    }
    let cut: String =
        publisher.read("pub2.csv").lines().take(1400).map(|l| format!("{l}\n")).collect();
    publisher.file("cut.csv", &cut);
    let said = fails(&publisher, &IN_PUBLISHERS.replace("--ours pub2", "--ours cut"), 5);
    assert!(said.contains("cut.csv: 1399 entries came back of 1500"), "{said}");
    let second = cut.lines().nth(1).expect("a row");
    let full = publisher.read("pub2.csv");
    let last = full.lines().last().expect("a row");
    publisher.file("cut.csv", &full.replace(last, second));
    let said = fails(&publisher, &IN_PUBLISHERS.replace("--ours pub2", "--ours cut"), 5);
    assert!(said.contains("cut.csv: an entry came back twice"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_without_its_list_is_not_left() {
    let (publisher, _) = rooms();
    let line = PUBLISHER.replace(" -o pub1.csv", "");
    let full = publisher.shell(&format!("{PROGRAM} {line} > /dev/full")).output();
    let full = full.expect("it starts");
    assert_eq!(code(&full), 2, "{}", stderr(&full));
    assert!(!publisher.path("table.csv").exists());
    publisher.file("table.csv", "mine\n");
    let full = publisher.shell(&format!("{PROGRAM} {line} --force > /dev/full")).output();
    assert_eq!(code(&full.expect("it starts")), 2);
    assert!(publisher.read("table.csv").starts_with("id,email,publisher_identifier"));
    assert!(publisher.files().iter().all(|name| !name.starts_with('.')));
}

#[test]
fn other_presets_are_refused_before_anything_is_written() {
    let (publisher, _) = rooms();
    for key in ["email:email", "email:email-ascii-sha256,id", "email:name~soundex"] {
        let line = PUBLISHER.replace("email:email-ascii-sha256", key);
        let said = fails(&publisher, &line, 2);
        assert!(said.contains("PAIR's identifiers are of one column"), "{said}");
    }
    assert!(!publisher.path("pub1.csv").exists() && !publisher.path("table.csv").exists());
}

#[test]
fn the_bytes_are_those_of_the_vectors() {
    let vectors = fs::read_to_string(root().join("crates/tongues/vectors/pair.json"));
    let vectors: Value = serde_json::from_str(&vectors.expect("there")).expect("JSON");
    let room = party();
    for (kind, name) in [("ks", "salt"), ("kp", "kp"), ("ka", "ka")] {
        room.file("partner.txt", vectors[name].as_str().expect("a text"));
        runs(&room, &format!("pair key {kind} --import partner.txt -o {kind}.txt"));
    }
    let list = |name: &str| -> Vec<String> {
        let list = vectors[name].as_array().expect("a list").iter();
        list.map(|text| text.as_str().expect("a text").to_owned()).collect()
    };
    let identifiers = list("identifiers");
    // No list of text has what is empty or has a zero byte; other rows stand for these.
    let fits = |identifier: &&str| !identifier.is_empty() && !identifier.contains('\0');
    let fitting: Vec<&str> = identifiers.iter().map(String::as_str).filter(fits).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in ["id"].iter().chain(&fitting).chain(&["another", "one more"]) {
        writer.write_record([row]).expect("to memory");
    }
    let text = writer.into_inner().expect("to memory");
    room.file("list.csv", &String::from_utf8(text).expect("text"));
    runs(
        &room,
        "pair encrypt list.csv --key id:raw --keep-placeholders --salt ks.txt --cipher-key kp.txt -o out.csv",
    );
    let found: BTreeSet<String> = column(&room, "out.csv", "identifier").into_iter().collect();
    let all = list("kskp").into_iter().zip(&identifiers);
    let expected: BTreeSet<String> =
        all.filter(|(_, id)| fits(&id.as_str())).map(|(text, _)| text).collect();
    assert_eq!((found.len(), expected.len()), (1000, 998));
    assert!(found.is_superset(&expected));
}

#[test]
fn the_commands_on_the_page_of_partners_run() {
    // One folder stands for both rooms, whose files have different names.
    let rooms = party();
    for (file, header, numbers) in
        [("subscribers.csv", "email", 0..1100), ("customers.csv", "Mail", 100..1150)]
    {
        let rows: String = numbers.map(|n| format!("user{n}@example.com\n")).collect();
        rooms.file(file, &format!("{header}\n{rows}"));
    }
    let page = veilset_stage::commands("docs/interop.md", "veilset");
    let lines: Vec<&str> =
        page.iter().filter_map(|line| line.strip_prefix("veilset pair")).collect();
    assert_eq!(lines.len(), 9);
    let printed: Vec<String> = lines
        .iter()
        .map(|line| format!("pair{}", line.split('#').next().unwrap_or_default().trim_end()))
        .map(|line| runs(&rooms, &line))
        .collect();
    assert_eq!(printed[7..], ["ours\t>85%\ntheirs\t>85%\n", "ours\t>85%\ntheirs\t>85%\n"]);
    assert_eq!(rooms.read("matched.csv").lines().count(), 1001);
}
