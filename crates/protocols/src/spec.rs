//! What a protocol says of itself.

use veilset_names::names;

use crate::{AttachedShape, Choices, Operation, Reveal, Role, Taken};

names! {
    "securities";
    /// Against whom a protocol holds.
    #[derive(PartialOrd, Ord)]
    pub enum Security {
        /// Against parties that follow the protocol and look at all they see.
        SemiHonest = "semi-honest",
        /// Against parties that do anything.
        Malicious = "malicious",
    }
}

impl From<Security> for veilset_ot::Security {
    fn from(security: Security) -> Self {
        match security {
            Security::SemiHonest => Self::SemiHonest,
            Security::Malicious => Self::Malicious,
        }
    }
}

/// One fact in the two wordings that a user reads.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge {
    /// As in "You learn: …".
    pub of_you: &'static str,
    /// As in "acme learns: …".
    pub of_peer: &'static str,
}

/// A fact about what leaks beyond the result, and when it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leak {
    /// The fact in a full sentence.
    pub text: &'static str,
    /// To whom the result goes where it holds; `None` if it holds whoever learns.
    pub reveal: Option<Reveal>,
    /// Whether it is what a side gets that does not follow the protocol.
    pub by_cheating: bool,
}

impl Leak {
    /// What a side learns that follows the protocol, whoever gets the result.
    pub(crate) const fn always(text: &'static str) -> Self {
        Self { text, reveal: None, by_cheating: false }
    }

    /// What a side gets that does not follow the protocol, whoever gets the result.
    pub(crate) const fn by_cheating(text: &'static str) -> Self {
        Self { text, reveal: None, by_cheating: true }
    }

    /// The same, but only where the result goes there.
    pub(crate) const fn if_learned_by(self, reveal: Reveal) -> Self {
        Self { reveal: Some(reveal), ..self }
    }

    /// Whether it holds in a run whose result goes there.
    #[must_use]
    pub fn holds(&self, reveal: Reveal) -> bool {
        self.reveal.is_none_or(|only| only == reveal)
    }
}

/// The size of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Elements of the sender.
    pub sender: u64,
    /// Elements of the receiver.
    pub receiver: u64,
    /// Who gets the result.
    pub reveal: Reveal,
    /// What the sender holds about each of its elements.
    pub attached: AttachedShape,
    /// What the receiver holds about each of its elements; a union that both learn sends it.
    pub returned: AttachedShape,
    /// Whether fewer matches than a least result are withheld by the protocol itself.
    pub withheld: bool,
    /// Coins of the noise that each number has.
    pub coins: u32,
    /// Elements of either side that stand for one row, as [`RunInput`](crate::RunInput) has them.
    pub per_row: u64,
    /// What both sides agreed on beside the protocol.
    pub choices: Choices,
}

impl Shape {
    /// Of sets of so many elements, each of which is a row, and about which neither side holds anything.
    #[must_use]
    pub fn of_sets(sender: u64, receiver: u64, reveal: Reveal, choices: Choices) -> Self {
        Self {
            sender,
            receiver,
            reveal,
            attached: AttachedShape::Nothing,
            returned: AttachedShape::Nothing,
            withheld: false,
            coins: 0,
            per_row: 1,
            choices,
        }
    }

    /// Elements of one side.
    #[must_use]
    pub fn of(&self, role: Role) -> u64 {
        match role {
            Role::Sender => self.sender,
            Role::Receiver => self.receiver,
        }
    }

    /// Elements of the larger side.
    #[must_use]
    pub fn larger(&self) -> u64 {
        self.sender.max(self.receiver)
    }
}

/// What one side does in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PartyCost {
    /// Scalar multiplications in the group.
    pub multiplications: f64,
    /// Elements mapped to the group.
    pub maps: f64,
    /// Whether these come before or after the peer's, and not at the same time.
    pub turns: bool,
    /// Other work, in passes of an element through [`sample_passes`](crate::sample_passes).
    pub passes: f64,
    /// Bytes it sends, frame headers included.
    pub bytes_sent: f64,
    /// Of these, bytes that the peer waits for while this side has nothing else to do. Passes are in turn always.
    pub in_turn: f64,
    /// Bytes of memory at the peak, beside the caller's elements.
    pub memory: f64,
}

impl PartyCost {
    /// Both.
    pub(crate) fn and(self, more: Self) -> Self {
        Self {
            multiplications: self.multiplications + more.multiplications,
            maps: self.maps + more.maps,
            turns: self.turns | more.turns,
            passes: self.passes + more.passes,
            bytes_sent: self.bytes_sent + more.bytes_sent,
            in_turn: self.in_turn + more.in_turn,
            memory: self.memory + more.memory,
        }
    }

