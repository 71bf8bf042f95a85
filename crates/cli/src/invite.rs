//! `veilset invite` and `veilset accept`: two parties pin each other by a code.

use std::cell::Cell;
use std::time::{Duration, SystemTime};

use clap::{ArgGroup, Args};
use toml::de::{DeTable, DeValue};
use veilset::data::KeySpec;
use veilset::net::{Code, Comeback, Endpoint, Event, Introduced, Introduction, Options, Role};
use veilset::party::{Home, Identity, Peers, PublicKey, words};
use veilset::registry::OPERATIONS;
use veilset::{json, voice};

use crate::args::{LearnArg, PEER, Talk};
use crate::error::Failure;
use crate::escape::shown;
use crate::exchange::{agreement, agreements};
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
    let offer = Offer::of(args)?;
    let flags = offer.0.clone();
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
        let checked = acquaintance.check_met(name, met.peer);
        checked.map_err(|failure| refused.set(Some(failure))).is_ok()
    };
    let offer = offer.written();
    let met = Introduction {
        role: Role::Host,
        identity: &identity,
        code: &code,
        say: offer.as_bytes(),
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
    acquaintance.keep(name, met.peer, &flags, &way, talk)
}

/// Goes to whoever made a code, and pins it.
pub(crate) fn accept(args: &AcceptArgs, talk: &Talk) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let Given { relay, code, suggested } = given(&args.code)?;
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
        let flags = Offer::read(&met.said).unwrap_or_default().turned();
        let kept = acquaintance
            .check_met(&name, met.peer)
            .and_then(|()| acquaintance.keep(&name, met.peer, &flags, &way, talk));
        kept.map_err(|failure| refused.set(Some(failure))).is_ok()
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

/// The code in a link that a browser opens, too, with what this side may be called; nothing where there is no relay.
fn link(way: &Endpoint, code: &Code, me: Option<&str>) -> Option<String> {
    let Endpoint::Via(relay) = way else { return None };
    let relay = relay.split('#').next().unwrap_or_default();
    let rest = relay.strip_prefix("ws")?;
    let path = if rest.matches('/').count() > 2 { "" } else { "/" };
    let me = me.map_or(String::new(), |me| format!("/{me}"));
    Some(format!("http{rest}{path}#{code}{me}"))
}

/// What somebody was given.
struct Given {
    relay: Option<String>,
    code: Code,
    /// What the other party may be called.
    suggested: Option<String>,
}

/// What is in a link, or in a code.
fn given(text: &str) -> Result<Given, Failure> {
    let text = text.trim();
    let (relay, rest) = match text.split_once('#') {
        Some((relay, rest)) => (Some(relay), rest),
        None if text.contains("://") => {
            return Err(Failure::Flags(
                "the link has lost its part behind #: copy it whole, and quote it in a shell"
                    .to_owned(),
            ));
        }
        None => (None, text),
    };
    let relay = relay.map(|relay| match relay.strip_prefix("http") {
        Some(rest) => format!("ws{rest}"),
        None => relay.to_owned(),
    });
    let (code, suggested) = match rest.split_once('/') {
        Some((code, name)) => (code, Some(name.to_owned())),
        None => (rest, None),
    };
    let code = code.parse().map_err(Failure::Flags)?;
    Ok(Given { relay, code, suggested })
}

