//! The interface of every protocol.

use veilset_channel::ChannelError;
use veilset_names::names;

use crate::{Cost, Run, Shape, Spec};

/// A two-party private set operation.
pub trait Protocol: Sync {
    /// What it is and what it reveals.
    fn spec(&self) -> &Spec;

    /// What a run costs.
    fn cost(&self, shape: Shape) -> Cost;

    /// Of the bytes that the sender sends, those that a receiver can keep for later runs over the same set.
    fn kept(&self, _shape: Shape) -> f64 {
        0.0
    }

    /// How many places shares have, of a run in which they are the result.
    fn places(&self, shape: Shape) -> u64 {
        shape.sender / shape.per_row
    }

    /// Runs one side until nothing more crosses the wire.
    ///
    /// # Errors
    /// When the channel fails or the peer breaks the protocol.
    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError>;
}

/// What is left to compute when nothing more crosses the wire.
///
/// Its time depends on the result (how many elements match, and where), so the caller lets the peer go first: a peer
/// that is to learn nothing sees no message that waits for it.
pub type Conclusion = Box<dyn FnOnce() -> Result<Outcome, ProtocolError> + Send>;

names! {
    "roles";
    /// The parts of a figure. The receiver learns; who connects is another matter.
    pub enum Role {
        /// Learns nothing but sizes, unless the result is revealed to both.
        Sender = "sender",
        /// Learns the result.
        Receiver = "receiver",
    }
}

impl Role {
    /// The peer's part.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}

/// Who gets the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reveal {
    /// The receiver alone.
    Receiver,
    /// Both sides.
    Both,
}

impl Reveal {
    /// Whether the side that plays `role` gets the result.
    #[must_use]
    pub fn reaches(self, role: Role) -> bool {
        role == Role::Receiver || self == Self::Both
    }
}

/// Numbers or bytes that belong to the elements of a set, in their order.
#[derive(Clone, Copy)]
pub enum Attached<'a> {
    /// Nothing.
    Nothing,
    /// `columns` numbers for each element, element by element.
    Values {
        /// Numbers of an element.
        columns: usize,
        /// How many of these, the last ones, are multiplied by the peer's factor.
        products: usize,
        /// All numbers.
        words: &'a [i128],
        /// By which groups of elements they are added up, if by any.
        groups: Option<Groups<'a>>,
    },
    /// What this side lends to the peer's sums of each element.
    Lent {
        /// Bytes of a number in two's complement by which the peer's numbers are multiplied, at most [`MAX_FACTOR`]; 0 where there is none.
        factor: usize,
        /// All numbers, if any.
        words: &'a [i128],
        /// By which groups of elements the peer's numbers are added up, too, if by any: at most [`MAX_LENT_GROUPS`].
        groups: Option<Groups<'a>>,
    },
    /// `width` bytes for each element.
    Items {
        /// Bytes of an element, at least 1.
        width: usize,
        /// All bytes.
        bytes: &'a [u8],
    },
}

/// Groups of a side's elements.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// How many there are, from 1 to [`MAX_GROUPS`].
    pub count: usize,
    /// The group of each element, below `count`.
    pub of: &'a [u32],
}

/// Bytes of a factor at most: a group stands beside it in 64 bits.
pub const MAX_FACTOR: usize = 7;

/// Groups at most that one side lends to the other's sums.
pub const MAX_LENT_GROUPS: usize = 1 << 6;

/// Groups of a side's elements at most.
pub const MAX_GROUPS: usize = 1 << 10;

impl Outcome {
    /// Elements of these indices, in any order, each with as many bytes that the peer attached.
    pub fn listed(mut found: Vec<(u32, &[u8])>, width: usize) -> Self {
        found.sort_unstable_by_key(|(index, _)| *index);
        let rows = found.iter().map(|(index, _)| *index).collect();
        let mut labels = Vec::with_capacity(found.len() * width);
        found.iter().for_each(|(_, bytes)| labels.extend_from_slice(bytes));
        Self::Listed { rows, width, labels }
    }
}

impl<'a> Attached<'a> {
    /// The same, where its elements are in groups of so many at most; else with no groups.
    #[must_use]
    pub fn in_groups(self, most: Option<usize>) -> Self {
        match self {
            Self::Values { columns, products, words, groups } => {
                let of = |most| groups.map(|Groups { of, .. }| Groups { count: most, of });
                Self::Values { columns, products, words, groups: most.and_then(of) }
            }
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => self,
        }
    }

