//! Four lanes with AVX2.

use std::arch::x86_64::*;

use super::constants::K;
use super::{BLOCK, one_by_one};

const LANES: usize = 4;

/// Compresses into each state its block, a group of lanes at a time.
///
/// A block left alone goes through the plain twin, which is faster for one than a group of lanes, but not for two.
#[target_feature(enable = "avx2")]
pub(super) fn compress(states: &mut [[u64; 8]], blocks: &[[u8; BLOCK]]) {
    for (states, blocks) in states.chunks_mut(LANES).zip(blocks.chunks(LANES)) {
        if blocks.len() == 1 {
            one_by_one(states, blocks);
        } else {
            compress_group(states, blocks);
        }
    }
}

/// Compresses up to four blocks. Lanes without a block of their own repeat the last one.
#[target_feature(enable = "avx2")]
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
#[target_feature(enable = "avx2")]
#[inline]
fn sixteen_rounds<const EXTEND: bool>(
    v: &mut [__m256i; 8],
    window: &mut [__m256i; 16],
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
#[target_feature(enable = "avx2")]
#[inline]
fn round<const T: usize, const EXTEND: bool>(
    v: &mut [__m256i; 8],
    window: &mut [__m256i; 16],
    k: &[u64; 16],
) {
    let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (i + 16 - T) % 8);
    let word = _mm256_add_epi64(v[h], _mm256_add_epi64(window[T], broadcast(&k[T])));
    let choice = xor(v[g], _mm256_and_si256(v[e], xor(v[f], v[g])));
    let majority = xor(v[b], _mm256_and_si256(xor(v[a], v[b]), xor(v[b], v[c])));
    let t1 = _mm256_add_epi64(_mm256_add_epi64(word, choice), sum_1(v[e]));
    v[d] = _mm256_add_epi64(v[d], t1);
    v[h] = _mm256_add_epi64(t1, _mm256_add_epi64(majority, sum_0(v[a])));
    if EXTEND {
        let old = _mm256_add_epi64(window[T], window[(T + 9) % 16]);
        let new = _mm256_add_epi64(sigma_0(window[(T + 1) % 16]), sigma_1(window[(T + 14) % 16]));
        window[T] = _mm256_add_epi64(old, new);
    }
}

/// A round constant in every lane. Each is loaded on its own: from a slice of words the compiler would load several at
/// once and take them apart with shuffles.
#[target_feature(enable = "avx2")]
#[inline]
fn broadcast(constant: &u64) -> __m256i {
    // SAFETY: the pointer is to 8 readable bytes; the load needs no alignment.
    _mm256_broadcastq_epi64(unsafe { _mm_loadl_epi64(std::ptr::from_ref(constant).cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
fn sum_0(x: __m256i) -> __m256i {
    xor(xor(rotate::<28, 36>(x), rotate::<34, 30>(x)), rotate::<39, 25>(x))
}

#[target_feature(enable = "avx2")]
#[inline]
fn sum_1(x: __m256i) -> __m256i {
    xor(xor(rotate::<14, 50>(x), rotate::<18, 46>(x)), rotate::<41, 23>(x))
}

#[target_feature(enable = "avx2")]
#[inline]
fn sigma_0(x: __m256i) -> __m256i {
    let by_byte = _mm_set_epi64x(0x080f_0e0d_0c0b_0a09, 0x0007_0605_0403_0201);
    let rotated = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(by_byte));
    xor(xor(rotate::<1, 63>(x), rotated), _mm256_srli_epi64::<7>(x))
}

#[target_feature(enable = "avx2")]
#[inline]
fn sigma_1(x: __m256i) -> __m256i {
    xor(xor(rotate::<19, 45>(x), rotate::<61, 3>(x)), _mm256_srli_epi64::<6>(x))
}

/// Rotates each word right by `R` bits, `L` being 64 - `R`.
#[target_feature(enable = "avx2")]
#[inline]
fn rotate<const R: i32, const L: i32>(x: __m256i) -> __m256i {
    const { assert!(R + L == 64) };
    xor(_mm256_srli_epi64::<R>(x), _mm256_slli_epi64::<L>(x))
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor(x: __m256i, y: __m256i) -> __m256i {
    _mm256_xor_si256(x, y)
}

/// The sixteen words of each block: vector t has word t of every lane.
#[target_feature(enable = "avx2")]
#[inline]
fn load_words(blocks: &[[u8; BLOCK]]) -> [__m256i; 16] {
    let last = blocks.len() - 1;
    let reversed =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let mut window = [_mm256_setzero_si256(); 16];
    for (quarter, words) in window.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        for (lane, row) in words.iter_mut().enumerate() {
            let (fours, _) = blocks[last.min(lane)].as_chunks::<32>();
            *row = _mm256_shuffle_epi8(load(&fours[quarter]), reversed);
        }
        *words = transpose(*words);
    }
    window
}

/// The working variables: vector i has word i of every lane.
#[target_feature(enable = "avx2")]
#[inline]
fn load_states(states: &[[u64; 8]]) -> [__m256i; 8] {
    let last = states.len() - 1;
    let mut v = [_mm256_setzero_si256(); 8];
    for (half, words) in v.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        for (lane, row) in words.iter_mut().enumerate() {
            let (fours, _) = states[last.min(lane)].as_chunks::<4>();
            *row = load(&fours[half]);
        }
        *words = transpose(*words);
    }
    v
}

#[target_feature(enable = "avx2")]
#[inline]
fn add_to_states(states: &mut [[u64; 8]], v: [__m256i; 8]) {
    let [a, b, c, d, e, f, g, h] = v;
    for (half, v) in [[a, b, c, d], [e, f, g, h]].into_iter().enumerate() {
        for (state, v) in states.iter_mut().zip(transpose(v)) {
            let (fours, _) = state.as_chunks_mut::<4>();
            let sum = _mm256_add_epi64(load(&fours[half]), v);
            store(&mut fours[half], sum);
        }
    }
}

/// Turns a square of words: word c of row r goes to word r of row c.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose([r0, r1, r2, r3]: [__m256i; 4]) -> [__m256i; 4] {
    // Words 0 and 2, and 1 and 3, of two rows.
    let (a, b) = (_mm256_unpacklo_epi64(r0, r1), _mm256_unpackhi_epi64(r0, r1));
    let (c, d) = (_mm256_unpacklo_epi64(r2, r3), _mm256_unpackhi_epi64(r2, r3));
    [
        _mm256_permute2x128_si256::<0x20>(a, c),
        _mm256_permute2x128_si256::<0x20>(b, d),
        _mm256_permute2x128_si256::<0x31>(a, c),
        _mm256_permute2x128_si256::<0x31>(b, d),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn load<T>(from: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: the pointer is to 32 readable bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(from).cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(to: &mut [u64; 4], value: __m256i) {
    // SAFETY: the pointer is to 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
}
