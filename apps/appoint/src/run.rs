//! The agreement itself: meets the other side, and has the page told how far it is.

use std::sync::Arc;
use std::thread::{self, available_parallelism};

use serde_json::{Value, json};
use veilset::data::calendar::{Slot, Zone};
use veilset::meeting::{self, Meeting};
use veilset::net::{Endpoint, Options, Stop};
use veilset::party::Peer;
use veilset::registry::Operation;
use veilset::{Connection, Done, Job, Resources};

use crate::availability::ordered;
use crate::desk::Desk;
use crate::error::Refusal;
use crate::request;

/// Everything that a run needs, checked.
struct Plan {
    meeting: Meeting,
    zone: Zone,
    slots: Vec<Slot>,
    endpoint: Endpoint,
    peer: Peer,
}

/// Checks the page's fields and begins a run, which goes on by itself.
///
/// # Errors
/// When a field is wrong, or a run goes on already.
pub(crate) fn start(desk: &Arc<Desk>, wanted: &request::Run) -> Result<(), Refusal> {
    let plan = Plan::new(desk, wanted)?;
    desk.board.start(&plan.peer.name)?;
    let (desk, stop) = (Arc::clone(desk), desk.begin());
    thread::spawn(move || match plan.run(&desk, stop.clone()) {
        Ok(result) => desk.board.complete(result),
        Err(_) if stop.is_stopped() => desk.board.stopped(),
        Err(why) => desk.board.fail(why),
    });
    Ok(())
}

impl Plan {
    fn new(desk: &Desk, wanted: &request::Run) -> Result<Self, Refusal> {
        let calendar = desk.calendar();
        let slots = ordered(calendar.as_deref(), &wanted.times, &wanted.order)?;
        if slots.is_empty() {
            return Err(Refusal::new(
                "calendar",
                "you offer no time: free some, or take other days, hours or a shorter meeting",
            ));
        }
        if wanted.peer.trim().is_empty() {
            return Err(Refusal::new("peer", "choose whom you meet, or paste their key"));
        }
        let peer = desk.party.find(&wanted.peer)?;
        Ok(Self {
            meeting: wanted.times.meeting()?,
            zone: wanted.times.zone()?,
            slots,
            endpoint: wanted.endpoint()?,
            peer,
        })
    }

    /// The result as the page shows it.
    fn run(self, desk: &Desk, stop: Stop) -> Result<Value, Refusal> {
        let input = meeting::input("slots".to_owned(), &self.slots)?;
        let job = desk.party.governs(self.job(desk))?;
        job.check()?;
        job.check_list(&input)?;
        let options = Options { deadline: desk.how.deadline, stop, ..Options::default() };
        let tell = |event| desk.board.tell(&event);
        let (identity, peer) = (&desk.party.identity, &self.peer);
        let connection =
            Connection::open(identity, &[peer.clone().into()], &self.endpoint, &options, &tell)?;
        let ready = job.offer(connection, &input)?;
        desk.board.brief(ready.briefing());
        let cores = || available_parallelism().map_or(1, usize::from);
        let threads = desk.how.threads.unwrap_or_else(cores);
        let done = ready.run(&input, &Resources { threads, observer: &desk.board })?;
        let agreed = meeting::agreed(&done, &input, &self.slots);
        if let Some((_, slot)) = agreed {
            desk.keep(*slot);
        }
        Ok(self.result(&done, agreed))
    }

    fn job(&self, desk: &Desk) -> Job {
        let job = Job::new(Operation::Agree, [&self.peer.name]);
        self.meeting.terms_of(Job { protocol: desk.how.protocol.0, ..job })
    }

    fn result(&self, done: &Done, agreed: Option<(usize, &Slot)>) -> Value {
        let (report, peer) = (&done.report, &self.peer.name);
        let wire = report.wire();
        let offered = format!("that you offered {} slots", report.distinct);
        let (place, told) = match agreed {
            Some((row, _)) => {
                let place = row + 1;
                let told = format!(
                    "{peer} learned this slot, that it is number {place} in your order, and {offered}."
                );
                (Some(place), told)
            }
            None => (None, format!("{peer} learned that no slot is free for both, and {offered}.")),
        };
        json!({
            "slot": agreed.map(|(_, slot)| json!({
                "name": slot.to_string(), "start": slot.start(), "end": slot.end(),
                "clock": slot.clock(self.zone),
            })),
            "place": place,
            "of": report.distinct,
            "peer_slots": report.peer().distinct,
            "told": told,
            "seconds": report.time().as_secs_f64(),
            "bytes": wire.sent + wire.received,
            "rounds": report.rounds,
            "protocol": report.protocol,
        })
    }
}
