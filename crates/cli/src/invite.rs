//! `veilset invite` and `veilset accept`: two parties pin each other by a code.

use std::cell::Cell;
use std::time::Duration;

use clap::{ArgGroup, Args};
use veilset::invitation::{Acquaintance, Given, Proposal, flag_of, link};
use veilset::net::{Code, Comeback, Endpoint, Event, Introduced, Introduction, Options, Role};
use veilset::party::{Home, Identity, Peers, PublicKey, words};
use veilset::voice;

use crate::args::{LearnArg, PEER, Talk};
use crate::error::Failure;
use crate::escape::shown;
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::units::{self, until};

/// The heading of what an invitation offers.
const OFFER: &str = "What you will run together";

#[derive(Args)]
#[command(group(ArgGroup::new("end").required(true).args(["listen", "via"])))]
pub(crate) struct InviteArgs {
    /// What you call the other party
    name: String,
    /// Meet at this relay, now and in later runs, such as wss://relay.example
    #[arg(long, help_heading = PEER, value_name = "URL")]
    via: Option<String>,
    /// Wait for the other party at this address, now and in later runs
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// How long the code is good
    #[arg(long, help_heading = PEER, value_name = "DURATION", default_value = "1h", value_parser = units::duration)]
    expires: Duration,
    /// What the other party may call you; without it, it gives a name itself
    #[arg(long, help_heading = PEER, value_name = "NAME")]
    me: Option<String>,
    #[command(flatten)]
    offer: OfferArgs,
    /// Replace what you have of this name
    #[arg(long, help_heading = PEER)]
    force: bool,
}

#[derive(Args)]
struct OfferArgs {
    /// An operation such as intersect, count or sum
    #[arg(long, help_heading = OFFER, value_name = "OP", requires = "key")]
    operation: Option<String>,
    /// The key columns with their presets, as in a run
    #[arg(long, help_heading = OFFER, value_name = "COL[:PRESET],…", requires = "operation")]
    key: Option<String>,
    /// The side that learns the result
    #[arg(long, help_heading = OFFER, value_enum, requires = "operation")]
    learn: Option<LearnArg>,
    /// The reference of your agreement, such as a contract's number
    #[arg(long, help_heading = OFFER, value_name = "TEXT", requires = "operation", value_parser = units::reference)]
    reference: Option<String>,
}

#[derive(Args)]
#[command(group(ArgGroup::new("end").args(["connect", "via"])))]
pub(crate) struct AcceptArgs {
    /// The code or the link that you were given
    code: String,
    /// What you call the other party [default: as the link has it]
    name: Option<String>,
    /// The relay of the invitation, if you were given a code alone
    #[arg(long, help_heading = PEER, value_name = "URL")]
    via: Option<String>,
    /// The other party's address, if it waits for you without a relay
    #[arg(long, help_heading = PEER, value_name = "HOST:PORT")]
    connect: Option<String>,
    /// The longest wait for the other party, such as 90s or 10m
    #[arg(long, help_heading = PEER, value_name = "DURATION", default_value = "1m", value_parser = units::duration)]
    deadline: Duration,
    /// Replace what you have of this name
    #[arg(long, help_heading = PEER)]
    force: bool,
}

/// Makes a code, waits for whoever has it, and pins it.
pub(crate) fn invite(args: &InviteArgs, talk: &Talk) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let way = match (&args.via, &args.listen) {
        (Some(relay), _) => Endpoint::Via(relay.clone()),
        (None, Some(address)) => Endpoint::Listen(address.clone()),
        (None, None) => return Err(Failure::Bug("no way to the other".to_owned())),
    };
    way.check().map_err(veilset::Error::from)?;
    let (identity, _) = Identity::load_or_create(&home)?;
    let acquaintance = Acquaintance { home: &home, own: &identity, force: args.force };
    acquaintance.check(&args.name)?;
    if let Some(me) = &args.me {
        Peers::check_name(me)?;
    }
    if args.via.as_ref().is_some_and(|via| via.contains('#')) {
        return Err(Failure::Flags(
            "a name behind # in --via is for runs: invite without it, and give it with each run"
                .to_owned(),
        ));
    }
    let proposal = args.offer.proposal()?;
    let interrupt = Interrupt::heed(None)?;
    let code = Code::fresh();
    let link = link(&way, &code, args.me.as_deref());
    let name = &args.name;
    let shown = link.clone().unwrap_or_else(|| code.to_string());
    let how = match &args.via {
        Some(relay) => format!(
            "send this line to {name}, who runs: veilset accept LINK{}; or by telephone: veilset accept {code} NAME --via {relay}, with what {name} calls you for NAME",
            if args.me.is_some() { "" } else { " NAME" }
        ),
        None => format!(
            "tell {name} this code, who runs: veilset accept {code} NAME --connect HOST:PORT, with your address, and what {name} calls you for NAME"
        ),
    };
    let is_shown = Cell::new(false);
    let printed = Cell::new(Ok(()));
    let told = Cell::new(false);
    let tell = |event: Event| match &event {
        // The code is told once the way to it is open.
        Event::Listening(_) | Event::Waiting { .. } if !is_shown.replace(true) => {
            printed.set(print_line!("{shown}"));
            say(talk, &how);
            say(
                talk,
                &format!("the code is good once, {}; leave this running", until(args.expires)),
            );
            if let Event::Listening(address) = event {
                say(talk, &format!("waiting at {address}"));
            }
        }
        _ => retrying(&event, &told, talk),
    };
    let options = options(args.expires, &interrupt);
    let refused = Cell::new(None);
    let approve = |met: &Introduced| {
        let checked = acquaintance.check_met(name, met);
        checked.map_err(|failure| refused.set(Some(failure.into()))).is_ok()
    };
    let said = proposal.written();
    let met = Introduction {
        role: Role::Host,
        identity: &identity,
        code: &code,
        say: said.as_bytes(),
        approve: &approve,
        events: &tell,
    };
    let met = met.run(&way, &options);
    let met = interrupt.over(met);
    printed.into_inner()?;
    if let Some(failure) = refused.take() {
        return Err(failure);
    }
    let met = met.map_err(veilset::Error::from)?;
    acquaintance.keep(name, met.peer, &proposal, &way)?;
    tell_of(&acquaintance, name, met.peer, &proposal, &way, talk);
    Ok(())
}

