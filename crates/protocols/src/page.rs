//! The tables of `docs/use/protocols.md`, which follow from the registry.
//!
//! After a change of an entry: `VEILSET_BLESS=1 cargo test -p veilset-protocols page`.

use std::fmt::Write;
use std::{env, fs};

use crate::{
    Leak, MULTIPARTY, MultipartyProtocol, Operation, PROTOCOLS, Parties, Parts, Protocol, Reveal,
    Role, Security, Shape, Spec, Withstands,
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/use/protocols.md");
const BEGIN: &str = "<!-- registry -->\n";
const END: &str = "<!-- end -->\n";

/// Elements of the sender and of the receiver for which bytes are said.
const SIZES: [[u64; 2]; 3] = [[1 << 8, 1 << 8], [1 << 16, 1 << 16], [1 << 16, 1 << 8]];

/// Bytes of a row that a union sends, and of a label.
const WIDTH: usize = 16;

fn specs() -> impl Iterator<Item = &'static Spec> {
    PROTOCOLS.iter().map(|protocol| protocol.spec())
}

/// Bytes of both sides together, or a dash for sizes that the protocol does not take.
fn bytes(protocol: &dyn Protocol, [sender, receiver]: [u64; 2]) -> String {
    let spec = protocol.spec();
    let attached = |role| spec.operation.spec().attached(role, 1, WIDTH);
    if Parts::fewest(spec, sender.max(receiver)).is_none() {
        return "–".into();
    }
    let cost = protocol.cost(Shape {
        attached: attached(Role::Sender),
        returned: attached(Role::Receiver),
        ..Shape::of_sets(sender, receiver, spec.reveals[0], spec.defaults())
    });
    shown(cost.sender.bytes_sent + cost.receiver.bytes_sent)
}

fn shown(bytes: f64) -> String {
    match bytes {
        sum if sum >= 1e9 => "–".into(),
        sum if sum >= 1e6 => format!("{:.1} MB", sum / 1e6),
        sum => format!("{:.1} kB", sum / 1e3),
    }
}

fn who_may_learn(spec: &Spec) -> &'static str {
    match spec.reveals {
        [Reveal::Both] => "both",
        [Reveal::Receiver] => "one",
        _ => "both or one",
    }
}

fn put_entries(out: &mut String, operation: Operation) {
    writeln!(out, "### `{operation}`\n").expect("to memory");
    out.push_str("| protocol | what it is | holds against | `auto` | learns | most keys | 2^8 each | 2^16 each | 2^16 with 2^8 |\n");
    out.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for protocol in PROTOCOLS.iter().filter(|protocol| protocol.spec().operation == operation) {
        let spec = protocol.spec();
        let against = match spec.security {
            Security::SemiHonest => "semi-honest",
            Security::Malicious => "cheats",
        };
        let auto = if spec.auto { "yes" } else { "by name" };
        let most = Parts::most_elements(spec).ilog2();
        write!(
            out,
            "| `{}` | {} | {against} | {auto} | {} | 2^{most} |",
            spec.id,
            spec.title,
            who_may_learn(spec)
        )
        .expect("to memory");
        for sizes in SIZES {
            write!(out, " {} |", bytes(*protocol, sizes)).expect("to memory");
        }
        out.push('\n');
    }
    if operation.spec().may_send_rows() {
        let sending = specs().filter(|spec| spec.with_rows.is_some());
        let ids: Vec<String> = sending.map(|spec| format!("`{}`", spec.id)).collect();
        let ids = ids.join(", ");
        writeln!(out, "\n[Columns](join.md) can go with the matches of {ids}.").expect("to memory");
    }
    out.push('\n');
}

fn put_knowledge(out: &mut String) {
    let may = |spec: &Spec, reveal, text| if spec.reveals.contains(&reveal) { text } else { "–" };
    let of = |spec: &Spec| {
        let both = may(spec, Reveal::Both, spec.sender.of_you);
        let none = may(spec, Reveal::Receiver, spec.residue.of_you);
        format!("{} | {both} | {none} |", spec.receiver.of_you)
    };
    out.push_str("### What each side learns\n\n");
    out.push_str("| protocols | as the receiver | as the sender, if both learn | as the sender, if the receiver alone learns |\n");
    out.push_str("|---|---|---|---|\n");
    put_grouped(out, specs().map(|spec| (of(spec), spec.id)));
    out.push('\n');
}

fn put_leaks(out: &mut String, title: &str, of: fn(&Leak) -> bool) {
    writeln!(out, "### {title}\n\n| protocols | what |\n|---|---|").expect("to memory");
    let all = specs().flat_map(|spec| {
        let leaks = spec.leaks.iter().filter(move |leak| of(leak));
        leaks.map(move |leak| (format!("{} |", leak.text), spec.id))
    });
    put_grouped(out, all);
    out.push('\n');
}

