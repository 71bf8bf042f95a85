//! Why a session ended without a result.

use std::time::Duration;

use veilset_channel::{Abort, ChannelError, Malformed, PeerFault};
use veilset_data::DataError;
use veilset_host::time::show_wait;
use veilset_protocols::{Operation, ProtocolError, Security};

use crate::{Asked, Mismatch};

/// Why a session ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The two parties want different things.
    #[error(
        "the two sides do not agree on the terms: {}; agree with the peer and run again",
        listed(.0)
    )]
    Terms(Vec<Mismatch>),
    /// The peer asks for what this side neither named nor takes by itself, and nobody said yes.
    #[error(
        "the peer asks for {0}, which you did not name, and veilset takes it only with your yes: to allow it, run again \
         with {0}, or where somebody can answer; see: veilset protocols"
    )]
    Asked(Box<Asked>),
    /// The peer has nobody who said yes to what this side asks for.
    #[error(
        "the peer did not take {0}, which you alone ask for: ask it to give {0}, too, or leave that out"
    )]
    NotTaken(Box<Asked>),
    /// The peer's program speaks another version.
    #[error(
        "the peer speaks wire version {theirs}, this program {mine}; \
         use the same version of veilset on both sides"
    )]
    Version {
        /// This side's version.
        mine: u16,
        /// The peer's version.
        theirs: u16,
    },
    /// No protocol does what was asked.
    #[error(
        "no protocol computes {operation} with {security} security (who learns: {learn}; group: {group}; digest: \
         {digest}{besides}); see: veilset protocols"
    )]
    NoProtocol {
        /// What was to be computed.
        operation: Operation,
        /// Against whom it was to hold.
        security: Security,
        /// Who was to learn.
        learn: &'static str,
        /// On which group.
        group: &'static str,
        /// With sets in which form.
        digest: &'static str,
        /// What else was asked for; empty where nothing was.
        besides: String,
    },
    /// No protocol that is taken without a name does what was asked.
    #[error(
        "only protocols that you name yourself compute {operation} with this group, prime, digest or flooding: \
         give --protocol, one of {fitting}"
    )]
    Unnamed {
        /// What was to be computed.
        operation: Operation,
        /// The protocols that fit.
        fitting: String,
    },
    /// The named protocol sends no rows.
    #[error(
        "protocol {protocol} sends no columns with its matches: leave out --send, or take one of {fitting}"
    )]
    NoRows {
        /// Its name.
        protocol: &'static str,
        /// The protocols that do.
        fitting: String,
    },
    /// The named protocol matches by one key.
    #[error("protocol {protocol} takes one --key: leave out the others, or leave out --protocol")]
    OneKeyAlone {
        /// Its name.
        protocol: &'static str,
    },
    /// The named protocol matches by several keys in one way alone.
    #[error(
        "protocol {protocol} takes several keys with --match blind alone: give that on both sides, or leave out --protocol"
    )]
    BlindAlone {
        /// Its name.
        protocol: &'static str,
    },
    /// No protocol computes on shares what is asked for.
    #[error(
        "{flag} takes a sum on shares, which has one --key, or several with --match blind, and semi-honest security: leave out what asks for more, or {flag}"
    )]
    NoneOnShares {
        /// What takes it.
        flag: &'static str,
    },
    /// A price is asked for of rows that match blind, by one key or where they cannot.
    #[error("--blind is for count, sum and share by several keys: give --keys N, or leave it out")]
    BlindKeys,
    /// No protocol of the operation hides by which keys rows match.
    #[error(
        "{0} cannot match blind so; count, sum and share can, with semi-honest security: leave out --match"
    )]
    NoneBlind(Operation),
    /// The named protocol does not compute on shares.
    #[error("protocol {protocol} does not take {flag}: leave that out, or take {fitting}")]
    NotOnShares {
        /// Its name.
        protocol: &'static str,
        /// What it does not take.
        flag: &'static str,
        /// The protocols that do.
        fitting: String,
    },
    /// What this side would tell of its columns is more than terms hold.
    #[error(
        "at most 64 columns, with names of at most 256 bytes, can be sent or added up: choose fewer, or rename them"
    )]
    Columns,
    /// The operation has no result for one side alone.
    #[error("{0} gives each side its own part of the result: leave --learn at both, on both sides")]
    BothLearn(Operation),
    /// The result can go to one side alone.
    #[error(
        "{what} gives the result to one side alone: give --learn me on one side and --learn peer on the other"
    )]
    OneLearns {
        /// What does.
        what: String,
    },
    /// The operation takes one key.
    #[error(
        "{0} takes one --key, of one column or more: several keys are for intersect, count, sum, union and share"
    )]
    OneKey(Operation),
    /// Another of several parties lost this one.
    #[error("its connection with {by} ended")]
    Lost {
        /// Who says so.
        by: String,
    },
    /// This one of several parties broke the protocol, as another one says.
    #[error("it broke the protocol, as {by} says")]
    Broke {
        /// Who says so.
        by: String,
    },
    /// This one of several parties ended the run, as another one heard.
    #[error("it ended the run, as {by} heard")]
    Heard {
        /// Who says so.
        by: String,
    },
    /// Several parties cannot do what was asked.
    #[error("three parties or more: {0}")]
    Multiparty(&'static str),
    /// A rule for the release of a result means nothing for this one.
    #[error("{flag} is nothing for {operation}: {why}; leave it out")]
    Release {
        /// The flag that asks for it.
        flag: &'static str,
        /// What is computed.
        operation: Operation,
        /// Why it means nothing.
        why: &'static str,
    },
    /// The chosen protocol does something else.
    #[error(
        "protocol {protocol} does not compute {operation} with {security} security, \
         or not for this --learn, group, digest or flooding; see: veilset protocols"
    )]
    WrongProtocol {
        /// The protocol.
        protocol: &'static str,
        /// What was to be computed.
        operation: Operation,
        /// Against whom it was to hold.
        security: Security,
    },
    /// A set is too large for the protocol.
    #[error("{whose} set has {count} distinct keys; protocol {protocol} takes at most {most}")]
    TooLarge {
        /// `this side's` or `the peer's`.
        whose: &'static str,
        /// Its size.
        count: u64,
        /// The protocol.
        protocol: &'static str,
        /// The protocol's limit.
        most: u64,
    },
    /// A price is asked for sets that no protocol takes.
    #[error("no protocol takes sets of more than {most} keys")]
    TooManyKeys {
        /// The most keys that one does.
        most: u64,
    },
    /// The run would need more memory than it may use.
    #[error(
        "the run would take about {} MB of memory, and {} MB are left beside the program and the list (the peer says that it has \
         {peer} keys): raise --max-memory, free memory, or use smaller sets",
        needed.div_ceil(1_000_000), allowed / 1_000_000
    )]
    Memory {
        /// The estimate in bytes.
        needed: u64,
        /// What it may take, in bytes.
        allowed: u64,
        /// The peer's number of keys, as it says.
        peer: u64,
    },
    /// The columns that go with matches cannot be read any more.
    #[error(transparent)]
    Rows(DataError),
    /// More elements fell to a part of the run than it can have.
    #[error("a part of the set is too full, which happens by chance once in 2^41 runs: run again")]
    Overfull,
    /// A protocol was called wrongly.
    #[error("during {step}: {why}")]
    Protocol {
        /// The step in which it happened.
        step: &'static str,
        /// What happened.
        why: String,
    },
    /// The channel failed or the peer broke the protocol.
    #[error("during {step}: {source}")]
    Channel {
        /// The step in which it happened.
        step: &'static str,
        /// What happened.
        source: ChannelError,
    },
    /// A party of several deviates from the protocol; the text says how it was found.
    #[error("during {step}: {why}")]
    Deviation {
        /// The step in which it showed.
        step: &'static str,
        /// What showed.
        why: String,
    },
    /// Something went wrong with one of several parties.
    #[error("{party}: {source}")]
    Party {
        /// What this side calls the party.
        party: String,
        /// What went wrong.
        source: Box<SessionError>,
    },
    /// The peer is connected and does not send its terms.
    #[error(
        "the peer did not send its terms within {}: ask what it waits for, and run again, or with a longer --deadline",
        show_wait(*.waited)
    )]
    NoTerms {
        /// How long this side waited.
        waited: Duration,
    },
    /// The peer said neither yes nor no.
    #[error(
        "the peer did not consent to the terms within {}; nothing was sent but the terms: \
         run again when somebody is there, or with a longer --deadline",
        show_wait(*.waited)
    )]
    NoConsent {
        /// How long this side waited.
        waited: Duration,
    },
    /// The peer chose a protocol that the terms do not allow.
    #[error("during agreement: the peer chose the protocol {0:?}, which the terms do not allow")]
    Choice(String),
    /// The system gives no randomness.
    #[error("the system gives no randomness: {0}")]
    Randomness(getrandom::Error),
    /// The thread pool could not be made.
    #[error("could not start {threads} threads: {why}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// What the system said.
        why: String,
    },
}

