//! Transforms modulo one prime: from a polynomial modulo x^n − 1 to its values at all n-th roots of unity, and back.
//!
//! Values lie in an order of their own, which is the same for all transforms of that size. [`tables`](super::tables) says
//! which polynomial a block stands for. Two levels are done at once, block by block if they do not fit the first cache.
//! The last three levels, inside of eight words, work on eight blocks, transposed; the values stay so.

use super::lanes::Lanes;
use super::modulo::{Factor, Modulo};
use super::tables::Roots;

/// Words that fit into the first cache, with roots beside them.
const CACHED: usize = 1 << 11;

/// Words of eight blocks of eight.
const TILE: usize = 64;

/// Transforms `row`, which is block `block` of its level: loose words, 64 or a larger power of two; loose.
#[inline(always)]
pub(super) fn forward<L: Lanes>(m: Modulo<L>, roots: &Roots, row: &mut [u64], block: usize) {
    let large = levels_above(row.len());
    for level in 0..large {
        twice::<L, false>(m, roots, row, row.len() >> (2 * level), block << (2 * level));
    }
    let parts = row.chunks_exact_mut(row.len() >> (2 * large));
    for (index, part) in parts.enumerate() {
        forward_cached(m, roots, part, (block << (2 * large)) + index);
    }
}

/// Undoes [`forward`] of a first block, but for a factor n: tight words; tight. `roots` are the inverses.
#[inline(always)]
pub(super) fn backward<L: Lanes>(m: Modulo<L>, roots: &Roots, row: &mut [u64]) {
    let large = levels_above(row.len());
    let parts = row.chunks_exact_mut(row.len() >> (2 * large));
    for (index, part) in parts.enumerate() {
        backward_cached(m, roots, part, index);
    }
    for level in (0..large).rev() {
        twice::<L, true>(m, roots, row, row.len() >> (2 * level), 0);
    }
}

/// Pairs of levels whose blocks are larger than what the cache holds.
fn levels_above(len: usize) -> u32 {
    (len / CACHED).max(1).ilog2().div_ceil(2)
}

#[inline(always)]
fn forward_cached<L: Lanes>(m: Modulo<L>, roots: &Roots, row: &mut [u64], mut block: usize) {
    let mut size = row.len();
    if (size / L::LANES).ilog2() % 2 == 1 {
        once::<L, false>(m, roots, row, block);
        (size, block) = (size / 2, 2 * block);
    }
    while size > L::LANES {
        twice::<L, false>(m, roots, row, size, block);
        (size, block) = (size / 4, 4 * block);
    }
    last::<L, false>(m, roots, row, block);
}

#[inline(always)]
fn backward_cached<L: Lanes>(m: Modulo<L>, roots: &Roots, row: &mut [u64], block: usize) {
    let log = (row.len() / L::LANES).ilog2();
    last::<L, true>(m, roots, row, block << log);
    for level in 1..=log / 2 {
        let size = L::LANES << (2 * level);
        twice::<L, true>(m, roots, row, size, block << log >> (2 * level));
    }
    if log % 2 == 1 {
        once::<L, true>(m, roots, row, block);
    }
}

/// One level of a single block.
#[inline(always)]
fn once<L: Lanes, const BACK: bool>(m: Modulo<L>, roots: &Roots, row: &mut [u64], block: usize) {
    let w = m.factor(roots.blocks[block]);
    let (low, high) = row.split_at_mut(row.len() / 2);
    for (a, b) in low.chunks_exact_mut(L::LANES).zip(high.chunks_exact_mut(L::LANES)) {
        let (x, y) = m.step::<BACK>(m.l.load(a), m.l.load(b), w);
        m.l.store(a, x);
        m.l.store(b, y);
    }
}

/// Two levels of all blocks of that size, of which `block` is the first.
#[inline(always)]
fn twice<L: Lanes, const BACK: bool>(
    m: Modulo<L>,
    roots: &Roots,
    row: &mut [u64],
    size: usize,
    block: usize,
) {
    for (index, part) in row.chunks_exact_mut(size).enumerate() {
        let block = block + index;
        let w = m.factor(roots.blocks[block]);
        let v = [m.factor(roots.blocks[2 * block]), m.factor(roots.blocks[2 * block + 1])];
        quarters::<L, BACK>(m, part, w, v);
    }
}

