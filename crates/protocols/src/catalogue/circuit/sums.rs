//! Sums over the bins that match: of one, of the values of their elements, and of these times the factor that the other side lends.
//!
//! A factor y of k bits in two's complement is Σ w_j y_j with the weights w_j = 2^j, but -2^(k-1) of the last bit. Both sides have
//! shares of its bits. So x·y of a bin that matches by its bit b is the sum of w_j x times b ∧ y_j: a gate and a transfer for each
//! bit, in which the owner of x has w_j x to itself, as it has x for b.
//!
//! Where groups are lent, the same is done for each of them, with shares of whether the bin matches and its element is in the group in
//! the place of b. They are few, since the work grows with their number.

use std::ops::Range;

use veilset_ot::silent::BATCH;
use zeroize::Zeroizing;

use super::shared::{Matches, groups_in};
use crate::kit::gmw::{Bits, CHOICE, Factors, Gmw, Nibbles, Source, cut};
use crate::{Attached, AttachedShape, Groups, Means, ProtocolError, RunInput, Sharing};

/// The step in which matches become numbers.
pub(super) const STEP: &str = "products";

/// The step in which the bits of factors become those of matches alone.
const FACTORS: &str = "factors";

/// The step in which matches become those of a group.
const GROUPS: &str = "groups";

/// How many rows of numbers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rows {
    /// A row for each of so many groups of the side with bins, if it has groups,
    pub(super) own: Option<usize>,
    /// and of the groups that the other side lends, if it lends some: these are next to each other.
    pub(super) lent: Option<usize>,
}

impl Rows {
    /// One row of all.
    pub(super) const ONE: Self = Self { own: None, lent: None };

    /// Of sums of the side with bins, to which the other one lends this.
    pub(super) fn of(values: AttachedShape, lent: AttachedShape) -> Self {
        Self { own: values.groups(), lent: lent.lent_groups() }
    }

    /// Whether there is more than the one row of all.
    pub(super) fn are_groups(self) -> bool {
        self.own.is_some() || self.lent.is_some()
    }

    pub(super) fn count(self) -> usize {
        self.own.unwrap_or(1) * self.lent.unwrap_or(1)
    }

    /// Gates of each bin, one after the other, that say of one of the lent groups whether its element is in it.
    pub(super) fn gates(self) -> usize {
        self.lent.map_or(0, |lent| if lent <= AT_ONCE { 1 } else { 2 })
    }
}

/// Groups whose numbers stand beside a bit in the input of a gate.
const AT_ONCE: usize = 1 << (CHOICE - 1);

/// The bins whose products are made at once, of factors of so many bits: of as many bits as a batch of transfers has.
pub(super) fn at_once(bins: usize, bits: usize) -> impl Iterator<Item = Range<usize>> {
    let each = (BATCH / bits.max(1)).max(1);
    (0..bins).step_by(each).map(move |first| first..bins.min(first + each))
}

/// This side's shares of all numbers, of widths like these, row by row.
pub(super) fn sums(
    means: &mut Means<'_>,
    matches: Matches,
    input: &RunInput<'_>,
    widths: &[usize],
    rows: Rows,
) -> Result<(Zeroizing<Vec<u128>>, Gmw), ProtocolError> {
    let Matches { mut gmw, bits, items, lent, .. } = matches;
    let [own, peer] = [input.attached.shape(), input.peer_attached];
    let (plain, products) = widths.split_at(widths.len() - own.products() - peer.products());
    let sums = Sums {
        items: &items,
        lent: &lent,
        attached: input.attached,
        plain,
        products,
        factor_bits: 8 * own.factor().max(peer.factor()),
        groups: rows.own,
        of: groups_of(&items, input.attached),
    };
    let Some(count) = rows.lent else {
        let numbers = sums.over(&mut gmw, means, &bits)?;
        return Ok((numbers, gmw));
    };
    let groups = groups_in(&lent);
    let mut of_groups = Vec::with_capacity(count);
    for group in 0..count {
        let bits = in_group(&mut gmw, means, &bits, &groups, Group { group, count })?;
        of_groups.push(sums.over(&mut gmw, means, &bits)?);
    }
    let mut numbers = Zeroizing::new(Vec::with_capacity(rows.count() * widths.len()));
    for row in 0..rows.own.unwrap_or(1) {
        for of_group in &of_groups {
            numbers.extend_from_slice(&of_group[row * widths.len()..(row + 1) * widths.len()]);
        }
    }
    Ok((numbers, gmw))
}

