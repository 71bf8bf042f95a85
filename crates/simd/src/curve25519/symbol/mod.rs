//! Which numbers are squares modulo p: Legendre symbols by a binary greatest common divisor.
//!
//! # Steps
//!
//! Pornin's algorithm (eprint 2020/972), with Jacobi's symbol (a|b) followed in place of an inverse. From a = x and
//! b = p on, with b always odd, a step is
//!
//! 1. if a is odd and below b, swap them: the symbol changes its sign if both are 3 mod 4;
//! 2. if a is odd, a ← a − b;
//! 3. a ← a / 2: the symbol changes its sign if b is 3 or 5 mod 8.
//!
//! While a is not 0, a step takes at least one bit off the lengths of a and b together. In the end a is 0 and b the
//! greatest common divisor, which is 1 unless p divides x. The lengths are 257 and 255 at first: after
//! [`ROUNDS`]·[`STEPS`] + [`LAST`] = 511 steps that end is reached, and further steps would change nothing.
//!
//! # Words
//!
//! [`STEPS`] steps at a time see a word in place of each number and find the factors with which a and b become
//! (f·a + g·b) / 2^29. The low [`LOW`] bits of a word are its number's; above them is ⌊a / E⌋ or ⌊b / E⌋, with E such
//! that the larger of the two is between 2^31·(1 − 2^-19) and 2^32·(1 − 2^-20). So words are below 2^63. Steps are
//! linear: after j of them |f| + |g| ≤ 2^j, for words as for numbers.
//!
//! - The low 31 − j bits of words are still those of the numbers. The symbol needs three.
//! - In units of E for numbers and of 2^31 for words, a word is off by ε = 1 + 2^-17 at most: 1 through the floor and the
//!   low bits, the rest through the rounding of doubles.
//! - Words are never negative, so numbers are at least −ε.
//! - The sum a + b is halved, or becomes b / 2 more than its half, which is −ε / 2 at least. So after j steps it is at
//!   least 2^31·(1 − 2^-19) / 2^j − ε, which is positive: a and b are never negative both.
//!
//! With a negative number the symbol means (a | |b|). What steps do to it holds for either sign, with residues as in
//! two's complement, except for a swap of two negative numbers. Between rounds the signs are taken off: that of b goes
//! without a change, that of a changes the symbol's sign if |b| is 3 mod 4.
//!
//! # Lengths
//!
//! A comparison of words can be wrong when the numbers are within 2ε of each other. The lengths, n of the longer number
//! and m of the other, still lose 29 bits together in a round. That is clear if no comparison is wrong. At the first
//! wrong one a + b ≥ 8·(1 − 2^-19), so the larger number is less than twice the smaller, which the steps before cannot
//! have made larger than the smaller was at first: the larger has at most m + 1 bits. One number becomes negative, −ε at
//! least. From then on, through each case of a step, one is within ±ε and the other not above that larger one. As
//! E ≤ 2^(n − 31) / (1 − 2^-20), even if a double is rounded up to 2^n, the one within ±ε has at most n − 30 bits.
//!
//! # Limbs
//!
//! Limbs have 29 bits, so that dividing by 2^29 drops one. Sums of products stay below 2^61. Before round i a number
//! has at most 257 and, unless a is 0, at most 511 − 29·i bits: the second half needs fewer limbs from round to round. Only
//! a b that is a multiple of p is cut off by that; its first limb remains that of p or −p, and is not 1.

mod pair;

use super::field::Rows;
use super::words::Words;
use pair::{BITS, LIMBS, Pair};

/// Steps of a round.
const STEPS: u32 = BITS;
const ROUNDS: usize = 16;
/// Steps after the rounds, on numbers that fit a word.
const LAST: u32 = 47;
/// Bits of a word that are its number's.
const LOW: u32 = 31;

/// Doubles from here to twice as much are multiples of 2^-18.
const POWER_34: f64 = (1u64 << 34) as f64;
/// What brings the bit of weight 1 of such a double to bit [`LOW`].
const TO_TOP: u32 = LOW - 18;

/// The exponent of a double.
const EXPONENT: i64 = 0x7ff << 52;
/// 2^31·(1 − 2^-20)
const LARGER: f64 = ((1u64 << 31) - (1 << 11)) as f64;
/// Less the exponent of a double from 1 on, this is `LARGER` divided by the power of two that the exponent means.
const SCALE: i64 = LARGER.to_bits().cast_signed().wrapping_add(1f64.to_bits().cast_signed());

/// Words in place of the two numbers, and what they have done to the symbol.
#[derive(Clone, Copy)]
struct Short<W: Words> {
    a: W::Int,
    b: W::Int,
    /// The sum modulo 2 of each a & b that were swapped: bit 1 is that of the symbol's changes.
    swapped: W::Int,
    /// The sum modulo 2 of the b at each halving: so is that of bits 1 and 2.
    halved: W::Int,
}

/// What a and b are of the numbers before the round: f + 2^32·g.
#[derive(Clone, Copy)]
struct Factors<W: Words> {
    a: W::Int,
    b: W::Int,
}

/// In each mask, bit i says whether lane i is a square other than 0 modulo p. Limbs are below 2^52. Several groups of
/// lanes side by side keep the processor busy, for each step waits on the one before.
#[inline(always)]
pub(super) fn squares<W: Words, const N: usize>(w: W, x: &[Rows; N]) -> [u8; N] {
    let zero = w.ints(0);
    let mut pairs = [Pair::new(w, &x[0]); N];
    for n in 1..N {
        pairs[n] = Pair::new(w, &x[n]);
    }
    let mut shorts = [Short { a: zero, b: zero, swapped: zero, halved: zero }; N];
    for round in 0..ROUNDS {
        let count = count(round);
        let factors = run(w, &pairs, &mut shorts, count);
        pair::update(w, &mut pairs, &factors, count);
        if self::count(round + 1) < count {
            pair::drop_limb(w, &mut pairs, count);
        }
    }
    finish(w, &pairs, &mut shorts);
    let mut squares = [0; N];
    for n in 0..N {
        squares[n] = result(w, shorts[n]);
    }
    squares
}

