//! The transpose with AVX2.

use std::arch::x86_64::*;

use super::Tile;

/// Turns a tile with four 64-bit words to a register.
///
/// The rounds are those of the plain twin; those below 64 never carry a bit from one half of a row to the other, so
/// that each half is a word of its own.
#[target_feature(enable = "avx2")]
pub(super) fn transpose(tile: &mut Tile) {
    for row in 0..64 {
        let (upper, lower) = (tile[row], tile[row + 64]);
        tile[row] = (upper & u128::from(u64::MAX)) | (lower << 64);
        tile[row + 64] = (upper >> 64) | (lower & !u128::from(u64::MAX));
    }
    round::<32>(tile, 0x0000_0000_ffff_ffff);
    round::<16>(tile, 0x0000_ffff_0000_ffff);
    round::<8>(tile, 0x00ff_00ff_00ff_00ff);
    round::<4>(tile, 0x0f0f_0f0f_0f0f_0f0f);
    round::<2>(tile, 0x3333_3333_3333_3333);
    last_round(tile);
}

/// The round of swaps by `S` rows, which is 2 to 32, two rows at a time.
#[target_feature(enable = "avx2")]
fn round<const S: i32>(tile: &mut Tile, low: i64) {
    let low = _mm256_set1_epi64x(low);
    let step = S as usize;
    let (rows, _) = tile.as_chunks_mut::<2>();
    for block in rows.chunks_exact_mut(step) {
        let (uppers, lowers) = block.split_at_mut(step / 2);
        for (a, b) in uppers.iter_mut().zip(lowers) {
            let (upper, lower) = (load(a), load(b));
            let swap =
                _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi64::<S>(upper), lower), low);
            store(b, _mm256_xor_si256(lower, swap));
            store(a, _mm256_xor_si256(upper, _mm256_slli_epi64::<S>(swap)));
        }
    }
}

/// The round of swaps by one row: both rows lie in one register.
#[target_feature(enable = "avx2")]
fn last_round(tile: &mut Tile) {
    let low = _mm256_set1_epi64x(0x5555_5555_5555_5555);
    let (rows, _) = tile.as_chunks_mut::<2>();
    for pair in rows {
        let both = load(pair);
        let turned = _mm256_permute2x128_si256::<0x01>(both, both);
        // The upper row takes its odd bits from the lower row's even ones, and the lower row the other way round.
        let upper = _mm256_or_si256(
            _mm256_and_si256(both, low),
            _mm256_slli_epi64::<1>(_mm256_and_si256(turned, low)),
        );
        let lower = _mm256_or_si256(
            _mm256_andnot_si256(low, both),
            _mm256_srli_epi64::<1>(_mm256_andnot_si256(low, turned)),
        );
        store(pair, _mm256_blend_epi32::<0xf0>(upper, lower));
    }
}

#[target_feature(enable = "avx2")]
fn load(rows: &[u128; 2]) -> __m256i {
    // SAFETY: the pointer is to 32 readable bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(rows.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn store(rows: &mut [u128; 2], value: __m256i) {
    // SAFETY: the pointer is to 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(rows.as_mut_ptr().cast(), value) }
}
