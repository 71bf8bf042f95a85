//! The peers that this party pinned.

use crate::{Home, PeerKeys, PublicKey, StoreError, Succession};

/// The file under the home directory: one `name key` a line, or `name key next-key`; `#` starts a comment.
const FILE: &str = "peers";

/// The longest name in characters.
const LONGEST_NAME: usize = 64;

/// Names and the one key that belongs to each, or two during a rotation.
#[derive(Debug, Clone)]
pub struct Peers {
    home: Home,
    own: Option<PublicKey>,
    lines: Vec<Line>,
}

/// One line of the file, kept as it is; comments and empty lines name no peer.
#[derive(Debug, Clone)]
struct Line {
    text: String,
    peer: Option<(String, PeerKeys)>,
}

/// A peer, as a user named it.
#[derive(Debug, Clone)]
pub struct Peer {
    /// What this side calls it.
    pub name: String,
    /// Its keys.
    pub keys: PeerKeys,
    /// Where it is pinned.
    home: Option<Home>,
}

impl Peer {
    /// A party that nobody pinned; its label is its key, shortened.
    #[must_use]
    pub fn unpinned(key: PublicKey) -> Self {
        Self { name: key.short(), keys: key.into(), home: None }
    }

    /// To be called once the peer proved to hold `key`: from its next key on, the one before is nobody's. Whether that is so now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn met(&self, key: PublicKey) -> Result<bool, StoreError> {
        match &self.home {
            Some(home) if self.keys.next() == Some(key) => Peers::load(home, None)?.settle(key),
            _ => Ok(false),
        }
    }
}

impl From<&Peer> for PeerKeys {
    fn from(peer: &Peer) -> Self {
        peer.keys
    }
}

/// What adding a peer changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The name is new.
    New,
    /// The name had this key already.
    Unchanged,
    /// The name had this other key, which is gone.
    Replaced(PublicKey),
    /// The name has this next key beside the one that it had.
    Next(PublicKey),
}

impl Peers {
    /// Reads the peers under `home`; none when there is no file. `own` is this party's key, which is no peer.
    ///
    /// # Errors
    /// When the file cannot be read, when others may change it, or with the line that is wrong.
    pub fn load(home: &Home, own: Option<PublicKey>) -> Result<Self, StoreError> {
        let bytes = home.read(FILE)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut peers = Self { home: home.clone(), own, lines: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let parsed = peers.parse(line).map_err(|why| StoreError::PeersLine {
                path: home.file(FILE),
                line: number + 1,
                why: Box::new(why),
            })?;
            peers.lines.push(parsed);
        }
        Ok(peers)
    }

    /// Pins what a party sent: the line with its key, or the one that [announces](Self::announce) its next key.
    ///
    /// # Errors
    /// [`StoreError::Key`], or as [`add`](Self::add) and [`announce`](Self::announce).
    pub fn pin(&mut self, name: &str, line: &str, force: bool) -> Result<Added, StoreError> {
        if Succession::looks_like(line) {
            return self.announce(name, &line.parse().map_err(StoreError::Key)?, force);
        }
        self.add(name, line.parse().map_err(StoreError::Key)?, force)
    }

    /// Pins `key` under `name` and writes the file. Another key under the same name is refused unless `force`. What
    /// another program changed in the file meanwhile is kept. A key has one name, so that nobody takes one party for two.
    ///
    /// # Errors
    /// [`StoreError::ChangedKey`], [`StoreError::KnownAs`], a name or key that cannot be a peer's, or a failed write (nothing changes then).
    pub fn add(&mut self, name: &str, key: PublicKey, force: bool) -> Result<Added, StoreError> {
        check_name(name)?;
        self.check_not_own(key)?;
        let _lock = self.home.lock(FILE)?;
        self.refresh()?;
        let line = Line::of(name, key.into());
        self.check_nobody_elses(name, key)?;
        let mut lines = self.lines.clone();
        let added = match self.position(name) {
            None => {
                lines.push(line);
                Added::New
            }
            // Its next key stays beside it.
            Some((_, old)) if old.now() == key && !(force && old.next().is_some()) => {
                return Ok(Added::Unchanged);
            }
            // The user knows that the peer has it.
            Some((at, old)) if old.contains(&key) => {
                lines[at] = line;
                Added::Replaced(old.now())
            }
            Some((_, old)) if !force => {
                let old = old.now();
                return Err(StoreError::ChangedKey { name: name.to_owned(), old, new: key });
            }
            Some((at, old)) => {
                lines[at] = line;
                Added::Replaced(old.now())
            }
        };
        self.save(lines)?;
        Ok(added)
    }

