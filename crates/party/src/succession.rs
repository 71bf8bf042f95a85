//! One key after another: a party's next key, which the one that it has signs.

use std::fmt;
use std::str::FromStr;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32m, Hrp};

use crate::{Identity, KeyError, PublicKey};

/// What the line of a succession starts with, before the separator `1`.
const PREFIX: Hrp = Hrp::parse_unchecked("veilsetnext");

/// What a key signs the next one in.
const CONTEXT: &str = "veilset next key";

/// The keys of a peer: the one that it has and, once it announced one, the one that it will have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerKeys {
    now: PublicKey,
    next: Option<PublicKey>,
}

impl PeerKeys {
    /// Keys of which the peer may have either.
    pub(crate) fn new(now: PublicKey, next: Option<PublicKey>) -> Self {
        Self { now, next }
    }

    /// The key that was pinned first.
    #[must_use]
    pub fn now(&self) -> PublicKey {
        self.now
    }

    /// The key that comes after it, if the peer announced one.
    #[must_use]
    pub fn next(&self) -> Option<PublicKey> {
        self.next
    }

    /// Both, or the only one.
    pub fn iter(&self) -> impl Iterator<Item = PublicKey> + use<> {
        [Some(self.now), self.next].into_iter().flatten()
    }

    /// Whether this is one of them.
    #[must_use]
    pub fn contains(&self, key: &PublicKey) -> bool {
        self.iter().any(|own| own == *key)
    }
}

impl From<PublicKey> for PeerKeys {
    fn from(now: PublicKey) -> Self {
        Self { now, next: None }
    }
}

impl From<&PublicKey> for PeerKeys {
    fn from(now: &PublicKey) -> Self {
        Self::from(*now)
    }
}

/// A party's next key, as it announces it: only who has the key before it can.
///
/// Its text is one line, `veilsetnext1…`, in Bech32m (BIP 350): both keys and the signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Succession {
    old: PublicKey,
    new: PublicKey,
    signature: [u8; 64],
}

impl Succession {
    /// From one identity of this party to another.
    pub(crate) fn new(old: &Identity, new: &Identity) -> Self {
        let (old_key, new) = (old.public_key(), new.public_key());
        let signature = old.sign(CONTEXT, &statement(&old_key, &new));
        Self { old: old_key, new, signature }
    }

    /// The key that the party had before.
    #[must_use]
    pub fn old(&self) -> PublicKey {
        self.old
    }

    /// The key that it has then.
    #[must_use]
    pub fn new_key(&self) -> PublicKey {
        self.new
    }

    /// Whether `text` is meant to be one.
    #[must_use]
    pub fn looks_like(text: &str) -> bool {
        const START: &str = "veilsetnext1";
        text.trim().get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START))
    }
}

fn statement(old: &PublicKey, new: &PublicKey) -> [u8; 64] {
    let mut statement = [0; 64];
    statement[..32].copy_from_slice(old.as_bytes());
    statement[32..].copy_from_slice(new.as_bytes());
    statement
}

impl fmt::Display for Succession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&statement(&self.old, &self.new)[..], &self.signature].concat();
        bech32::encode_to_fmt::<Bech32m, _>(f, PREFIX, &bytes).map_err(|_| fmt::Error)
    }
}

impl FromStr for Succession {
    type Err = KeyError;

    /// Its signature is right, or it is none.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let whole = CheckedHrpstring::new::<Bech32m>(text).ok();
        let whole = whole.filter(|whole| whole.hrp() == PREFIX);
        let bytes: Vec<u8> = whole.ok_or(KeyError::Succession)?.byte_iter().collect();
        let parts = bytes.split_first_chunk().and_then(|(old, rest)| {
            let (new, rest) = rest.split_first_chunk()?;
            Some((PublicKey::from_bytes(*old), PublicKey::from_bytes(*new), rest))
        });
        let (old, new, signature) = parts.ok_or(KeyError::Succession)?;
        let signature: [u8; 64] = signature.try_into().map_err(|_| KeyError::Succession)?;
        if old != new && old.signed(CONTEXT, &statement(&old, &new), &signature) {
            Ok(Self { old, new, signature })
        } else {
            Err(KeyError::Succession)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_word_of_the_key_before() {
        let (old, new, other) =
            (Identity::ephemeral(), Identity::ephemeral(), Identity::ephemeral());
        let line = Succession::new(&old, &new).to_string();
        let read: Succession = format!(" {line}\n").parse().expect("its own text");
        assert_eq!((read.old(), read.new_key()), (old.public_key(), new.public_key()));
        assert!(
            Succession::looks_like(&line) && !Succession::looks_like(&old.public_key().to_string())
        );
        assert_eq!(line.to_uppercase().parse(), Ok(read));

        let forged = Succession { old: other.public_key(), ..read };
        assert_eq!(forged.to_string().parse::<Succession>(), Err(KeyError::Succession));
        let stolen = Succession { new: other.public_key(), ..read };
        assert_eq!(stolen.to_string().parse::<Succession>(), Err(KeyError::Succession));
        let same = Succession::new(&old, &old).to_string();
        let key = old.public_key().to_string();
        for text in [&line[..100], &format!("{line}q"), &key, &same, "", "veilsetnext1"] {
            assert_eq!(text.parse::<Succession>(), Err(KeyError::Succession), "{text}");
        }
        for at in 12..line.len() {
            let other = if line.as_bytes()[at] == b'q' { "p" } else { "q" };
            let typo = format!("{}{other}{}", &line[..at], &line[at + 1..]);
            assert!(typo.parse::<Succession>().is_err());
        }
    }
}
