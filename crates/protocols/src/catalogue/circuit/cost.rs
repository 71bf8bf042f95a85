//! What a run costs.

use veilset_crypto::Element;
use veilset_ot::silent::{BATCH, batches, silent_cost};
use veilset_structures::okvs::OkvsShape;

use super::shared::{MAX_ELEMENTS, Sizes, width_of};
use super::sums::{Rows, at_once};
use super::{binned, counts_both, told};
use crate::kit::gmw::{
    BASE, Toss, bits_of_numbers, cipher_calls, frames_of, layers as any_layers, layers_at_once,
    layers_of_number, layers_of_order, told_bytes, tossed,
};
use crate::kit::store::{DECODED, ENCODED, KIND, Width, bytes, over, store_bytes};
use crate::kit::vole_oprf;
use crate::kit::wire::{bits_bytes, chunks_of, frames, size, values_bytes};
use crate::{AttachedShape, Cost, Operation, PartyCost, Role, Security, Shape, Side};

/// Passes of a silent transfer: of the side with all pads, and of the other.
const TRANSFER: [f64; 2] = [1.1, 1.0];

/// Passes of a block cipher call for products, and of what is done with what it gives.
const CALL: f64 = 0.05;

/// Bytes that a transfer of a batch takes at the peak.
const BATCH_BYTES: f64 = 80.0;

/// Bytes that a transfer takes until a gate uses it, and what the gate takes.
const GATE_BYTES: f64 = 6.0;

/// Bytes that the places of an element take while bins are filled.
const PLACES: usize = 64;

/// How many bins a sender has, or rows of several elements.
pub(super) fn places(shape: &Shape) -> u64 {
    let [sender, receiver] = [shape.sender, shape.receiver].map(size);
    if sender == 0 || receiver == 0 || shape.per_row > 1 {
        return shape.sender / shape.per_row;
    }
    Sizes::new(sender, receiver, 0).table.bins() as u64
}

pub(super) fn cost(operation: Operation, shape: &Shape) -> Cost {
    let Shape { sender, receiver, per_row, .. } = *shape;
    if sender == 0 || receiver == 0 {
        return Cost::default();
    }
    if sender.max(receiver) > MAX_ELEMENTS {
        return Cost::endless();
    }
    let with_bins = binned(operation, [sender, receiver].map(size), Role::Sender, per_row);
    let priced = Priced::new(operation, shape, with_bins);
    if !counts_both(operation, shape.reveal, per_row) {
        return priced.told(shape.withheld).cost();
    }
    // The other side has bins, too, and nobody is told that count.
    let other = Priced::new(operation, shape, with_bins.other());
    let width = priced.widths[0].max(other.widths[0]);
    let of_width = |priced: Priced| Priced { widths: vec![width], ..priced };
    let one = of_width(priced).and_smaller().told(shape.withheld).cost();
    let other = Priced { told: [0; 2], ..of_width(other) }.cost();
    Cost {
        sender: one.sender.and(other.sender),
        receiver: one.receiver.and(other.receiver),
        rounds: one.rounds + other.rounds,
        waits: one.waits + other.waits,
    }
}

/// Coins of numbers of one width.
struct Coins {
    count: usize,
    /// Bytes of each number.
    width: usize,
}

/// A run, as far as its price follows from its sizes.
struct Priced {
    with_bins: Role,
    sizes: Sizes,
    /// How many bits are multiplied, of bins or of rows, and then of two counts.
    multiplied: usize,
    selected: Vec<usize>,
    /// Bytes of a bin's numbers, and how many of these are products.
    widths: Vec<usize>,
    products: usize,
    /// Whether shares are the result.
    is_shared: bool,
    /// How many columns of values the other side shares, too.
    payload: usize,
    rows: Rows,
    lent: AttachedShape,
    /// How many numbers of a row the offerer is told, and the chooser.
    told: [usize; 2],
    withheld: bool,
    /// The bits of factors that are multiplied at once.
    of_products: Vec<usize>,
    /// The gates of each layer.
    layers: Vec<usize>,
    /// Coins of the noise that are tossed at once.
    coins: Vec<Coins>,
    /// The transfers that are made at once: for the equality test, for products, and for what is withheld.
    transfers: Vec<usize>,
}