/// What sums are of.
struct Sums<'a> {
    items: &'a [Option<u32>],
    lent: &'a [u64],
    attached: Attached<'a>,
    /// Bytes of the numbers that are not multiplied, and of those that are.
    plain: &'a [usize],
    products: &'a [usize],
    factor_bits: usize,
    groups: Option<usize>,
    /// The group of each bin.
    of: Zeroizing<Vec<u32>>,
}

impl Sums<'_> {
    /// Shares of the numbers over the bins whose bits are set: in one row, or in one for each group.
    fn over(
        &self,
        gmw: &mut Gmw,
        means: &mut Means<'_>,
        bits: &[u8],
    ) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
        let Self { plain: widths, attached, .. } = *self;
        let made = |bins: Range<usize>| numbers_of(&self.items[bins], attached);
        let plain = self.added(gmw, means, bits, self.factors(widths, &made), &self.of)?;
        if self.products.is_empty() {
            return Ok(plain);
        }
        let each = self.factor_bits;
        let mut products =
            Zeroizing::new(vec![0_u128; self.products.len() * self.groups.unwrap_or(1)]);
        for bins in at_once(bits.len(), each) {
            let lent = self.lent[bins.clone()].iter().map(|factor| u128::from(*factor));
            let bits = gmw.masked(means, FACTORS, &bits[bins.clone()], lent, each)?;
            let items = self.items.get(bins.clone()).unwrap_or_default();
            let made = |lanes: Range<usize>| weighed(items, attached, each, lanes);
            let of_bins = self.of.get(bins).unwrap_or_default();
            let mut of = Zeroizing::new(Vec::with_capacity(each * of_bins.len()));
            of_bins.iter().for_each(|group| of.extend(std::iter::repeat_n(*group, each)));
            let factors = self.factors(self.products, &made);
            let more = self.added(gmw, means, &bits, factors, &of)?;
            let widths = self.products.iter().cycle();
            for ((sum, more), width) in products.iter_mut().zip(&*more).zip(widths) {
                *sum = cut(sum.wrapping_add(*more), *width);
            }
        }
        let mut rows = Zeroizing::new(Vec::with_capacity(plain.len() + products.len()));
        let products = products.chunks(self.products.len());
        for (plain, products) in plain.chunks(widths.len()).zip(products) {
            rows.extend_from_slice(plain);
            rows.extend_from_slice(products);
        }
        Ok(rows)
    }

    fn factors<'a>(
        &self,
        widths: &'a [usize],
        made: &'a (dyn Fn(Range<usize>) -> Zeroizing<Vec<u128>> + Sync),
    ) -> Factors<'a> {
        Factors { sharing: Sharing::Additive, widths, numbers: Source::Made(made) }
    }

    /// Shares of the sums of numbers, each times its bit, which is in this group.
    fn added(
        &self,
        gmw: &mut Gmw,
        means: &mut Means<'_>,
        bits: &[u8],
        factors: Factors<'_>,
        of: &[u32],
    ) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
        match self.groups {
            None => gmw.sums(means, STEP, bits, factors),
            Some(count) => gmw.grouped_sums(means, STEP, bits, factors, Groups { count, of }),
        }
    }
}

/// One of so many groups.
#[derive(Clone, Copy)]
struct Group {
    group: usize,
    count: usize,
}

