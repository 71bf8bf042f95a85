//! `veilset id` and `veilset peer`.

use std::fs;

use serde_json::{Value, json};
use veilset::invitation::{agreement_file, agreements};
use veilset::party::{Added, Home, Identity, PeerKeys, Peers, Replacement, StoreError};
use veilset::policy::Ledger;
use veilset::voice;

use crate::args::{IdArgs, PeerArgs, PeerCommand, Talk};
use crate::consent::Somebody;
use crate::error::Failure;

/// Prints the public key, alone on the last line.
pub(crate) fn id(args: &IdArgs, talk: &Talk) -> Result<(), Failure> {
    let home = Home::from_env()?;
    if args.next {
        let next = Identity::announce(&home)?;
        voice::say("your peers pin your next key beside the one that you have with this line:");
        return Ok(print_line!("{next}")?);
    }
    let identity = if args.new {
        replace(&home, Replacement::Fresh, talk)?
    } else if args.switch {
        replace(&home, Replacement::Next, talk)?
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

/// Replaces the identity, if whoever is there wants that.
fn replace(home: &Home, with: Replacement, talk: &Talk) -> Result<Identity, Failure> {
    let is_there = match Identity::load(home) {
        Err(StoreError::NoIdentity { .. }) => false,
        // What is there and cannot be read is kept, too.
        _ => true,
    };
    let question = match with {
        Replacement::Fresh => {
            "Replace your identity? Everyone who pinned your key must pin the new one."
        }
        Replacement::Next => {
            "Switch to your next key? Peers that did not pin it yet must do so before they meet you again."
        }
    };
    if is_there
        && let Some(somebody) = Somebody::find(talk)
        && !somebody.agrees(question, false, &mut || Ok(()))?
    {
        return Err(Failure::Flags("nothing was replaced".to_owned()));
    }
    let replaced = Ledger::replace_identity(home, with).map_err(veilset::Error::from)?;
    if let Some(backup) = &replaced.backup {
        voice::say(format_args!("your former key is kept in {}", backup.display()));
    }
    voice::say(match with {
        Replacement::Fresh => "a new identity; everyone who pinned the old key must pin this one:",
        Replacement::Next => "you have the key that you announced:",
    });
    Ok(replaced.identity)
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
            let added = peers.pin(&name, &key, force)?;
            voice::say(describe(&added, &name));
        }
        PeerCommand::List { json: true } => {
            let peer = |(name, keys): (&str, PeerKeys)| {
                let (key, next) = (keys.now().to_string(), keys.next());
                match next {
                    None => json!({ "name": name, "key": key }),
                    Some(next) => json!({ "name": name, "key": key, "next": next.to_string() }),
                }
            };
            print_line!("{}", Value::from_iter(peers.iter().map(peer)))?;
        }
        PeerCommand::List { json: false } => {
            for (name, keys) in peers.iter() {
                let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
                print_line!("{name} {}", keys.join(" "))?;
            }
        }
        PeerCommand::Remove { name } => {
            peers.remove(&name)?;
            // What was agreed with it is of no use without its key.
            let _ = fs::remove_file(agreements(&home).path().join(agreement_file(&name)));
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
        Added::Next(_) => format!(
            "pinned the next key of {name} beside the one that it has; once {name} comes with it, the former is forgotten"
        ),
    }
}
