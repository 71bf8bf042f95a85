//! What is said after a screening.

use serde_json::{Map, Value, json};
use veilset::data::WarningCode;
use veilset::{Done, Input, Report};

use crate::modules::modules;
use crate::units::{show_bytes, show_duration};

/// The object that `--json` prints.
pub(crate) fn object(done: &Done, input: &Input) -> Value {
    let mut object = veilset::json::of_run(done, input);
    let mut warnings = done.warnings(input);
    // Nobody on the list is what a screening hopes for.
    warnings.retain(|warning| warning.code != WarningCode::NoMatch);
    object["warnings"] = veilset::json::of_warnings(&warnings);
    object["operation"] = json!("screen");
    object["seconds"] = seconds(&done.report).into();
    object
}

/// Seconds by sub-module.
fn seconds(report: &Report) -> Map<String, Value> {
    let entry = |(name, seconds): (&str, f64)| (name.to_owned(), json!(seconds));
    let modules = modules(report).into_iter();
    modules.map(|module| entry((module.name, module.time.as_secs_f64()))).collect()
}

/// The sub-modules for the page: name, seconds, bytes.
pub(crate) fn rows(report: &Report) -> Value {
    let row = |module: crate::modules::Module| {
        json!({
            "name": module.name,
            "seconds": module.time.as_secs_f64(),
            "sent": module.sent,
            "received": module.received,
        })
    };
    modules(report).into_iter().map(row).collect()
}

/// The sub-modules as a table of text.
pub(crate) fn table(report: &Report) -> String {
    let whole = report.time().as_secs_f64().max(f64::MIN_POSITIVE);
    let mut lines = vec![format!(
        "  {:26} {:>9} {:>6} {:>10} {:>10}",
        "sub-module", "time", "share", "sent", "received"
    )];
    lines.extend(modules(report).iter().map(|module| {
        format!(
            "  {:26} {:>9} {:>4.0} % {:>10} {:>10}",
            module.name,
            show_duration(module.time),
            100.0 * module.time.as_secs_f64() / whole,
            show_bytes(module.sent as f64),
            show_bytes(module.received as f64),
        )
    }));
    lines.join("\n")
}

/// The whole run in a line.
pub(crate) fn cost(report: &Report) -> String {
    let wire = report.wire();
    format!(
        "{} in {}, {} sent, {} received, {} rounds",
        report.protocol,
        show_duration(report.time()),
        show_bytes(wire.sent as f64),
        show_bytes(wire.received as f64),
        report.rounds,
    )
}

/// The result in a sentence.
pub(crate) fn outcome(done: &Done, input: &Input, place: Option<&str>) -> String {
    if let Some(withheld) = done.report.withheld {
        return withheld.sentence();
    }
    let written = place.map_or(String::new(), |place| format!("; written to {place}"));
    format!(
        "{} of {} distinct keys are on the list, in {} rows{written}",
        done.report.count().unwrap_or_default(),
        done.report.distinct,
        done.rows(input).map_or(0, Iterator::count),
    )
}
