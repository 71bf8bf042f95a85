//! Rules: what of a result is released, and what a policy refuses, on either side.

use serde_json::{Value, json};
use veilset_stage::{NOBODY, Party, code, stderr, stdout};

use crate::support::schema::Schema;
use crate::support::{json as object, meet, pair};

/// Two parties with 60 and 40 addresses, 30 of them in common, whose amounts add up to 1335 with those numbers.
fn parties() -> (Party, Party) {
    let (left, right) = pair();
    let list = |numbers: std::ops::Range<u32>| {
        let rows: String = numbers.map(|n| format!("user{n}@example.com,{n},x{n}\n")).collect();
        format!("email,amount,segment\n{rows}")
    };
    left.file("list.csv", &list(0..60));
    right.file("list.csv", &list(30..70));
    (left, right)
}

fn command<'a>(operation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[operation, "list.csv", "--key", "email:email"], more].concat()
}

#[test]
fn a_result_outside_its_bounds_is_withheld_from_both() {
    let (schema, (left, right)) = (Schema::load(), parties());
    for (rule, told, released) in [
        (["--least", "31"], json!({ "fewer_than": 31 }), "fewer than 31 matches"),
        (
            ["--most-rate", "74"],
            json!({ "above_percent": 74 }),
            "more than 74 % of the smaller list match",
        ),
    ] {
        for operation in ["intersect", "count", "sum", "union", "align"] {
            let value = if operation == "sum" { &["--value", "amount"][..] } else { &[] };
            let out =
                if ["count", "sum"].contains(&operation) { &[][..] } else { &["-o", "out.csv"] };
            let more = [&rule[..], &["--json"], out].concat();
            let (one, two) = meet(
                &left,
                &command(operation, &[&more[..], value].concat()),
                &right,
                &command(operation, &more),
            );
            for (party, output) in [(&left, &one), (&right, &two)] {
                let end = object(output);
                schema.check("run", &end);
                let result = &end["result"];
                assert_eq!(
                    (&result["count"], &result["withheld"]),
                    (&Value::Null, &told),
                    "{operation}"
                );
                assert!(
                    result.as_object().is_some_and(|all| {
                        all.iter().all(|(name, value)| name == "withheld" || value.is_null())
                    }),
                    "{result}"
                );
                assert!(!party.files().contains(&"out.csv".to_owned()), "{operation}");
                assert!(stderr(output).contains(released), "{}", stderr(output));
            }
        }
        let (one, two) = meet(&left, &command("count", &rule), &right, &command("count", &rule));
        assert_eq!(
            (stdout(&one), stdout(&two)),
            (format!("{released}\n"), format!("{released}\n"))
        );
    }
}

#[test]
fn a_result_within_its_bounds_is_whole_and_its_numbers_are_round() {
    let (left, right) = parties();
    let rules = ["--least", "30", "--most-rate", "75", "--json"];
    let rows = [&rules[..], &["-o", "out.csv"]].concat();
    let (one, two) =
        meet(&left, &command("intersect", &rows), &right, &command("intersect", &rules));
    assert_eq!(
        (&object(&one)["result"]["count"], &object(&two)["result"]["count"]),
        (&json!(30), &json!(30))
    );
    assert_eq!(left.read("out.csv").lines().count(), 31);
    let numbers = [&rules[..], &["--round", "7"]].concat();
    let value = [&numbers[..], &["--value", "amount"]].concat();
    let (one, two) = meet(&left, &command("sum", &value), &right, &command("sum", &numbers));
    let (one, two) = (object(&one), object(&two));
    // 30 is nearest to 28, and 1335 to 1337.
    assert_eq!(one["result"], json!({ "count": 28, "sum": { "amount": "1337" } }));
    assert_eq!(two["result"]["count"], 28);
    assert_eq!(one["release"], json!({ "least": 30, "most_rate": 75, "round": 7, "noise": null }));
}