    /// Pins the next key of a peer beside the one that announces it, and writes the file; runs with the peer go on with either. Where
    /// the next key announces one after it, it is in use, and the key before it goes. Another next key than the one that was announced
    /// before is refused unless `force`.
    ///
    /// # Errors
    /// [`StoreError::NoPeer`], [`StoreError::NotItsSuccessor`], [`StoreError::OtherSuccessor`], [`StoreError::KnownAs`], or a failed write.
    pub fn announce(
        &mut self,
        name: &str,
        next: &Succession,
        force: bool,
    ) -> Result<Added, StoreError> {
        let new = next.new_key();
        self.check_not_own(new)?;
        let _lock = self.home.lock(FILE)?;
        self.refresh()?;
        let (at, keys) = self.position(name).ok_or_else(|| self.no_peer(name))?;
        if keys.now() == new || keys.next() == Some(new) {
            return Ok(Added::Unchanged);
        }
        let old = next.old();
        if !keys.contains(&old) {
            let (name, pinned) = (name.to_owned(), keys.now());
            return Err(StoreError::NotItsSuccessor { name, pinned });
        }
        if let Some(other) = keys.next().filter(|other| *other != old && !force) {
            return Err(StoreError::OtherSuccessor { name: name.to_owned(), other });
        }
        self.check_nobody_elses(name, new)?;
        let mut lines = self.lines.clone();
        lines[at] = Line::of(name, PeerKeys::new(old, Some(new)));
        self.save(lines)?;
        Ok(Added::Next(new))
    }

    /// Forgets the key before `key`, which a peer has now; whether there was one.
    fn settle(&mut self, key: PublicKey) -> Result<bool, StoreError> {
        let _lock = self.home.lock(FILE)?;
        self.refresh()?;
        let mut lines = self.lines.clone();
        let line = lines.iter_mut().find_map(|line| match &line.peer {
            Some((name, keys)) if keys.next() == Some(key) => Some((name.clone(), line)),
            _ => None,
        });
        let Some((name, line)) = line else { return Ok(false) };
        *line = Line::of(&name, key.into());
        self.save(lines)?;
        Ok(true)
    }

    /// Whether a peer may have this name: letters, digits, dots, dashes and underscores, and no key.
    ///
    /// # Errors
    /// [`StoreError::Name`].
    pub fn check_name(name: &str) -> Result<(), StoreError> {
        check_name(name)
    }

    /// Forgets a peer and writes the file; returns its keys. What another program changed in the file meanwhile is kept.
    ///
    /// # Errors
    /// [`StoreError::NoPeer`], or a failed write.
    pub fn remove(&mut self, name: &str) -> Result<PeerKeys, StoreError> {
        let _lock = self.home.lock(FILE)?;
        self.refresh()?;
        let (at, keys) = self.position(name).ok_or_else(|| self.no_peer(name))?;
        let mut lines = self.lines.clone();
        lines.remove(at);
        self.save(lines)?;
        Ok(keys)
    }