impl Priced {
    /// What the run costs.
    fn cost(&self) -> Cost {
        let (bins, points) = (self.sizes.table.bins(), self.sizes.points());
        let (of_points, of_bins) = vole_oprf::cost_among(bins as u64, points as u64, points as u64);
        let [with_all, with_one] = TRANSFER;
        let made: f64 = self.transfers.iter().map(|count| *count as f64).sum();
        let [offered, chosen] = self.bytes();
        let programming = (Element::LEN + 16 + 8 + 8 + 8) as f64 * points as f64
            + (OkvsShape::new(KIND, points).len() * self.word()) as f64;
        let filled = (Element::LEN + 16 + PLACES) as f64 * bins as f64;
        let stores = (1 + self.payload) as f64;
        let coded = [ENCODED * points as f64, DECODED * bins as f64].map(|passes| stores * passes);
        let back = self.back().iter().sum::<usize>() as f64;
        let passes = [
            coded[0] + with_one * made + with_all * back,
            coded[1] + with_all * made + with_one * back,
        ];
        let of_points = self.party(of_points, chosen, passes[0], programming);
        let of_bins = self.party(of_bins, offered, passes[1], filled);
        let [sender, receiver] = match self.with_bins {
            Role::Sender => [of_bins, of_points],
            Role::Receiver => [of_points, of_bins],
        };
        Cost {
            sender,
            receiver,
            rounds: vole_oprf::ROUNDS + self.rounds() as u64,
            waits: vole_oprf::waits(Security::SemiHonest),
        }
    }

    /// Of a run in which this side has bins, before the result.
    fn new(operation: Operation, shape: &Shape, with_bins: Role) -> Self {
        let Shape { sender, receiver, reveal, attached, returned, per_row, .. } = *shape;
        let tosses = shape.coins;
        let counts = [sender, receiver].map(size);
        let [in_bins, others] = match with_bins {
            Role::Sender => counts,
            Role::Receiver => [counts[1], counts[0]],
        };
        let sizes = Sizes::new(in_bins, others, 0);
        let (columns, rows) = (attached.columns(), Rows::of(attached, returned));
        let payload = returned.columns();
        let (widths, told) = match operation {
            Operation::Share => (vec![size_of::<u128>(); 1 + columns + payload], [0; 2]),
            _ => {
                let of = |role| told(Side { role, reveal }, role, 1 + columns, rows.are_groups());
                (sizes.widths(columns, tosses), [with_bins, with_bins.other()].map(of))
            }
        };
        let (products, factor) = (attached.products(), returned.factor());
        let mut layers: Vec<usize> = sizes.layers().collect();
        let mut transfers = vec![layers.iter().sum()];
        let noisy = widths.iter().filter(|_| tosses > 0 && told != [0; 2]);
        let noisy: Vec<usize> = noisy.copied().collect::<Vec<_>>().repeat(rows.count());
        let count = |toss: &Toss| toss.coins().unwrap_or(usize::MAX - BATCH);
        let coins = |toss: Toss| Coins { count: count(&toss), width: toss.width };
        let coins: Vec<Coins> = tossed(tosses, &noisy).into_iter().map(coins).collect();
        transfers.extend(coins.iter().map(|coins| coins.count));
        let bins = sizes.table.bins();
        let multiplied = match per_row {
            1 => bins,
            _ => {
                let rows = in_bins / per_row as usize;
                let order: Vec<usize> = layers_of_order(bins).collect();
                let any: Vec<usize> =
                    any_layers(per_row as u32).map(|gates| gates * rows).collect();
                transfers.extend(layers_at_once(bins));
                transfers.extend(&any);
                layers.extend(order.into_iter().chain(any));
                rows
            }
        };
        let of_products: Vec<usize> = match products {
            0 => Vec::new(),
            _ => at_once(multiplied, 8 * factor).map(|bins| 8 * factor * bins.len()).collect(),
        };
        for _ in 0..rows.lent.unwrap_or(1) {
            let gates = std::iter::repeat_n(multiplied, rows.gates());
            layers.extend(gates.clone().chain(of_products.iter().copied()));
            transfers.extend(gates.chain([multiplied]));
            transfers.extend(of_products.iter().flat_map(|count| [*count; 2]));
        }
        Self {
            with_bins,
            sizes,
            multiplied,
            selected: Vec::new(),
            widths,
            products,
            is_shared: operation == Operation::Share,
            payload,
            lent: returned,
            of_products,
            rows,
            told,
            withheld: false,
            layers,
            coins,
            transfers,
        }
    }

