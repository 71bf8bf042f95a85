//! Whom a run is with, by the names that this side gave them.

use std::str::FromStr;

use veilset_net::Endpoint;
use veilset_party::{Peer, Peers, PublicKey};
use veilset_session::Seats;

use crate::{Connection, Error};

/// What a party calls itself among several.
pub const ME: &str = "me";

/// Why parties that are named are no parties of a run, or cannot be met so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoParties {
    /// One stands twice.
    #[error("{0} is named twice: name each party once")]
    Twice(String),
    /// Who learns, leads or is the pivot is somebody else.
    #[error(
        "{0} is none of the parties: learners, leader and pivot have names that you gave the other parties, or {ME}"
    )]
    Stranger(String),
    /// Two parties have no leader.
    #[error(
        "--learner, --leader and --pivot are for several parties: give --peer for each other one; of two, --learn says who learns"
    )]
    NoSeats,
    /// One party for both.
    #[error("the leader and the pivot are two parties: give --leader and --pivot two names")]
    OneForBoth,
    /// A leader that does not learn.
    #[error("the leader computes the result, so it learns: give its name to --learner, too")]
    BlindLeader,
    /// A name or an address is empty.
    #[error("{0:?} is no party: give NAME, or NAME@HOST:PORT, such as acme@acme.example:7000")]
    Nobody(String),
    /// More than any protocol takes.
    #[error("a run has at most {} parties: give --peer at most {} times", Connection::MOST_PEERS + 1, Connection::MOST_PEERS)]
    TooMany,
    /// Nothing says where the peer is met.
    #[error(
        "say how you meet {0}: give --listen, --connect or --via, or its address behind the name, such as {0}@{0}.example:7000"
    )]
    NoWay(String),
    /// A service does not come to those who look up.
    #[error(
        "a lookup goes to the service: give --connect or --via, or the address of {0} behind the name, such as {0}@{0}.example:7000"
    )]
    NoService(String),
    /// Several ways at once.
    #[error("give one of --listen, --connect and --via")]
    Ways,
    /// The peer's address stands in two places.
    #[error("give the peer's address once: behind the name, or with --connect")]
    TwoAddresses,
    /// A relay needs no addresses.
    #[error("with --via nobody has an address: give {0} by name alone")]
    AddressAtRelay(String),
    /// Several parties listen, or meet at a relay.
    #[error("several parties each --listen, or meet with --via at a relay; nobody gives --connect")]
    SeveralConnect,
    /// One of several has no address.
    #[error(
        "{0} needs an address behind its name, such as {0}@{0}.example:7000: of several parties each listens, and goes to those with larger keys"
    )]
    NoAddress(String),
}

/// A party as a user names it: `NAME` or its key, and where it listens, `@HOST:PORT`, if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPeer {
    /// A pinned name, or a key.
    pub name: String,
    /// `HOST:PORT`.
    pub address: Option<String>,
}

impl FromStr for NamedPeer {
    type Err = NoParties;

    fn from_str(text: &str) -> Result<Self, NoParties> {
        // Neither a name nor a key has an @.
        let (name, address) = match text.split_once('@') {
            Some((name, address)) => (name, Some(address)),
            None => (text, None),
        };
        if name.is_empty() || address == Some("") {
            return Err(NoParties::Nobody(text.to_owned()));
        }
        Ok(Self { name: name.to_owned(), address: address.map(str::to_owned) })
    }
}

/// A party that is pinned, or known by its key, and where it listens.
#[derive(Debug, Clone)]
pub struct PeerAddress {
    /// The party.
    pub peer: Peer,
    /// `HOST:PORT`; none where this side waits for it, or goes to a relay or to an [`Endpoint::Connect`].
    pub address: Option<String>,
}

impl From<Peer> for PeerAddress {
    fn from(peer: Peer) -> Self {
        Self { peer, address: None }
    }
}

impl PeerAddress {
    /// The parties of these names.
    ///
    /// # Errors
    /// When one is not pinned, or named twice.
    pub fn of(peers: &Peers, named: &[NamedPeer]) -> Result<Vec<Self>, Error> {
        let mut addresses: Vec<Self> = Vec::new();
        for NamedPeer { name, address } in named {
            let peer = peers.resolve(name)?;
            if addresses.iter().any(|other| other.key() == peer.keys.now()) {
                return Err(NoParties::Twice(peer.name).into());
            }
            addresses.push(Self { peer, address: address.clone() });
        }
        Ok(addresses)
    }

