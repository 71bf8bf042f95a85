//! A party's public key and its one-line form.

use std::fmt;
use std::str::FromStr;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32m, Hrp};
use ed25519_dalek::{Signature, VerifyingKey};

use crate::identity::in_context;

/// What every key line starts with, before the separator `1`.
const PREFIX: Hrp = Hrp::parse_unchecked("veilset");

/// The length of the prefix with its separator.
const SEPARATED: usize = 8;

/// The characters of the data part (BIP 173).
const ALPHABET: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// The length of a key line in characters: prefix, separator, 52 for the key, 6 for the checksum.
const LINE: usize = SEPARATED + 52 + 6;

/// An Ed25519 public key: who a party is.
///
/// Its text is one line, `veilset1…`, in Bech32m (BIP 350), whose checksum detects mistyped and lost characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key with these bytes, as RFC 8032 encodes it.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of RFC 8032.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 16 characters of the line and an ellipsis: enough for a log, too little to pin.
    #[must_use]
    pub fn short(&self) -> String {
        let line = self.to_string();
        format!("{}…", &line[..16])
    }

    /// Whether this party signed `message` in this context: [`Identity::sign`](crate::Identity::sign).
    #[must_use]
    pub fn signed(&self, context: &str, message: &[u8], signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(&in_context(context, message), &signature).is_ok())
    }

    /// Whether `text` is meant to be a key rather than a name.
    pub(crate) fn looks_like(text: &str) -> bool {
        text.get(..SEPARATED).is_some_and(|start| start.eq_ignore_ascii_case("veilset1"))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bech32::encode_to_fmt::<Bech32m, _>(f, PREFIX, &self.0).map_err(|_| fmt::Error)
    }
}

/// Why a text is not a key line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It starts with something else.
    #[error(
        "this is not a veilset key: a key is one line that starts with `veilset1`; ask the peer for the line that `veilset id` prints"
    )]
    Prefix,
    /// Characters are missing or too many.
    #[error(
        "this key has {got} characters, a key has {LINE}: it was cut or something was added; copy the whole line that `veilset id` prints"
    )]
    Length {
        /// The length in characters.
        got: usize,
    },
    /// A character that no key contains.
    #[error("character {at} of this key cannot be right: copy the line again instead of typing it")]
    Character {
        /// The place of the character, counted from 1.
        at: usize,
    },
    /// Upper and lower case are mixed.
    #[error("this key mixes upper and lower case: copy the line again instead of typing it")]
    MixedCase,
    /// It is no announcement of a next key.
    #[error(
        "this is not a line of `veilset id --next`, or it was changed on the way: copy the whole line that starts with `veilsetnext1`"
    )]
    Succession,
    /// The checksum does not match.
    #[error("the checksum of this key does not match, so it has a typo: copy the line again")]
    Checksum,
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if !Self::looks_like(text) {
            return Err(KeyError::Prefix);
        }
        let got = text.chars().count();
        if got != LINE {
            return Err(KeyError::Length { got });
        }
        if text.contains(|c: char| c.is_ascii_uppercase()) && text.contains(char::is_lowercase) {
            return Err(KeyError::MixedCase);
        }
        let text = text.to_ascii_lowercase();
        let wrong = text.chars().skip(SEPARATED).position(|c| !ALPHABET.contains(c));
        if let Some(at) = wrong {
            return Err(KeyError::Character { at: SEPARATED + at + 1 });
        }
        let decoded = CheckedHrpstring::new::<Bech32m>(&text).map_err(|_| KeyError::Checksum)?;
        let bytes: Vec<u8> = decoded.byte_iter().collect();
        let key = bytes.try_into().map(Self).map_err(|_| KeyError::Checksum)?;
        // One key has one line: bits of padding that are not zero give another.
        if key.to_string() == text { Ok(key) } else { Err(KeyError::Checksum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bech32m written out from BIP 350: an independent oracle for the encoder.
    fn bech32m(key: &[u8; 32]) -> String {
        let mut bits = key.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        let mut values: Vec<u8> = (0..52)
            .map(|_| (0..5).fold(0, |five, _| five << 1 | bits.next().unwrap_or(0)))
            .collect();
        let prefix = "veilset".bytes();
        let expanded = prefix.clone().map(|c| c >> 5).chain([0]).chain(prefix.map(|c| c & 31));
        let checksum = expanded.chain(values.clone()).chain([0; 6]).fold(1u32, |sum, value| {
            let generators = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
            let top = sum >> 25;
            let next = (sum & 0x01ff_ffff) << 5 ^ u32::from(value);
            (0..5).filter(|i| top >> i & 1 == 1).fold(next, |sum, i| sum ^ generators[i])
        }) ^ 0x2bc8_30a3;
        values.extend((0..6).map(|i| (checksum >> (5 * (5 - i)) & 31) as u8));
        let data = values.iter().map(|value| char::from(ALPHABET.as_bytes()[usize::from(*value)]));
        "veilset1".chars().chain(data).collect()
    }

    fn parse(text: &str) -> Result<PublicKey, KeyError> {
        text.parse()
    }

    #[test]
    fn names_what_is_wrong() {
        let line = PublicKey([7; 32]).to_string();
        assert_eq!(parse("ssh-ed25519 AAAA"), Err(KeyError::Prefix));
        assert_eq!(parse(&line[1..]), Err(KeyError::Prefix));
        assert_eq!(parse(&line[..40]), Err(KeyError::Length { got: 40 }));
        assert_eq!(parse(&format!("{line}q")), Err(KeyError::Length { got: 67 }));
        let with = |at: usize, c: &str| format!("{}{c}{}", &line[..at], &line[at + 1..]);
        assert_eq!(parse(&with(20, "b")), Err(KeyError::Character { at: 21 }));
        assert_eq!(parse(&with(20, "1")), Err(KeyError::Character { at: 21 }));
        assert_eq!(parse(&with(20, "Q")), Err(KeyError::MixedCase));
        assert_eq!(parse(&format!(" {line}\n")), Ok(PublicKey([7; 32])));
        assert_eq!(parse(&line.to_uppercase()), Ok(PublicKey([7; 32])));
    }

    proptest! {
        #[test]
        fn one_line_there_and_back(bytes: [u8; 32]) {
            let key = PublicKey(bytes);
            prop_assert_eq!(key.to_string(), bech32m(&bytes));
            prop_assert_eq!(key.to_string().parse(), Ok(key));
        }

        #[test]
        fn one_wrong_character_is_noticed(bytes: [u8; 32], at in 8usize..LINE, c in "[a-z0-9]") {
            let line = PublicKey(bytes).to_string();
            prop_assume!(line[at..=at] != c);
            let typo = format!("{}{c}{}", &line[..at], &line[at + 1..]);
            prop_assert!(parse(&typo).is_err());
        }

        #[test]
        fn two_swapped_characters_are_noticed(bytes: [u8; 32], at in 8usize..LINE - 1) {
            let mut line = PublicKey(bytes).to_string().into_bytes();
            prop_assume!(line[at] != line[at + 1]);
            line.swap(at, at + 1);
            let typo = String::from_utf8(line).expect("ASCII");
            prop_assert_eq!(parse(&typo), Err(KeyError::Checksum));
        }

        #[test]
        fn any_text_is_parsed_or_refused(text: String, tail in "\\PC{0,70}") {
            prop_assert!(parse(&text).is_err());
            let start_only = format!("veilset1{tail}");
            prop_assert!(parse(&start_only).is_err());
        }
    }
}