    /// Numbers of an element, and all numbers; none where it is something else.
    #[must_use]
    pub fn values(&self) -> (usize, &'a [i128]) {
        match *self {
            Self::Values { columns, words, .. } => (columns, words),
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => (0, &[]),
        }
    }

    /// Bytes of an element, and all bytes; none where it is something else.
    #[must_use]
    pub fn items(&self) -> (usize, &'a [u8]) {
        match *self {
            Self::Items { width, bytes } => (width, bytes),
            Self::Nothing | Self::Values { .. } | Self::Lent { .. } => (0, &[]),
        }
    }

    /// What a peer may know of it.
    #[must_use]
    pub fn shape(&self) -> AttachedShape {
        match *self {
            Self::Nothing => AttachedShape::Nothing,
            Self::Values { columns, products, groups, .. } => {
                let groups = groups.map(|groups| groups.count);
                AttachedShape::Values { columns, products, groups }
            }
            Self::Lent { factor, groups, .. } => {
                AttachedShape::Lent { factor, groups: groups.map(|groups| groups.count) }
            }
            Self::Items { width, .. } => AttachedShape::Items { width },
        }
    }
}

/// The form of what is attached to each element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachedShape {
    /// Nothing.
    Nothing,
    /// Numbers.
    Values {
        /// Numbers of an element.
        columns: usize,
        /// How many of these, the last ones, are multiplied by the peer's factor.
        products: usize,
        /// Groups of elements, where numbers are added up by group.
        groups: Option<usize>,
    },
    /// What the peer's sums are lent.
    Lent {
        /// Bytes of a number in two's complement by which the peer's numbers are multiplied; 0 where there is none.
        factor: usize,
        /// Groups of elements, where numbers are added up by these, too.
        groups: Option<usize>,
    },
    /// Bytes.
    Items {
        /// Bytes of an element.
        width: usize,
    },
}

impl AttachedShape {
    /// Bytes of an element that items are.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Self::Items { width } => width,
            Self::Nothing | Self::Values { .. } | Self::Lent { .. } => 0,
        }
    }

    /// The same, its numbers added up by so many groups at most, where they are added up by groups.
    #[must_use]
    pub fn in_groups(self, most: Option<usize>) -> Self {
        match self {
            Self::Values { columns, products, groups } => {
                Self::Values { columns, products, groups: groups.and(most) }
            }
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => self,
        }
    }

    /// The same, its numbers added up by so many groups, if by any, and so many of them multiplied by the peer's factor.
    #[must_use]
    pub fn with_sums(self, groups: Option<usize>, products: usize) -> Self {
        match self {
            Self::Values { columns, .. } => {
                Self::Values { columns, products: products.min(columns), groups }
            }
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => self,
        }
    }

    /// How many numbers are multiplied by the peer's factor.
    #[must_use]
    pub fn products(self) -> usize {
        match self {
            Self::Values { products, .. } => products,
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => 0,
        }
    }

    /// Bytes of a factor; none where there is no factor.
    #[must_use]
    pub fn factor(self) -> usize {
        match self {
            Self::Lent { factor, .. } => factor,
            Self::Nothing | Self::Values { .. } | Self::Items { .. } => 0,
        }
    }

    /// Groups of elements that the peer's sums are lent.
    #[must_use]
    pub fn lent_groups(self) -> Option<usize> {
        match self {
            Self::Lent { groups, .. } => groups,
            Self::Nothing | Self::Values { .. } | Self::Items { .. } => None,
        }
    }

    /// Groups of elements, where numbers are added up by group.
    #[must_use]
    pub fn groups(self) -> Option<usize> {
        match self {
            Self::Values { groups, .. } => groups,
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => None,
        }
    }

    /// Numbers of an element.
    #[must_use]
    pub fn columns(self) -> usize {
        match self {
            Self::Values { columns, .. } => columns,
            Self::Nothing | Self::Lent { .. } | Self::Items { .. } => 0,
        }
    }
}

names! {
    "shares";
    /// How two words make a secret.
    #[derive(Default)]
    pub enum Sharing {
        /// They add up to it modulo 2^128.
        #[default]
        Additive = "additive",
        /// Their exclusive or is it.
        Xor = "xor",
    }
}

