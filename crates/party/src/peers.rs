//! The peers that this party pinned.

use crate::{Home, PublicKey, StoreError};

/// The file under the home directory: one `name key` a line; `#` starts a comment.
const FILE: &str = "peers";

/// The longest name in characters.
const LONGEST_NAME: usize = 64;

/// Names and the one key that belongs to each.
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
    peer: Option<(String, PublicKey)>,
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
        let line = Line { text: format!("{name} {key}"), peer: Some((name.to_owned(), key)) };
        if let Some((known, _)) = self.iter().find(|(known, of)| *of == key && *known != name) {
            return Err(StoreError::KnownAs { known: known.to_owned() });
        }
        let mut lines = self.lines.clone();
        let added = match self.position(name) {
            None => {
                lines.push(line);
                Added::New
            }
            Some((_, old)) if old == key => return Ok(Added::Unchanged),
            Some((_, old)) if !force => {
                return Err(StoreError::ChangedKey { name: name.to_owned(), old, new: key });
            }
            Some((at, old)) => {
                lines[at] = line;
                Added::Replaced(old)
            }
        };
        self.save(lines)?;
        Ok(added)
    }

    /// Whether a peer may have this name: letters, digits, dots, dashes and underscores, and no key.
    ///
    /// # Errors
    /// [`StoreError::Name`].
    pub fn check_name(name: &str) -> Result<(), StoreError> {
        check_name(name)
    }

    /// Forgets a peer and writes the file; returns its key. What another program changed in the file meanwhile is kept.
    ///
    /// # Errors
    /// [`StoreError::NoPeer`], or a failed write.
    pub fn remove(&mut self, name: &str) -> Result<PublicKey, StoreError> {
        let _lock = self.home.lock(FILE)?;
        self.refresh()?;
        let (at, key) = self.position(name).ok_or_else(|| self.no_peer(name))?;
        let mut lines = self.lines.clone();
        lines.remove(at);
        self.save(lines)?;
        Ok(key)
    }

    /// The key that belongs to a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<PublicKey> {
        self.position(name).map(|(_, key)| key)
    }

    /// All names and keys, in the file's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, PublicKey)> {
        self.lines
            .iter()
            .filter_map(|line| line.peer.as_ref())
            .map(|(name, key)| (name.as_str(), *key))
    }

    /// What a user means by a peer's name or a key line: a label to show, and the key. A key without a name is its
    /// own label, shortened.
    ///
    /// # Errors
    /// When no peer has the name (with the closest names), when the key does not parse, or when it is one's own.
    pub fn resolve(&self, name_or_key: &str) -> Result<(String, PublicKey), StoreError> {
        if !PublicKey::looks_like(name_or_key) {
            let key = self.get(name_or_key).ok_or_else(|| self.no_peer(name_or_key))?;
            return Ok((name_or_key.to_owned(), key));
        }
        let key = name_or_key.parse().map_err(StoreError::Key)?;
        self.check_not_own(key)?;
        let named = self.iter().find(|(_, known)| *known == key);
        Ok((named.map_or_else(|| key.short(), |(name, _)| name.to_owned()), key))
    }

    fn parse(&self, line: &str) -> Result<Line, StoreError> {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let (name, key) = match (words.next(), words.next(), words.next()) {
            (None, ..) => return Ok(Line { text: line.to_owned(), peer: None }),
            (Some(name), Some(key), None) => (name, key),
            _ => return Err(StoreError::NotNameAndKey),
        };
        check_name(name)?;
        let key = key.parse().map_err(StoreError::Key)?;
        self.check_not_own(key)?;
        if self.get(name).is_some() {
            return Err(StoreError::NameTwice { name: name.to_owned() });
        }
        Ok(Line { text: line.to_owned(), peer: Some((name.to_owned(), key)) })
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

    fn position(&self, name: &str) -> Option<(usize, PublicKey)> {
        self.lines.iter().enumerate().find_map(|(at, line)| match &line.peer {
            Some((known, key)) if known == name => Some((at, *key)),
            _ => None,
        })
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
        assert_eq!(peers.iter().collect::<Vec<_>>(), [("acme", key(1)), ("zeta.example", key(2))]);
        assert_eq!(peers.add("third", key(3), false).expect("new"), Added::New);
        assert_eq!(peers.add("third", key(3), false).expect("same"), Added::Unchanged);
        assert_eq!(peers.remove("acme").expect("there"), key(1));
        assert_eq!(Peers::load(&home, None).expect("written").get("third"), Some(key(3)));
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
        assert_eq!(Peers::load(&home, None).expect("written").get("acme"), Some(key(1)));
        assert_eq!(peers.add("acme", key(2), true).expect("forced"), Added::Replaced(key(1)));
        assert_eq!(Peers::load(&home, None).expect("written").get("acme"), Some(key(2)));
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
        assert_eq!(peers.resolve("acme").expect("there"), ("acme".to_owned(), key(1)));
        assert_eq!(peers.resolve(&key(3).to_string()).expect("a key").0, "zeta");
        let (label, unknown) = peers.resolve(&key(4).to_string()).expect("a key");
        assert!(unknown == key(4) && key(4).to_string().starts_with(label.trim_end_matches('…')));
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
    fn a_wrong_line_is_named() {
        let good = format!("acme {}\n", key(1));
        let typo = good.replace("veilset1q", "veilset1p");
        for bad in ["acme", "a b c", &typo, &format!("{good}{good}"), "a/b veilset1"] {
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
        assert_eq!(Peers::load(&home, None).expect("readable by all").get("acme"), Some(key(1)));
    }
}