/// Two levels of a block: `w` is its own, `v` those of its halves.
#[inline(always)]
fn quarters<L: Lanes, const BACK: bool>(
    m: Modulo<L>,
    part: &mut [u64],
    w: Factor<L::Int>,
    v: [Factor<L::Int>; 2],
) {
    let (low, high) = part.split_at_mut(part.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    let low = a.chunks_exact_mut(L::LANES).zip(b.chunks_exact_mut(L::LANES));
    let high = c.chunks_exact_mut(L::LANES).zip(d.chunks_exact_mut(L::LANES));
    for ((a, b), (c, d)) in low.zip(high) {
        let (mut x, mut y) = (m.l.load(a), m.l.load(b));
        let (mut z, mut u) = (m.l.load(c), m.l.load(d));
        if BACK {
            (x, y) = m.backward(x, y, v[0]);
            (z, u) = m.backward(z, u, v[1]);
            (x, z) = m.backward(x, z, w);
            (y, u) = m.backward(y, u, w);
        } else {
            (x, z) = m.forward(x, z, w);
            (y, u) = m.forward(y, u, w);
            (x, y) = m.forward(x, y, v[0]);
            (z, u) = m.forward(z, u, v[1]);
        }
        m.l.store(a, x);
        m.l.store(b, y);
        m.l.store(c, z);
        m.l.store(d, u);
    }
}

/// The last three levels, if a single lane has not done them; `block` is the first of eight words.
#[inline(always)]
fn last<L: Lanes, const BACK: bool>(m: Modulo<L>, roots: &Roots, row: &mut [u64], block: usize) {
    if L::LANES == 1 {
        return;
    }
    let (tiles, _) = row.as_chunks_mut::<TILE>();
    for (tile, group) in tiles.iter_mut().zip(&roots.groups[block / 8..]) {
        let group = m.factors(group);
        if BACK {
            last_back(m, roots, group, tile);
        } else {
            last_forward(m, roots, group, tile);
        }
    }
}

#[inline(always)]
fn last_forward<L: Lanes>(
    m: Modulo<L>,
    roots: &Roots,
    group: Factor<L::Int>,
    tile: &mut [u64; TILE],
) {
    let mut y = [m.l.splat(0); 8];
    for n in 0..8 {
        y[n] = m.times(m.l.load(&tile[8 * n..]), group);
    }
    m.l.transpose(&mut y);
    for (y, powers) in y[1..].iter_mut().zip(&roots.within) {
        *y = m.times(*y, m.factors(powers));
    }
    for n in 0..4 {
        (y[n], y[n + 4]) = m.cross(y[n], y[n + 4]);
    }
    let [_, w1, w2, w3] = [0, 1, 2, 3].map(|block| roots.blocks[block]);
    let [w1, w2, w3] = [m.factor(w1), m.factor(w2), m.factor(w3)];
    for n in 0..2 {
        (y[n], y[n + 2]) = m.cross(m.less(y[n]), m.less(y[n + 2]));
        (y[n + 4], y[n + 6]) = m.forward(y[n + 4], y[n + 6], w1);
    }
    (y[0], y[1]) = m.cross(m.less(y[0]), m.less(y[1]));
    (y[2], y[3]) = m.forward(y[2], y[3], w1);
    (y[4], y[5]) = m.forward(y[4], y[5], w2);
    (y[6], y[7]) = m.forward(y[6], y[7], w3);
    for n in 0..8 {
        m.l.store(&mut tile[8 * n..], y[n]);
    }
}

#[inline(always)]
fn last_back<L: Lanes>(m: Modulo<L>, roots: &Roots, group: Factor<L::Int>, tile: &mut [u64; TILE]) {
    let mut y = [m.l.splat(0); 8];
    for n in 0..8 {
        y[n] = m.l.load(&tile[8 * n..]);
    }
    let [_, w1, w2, w3] = [0, 1, 2, 3].map(|block| roots.blocks[block]);
    let [w1, w2, w3] = [m.factor(w1), m.factor(w2), m.factor(w3)];
    (y[0], y[1]) = m.cross_back(y[0], y[1]);
    (y[2], y[3]) = m.backward(y[2], y[3], w1);
    (y[4], y[5]) = m.backward(y[4], y[5], w2);
    (y[6], y[7]) = m.backward(y[6], y[7], w3);
    for n in 0..2 {
        (y[n], y[n + 2]) = m.cross_back(y[n], y[n + 2]);
        (y[n + 4], y[n + 6]) = m.backward(y[n + 4], y[n + 6], w1);
    }
    for n in 0..4 {
        // What comes next takes loose words.
        (y[n], y[n + 4]) = m.cross(y[n], y[n + 4]);
    }
    for (y, powers) in y[1..].iter_mut().zip(&roots.within) {
        *y = m.times(*y, m.factors(powers));
    }
    m.l.transpose(&mut y);
    for n in 0..8 {
        m.l.store(&mut tile[8 * n..], m.times(y[n], group));
    }
}
