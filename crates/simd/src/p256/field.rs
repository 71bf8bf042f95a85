//! The field of p = 2^256 − 2^224 + 2^192 + 2^96 − 1 elements, several at once.
//!
//! An element a stands as a·R modulo p, R = 2^260, in five limbs of 52 bits (Montgomery's form): the number is below 16p,
//! not reduced. This p suits the form: −1/p is 1 modulo 2^52, so the multiple of p that clears a limb is the limb itself
//! times p; and four powers of 2 make p, so it takes six multiplications a limb where another p takes ten and the one that
//! finds the multiple.
//!
//! # Bounds
//!
//! A product of a < αp and b < βp is below (1 + αβ/16)·p, as R is nearly 16p. [`reduce`] gives numbers below 2.01p. The largest
//! that the formulas of [`point`](super::point) multiply are 4.3p with 4.3p and 2.01p with 3.5p; no product is above 2.2p.
//!
//! A column of a product has five low and five high halves, six of multiples of p, and a carry: it is below 17·2^52 < 2^56.1, and eight
//! times as much below 2^59.1. Sums and differences of some leave signed 64 bits far away.

use super::lanes::Lanes;
use super::{Point, X};
use crate::vector::{Halves, MASK_52, MOST_LANES, Vector};

/// Five limbs of 52 bits, least first.
pub(super) type Limbs = [u64; 5];

/// An operand of multiplications: limbs below 2^52.
pub(super) type Element<L> = [<L as Vector>::Int; 5];

/// A product, or a sum or difference of some: limbs with signs.
pub(super) struct Wide<L: Vector>([L::Int; 5]);

// Not derived, which would ask more of `L`.
impl<L: Vector> Clone for Wide<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Vector> Copy for Wide<L> {}

impl<L: Vector> Wide<L> {
    #[inline(always)]
    pub(super) fn of(element: Element<L>) -> Self {
        Self(element)
    }

    #[inline(always)]
    pub(super) fn plus(mut self, l: L, other: Self) -> Self {
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            *limb = l.add(*limb, other);
        }
        self
    }

    #[inline(always)]
    pub(super) fn minus(mut self, l: L, other: Self) -> Self {
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            *limb = l.subtract(*limb, other);
        }
        self
    }

    /// 2^`BITS` times as much.
    #[inline(always)]
    pub(super) fn times<const BITS: u32>(mut self, l: L) -> Self {
        for limb in &mut self.0 {
            *limb = l.left::<BITS>(*limb);
        }
        self
    }
}

/// p, limb by limb.
const P: Limbs = limbs(&MODULUS);

/// p, word by word.
const MODULUS: [u64; 4] = [u64::MAX, (1 << 32) - 1, 0, 0xffff_ffff_0000_0001];

/// 1
pub(super) const ONE: Limbs = montgomery([1, 0, 0, 0]);
/// R², by which a number is multiplied to become an element.
const R2: Limbs = shifted([1, 0, 0, 0], 2 * 260);
/// R³, by which the multiple of R is multiplied.
const R3: Limbs = shifted([1, 0, 0, 0], 3 * 260);

/// A number as an element.
pub(super) const fn montgomery(number: [u64; 4]) -> Limbs {
    shifted(number, 260)
}

/// A number below p times 2^`bits` modulo p.
const fn shifted(mut number: [u64; 4], bits: usize) -> Limbs {
    let mut done = 0;
    while done < bits {
        let (twice, carry) = twice(&number);
        let (less, borrow) = subtract(&twice, &MODULUS);
        number = if carry == 1 || borrow == 0 { less } else { twice };
        done += 1;
    }
    limbs(&number)
}

const fn twice(number: &[u64; 4]) -> ([u64; 4], u64) {
    let [w0, w1, w2, w3] = *number;
    ([w0 << 1, w1 << 1 | w0 >> 63, w2 << 1 | w1 >> 63, w3 << 1 | w2 >> 63], w3 >> 63)
}

/// a − b modulo 2^256, and 1 if b is larger.
pub(super) const fn subtract(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], u64) {
    let mut difference = [0; 4];
    let (mut borrow, mut index) = (0, 0);
    while index < 4 {
        let wide = (a[index] as u128).wrapping_sub(b[index] as u128).wrapping_sub(borrow as u128);
        (difference[index], borrow) = (wide as u64, (wide >> 127) as u64);
        index += 1;
    }
    (difference, borrow)
}

