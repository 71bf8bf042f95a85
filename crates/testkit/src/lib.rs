//! Two parties or more in one process, for suites that run over every registry entry.

mod several;

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Costs, Framed, Metered, Transport, memory_pair};
use veilset_crypto::Element;
use veilset_protocols::{
    Attached, AttachedShape, Choices, Gives, Groups, Means, Operation, Outcome, Protocol,
    ProtocolError, Reveal, Role, Run, RunInput, Shape, Side, Silent, Spec,
};

pub use several::{EndedAmong, Meeting, run_all};

/// What one party of a run ends with.
pub type Ended = (Result<Outcome, ProtocolError>, Costs);

/// The sets of the two parties.
#[derive(Clone)]
pub struct Sets {
    /// The sender's elements.
    pub sender: Vec<Element>,
    /// The receiver's elements.
    pub receiver: Vec<Element>,
}

/// Value columns that the sender of a sum or of shares has in these suites.
pub const COLUMNS: usize = 2;

/// Groups of the sender's elements in these suites where values are added up by group; the last has none.
pub const GROUPS: usize = 6;

/// Groups of the receiver's elements in these suites where it lends some.
pub const LENT_GROUPS: usize = 3;

/// Bytes of a factor in these suites.
pub const FACTOR: usize = 2;

/// Bytes that each side attaches to an element in a union, or to its matches, and the sender in a lookup, in these suites.
pub const WIDTH: usize = 16;

/// What belongs to the elements of one side.
pub struct Attachments {
    words: Vec<i128>,
    groups: Vec<u32>,
    factors: Vec<i128>,
    lent_groups: Vec<u32>,
    bytes: Vec<u8>,
}

impl Attachments {
    /// For these elements.
    #[must_use]
    pub fn of(elements: &[Element]) -> Self {
        Self {
            words: elements.iter().flat_map(values).collect(),
            groups: elements.iter().map(group).collect(),
            factors: elements.iter().map(factor).collect(),
            lent_groups: elements.iter().map(lent_group).collect(),
            bytes: elements.iter().flat_map(item).collect(),
        }
    }

    /// As the side that plays `role` in a run has them.
    #[must_use]
    pub fn in_run(&self, setting: Setting, role: Role) -> Attached<'_> {
        let operation = setting.protocol.spec().operation.spec();
        let attached = match setting.with_rows {
            true => operation.sent_rows(role, setting.reveal, WIDTH),
            false => operation.attached(role, COLUMNS, WIDTH),
        };
        match attached {
            _ if setting.both_share && role == Role::Receiver => {
                Attached::Values { columns: 1, products: 0, words: &self.factors, groups: None }
            }
            AttachedShape::Values { columns, .. } => {
                let groups = Groups { count: GROUPS, of: &self.groups };
                let groups = setting.by_groups.then_some(groups);
                let products = usize::from(setting.products);
                Attached::Values { columns, products, words: &self.words, groups }
            }
            AttachedShape::Items { width } => Attached::Items { width, bytes: &self.bytes },
            _ if setting.products || setting.lends_groups => {
                let (factor, words) =
                    if setting.products { (FACTOR, &self.factors[..]) } else { (0, &[][..]) };
                let groups = Groups { count: LENT_GROUPS, of: &self.lent_groups };
                Attached::Lent { factor, words, groups: setting.lends_groups.then_some(groups) }
            }
            _ => Attached::Nothing,
        }
    }
}

/// The sender's values of an element, of both signs.
#[must_use]
pub fn values(element: &Element) -> [i128; COLUMNS] {
    let number = i128::from(u64::from_le_bytes(std::array::from_fn(|byte| element.0[byte])));
    [number * 3 - 1000, -(number << 70)]
}

/// The receiver's factor of an element, which takes [`FACTOR`] bytes.
#[must_use]
pub fn factor(element: &Element) -> i128 {
    i128::from(i16::from_le_bytes([element.0[0].wrapping_mul(37), element.0[0].wrapping_mul(91)]))
}

