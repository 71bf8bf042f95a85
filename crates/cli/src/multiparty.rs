//! `veilset intersect`, `count` and `overlaps` between three parties or more.

use veilset::data::KeySpec;
use veilset::net::Endpoint;
use veilset::party::{Home, Identity, Peers, PublicKey};
use veilset::registry::Choices;
use veilset::{Connection, Done, Job, Learn, PeerAddress, Seats, seats};

use crate::args::{MeetArgs, PartyArgs, SeatArgs, Talk};
use crate::error::Failure;
use crate::interrupt::Interrupt;
use crate::operation::{Target, again, compute, deliver, endpoint, read};
use crate::order::Order;
use crate::progress::{Waiting, say};
use crate::report;
use crate::units::until;

/// Reads the list, meets the others, agrees with all, runs, and writes what all have.
pub(crate) fn run(order: &Order, talk: &Talk) -> Result<(), Failure> {
    let args = &order.party;
    check(order)?;
    let endpoint = endpoint(&args.meet)?;
    for with in &args.with {
        match (&endpoint, &with.address) {
            (Endpoint::Via(_), None) => {}
            (Endpoint::Via(_), Some(_)) => {
                return Err(Failure::Flags(
                    "with --via nobody has an address: give --with NAME alone".to_owned(),
                ));
            }
            (_, Some(address)) => {
                Endpoint::Connect(address.clone()).check().map_err(veilset::Error::from)?;
            }
            (_, None) => {
                return Err(Failure::Flags(
                    "give --with the party's name and its address, such as acme@acme.example:7000"
                        .to_owned(),
                ));
            }
        }
    }
    let interrupt = Interrupt::heed(args.meet.time_limit)?;
    let destination = order.destination(talk)?;
    let picture = order.picture()?;
    let home = Home::from_env()?;
    let identity = Identity::load(&home)?;
    let addresses = addresses_of(args, &Peers::load(&home, Some(identity.public_key()))?)?;
    let names: Vec<&str> = addresses.iter().map(|peer| peer.name.as_str()).collect();
    let job = order.job(names.join(", "));
    let job = job.of_party(&home, args.meet.policy.as_deref(), names.iter().copied())?;
    if job.release.noise.is_some() {
        return Err(Failure::Flags(
            "--noise, or the rules of these names in your policy, are for runs of two parties"
                .to_owned(),
        ));
    }
    let job = Job { seats: seats_of(&args.seats, identity.public_key(), &addresses)?, ..job };
    job.check_among_several()?;
    let input = read(order, destination.as_ref(), talk)?;
    job.check_list(&input)?;

    let target = Target { input: &input, destination: destination.as_ref() };
    let done = again(&args.meet, &interrupt, || {
        // As they are now: keys may have changed since the last try.
        let identity = Identity::load(&home)?;
        let addresses = addresses_of(args, &Peers::load(&home, Some(identity.public_key()))?)?;
        let seats = seats_of(&args.seats, identity.public_key(), &addresses)?;
        let parties = Parties { identity: &identity, addresses: &addresses };
        parties.meet(Job { seats, ..job.clone() }, &args.meet, target, &interrupt, talk)
    })?;

    if let Some(destination) = &destination {
        deliver(destination, &order.scratch(), talk, &|to| done.write(&input, to))?;
    }
    if let Some((place, keys)) = picture.zip(done.shared_keys()) {
        deliver(&place, &order.scratch(), talk, &|to| to.write_text(&keys.svg()))?;
    }
    report::print(&done, &input, order, talk)
}

/// This party and the others.
struct Parties<'a> {
    identity: &'a Identity,
    addresses: &'a [PeerAddress],
}

impl Parties<'_> {
    /// Meets all, agrees, asks, and runs.
    fn meet(
        &self,
        job: Job,
        args: &MeetArgs,
        target: Target<'_>,
        interrupt: &Interrupt,
        talk: &Talk,
    ) -> Result<Done, Failure> {
        let Self { identity, addresses } = self;
        say(talk, &format!("meeting {}, {}", job.peer, until(args.deadline)));
        let waiting = Waiting::new(talk, &job.peer, args.deadline);
        let options = args.options(interrupt, talk);
        let tell = |event| waiting.tell(&event);
        let connection = match &args.via {
            Some(relay) => Connection::meet_all(identity, relay, addresses, &options, &tell)?,
            None => {
                let listen = args.listen.as_deref().unwrap_or_default();
                Connection::open_all(identity, listen, addresses, &options, &tell)?
            }
        };
        compute(job.offer(connection, target.input)?, target, args, talk)
    }
}

/// What goes together where there are several others.
fn check(order: &Order) -> Result<(), Failure> {
    let args = &order.party;
    let choices = args.meet.choices.0 != Choices::default();
    let wrong = if !order.operation.spec().over.takes_several() {
        "only intersect, count and overlaps take --with: the other operations are between two parties"
    } else if args.with.len() < 2 {
        "give --with once for each other party, at least twice; for one other party give --peer"
    } else if args.with.len() > Connection::MOST_PEERS {
        "a run has at most 64 parties: give --with at most 63 times"
    } else if Learn::from(args.learn) != Learn::Both {
        "with several parties name those who learn, and yourself as me: give --learner in place of --learn"
    } else if let Some(contradiction) = args.seats.contradiction() {
        contradiction
    } else if choices {
        "the protocols for several parties have no choices: leave out --group, --digest and --prime"
    } else if order.keys().len() > 1 {
        "several parties match by one key: give --key once"
    } else if order.sends() {
        "only two parties can send columns with their matches: leave out --send with --with"
    } else if order.most_rows().is_some() {
        "--most-per-key and --pairs are for two parties: leave them out with --with"
    } else {
        return Ok(order.keys().iter().try_for_each(KeySpec::check_single)?);
    };
    Err(Failure::Flags(wrong.to_owned()))
}

/// Who is what, by the keys that the parties of these names have now.
fn seats_of(args: &SeatArgs, own: PublicKey, addresses: &[PeerAddress]) -> Result<Seats, Failure> {
    let SeatArgs { learner, leader, pivot } = args;
    let seats = seats(own, addresses, learner, leader.as_deref(), pivot.as_deref());
    Ok(seats.map_err(veilset::Error::from)?)
}

fn addresses_of(args: &PartyArgs, peers: &Peers) -> Result<Vec<PeerAddress>, Failure> {
    let named = args.with.iter().map(|with| (with.name.as_str(), with.address.as_deref()));
    Ok(PeerAddress::of(peers, named)?)
}