/// Shares of whether each bin's bit is set and its element is in this group, of whose number both have shares.
fn in_group(
    gmw: &mut Gmw,
    means: &mut Means<'_>,
    bits: &[u8],
    groups: &[u64],
    Group { group, count }: Group,
) -> Result<Bits, ProtocolError> {
    let inputs = |of: &dyn Fn(usize) -> u8| Nibbles::new((0..bits.len()).map(of).collect());
    let low = (1 << CHOICE) - 1;
    if count <= AT_ONCE {
        let inputs = inputs(&|bin| bits[bin] | (groups[bin] as u8 & low >> 1) << 1);
        return gmw.gates(means, GROUPS, &inputs, |_| 1 << (1 | group << 1));
    }
    let lowest = inputs(&|bin| groups[bin] as u8 & low);
    let lowest = gmw.gates(means, GROUPS, &lowest, |_| 1 << (group & usize::from(low)))?;
    let highest = |bin: usize| (groups[bin] >> CHOICE) as u8 & low >> 2;
    let inputs = inputs(&|bin| bits[bin] | lowest[bin] << 1 | highest(bin) << 2);
    gmw.gates(means, GROUPS, &inputs, |_| 1 << (3 | group >> CHOICE << 2))
}

/// Values of elements, so many of each, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) columns: usize,
    words: &'a [i128],
}

impl<'a> Table<'a> {
    /// What is attached, where that is values.
    pub(super) fn of(attached: Attached<'a>) -> Self {
        let (columns, words) = attached.values();
        Self { columns, words }
    }

    /// The values of the element in this place.
    pub(super) fn row(self, place: usize) -> &'a [i128] {
        &self.words[self.columns * place..][..self.columns]
    }
}

/// Puts behind others what the bit of a bin is multiplied by: one, and the first so many values of its element.
pub(super) fn push_row(
    numbers: &mut Vec<u128>,
    item: Option<u32>,
    values: Table<'_>,
    columns: usize,
) {
    numbers.push(1);
    match item {
        Some(item) => {
            let row = &values.row(item as usize)[..columns];
            numbers.extend(row.iter().map(|value| value.cast_unsigned()));
        }
        None => numbers.extend(std::iter::repeat_n(0, columns)),
    }
}

/// What the bits of these bins are multiplied by: one, and the values of their elements that have no factor.
fn numbers_of(items: &[Option<u32>], attached: Attached<'_>) -> Zeroizing<Vec<u128>> {
    let values = Table::of(attached);
    let plain = values.columns - attached.shape().products();
    let mut numbers = Zeroizing::new(Vec::with_capacity((1 + plain) * items.len()));
    items.iter().for_each(|item| push_row(&mut numbers, *item, values, plain));
    numbers
}

/// What some bits of the factors of bins are multiplied by, `each` bits of a bin one after the other: the values of its element that
/// have a factor, times the bit's weight.
fn weighed(
    items: &[Option<u32>],
    attached: Attached<'_>,
    each: usize,
    lanes: Range<usize>,
) -> Zeroizing<Vec<u128>> {
    let (values, products) = (Table::of(attached), attached.shape().products());
    let mut numbers = Zeroizing::new(Vec::with_capacity(products * lanes.len()));
    for lane in lanes {
        let place = lane % each;
        let weight = if place + 1 < each { 1_i128 << place } else { -1 << place };
        match items[lane / each] {
            Some(item) => {
                let row = &values.row(item as usize)[values.columns - products..];
                numbers.extend(row.iter().map(|value| value.wrapping_mul(weight).cast_unsigned()));
            }
            None => numbers.extend(std::iter::repeat_n(0, products)),
        }
    }
    numbers
}

/// The group of each bin's element; an empty bin has any.
fn groups_of(items: &[Option<u32>], attached: Attached<'_>) -> Zeroizing<Vec<u32>> {
    let Attached::Values { groups: Some(groups), .. } = attached else {
        return Zeroizing::default();
    };
    let group = |item: &Option<u32>| item.map_or(0, |item| groups.of[item as usize]);
    Zeroizing::new(items.iter().map(group).collect())
}