/// A row for each text, with the entries that have it.
fn put_grouped(out: &mut String, pairs: impl Iterator<Item = (String, &'static str)>) {
    for (text, ids) in grouped(pairs) {
        writeln!(out, "| {} | {text}", names(&ids)).expect("to memory");
    }
}

/// Each text in the order in which they come first, with the entries that have it.
fn grouped(
    pairs: impl Iterator<Item = (String, &'static str)>,
) -> Vec<(String, Vec<&'static str>)> {
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    for (text, id) in pairs {
        match rows.iter_mut().find(|row| row.0 == text) {
            Some(row) => row.1.push(id),
            None => rows.push((text, vec![id])),
        }
    }
    rows
}

/// Entries by their ids, or all of an operation at once.
fn names(ids: &[&str]) -> String {
    let of = |operation: Operation| specs().filter(move |spec| spec.operation == operation);
    let mut names = Vec::new();
    for operation in Operation::ALL {
        if of(operation).next().is_none() {
            continue;
        }
        if of(operation).all(|spec| ids.contains(&spec.id)) {
            names.push(format!("every `{operation}`"));
        } else {
            let some = of(operation).filter(|spec| ids.contains(&spec.id));
            names.extend(some.map(|spec| format!("`{}`", spec.id)));
        }
    }
    names.join(", ")
}

/// The party that sends most, and the one that receives most, of three; a dash for sizes that the protocol does not take.
fn most_of_three(protocol: &dyn MultipartyProtocol, size: usize) -> String {
    if size as u64 > protocol.spec().max_elements {
        return "–".into();
    }
    let (sizes, learners) = ([size; 3], [true; 3]);
    let cost = protocol.cost(&Parties {
        sizes: &sizes,
        leader: 0,
        pivot: 1,
        learners: &learners,
        slack: 0,
    });
    let sent = cost.parties.iter().map(|party| party.bytes_sent);
    let [sent, received] =
        [sent.fold(0.0, f64::max), cost.received.iter().copied().fold(0.0, f64::max)];
    format!("{} / {}", shown(sent), shown(received))
}

fn put_several(out: &mut String) {
    out.push_str("### Three parties or more\n\n");
    out.push_str("| protocol | operation | what it is | who may pool what it sees | learn | most keys | of three, 2^8 each | 2^16 each |\n");
    out.push_str("|---|---|---|---|---|---|---|---|\n");
    for protocol in MULTIPARTY {
        let spec = protocol.spec();
        let pooled = match spec.withstands {
            Withstands::AllButOne => "any, even all but one",
            Withstands::LeaderApartFromPivot => "any, but not leader and pivot both",
        };
        let learn = if spec.some_learn { "all or some" } else { "all" };
        let [small, large] = [1 << 8, 1 << 16].map(|size| most_of_three(protocol, size));
        writeln!(
            out,
            "| `{}` | `{}` | {} | {pooled} | {learn} | 2^{} | {small} | {large} |",
            spec.id,
            spec.operation,
            spec.title,
            spec.max_elements.ilog2()
        )
        .expect("to memory");
    }
    out.push_str("\nBytes are the most that a party sends, and the most that one receives. All are semi-honest. What leaks:\n\n");
    out.push_str("| protocols | what |\n|---|---|\n");
    let leaks = MULTIPARTY.iter().flat_map(|protocol| {
        let spec = protocol.spec();
        spec.leaks.iter().map(|leak| (format!("{leak} |"), spec.id))
    });
    for (text, ids) in grouped(leaks) {
        let ids: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
        writeln!(out, "| {} | {text}", ids.join(", ")).expect("to memory");
    }
    out.push('\n');
}

fn tables() -> String {
    let mut out = String::from("\n");
    let of_two = |operation: &Operation| specs().any(|spec| spec.operation == *operation);
    for operation in Operation::ALL.into_iter().filter(of_two) {
        put_entries(&mut out, operation);
    }
    put_several(&mut out);
    put_knowledge(&mut out);
    put_leaks(&mut out, "What leaks beside the result", |leak| !leak.by_cheating);
    put_leaks(&mut out, "What a side gets that cheats", |leak| leak.by_cheating);
    out
}

#[test]
fn the_page_has_what_the_registry_says() {
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let (before, rest) = page.split_once(BEGIN).expect("the tables begin");
    let (there, after) = rest.split_once(END).expect("the tables end");
    let tables = tables();
    if env::var_os("VEILSET_BLESS").is_some() {
        fs::write(PAGE, format!("{before}{BEGIN}{tables}{END}{after}")).expect("writable");
        return;
    }
    for (now, then) in tables.lines().zip(there.lines()) {
        assert_eq!(now, then, "a line of docs/use/protocols.md");
    }
    assert_eq!(tables.lines().count(), there.lines().count());
}