    /// The key that says who goes to whom, where both sides know where the other listens.
    pub(crate) fn key(&self) -> PublicKey {
        self.peer.keys.now()
    }
}

/// What a user says of this side's end of the way to the others: an address, or a relay.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ends<'a> {
    /// Where this side listens, `HOST:PORT`.
    pub listen: Option<&'a str>,
    /// Where the one peer listens.
    pub connect: Option<&'a str>,
    /// The URL of the relay where all meet.
    pub via: Option<&'a str>,
}

impl Ends<'_> {
    /// This side's end of the way to these parties, after a look at all addresses.
    ///
    /// # Errors
    /// When it leads to nobody, or not to all, or an address is none.
    pub fn endpoint(&self, peers: &[NamedPeer]) -> Result<Endpoint, Error> {
        if peers.len() > Connection::MOST_PEERS {
            return Err(NoParties::TooMany.into());
        }
        let endpoint = self.end(peers)?;
        endpoint.check()?;
        for address in peers.iter().filter_map(|peer| peer.address.clone()) {
            Endpoint::Connect(address).check()?;
        }
        Ok(endpoint)
    }

    /// The same of the way to a service, where nobody listens for the other.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint), and when it does not go there.
    pub fn to_service(&self, service: &NamedPeer) -> Result<Endpoint, Error> {
        let goes = self.connect.is_some() || self.via.is_some() || service.address.is_some();
        if self.listen.is_some() || !goes {
            return Err(NoParties::NoService(service.name.clone()).into());
        }
        self.endpoint(std::slice::from_ref(service))
    }

    fn end(&self, peers: &[NamedPeer]) -> Result<Endpoint, NoParties> {
        let is_one = peers.len() == 1;
        let has_address = |peer: &&NamedPeer| peer.address.is_some();
        let lacks_address = |peer: &&NamedPeer| peer.address.is_none();
        let first = peers.first().ok_or(NoParties::Nobody(String::new()))?;
        match *self {
            Self { listen: None, connect: None, via: Some(relay) } => {
                match peers.iter().find(has_address) {
                    Some(peer) => Err(NoParties::AddressAtRelay(peer.name.clone())),
                    None => Ok(Endpoint::Via(relay.to_owned())),
                }
            }
            Self { listen: None, connect: Some(address), via: None } => match first.address {
                _ if !is_one => Err(NoParties::SeveralConnect),
                Some(_) => Err(NoParties::TwoAddresses),
                None => Ok(Endpoint::Connect(address.to_owned())),
            },
            Self { listen: Some(address), connect: None, via: None } => {
                match peers.iter().find(lacks_address) {
                    Some(peer) if !is_one => Err(NoParties::NoAddress(peer.name.clone())),
                    _ => Ok(Endpoint::Listen(address.to_owned())),
                }
            }
            Self { listen: None, connect: None, via: None } => match &first.address {
                Some(address) if is_one => Ok(Endpoint::Connect(address.clone())),
                _ => Err(NoParties::NoWay(first.name.clone())),
            },
            _ => Err(NoParties::Ways),
        }
    }
}

