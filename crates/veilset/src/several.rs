//! Several parties by their names.

use veilset_party::{Peer, Peers, PublicKey};
use veilset_session::Seats;

use crate::{Error, PeerAddress};

/// What a party calls itself among several.
pub const ME: &str = "me";

/// Why parties that are named are no parties of a run.
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
}

impl PeerAddress {
    /// The pinned parties of these names, each with the address where it listens, if it has one.
    ///
    /// # Errors
    /// When one is not pinned, or named twice.
    pub fn of<'a>(
        peers: &Peers,
        named: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<Vec<Self>, Error> {
        let mut addresses: Vec<Self> = Vec::new();
        for (name, address) in named {
            let Peer { name, keys, .. } = peers.resolve(name)?;
            // Who connects to whom follows from the keys, so each party needs one; see docs/use/organisations.md.
            let key = keys.now();
            if addresses.iter().any(|other| other.key == key) {
                return Err(NoParties::Twice(name).into());
            }
            addresses.push(Self { name, key, address: address.unwrap_or_default().to_owned() });
        }
        Ok(addresses)
    }
}

/// Who is what, by the names of the parties and this one's as [`ME`].
///
/// # Errors
/// When a name is none of theirs.
pub fn seats(
    own: PublicKey,
    peers: &[PeerAddress],
    learners: &[String],
    leader: Option<&str>,
    pivot: Option<&str>,
) -> Result<Seats, NoParties> {
    let key = |name: &str| {
        let named = |peer: &&PeerAddress| peer.name == name || peer.key.to_string() == name;
        let key = match name {
            ME => Some(own),
            _ => peers.iter().find(named).map(|peer| peer.key),
        };
        key.map(|key| *key.as_bytes()).ok_or_else(|| NoParties::Stranger(name.to_owned()))
    };
    Ok(Seats {
        learners: learners.iter().map(|name| key(name)).collect::<Result<_, _>>()?,
        leader: leader.map(key).transpose()?,
        pivot: pivot.map(key).transpose()?,
    })
}
