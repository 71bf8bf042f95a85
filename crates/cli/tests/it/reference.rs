//! What the program prints about itself: for a reader of any width, in a pipe, and for one who has enough.

use std::collections::BTreeSet;
use std::fs;
use std::process::Output;

use serde_json::Value;
use veilset_stage::{Party, code, stderr};

use crate::support::{json, pair, party};

fn text(output: &Output) -> String {
    assert_eq!(code(output), 0, "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// What a command prints where lines have so many columns, or in a pipe.
fn printed(party: &Party, args: &[&str], columns: Option<usize>) -> String {
    let mut command = party.command(args);
    match columns {
        Some(columns) => command.env("COLUMNS", columns.to_string()),
        None => command.env_remove("COLUMNS"),
    };
    text(&command.output().expect("it starts"))
}

fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
}

const PLAN: [&str; 7] =
    ["plan", "intersect", "--rows", "1e6", "--peer-rows", "1M", "--security=semi-honest"];

#[test]
fn tables_fit_eighty_columns_and_a_row_in_a_pipe_is_a_line() {
    let party = party();
    let bench = ["bench", "dh", "mqrpmt-poprf-intersect", "--sizes", "2^4"];
    for args in [
        &["protocols"][..],
        &["protocols", "--operation", "sum"],
        &["protocols", "dh", "mqrpmt-star-sum"],
        &["protocols", "--several"],
        &["protocols", "leader-pivot-overlaps", "all-but-one"],
        &["plan", "intersect", "--parties", "5", "--rows", "1e6", "--peer-rows", "1M"],
        &PLAN,
        &["plan", "lookup", "--rows", "1", "--peer-rows", "2^20"],
        &["plan", "count", "--cluster"],
        &bench,
    ] {
        let narrow = printed(&party, args, Some(80));
        assert!(width(&narrow) <= 80, "{narrow}");
    }
    let several = ["plan", "overlaps", "--parties", "64", "--rows", "1e6", "--peer-rows", "1M"];
    assert!(printed(&party, &several, Some(80)).contains("leader-pivot-overlaps"));
    let piped = printed(&party, &["protocols", "--operation", "sum"], None);
    let row = |line: &str| line.contains("mqrpmt-star-sum") && line.contains("Sigma-mqPMT");
    assert!(piped.lines().any(row), "{piped}");
    let header = printed(&party, &bench, None);
    let header: Vec<&str> = header.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(header[..3], ["protocol", "keys", "seconds"]);
}

/// The commands that a help page lists.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// All help pages, each with what it is the help of.
fn helps(party: &Party, of: &[String]) -> Vec<(String, String)> {
    let arguments = of.iter().map(String::as_str).chain(["--help"]).collect::<Vec<_>>();
    let help = printed(party, &arguments, None);
    let within = commands(&help).into_iter().filter(|name| name != "help");
    let within: Vec<_> = within.flat_map(|name| helps(party, &[of, &[name]].concat())).collect();
    [vec![(of.join(" "), help)], within].concat()
}

#[test]
fn help_fits_eighty_columns_and_has_one_order() {
    const ORDER: [&str; 13] = [
        "Arguments:",
        "Options:",
        "Slots and preferences:",
        "Your list:",
        "The peer:",
        "What you will run together:",
        "The protocol:",
        "Rules:",
        "Limits:",
        "This machine:",
        "Clusters:",
        "The result:",
        "Messages:",
    ];
    let helps = helps(&party(), &[]);
    assert!(helps.len() > 25, "{}", helps.len());
    for (of, help) in helps {
        assert!(width(&help) <= 80, "{of}: {help}");
        let is_heading = |line: &&str| {
            line.ends_with(':') && !line.starts_with(' ') && !line.starts_with("Usage")
        };
        let headings = help.lines().filter(is_heading);
        let headings: Vec<_> = headings
            .filter(|line| {
                !["Commands:", "Examples:", "Environment:", "Exit codes:"].contains(line)
            })
            .collect();
        let places = headings.iter().map(|heading| ORDER.iter().position(|known| known == heading));
        let places: Vec<_> = places.collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{of}: {headings:?}");
        let general = help.lines().position(|line| line == "Messages:").expect("a heading");
        let quiet = help.lines().position(|line| line.contains("--quiet")).expect("a flag");
        assert!(quiet > general, "{of}: {help}");
    }
}

#[test]
fn protocols_are_listed_in_short_and_shown_in_full() {
    let party = party();
    let all = json(&party.run(&["protocols", "--json"]));
    let all = all.as_array().expect("an array");
    let list = printed(&party, &["protocols"], None);
    // Each in a line, a header, and how to see more.
    assert_eq!(list.lines().count(), all.len() + 3, "{list}");
    let several = printed(&party, &["protocols", "--several"], None);
    assert!(several.contains("leader-pivot") && !several.contains("rr22"), "{several}");
    let full = printed(&party, &["protocols", "leader-pivot"], None);
    assert!(full.contains("but not leader and pivot both"), "{full}");
    let sums = json(&party.run(&["protocols", "--operation", "sum", "--json"]));
    let of = |operation: &str| all.iter().filter(|one| one["operation"] == operation).count();
    assert_eq!(sums.as_array().map(Vec::len), Some(of("sum")));
    let full = printed(&party, &["protocols", "dh"], None);
    let dh = all.iter().find(|one| one["id"] == "dh").expect("it is there");
    for field in ["title", "assumption", "paper"] {
        assert!(full.contains(dh[field].as_str().expect("text")), "{full}");
    }
    for leak in dh["leaks"].as_array().expect("sentences") {
        assert!(full.contains(leak.as_str().expect("text")), "{full}");
    }
    let unknown = party.run(&["protocols", "nothing"]);
    assert_eq!(code(&unknown), 2, "{}", stderr(&unknown));
}

#[test]
fn what_is_planned_is_the_first_word_or_a_flag() {
    let party = party();
    let by = |args: &[&str]| {
        let sizes = ["--rows", "1000", "--peer-rows", "10k", "--json"];
        let plan = json(&party.run(&[&["plan"], args, &sizes].concat()));
        let ids = plan["plans"].as_array().expect("plans").iter();
        ids.map(|plan| plan["protocol"].as_str().expect("an id").to_owned()).collect()
    };
    let (word, flag): (BTreeSet<String>, BTreeSet<String>) =
        (by(&["sum"]), by(&["--operation", "sum"]));
    assert_eq!(word, flag);
    for args in [&["plan"][..], &["plan", "sum", "--operation", "count"]] {
        let refused = party.run(&[args, &["--rows", "1", "--peer-rows", "1"]].concat());
        assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    }
}

#[test]
fn the_manual_has_a_page_for_every_command_and_the_environment() {
    let party = party();
    let manual = text(&party.run(&["man"])).replace("\\-", "-");
    for page in ["veilset-serve-build", "veilset-serve-add", "veilset-peer-add", "veilset-bench"] {
        assert!(manual.contains(&format!(".TH {page} ")), "{page}");
    }
    let help = text(&party.run(&["--help"]));
    assert!(manual.contains("VEILSET_HOME") && help.contains("VEILSET_HOME"));
    // Line by line, as in help.
    for section in ["EXAMPLES", "ENVIRONMENT", "EXIT CODES"] {
        assert!(manual.contains(&format!(".SH {section}\n.nf\n")), "{section}");
    }
    let codes = help.lines().filter(|line| line.starts_with("  0 done"));
    assert!(codes.into_iter().all(|line| manual.contains(&format!("\n\\&{line}\n"))));
}

#[test]
fn the_manual_in_a_folder_has_a_file_for_every_help_page() {
    let party = party();
    let written = party.run(&["man", "share/man1"]);
    assert_eq!(text(&written), "");
    let files = fs::read_dir(party.path("share/man1")).expect("a folder");
    let files = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
    let wanted = helps(&party, &[]).into_iter().map(|(of, _)| {
        let words = ["veilset"].into_iter().chain(of.split_whitespace()).collect::<Vec<_>>();
        format!("{}.1", words.join("-"))
    });
    assert_eq!(files.collect::<BTreeSet<_>>(), wanted.collect());
    assert!(party.read("share/man1/veilset-peer-add.1").contains(".TH veilset-peer-add 1"));
    party.file("taken", "");
    let refused = party.run(&["man", "taken"]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("cannot write the manual into taken"),
        "{}",
        stderr(&refused)
    );
}

#[cfg(unix)]
#[test]
fn a_reader_who_has_enough_ends_nothing_badly() {
    use crate::support::PROGRAM;

    let party = party();
    for command in ["completions bash", "completions zsh", "completions fish", "man", "protocols"] {
        let line = format!("{{ {PROGRAM} {command}; echo $? > code; }} | true");
        let output = party.shell(&line).output().expect("it starts");
        assert_eq!((&*party.read("code"), &*stderr(&output)), ("0\n", ""), "{command}");
    }
}

#[test]
fn ten_programs_that_make_the_first_identity_make_one() {
    let party = party();
    let start = |_| {
        let home = party.path("new");
        party.command(&["id"]).env("VEILSET_HOME", home).spawn().expect("it starts")
    };
    let all: Vec<_> = (0..10).map(start).collect();
    let ended = all.into_iter().map(|child| child.wait_with_output().expect("it ends"));
    let keys: BTreeSet<String> = ended.map(|output| text(&output)).collect();
    assert_eq!(keys.len(), 1, "{keys:?}");
}

#[test]
fn a_key_has_one_name_and_names_are_listed_for_scripts() {
    let (left, right) = pair();
    let refused = left.run(&["peer", "add", "other", &right.key]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("pinned already, as right"), "{}", stderr(&refused));
    let listed = json(&left.run(&["peer", "list", "--json"]));
    assert_eq!(listed, serde_json::json!([{ "name": "right", "key": right.key }]));
    let nobody = json(&party().run(&["peer", "list", "--json"]));
    assert_eq!(nobody, Value::Array(Vec::new()));
}
