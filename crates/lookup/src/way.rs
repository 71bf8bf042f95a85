//! How a list is looked up in.

use veilset_protocols::oprf_filter::EntryFormat;

/// How clients look items up, once they have the function's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// In the set of all masked items, which they fetch once.
    Filter,
    /// By an encrypted query each time, and nothing is fetched.
    Encrypted,
}

impl Way {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Filter, Self::Encrypted];

    /// The protocol's name in the registry.
    #[must_use]
    pub fn protocol(self) -> &'static str {
        match self {
            Self::Filter => "oprf-filter",
            Self::Encrypted => "fhe-lookup",
        }
    }

    /// The way of a list whose entries are so wide: whole fingerprints are for queries, and published ones are narrower.
    pub(crate) fn of(format: EntryFormat) -> Self {
        if format.bits == u128::BITS { Self::Encrypted } else { Self::Filter }
    }
}