/// All differences in one sentence.
fn listed(mismatches: &[Mismatch]) -> String {
    let all: Vec<String> = mismatches.iter().map(Mismatch::to_string).collect();
    all.join("; ")
}

/// Who has to do something about an error; one exit code each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// This side's input or flags.
    Input,
    /// Both: they do not agree.
    Terms,
    /// The network, or a peer that is gone.
    Network,
    /// The peer broke the protocol.
    Peer,
    /// Somebody's policy.
    Policy,
    /// This program.
    Bug,
}

impl SessionError {
    /// Who has to do something about it.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Terms(_) | Self::Version { .. } | Self::Asked(_) | Self::NotTaken(_) => {
                Blame::Terms
            }
            Self::NoProtocol { .. }
            | Self::Unnamed { .. }
            | Self::NoRows { .. }
            | Self::OneKeyAlone { .. }
            | Self::BlindAlone { .. }
            | Self::BlindKeys
            | Self::NoneOnShares { .. }
            | Self::NoneBlind(_)
            | Self::NotOnShares { .. }
            | Self::Rows(_)
            | Self::BothLearn(_)
            | Self::OneLearns { .. }
            | Self::OneKey(_)
            | Self::Release { .. }
            | Self::Columns
            | Self::Multiparty(_)
            | Self::WrongProtocol { .. }
            | Self::TooLarge { .. }
            | Self::TooManyKeys { .. } => Blame::Input,
            Self::Memory { .. } => Blame::Policy,
            Self::NoTerms { .. } | Self::NoConsent { .. } => Blame::Network,
            Self::Lost { .. } | Self::Heard { .. } => Blame::Network,
            Self::Choice(_) | Self::Deviation { .. } | Self::Broke { .. } => Blame::Peer,
            Self::Party { source, .. } => source.blame(),
            Self::Threads { .. } | Self::Randomness(_) | Self::Protocol { .. } | Self::Overfull => {
                Blame::Bug
            }
            Self::Channel { source, .. } => match source {
                ChannelError::Network(_) => Blame::Network,
                ChannelError::Peer(_) => Blame::Peer,
                ChannelError::Aborted(Abort::Terms) => Blame::Terms,
                ChannelError::Aborted(Abort::Declined) => Blame::Policy,
                ChannelError::Aborted(Abort::Protocol | Abort::Broke { .. }) => Blame::Peer,
                ChannelError::Aborted(
                    Abort::Internal | Abort::Late | Abort::Lost { .. } | Abort::Heard { .. },
                ) => Blame::Network,
            },
        }
    }

    /// What to tell the peer, if it can still hear.
    #[must_use]
    pub fn goodbye(&self) -> Option<Abort> {
        if self.is_late() {
            return Some(Abort::Late);
        }
        match self.blame() {
            Blame::Terms => Some(Abort::Terms),
            Blame::Peer => Some(Abort::Protocol),
            Blame::Policy => Some(Abort::Declined),
            Blame::Input | Blame::Bug => Some(Abort::Internal),
            Blame::Network => None,
        }
    }

    fn is_late(&self) -> bool {
        match self {
            Self::NoTerms { .. } | Self::NoConsent { .. } => true,
            Self::Party { source, .. } => source.is_late(),
            _ => false,
        }
    }

    /// What the peer sent as a row or a label is none.
    #[must_use]
    pub fn bad_row() -> Self {
        let fault = PeerFault::Malformed { what: "row or label", why: Malformed::OutOfRange };
        Self::channel("result", fault.into())
    }

    pub(crate) fn channel(step: &'static str, source: ChannelError) -> Self {
        Self::Channel { step, source }
    }

    /// The same of one of several parties.
    pub(crate) fn with(self, party: String) -> Self {
        Self::Party { party, source: Box::new(self) }
    }

    pub(crate) fn at(step: &'static str) -> impl Fn(ChannelError) -> Self {
        move |source| Self::channel(step, source)
    }

    pub(crate) fn of_protocol(step: &'static str, error: ProtocolError) -> Self {
        match error {
            ProtocolError::Channel(source) => Self::Channel { step, source },
            ProtocolError::Overfull => Self::Overfull,
            other @ (ProtocolError::Transfer(_)
            | ProtocolError::Encoding(_)
            | ProtocolError::NoParameters
            | ProtocolError::NotByRows(_)
            | ProtocolError::Parameters(_)
            | ProtocolError::Arithmetic(_)) => Self::Protocol { step, why: other.to_string() },
        }
    }
}