    /// The same with a comparison of a number of each row.
    fn and_compared(mut self) -> Self {
        let comparing =
            layers_of_number(8 * self.widths[0] as u32).map(|gates| self.rows() * gates);
        let comparing: Vec<usize> = comparing.collect();
        self.transfers.push(comparing.iter().sum());
        self.layers.extend(comparing);
        self
    }

    /// The same where the smaller of two counts is the result.
    fn and_smaller(self) -> Self {
        let mut compared = self.and_compared();
        let bits = bits_of_numbers(1, compared.widths[0]);
        compared.selected = vec![1, bits];
        compared.transfers.extend([1, bits, bits]);
        compared.layers.push(bits);
        compared
    }

    /// The same with what the result takes, where fewer matches are withheld or not.
    fn told(self, withheld: bool) -> Self {
        if !withheld || self.told == [0; 2] {
            return self;
        }
        let mut withheld = Self { withheld: true, ..self.and_compared() };
        if let Some(masked) = withheld.masked() {
            withheld.transfers.push(masked);
            withheld.layers.push(masked);
        }
        withheld
    }

    fn rows(&self) -> usize {
        self.rows.count()
    }

    /// Bits of the numbers that are withheld from the one side that is told any.
    fn masked(&self) -> Option<usize> {
        let one = self.withheld && self.told.contains(&0);
        let bits = self.widths.iter().take(self.told[0].max(self.told[1])).map(|width| 8 * width);
        one.then(|| self.rows() * bits.sum::<usize>())
    }

    /// Bytes of an entry of the store.
    fn word(&self) -> usize {
        over!(width_of(self.lent), Word => bytes::<Word>())
    }

    /// The transfers that the side without bins offers.
    fn back(&self) -> &[usize] {
        if self.payload == 0 { &[] } else { std::slice::from_ref(&self.multiplied) }
    }

    /// How many bits are multiplied at once, bytes that the offerer tells of one, and block cipher calls of either side for it: those of
    /// bins, and of their factors.
    fn multiplied(&self) -> impl Iterator<Item = [usize; 3]> {
        let (plain, products) = self.widths.split_at(self.widths.len() - self.products);
        let of = |count: usize, widths: &[usize]| {
            let width: usize = widths.iter().sum();
            match self.rows.own {
                None => [count, width, 2 * width.div_ceil(16)],
                Some(groups) => [count, told_bytes(groups, widths), cipher_calls(groups, widths)],
            }
        };
        let of_products = self.of_products.iter().map(move |count| of(*count, products));
        let once = std::iter::once(of(self.multiplied, plain)).chain(of_products);
        let all = once.collect::<Vec<_>>();
        let times = self.rows.lent.unwrap_or(1) * all.len();
        let selected = self.selected.iter().map(move |count| of(*count, plain));
        all.into_iter().cycle().take(times).chain(selected)
    }

    /// Bytes of the result for the side that is told so many numbers of a row.
    fn result(&self, told: usize) -> f64 {
        let rows = self.rows() as u64;
        let bits = if self.withheld { bits_bytes(rows) } else { 0.0 };
        match self.masked() {
            _ if told == 0 => 0.0,
            Some(masked) => bits + bits_bytes(masked as u64),
            None => {
                let widths = self.widths.iter().take(told);
                bits + widths.map(|width| values_bytes(rows, 8 * *width as u32)).sum::<f64>()
            }
        }
    }

