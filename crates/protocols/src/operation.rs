//! The one list of operations.

use veilset_names::names;

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
        /// Shares, for a computation that follows, of which elements both have and of numbers that one side holds.
        Share = "share",
        /// Identifiers under which both sides know the elements that either has.
        Align = "align",
        /// The common entry of two lists, each in its owner's order, that both together prefer most.
        Agree = "agree",
        /// Which of its elements the other side lists, and what that attached to them.
        Lookup = "lookup",
    }
}
