//! Who may ask: the names and keys of `--allow` and `--allow-file`.

use std::path::PathBuf;

use veilset::net::Callers;
use veilset::party::{Home, Identity, Peer, Peers, PublicKey, StoreError, guard};

use super::args::ServeArgs;
use crate::error::Failure;

/// Those who may ask, and those who are pinned and may not, by their names.
#[derive(Default)]
pub(super) struct Guests {
    allowed: Vec<Guest>,
    known: Vec<Guest>,
    /// Those among them that announced a next key.
    rotating: Vec<Peer>,
}

#[derive(PartialEq, Eq)]
struct Guest {
    name: String,
    key: PublicKey,
}

/// An entry of a flag or a file that lets nobody ask.
pub(super) struct Missing {
    given: String,
    place: String,
    why: StoreError,
}

/// What a reading of the entries changed, in lines for the operator.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) lines: Vec<String>,
    /// What the operator may not expect.
    pub(super) warnings: Vec<String>,
}

/// Where entries come from.
pub(super) struct Sources<'a> {
    allow: &'a [String],
    file: Option<&'a PathBuf>,
    home: &'a Home,
    own: PublicKey,
}

impl<'a> Sources<'a> {
    pub(super) fn new(args: &'a ServeArgs, home: &'a Home, identity: &Identity) -> Self {
        let file = args.allow_file.as_ref();
        Self { allow: &args.allow, file, home, own: identity.public_key() }
    }

    /// Those of whom every entry says who they are.
    ///
    /// # Errors
    /// When a file cannot be read, or with the first entry that does not.
    pub(super) fn open(&self) -> Result<Guests, Failure> {
        let (guests, missing) = self.read()?;
        match missing.into_iter().next() {
            None => Ok(guests),
            Some(Missing { place, why, .. }) => Err(Failure::Flags(format!("{place}: {why}"))),
        }
    }

    /// Those of whom an entry says who they are, and the entries that do not.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(super) fn read(&self) -> Result<(Guests, Vec<Missing>), Failure> {
        let peers = Peers::load(self.home, Some(self.own))?;
        let (mut guests, mut missing) = (Guests::default(), Vec::new());
        for (given, place) in self.entries()? {
            match peers.resolve(&given) {
                Ok(peer) => {
                    for key in peer.keys.iter() {
                        guests.let_in(full(peer.name.clone(), &key), key);
                    }
                    if peer.keys.next().is_some() {
                        guests.rotating.push(peer);
                    }
                }
                Err(why) => missing.push(Missing { given, place, why }),
            }
        }
        let keys = peers.iter().flat_map(|(name, keys)| keys.iter().map(move |key| (name, key)));
        let others = keys.filter(|(_, key)| guests.name(key).is_none());
        guests.known = others.map(|(name, key)| Guest { name: name.to_owned(), key }).collect();
        Ok((guests, missing))
    }

    /// Each with where it stands.
    fn entries(&self) -> Result<Vec<(String, String)>, Failure> {
        let flags = self.allow.iter().map(|given| (given.clone(), "--allow".to_owned()));
        let mut entries: Vec<(String, String)> = flags.collect();
        let Some(file) = self.file else { return Ok(entries) };
        let text = guard::read_trusted(file)?;
        for (number, line) in (1..).zip(String::from_utf8_lossy(&text).lines()) {
            let given = line.split('#').next().unwrap_or_default().trim();
            if !given.is_empty() {
                entries.push((given.to_owned(), format!("{}, line {number}", file.display())));
            }
        }
        Ok(entries)
    }
}

impl Guests {
    fn let_in(&mut self, name: String, key: PublicKey) {
        let guest = Guest { name, key };
        if !self.allowed.contains(&guest) {
            self.allowed.push(guest);
        }
    }

    /// What a key is called; `None` of one that may not ask.
    fn name(&self, key: &PublicKey) -> Option<&str> {
        self.allowed.iter().find(|guest| guest.key == *key).map(|guest| guest.name.as_str())
    }