    /// Bytes that the offerer sends, and the chooser.
    fn bytes(&self) -> [f64; 2] {
        let transfers = silent_cost(BASE, &self.transfers);
        let wire = |(bytes, count): (f64, usize)| bytes + frames(count);
        let words = |count: usize, told: usize| {
            (told * count) as f64 + frames(chunks_of(count, told).count())
        };
        let in_batches = |bytes: &dyn Fn(usize, usize) -> f64| -> f64 {
            let of = |[count, told, _]: [usize; 3]| -> f64 {
                batches(count).map(|batch| bytes(batch.len(), told)).sum()
            };
            self.multiplied().map(of).sum()
        };
        let in_layers =
            |bytes: fn(usize) -> f64| self.layers.iter().copied().map(bytes).sum::<f64>();
        let [to_offerer, to_chooser] = self.told.map(|told| self.result(told));
        let of_coins = |bytes: &dyn Fn(usize, usize) -> f64| -> f64 {
            let of = |coins: &Coins| -> f64 {
                batches(coins.count).map(|batch| bytes(batch.len(), coins.width)).sum()
            };
            self.coins.iter().map(of).sum()
        };
        let points = self.sizes.points();
        let store = over!(width_of(self.lent), Word => store_bytes::<Word>(points));
        let seed = 16.0 + frames(1);
        let columns = self.payload as f64 * (seed + store_bytes::<u128>(points));
        let store = seed + store + columns;
        let [back_offered, back_chosen] = match self.back() {
            [] => [0.0; 2],
            back => {
                let (transfers, told) = (silent_cost(BASE, back), self.payload * size_of::<u128>());
                let of = |bytes: &dyn Fn(usize) -> f64| -> f64 {
                    back.iter().flat_map(|count| batches(*count)).map(|one| bytes(one.len())).sum()
                };
                [
                    wire(transfers.sender) + of(&|count| words(count, told)),
                    wire(transfers.receiver) + of(&choices),
                ]
            }
        };
        [
            back_chosen
                + wire(transfers.sender)
                + in_layers(tables)
                + in_batches(&words)
                + of_coins(&words)
                + to_chooser,
            back_offered
                + store
                + wire(transfers.receiver)
                + in_layers(choices)
                + in_batches(&|count, _| choices(count))
                + of_coins(&|coins, _| choices(coins))
                + to_offerer,
        ]
    }

    fn party(&self, of_function: PartyCost, sent: f64, passes: f64, memory: f64) -> PartyCost {
        let calls: usize = self.multiplied().map(|[count, _, calls]| count * calls).sum();
        let products = CALL * calls as f64;
        let setups = (1 + self.back().len()) as f64 * vole_oprf::setup_passes(BASE) / 2.0;
        let held = self.columns_held();
        PartyCost {
            passes: of_function.passes + passes + products + setups,
            bytes_sent: of_function.bytes_sent + sent,
            in_turn: of_function.in_turn + sent,
            memory: held
                + (of_function.memory + memory).max(self.comparing()).max(self.multiplying()),
            ..of_function
        }
    }

    /// Bytes of the numbers beside the other side's values.
    fn columns_held(&self) -> f64 {
        (size_of::<u128>() * self.payload) as f64 * self.sizes.table.bins() as f64
    }

    /// Bytes of bins and their values.
    fn of_bins(&self) -> f64 {
        let lent = matches!(self.lent, AttachedShape::Lent { .. });
        (24 + 32 * usize::from(lent)) as f64 * self.sizes.table.bins() as f64
    }

    /// Bytes beside these columns while gates are made: bins, and transfers in a batch and until they are used.
    fn comparing(&self) -> f64 {
        let most = self.transfers.iter().max().copied().unwrap_or_default();
        self.of_bins() + GATE_BYTES * most as f64 + BATCH_BYTES * BATCH.min(most) as f64
    }

    /// Bytes beside these columns while bits are multiplied: bins, the pads of a batch and, where shares are the result, that.
    fn multiplying(&self) -> f64 {
        let most = self.multiplied().map(|[count, ..]| count).max().unwrap_or_default();
        let pads = match self.rows.own {
            None => 2 * self.widths.iter().sum::<usize>(),
            Some(_) => 0,
        };
        let words = if self.is_shared { size_of::<u128>() * self.widths.len() } else { 0 };
        self.of_bins()
            + (BATCH_BYTES + pads as f64) * BATCH.min(most) as f64
            + words as f64 * self.multiplied as f64
    }

    /// Of each batch trees, of each layer tables, of each batch of products words; the setup, the bit that opens a result, and the
    /// result.
    fn rounds(&self) -> usize {
        let all = self.transfers.iter().chain(self.back());
        let trees: usize = all.map(|count| batches(*count).count()).sum();
        let words = self.multiplied().map(|[count, ..]| count).chain(self.back().iter().copied());
        let words: usize = words.map(|count| batches(count).count()).sum();
        let opens = usize::from(self.withheld && self.masked().is_none());
        trees
            + self.layers.len()
            + words
            + self.coins.iter().map(|coins| batches(coins.count).count()).sum::<usize>()
            + 2 * (1 + self.back().len())
            + opens
            + usize::from(self.told != [0; 2])
    }
}

/// Bytes of the choices of so many transfers.
fn choices(count: usize) -> f64 {
    let [choices, _] = frames_of(count);
    count.div_ceil(2) as f64 + frames(choices.count())
}

/// Bytes of their tables.
fn tables(count: usize) -> f64 {
    let [_, tables] = frames_of(count);
    2.0 * count as f64 + frames(tables.count())
}
