//! `veilset invite` and `veilset accept`: two parties pin each other by a code.

use std::time::{Duration, SystemTime};

use clap::{ArgGroup, Args};
use toml::de::{DeTable, DeValue};
use veilset::data::KeySpec;
use veilset::net::{Code, Comeback, Endpoint, Event, Introduced, Options, Role, introduce};
use veilset::party::{Home, Identity, Peers, PublicKey, words};
use veilset::registry::OPERATIONS;
use veilset::{json, voice};

use crate::args::{LearnArg, PEER, RULES, Talk};
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
    /// What the other party may call you
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
    #[arg(long, help_heading = OFFER, value_name = "OP")]
    operation: Option<String>,
    /// The key columns with their presets, as in a run
    #[arg(long, help_heading = OFFER, value_name = "COL[:PRESET],…", requires = "operation")]
    key: Option<String>,
    /// The side that learns the result
    #[arg(long, help_heading = OFFER, value_enum, requires = "operation")]
    learn: Option<LearnArg>,
    /// The reference of your agreement, such as a contract's number
    #[arg(long, help_heading = RULES, value_name = "TEXT", requires = "operation", value_parser = units::reference)]
    reference: Option<String>,
}

#[derive(Args)]
#[command(group(ArgGroup::new("end").args(["connect", "via"])))]
pub(crate) struct AcceptArgs {
    /// The code or the link that you were given
    code: String,
    /// What you call the other party [default: what it calls itself]
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
    let offer = Offer::of(args)?;
    let interrupt = Interrupt::heed()?;
    let code = Code::fresh();
    let link = link(&way, &code);
    let name = &args.name;
    print_line!("{}", link.as_deref().unwrap_or(&code.to_string()))?;
    say(
        talk,
        &match &link {
            Some(_) => format!(
                "send this line to {name}, who runs: veilset accept LINK; or tell {name} the code {code} by telephone"
            ),
            None => format!(
                "tell {name} this code, who runs: veilset accept {code} --connect HOST:PORT, with your address"
            ),
        },
    );
    say(talk, &format!("the code is good once, {}; leave this running", until(args.expires)));
    let options = options(args.expires, &interrupt);
    let tell = |event| tell(talk, &event);
    let met =
        introduce(Role::Host, &identity, &code, &way, offer.written().as_bytes(), &options, &tell);
    let met = interrupt.over(met).map_err(veilset::Error::from)?;
    acquaintance.keep(name, met.peer, &offer.for_host(), &way, talk)
}

/// Goes to whoever made a code, and pins it.
pub(crate) fn accept(args: &AcceptArgs, talk: &Talk) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let (relay, code) = given(&args.code)?;
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
    let (identity, _) = Identity::load_or_create(&home)?;
    let acquaintance = Acquaintance { home: &home, own: &identity, force: args.force };
    if let Some(name) = &args.name {
        acquaintance.check(name)?;
    }
    let interrupt = Interrupt::heed()?;
    let options = options(args.deadline, &interrupt);
    let tell = |event| tell(talk, &event);
    let met = introduce(Role::Guest, &identity, &code, &way, b"", &options, &tell);
    let Introduced { peer, said } = interrupt.over(met).map_err(veilset::Error::from)?;
    let offer = Offer::read(&said).unwrap_or_default();
    let offered = || offer.me.clone().filter(|name| acquaintance.check(name).is_ok());
    let Some(name) = args.name.clone().or_else(offered) else {
        // The code is used up: the key must not be lost.
        return Err(Failure::Flags(format!(
            "the other party does not say what to call it, or what you call somebody else; pin it yourself: veilset peer add NAME {peer}"
        )));
    };
    acquaintance.keep(&name, peer, &offer.for_guest(), &way, talk)
}

fn options(deadline: Duration, interrupt: &Interrupt) -> Options {
    Options {
        deadline,
        stop: interrupt.stop.clone(),
        comeback: Comeback::NEVER,
        ..Options::default()
    }
}

fn tell(talk: &Talk, event: &Event) {
    if let Event::Listening(address) = event {
        say(talk, &format!("waiting at {address}"));
    }
}

/// The code in a link that a browser opens, too; nothing where there is no relay.
fn link(way: &Endpoint, code: &Code) -> Option<String> {
    let Endpoint::Via(relay) = way else { return None };
    let relay = relay.split('#').next().unwrap_or_default();
    let rest = relay.strip_prefix("ws")?;
    let path = if rest.matches('/').count() > 2 { "" } else { "/" };
    Some(format!("http{rest}{path}#{code}"))
}

/// The relay and the code in what somebody was given.
fn given(text: &str) -> Result<(Option<String>, Code), Failure> {
    let text = text.trim();
    let (relay, code) = match text.split_once('#') {
        Some((relay, code)) => (Some(relay), code),
        None => (None, text),
    };
    let relay = relay.map(|relay| match relay.strip_prefix("http") {
        Some(rest) => format!("ws{rest}"),
        None => relay.to_owned(),
    });
    let code = code.parse().map_err(Failure::Flags)?;
    Ok((relay, code))
}