#[test]
fn a_count_with_noise_is_near_on_shares_and_by_dummies() {
    let (left, right) = parties();
    let noise = ["--noise", "epsilon=1,delta=1e-3", "--json"];
    let learners = [("both", "both"), ("me", "peer"), ("peer", "me")];
    let protocols = ["circuit-count", "mqrpmt-dh"];
    for (protocol, (mine, theirs)) in
        protocols.into_iter().flat_map(|one| learners.map(|learn| (one, learn)))
    {
        let (mine, theirs) = (
            [&noise[..], &["--learn", mine, "--protocol", protocol]].concat(),
            [&noise[..], &["--learn", theirs, "--protocol", protocol]].concat(),
        );
        let (one, two) = meet(&left, &command("count", &mine), &right, &command("count", &theirs));
        for end in [object(&one), object(&two)] {
            assert_eq!(
                (&end["distinct"], &end["peer_distinct"]).0.as_u64().map(|n| [60, 40].contains(&n)),
                Some(true)
            );
            let noise = &end["release"]["noise"];
            assert_eq!((&noise["epsilon"], &noise["delta"]), (&json!(1.0), &json!(1e-3)));
            let dummies = noise["dummies"].as_u64().expect("a number");
            if let Some(count) = end["result"]["count"].as_u64() {
                assert!(count.abs_diff(30) <= dummies / 2, "{count}");
            }
        }
    }
    let held = [
        (&[][..], "leaks: The noise is of coins that both sides toss on shares"),
        (
            &["--protocol", "mqrpmt-dh"],
            "leaks: The noise holds against a peer that follows the protocol",
        ),
    ];
    for (protocol, leak) in held {
        let flags = [&noise[..2], protocol].concat();
        let (one, _) = meet(&left, &command("count", &flags), &right, &command("count", &flags));
        let said = stderr(&one);
        assert!(said.contains("about ") && said.contains("the noise is within "), "{said}");
        assert!(said.contains(leak), "{said}");
    }
}

#[test]
fn a_list_that_is_filled_up_looks_larger_to_the_peer_alone() {
    let (schema, (left, right)) = (Schema::load(), parties());
    // The peer gives a flag of its own, or none.
    let padded = ["--pad-to", "500", "--json"];
    for operation in ["intersect", "count", "sum"] {
        let value = if operation == "sum" { &["--value", "amount"][..] } else { &[] };
        let mine = command(operation, &[&padded[..], value].concat());
        let (one, two) = meet(&left, &mine, &right, &command(operation, &["--json"]));
        let (mine, theirs) = (object(&one), object(&two));
        schema.check("run", &mine);
        assert_eq!(
            (&mine["distinct"], &mine["padded_to"], &theirs["peer_distinct"]),
            (&json!(60), &json!(500), &json!(500))
        );
        assert_eq!(
            (&mine["result"]["count"], &theirs["result"]["count"]),
            (&json!(30), &json!(30))
        );
        assert!(theirs.get("padded_to").is_none());
        let told = "right is told of 500 distinct keys: your 60, and made-up ones.";
        assert!(stderr(&one).contains(told), "{}", stderr(&one));
        assert!(!stderr(&two).contains(" 60 distinct"), "{}", stderr(&two));
    }
    // A larger list is as it is, and a policy's rule stands in for the flag.
    let smaller = command("count", &["--pad-to", "59", "--json"]);
    right.file("policy.toml", "pad-to = 41\n");
    let ruled = command("count", &["--policy", "policy.toml", "--json"]);
    let (one, two) = meet(&left, &smaller, &right, &ruled);
    let (mine, theirs) = (object(&one), object(&two));
    assert_eq!((&mine["peer_distinct"], &theirs["peer_distinct"]), (&json!(41), &json!(60)));
    assert!(mine.get("padded_to").is_none());
    let several = ["--key", "amount", "--pad-to", "500", "--connect", NOBODY, "--peer", "right"];
    let output = left.run(&command("count", &several));
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("give one --key"), "{}", stderr(&output));
}

