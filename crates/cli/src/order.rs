//! What a command asks for: one form for all operations.

use veilset::data::Scratch;
use veilset::registry::Operation;
use veilset::{Input, Job, Learn};

use crate::args::{
    AlignArgs, IntersectArgs, MeetArgs, OutputArgs, PartyArgs, ShareArgs, SumArgs, UnionArgs,
};
use crate::error::Failure;

/// A job with the flags that every operation has.
pub(crate) fn job(operation: Operation, args: &MeetArgs, peer: String) -> Job {
    Job {
        protocol: args.protocol.0,
        security: args.security.into(),
        max_memory: args.max_memory,
        choices: args.choices.0,
        ..Job::new(operation, peer)
    }
}

/// An operation with its flags.
pub(crate) struct Order<'a> {
    pub(crate) operation: Operation,
    pub(crate) party: &'a PartyArgs,
    /// `None` where the result has no rows.
    pub(crate) out: Option<&'a OutputArgs>,
    /// Value columns.
    values: &'a [String],
    /// Columns that the peer gets.
    send: &'a [String],
}

impl<'a> Order<'a> {
    pub(crate) fn new(operation: Operation, party: &'a PartyArgs) -> Self {
        Self { operation, party, out: None, values: &[], send: &[] }
    }

    fn with(operation: Operation, party: &'a PartyArgs, out: &'a OutputArgs) -> Self {
        Self { out: Some(out), ..Self::new(operation, party) }
    }

    /// The job for a peer of this name.
    pub(crate) fn job(&self, peer: String) -> Job {
        Job { learn: self.party.learn.into(), ..job(self.operation, &self.party.meet, peer) }
    }

    /// The list with what the operation takes of it.
    pub(crate) fn attach(&self, input: Input) -> Result<Input, Failure> {
        Ok(match self.operation {
            Operation::Sum | Operation::Share if !self.values.is_empty() => {
                input.with_values(self.values)?
            }
            Operation::Union if Learn::from(self.party.learn) != Learn::Me => {
                input.with_rows(self.send)?
            }
            _ => input,
        })
    }

    /// Where lists go that take too much memory, and results that their place does not take.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch::new(self.party.scratch.clone(), self.party.meet.max_memory)
    }

    /// Whether this side gets the result.
    pub(crate) fn learns(&self) -> bool {
        Learn::from(self.party.learn).includes_me()
    }

    /// Whether this side gets rows of its list.
    pub(crate) fn gives_rows(&self) -> bool {
        self.learns() && self.operation != Operation::Share
    }

    /// Flags that do not fit one another.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let learns_alone = Learn::from(self.party.learn) == Learn::Me;
        if self.operation == Operation::Union && learns_alone && !self.send.is_empty() {
            return Err(Failure::Flags(
                "with --learn me nothing of yours is sent: leave --send away".to_owned(),
            ));
        }
        Ok(())
    }
}

impl<'a> From<&'a IntersectArgs> for Order<'a> {
    fn from(args: &'a IntersectArgs) -> Self {
        Self::with(Operation::Intersect, &args.party, &args.out)
    }
}

impl<'a> From<&'a SumArgs> for Order<'a> {
    fn from(args: &'a SumArgs) -> Self {
        Self { values: &args.value, ..Self::new(Operation::Sum, &args.party) }
    }
}

impl<'a> From<&'a UnionArgs> for Order<'a> {
    fn from(args: &'a UnionArgs) -> Self {
        Self { send: &args.send, ..Self::with(Operation::Union, &args.party, &args.out) }
    }
}

impl<'a> From<&'a ShareArgs> for Order<'a> {
    fn from(args: &'a ShareArgs) -> Self {
        Self { values: &args.value, ..Self::with(Operation::Share, &args.party, &args.out) }
    }
}

impl<'a> From<&'a AlignArgs> for Order<'a> {
    fn from(args: &'a AlignArgs) -> Self {
        Self::with(Operation::Align, &args.party, &args.out)
    }
}
