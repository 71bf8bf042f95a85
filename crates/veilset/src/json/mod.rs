//! Runs, lookups, prices and errors as JSON, for scripts: what the command line prints with `--json` and Python has as a
//! dictionary. `docs/use/json.md` says what each member is, and `docs/json.schema.json` which there are.

mod check;
mod history;
#[cfg(not(target_family = "wasm"))]
mod openmined;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use veilset_channel::PhaseCost;
use veilset_cluster::{
    CONNECTION_SECONDS, CONNECTION_TRIPS, Cluster, ClusterPrice, Fit, INNER_BITS_PER_SECOND,
    PASSES_A_ROW, PROCESS_BYTES, STORED_A_ROW,
};
#[cfg(feature = "calendar")]
use veilset_data::calendar::Slot;
use veilset_data::{ColumnSum, KeySet, KeySpec, Spread, Warning};
use veilset_party::PublicKey;
use veilset_protocols::{Choices, Gives, Outcome, Spec};
use veilset_rules::SignedReceipt;
use veilset_session::{
    Calibration, Estimate, MeetingEstimate, PeerReport, PlannedMeeting, PlannedRun, Prices,
    Receipt, Release, Report, Withheld,
};

#[cfg(not(target_family = "wasm"))]
use crate::lookup::{Answer, Fetched, LookedUp};
use crate::{Done, GroupDone, Input, ListSize, Shared, SharedKeys, exit_code};

pub use check::{number, of_check, of_columns};
pub use history::{PastRun, of_budget, of_past_run};
#[cfg(not(target_family = "wasm"))]
pub use openmined::of_openmined;

/// The version of what is said in JSON; it rises when a member goes or means something else, not when one is added.
const SCHEMA: u32 = 1;

/// `object` after what every object begins with: the version of this form, and of the program.
#[must_use]
pub fn versioned(object: Value) -> Value {
    let mut whole = json!({ "schema": SCHEMA, "version": env!("CARGO_PKG_VERSION") });
    if let (Some(whole), Value::Object(members)) = (whole.as_object_mut(), object) {
        whole.extend(members);
    }
    whole
}

/// `object` with what was chosen beside the protocol, told after its member `place`.
#[must_use]
pub fn with_choices(object: Value, place: &str, choices: Choices) -> Value {
    with_members(object, place, choices.told().map(|(name, value)| (name, json!(value))))
}

/// `object` with these members after its member `place`.
#[must_use]
pub fn with_members(
    object: Value,
    place: &str,
    members: impl Iterator<Item = (&'static str, Value)>,
) -> Value {
    let Value::Object(object) = object else { return object };
    let mut members = Some(members);
    let mut whole = Map::new();
    for (name, value) in object {
        let members = if name == place { members.take() } else { None };
        whole.insert(name, value);
        whole.extend(members.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)));
    }
    whole.into()
}

/// Why there is no result: what a command that fails prints with `--json`.
#[must_use]
pub fn of_error(code: u8, text: &str) -> Value {
    let kind = match code {
        exit_code::INPUT => "input",
        exit_code::TERMS => "terms",
        exit_code::NETWORK => "network",
        exit_code::PEER => "peer",
        exit_code::POLICY => "policy",
        _ => "bug",
    };
    versioned(json!({ "error": { "code": code, "kind": kind, "text": text } }))
}