    /// So many times, one after the other.
    fn times(self, runs: u64) -> Self {
        let runs = runs as f64;
        Self {
            multiplications: runs * self.multiplications,
            maps: runs * self.maps,
            passes: runs * self.passes,
            bytes_sent: runs * self.bytes_sent,
            in_turn: runs * self.in_turn,
            ..self
        }
    }
}

/// What a run costs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// The sender's part.
    pub sender: PartyCost,
    /// The receiver's part.
    pub receiver: PartyCost,
    /// Rounds.
    pub rounds: u64,
    /// Messages for which a side waits within a round, for which rounds do not account.
    pub waits: u64,
}

impl Cost {
    /// Of sizes that a protocol does not take.
    pub(crate) fn endless() -> Self {
        let party = PartyCost { bytes_sent: f64::INFINITY, ..PartyCost::default() };
        Self { sender: party, receiver: party, rounds: 0, waits: 0 }
    }

    /// So many such runs, one after the other.
    #[must_use]
    pub fn times(self, runs: u64) -> Self {
        Self {
            sender: self.sender.times(runs),
            receiver: self.receiver.times(runs),
            rounds: runs * self.rounds,
            waits: runs * self.waits,
        }
    }
}

/// Everything about a protocol that its users, the planner and the suites need.
pub struct Spec {
    /// Its name on the command line and in the terms.
    pub id: &'static str,
    /// One line for a table.
    pub title: &'static str,
    /// What it computes.
    pub operation: Operation,
    /// Where it comes from: paper, section, figure.
    pub paper: &'static str,
    /// Against whom it holds.
    pub security: Security,
    /// What its security rests on.
    pub assumption: &'static str,
    /// To whom the result may go; the first is the default.
    pub reveals: &'static [Reveal],
    /// What the receiver learns.
    pub receiver: Knowledge,
    /// What the sender learns if the result is revealed to both.
    pub sender: Knowledge,
    /// What the sender learns if it is not to get the result.
    pub residue: Knowledge,
    /// What leaks beyond the result.
    pub leaks: &'static [Leak],
    /// The largest set of either side in one run; [in parts](crate::Parts::most_elements) there can be more.
    pub max_elements: u64,
    /// Which choices it takes.
    pub choices: Taken,
    /// Whether runs over parts of the elements, one after the other, tell together what one run over all tells.
    pub cut: bool,
    /// Whether a side that names no protocol takes it: the planner chooses among such entries alone, and a peer that asks
    /// for any other has to be agreed with. A fact of the entry, not of sizes or machines, so that both sides see it alike.
    pub auto: bool,
    /// Whether a row can be several elements, as [`RunInput::per_row`](crate::RunInput::per_row) has it.
    pub grouped: bool,
    /// What the sender learns where its numbers are added up by groups of its elements, of which the receiver knows only how many
    /// there are at most, and learns nothing else; none where they cannot be.
    pub by_groups: Option<Knowledge>,
    /// Whether a row can be several elements so that nobody sees by which of them it matches.
    pub blind: bool,
    /// Whether sums come about on shares, so that they can be by groups, have noise of coins that both sides toss, and be of products
    /// with a factor of the receiver's.
    pub on_shares: bool,
    /// Whether a least result withholds the result from the programs of both sides, too, and not from their readers alone.
    pub withholds: bool,
    /// Which choices it takes where rows go with the matches of an intersection; `None` if none can.
    pub with_rows: Option<Taken>,
}

impl Spec {
    /// What the side that plays `role` learns.
    #[must_use]
    pub fn knowledge(&self, role: Role, reveal: Reveal) -> &Knowledge {
        match (role, reveal) {
            (Role::Receiver, _) => &self.receiver,
            (Role::Sender, Reveal::Both) => &self.sender,
            (Role::Sender, Reveal::Receiver) => &self.residue,
        }
    }

    /// What leaks in any run, in full sentences.
    pub fn all_leaks(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.leaks.iter().map(|leak| leak.text)
    }

    /// What leaks in a run whose result goes there, in full sentences.
    pub fn leaks_of(&self, reveal: Reveal) -> impl Iterator<Item = &'static str> + use<> {
        self.leaks.iter().filter(move |leak| leak.holds(reveal)).map(|leak| leak.text)
    }

    /// Which choices it takes, where rows go with the matches of an intersection or not; `None` if they cannot.
    #[must_use]
    pub fn taken(&self, with_rows: bool) -> Option<&Taken> {
        if with_rows { self.with_rows.as_ref() } else { Some(&self.choices) }
    }

    /// What is chosen where nobody asks for anything else.
    #[must_use]
    pub fn defaults(&self) -> Choices {
        self.choices.defaults()
    }

    /// Whether a run can be as these choices have it.
    #[must_use]
    pub fn takes(&self, choices: Choices) -> bool {
        self.choices.allows(choices)
    }
}
