//! What a client has seen of a server's lists, so that none of them goes back or is exchanged for another.

use std::collections::BTreeMap;

use crate::{LookupError, Manifest};

/// What a client may want to know of the list that it met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contact {
    /// It is the one that was there before, one that the server has elsewhere, too, or the first of this server.
    Usual,
    /// The address is new, and the list is another one than those that the server has at `other`, and elsewhere.
    Another {
        /// An address that is known.
        other: String,
    },
}

/// The newest version of each list of one server that this side has ever seen, and which list is at which address.
/// What is kept of the list itself may get lost, and this is still known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// By the list's [`id`](Manifest::id): the version, and its manifest's fingerprint.
    newest: BTreeMap<String, (u64, String)>,
    /// By address: the list's id.
    places: BTreeMap<String, String>,
}

impl Seen {
    /// The inverse of [`Seen::encode`]; `None` where the text is something else.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let mut seen = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["list", id, version, fingerprint] => {
                    let newest = (version.parse().ok()?, fingerprint.to_owned());
                    seen.newest.insert(id.to_owned(), newest);
                }
                ["at", address, id] => {
                    seen.places.insert(address.to_owned(), id.to_owned());
                }
                _ => return None,
            }
        }
        seen.places.values().all(|id| seen.newest.contains_key(id)).then_some(seen)
    }

    /// For a file: a line for each list and for each address.
    #[must_use]
    pub fn encode(&self) -> String {
        let lists = self
            .newest
            .iter()
            .map(|(id, (version, fingerprint))| format!("list {id} {version} {fingerprint}\n"));
        let places = self.places.iter().map(|(address, id)| format!("at {address} {id}\n"));
        lists.chain(places).collect()
    }

    /// Whether what the server at `address`, which has no blanks, says of its list fits what it said before; remembers it
    /// then. `new_list` takes another list than the one that was at this address.
    ///
    /// At an address that is new any list of the server is taken: it has many, each at its own address. So is the first
    /// list of all. A version older than one that was seen is refused wherever it is.
    ///
    /// # Errors
    /// [`LookupError::OtherList`], [`LookupError::Older`], or [`LookupError::Check`] for a second list with a version's
    /// number.
    pub fn check(
        &mut self,
        address: &str,
        manifest: &Manifest,
        new_list: bool,
    ) -> Result<Contact, LookupError> {
        let (id, fingerprint) = (manifest.id(), manifest.fingerprint());
        let before = self.places.get(address);
        if before.is_some_and(|before| *before != id) && !new_list {
            return Err(LookupError::OtherList);
        }
        let is_another =
            before.is_none() && !self.newest.is_empty() && !self.newest.contains_key(&id);
        let contact = match self.places.keys().next() {
            Some(other) if is_another => Contact::Another { other: other.clone() },
            _ => Contact::Usual,
        };
        if let Some((ours, known)) = self.newest.get(&id) {
            manifest.check_after(*ours, *known == fingerprint)?;
        }
        self.newest.insert(id.clone(), (manifest.version, fingerprint));
        self.places.insert(address.to_owned(), id);
        Ok(contact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::tests::manifest;

    fn of(list: u8, version: u64) -> Manifest {
        Manifest { list: [list; 32], version, ..manifest() }
    }

    #[test]
    fn versions_never_go_back_whatever_else_is_lost() {
        let mut seen = Seen::default();
        assert!(seen.check("a:1", &of(1, 5), false).is_ok());
        assert!(seen.check("a:1", &of(1, 5), false).is_ok(), "the same again");
        let older = seen.check("a:1", &of(1, 4), true);
        assert!(matches!(older, Err(LookupError::Older { ours: 5, theirs: 4 })), "{older:?}");
        let other = Manifest { digest: [9; 32], ..of(1, 5) };
        assert!(matches!(seen.check("a:1", &other, true), Err(LookupError::Check(_))));
        assert!(matches!(seen.check("b:1", &of(1, 4), false), Err(LookupError::Older { .. })));
        assert!(seen.check("b:1", &of(1, 7), false).is_ok(), "a list that is known");
        assert!(matches!(seen.check("a:1", &of(1, 6), false), Err(LookupError::Older { .. })));
    }

    #[test]
    fn another_list_is_taken_when_the_user_says_so_alone() {
        let mut seen = Seen::default();
        assert!(matches!(seen.check("a:1", &of(1, 5), false), Ok(Contact::Usual)), "the first");
        let before = seen.clone();
        let other = seen.check("a:1", &of(2, 1), false);
        assert!(matches!(other, Err(LookupError::OtherList)), "{other:?}");
        assert!(other.is_err_and(|why| why.to_string().contains("--new-list")));
        assert_eq!(seen, before);
        // A server has several lists, each at its address.
        let another = seen.check("b:1", &of(2, 1), false).expect("an address that is new");
        assert_eq!(another, Contact::Another { other: "a:1".to_owned() });
        assert_eq!(seen.check("b:1", &of(2, 2), false).expect("the next"), Contact::Usual);
        assert!(matches!(seen.check("b:1", &of(1, 5), false), Err(LookupError::OtherList)));
        assert_eq!(
            seen.check("c:1", &of(1, 5), false).expect("a list that is known"),
            Contact::Usual
        );
        let older = seen.check("d:1", &of(2, 1), false);
        assert!(matches!(older, Err(LookupError::Older { ours: 2, theirs: 1 })), "{older:?}");
        // Both are known now, and still each has its place.
        assert!(matches!(seen.check("a:1", &of(2, 2), false), Err(LookupError::OtherList)));
        assert!(seen.check("a:1", &of(2, 2), true).is_ok());
        assert!(matches!(seen.check("a:1", &of(1, 4), true), Err(LookupError::Older { .. })));
    }

    #[test]
    fn a_file_says_what_was_seen_or_nothing() {
        let mut seen = Seen::default();
        seen.check("a.example:1", &of(1, 5), false).expect("the first");
        seen.check("[::1]:2", &of(2, 6), true).expect("taken");
        let text = seen.encode();
        assert_eq!(
            text.lines().next().map(|line| &line[..40]),
            Some(&format!("list {}", "01".repeat(32))[..40])
        );
        assert_eq!(Seen::decode(&text), Some(seen));
        assert_eq!(Seen::decode(""), Some(Seen::default()));
        for broken in ["x", "list 01 5\n", "list 01 x 02\n", "at a:1 01\n", "list 01 5 02 3\n"] {
            assert_eq!(Seen::decode(broken), None, "{broken}");
        }
    }
}