/// A time as RFC 3339 has it, in UTC.
#[must_use]
pub fn time(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A time in seconds since 1970, in the same form.
#[must_use]
pub fn time_of(seconds: u64) -> String {
    time(UNIX_EPOCH + Duration::from_secs(seconds.min(u32::MAX.into())))
}

/// A party: what this side calls it, and its key.
#[must_use]
pub fn party(name: &str, key: Option<PublicKey>) -> Value {
    json!({ "name": name, "key": key.map(|key| key.to_string()) })
}

/// A run with the numbers of its result.
#[must_use]
pub fn of_run(done: &Done, input: &Input) -> Value {
    with_result(done, input, result(done, input).into())
}

/// A run that agreed on this slot, or on none.
#[cfg(feature = "calendar")]
#[must_use]
pub fn of_meeting(done: &Done, input: &Input, agreed: Option<&Slot>) -> Value {
    let slot = |slot: &Slot| json!({ "start": slot.start(), "end": slot.end() });
    with_result(done, input, agreed.map_or(Value::Null, slot))
}

/// A run of several has `peers` in the place of what is said of one, and no role.
fn with_result(done: &Done, input: &Input, result: Value) -> Value {
    let report = &done.report;
    let (empty, invalid) = input.skipped();
    let one = match &report.peers[..] {
        [peer] => Some(peer),
        _ => None,
    };
    let peers = || report.peers.iter().map(of_peer).collect::<Vec<_>>();
    let wire = report.wire();
    let members = [
        ("run", Some(json!(report.run))),
        ("time", Some(json!(time(done.started)))),
        ("operation", Some(json!(report.operation.name()))),
        ("protocol", Some(json!(report.protocol))),
        ("security", Some(json!(report.security.name()))),
        ("presets", Some(json!(report.presets))),
        ("match", report.matching.map(|matching| json!(matching.name()))),
        ("learn", Some(json!(report.learn.name()))),
        ("release", report.release.is_limited().then(|| of_release(report))),
        ("reference", report.reference.as_ref().map(|reference| json!(reference))),
        ("receipt", report.receipt.as_ref().map(of_receipt)),
        ("peer", one.map(|peer| party(&peer.name, peer.key.map(PublicKey::from_bytes)))),
        ("peers", one.is_none().then(|| json!(peers()))),
        ("role", report.role.map(|role| json!(role.name()))),
        ("rows", Some(json!(input.rows()))),
        ("distinct", Some(json!(report.distinct))),
        ("padded_to", (report.told > report.distinct).then(|| json!(report.told))),
        ("left_out", input.left_out().map(|rows| json!(rows))),
        ("empty", Some(json!(empty))),
        ("placeholders", Some(json!(input.placeholders()))),
        ("invalid", Some(json!(invalid))),
        ("crowded", input.spec().most_rows().map(|_| json!(input.crowded()))),
        ("keys", report.matching.map(|_| of_keys(input).into())),
        ("peer_distinct", one.map(|peer| json!(peer.distinct))),
        ("learned", Some(json!(report.learned))),
        ("warnings", Some(of_warnings(&done.warnings(input)))),
        ("result", Some(result)),
        ("bytes_sent", Some(json!(wire.sent))),
        ("bytes_received", Some(json!(wire.received))),
        ("rounds", Some(json!(report.rounds))),
        ("seconds", Some(seconds(&report.phases).into())),
        ("threads", Some(json!(report.threads))),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    // Where there are several peers, choices that their protocol does not know are left out.
    let told = report.choices.told().filter(|(_, value)| one.is_some() || value.is_some());
    let told = told.map(|(name, value)| (name, json!(value)));
    versioned(with_members(Value::Object(members.collect()), "security", told))
}

/// What both sides signed, or this side alone.
fn of_receipt(receipt: &Receipt) -> Value {
    json!({ "digest": SignedReceipt::of(receipt).digest(), "signed": receipt.is_whole() })
}

/// How much of a result was to be released.
fn of_release(report: &Report) -> Value {
    let Release { least, most_rate, round, noise } = report.release;
    let noise = noise.zip(report.noise_of_each).map(|(noise, of_each)| {
        json!({
            "epsilon": noise.epsilon(),
            "delta": noise.delta(),
            "dummies": of_each.dummies(),
            "error": of_each.error(),
        })
    });
    json!({ "least": least, "most_rate": most_rate, "round": round, "noise": noise })
}

/// What there is under each of several keys.
fn of_keys(input: &Input) -> Vec<Value> {
    let of_key = |(spec, set): (&KeySpec, &KeySet)| {
        json!({
            "presets": spec.canonical(),
            "distinct": set.len(),
            "empty": set.null_rows(),
            "placeholders": set.placeholder_rows(),
            "invalid": set.invalid_rows(),
            "crowded": set.crowded_rows(),
        })
    };
    input.by_key().map(of_key).collect()
}

/// One of several peers.
fn of_peer(peer: &PeerReport) -> Value {
    let mut object = party(&peer.name, peer.key.map(PublicKey::from_bytes));
    object["distinct"] = json!(peer.distinct);
    object["bytes_sent"] = json!(peer.wire.sent);
    object["bytes_received"] = json!(peer.wire.received);
    object
}

/// The result's numbers: `count` is the size of the set that the operation is about.
fn result(done: &Done, input: &Input) -> Map<String, Value> {
    let report = &done.report;
    let count = report.count();
    let mut result = Map::new();
    let mut insert = |name: &str, value: Value| drop(result.insert(name.to_owned(), value));
    match report.withheld {
        Some(Withheld::Fewer(least)) => insert("withheld", json!({ "fewer_than": least })),
        Some(Withheld::Rate(most)) => insert("withheld", json!({ "above_percent": most })),
        None => {}
    }
    match report.operation.spec().gives {
        Gives::PeerRows | Gives::Identifiers => {
            let union = count.map(|count| report.distinct + report.peer().distinct - count);
            insert("count", json!(union));
            insert("matches", json!(count));
            insert("received", json!(done.received()));
        }
        Gives::Shares => {
            if let Outcome::Shares(shares) = &report.outcome {
                insert("places", json!(shares.words.len() / shares.columns));
                insert("shares", json!(shares.sharing.name()));
            }
        }
        Gives::OwnRows => {
            insert("count", json!(count));
            insert("rows", json!(done.rows(input).map(Iterator::count)));
            if report.matching.is_some() {
                insert("by_key", json!(done.counts_by_key(input)));
            }
            let has_columns = report.joins() && !report.peer_columns.is_empty();
            if has_columns {
                let names = report.peer_columns.iter().map(|column| column.name.as_str());
                insert("columns", json!(names.collect::<Vec<_>>()));
            }
            if has_columns || input.joins() {
                insert("joined", json!(done.rows_of_join(input)));
            }
        }
        Gives::Numbers => {
            insert("count", json!(count));
            if let Some(keys) = done.shared_keys() {
                let [sets, shared] = sets_and_shared(&keys);
                insert("sets", sets);
                insert("shared", shared);
            }
            if report.operation.spec().has_values() {
                let sums = done.sums(input);
                for (name, value) in of_sums(sums.as_deref()) {
                    insert(name, value);
                }
                if let Some(groups) = done.groups(input) {
                    let columns = done.group_columns(input);
                    insert("groups", groups.map(|group| of_group(&group, &columns)).collect());
                }
            }
        }
        Gives::OneRow => insert("row", json!(done.agreed(input).flatten())),
    }
    result
}

/// A group: `by` has its cells, column by column, and `count` and `sum` are null where its matches are withheld.
fn of_group(GroupDone { names, known }: &GroupDone<'_>, columns: &[String]) -> Value {
    let pairs = columns.iter().cloned().zip(names.iter().map(|name| json!(name)));
    let by = Value::Object(pairs.collect());
    let group = json!({ "by": by, "count": known.as_ref().map(|(count, _)| count) });
    with_members(group, "count", of_sums(known.as_ref().map(|(_, sums)| &sums[..])).into_iter())
}

/// The `sum` of each column, and its `mean` and `variance` where squares were added up, too; null where nothing is known.
fn of_sums(sums: Option<&[ColumnSum]>) -> Vec<(&'static str, Value)> {
    let of = |text: &dyn Fn(&ColumnSum) -> Value| {
        let object = |sums: &[ColumnSum]| {
            sums.iter().map(|sum| (sum.name.clone(), text(sum))).collect::<Map<_, _>>()
        };
        json!(sums.map(object))
    };
    let spread = |sum: &ColumnSum, text: fn(&Spread) -> &Option<String>| {
        json!(sum.spread.as_ref().and_then(|spread| text(spread).as_ref()))
    };
    let mut members = vec![("sum", of(&|sum| json!(sum.sum)))];
    if sums.is_some_and(|sums| sums.iter().any(|sum| sum.spread.is_some())) {
        members.push(("mean", of(&|sum| spread(sum, |spread| &spread.mean))));
        members.push(("variance", of(&|sum| spread(sum, |spread| &spread.variance))));
    }
    members
}

/// What lists have in common: `sets`, each with its `name` and how many `distinct` keys it has, and `shared`, of each group the places
/// `of` its sets and the `count` of keys that all of these have.
#[must_use]
pub fn of_shared(keys: &SharedKeys) -> Value {
    let [sets, shared] = sets_and_shared(keys);
    json!({ "sets": sets, "shared": shared })
}

fn sets_and_shared(SharedKeys { lists, shared }: &SharedKeys) -> [Value; 2] {
    let list = |list: &ListSize| json!({ "name": list.name, "distinct": list.distinct });
    let group = |group: &Shared| json!({ "of": group.of, "count": group.count });
    [lists.iter().map(list).collect(), shared.iter().map(group).collect()]
}

/// A lookup in the list of `name`: of single items these, of the rows of a list none.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn of_lookup(found: &LookedUp, name: &str, items: &[String]) -> Value {
    let manifest = &found.manifest;
    let entries = (0..found.input.rows()).map(|row| entry(found, row, items.get(row)));
    let protocol = manifest.way().protocol();
    let spec = veilset_protocols::find(protocol).map(|protocol| protocol.spec());
    let object = json!({
        "run": found.run,
        "time": time(found.started),
        "operation": veilset_protocols::Operation::Lookup.name(),
        "protocol": protocol,
        "security": spec.map(|spec| spec.security.name()),
        "presets": manifest.presets,
        "learn": veilset_session::Learn::Me.name(),
        "peer": party(name, Some(found.peer)),
        "role": "receiver",
        "rows": found.input.rows(),
        "distinct": found.input.distinct(),
        "peer_distinct": manifest.count,
        "list": manifest.id(),
        "list_version": manifest.version,
        "fingerprint": manifest.fingerprint(),
        "fetched": match found.fetched {
            Fetched::Nothing => "nothing",
            Fetched::Changes => "changes",
            Fetched::All => "all",
        },
        "learned": found.learned(name),
        "warnings": of_warnings(&found.warnings()),
        "result": { "count": found.listed().count(), "entries": entries.collect::<Vec<_>>() },
        "false_positive": manifest.false_positive(),
        "bytes_sent": found.bytes.0,
        "bytes_received": found.bytes.1,
    });
    let choices = spec.map(|spec| spec.defaults()).unwrap_or_default();
    versioned(with_choices(object, "security", choices))
}

#[cfg(not(target_family = "wasm"))]
fn entry(found: &LookedUp, row: usize, item: Option<&String>) -> Value {
    let answer = found.of_row(row);
    let label = match answer {
        Some(Answer::Listed(label)) => label.clone(),
        _ => None,
    };
    let mut entry = json!({
        "row": row + 1,
        "listed": matches!(answer, Some(Answer::Listed(_))),
        "label": label,
        "key": answer.is_some(),
    });
    if let Some(item) = item {
        entry["item"] = json!(item);
    }
    entry
}

/// What a user should know, each with its code and the rows that it concerns.
#[must_use]
pub fn of_warnings(warnings: &[Warning]) -> Value {
    let warning = |warning: &Warning| json!({ "code": warning.code.name(), "text": warning.text, "rows": warning.rows });
    warnings.iter().map(warning).collect()
}

/// Seconds by phase; phases of one name add up.
#[must_use]
pub fn seconds(phases: &[PhaseCost]) -> Map<String, Value> {
    let mut seconds = Map::new();
    for phase in phases {
        let before = seconds.get(phase.name).and_then(Value::as_f64).unwrap_or_default();
        seconds.insert(phase.name.to_owned(), json!(before + phase.time.as_secs_f64()));
    }
    seconds
}

/// The prices of a run, as `veilset plan --json` prints them.
#[must_use]
pub fn of_prices(prices: &Prices) -> Value {
    let switch = |(from, to): &(u64, &Spec)| json!({ "from": from, "protocol": to.id });
    versioned(json!({
        "operation": prices.operation.name(),
        "threads": prices.threads,
        "plans": prices.plans.iter().map(|plan| estimate(prices, plan)).collect::<Vec<_>>(),
        "switches": prices.switches.iter().map(switch).collect::<Vec<_>>(),
    }))
}

/// The prices of a run of several parties, as `veilset plan --parties --json` prints them.
#[must_use]
pub fn of_meeting_prices(planned: &PlannedMeeting, prices: &[MeetingEstimate]) -> Value {
    let plan = |price: &MeetingEstimate| {
        let parties = price.cost.parties.iter().zip(&price.cost.received);
        let parties = parties.map(|(party, received)| {
            json!({
                "bytes_sent": party.bytes_sent as u64,
                "bytes_received": *received as u64,
                "memory": party.memory as u64,
            })
        });
        json!({
            "protocol": price.spec.id,
            "seconds": price.time.as_secs_f64(),
            "rounds": price.cost.rounds,
            "parties": parties.collect::<Vec<_>>(),
        })
    };
    versioned(json!({
        "operation": planned.operation.name(),
        "parties": planned.parties,
        "threads": planned.threads,
        "plans": prices.iter().map(plan).collect::<Vec<_>>(),
    }))
}

/// The prices of runs between clusters, as `veilset plan --cluster --json` prints them.
#[must_use]
pub fn of_clusters(
    planned: &PlannedRun,
    cluster: &Cluster,
    machine: &Calibration,
    prices: &[ClusterPrice],
) -> Value {
    let group = prices.first().and_then(|price| price.spec.defaults().group);
    let group = planned.wanted.choices.group.or(group);
    let speed = group.map(|group| machine.of(group));
    versioned(json!({
        "operation": planned.wanted.operation.name(),
        "threads": planned.threads,
        "within_seconds": cluster.within.as_secs_f64(),
        "assumed": {
            "link_bits_per_second": planned.link.bits_per_second,
            "link_round_trip_seconds": planned.link.round_trip.as_secs_f64(),
            "worker_memory": cluster.worker_memory,
            "price_a_worker_hour": cluster.price,
            "price_a_gigabyte_sent": cluster.egress,
            "multiplication_seconds": speed.map(|speed| speed.multiplication),
            "map_seconds": speed.map(|speed| speed.map),
            "pass_seconds": machine.pass(),
            "passes_a_row": PASSES_A_ROW,
            "stored_bytes_a_row": STORED_A_ROW,
            "inner_bits_per_second": INNER_BITS_PER_SECOND,
            "connection_seconds": CONNECTION_SECONDS,
            "connection_round_trips": CONNECTION_TRIPS,
            "process_bytes": PROCESS_BYTES,
        },
        "plans": prices.iter().map(of_cluster).collect::<Vec<_>>(),
    }))
}

fn of_cluster(price: &ClusterPrice) -> Value {
    let (chosen, least) = match price.fit {
        Fit::Given => ("given", None),
        Fit::Fewest => ("fewest in time", None),
        Fit::Link { least } => ("none in time over this link", Some(least)),
        Fit::Never => ("none in time", None),
    };
    json!({
        "protocol": price.spec.id,
        "rows": price.rows[0],
        "peer_rows": price.rows[1],
        "pieces": price.pieces,
        "workers": price.workers,
        "workers_are": chosen,
        "least_bits_per_second": least,
        "seconds": price.time.as_secs_f64(),
        "preparing_seconds": price.preparing.as_secs_f64(),
        "computing_seconds": price.computing.as_secs_f64(),
        "link_seconds": price.link.as_secs_f64(),
        "bytes_sent": price.sent[0] as u64,
        "bytes_received": price.sent[1] as u64,
        "worker_memory": price.worker_memory,
        "stored_bytes": price.stored[0] as u64,
        "peer_stored_bytes": price.stored[1] as u64,
        "cost": price.cost[0],
        "peer_cost": price.cost[1],
    })
}

fn estimate(prices: &Prices, plan: &Estimate) -> Value {
    let (mine, theirs) = prices.bytes(plan);
    let object = json!({
        "protocol": plan.spec().id,
        "security": plan.spec().security.name(),
        "seconds": plan.time.as_secs_f64(),
        "computing_seconds": plan.computing.as_secs_f64(),
        "bytes_sent": mine as u64,
        "bytes_received": theirs as u64,
        "rounds": plan.cost.rounds,
        "bytes_kept": prices.kept(plan) as u64,
        "memory": plan.memory,
        "learned": prices.learned(plan),
        "leaks": prices.leaks(plan),
    });
    with_choices(object, "security", plan.choices)
}