    /// The keys that belong to a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<PeerKeys> {
        self.position(name).map(|(_, keys)| keys)
    }

    /// All names and keys, in the file's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, PeerKeys)> {
        self.lines
            .iter()
            .filter_map(|line| line.peer.as_ref())
            .map(|(name, keys)| (name.as_str(), *keys))
    }

    /// What a user means by a peer's name or a key line. A key without a name is its own label, shortened.
    ///
    /// # Errors
    /// When no peer has the name (with the closest names), when the key does not parse, or when it is one's own.
    pub fn resolve(&self, name_or_key: &str) -> Result<Peer, StoreError> {
        let of =
            |name: &str, keys| Peer { name: name.to_owned(), keys, home: Some(self.home.clone()) };
        if !PublicKey::looks_like(name_or_key) {
            let keys = self.get(name_or_key).ok_or_else(|| self.no_peer(name_or_key))?;
            return Ok(of(name_or_key, keys));
        }
        let key: PublicKey = name_or_key.parse().map_err(StoreError::Key)?;
        self.check_not_own(key)?;
        let named = self.iter().find(|(_, known)| known.contains(&key));
        Ok(named.map_or_else(|| Peer::unpinned(key), |(name, keys)| of(name, keys)))
    }

    fn parse(&self, line: &str) -> Result<Line, StoreError> {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let (name, now, next) = match (words.next(), words.next(), words.next(), words.next()) {
            (None, ..) => return Ok(Line { text: line.to_owned(), peer: None }),
            (Some(name), Some(now), next, None) => (name, now, next),
            _ => return Err(StoreError::NotNameAndKey),
        };
        check_name(name)?;
        let key = |text: &str| {
            let key = text.parse().map_err(StoreError::Key)?;
            self.check_not_own(key).map(|()| key)
        };
        let keys = PeerKeys::new(key(now)?, next.map(key).transpose()?);
        if self.get(name).is_some() {
            return Err(StoreError::NameTwice { name: name.to_owned() });
        }
        Ok(Line { text: line.to_owned(), peer: Some((name.to_owned(), keys)) })
    }

    /// Reads the file again, for a change that starts from what is there now.
    fn refresh(&mut self) -> Result<(), StoreError> {
        self.lines = Self::load(&self.home, self.own)?.lines;
        Ok(())
    }

    fn save(&mut self, lines: Vec<Line>) -> Result<(), StoreError> {
        let mut text = String::new();
        for line in &lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        self.home.write(FILE, text.as_bytes(), true)?;
        self.lines = lines;
        Ok(())
    }

    fn position(&self, name: &str) -> Option<(usize, PeerKeys)> {
        self.lines.iter().enumerate().find_map(|(at, line)| match &line.peer {
            Some((known, keys)) if known == name => Some((at, *keys)),
            _ => None,
        })
    }

    /// A key has one name, so that nobody takes one party for two.
    fn check_nobody_elses(&self, name: &str, key: PublicKey) -> Result<(), StoreError> {
        match self.iter().find(|(known, keys)| keys.contains(&key) && *known != name) {
            Some((known, _)) => Err(StoreError::KnownAs { known: known.to_owned() }),
            None => Ok(()),
        }
    }

    fn check_not_own(&self, key: PublicKey) -> Result<(), StoreError> {
        if self.own == Some(key) { Err(StoreError::OwnKey) } else { Ok(()) }
    }

    fn no_peer(&self, name: &str) -> StoreError {
        let mut close: Vec<(f64, &str)> = self
            .iter()
            .map(|(known, _)| {
                (strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase()), known)
            })
            .filter(|(likeness, _)| *likeness > 0.7)
            .collect();
        close.sort_by(|a, b| b.0.total_cmp(&a.0));
        let close = close.into_iter().take(3).map(|(_, known)| known.to_owned()).collect();
        StoreError::NoPeer { name: name.escape_default().to_string(), close }
    }
}

impl Line {
    fn of(name: &str, keys: PeerKeys) -> Self {
        let keys_text: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
        let text = format!("{name} {}", keys_text.join(" "));
        Self { text, peer: Some((name.to_owned(), keys)) }
    }
}

