//! `veilset id` and `veilset peer`.

use std::fs;

use serde_json::{Value, json};
use veilset::party::{Added, Home, Identity, KeyError, Peers, PublicKey, StoreError};
use veilset::policy::Ledger;
use veilset::voice;

use crate::args::{IdArgs, PeerArgs, PeerCommand};
use crate::error::Failure;
use crate::exchange::{agreement, agreements};

/// Prints the public key, alone on the last line.
pub(crate) fn id(args: &IdArgs) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let identity = if args.new {
        let identity = Ledger::replace_identity(&home).map_err(veilset::Error::from)?;
        voice::say("a new identity; everyone who pinned the old key must pin this one:");
        identity
    } else {
        let (identity, made) = Identity::load_or_create(&home)?;
        if made {
            voice::say(format_args!(
                "made a new identity in {}; send this line to the other party:",
                home.path().display()
            ));
        }
        identity
    };
    print_line!("{}", identity.public_key())?;
    Ok(())
}

/// Pins, lists or forgets keys.
pub(crate) fn peer(args: PeerArgs) -> Result<(), Failure> {
    let home = Home::from_env()?;
    let own = match Identity::load(&home) {
        Ok(identity) => Some(identity.public_key()),
        Err(StoreError::NoIdentity { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut peers = Peers::load(&home, own)?;
    match args.command {
        PeerCommand::Add { name, key, force } => {
            let key: PublicKey = key.parse().map_err(|error: KeyError| StoreError::Key(error))?;
            let added = peers.add(&name, key, force)?;
            voice::say(describe(&added, &name));
        }
        PeerCommand::List { json: true } => {
            let peer =
                |(name, key): (&str, PublicKey)| json!({ "name": name, "key": key.to_string() });
            print_line!("{}", Value::from_iter(peers.iter().map(peer)))?;
        }
        PeerCommand::List { json: false } => {
            for (name, key) in peers.iter() {
                print_line!("{name} {key}")?;
            }
        }
        PeerCommand::Remove { name } => {
            peers.remove(&name)?;
            // What was agreed with it is of no use without its key.
            let _ = fs::remove_file(agreements(&home).path().join(agreement(&name)));
            voice::say(format_args!("forgot {name}"));
        }
    }
    Ok(())
}

fn describe(added: &Added, name: &str) -> String {
    match added {
        Added::New => format!("pinned {name}"),
        Added::Unchanged => format!("{name} was pinned already, with the same key"),
        Added::Replaced(_) => format!("replaced the key of {name}"),
    }
}
