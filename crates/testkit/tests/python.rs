//! What Python's types know of operations and choices is what is declared.
//!
//! After a change of a declaration: `VEILSET_BLESS=1 cargo test -p veilset-testkit --test python`.

use std::fmt::Write;
use std::{env, fs};

use veilset::data::Pairs;
use veilset::registry::{CHOICES, Choice, Keys, Names, OPERATIONS, Operation, OperationSpec};
use veilset::{Join, Matching};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../python/python/veilset/_declared.py");

/// Columns of a line, as the formatter of Python's files has it.
const WIDTH: usize = 100;

/// A line, or what is between its brackets on lines of its own where it is too long.
fn wrapped(indent: &str, before: &str, items: &[String]) -> String {
    let inner = items.join(", ");
    if indent.len() + before.len() + inner.len() + 2 <= WIDTH {
        return format!("{indent}{before}[{inner}]\n");
    }
    let deeper = format!("{indent}    ");
    let inner = if deeper.len() + inner.len() <= WIDTH {
        format!("{deeper}{inner}\n")
    } else {
        items.iter().map(|item| format!("{deeper}{item},\n")).collect()
    };
    format!("{indent}{before}[\n{inner}{indent}]\n")
}

fn quoted(text: &str) -> String {
    assert!(!text.contains(['"', '\\']), "{text}");
    format!("\"{text}\"")
}

fn literal(name: &str, names: Names) -> String {
    let names: Vec<String> = names.all.iter().map(|name| quoted(name)).collect();
    wrapped("", &format!("{name}: TypeAlias = Literal"), &names)
}

/// `Shares` for `shares`.
fn type_of(choice: &Choice) -> String {
    let (first, rest) = choice.name.split_at(1);
    first.to_uppercase() + rest
}

/// The choice in the words of an option's help.
fn help(choice: &Choice) -> String {
    let (first, rest) = choice.help.split_at(1);
    let default = choice.default.map(|default| format!("; default: {default}"));
    first.to_lowercase() + rest + &default.unwrap_or_default()
}

/// The operations to which this argument belongs.
fn own(name: &str, has: impl Fn(&OperationSpec) -> bool) -> String {
    let of = OPERATIONS.iter().filter(|spec| has(spec));
    let of: Vec<String> = of.map(|spec| quoted(spec.operation.name())).collect();
    let comma = if of.len() == 1 { "," } else { "" };
    format!("    \"{name}\": ({}{comma}),\n", of.join(", "))
}

fn declared() -> Result<String, std::fmt::Error> {
    let mut text = String::from(
        "\"\"\"Operations and choices as the Rust part declares them; a test of `veilset-testkit` writes this file.\"\"\"\n\n\
         from __future__ import annotations\n\nimport os\n\
         from typing import Annotated, Literal, TypeAlias, TypedDict\n\n",
    );
    text += &literal("Operation", Operation::NAMES);
    for choice in CHOICES {
        text += &choice.values.map(|values| literal(&type_of(choice), values)).unwrap_or_default();
    }
    text += &literal("Match", Matching::NAMES);
    text += &literal("Pairs", Pairs::NAMES);
    text += &literal("Join", Join::NAMES);
    writeln!(text, "\n#: What stands where nobody chooses.")?;
    let own_choices = || CHOICES.iter().filter(|choice| choice.of.is_some());
    for choice in own_choices() {
        let default = choice.default.expect("an operation's own choice has a default");
        let (name, kind) = (choice.name.to_uppercase(), type_of(choice));
        writeln!(text, "{name}: {kind} = {}", quoted(default))?;
    }
    writeln!(text, "\n#: Arguments of single operations, beside those that all of a kind share.")?;
    writeln!(text, "OWN = {{")?;
    let mut named = Vec::new();
    for name in OPERATIONS.iter().filter_map(|spec| spec.attaches.argument()) {
        if !named.contains(&name) {
            text += &own(name, |spec| spec.attaches.argument() == Some(name));
            named.push(name);
        }
    }
    for choice in own_choices() {
        text += &own(choice.name, |spec| choice.is_of(spec.operation));
    }
    for name in ["factor", "stats", "by", "groups"] {
        text += &own(name, OperationSpec::has_groups);
    }
    for name in ["match", "pairs"] {
        text += &own(name, |spec| spec.keys != Keys::One);
    }
    text += &own("join", OperationSpec::may_send_rows);
    writeln!(text, "}}\n\n\nclass Choices(TypedDict, total=False):")?;
    writeln!(text, "    \"\"\"What both sides choose about a run beside its protocol.\"\"\"\n")?;
    for choice in CHOICES.iter().filter(|choice| choice.of.is_none()) {
        let kind = choice.values.map(|_| type_of(choice));
        let kind = kind.unwrap_or_else(|| "str | os.PathLike[str]".to_owned());
        let before = format!("{}: Annotated", choice.name);
        text += &wrapped("    ", &before, &[kind, quoted(&help(choice))]);
    }
    Ok(text)
}

#[test]
fn python_knows_what_is_declared() {
    let declared = declared().expect("a text");
    if env::var_os("VEILSET_BLESS").is_some() {
        fs::write(FILE, &declared).expect("writable");
    }
    let written = fs::read_to_string(FILE).expect("the file is there");
    assert_eq!(written, declared, "VEILSET_BLESS=1 writes it anew");
}
