//! The one list of operations, and what there is to know of each whatever protocol computes it: who attaches what, who may
//! learn, and what comes out.

use veilset_names::names;

use crate::{AttachedShape, Reveal, Role};

names! {
    "operations";
    /// What two parties want to know.
    pub enum Operation {
        /// Which elements both have.
        Intersect = "intersect",
        /// How many elements both have.
        Count = "count",
        /// How many elements both have, and the sums of numbers that one side holds about them.
        Sum = "sum",
        /// The elements that either has.
        Union = "union",
        /// Shares, for a computation that follows, of which elements both have and of numbers that either side holds.
        Share = "share",
        /// Identifiers under which both sides know the elements that either has.
        Align = "align",
        /// The common entry of two lists, each in its owner's order, that both together prefer most.
        Agree = "agree",
        /// Which of its elements the other side lists, and what that attached to them.
        Lookup = "lookup",
        /// How many elements each two of several parties have, and how many all have.
        Overlaps = "overlaps",
    }
}

/// What there is to know of an operation.
#[derive(Debug)]
pub struct OperationSpec {
    /// Which it is.
    pub operation: Operation,
    /// What it does, for help.
    pub help: &'static str,
    /// Of what it is computed.
    pub over: Over,
    /// What sides attach to their keys.
    pub attaches: Attaches,
    /// What a column is that a side names for that, for help; none where nobody names any.
    pub column: Option<&'static str>,
    /// To whom the result may go in some protocol; the first is the default.
    pub reveals: &'static [Reveal],
    /// What whoever learns gets.
    pub gives: Gives,
    /// By how many keys rows can match.
    pub keys: Keys,
}

/// Of what an operation is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Two lists, or those of several parties.
    ManyLists,
    /// The lists of several parties.
    SeveralLists,
    /// Two lists.
    TwoLists,
    /// Two calendars, of which lists of slots are made.
    Calendars,
    /// A list that one party serves, and the items of another.
    ServedList,
}

impl Over {
    /// Whether several parties compute it.
    #[must_use]
    pub fn takes_several(self) -> bool {
        matches!(self, Self::ManyLists | Self::SeveralLists)
    }
}

/// What sides attach to their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attaches {
    /// Nothing.
    Nothing,
    /// Numbers, the side that owns them, which is the sender.
    Values {
        /// Whether one side has to.
        needed: bool,
    },
    /// Rows, each side whose peer learns.
    Rows {
        /// Whether it has to.
        needed: bool,
    },
    /// Labels, the side that is asked, which is the sender.
    Labels,
}

impl Attaches {
    /// The flag and the keyword argument by which a side names columns for it.
    #[must_use]
    pub fn argument(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Values { .. } => Some("value"),
            Self::Rows { .. } => Some("send"),
            Self::Labels => Some("label"),
        }
    }
}

/// By how many keys rows can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// By one.
    One,
    /// By several, of which the first by which a row matches is known.
    Ordered,
    /// By any of several, under which a row's values stay together, one under each.
    Together,
}

/// What whoever learns gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Numbers alone.
    Numbers,
    /// Rows of its list, with the labels of what is listed.
    OwnRows,
    /// Rows of the peer's.
    PeerRows,
    /// Identifiers of its rows, and of those that the peer alone has.
    Identifiers,
    /// Its part of a result that neither side has.
    Shares,
    /// One row of its list.
    OneRow,
}

impl Gives {
    /// Whether rows are written under the header of one's own list.
    #[must_use]
    pub fn has_own_header(self) -> bool {
        matches!(self, Self::OwnRows | Self::PeerRows | Self::Identifiers)
    }
}

const EITHER: &[Reveal] = &[Reveal::Both, Reveal::Receiver];