const fn limbs(number: &[u64; 4]) -> Limbs {
    let [w0, w1, w2, w3] = *number;
    [
        w0 & MASK_52,
        (w0 >> 52 | w1 << 12) & MASK_52,
        (w1 >> 40 | w2 << 24) & MASK_52,
        (w2 >> 28 | w3 << 36) & MASK_52,
        w3 >> 16,
    ]
}

/// Word `index` of a big-endian number, the least being 0.
pub(super) fn word(bytes: &[u8], index: usize) -> u64 {
    let place = bytes.len() - 8 * (index + 1);
    u64::from_be_bytes(bytes[place..][..8].try_into().expect("8 bytes"))
}

/// The words of a big-endian number, least first.
pub(super) fn words(bytes: &[u8]) -> [u64; 4] {
    std::array::from_fn(|index| word(bytes, index))
}

/// Whether a big-endian number is below p. It is public.
pub(super) fn is_below_p(bytes: &[u8]) -> bool {
    subtract(&words(bytes), &MODULUS).1 == 1
}

/// The same element in all lanes.
#[inline(always)]
pub(super) fn splat<L: Vector>(l: L, limbs: &Limbs) -> Element<L> {
    let mut element = [l.splat(0); 5];
    for (limb, value) in element.iter_mut().zip(limbs) {
        *limb = l.splat(*value);
    }
    element
}

/// The limbs of at most as many values as lanes, at least one; lanes beyond have the last again.
#[inline(always)]
fn rows<L: Vector, T>(l: L, values: &[T], limbs: impl Fn(&T) -> Limbs) -> Element<L> {
    let mut rows = [[0; MOST_LANES]; 5];
    let last = values.len() - 1;
    for lane in 0..L::LANES {
        for (row, limb) in rows.iter_mut().zip(limbs(&values[lane.min(last)])) {
            row[lane] = limb;
        }
    }
    let mut element = [l.splat(0); 5];
    for (limb, row) in element.iter_mut().zip(&rows) {
        *limb = l.load(row);
    }
    element
}

/// The elements that a group of big-endian numbers stands for.
#[inline(always)]
pub(super) fn load<L: Lanes, T>(l: L, group: &[T], number: impl Fn(&T) -> &[u8]) -> Element<L> {
    let numbers = rows(l, group, |value| limbs(&words(number(value))));
    product(l, numbers, splat(l, &R2))
}

/// The x-coordinates of a group of points.
#[inline(always)]
pub(super) fn load_x<L: Lanes>(l: L, group: &[Point]) -> Element<L> {
    load(l, group, |point| &point[..32])
}

/// The y-coordinates of a group of points.
#[inline(always)]
pub(super) fn load_y<L: Lanes>(l: L, group: &[Point]) -> Element<L> {
    load(l, group, |point| &point[32..])
}

/// The elements that a group of big-endian numbers of 384 bits stands for.
#[inline(always)]
pub(super) fn load_wide<L: Lanes>(l: L, group: &[[u8; 48]]) -> Element<L> {
    let low = rows(l, group, |wide| {
        let [w0, w1, w2, w3, w4, _] = std::array::from_fn(|index| word(wide, index));
        let mut low = limbs(&[w0, w1, w2, w3]);
        low[4] |= w4 << 48 & MASK_52;
        low
    });
    let high = rows(l, group, |wide| {
        let (w4, w5) = (word(wide, 4), word(wide, 5));
        limbs(&[w4 >> 4 | w5 << 60, w5 >> 4, 0, 0])
    });
    let [low, high] = multiply(l, [low, high], [splat(l, &R2), splat(l, &R3)]);
    carry(l, low.plus(l, high))
}

