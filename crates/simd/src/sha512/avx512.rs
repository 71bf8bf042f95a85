//! Eight lanes with AVX-512.

use std::arch::x86_64::*;

use super::constants::K;
use super::{BLOCK, one_by_one};

const LANES: usize = 8;

/// Compresses into each state its block, a group of lanes at a time.
///
/// A block left alone goes through the plain twin, which is faster for one than a group of lanes, but not for two.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn compress(states: &mut [[u64; 8]], blocks: &[[u8; BLOCK]]) {
    for (states, blocks) in states.chunks_mut(LANES).zip(blocks.chunks(LANES)) {
        if blocks.len() == 1 {
            one_by_one(states, blocks);
        } else {
            compress_group(states, blocks);
        }
    }
}

/// Compresses up to eight blocks. Lanes without a block of their own repeat the last one.
#[target_feature(enable = "avx512f,avx512bw")]
fn compress_group(states: &mut [[u64; 8]], blocks: &[[u8; BLOCK]]) {
    let mut window = load_words(blocks);
    let mut v = load_states(states);
    let [k @ .., last] = &K;
    for k in k {
        sixteen_rounds::<true>(&mut v, &mut window, k);
    }
    sixteen_rounds::<false>(&mut v, &mut window, last);
    add_to_states(states, v);
}

/// Rounds t to t + 15, t being a multiple of 16. `window` holds words t to t + 15 of the message schedule; where
/// `EXTEND`, it ends up with the next sixteen.
#[target_feature(enable = "avx512f")]
#[inline]
fn sixteen_rounds<const EXTEND: bool>(
    v: &mut [__m512i; 8],
    window: &mut [__m512i; 16],
    k: &[u64; 16],
) {
    round::<0, EXTEND>(v, window, k);
    round::<1, EXTEND>(v, window, k);
    round::<2, EXTEND>(v, window, k);
    round::<3, EXTEND>(v, window, k);
    round::<4, EXTEND>(v, window, k);
    round::<5, EXTEND>(v, window, k);
    round::<6, EXTEND>(v, window, k);
    round::<7, EXTEND>(v, window, k);
    round::<8, EXTEND>(v, window, k);
    round::<9, EXTEND>(v, window, k);
    round::<10, EXTEND>(v, window, k);
    round::<11, EXTEND>(v, window, k);
    round::<12, EXTEND>(v, window, k);
    round::<13, EXTEND>(v, window, k);
    round::<14, EXTEND>(v, window, k);
    round::<15, EXTEND>(v, window, k);
}

/// Round t, `T` being t modulo 16. Instead of moving every working variable to the next, each round counts them from
/// one place further.
#[target_feature(enable = "avx512f")]
#[inline]
fn round<const T: usize, const EXTEND: bool>(
    v: &mut [__m512i; 8],
    window: &mut [__m512i; 16],
    k: &[u64; 16],
) {
    let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (i + 16 - T) % 8);
    let word = _mm512_add_epi64(v[h], _mm512_add_epi64(window[T], broadcast(&k[T])));
    // The truth tables of: f where e, else g; and of: at least two of a, b, c.
    let choice = _mm512_ternarylogic_epi64::<0xca>(v[e], v[f], v[g]);
    let majority = _mm512_ternarylogic_epi64::<0xe8>(v[a], v[b], v[c]);
    let t1 = _mm512_add_epi64(_mm512_add_epi64(word, choice), sum_1(v[e]));
    v[d] = _mm512_add_epi64(v[d], t1);
    v[h] = _mm512_add_epi64(t1, _mm512_add_epi64(majority, sum_0(v[a])));
    if EXTEND {
        let old = _mm512_add_epi64(window[T], window[(T + 9) % 16]);
        let new = _mm512_add_epi64(sigma_0(window[(T + 1) % 16]), sigma_1(window[(T + 14) % 16]));
        window[T] = _mm512_add_epi64(old, new);
    }
}

/// A round constant in every lane. Each is loaded on its own: from a slice of words the compiler would load several at
/// once and take them apart with shuffles.
#[target_feature(enable = "avx512f")]
#[inline]
fn broadcast(constant: &u64) -> __m512i {
    // SAFETY: the pointer is to 8 readable bytes; the load needs no alignment.
    _mm512_broadcastq_epi64(unsafe { _mm_loadl_epi64(std::ptr::from_ref(constant).cast()) })
}