/// Every operation, in the order of [`Operation::ALL`].
pub static OPERATIONS: [OperationSpec; Operation::ALL.len()] = [
    OperationSpec {
        operation: Operation::Intersect,
        help: "Find the rows that both lists have",
        over: Over::ManyLists,
        attaches: Attaches::Rows { needed: false },
        column: Some(
            "A column that the peer gets of your rows that match, beside its own; repeat it for more",
        ),
        reveals: EITHER,
        gives: Gives::OwnRows,
        keys: Keys::Ordered,
    },
    OperationSpec {
        operation: Operation::Count,
        help: "Find how many distinct keys both lists have, not which",
        over: Over::ManyLists,
        attaches: Attaches::Nothing,
        column: None,
        reveals: EITHER,
        gives: Gives::Numbers,
        keys: Keys::Together,
    },
    OperationSpec {
        operation: Operation::Sum,
        help: "Add up one side's values over the keys that both lists have",
        over: Over::TwoLists,
        attaches: Attaches::Values { needed: true },
        column: Some(
            "A column of decimals to add up; the side that gives --value owns the values and learns the sums",
        ),
        reveals: &[Reveal::Both],
        gives: Gives::Numbers,
        keys: Keys::Together,
    },
    OperationSpec {
        operation: Operation::Union,
        help: "Get the peer's rows whose keys your list lacks",
        over: Over::TwoLists,
        attaches: Attaches::Rows { needed: true },
        column: Some(
            "A column that the peer gets with your rows that it lacks, beside the key columns, which always go",
        ),
        reveals: EITHER,
        gives: Gives::PeerRows,
        keys: Keys::Together,
    },
    OperationSpec {
        operation: Operation::Share,
        help: "Get random shares of the matches and of values, for a further computation",
        over: Over::TwoLists,
        attaches: Attaches::Values { needed: false },
        column: Some(
            "A column of decimals to share; either side may give some, and by one key both",
        ),
        reveals: &[Reveal::Both],
        gives: Gives::Shares,
        keys: Keys::Together,
    },
    OperationSpec {
        operation: Operation::Align,
        help: "Give every row an identifier that both sides share, and get the peer's further identifiers",
        over: Over::TwoLists,
        attaches: Attaches::Nothing,
        column: None,
        reveals: &[Reveal::Both],
        gives: Gives::Identifiers,
        keys: Keys::One,
    },
    OperationSpec {
        operation: Operation::Agree,
        help: "Agree on the slot that is free in both calendars and that both sides together prefer most",
        over: Over::Calendars,
        attaches: Attaches::Nothing,
        column: None,
        reveals: &[Reveal::Both],
        gives: Gives::OneRow,
        keys: Keys::One,
    },
    OperationSpec {
        operation: Operation::Lookup,
        help: "Look up items in a served list; the server does not learn which",
        over: Over::ServedList,
        attaches: Attaches::Labels,
        column: None,
        reveals: &[Reveal::Receiver],
        gives: Gives::OwnRows,
        keys: Keys::One,
    },
    OperationSpec {
        operation: Operation::Overlaps,
        help: "Find how many distinct keys each two of several lists have, and how many all have",
        over: Over::SeveralLists,
        attaches: Attaches::Nothing,
        column: None,
        reveals: &[Reveal::Both],
        gives: Gives::Numbers,
        keys: Keys::One,
    },
];

// An operation finds its line by its number.
const _: () = {
    let mut place = 0;
    while place < OPERATIONS.len() {
        assert!(OPERATIONS[place].operation as usize == place);
        place += 1;
    }
};

impl Operation {
    /// What there is to know of it.
    #[must_use]
    pub fn spec(self) -> &'static OperationSpec {
        &OPERATIONS[self as usize]
    }
}

impl OperationSpec {
    /// Whether rows can go with the result, and need not.
    #[must_use]
    pub fn may_send_rows(&self) -> bool {
        self.attaches == Attaches::Rows { needed: false }
    }

    /// Whether one side owns values.
    #[must_use]
    pub fn has_values(&self) -> bool {
        matches!(self.attaches, Attaches::Values { .. })
    }

    /// Whether both sides can own values, by one key.
    #[must_use]
    pub fn may_both_own(&self) -> bool {
        self.attaches == Attaches::Values { needed: false }
    }

    /// Whether values can be added up by groups.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.attaches == Attaches::Values { needed: true }
    }

    /// What the side that plays `role` attaches to each key where it sends rows of so many bytes that it need not: to a peer that
    /// learns.
    #[must_use]
    pub fn sent_rows(&self, role: Role, reveal: Reveal, width: usize) -> AttachedShape {
        if width > 0 && self.may_send_rows() && reveal.reaches(role.other()) {
            AttachedShape::Items { width }
        } else {
            AttachedShape::Nothing
        }
    }

    /// What the side that plays `role` has to attach at most to each key, where values have so many columns, and rows and labels
    /// so many bytes.
    #[must_use]
    pub fn attached(&self, role: Role, columns: usize, width: usize) -> AttachedShape {
        match (self.attaches, role) {
            (Attaches::Values { .. }, Role::Sender) => {
                AttachedShape::Values { columns, products: 0, groups: None }
            }
            (Attaches::Rows { needed: true }, _) | (Attaches::Labels, Role::Sender) => {
                AttachedShape::Items { width }
            }
            (Attaches::Nothing | Attaches::Rows { needed: false }, _)
            | (Attaches::Values { .. } | Attaches::Labels, Role::Receiver) => {
                AttachedShape::Nothing
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MULTIPARTY, PROTOCOLS};

    #[test]
    fn several_parties_compute_what_is_of_many_lists() {
        for of in &OPERATIONS {
            let computed = MULTIPARTY.iter().any(|fits| fits.spec().operation == of.operation);
            assert_eq!(computed, of.over.takes_several(), "{}", of.operation);
        }
    }

    #[test]
    fn results_go_where_the_operation_says() {
        for spec in PROTOCOLS.map(|protocol| protocol.spec()) {
            let of = spec.operation.spec();
            assert!(spec.reveals.iter().all(|reveal| of.reveals.contains(reveal)), "{}", spec.id);
        }
        for of in OPERATIONS.iter().filter(|of| of.over != Over::SeveralLists) {
            let default = PROTOCOLS.iter().map(|protocol| protocol.spec()).any(|spec| {
                spec.operation == of.operation && spec.auto && spec.reveals[0] == of.reveals[0]
            });
            assert!(default, "{}", of.operation);
        }
    }
}
