//! `veilset protocols`: the registry.

use comfy_table::Table;
use serde_json::{Value, json};
use veilset::json::with_members;
use veilset::registry::{
    MULTIPARTY, MultipartySpec, Operation, PROTOCOLS, Parts, Spec, Withstands,
};

use crate::args::ProtocolsArgs;
use crate::error::Failure;
use crate::layout::{plain, table};

/// A protocol between two parties, or between several.
#[derive(Clone, Copy)]
enum Entry {
    Two(&'static Spec),
    Several(&'static MultipartySpec),
}

impl Entry {
    /// Those between two, then the others.
    fn all() -> impl Iterator<Item = Self> {
        let of_two = PROTOCOLS.iter().map(|protocol| Self::Two(protocol.spec()));
        of_two.chain(MULTIPARTY.iter().map(|protocol| Self::Several(protocol.spec())))
    }

    fn id(self) -> &'static str {
        match self {
            Self::Two(spec) => spec.id,
            Self::Several(spec) => spec.id,
        }
    }

    fn operation(self) -> Operation {
        match self {
            Self::Two(spec) => spec.operation,
            Self::Several(spec) => spec.operation,
        }
    }

    /// A line of the list; of those of one operation what they are, too.
    fn line(self, of_one: bool) -> [&'static str; 3] {
        let (security, title) = match self {
            Self::Two(spec) => (spec.security, spec.title),
            Self::Several(spec) => (spec.security, spec.title),
        };
        [self.id(), security.name(), if of_one { title } else { self.operation().name() }]
    }

    fn in_full(self) -> Table {
        match self {
            Self::Two(spec) => in_full(spec),
            Self::Several(spec) => several_in_full(spec),
        }
    }

    fn object(self) -> Value {
        match self {
            Self::Two(spec) => object(spec),
            Self::Several(spec) => several_object(spec),
        }
    }
}

/// Lists the protocols, or shows some in full: what each rests on, and what leaks.
pub(crate) fn run(args: &ProtocolsArgs) -> Result<(), Failure> {
    let fits = |entry: &Entry| match &args.ids[..] {
        [] => {
            matches!(entry, Entry::Several(_)) == args.several
                && args.operation.is_none_or(|operation| entry.operation() == operation)
        }
        ids => ids.contains(&entry.id()),
    };
    let entries = Entry::all().filter(fits);
    if args.json {
        print_line!("{}", Value::from(entries.map(Entry::object).collect::<Vec<_>>()))?;
        return Ok(());
    }
    if !args.ids.is_empty() {
        for entry in entries {
            print_line!("{}", entry.in_full())?;
        }
        return Ok(());
    }
    // Those of several parties are few.
    let of_one = args.operation.is_some() || args.several;
    let last = if of_one { "what it is" } else { "operation" };
    let mut table = table(&["id", "security", last]);
    table.add_rows(entries.map(|entry| entry.line(of_one)));
    print_line!("{table}")?;
    print_line!(
        "In full, with what leaks: veilset protocols ID. Of one operation: --operation OP"
    )?;
    if !args.several {
        print_line!("Between three parties or more: --several")?;
    }
    Ok(())
}

/// Against whom together a protocol between several holds.
fn withstood(withstands: Withstands) -> &'static str {
    match withstands {
        Withstands::AllButOne => "any parties that pool what they see, even all but one",
        Withstands::LeaderApartFromPivot => {
            "any parties that pool what they see, but not leader and pivot both"
        }
    }
}

fn several_in_full(spec: &MultipartySpec) -> Table {
    let learn = if spec.some_learn { "all, or those whom --learner names" } else { "all" };
    let mut table = plain();
    for (name, value) in [
        ("id", spec.id.to_owned()),
        ("what it is", spec.title.to_owned()),
        ("operation", format!("{} of 3 lists or more (--peer for each)", spec.operation)),
        ("security", spec.security.name().to_owned()),
        ("withstands", withstood(spec.withstands).to_owned()),
        ("rests on", spec.assumption.to_owned()),
        ("who learns", learn.to_owned()),
        ("leaks", spec.leaks.join("\n")),
        ("most keys", spec.max_elements.to_string()),
        ("source", spec.paper.to_owned()),
    ] {
        table.add_row([name.to_owned(), value]);
    }
    table
}

fn several_object(spec: &MultipartySpec) -> Value {
    json!({
        "id": spec.id,
        "title": spec.title,
        "operation": spec.operation.name(),
        "security": spec.security.name(),
        "withstands": withstood(spec.withstands),
        "assumption": spec.assumption,
        "paper": spec.paper,
        "some_learn": spec.some_learn,
        "leaks": spec.leaks,
        "max_elements": spec.max_elements,
    })
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
    let most = Parts::most_elements(spec).to_string();
    let after = [("most keys", most), ("source", spec.paper.to_owned())];
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
        "max_elements": Parts::most_elements(spec),
        "auto": spec.auto,
        "with_rows": spec.with_rows.is_some(),
    });
    let choices = spec.choices.names().map(|(names, taken)| (names.what, json!(taken)));
    with_members(object, "receiver_learns", choices)
}
