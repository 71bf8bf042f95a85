//! `veilset protocols`: the registry.

use comfy_table::{Table, presets};
use serde_json::{Value, json};
use veilset::registry::{PROTOCOLS, Spec};

use crate::args::ProtocolsArgs;
use crate::error::Failure;

/// Prints every protocol with what it rests on and what leaks.
pub(crate) fn run(args: &ProtocolsArgs) -> Result<(), Failure> {
    let specs: Vec<&Spec> = PROTOCOLS.iter().map(|protocol| protocol.spec()).collect();
    if args.json {
        let objects: Vec<Value> = specs.into_iter().map(object).collect();
        print_line!("{}", Value::from(objects))?;
        return Ok(());
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["id", "operation", "security", "what it is", "source"]);
    for spec in &specs {
        table.add_row([
            spec.id,
            spec.operation.name(),
            spec.security.name(),
            spec.title,
            spec.paper,
        ]);
    }
    print_line!("{table}")?;
    for spec in specs {
        let leaks: Vec<&str> = spec.all_leaks().collect();
        print_line!("{}: rests on {}. {}", spec.id, spec.assumption, leaks.join(" "))?;
    }
    Ok(())
}

fn object(spec: &Spec) -> Value {
    json!({
        "id": spec.id,
        "title": spec.title,
        "operation": spec.operation.name(),
        "security": spec.security.name(),
        "assumption": spec.assumption,
        "paper": spec.paper,
        "receiver_learns": spec.receiver.of_you,
        "groups": spec.groups.iter().map(|group| group.name()).collect::<Vec<_>>(),
        "digests": spec.digests.iter().map(|digest| digest.name()).collect::<Vec<_>>(),
        "leaks": spec.all_leaks().collect::<Vec<_>>(),
        "max_elements": spec.max_elements,
        "auto": spec.auto,
    })
}