/// What an invitation offers: flags of a run, as the host has them, with texts for values.
#[derive(Default)]
struct Offer(Vec<(&'static str, String)>);

/// What an offer may have, in order.
const FLAGS: [&str; 4] = ["operation", "key", "learn", "reference"];

/// The longest value of one.
const LONGEST: usize = 500;

impl Offer {
    fn of(args: &InviteArgs) -> Result<Self, Failure> {
        let OfferArgs { operation, key, learn, reference } = &args.offer;
        if let Some(operation) = operation {
            check_operation(operation).map_err(Failure::Flags)?;
        }
        if let Some(key) = key {
            key.parse::<KeySpec>().map_err(veilset::Error::from)?;
        }
        let learn = learn.map(|learn| match learn {
            LearnArg::Me => "me",
            LearnArg::Peer => "peer",
            LearnArg::Both => "both",
        });
        let values = [operation.clone(), key.clone(), learn.map(str::to_owned), reference.clone()];
        let flags = FLAGS.into_iter().zip(values);
        Ok(Self(flags.filter_map(|(name, value)| Some((name, value?))).collect()))
    }

    /// As it is sent.
    fn written(&self) -> String {
        self.0.iter().map(|(name, value)| line(name, value)).collect()
    }

    /// What the host says, if it is something that this version understands.
    fn read(said: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(said).ok()?;
        let parsed = DeTable::parse(text).ok()?;
        let text = |name: &str| match parsed.get_ref().get(name)?.get_ref() {
            DeValue::String(text) if text.len() <= LONGEST && !text.contains(char::is_control) => {
                Some(text.to_string())
            }
            _ => None,
        };
        let flags = FLAGS.into_iter().filter_map(|name| Some((name, text(name)?)));
        Some(Self(flags.filter(|(name, value)| is_good(name, value)).collect()))
    }

    /// The same from the other side.
    fn turned(self) -> Vec<(&'static str, String)> {
        let turned = |(name, value): (&'static str, String)| match (name, &value[..]) {
            ("learn", "me") => ("learn", "peer".to_owned()),
            ("learn", "peer") => ("learn", "me".to_owned()),
            _ => (name, value),
        };
        self.0.into_iter().map(turned).collect()
    }
}

fn check_operation(name: &str) -> Result<(), String> {
    let is_one = OPERATIONS
        .iter()
        .any(|spec| spec.operation.name() == name && !["agree", "lookup"].contains(&name));
    is_one.then_some(()).ok_or_else(|| {
        format!(
            "{} is not an operation that two parties agree on, such as intersect, count or sum",
            shown(name)
        )
    })
}

/// Whether a value that somebody offers is one that a run takes.
fn is_good(name: &str, value: &str) -> bool {
    match name {
        "operation" => check_operation(value).is_ok(),
        "key" => value.parse::<KeySpec>().is_ok(),
        "learn" => ["me", "peer", "both"].contains(&value),
        _ => units::reference(value).is_ok(),
    }
}

/// A line of TOML, in which a text is as in JSON.
fn line(name: &str, value: &str) -> String {
    format!("{name} = {}\n", serde_json::Value::from(value))
}

/// Where somebody who was met is kept.
struct Acquaintance<'a> {
    home: &'a Home,
    own: &'a Identity,
    force: bool,
}

impl Acquaintance<'_> {
    /// Whether a name is free, before anybody is met.
    fn check(&self, name: &str) -> Result<(), Failure> {
        let peers = Peers::load(self.home, Some(self.own.public_key()))?;
        Peers::check_name(name)?;
        if !self.force && peers.iter().any(|(known, _)| known == name) {
            return Err(Failure::Flags(format!(
                "you have pinned {name} already: give another name, or --force to replace its key"
            )));
        }
        Ok(())
    }

    /// Whether somebody who was met can have this name.
    fn check_met(&self, name: &str, peer: PublicKey) -> Result<(), Failure> {
        if peer == self.own.public_key() {
            return Err(Failure::Flags(
                "this is your own invitation: send it to somebody else".to_owned(),
            ));
        }
        let peers = Peers::load(self.home, Some(self.own.public_key()))?;
        match peers.iter().find(|(known, key)| key.contains(&peer) && *known != name) {
            Some((known, _)) => Err(Failure::Flags(format!(
                "you have pinned this party already, as {known}: nothing was changed; to keep what you agree on now, invite or accept it as {known}, with --force"
            ))),
            None => Ok(()),
        }
    }

    /// Pins it, and writes down what was agreed.
    fn keep(
        &self,
        name: &str,
        peer: PublicKey,
        flags: &[(&str, String)],
        way: &Endpoint,
        talk: &Talk,
    ) -> Result<(), Failure> {
        let place = way.place();
        let way = match way {
            Endpoint::Listen(address) => ("listen", address.clone()),
            Endpoint::Connect(address) => ("connect", address.clone()),
            Endpoint::Via(relay) => ("via", relay.clone()),
        };
        let now = json::time(SystemTime::now());
        let text: String = [format!(
            "# What you and {name} agreed on at {now}. Run it: veilset run {name} LIST\n"
        )]
        .into_iter()
        .chain([line("peer", name), line(way.0, &way.1)])
        .chain(flags.iter().map(|(name, value)| line(name, value)))
        .collect();
        // Before the name is taken.
        agreements(self.home).write(&agreement(name), text.as_bytes(), true)?;
        let mut peers = Peers::load(self.home, Some(self.own.public_key()))?;
        peers.add(name, peer, self.force)?;
        voice::say(format_args!(
            "pinned {name}. Both see the same words; ask {name} by telephone:\n  {}",
            words(&self.own.public_key(), &peer)
        ));
        if flags.iter().any(|(flag, _)| *flag == "operation") {
            let agreed = flags.iter().map(|(name, value)| format!("{name} {}", shown(value)));
            say(talk, &format!("agreed: {}", agreed.collect::<Vec<_>>().join(", ")));
            say(talk, &format!("next: veilset run {name} LIST"));
        } else {
            say(
                talk,
                &format!(
                    "next: veilset OPERATION LIST --key COL:PRESET --peer {name} --{} {place}",
                    way.0
                ),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_the_relay_the_code_and_a_name() {
        let code: Code = "7KQ2-9FM4-TX3H".parse().expect("a code");
        for (relay, me, want) in [
            ("wss://relay.example", None, "https://relay.example/#7KQ2-9FM4-TX3H"),
            ("wss://relay.example/a#daily", None, "https://relay.example/a#7KQ2-9FM4-TX3H"),
            ("ws://127.0.0.1:7000", Some("shop"), "http://127.0.0.1:7000/#7KQ2-9FM4-TX3H/shop"),
        ] {
            let link = link(&Endpoint::Via(relay.to_owned()), &code, me).expect("a relay");
            assert_eq!(link, want);
            let back = given(&format!(" {link}\n")).expect("all of it");
            let relayed = back.relay.expect("a relay");
            assert_eq!(relayed.trim_end_matches('/'), relay.split('#').next().expect("a part"));
            assert_eq!((back.code.to_string(), back.suggested.as_deref()), (code.to_string(), me));
        }
        assert!(link(&Endpoint::Listen("127.0.0.1:1".to_owned()), &code, None).is_none());
        assert!(given("7kq29fm4tx3h").expect("a code").relay.is_none());
        for none in ["https://relay.example/#what", "https://relay.example/", "7KQ2-9FM4-TX3U"] {
            assert!(given(none).is_err(), "{none}");
        }
    }

    #[test]
    fn an_offer_is_turned_round_and_what_is_no_flag_of_it_is_left_out() {
        let said = "operation = \"sum\"\nkey = \"e-mail:email\"\nlearn = \"me\"\nreference = \"DPA \\\"1\\\"\"\n";
        let offer = Offer::read(said.as_bytes()).expect("an offer");
        assert_eq!(offer.written(), said);
        let turned = offer.turned();
        assert!(turned.contains(&("learn", "peer".to_owned())), "{turned:?}");
        let hostile = "operation = \"agree\"\nkey = \"x:what\"\nlearn = \"all\"\nreference = \"\"\noutput = \"/etc/passwd\"\n";
        let offer = Offer::read(hostile.as_bytes()).expect("TOML");
        assert!(offer.0.is_empty(), "{:?}", offer.0);
        let long = format!("operation = \"{}\"", "x".repeat(3000));
        assert!(Offer::read(long.as_bytes()).expect("TOML").0.is_empty());
        for none in [&b"\xff"[..], b"operation", b"[[["] {
            assert!(Offer::read(none).is_none());
        }
    }
}