/// Each a·b. Several products side by side keep the processor busy, for each alone waits on its own sums.
#[inline(always)]
pub(super) fn multiply<L: Halves, const N: usize>(
    l: L,
    a: [Element<L>; N],
    b: [Element<L>; N],
) -> [Wide<L>; N] {
    let mut sums = [[l.splat(0); 6]; N];
    for i in 0..5 {
        let factors = nth(&a, i);
        for j in 0..5 {
            for n in 0..N {
                sums[n][j] = l.low(sums[n][j], factors[n], b[n][j]);
            }
        }
        for j in 0..5 {
            for n in 0..N {
                sums[n][j + 1] = l.high(sums[n][j + 1], factors[n], b[n][j]);
            }
        }
        for sums in &mut sums {
            let [_, s1, s2, s3, s4, s5] = clear_lowest(l, *sums);
            *sums = [s1, s2, s3, s4, s5, l.splat(0)];
        }
    }
    wide(l, sums)
}

/// Limb `index` of each.
#[inline(always)]
fn nth<I: Copy, const N: usize>(elements: &[[I; 5]; N], index: usize) -> [I; N] {
    let mut limbs = [elements[0][index]; N];
    for (limb, element) in limbs.iter_mut().zip(elements) {
        *limb = element[index];
    }
    limbs
}

/// Each a².
#[inline(always)]
pub(super) fn square<L: Halves, const N: usize>(l: L, a: [Element<L>; N]) -> [Wide<L>; N] {
    let mut columns = [[l.splat(0); 10]; N];
    for i in 0..5 {
        for j in i + 1..5 {
            for n in 0..N {
                columns[n][i + j] = l.low(columns[n][i + j], a[n][i], a[n][j]);
                columns[n][i + j + 1] = l.high(columns[n][i + j + 1], a[n][i], a[n][j]);
            }
        }
    }
    for columns in &mut columns {
        for column in &mut columns[1..9] {
            *column = l.add(*column, *column);
        }
    }
    for i in 0..5 {
        for n in 0..N {
            columns[n][2 * i] = l.low(columns[n][2 * i], a[n][i], a[n][i]);
            columns[n][2 * i + 1] = l.high(columns[n][2 * i + 1], a[n][i], a[n][i]);
        }
    }
    let mut sums = [[l.splat(0); 6]; N];
    for i in 0..5 {
        for c in &mut columns {
            let cleared = clear_lowest(l, [c[i], c[i + 1], c[i + 2], c[i + 3], c[i + 4], c[i + 5]]);
            c[i..i + 6].copy_from_slice(&cleared);
        }
    }
    for n in 0..N {
        sums[n][..5].copy_from_slice(&columns[n][5..]);
    }
    wide(l, sums)
}

#[inline(always)]
fn wide<L: Halves, const N: usize>(l: L, sums: [[L::Int; 6]; N]) -> [Wide<L>; N] {
    let mut products = [Wide([l.splat(0); 5]); N];
    for n in 0..N {
        products[n].0.copy_from_slice(&sums[n][..5]);
    }
    products
}

/// The same modulo p, without the lowest limb, which is not written.
///
/// Its 52 bits m are cleared by m·p = (−1 + 2^96 + 2^192 + (2^32 − 1)·2^224)·m; powers are taken in limbs of 52 bits.
#[inline(always)]
fn clear_lowest<L: Halves>(l: L, s: [L::Int; 6]) -> [L::Int; 6] {
    let m = s[0];
    let (p1, p3, p4) = (l.splat(1 << 44), l.splat(1 << 36), l.splat(P[4]));
    let s1 = l.add(s[1], l.right::<52>(m));
    [
        m,
        l.low(s1, m, p1),
        l.high(s[2], m, p1),
        l.low(s[3], m, p3),
        l.low(l.high(s[4], m, p3), m, p4),
        l.high(s[5], m, p4),
    ]
}

/// The same number with limbs below 2^52, if it is from 0 to 2^260.
#[inline(always)]
pub(super) fn carry<L: Vector>(l: L, Wide(mut limbs): Wide<L>) -> Element<L> {
    for k in 0..4 {
        limbs[k + 1] = l.add(limbs[k + 1], l.right_signed::<52>(limbs[k]));
        limbs[k] = l.and(limbs[k], l.splat(MASK_52));
    }
    limbs
}