/// What an invitation says beside who made it.
#[derive(Default)]
struct Offer {
    me: Option<String>,
    /// Flags of a run, as the host has them, with texts for values.
    flags: Vec<(&'static str, String)>,
}

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
        let flags = flags.filter_map(|(name, value)| Some((name, value?))).collect();
        Ok(Self { me: args.me.clone(), flags })
    }

    /// As it is sent.
    fn written(&self) -> String {
        let me = self.me.iter().map(|me| ("me", me));
        let flags = self.flags.iter().map(|(name, value)| (*name, value));
        me.chain(flags).map(|(name, value)| line(name, value)).collect()
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
        let flags: Vec<_> = flags.filter(|(name, value)| is_good(name, value)).collect();
        Some(Self { me: text("me"), flags })
    }

    fn for_host(&self) -> Vec<(&'static str, String)> {
        self.flags.clone()
    }

    /// The same from the other side.
    fn for_guest(&self) -> Vec<(&'static str, String)> {
        let turned = |(name, value): &(&'static str, String)| match (*name, &value[..]) {
            ("learn", "me") => ("learn", "peer".to_owned()),
            ("learn", "peer") => ("learn", "me".to_owned()),
            _ => (*name, value.clone()),
        };
        self.flags.iter().map(turned).collect()
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

    /// Pins it, and writes down what was agreed.
    fn keep(
        &self,
        name: &str,
        peer: PublicKey,
        flags: &[(&str, String)],
        way: &Endpoint,
        talk: &Talk,
    ) -> Result<(), Failure> {
        let mut peers = Peers::load(self.home, Some(self.own.public_key()))?;
        peers.add(name, peer, self.force)?;
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
        agreements(self.home).write(&agreement(name), text.as_bytes(), true)?;
        voice::say(format_args!(
            "pinned {name}. Both see the same words; ask {name} by telephone:\n  {}",
            words(&self.own.public_key(), &peer)
        ));
        if flags.iter().any(|(flag, _)| *flag == "operation") {
            let agreed = flags.iter().map(|(name, value)| format!("{name} {}", shown(value)));
            say(talk, &format!("agreed: {}", agreed.collect::<Vec<_>>().join(", ")));
            say(talk, &format!("next: veilset run {name} LIST"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_the_relay_and_the_code() {
        let code: Code = "7KQ2-9FM4-TX3H".parse().expect("a code");
        for (relay, want) in [
            ("wss://relay.example", "https://relay.example/#7KQ2-9FM4-TX3H"),
            ("wss://relay.example/a#daily", "https://relay.example/a#7KQ2-9FM4-TX3H"),
            ("ws://127.0.0.1:7000", "http://127.0.0.1:7000/#7KQ2-9FM4-TX3H"),
        ] {
            let link = link(&Endpoint::Via(relay.to_owned()), &code).expect("a relay");
            assert_eq!(link, want);
            let (back, same) = given(&format!(" {link}\n")).expect("both");
            let back = back.expect("a relay");
            assert_eq!(back.trim_end_matches('/'), relay.split('#').next().expect("a part"));
            assert_eq!(same.to_string(), code.to_string());
        }
        assert!(link(&Endpoint::Listen("127.0.0.1:1".to_owned()), &code).is_none());
        assert!(given("7kq29fm4tx3h").expect("a code").0.is_none());
        assert!(given("https://relay.example/#what").is_err());
    }

    #[test]
    fn an_offer_is_turned_round_and_what_is_no_flag_of_it_is_left_out() {
        let said = "me = \"shop\"\noperation = \"sum\"\nkey = \"e-mail:email\"\nlearn = \"me\"\nreference = \"DPA \\\"1\\\"\"\n";
        let offer = Offer::read(said.as_bytes()).expect("an offer");
        assert_eq!(offer.me.as_deref(), Some("shop"));
        assert_eq!(offer.written(), said);
        let turned = offer.for_guest();
        assert!(turned.contains(&("learn", "peer".to_owned())), "{turned:?}");
        let hostile = "me = \"a\\u001bb\"\noperation = \"agree\"\nkey = \"x:what\"\nlearn = \"all\"\nreference = \"\"\noutput = \"/etc/passwd\"\n";
        let offer = Offer::read(hostile.as_bytes()).expect("TOML");
        assert!(offer.me.is_none() && offer.flags.is_empty(), "{:?}", offer.flags);
        let long = format!("operation = \"{}\"", "x".repeat(3000));
        assert!(Offer::read(long.as_bytes()).expect("TOML").flags.is_empty());
        for none in [&b"\xff"[..], b"operation", b"[[["] {
            assert!(Offer::read(none).is_none());
        }
    }
}
