//! `veilset protocols`: the registry.

use comfy_table::Table;
use serde_json::{Value, json};
use veilset::json::with_members;
use veilset::registry::{PROTOCOLS, Spec};

use crate::args::ProtocolsArgs;
use crate::error::Failure;
use crate::layout::{plain, table};

/// Lists the protocols, or shows some in full: what each rests on, and what leaks.
pub(crate) fn run(args: &ProtocolsArgs) -> Result<(), Failure> {
    let fits = |spec: &&Spec| {
        args.operation.is_none_or(|operation| spec.operation == operation)
            && (args.ids.is_empty() || args.ids.contains(&spec.id))
    };
    let specs: Vec<&Spec> = PROTOCOLS.iter().map(|protocol| protocol.spec()).filter(fits).collect();
    if args.json {
        let objects: Vec<Value> = specs.into_iter().map(object).collect();
        print_line!("{}", Value::from(objects))?;
        return Ok(());
    }
    if !args.ids.is_empty() {
        for spec in specs {
            print_line!("{}", in_full(spec))?;
        }
        return Ok(());
    }
    print_line!("{}", list(&specs, args.operation.is_some()))?;
    print_line!(
        "In full, with what leaks: veilset protocols ID. Of one operation: --operation OP"
    )?;
    Ok(())
}

/// A line each; of those of one operation what they are, too.
fn list(specs: &[&Spec], of_one: bool) -> Table {
    let last = if of_one { "what it is" } else { "operation" };
    let mut table = table(&["id", "security", last]);
    for spec in specs {
        let last = if of_one { spec.title } else { spec.operation.name() };
        table.add_row([spec.id, spec.security.name(), last]);
    }
    table
}

fn in_full(spec: &Spec) -> Table {
    let choices = spec.choices.names().map(|(names, taken)| (names.what, taken.join(", ")));
    let before = [
        ("id", spec.id.to_owned()),
        ("what it is", spec.title.to_owned()),
        ("operation", spec.operation.name().to_owned()),
        ("security", spec.security.name().to_owned()),
        ("rests on", spec.assumption.to_owned()),
        ("who receives learns", spec.receiver.of_you.to_owned()),
        ("leaks", spec.all_leaks().collect::<Vec<_>>().join("\n")),
    ];
    let sends = if spec.with_rows.is_some() { "yes (--send)" } else { "no" };
    let may_send = spec.operation.spec().may_send_rows();
    let sends = may_send.then(|| ("columns go with matches", sends.to_owned()));
    let after = [("most keys", spec.max_elements.to_string()), ("source", spec.paper.to_owned())];
    let mut table = plain();
    for (name, value) in before.into_iter().chain(choices).chain(sends).chain(after) {
        table.add_row([name.to_owned(), value]);
    }
    table
}

fn object(spec: &Spec) -> Value {
    let object = json!({
        "id": spec.id,
        "title": spec.title,
        "operation": spec.operation.name(),
        "security": spec.security.name(),
        "assumption": spec.assumption,
        "paper": spec.paper,
        "receiver_learns": spec.receiver.of_you,
        "leaks": spec.all_leaks().collect::<Vec<_>>(),
        "max_elements": spec.max_elements,
        "auto": spec.auto,
        "with_rows": spec.with_rows.is_some(),
    });
    let choices = spec.choices.names().map(|(names, taken)| (names.what, json!(taken)));
    with_members(object, "receiver_learns", choices)
}