/// The group of an element of the sender's.
#[must_use]
pub fn group(element: &Element) -> u32 {
    u32::from(element.0[0]) % (GROUPS as u32 - 1)
}

/// The group of an element that the receiver lends.
#[must_use]
pub fn lent_group(element: &Element) -> u32 {
    u32::from(element.0[0] / 2) % LENT_GROUPS as u32
}

/// What either side sends of an element in a union, and its label in a lookup.
#[must_use]
pub fn item(element: &Element) -> [u8; WIDTH] {
    std::array::from_fn(|byte| element.0[byte].wrapping_add(1))
}

/// The size of a run over `sets`.
#[must_use]
pub fn shape(setting: Setting, sets: &Sets) -> Shape {
    let attached = |role| Attachments::of(&[]).in_run(setting, role).shape();
    let Setting { reveal, choices, .. } = setting;
    Shape {
        sender: sets.sender.len() as u64,
        receiver: sets.receiver.len() as u64,
        reveal,
        attached: attached(Role::Sender),
        returned: attached(Role::Receiver),
        withheld: setting.least.is_some(),
        coins: setting.coins,
        per_row: setting.per_row as u64,
        choices,
    }
}

impl Sets {
    /// Sets of the given sizes with `common` elements in common, in unrelated orders.
    ///
    /// # Panics
    /// When `common` exceeds a size.
    #[must_use]
    pub fn new(sender: usize, receiver: usize, common: usize) -> Self {
        assert!(common <= sender && common <= receiver, "no more in common than there is");
        let mut theirs: Vec<Element> =
            (sender - common..sender - common + receiver).map(element).collect();
        theirs.reverse();
        Self { sender: (0..sender).map(element).collect(), receiver: theirs }
    }

    /// The set of the party that plays `role`.
    #[must_use]
    pub fn of(&self, role: Role) -> &[Element] {
        match role {
            Role::Sender => &self.sender,
            Role::Receiver => &self.receiver,
        }
    }
}

/// Element number `number`; different numbers give different elements.
#[must_use]
pub fn element(number: usize) -> Element {
    let mut bytes = [0x5a; 32];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Element(bytes)
}

/// A protocol with all that two parties agree on.
#[derive(Clone, Copy)]
pub struct Setting {
    /// The registry entry.
    pub protocol: &'static dyn Protocol,
    /// Who gets the result.
    pub reveal: Reveal,
    /// Its parameters.
    pub choices: Choices,
    /// Whether each side sends rows to a peer that learns, which it need not.
    pub with_rows: bool,
    /// Whether the sender's values are added up by [`group`].
    pub by_groups: bool,
    /// Whether the last of the sender's values is multiplied by the receiver's [`factor`].
    pub products: bool,
    /// Whether they are added up by the receiver's [`lent_group`], too.
    pub lends_groups: bool,
    /// Whether the receiver shares its [`factor`] of each element, too.
    pub both_share: bool,
    /// Fewer matches are withheld.
    pub least: Option<u64>,
    /// Coins of the noise on each number.
    pub coins: u32,
    /// How many elements stand together as a row's.
    pub per_row: usize,
}

impl Setting {
    /// With the protocol's own parameters.
    #[must_use]
    pub fn new(protocol: &'static dyn Protocol, reveal: Reveal) -> Self {
        let choices = protocol.spec().defaults();
        Self {
            protocol,
            reveal,
            choices,
            with_rows: false,
            by_groups: false,
            products: false,
            lends_groups: false,
            both_share: false,
            least: None,
            coins: 0,
            per_row: 1,
        }
    }

    /// The same with two elements a row, where they can stand together.
    #[must_use]
    pub fn and_grouped(self) -> Option<Self> {
        let Spec { grouped, blind, .. } = self.protocol.spec();
        (*grouped || *blind).then_some(Self { per_row: 2, ..self })
    }

    /// The same by groups, where values can be added up so.
    #[must_use]
    pub fn and_groups(self) -> Option<Self> {
        let by_groups = self.protocol.spec().by_groups.is_some();
        by_groups.then_some(Self { by_groups, ..self })
    }