    /// What anybody's key is called.
    pub(super) fn label(&self, key: &PublicKey) -> String {
        let known = || self.known.iter().find(|guest| guest.key == *key);
        let name = self.name(key).or_else(|| known().map(|guest| guest.name.as_str()));
        name.map_or_else(|| key.to_string(), str::to_owned)
    }

    /// Whether this is the key of one of them.
    pub(super) fn has(&self, key: &PublicKey) -> bool {
        self.allowed.iter().chain(&self.known).any(|guest| guest.key == *key)
    }

    /// The guest whose next key this is, if its former key is allowed yet.
    pub(super) fn with_next(&self, key: &PublicKey) -> Option<Peer> {
        self.rotating.iter().find(|peer| peer.keys.next() == Some(*key)).cloned()
    }

    /// How many may ask.
    pub(super) fn count(&self) -> usize {
        self.allowed.len()
    }

    pub(super) fn callers(&self) -> Callers {
        let keys = |guests: &[Guest]| guests.iter().map(|guest| guest.key).collect();
        Callers { allowed: keys(&self.allowed), known: keys(&self.known) }
    }

    /// What is otherwise than it was `before`, a line for each name; `missing` are the entries that let nobody ask now.
    pub(super) fn changes(&self, before: &Self, missing: &[Missing]) -> Changes {
        let now = |name: &str, key: &PublicKey| {
            let mut same = self.allowed.iter().filter(|guest| guest.name == name).peekable();
            let first = same.peek().copied();
            same.find(|guest| guest.key == *key).or(first)
        };
        let mut changes = Changes::default();
        for Guest { name, key } in &before.allowed {
            let missing = missing.iter().find(|missing| missing.given == *name);
            let why =
                || missing.map_or_else(|| "no entry has it any more".to_owned(), Missing::why);
            match (now(name, key), self.name(key)) {
                (Some(same), _) if same.key == *key => {}
                (None, None) => {
                    changes.lines.push(format!("{name} may not ask any more: {}", why()))
                }
                (Some(_), None) => changes
                    .lines
                    .push(format!("{name} has another key now; the old key may not ask any more")),
                // A key that is an entry itself may have got a name.
                (None, Some(_)) if missing.is_none() => {}
                (_, Some(other)) => {
                    let line = format!("the key that {name} had may still ask, as {other}");
                    changes.warnings.push(line);
                }
            }
        }
        let was = |name: &str| before.allowed.iter().any(|guest| guest.name == name);
        for gone in missing.iter().filter(|missing| !was(&missing.given)) {
            changes.warnings.push(format!("an entry lets nobody ask: {}", gone.why()));
        }
        for new in self.allowed.iter().filter(|guest| !was(&guest.name)) {
            changes.lines.push(format!("{} may ask now", new.name));
        }
        changes
    }
}

/// A name, or the whole key of one without: another key that is shortened to the same is soon found.
fn full(name: String, key: &PublicKey) -> String {
    if name == key.short() { key.to_string() } else { name }
}

impl Missing {
    fn why(&self) -> String {
        match &self.why {
            StoreError::NoPeer { .. } => format!("no peer has that name ({})", self.place),
            why => format!("{why} ({})", self.place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_begin_alike_are_two_guests() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::new(folder.path());
        let mut alike = [7; 32];
        alike[31] = 8;
        let [one, other] = [[7; 32], alike].map(PublicKey::from_bytes);
        assert_eq!(one.short(), other.short());
        let allow = [&one, &other, &one].map(ToString::to_string);
        let own = PublicKey::from_bytes([9; 32]);
        let sources = Sources { allow: &allow, file: None, home: &home, own };
        let guests = sources.open().expect("keys");
        assert_eq!(guests.callers().allowed, [one, other]);
        assert_eq!([&one, &other].map(|key| guests.label(key)), allow[..2]);

        let fewer = Sources { allow: &allow[..1], ..sources }.open().expect("a key");
        let changes = fewer.changes(&guests, &[]);
        let gone = format!("{other} may not ask any more: no entry has it any more");
        assert_eq!((changes.lines, changes.warnings.len()), (vec![gone], 0));
        assert!(guests.changes(&guests, &[]).lines.is_empty());
    }
}