/// Limbs before a round.
const fn count(round: usize) -> usize {
    if round < ROUNDS + 2 - LIMBS { LIMBS } else { ROUNDS + 2 - round }
}

/// The steps of a round on words.
#[inline(always)]
fn run<W: Words, const N: usize>(
    w: W,
    pairs: &[Pair<W>; N],
    shorts: &mut [Short<W>; N],
    count: usize,
) -> [Factors<W>; N] {
    let floats = pair::floats(w, pairs, count);
    let mut factors = [Factors { a: w.ints(0), b: w.ints(0) }; N];
    for n in 0..N {
        factors[n] = shorten(w, &pairs[n], floats[n], &mut shorts[n]);
    }
    for _ in 0..STEPS {
        for n in 0..N {
            let (odd, swap) = step(w, &mut shorts[n]);
            follow(w, &mut factors[n], odd, swap);
        }
    }
    factors
}

/// Takes off the signs, and gives the words and the first factors.
#[inline(always)]
fn shorten<W: Words>(
    w: W,
    pair: &Pair<W>,
    [a, b]: [W::Float; 2],
    short: &mut Short<W>,
) -> Factors<W> {
    let (minus_a, minus_b) = (w.negative(w.bits(a)), w.negative(w.bits(b)));
    let positive = w.ints(i64::MAX);
    let (a, b) = (w.number(w.and(w.bits(a), positive)), w.number(w.and(w.bits(b), positive)));
    let exponent = w.and(w.bits(w.maximum(a, b)), w.ints(EXPONENT));
    let scale = w.number(w.subtract(w.ints(SCALE), exponent));
    short.a = word(w, w.multiply_add(a, scale, w.floats(POWER_34)), minus_a, &pair.a);
    short.b = word(w, w.multiply_add(b, scale, w.floats(POWER_34)), minus_b, &pair.b);
    sign(w, minus_a, short);
    Factors {
        a: w.select(minus_a, w.ints(-1), w.ints(1)),
        b: w.select(minus_b, w.ints(-1 << 32), w.ints(1 << 32)),
    }
}

/// The word of a number of this sign.
#[inline(always)]
fn word<W: Words>(w: W, top: W::Float, minus: W::Mask, limbs: &[W::Int; LIMBS]) -> W::Int {
    let top = w.left::<TO_TOP>(w.bits(top));
    let low = w.negate_if(minus, pair::two_limbs(w, limbs));
    w.xor(top, w.and(w.xor(top, low), w.ints((1 << LOW) - 1)))
}

/// What it is to the symbol that a was negative.
#[inline(always)]
fn sign<W: Words>(w: W, minus_a: W::Mask, short: &mut Short<W>) {
    short.swapped = w.select(minus_a, w.xor(short.swapped, short.b), short.swapped);
}

/// A step on words, and in which lanes a was odd, and was swapped.
#[inline(always)]
fn step<W: Words>(w: W, short: &mut Short<W>) -> (W::Mask, W::Mask) {
    let Short { a, b, swapped, halved } = *short;
    let odd = w.odd(a);
    let difference = w.subtract_if(odd, a, b);
    let swap = w.negative(difference);
    short.swapped = w.xor_and_if(swap, swapped, a, b);
    short.b = w.select(swap, a, b);
    short.a = w.right::<1>(w.negate_if(swap, difference));
    short.halved = w.xor(halved, short.b);
    (odd, swap)
}

/// The same step on factors: where a is halved, those of b are doubled.
#[inline(always)]
fn follow<W: Words>(w: W, factors: &mut Factors<W>, odd: W::Mask, swap: W::Mask) {
    let Factors { a, b } = *factors;
    let b_next = w.select(swap, a, b);
    factors.a = w.negate_if(swap, w.subtract_if(odd, a, b));
    factors.b = w.add(b_next, b_next);
}

/// The last steps, on numbers of two limbs.
#[inline(always)]
fn finish<W: Words, const N: usize>(w: W, pairs: &[Pair<W>; N], shorts: &mut [Short<W>; N]) {
    for n in 0..N {
        let (a, b) = (pair::two_limbs(w, &pairs[n].a), pair::two_limbs(w, &pairs[n].b));
        let minus_a = w.negative(a);
        shorts[n].a = w.negate_if(minus_a, a);
        shorts[n].b = w.negate_if(w.negative(b), b);
        sign(w, minus_a, &mut shorts[n]);
    }
    for _ in 0..LAST {
        for short in &mut *shorts {
            step(w, short);
        }
    }
}

/// Yes where b is 1 and the symbol has not changed its sign.
#[inline(always)]
fn result<W: Words>(w: W, short: Short<W>) -> u8 {
    let Short { b, swapped, halved, .. } = short;
    let changes = w.xor(w.xor(swapped, halved), w.right::<1>(halved));
    let wrong = w.xor(w.xor(b, w.ints(1)), w.and(changes, w.ints(2)));
    let mut mask = 0;
    for (lane, wrong) in w.array(wrong)[..W::LANES].iter().enumerate() {
        mask |= u8::from(*wrong == 0) << lane;
    }
    mask
}
