//! What a user should know about a list, a pair of lists or a result, and scripts too.

use veilset_names::names;

use crate::counted;

/// Something that looks wrong, or that a result depends on. No warning holds a value of anybody's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// A sentence.
    pub text: String,
    /// How many rows it concerns, where it is about rows.
    pub rows: Option<usize>,
}

impl Warning {
    /// About so many rows of the list, of which `what` is true.
    #[must_use]
    pub fn of_rows(code: WarningCode, rows: usize, what: &str) -> Self {
        Self { code, text: format!("{}: {what}", counted(rows, "row")), rows: Some(rows) }
    }

    /// About the lists as a whole.
    #[must_use]
    pub fn of_lists(code: WarningCode, text: String) -> Self {
        Self { code, text, rows: None }
    }
}

names! {
    "warnings";
    /// What a warning is about, in the order in which warnings are told. Scripts rely on the names.
    pub enum WarningCode {
        /// The keys of one side look hashed, those of the other plain.
        HashedOnOneSide = "hashed-on-one-side",
        /// No row of this side has a key.
        EmptySet = "empty-set",
        /// No row of the peer has a key.
        EmptyPeerSet = "empty-peer-set",
        /// The result is empty, though both sides have keys.
        NoMatch = "no-match",
        /// A key column holds `n/a` or the like.
        Placeholders = "placeholders",
        /// A key column holds what its preset cannot read.
        UnreadableKeys = "unreadable-keys",
        /// More rows carry a key than may.
        Crowded = "crowded",
        /// A value column has empty cells.
        EmptyValues = "empty-values",
        /// Every row has the same key.
        OneKey = "one-key",
        /// There are so few values under the key that a peer can try them all.
        Guessable = "guessable",
        /// A number in a key column was rounded by a spreadsheet.
        RoundedNumbers = "rounded-numbers",
        /// What should be an e-mail address is none.
        NoAddress = "no-address",
        /// E-mail addresses with capitals are compared as they are.
        AddressSpelling = "address-spelling",
        /// Phone numbers with separators are compared as they are.
        PhoneSpelling = "phone-spelling",
        /// White space around a value counts.
        WhiteSpace = "white-space",
        /// A key column holds characters that nobody sees.
        InvisibleCharacters = "invisible-characters",
        /// A key column holds U+FFFD.
        DamagedCharacters = "damaged-characters",
        /// A key column holds an address that is nobody's.
        MadeUpAddresses = "made-up-addresses",
        /// A key column holds hashes.
        Hashed = "hashed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_names_every_code() {
        let page = include_str!("../../../docs/use/data.md");
        for code in WarningCode::ALL {
            assert!(page.contains(&format!("| `{}` |", code.name())), "{}", code.name());
        }
    }
}
