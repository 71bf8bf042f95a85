//! The same over HTTP.

use std::process;

use veilset::net::signals;
use veilset::tongues::openmined::{Note, Partner, Service, Setups, Side, step};
use veilset::voice;

use super::args::{QueryArgs, ServeArgs};
use super::{Wanted, list, tell};
use crate::args::{Talk, unrecorded};
use crate::error::Failure;
use crate::escape::shown;
use crate::progress::{say, say_warning};

/// Serves a list until it is stopped.
pub(super) fn serve(args: &ServeArgs, talk: &Talk) -> Result<(), Failure> {
    let (plan, reveal) = (args.plan.plan(), args.count.reveal());
    let side = Side::Server(Some(plan.structure));
    let standing = args.partner.sending(step(side, reveal), talk)?;
    standing.check_open()?;
    let input = list(&args.list, None, &args.room, talk)?;
    standing.check_list(&input)?;
    tell(side, reveal, talk);
    if args.budget.is_none() {
        say_warning(
            "without --budget whoever reaches this service may ask about every possible key, and so learn the whole list",
        );
    }
    let setups = Setups::of(&input, &plan, reveal)?;
    standing.send_list(&input, &unrecorded, || Ok::<_, Failure>(()))?;
    drop(input);
    let budget = args.budget.unwrap_or(usize::MAX);
    let service = Service::open(&args.listen, setups, budget, standing)?;
    let cannot = |what| move |why| Failure::Service { what, why };
    let address = service.address().map_err(cannot("say where the service is"))?;
    let end = |code: u8| {
        voice::settle();
        process::exit(code.into());
    };
    signals::ends(end).map_err(cannot("listen for signals"))?;
    if !address.ip().is_loopback() {
        say_warning(
            "messages go without encryption, and anybody who reaches this address may ask: put a proxy before it that ends TLS",
        );
    }
    voice::say(format_args!("listening at {address}, http://{address}/, until ctrl-c"));
    let quiet = talk.quiet;
    service.serve(move |note| match note {
        Note::Refused(why) => voice::say(format_args!("refused: {}", shown(&why.to_string()))),
        _ if quiet => {}
        Note::Fetched => voice::say("somebody fetched the setup"),
        Note::Answered(items) => voice::say(format_args!("somebody asked about {items} keys")),
    })?;
    Ok(())
}

/// Asks a partner's service about a list.
pub(super) fn query(args: &QueryArgs, talk: &Talk) -> Result<(), Failure> {
    let reveal = args.count.reveal();
    let standing = args.partner.sending(step(Side::Client, reveal), talk)?;
    let partner = Partner::new(&args.connect, args.deadline)?;
    let wanted = Wanted::read(&args.list, &args.out, args.json, &args.room, talk)?;
    standing.check_list(&wanted.input)?;
    tell(Side::Client, reveal, talk);
    if partner.is_open() {
        say_warning(
            "the address begins with http://, so others on the way see the messages: they learn no keys, and can change what matches",
        );
    }
    say(talk, "asking the partner");
    let allow = |theirs| standing.check_size(theirs);
    let found = standing.send_list(&wanted.input, &unrecorded, || {
        partner.query(&wanted.input, reveal, args.max_setup, allow)
    })?;
    wanted.give(&found, &standing, talk)
}