/// Who is what, by the names of the parties and this one's as [`ME`].
///
/// # Errors
/// When a name is none of theirs, there is one other party alone, or no run is so.
pub fn seats(
    own: PublicKey,
    peers: &[PeerAddress],
    learners: &[String],
    leader: Option<&str>,
    pivot: Option<&str>,
) -> Result<Seats, NoParties> {
    let key = |name: &str| {
        let named =
            |other: &&PeerAddress| other.peer.name == name || other.key().to_string() == name;
        let key = match name {
            ME => Some(own),
            _ => peers.iter().find(named).map(PeerAddress::key),
        };
        key.map(|key| *key.as_bytes()).ok_or_else(|| NoParties::Stranger(name.to_owned()))
    };
    let seats = Seats {
        learners: learners.iter().map(|name| key(name)).collect::<Result<_, _>>()?,
        leader: leader.map(key).transpose()?,
        pivot: pivot.map(key).transpose()?,
    };
    let Seats { learners, leader, pivot } = &seats;
    if peers.len() < 2 && seats != Seats::default() {
        return Err(NoParties::NoSeats);
    }
    if leader.is_some() && leader == pivot {
        return Err(NoParties::OneForBoth);
    }
    if leader.is_some_and(|leader| !learners.is_empty() && !learners.contains(&leader)) {
        return Err(NoParties::BlindLeader);
    }
    Ok(seats)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(texts: &[&str]) -> Vec<NamedPeer> {
        texts.iter().map(|text| text.parse().expect("a party")).collect()
    }

    #[test]
    fn a_party_has_a_name_and_perhaps_an_address() {
        let [acme, bank] = &named(&["acme", "bank@[::1]:7000"])[..] else { panic!("two") };
        assert_eq!((acme.name.as_str(), acme.address.as_deref()), ("acme", None));
        assert_eq!((bank.name.as_str(), bank.address.as_deref()), ("bank", Some("[::1]:7000")));
        for nobody in ["", "@acme.example:7000", "acme@"] {
            assert_eq!(nobody.parse::<NamedPeer>(), Err(NoParties::Nobody(nobody.to_owned())));
        }
    }

    #[test]
    fn a_way_leads_to_one_or_to_all() {
        let [listen, connect, via] =
            [Some("0.0.0.0:7000"), Some("acme.example:7000"), Some("wss://relay.example")];
        let none = Ends::default();
        let (one, at) = (["acme"], ["acme@acme.example:7000"]);
        let several = ["acme@acme.example:7000", "bank@bank.example:7000"];
        let way = |way: Ends<'_>, peers: &[&str]| {
            way.endpoint(&named(peers)).map_err(|why| match why {
                Error::Parties(why) => why,
                other => panic!("{other}"),
            })
        };
        let goes = Endpoint::Connect("acme.example:7000".to_owned());
        let waits = Endpoint::Listen("0.0.0.0:7000".to_owned());
        let meets = Endpoint::Via("wss://relay.example".to_owned());
        let name = || "acme".to_owned();

        assert_eq!(way(Ends { connect, ..none }, &one), Ok(goes.clone()));
        assert_eq!(way(none, &at), Ok(goes));
        assert_eq!(way(Ends { connect, ..none }, &at), Err(NoParties::TwoAddresses));
        assert_eq!(way(none, &one), Err(NoParties::NoWay(name())));
        for peers in [&one[..], &at, &several] {
            assert_eq!(way(Ends { listen, ..none }, peers), Ok(waits.clone()));
            assert_eq!(way(Ends { listen, via, ..none }, peers), Err(NoParties::Ways));
        }
        for peers in [&one[..], &["acme", "bank"]] {
            assert_eq!(way(Ends { via, ..none }, peers), Ok(meets.clone()));
        }
        assert_eq!(way(Ends { via, ..none }, &at), Err(NoParties::AddressAtRelay(name())));
        assert_eq!(way(Ends { connect, ..none }, &several), Err(NoParties::SeveralConnect));
        assert_eq!(way(none, &several), Err(NoParties::NoWay(name())));
        let without = ["bank@bank.example:7000", "acme"];
        assert_eq!(way(Ends { listen, ..none }, &without), Err(NoParties::NoAddress(name())));
        let many: Vec<String> =
            (0..64).map(|number| format!("p{number}@{number}.example:7000")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(way(Ends { listen, ..none }, &many), Err(NoParties::TooMany));
        assert_eq!(way(Ends { listen, ..none }, &many[1..]), Ok(waits));
        let to_service = |ends: Ends<'_>, peer: &str| {
            ends.to_service(&named(&[peer])[0]).map_err(|why| why.to_string())
        };
        assert!(to_service(Ends { connect, ..none }, "acme").is_ok());
        assert!(to_service(none, "acme@acme.example:7000").is_ok());
        for (ends, peer) in [(none, "acme"), (Ends { listen, ..none }, "acme@acme.example:7000")] {
            let why = to_service(ends, peer).expect_err("it goes nowhere");
            assert!(why.starts_with("a lookup goes to the service: give --connect or"), "{why}");
        }
        let no_port = Ends { listen, ..none }.endpoint(&named(&["acme@acme.example"]));
        assert!(matches!(no_port, Err(Error::Net(_))));
    }
}
