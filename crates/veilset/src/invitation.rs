//! Two parties that pin each other by a code: what an invitation is, and what both keep of it.

use std::fmt;

use toml::de::{DeTable, DeValue};
use veilset_data::KeySpec;
use veilset_host::time::now;
use veilset_net::{Code, Endpoint, Introduced};
use veilset_party::{Home, Identity, Peers, PublicKey, StoreError};

use crate::registry::OPERATIONS;
use crate::{json, units};

/// The folder of what was agreed with peers, in that of the identity.
const AGREEMENTS: &str = "agreements";

/// The folder of what was agreed.
#[must_use]
pub fn agreements(home: &Home) -> Home {
    home.folder(AGREEMENTS)
}

/// The file of what was agreed with a peer.
#[must_use]
pub fn agreement_file(name: &str) -> String {
    format!("{name}.toml")
}

/// Why somebody is not pinned.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// What a user gave is nothing that an invitation has.
    #[error("{0}")]
    Given(String),
    /// An identity, or a peer's key.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What somebody was given: a link, or a code alone.
pub struct Given {
    /// The relay in the link.
    pub relay: Option<String>,
    /// The code.
    pub code: Code,
    /// What the other party may be called.
    pub suggested: Option<String>,
}

impl Given {
    /// What is in a link, or in a code.
    ///
    /// # Errors
    /// When it is neither.
    pub fn read(text: &str) -> Result<Self, InvitationError> {
        let text = text.trim();
        let (relay, rest) = match text.split_once('#') {
            Some((relay, rest)) => (Some(relay), rest),
            None if text.contains("://") => {
                return Err(InvitationError::Given(
                    "the link has lost its part behind #: copy it whole, and quote it in a shell"
                        .to_owned(),
                ));
            }
            None => (None, text),
        };
        let relay = relay.map(|relay| match relay.strip_prefix("http") {
            Some(rest) => format!("ws{}", without_root(rest)),
            None => without_root(relay).to_owned(),
        });
        let (code, suggested) = match rest.split_once('/') {
            Some((code, name)) => (code, Some(name.to_owned())),
            None => (rest, None),
        };
        let code = code.parse().map_err(InvitationError::Given)?;
        Ok(Self { relay, code, suggested })
    }
}

/// A URL without the slash that [`link`] puts behind a host alone, so that both sides write where they meet alike.
fn without_root(url: &str) -> &str {
    url.strip_suffix('/').filter(|_| url.matches('/').count() == 3).unwrap_or(url)
}

/// The code in a link that a browser opens, too, with what this side may be called; nothing where there is no relay.
#[must_use]
pub fn link(way: &Endpoint, code: &Code, me: Option<&str>) -> Option<String> {
    let Endpoint::Via(relay) = way else { return None };
    let relay = relay.split('#').next().unwrap_or_default();
    let rest = relay.strip_prefix("ws")?;
    let path = if rest.matches('/').count() > 2 { "" } else { "/" };
    let me = me.map_or(String::new(), |me| format!("/{me}"));
    Some(format!("http{rest}{path}#{code}{me}"))
}

/// What an invitation proposes: flags of a run, with texts for values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal(Vec<(&'static str, String)>);

/// What a proposal may have, in order.
const FLAGS: [&str; 4] = ["operation", "key", "learn", "reference"];

/// The longest value of one.
const LONGEST: usize = 500;

impl Proposal {
    /// Of these values, in the order operation, key, learn, reference; each that there is, is checked.
    ///
    /// # Errors
    /// With the first value that a run would not take.
    pub fn of(values: [Option<String>; 4]) -> Result<Self, InvitationError> {
        let flags = FLAGS.into_iter().zip(values);
        let flags: Vec<_> = flags.filter_map(|(name, value)| Some((name, value?))).collect();
        for (name, value) in &flags {
            check(name, value).map_err(InvitationError::Given)?;
        }
        Ok(Self(flags))
    }