    /// The same with products, where values can be multiplied.
    #[must_use]
    pub fn and_products(self) -> Option<Self> {
        self.protocol.spec().by_groups.is_some().then_some(Self { products: true, ..self })
    }

    /// The same by the receiver's groups, too, where values can be added up so.
    #[must_use]
    pub fn and_lent_groups(self) -> Option<Self> {
        self.protocol.spec().by_groups.is_some().then_some(Self { lends_groups: true, ..self })
    }

    /// The same with a least result, where the protocol withholds what is less.
    #[must_use]
    pub fn and_least(self, least: u64) -> Option<Self> {
        self.protocol.spec().withholds.then_some(Self { least: Some(least), ..self })
    }

    /// The same with noise of so many coins, where the protocol has it.
    #[must_use]
    pub fn and_noise(self, coins: u32) -> Option<Self> {
        let Spec { on_shares, operation, .. } = self.protocol.spec();
        let told = operation.spec().gives == Gives::Numbers;
        (*on_shares && told).then_some(Self { coins, ..self })
    }

    /// The same with values of both sides, where both can share theirs.
    #[must_use]
    pub fn and_both_share(self) -> Option<Self> {
        let Spec { on_shares, operation, .. } = self.protocol.spec();
        let both_share = *on_shares && *operation == Operation::Share;
        both_share.then_some(Self { both_share, ..self })
    }

    /// The same with rows, where they can go with the matches.
    #[must_use]
    pub fn and_rows(self) -> Option<Self> {
        let taken = self.protocol.spec().with_rows?;
        Some(Self { choices: taken.defaults(), with_rows: true, ..self })
    }

    /// Whether a run over these sets is one that the protocol takes, and takes a second at most, by what it says of itself.
    #[must_use]
    pub fn is_quick(&self, sets: &Sets) -> bool {
        const MULTIPLICATIONS: f64 = 2.3e5;
        if sets.sender.len().max(sets.receiver.len()) as u64 > self.protocol.spec().max_elements {
            return false;
        }
        let cost = self.protocol.cost(shape(*self, sets));
        cost.sender.multiplications + cost.receiver.multiplications < MULTIPLICATIONS
    }
}

/// Runs both parties over queues in memory, with randomness from `seed`; returns the sender's end, then the
/// receiver's.
pub fn run_both(setting: Setting, sets: &Sets, seed: u8) -> (Ended, Ended) {
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let sender = scope.spawn(|| run_one(setting, Role::Sender, sets, Box::new(left), seed));
        let receiver = run_one(setting, Role::Receiver, sets, Box::new(right), seed);
        (sender.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), receiver)
    })
}

/// Runs one party over `transport`.
pub fn run_one(
    setting: Setting,
    role: Role,
    sets: &Sets,
    transport: Box<dyn Transport>,
    seed: u8,
) -> Ended {
    let mut channel = Metered::new(Framed::new(transport), "start");
    let mut rng = ChaCha20Rng::from_seed([seed ^ (0x80 * role as u8); 32]);
    let Setting { protocol, reveal, choices, per_row, .. } = setting;
    let rows: Vec<Element> = sets.of(role).iter().copied().step_by(per_row).collect();
    let attachments = Attachments::of(&rows);
    let conclusion = protocol.run(Run {
        side: Side { role, reveal },
        input: RunInput {
            elements: sets.of(role).to_vec().into(),
            peer_count: sets.of(role.other()).len(),
            attached: attachments.in_run(setting, role),
            peer_attached: Attachments::of(&[]).in_run(setting, role.other()).shape(),
            per_row,
            slack: 0,
            least: setting.least,
            coins: setting.coins,
            choices,
        },
        means: Means { session: &[7; 32], channel: &mut channel, rng: &mut rng, observer: &Silent },
    });
    let costs = channel.costs().clone();
    (conclusion.and_then(|conclude| conclude()), costs)
}