/// Goes to whoever made a code, and pins it.
pub(crate) fn accept(args: &AcceptArgs, talk: &Talk) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let Given { relay, code, suggested } = Given::read(&args.code)?;
    let way = match (relay, &args.via, &args.connect) {
        (None, Some(relay), _) => Endpoint::Via(relay.clone()),
        (None, None, Some(address)) => Endpoint::Connect(address.clone()),
        (Some(relay), None, None) => Endpoint::Via(relay),
        (Some(_), ..) => {
            return Err(Failure::Flags(
                "a link says where to go: leave out --via and --connect".to_owned(),
            ));
        }
        (None, None, None) => {
            return Err(Failure::Flags(
                "a code does not say where to go: give --via or --connect, or the whole link"
                    .to_owned(),
            ));
        }
    };
    way.check().map_err(veilset::Error::from)?;
    let Some(name) = args.name.clone().or(suggested) else {
        return Err(Failure::Flags(
            "the invitation does not say what to call the other party: give a name behind the code"
                .to_owned(),
        ));
    };
    let (identity, _) = Identity::load_or_create(&home)?;
    let acquaintance = Acquaintance { home: &home, own: &identity, force: args.force };
    acquaintance.check(&name)?;
    let interrupt = Interrupt::heed(None)?;
    let options = options(args.deadline, &interrupt);
    say(talk, &format!("looking for the invitation at {}, {}", way.place(), until(args.deadline)));
    let (told, refused) = (Cell::new(false), Cell::new(None));
    let tell = |event: Event| retrying(&event, &told, talk);
    let approve = |met: &Introduced| {
        let agreed = Proposal::read(&met.said).turned();
        let kept = acquaintance
            .check_met(&name, met)
            .and_then(|()| acquaintance.keep(&name, met.peer, &agreed, &way));
        match kept {
            Ok(()) => tell_of(&acquaintance, &name, met.peer, &agreed, &way, talk),
            Err(failure) => refused.set(Some(failure.into())),
        }
        let failure = refused.take();
        let is_kept = failure.is_none();
        refused.set(failure);
        is_kept
    };
    let met = Introduction {
        role: Role::Guest,
        identity: &identity,
        code: &code,
        say: b"",
        approve: &approve,
        events: &tell,
    };
    let met = met.run(&way, &options);
    let met = interrupt.over(met);
    match refused.take() {
        Some(failure) => Err(failure),
        None => Ok(met.map(drop).map_err(veilset::Error::from)?),
    }
}

/// Says the first time that nobody is there yet.
fn retrying(event: &Event, told: &Cell<bool>, talk: &Talk) {
    if let Event::Retrying { addr, why, .. } = event
        && !told.replace(true)
    {
        say(talk, &format!("no answer at {addr} yet ({why}); trying again"));
    }
}

fn options(deadline: Duration, interrupt: &Interrupt) -> Options {
    Options {
        deadline,
        stop: interrupt.stop.clone(),
        comeback: Comeback::NEVER,
        ..Options::default()
    }
}

impl OfferArgs {
    fn proposal(&self) -> Result<Proposal, Failure> {
        let learn = self.learn.map(|learn| match learn {
            LearnArg::Me => "me",
            LearnArg::Peer => "peer",
            LearnArg::Both => "both",
        });
        let Self { operation, key, reference, .. } = self;
        let values = [operation.clone(), key.clone(), learn.map(str::to_owned), reference.clone()];
        Ok(Proposal::of(values)?)
    }
}

/// Says who was pinned, and how to go on.
fn tell_of(
    acquaintance: &Acquaintance<'_>,
    name: &str,
    peer: PublicKey,
    agreed: &Proposal,
    way: &Endpoint,
    talk: &Talk,
) {
    voice::say(format_args!(
        "pinned {name}. Both see the same words; ask {name} by telephone:\n  {}",
        words(&acquaintance.own.public_key(), &peer)
    ));
    if agreed.get("operation").is_some() {
        let agreed = agreed.flags().map(|(name, value)| format!("{name} {}", shown(value)));
        say(talk, &format!("agreed: {}", agreed.collect::<Vec<_>>().join(", ")));
        say(talk, &format!("next: veilset run {name} LIST"));
    } else {
        say(
            talk,
            &format!(
                "next: veilset OPERATION LIST --key COL:PRESET --peer {name} --{} {}",
                flag_of(way),
                way.place()
            ),
        );
    }
}