    /// What the other says, as far as this version understands it; nothing where it says something else.
    #[must_use]
    pub fn read(said: &[u8]) -> Self {
        let Some(text) = std::str::from_utf8(said).ok() else { return Self::default() };
        let Ok(parsed) = DeTable::parse(text) else { return Self::default() };
        let text = |name: &str| match parsed.get_ref().get(name)?.get_ref() {
            DeValue::String(text) if text.len() <= LONGEST && !text.contains(char::is_control) => {
                Some(text.to_string())
            }
            _ => None,
        };
        let flags = FLAGS.into_iter().filter_map(|name| Some((name, text(name)?)));
        Self(flags.filter(|(name, value)| check(name, value).is_ok()).collect())
    }

    /// What was agreed with the peer of this name, as it stands beside the identity.
    ///
    /// # Errors
    /// When the file cannot be read, or others may change it.
    pub fn agreed(home: &Home, name: &str) -> Result<Option<Self>, StoreError> {
        Peers::check_name(name)?;
        Ok(agreements(home).read(&agreement_file(name))?.map(|bytes| Self::read(&bytes)))
    }

    /// As it is sent.
    #[must_use]
    pub fn written(&self) -> String {
        self.0.iter().map(|(name, value)| line(name, value)).collect()
    }

    /// The same from the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        let turned = |(name, value): (&'static str, String)| match (name, &value[..]) {
            ("learn", "me") => ("learn", "peer".to_owned()),
            ("learn", "peer") => ("learn", "me".to_owned()),
            _ => (name, value),
        };
        Self(self.0.into_iter().map(turned).collect())
    }

    /// Names and values.
    pub fn flags(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// The value of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.flags().find_map(|(flag, value)| (flag == name).then_some(value))
    }
}

/// Whether a value that somebody proposes is one that a run takes.
fn check(name: &str, value: &str) -> Result<(), String> {
    match name {
        "operation" => check_operation(value),
        "key" => value.parse::<KeySpec>().map(drop).map_err(|why| why.to_string()),
        "learn" if ["me", "peer", "both"].contains(&value) => Ok(()),
        "learn" => Err("who learns is me, peer or both".to_owned()),
        _ => units::reference(value).map(drop),
    }
}

fn check_operation(name: &str) -> Result<(), String> {
    let is_one = OPERATIONS
        .iter()
        .any(|spec| spec.operation.name() == name && !["agree", "lookup"].contains(&name));
    is_one.then_some(()).ok_or_else(|| {
        format!(
            "{} is not an operation that two parties agree on, such as intersect, count or sum",
            name.escape_debug()
        )
    })
}

/// A line of TOML, in which a text is as in JSON.
fn line(name: impl fmt::Display, value: &str) -> String {
    format!("{name} = {}\n", serde_json::Value::from(value))
}

/// Where somebody who was met is kept.
pub struct Acquaintance<'a> {
    /// Where this party lives.
    pub home: &'a Home,
    /// Its identity.
    pub own: &'a Identity,
    /// Whether another of the same name is replaced.
    pub force: bool,
}

impl Acquaintance<'_> {
    /// Whether a name is free, before anybody is met.
    ///
    /// # Errors
    /// When it is taken, or no name.
    pub fn check(&self, name: &str) -> Result<(), InvitationError> {
        let peers = Peers::load(self.home, Some(self.own.public_key()))?;
        Peers::check_name(name)?;
        if !self.force && peers.iter().any(|(known, _)| known == name) {
            return Err(InvitationError::Given(format!(
                "you have pinned {name} already: give another name, or --force to replace its key"
            )));
        }
        Ok(())
    }

    /// Whether somebody who was met can have this name.
    ///
    /// # Errors
    /// When it is this party itself, or has another name already.
    pub fn check_met(&self, name: &str, met: &Introduced) -> Result<(), InvitationError> {
        if met.peer == self.own.public_key() {
            return Err(InvitationError::Given(
                "this is your own invitation: send it to somebody else".to_owned(),
            ));
        }
        let peers = Peers::load(self.home, Some(self.own.public_key()))?;
        match peers.iter().find(|(known, key)| key.contains(&met.peer) && *known != name) {
            Some((known, _)) => Err(InvitationError::Given(format!(
                "you have pinned this party already, as {known}: nothing was changed; to keep what you agree on now, invite or accept it as {known}, with --force"
            ))),
            None => Ok(()),
        }
    }

    /// Pins it, and writes down what was agreed.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn keep(
        &self,
        name: &str,
        peer: PublicKey,
        agreed: &Proposal,
        way: &Endpoint,
    ) -> Result<(), InvitationError> {
        let now = json::time(now());
        let text: String = [format!(
            "# What you and {name} agreed on at {now}. Run it: veilset run {name} LIST\n"
        )]
        .into_iter()
        .chain([line("peer", name), line(flag_of(way), way.place())])
        .chain(agreed.flags().map(|(name, value)| line(name, value)))
        .collect();
        // Before the name is taken.
        agreements(self.home).write(&agreement_file(name), text.as_bytes(), true)?;
        let mut peers = Peers::load(self.home, Some(self.own.public_key()))?;
        peers.add(name, peer, self.force)?;
        Ok(())
    }
}