#[target_feature(enable = "avx512f")]
#[inline]
fn sum_0(x: __m512i) -> __m512i {
    xor_3(_mm512_ror_epi64::<28>(x), _mm512_ror_epi64::<34>(x), _mm512_ror_epi64::<39>(x))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn sum_1(x: __m512i) -> __m512i {
    xor_3(_mm512_ror_epi64::<14>(x), _mm512_ror_epi64::<18>(x), _mm512_ror_epi64::<41>(x))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn sigma_0(x: __m512i) -> __m512i {
    xor_3(_mm512_ror_epi64::<1>(x), _mm512_ror_epi64::<8>(x), _mm512_srli_epi64::<7>(x))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn sigma_1(x: __m512i) -> __m512i {
    xor_3(_mm512_ror_epi64::<19>(x), _mm512_ror_epi64::<61>(x), _mm512_srli_epi64::<6>(x))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn xor_3(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x96>(x, y, z)
}

/// The sixteen words of each block: vector t has word t of every lane.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load_words(blocks: &[[u8; BLOCK]]) -> [__m512i; 16] {
    let last = blocks.len() - 1;
    let reversed =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let mut window = [_mm512_setzero_si512(); 16];
    for (half, words) in window.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        for (lane, row) in words.iter_mut().enumerate() {
            let (eights, _) = blocks[last.min(lane)].as_chunks::<64>();
            *row = _mm512_shuffle_epi8(load(&eights[half]), reversed);
        }
        *words = transpose(*words);
    }
    window
}

/// The working variables: vector i has word i of every lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_states(states: &[[u64; 8]]) -> [__m512i; 8] {
    let last = states.len() - 1;
    let mut rows = [_mm512_setzero_si512(); 8];
    for (lane, row) in rows.iter_mut().enumerate() {
        *row = load(&states[last.min(lane)]);
    }
    transpose(rows)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn add_to_states(states: &mut [[u64; 8]], v: [__m512i; 8]) {
    for (state, v) in states.iter_mut().zip(transpose(v)) {
        let sum = _mm512_add_epi64(load(state), v);
        store(state, sum);
    }
}

/// Turns a square of words: word c of row r goes to word r of row c.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
    // Pairs of words within pairs of rows.
    let p = [
        _mm512_unpacklo_epi64(r0, r1),
        _mm512_unpackhi_epi64(r0, r1),
        _mm512_unpacklo_epi64(r2, r3),
        _mm512_unpackhi_epi64(r2, r3),
        _mm512_unpacklo_epi64(r4, r5),
        _mm512_unpackhi_epi64(r4, r5),
        _mm512_unpacklo_epi64(r6, r7),
        _mm512_unpackhi_epi64(r6, r7),
    ];
    // p[2j + s] has, in 128-bit piece i, word 2i + s of rows 2j, 2j + 1.
    let even = turn_pieces(p[0], p[2], p[4], p[6]);
    let odd = turn_pieces(p[1], p[3], p[5], p[7]);
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

/// Turns a square of 128-bit pieces.
#[target_feature(enable = "avx512f")]
#[inline]
fn turn_pieces(r0: __m512i, r1: __m512i, r2: __m512i, r3: __m512i) -> [__m512i; 4] {
    let (a, b) = (_mm512_shuffle_i64x2::<0x88>(r0, r1), _mm512_shuffle_i64x2::<0xdd>(r0, r1));
    let (c, d) = (_mm512_shuffle_i64x2::<0x88>(r2, r3), _mm512_shuffle_i64x2::<0xdd>(r2, r3));
    // a has pieces 0 and 2 of rows 0 and 1, b pieces 1 and 3; c and d the same of rows 2 and 3.
    [
        _mm512_shuffle_i64x2::<0x88>(a, c),
        _mm512_shuffle_i64x2::<0x88>(b, d),
        _mm512_shuffle_i64x2::<0xdd>(a, c),
        _mm512_shuffle_i64x2::<0xdd>(b, d),
    ]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load<T>(from: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: the pointer is to 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(std::ptr::from_ref(from).cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(to: &mut [u64; 8], value: __m512i) {
    // SAFETY: the pointer is to 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}
