//! `veilset plan --parties`: the price of a run of several.

use comfy_table::ColumnConstraint;
use veilset::json;
use veilset::planner::{MeetingEstimate, PlannedMeeting};

use super::args::PlanArgs;
use super::say_wrapped;
use crate::error::Failure;
use crate::layout;
use crate::operation::all_cores;
use crate::units::{show_bytes, show_duration};

/// Prices every protocol that fits.
pub(crate) fn run(args: &PlanArgs, parties: u16) -> Result<(), Failure> {
    let size = |rows: Option<u64>| usize::try_from(rows.unwrap_or_default()).unwrap_or(usize::MAX);
    let planned = PlannedMeeting {
        operation: args.operation(),
        parties: parties.into(),
        rows: size(args.rows),
        peer_rows: size(args.peer_rows),
        link: args.link.unwrap_or_default(),
        threads: args.threads.unwrap_or_else(all_cores),
    };
    let prices = planned.price().map_err(veilset::Error::from)?;
    if args.json {
        print_line!("{}", json::of_meeting_prices(&planned, &prices))?;
        return Ok(());
    }
    let mut table = layout::table(&[
        "protocol",
        "time",
        "leader sends, gets",
        "others send, get",
        "rounds",
        "memory",
    ]);
    table.add_rows(prices.iter().map(line));
    // An id in two lines is no id.
    if let Some(ids) = table.column_mut(0) {
        ids.set_constraint(ColumnConstraint::ContentWidth);
    }
    print_line!("{table}")?;
    say_wrapped(
        "You lead here. Of the others the most that one sends, and gets; all learn. Without --protocol a run takes the first of these.",
    )?;
    Ok(())
}

fn line(price: &MeetingEstimate) -> [String; 6] {
    let (parties, received) = (&price.cost.parties, &price.cost.received);
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let both = |sent: f64, received: f64| format!("{}, {}", show_bytes(sent), show_bytes(received));
    let sent = most(&mut parties[1..].iter().map(|party| party.bytes_sent));
    [
        price.spec.id.to_owned(),
        show_duration(price.time),
        both(parties[0].bytes_sent, received[0]),
        both(sent, most(&mut received[1..].iter().copied())),
        price.cost.rounds.to_string(),
        show_bytes(most(&mut parties.iter().map(|party| party.memory))),
    ]
}