/// Whether a peer may have this name.
fn check_name(name: &str) -> Result<(), StoreError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let fits = (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(allowed);
    if fits && !PublicKey::looks_like(name) {
        Ok(())
    } else {
        Err(StoreError::Name { name: name.escape_default().to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> PublicKey {
        PublicKey::from_bytes([byte; 32])
    }

    fn with_file(text: &str) -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path());
        home.write(FILE, text.as_bytes(), true).expect("writable");
        (dir, home)
    }

    #[test]
    fn keeps_names_comments_and_order() {
        let text =
            format!("# partners\n\nacme {}\n  zeta.example\t{} # old friend\n", key(1), key(2));
        let (_dir, home) = with_file(&text);
        let mut peers = Peers::load(&home, None).expect("well formed");
        assert_eq!(
            peers.iter().collect::<Vec<_>>(),
            [("acme", key(1).into()), ("zeta.example", key(2).into())]
        );
        assert_eq!(peers.add("third", key(3), false).expect("new"), Added::New);
        assert_eq!(peers.add("third", key(3), false).expect("same"), Added::Unchanged);
        assert_eq!(peers.remove("acme").expect("there"), key(1).into());
        assert_eq!(Peers::load(&home, None).expect("written").get("third"), Some(key(3).into()));
        let want =
            format!("# partners\n\n  zeta.example\t{} # old friend\nthird {}\n", key(2), key(3));
        assert_eq!(home.read(FILE).expect("there"), Some(want.into_bytes()));
    }

    #[test]
    fn a_changed_key_is_a_loud_stop() {
        let (_dir, home) = with_file("");
        let mut peers = Peers::load(&home, None).expect("empty");
        peers.add("acme", key(1), false).expect("new");
        let refused = peers.add("acme", key(2), false).expect_err("changed");
        assert!(refused.is_refusal());
        let text = refused.to_string();
        assert!(text.contains(&key(1).to_string()) && text.contains(&key(2).to_string()), "{text}");
        assert_eq!(Peers::load(&home, None).expect("written").get("acme"), Some(key(1).into()));
        assert_eq!(peers.add("acme", key(2), true).expect("forced"), Added::Replaced(key(1)));
        assert_eq!(Peers::load(&home, None).expect("written").get("acme"), Some(key(2).into()));
    }

    #[test]
    fn refuses_what_is_no_peer() {
        let (_dir, home) = with_file("");
        let mut peers = Peers::load(&home, Some(key(9))).expect("empty");
        assert!(matches!(peers.add("me", key(9), true), Err(StoreError::OwnKey)));
        assert!(matches!(peers.resolve(&key(9).to_string()), Err(StoreError::OwnKey)));
        for name in ["", "a b", "a#", "ä", "veilset1acme", "\u{1b}[31m", &"x".repeat(65)] {
            let refused = peers.add(name, key(1), true).expect_err("not a name");
            assert!(matches!(refused, StoreError::Name { .. }));
            assert!(!refused.to_string().contains('\u{1b}'));
        }
    }

    #[test]
    fn a_name_or_a_key_names_a_peer() {
        let (_dir, home) =
            with_file(&format!("acme {}\nacorn {}\nzeta {}\n", key(1), key(2), key(3)));
        let peers = Peers::load(&home, None).expect("well formed");
        let acme = peers.resolve("acme").expect("there");
        assert_eq!((&*acme.name, acme.keys), ("acme", key(1).into()));
        assert_eq!(peers.resolve(&key(3).to_string()).expect("a key").name, "zeta");
        let unknown = peers.resolve(&key(4).to_string()).expect("a key");
        assert_eq!(unknown.keys, key(4).into());
        assert!(key(4).to_string().starts_with(unknown.name.trim_end_matches('…')));
        let missing = peers.resolve("Acne").expect_err("no such name");
        assert!(matches!(missing, StoreError::NoPeer { ref close, .. } if close[0] == "acme"));
        assert!(matches!(peers.resolve("veilset1x"), Err(StoreError::Key(_))));
    }

    #[test]
    fn a_key_has_one_name() {
        let (_dir, home) = with_file("");
        let mut peers = Peers::load(&home, None).expect("empty");
        peers.add("bob", key(1), false).expect("new");
        peers.add("carol", key(2), false).expect("new");
        for (name, force) in [("bobby", false), ("bobby", true), ("carol", true)] {
            let refused = peers.add(name, key(1), force).expect_err("bob's");
            assert!(matches!(&refused, StoreError::KnownAs { known } if known == "bob"));
            assert!(refused.to_string().contains("`veilset peer remove bob`"), "{refused}");
        }
        assert_eq!(peers.add("bob", key(1), false).expect("same"), Added::Unchanged);
        assert_eq!(Peers::load(&home, None).expect("well formed").iter().count(), 2);
    }

    #[test]
    fn a_next_key_stands_beside_the_first_until_it_is_met() {
        use crate::Identity;
        let (_dir, home) = with_file("");
        let [old, new, other] = [(); 3].map(|()| Identity::ephemeral());
        let next = Succession::new(&old, &new);
        let mut peers = Peers::load(&home, Some(key(9))).expect("empty");
        assert!(matches!(peers.announce("acme", &next, false), Err(StoreError::NoPeer { .. })));
        peers.add("acme", old.public_key(), false).expect("new");
        peers.add("rival", other.public_key(), false).expect("new");
        let strange = Succession::new(&other, &new);
        let refused = peers.announce("acme", &strange, false).expect_err("another's word");
        assert!(matches!(refused, StoreError::NotItsSuccessor { .. }));
        let taken = Succession::new(&old, &other);
        assert!(matches!(peers.announce("acme", &taken, false), Err(StoreError::KnownAs { .. })));
        let announced = peers.announce("acme", &next, false).expect("its own word");
        assert_eq!(announced, Added::Next(new.public_key()));
        assert_eq!(peers.announce("acme", &next, false).expect("again"), Added::Unchanged);
        // Another one is somebody's who has the first key, or a change of mind; the one after the next is neither.
        let [thief, third] = [(); 2].map(|()| Identity::ephemeral());
        let stolen = Succession::new(&old, &thief);
        let refused = peers.announce("acme", &stolen, false).expect_err("there is one");
        assert!(matches!(refused, StoreError::OtherSuccessor { .. }));
        let mut later = peers.clone();
        let after = Succession::new(&new, &third);
        assert_eq!(
            later.announce("acme", &after, false).expect("its word"),
            Added::Next(third.public_key())
        );
        assert_eq!(
            later.get("acme"),
            Some(PeerKeys::new(new.public_key(), Some(third.public_key())))
        );
        later.announce("acme", &Succession::new(&new, &old), true).expect("forced");
        later.add("acme", old.public_key(), false).expect("known");
        later.announce("acme", &next, false).expect("as before");

        let both = Peers::load(&home, None).expect("well formed");
        let acme = both.resolve("acme").expect("there");
        assert_eq!(acme.keys, PeerKeys::new(old.public_key(), Some(new.public_key())));
        for key in [&old, &new] {
            assert_eq!(both.resolve(&key.public_key().to_string()).expect("a key").name, "acme");
        }
        assert!(!acme.met(old.public_key()).expect("nothing to do"));
        assert_eq!(Peers::load(&home, None).expect("well formed").get("acme"), Some(acme.keys));
        assert!(acme.met(new.public_key()).expect("writable"));
        assert!(!acme.met(new.public_key()).expect("done already"));
        let mut settled = Peers::load(&home, None).expect("well formed");
        assert_eq!(settled.get("acme"), Some(new.public_key().into()));
        let refused = settled.announce("acme", &Succession::new(&old, &other), false);
        assert!(
            matches!(refused, Err(StoreError::NotItsSuccessor { .. })),
            "the old key has no say"
        );

        // A user who pins the new key by hand settles it, too.
        settled.announce("acme", &Succession::new(&new, &old), false).expect("back");
        assert_eq!(settled.add("acme", new.public_key(), false).expect("same"), Added::Unchanged);
        assert!(settled.get("acme").is_some_and(|keys| keys.next() == Some(old.public_key())));
        let added = settled.add("acme", old.public_key(), false).expect("known");
        assert_eq!(added, Added::Replaced(new.public_key()));
        assert_eq!(settled.get("acme"), Some(old.public_key().into()));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let good = format!("acme {}\n", key(1));
        let typo = good.replace("veilset1q", "veilset1p");
        for bad in ["acme", "a b c", "a b c d", &typo, &format!("{good}{good}"), "a/b veilset1"] {
            let (_dir, home) = with_file(&format!("# one\n{bad}"));
            let refused = Peers::load(&home, None).expect_err("a bad line").to_string();
            let line = if bad.matches("acme veilset1").count() == 2 { 3 } else { 2 };
            assert!(refused.contains(&format!("peers, line {line}: ")), "{refused}");
        }
    }

    #[test]
    fn what_several_programs_add_and_remove_is_all_there() {
        let (_dir, home) = with_file("");
        let change = |first: u8| {
            // Loaded before the others change anything.
            let mut peers = Peers::load(&home, None).expect("well formed");
            move || {
                for number in first..first + 20 {
                    peers.add(&format!("p{number}"), key(number), false).expect("new");
                }
                peers.remove(&format!("p{first}")).expect("added");
            }
        };
        let (one, two, three) = (change(0), change(50), change(100));
        std::thread::scope(|scope| {
            scope.spawn(one);
            scope.spawn(two);
            scope.spawn(three);
        });
        let peers = Peers::load(&home, None).expect("well formed");
        let mut names: Vec<_> = peers.iter().map(|(name, _)| name.to_owned()).collect();
        names.sort();
        let of = |first: u8| (first + 1..first + 20).map(|number| format!("p{number}"));
        let mut want: Vec<_> = of(0).chain(of(50)).chain(of(100)).collect();
        want.sort();
        assert_eq!(names, want);
    }

    #[test]
    fn a_name_that_another_program_pinned_meanwhile_is_not_replaced() {
        let (_dir, home) = with_file("");
        let mut early = Peers::load(&home, None).expect("empty");
        let mut other = Peers::load(&home, None).expect("empty");
        other.add("acme", key(1), false).expect("new");
        let refused = early.add("acme", key(2), false).expect_err("pinned meanwhile");
        assert!(matches!(refused, StoreError::ChangedKey { old, .. } if old == key(1)));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_change_is_refused() {
        use std::fs::{Permissions, set_permissions};
        use std::os::unix::fs::PermissionsExt;
        let (_dir, home) = with_file(&format!("acme {}\n", key(1)));
        let mut peers = Peers::load(&home, None).expect("well formed");
        let path = home.file(FILE);
        for mode in [0o664, 0o646, 0o620] {
            set_permissions(&path, Permissions::from_mode(mode)).expect("own");
            let refused = Peers::load(&home, None).expect_err("writable");
            assert!(matches!(&refused, StoreError::Writable { path: p } if *p == path));
            assert!(refused.to_string().contains(&format!("chmod go-w {}", path.display())));
            assert!(!refused.is_refusal());
            assert!(matches!(peers.add("b", key(2), false), Err(StoreError::Writable { .. })));
            assert!(matches!(peers.remove("acme"), Err(StoreError::Writable { .. })));
        }
        set_permissions(&path, Permissions::from_mode(0o644)).expect("own");
        assert_eq!(
            Peers::load(&home, None).expect("readable by all").get("acme"),
            Some(key(1).into())
        );
    }
}