/// Where both meet, as it stands in what was agreed with the peer of this name.
///
/// # Errors
/// When the file cannot be read, or others may change it.
pub fn agreed_way(home: &Home, name: &str) -> Result<Option<Endpoint>, StoreError> {
    Peers::check_name(name)?;
    let Some(bytes) = agreements(home).read(&agreement_file(name))? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let Ok(parsed) = DeTable::parse(&text) else { return Ok(None) };
    let place = |flag: &str| match parsed.get_ref().get(flag)?.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    };
    let ways = [place("via").map(Endpoint::Via), place("connect").map(Endpoint::Connect)];
    Ok(ways.into_iter().flatten().next().or_else(|| place("listen").map(Endpoint::Listen)))
}

/// The flag of a run that takes this way.
#[must_use]
pub fn flag_of(way: &Endpoint) -> &'static str {
    match way {
        Endpoint::Listen(_) => "listen",
        Endpoint::Connect(_) => "connect",
        Endpoint::Via(_) => "via",
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
            ("wss://relay.example/a/", None, "https://relay.example/a/#7KQ2-9FM4-TX3H"),
            ("ws://127.0.0.1:7000", Some("shop"), "http://127.0.0.1:7000/#7KQ2-9FM4-TX3H/shop"),
        ] {
            let link = link(&Endpoint::Via(relay.to_owned()), &code, me).expect("a relay");
            assert_eq!(link, want);
            let back = Given::read(&format!(" {link}\n")).expect("all of it");
            let relayed = back.relay.expect("a relay");
            assert_eq!(relayed, relay.split('#').next().expect("a part"));
            assert_eq!((back.code.to_string(), back.suggested.as_deref()), (code.to_string(), me));
        }
        assert!(link(&Endpoint::Listen("127.0.0.1:1".to_owned()), &code, None).is_none());
        assert!(Given::read("7kq29fm4tx3h").expect("a code").relay.is_none());
        for none in ["https://relay.example/#what", "https://relay.example/", "7KQ2-9FM4-TX3U"] {
            assert!(Given::read(none).is_err(), "{none}");
        }
    }

    #[test]
    fn a_proposal_is_turned_round_and_what_is_no_flag_of_it_is_left_out() {
        let said = "operation = \"sum\"\nkey = \"e-mail:email\"\nlearn = \"me\"\nreference = \"DPA \\\"1\\\"\"\n";
        let proposal = Proposal::read(said.as_bytes());
        assert_eq!(proposal.written(), said);
        assert_eq!(proposal.turned().get("learn"), Some("peer"));
        let hostile = "operation = \"agree\"\nkey = \"x:what\"\nlearn = \"all\"\nreference = \"\"\noutput = \"/etc/passwd\"\n";
        assert_eq!(Proposal::read(hostile.as_bytes()), Proposal::default());
        let long = format!("operation = \"{}\"", "x".repeat(3000));
        assert_eq!(Proposal::read(long.as_bytes()), Proposal::default());
        for none in [&b"\xff"[..], b"operation", b"[[["] {
            assert_eq!(Proposal::read(none), Proposal::default());
        }
    }
}
