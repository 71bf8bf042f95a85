//! What a user should know about a list, a pair of lists or a result, and scripts too.

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

/// `1 row`, `2 rows`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// What a warning is about. Scripts rely on the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WarningCode {
    /// The keys of one side look hashed, those of the other plain.
    HashedOnOneSide,
    /// No row of this side has a key.
    EmptySet,
    /// No row of the peer has a key.
    EmptyPeerSet,
    /// The result is empty, though both sides have keys.
    NoMatch,
    /// A key column holds `n/a` or the like.
    Placeholders,
    /// A key column holds what its preset cannot read.
    UnreadableKeys,
    /// A value column has empty cells.
    EmptyValues,
    /// Every row has the same key.
    OneKey,
    /// A number in a key column was rounded by a spreadsheet.
    RoundedNumbers,
    /// What should be an e-mail address is none.
    NoAddress,
    /// E-mail addresses with capitals are compared as they are.
    AddressSpelling,
    /// Phone numbers with separators are compared as they are.
    PhoneSpelling,
    /// White space around a value counts.
    WhiteSpace,
    /// A key column holds characters that nobody sees.
    InvisibleCharacters,
    /// A key column holds U+FFFD.
    DamagedCharacters,
    /// A key column holds an address that is nobody's.
    MadeUpAddresses,
    /// A key column holds hashes.
    Hashed,
}

impl WarningCode {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 17] = [
        Self::HashedOnOneSide,
        Self::EmptySet,
        Self::EmptyPeerSet,
        Self::NoMatch,
        Self::Placeholders,
        Self::UnreadableKeys,
        Self::EmptyValues,
        Self::OneKey,
        Self::RoundedNumbers,
        Self::NoAddress,
        Self::AddressSpelling,
        Self::PhoneSpelling,
        Self::WhiteSpace,
        Self::InvisibleCharacters,
        Self::DamagedCharacters,
        Self::MadeUpAddresses,
        Self::Hashed,
    ];

    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HashedOnOneSide => "hashed-on-one-side",
            Self::EmptySet => "empty-set",
            Self::EmptyPeerSet => "empty-peer-set",
            Self::NoMatch => "no-match",
            Self::Placeholders => "placeholders",
            Self::UnreadableKeys => "unreadable-keys",
            Self::EmptyValues => "empty-values",
            Self::OneKey => "one-key",
            Self::RoundedNumbers => "rounded-numbers",
            Self::NoAddress => "no-address",
            Self::AddressSpelling => "address-spelling",
            Self::PhoneSpelling => "phone-spelling",
            Self::WhiteSpace => "white-space",
            Self::InvisibleCharacters => "invisible-characters",
            Self::DamagedCharacters => "damaged-characters",
            Self::MadeUpAddresses => "made-up-addresses",
            Self::Hashed => "hashed",
        }
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