#[test]
fn by_several_keys_there_is_no_noise() {
    let (left, _) = parties();
    let keys = ["--key", "amount", "--noise", "epsilon=1,delta=1e-9"];
    let end = ["--connect", NOBODY, "--peer", "right"];
    let output = left.run(&command("count", &[&keys[..], &end].concat()));
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("give one --key"), "{}", stderr(&output));
}

#[test]
fn rules_that_one_side_alone_gives_end_the_run() {
    let (left, right) = parties();
    for (mine, theirs, field) in [
        (&["--least", "50"][..], &[][..], "least result (--least): here 50, at the peer nothing"),
        (&["--round", "10"], &["--round", "5"], "rounding (--round): here 10, at the peer 5"),
        (
            &["--most-rate", "85"],
            &[],
            "greatest match rate (--most-rate): here 85 %, at the peer nothing",
        ),
        (
            &["--reference", "DPA 1"],
            &["--reference", "DPA 2"],
            "agreement (--reference): here DPA 1, at the peer DPA 2",
        ),
    ] {
        let (one, two) = meet(&left, &command("count", mine), &right, &command("count", theirs));
        assert_eq!((code(&one), code(&two)), (3, 3), "{field}");
        assert!(stderr(&one).contains(field), "{}", stderr(&one));
    }
    for (operation, rule, why) in [
        (
            "share",
            ["--least", "5"],
            "--least is nothing for share: no side sees how many keys match",
        ),
        (
            "share",
            ["--noise", "epsilon=1,delta=1e-9"],
            "--noise is nothing for share: only counts and sums have noise",
        ),
        (
            "intersect",
            ["--round", "5"],
            "--round is nothing for intersect: its result is not of numbers alone",
        ),
        (
            "union",
            ["--pad-to", "500"],
            "--pad-to is nothing for union: its result would show the made-up keys",
        ),
    ] {
        let output = left.run(&command(
            operation,
            &[&rule[..], &["--connect", NOBODY, "--peer", "right"]].concat(),
        ));
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

/// Each rule that refuses before the peer is met, as the third line of a policy, with a command that does not obey it.
const ALONE: [(&str, &str, &[&str]); 18] = [
    (r#"operations = ["sum"]"#, "count", &[]),
    (r#"learn = ["me", "peer"]"#, "count", &[]),
    (r#"security = "malicious""#, "intersect", &[]),
    (r#"protocols = ["rr22"]"#, "intersect", &["--protocol", "dh"]),
    (r#"key-columns = ["tel"]"#, "count", &[]),
    (r#"key-presets = ["phone-gb"]"#, "count", &[]),
    (r#"send-columns = ["amount"]"#, "intersect", &["--send", "segment"]),
    ("own-least = 61", "count", &[]),
    ("own-most = 59", "count", &[]),
    ("pad-to = 100", "count", &["--pad-to", "99"]),
    ("pad-to = 100", "union", &[]),
    ("least = 50", "count", &["--least", "49"]),
    ("most-rate = 85", "count", &["--most-rate", "86"]),
    ("round = 10", "count", &["--round", "5"]),
    (r#"noise = "epsilon=1,delta=1e-9""#, "count", &["--noise", "epsilon=2,delta=1e-9"]),
    (r#"reference = "DPA 1""#, "count", &["--reference", "DPA 2"]),
    ("from = 2200-01-01", "count", &[]),
    ("until = 2020-01-01", "count", &[]),
];

/// Those that refuse once the terms are agreed on.
const AGREED: [(&str, &str, &[&str]); 3] = [
    ("peer-least = 61", "count", &[]),
    ("peer-most = 39", "count", &[]),
    (r#"protocols = ["rr22"]"#, "intersect", &[]),
];

/// The policy of one rule, in its third line; the rule's name.
fn policy(party: &Party, rule: &str) -> String {
    party.file("policy.toml", &format!("# What we take part in\n\n{rule}\n"));
    rule.split(' ').next().unwrap_or_default().to_owned()
}

fn is_refused(output: &std::process::Output, rule: &str) {
    assert_eq!(code(output), 6, "{rule}: {}", stderr(output));
    let place = format!("(rule `{rule}`, policy.toml:3)");
    assert!(stderr(output).contains(&place), "{}", stderr(output));
}

#[test]
fn each_rule_refuses_on_either_side_before_the_peer_is_met() {
    let (left, right) = parties();
    right.file("list.csv", &left.read("list.csv"));
    for (rule, operation, flags) in ALONE {
        for (party, end) in [
            (&left, ["--listen", NOBODY, "--peer", "right"]),
            (&right, ["--connect", NOBODY, "--peer", "left"]),
        ] {
            let name = policy(party, rule);
            let more = [flags, &end, &["--policy", "policy.toml"]].concat();
            is_refused(&party.run(&command(operation, &more)), &name);
        }
    }
}

#[test]
fn each_rule_about_the_peer_refuses_the_agreed_terms_on_either_side() {
    for (rule, operation, flags) in AGREED {
        for listens in [true, false] {
            let (left, right) = parties();
            right.file("list.csv", &left.read("list.csv"));
            let plain = command(operation, flags);
            let ruled = [&plain[..], &["--policy", "policy.toml"]].concat();
            let (party, mine, theirs) =
                if listens { (&left, &ruled, &plain) } else { (&right, &plain, &ruled) };
            let name = policy(party, rule);
            let (one, two) = meet(&left, mine, &right, theirs);
            let (refuses, other) = if listens { (one, two) } else { (two, one) };
            is_refused(&refuses, &name);
            assert_eq!(code(&other), 6, "{}", stderr(&other));
            assert!(stdout(&other).is_empty());
        }
    }
}

#[test]
fn a_policy_beside_the_identity_completes_every_command() {
    let (left, right) = parties();
    left.file("home/policy.toml", "least = 31\nreference = \"DPA 1\"\n[peers.right]\nround = 10\n");
    let theirs = ["--least", "31", "--round", "10", "--reference", "DPA 1", "--json"];
    let (one, two) =
        meet(&left, &command("count", &["--json"]), &right, &command("count", &theirs));
    for end in [object(&one), object(&two)] {
        assert_eq!(
            end["release"],
            json!({ "least": 31, "most_rate": null, "round": 10, "noise": null })
        );
        assert_eq!(end["reference"], "DPA 1");
        assert_eq!(end["result"], json!({ "withheld": { "fewer_than": 31 }, "count": null }));
    }
    left.file("home/policy.toml", "least = 31\nleest = 5\n");
    let output = left.run(&command("count", &["--connect", NOBODY, "--peer", "right"]));
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("policy.toml:2: there is no rule `leest`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_policy_is_explained_and_tried_without_a_peer() {
    let (schema, (left, _)) = (Schema::load(), parties());
    left.file(
        "policy.toml",
        "operations = [\"count\"]\nleast = 50\n[peers.right]\nown-least = 60\nreference = \"DPA 1\"\n",
    );
    let output = left.run(&["policy", "check", "policy.toml"]);
    assert_eq!(
        stdout(&output),
        "   1  You compute: count.\n   2  A result of fewer than 50 matches is withheld from whoever learns.\n\
         With right, in place of the rules for every peer:\n   4  Your list has 60 distinct keys at least.\n   5  Both sides give the \
         agreement's reference \"DPA 1\".\n"
    );
    let told = object(&left.run(&["policy", "check", "policy.toml", "--json"]));
    schema.check("policy", &told);
    assert_eq!(
        told["rules"][2],
        json!({ "peer": "right", "line": 4, "text": "Your list has 60 distinct keys at least." })
    );
    let end = ["--listen", "0.0.0.0:7000", "--peer", "right"];
    let attempt = |operation, more: &[&str]| {
        let command = command(operation, more);
        left.run(&[&["policy", "try", "policy.toml"], &command[..], &end].concat())
    };
    let output = attempt("count", &["--least", "60"]);
    assert_eq!(
        stdout(&output),
        "Your policy lets this run go on to right. It is checked again on the agreed terms, and when the run takes its budgets.\nThe policy adds to the terms, for \
         both sides: --reference \"DPA 1\".\n"
    );
    let output = attempt("sum", &[]);
    assert_eq!(code(&output), 6);
    assert!(
        stderr(&output).contains("it allows count, not sum (rule `operations`, policy.toml:1)"),
        "{}",
        stderr(&output)
    );
    for words in [&["check", "list.csv"][..], &["count"]] {
        let output = left.run(&[&["policy", "try", "policy.toml"], words].concat());
        assert_eq!(code(&output), 2, "{}", stdout(&output));
    }
}

#[test]
fn runs_are_in_the_ledger_and_take_budgets_that_no_failure_gives_back() {
    let (schema, (left, right)) = (Schema::load(), parties());
    left.file("home/policy.toml", "\nruns = \"2 per 24h\"\nepsilon = \"1 per 24h\"\n");
    let noise = ["--noise", "epsilon=1,delta=1e-3"];
    let count = command("count", &noise);
    let (one, two) = meet(&left, &count, &right, &count);
    assert_eq!((code(&one), code(&two)), (0, 0), "{}", stderr(&one));
    // The noise is spent, and an exact count would tell more.
    let (one, two) = meet(&left, &count, &right, &count);
    assert_eq!((code(&one), code(&two)), (6, 6), "{}", stderr(&one));
    let why = "epsilon of 1 in 1 day on right, 1 is spent, and this run takes 1";
    assert!(stderr(&one).contains(why), "{}", stderr(&one));
    let exact = command("count", &[]);
    let (one, _) = meet(&left, &exact, &right, &exact);
    assert_eq!(code(&one), 6);
    assert!(stderr(&one).contains("this count has none: give --noise"), "{}", stderr(&one));
    let exact = command("intersect", &["--least", "31", "-o", "out.csv"]);
    let (one, _) = meet(&left, &exact, &right, &exact);
    assert_eq!(code(&one), 0, "{}", stderr(&one));
    let (one, two) = meet(&left, &exact, &right, &exact);
    assert_eq!((code(&one), code(&two)), (6, 6));
    let said = stderr(&one);
    assert!(
        said.contains(
            "it allows 2 runs in 1 day with right, and 2 have begun; some of it comes back at"
        ),
        "{said}"
    );
    assert!(said.contains("(rule `runs`, ") && said.contains("policy.toml:2)"), "{said}");
    // A look at the policy takes nothing, and sees what is spent.
    let end = ["--listen", NOBODY, "--peer", "right"];
    let look = [&["policy", "try", "home/policy.toml"], &exact[..4], &end[..]].concat();
    let output = left.run(&look);
    assert_eq!(code(&output), 6, "{}", stderr(&output));
    assert!(stderr(&output).contains("with right, and 2 have begun"), "{}", stderr(&output));
    let told = object(&left.run(&["budget", "right", "--json"]));
    schema.check("budget", &told);
    assert_eq!(
        (&told["budgets"][0]["spent"], &told["budgets"][1]["spent"]),
        (&json!(2.0), &json!(1.0))
    );
    let told = object(&left.run(&["history", "--json"]));
    schema.check("history", &told);
    let endings: Vec<&Value> =
        told["runs"].as_array().expect("runs").iter().map(|run| &run["ending"]).collect();
    assert_eq!(endings, ["complete", "withheld"]);
    // The other side has no budgets; whether it had begun when it heard the refusal is a matter of time.
    let theirs = object(&right.run(&["history", "--peer", "left", "--json"]));
    let runs = theirs["runs"].as_array().expect("runs");
    let endings = runs.iter().map(|run| &run["ending"]).filter(|ending| *ending != "failed");
    assert_eq!(endings.collect::<Vec<_>>(), ["complete", "withheld"]);
    assert_eq!((&runs[0]["run"], &runs[0]["distinct"]), (&told["runs"][0]["run"], &json!(40)));
    let text = stdout(&left.run(&["history"]));
    assert!(
        text.lines().next().is_some_and(
            |line| line.contains("count     with right, 60 keys, by circuit-count: complete")
        ),
        "{text}"
    );
    // A ledger that somebody cuts is no ledger.
    let lines = left.read("home/ledger");
    let cut: String = lines.lines().take(2).map(|line| format!("{line}\n")).collect();
    left.file("home/ledger", &cut);
    for output in [left.run(&["history"]), left.run(&["budget", "right"])] {
        assert_eq!(code(&output), 6);
        assert!(stderr(&output).contains("was changed: lines are missing"), "{}", stderr(&output));
    }
    let (one, two) = meet(&left, &exact, &right, &exact);
    assert_eq!((code(&one), code(&two)), (6, 6), "{}", stderr(&one));
}

#[test]
fn both_sides_sign_one_receipt_that_anybody_verifies() {
    let (left, right) = parties();
    let flags = ["--reference", "DPA \u{e9} \"1\"", "--least", "5", "--json"];
    let count = command("count", &flags);
    let (one, two) = meet(&left, &count, &right, &count);
    let (one, two) = (object(&one), object(&two));
    Schema::load().check("run", &one);
    assert_eq!(one["receipt"], two["receipt"]);
    assert_eq!(one["receipt"]["signed"], true);
    let run = one["run"].as_str().expect("an id");
    let place = format!("home/receipts/{run}.json");
    let file: Value = serde_json::from_str(&left.read(&place)).expect("JSON");
    let theirs: Value = serde_json::from_str(&right.read(&place)).expect("JSON");
    assert_eq!(file["statement"], theirs["statement"]);
    let statement = &file["statement"];
    assert_eq!((&statement["operation"], &statement["run"]), (&json!("count"), &json!(run)));
    // The side that connected comes first.
    let parties = statement["parties"].as_array().expect("two");
    let sizes: Vec<_> = parties.iter().map(|party| (&party["key"], &party["distinct"])).collect();
    assert_eq!(sizes, [(&json!(right.key), &json!(40)), (&json!(left.key), &json!(60))]);
    assert_ne!(parties[0]["commitment"], parties[1]["commitment"]);
    let details = statement["details"].as_array().expect("details");
    assert!(
        details
            .contains(&json!({ "name": "agreement (--reference)", "value": "DPA \u{e9} \"1\"" }))
    );
    // A stranger verifies the file alone.
    let stranger = crate::support::party();
    stranger.file("receipt.json", &theirs.to_string());
    let verified = stranger.run(&["receipt", "verify", "receipt.json"]);
    assert_eq!(code(&verified), 0, "{}", stderr(&verified));
    assert!(stdout(&verified).contains(&left.key) && stdout(&verified).contains(&right.key));
    let shown = stdout(&left.run(&["receipt", "show", run]));
    assert!(
        shown.contains(&format!("{} (right)", right.key))
            && shown.contains(&format!("{} (you)", left.key)),
        "{shown}"
    );
    assert!(shown.ends_with("both parties signed it\n"), "{shown}");
    stranger
        .file("receipt.json", &theirs.to_string().replace("\"distinct\":40", "\"distinct\":41"));
    let refused = stranger.run(&["receipt", "verify", "receipt.json"]);
    assert_eq!(code(&refused), 5);
    assert!(
        stderr(&refused).contains("is wrong: the statement was changed"),
        "{}",
        stderr(&refused)
    );
    std::fs::copy(left.path(&place), left.path("home/receipts/deadbeef.json")).expect("room");
    assert_eq!(code(&left.run(&["receipt", "verify", "deadbeef"])), 5);
    let runs = object(&left.run(&["history", "--json"]));
    assert_eq!(runs["runs"][0]["signed"], true);
    for name in ["list.csv", "../home/identity.key", "nothing"] {
        assert_eq!(code(&left.run(&["receipt", "show", name])), 2, "{name}");
    }
    // The commitment opens with the salt in the owner's ledger, over the keys in the order of their rows.
    let ledger = left.read("home/ledger");
    let line: Value = serde_json::from_str(ledger.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["began"]["salt"].as_str().map(str::len), Some(64));
    assert!(!right.read("home/ledger").contains(line["began"]["salt"].as_str().expect("a salt")));
}

#[test]
fn an_exchange_that_stands_runs_as_its_file_says() {
    let (left, right) = parties();
    let file = |party: &Party, way: &str, more: &str| {
        std::fs::create_dir_all(party.path("acme")).expect("writable");
        party.file("acme/list.csv", &party.read("list.csv"));
        let text = format!(
            "operation = \"intersect\"\nlist = \"list.csv\"\nkey = [\"email:email\"]\n{way}\n{more}"
        );
        party.file("acme/exchange.toml", &text);
    };
    let rules = "reference = \"DPA 1\"\nleast = 5\nthreads = 1\njson = true\noutput = \"out-{date}.csv\"\nforce = true\n";
    file(&left, "peer = \"right\"\nlisten = \"127.0.0.1:0\"", rules);
    let run = ["exchange", "acme/exchange.toml"];
    for (theirs, ends) in [(rules, 0), ("reference = \"DPA 1\"\n", 3)] {
        let mut listening = left.start(&run);
        let way = format!("peer = \"left\"\nconnect = \"{}\"", listening.address());
        file(&right, &way, theirs);
        let (two, one) = (right.run(&run), listening.output());
        assert_eq!((code(&one), code(&two)), (ends, ends), "{}{}", stderr(&one), stderr(&two));
        if ends == 0 {
            let result = &object(&one)["result"];
            assert_eq!(result["count"], 30);
            let today = object(&one)["time"].as_str().expect("a time")[..10].to_owned();
            assert_eq!(left.read(&format!("acme/out-{today}.csv")).lines().count(), 31);
        } else {
            // The side whose file has `json` says it to scripts, too.
            let told: Value = serde_json::from_slice(&one.stdout).expect("an object");
            assert_eq!(told["error"]["code"], 3, "{told}");
            assert!(stdout(&two).is_empty());
            assert!(
                stderr(&two).contains("least result (--least): here nothing, at the peer 5"),
                "{}",
                stderr(&two)
            );
        }
    }
    let printed = stdout(&left.run(&["exchange", "--print", "acme/exchange.toml"]));
    assert!(
        printed.starts_with("veilset intersect --") && printed.ends_with(" -- list.csv\n"),
        "{printed}"
    );
    assert!(
        printed.contains(" --key=email:email ") && printed.contains(" '--reference=DPA 1' "),
        "{printed}"
    );
    for (more, why) in [
        ("leest = 5\n", "exchange.toml:5: the command has no flag \"leest\"; its flags are"),
        ("least = { a = 1 }\n", "exchange.toml:5: least takes a text, a number, or true"),
        ("least = \"many\"\n", "invalid value 'many' for '--least <N>'"),
        ("least\n", "exchange.toml:5: "),
    ] {
        file(&left, "peer = \"right\"", more);
        let output = left.run(&run);
        assert_eq!(code(&output), 2, "{more}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    left.file("acme/exchange.toml", "operation = \"serve\"\nlist = \"list.csv\"\n");
    let output = left.run(&run);
    assert!(
        stderr(&output).contains("exchange.toml:1: operation is one such as"),
        "{}",
        stderr(&output)
    );
}