/// What one side holds at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// This side was to learn nothing.
    Nothing,
    /// The indices of this side's elements that the peer has too, rising.
    Matched(Vec<u32>),
    /// The indices of this side's elements that the peer has, too, or lists, rising, and what the peer attached to them: rows or
    /// labels, one after the other.
    Listed {
        /// The indices.
        rows: Vec<u32>,
        /// Bytes of what is attached to one; 0 where nothing is.
        width: usize,
        /// All bytes.
        labels: Vec<u8>,
    },
    /// How many elements both have.
    Count(u64),
    /// How many elements each two of several parties have, and how many all have.
    Overlaps(Overlaps),
    /// How many elements both have, and for each column the sum of this side's numbers over them.
    Sums {
        /// How many elements both have.
        count: u64,
        /// A sum a column.
        sums: Vec<i128>,
    },
    /// The same for each group of this side's elements; none of one in which both have fewer elements than gives a result.
    ByGroup(Vec<Option<GroupSums>>),
    /// Both have fewer elements than gives a result; nobody has more than that of it.
    Fewer,
    /// What the peer attached to each of its elements that this side lacks, one after another, in no order.
    Lacking {
        /// Bytes of an element's attachment.
        width: usize,
        /// All bytes.
        bytes: Vec<u8>,
    },
    /// This side's shares, for each place of one order that both sides have: each element of the sender has one.
    Shares(Shares),
    /// Identifiers of the elements of the union.
    Identifiers {
        /// Of this side's elements, in their order.
        own: Vec<Identifier>,
        /// Of the elements that the peer alone has, rising.
        others: Vec<Identifier>,
    },
    /// The index of this side's element that both agree on, if any is common.
    Agreed(Option<u32>),
}

/// What there is to know of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSums {
    /// How many of its elements both sides have.
    pub count: u64,
    /// A sum over them for each column.
    pub sums: Vec<i128>,
}

/// How many elements parties have in common, whom their places name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlaps {
    /// Of each two parties, the lower place first, in the order of places: (1,2), (1,3), …, (2,3), …
    pub pairs: Vec<([usize; 2], u64)>,
    /// Of all.
    pub common: u64,
}

/// The name of an element that is the same on both sides and says nothing else.
pub type Identifier = [u8; 16];

/// One side's shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares {
    /// Words for a place: the indicator and the sender's numbers.
    pub columns: usize,
    /// Shares, place by place: the two sides' words make 1 or 0 for the indicator, and the number (in two's
    /// complement) or 0 for each number.
    pub words: Vec<u128>,
    /// How two words make a secret.
    pub sharing: Sharing,
    /// On the sender, the index of the element in each place; none of a place that has no element, whose secrets are zeros.
    pub order: Option<Vec<Option<u32>>>,
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The channel failed, or what came over it was not allowed.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// The oblivious transfer was called wrongly: a bug.
    #[error(transparent)]
    Transfer(veilset_ot::OtError),
    /// The own set could not be encoded.
    #[error(transparent)]
    Encoding(#[from] veilset_structures::okvs::OkvsError),
    /// More elements fell to one bin than it holds, which happens in at most one of 2^40 runs.
    #[error("more keys fell into one bin than it holds, which is very unlikely; run again")]
    Overfull,
    /// No parameters fit sizes like these.
    #[error("no parameters of the protocol fit these sizes; take another protocol")]
    NoParameters,
    /// What there is where an element stands for itself alone.
    #[error("the protocol has no {0} where a row is several keys; give one key")]
    NotByRows(&'static str),
    /// Parameters of the encryption were computed wrongly: a bug.
    #[error(transparent)]
    Parameters(#[from] veilset_bfv::ParameterError),
    /// The arithmetic of polynomials was called wrongly: a bug.
    #[error(transparent)]
    Arithmetic(#[from] veilset_poly::PolyError),
}

impl From<veilset_ot::OtError> for ProtocolError {
    fn from(error: veilset_ot::OtError) -> Self {
        match error {
            veilset_ot::OtError::Channel(error) => Self::Channel(error),
            other => Self::Transfer(other),
        }
    }
}

impl From<veilset_channel::PeerFault> for ProtocolError {
    fn from(fault: veilset_channel::PeerFault) -> Self {
        Self::Channel(fault.into())
    }
}

/// Hears how far a run is. Write-only: nothing comes back.
pub trait Observer: Sync {
    /// A step begins; it has `total` units of work, mostly elements.
    fn begin(&self, step: &'static str, total: u64);

    /// `units` more are done.
    fn advance(&self, units: u64);
}

/// An observer that does not listen.
pub struct Silent;

impl Observer for Silent {
    fn begin(&self, _step: &'static str, _total: u64) {}

    fn advance(&self, _units: u64) {}
}