/// The same modulo p, from 0.99p to 2.01p.
///
/// Of a number v = t·2^256 + r with r from 0 to 2^256, up to carries below 2^217, remains v − (t − 1)·p: r + p and t times at most
/// 2^224.
#[inline(always)]
pub(super) fn reduce<L: Vector>(l: L, wide: Wide<L>) -> Element<L> {
    let [l0, l1, l2, l3, l4] = wide.0;
    let t = l.subtract(l.right_signed::<48>(l4), l.splat(1));
    let l4 = l.and(l4, l.splat((1 << 48) - 1));
    // 2^256 − p = 2^224 − 2^192 − 2^96 + 1, and the 2^256 of the t that is kept.
    let folded = [
        l.add(l0, t),
        l.subtract(l1, l.left::<44>(t)),
        l2,
        l.subtract(l3, l.left::<36>(t)),
        l.add(l.add(l4, l.left::<16>(t)), l.splat(1 << 48)),
    ];
    carry(l, Wide(folded))
}

/// a·b
#[inline(always)]
pub(super) fn product<L: Lanes>(l: L, a: Element<L>, b: Element<L>) -> Element<L> {
    let [product] = multiply(l, [a], [b]);
    carry(l, product)
}

/// a − b
#[inline(always)]
pub(super) fn difference<L: Vector>(l: L, a: Element<L>, b: Element<L>) -> Element<L> {
    reduce(l, Wide(a).minus(l, Wide(b)))
}

/// The limbs of the number below p that an element stands for.
#[inline(always)]
pub(super) fn canonical<L: Lanes>(l: L, element: Element<L>) -> Element<L> {
    // Below p + 1, for the element is below R.
    let number = product(l, element, splat(l, &[1, 0, 0, 0, 0]));
    let less = carry(l, Wide(number).minus(l, Wide(splat(l, &P))));
    select(l, l.right_signed::<63>(less[4]), number, less)
}

/// −a for limbs of a number from 1 to p − 1.
#[inline(always)]
pub(super) fn opposite<L: Vector>(l: L, number: Element<L>) -> Element<L> {
    carry(l, Wide(splat(l, &P)).minus(l, Wide(number)))
}

/// All bits where a canonical number is odd, else none.
#[inline(always)]
pub(super) fn odd<L: Vector>(l: L, number: Element<L>) -> L::Int {
    l.subtract(l.splat(0), l.and(number[0], l.splat(1)))
}

/// All bits where a canonical number is 0, else none.
#[inline(always)]
pub(super) fn zero<L: Vector>(l: L, number: Element<L>) -> L::Int {
    let [l0, l1, l2, l3, l4] = number;
    let sum = l.add(l.add(l.add(l0, l1), l.add(l2, l3)), l4);
    l.right_signed::<63>(l.subtract(sum, l.splat(1)))
}

/// In each lane `yes` where the mask has all bits, `no` where it has none.
#[inline(always)]
pub(super) fn select<L: Vector>(l: L, mask: L::Int, yes: Element<L>, no: Element<L>) -> Element<L> {
    let mut chosen = no;
    for (chosen, yes) in chosen.iter_mut().zip(yes) {
        *chosen = l.xor(*chosen, l.and(mask, l.xor(*chosen, yes)));
    }
    chosen
}

/// Puts canonical numbers into a group of points, at most as many as lanes: big-endian, from byte `START` on.
#[inline(always)]
pub(super) fn put<L: Vector, const START: usize>(l: L, number: Element<L>, group: &mut [Point]) {
    let [l0, l1, l2, l3, l4] = number;
    let words = [
        l.array(l.add(l0, l.left::<52>(l1))),
        l.array(l.add(l.right::<12>(l1), l.left::<40>(l2))),
        l.array(l.add(l.right::<24>(l2), l.left::<28>(l3))),
        l.array(l.add(l.right::<36>(l3), l.left::<16>(l4))),
    ];
    for (lane, point) in group.iter_mut().enumerate() {
        for (bytes, word) in point[START..][..32].chunks_exact_mut(8).rev().zip(&words) {
            bytes.copy_from_slice(&word[lane].to_be_bytes());
        }
    }
}

/// Puts a group of x-coordinates, as they were given, into points.
pub(super) fn put_x(xs: &[X], points: &mut [Point]) {
    for (x, point) in xs.iter().zip(points) {
        point[..32].copy_from_slice(x);
    }
}
