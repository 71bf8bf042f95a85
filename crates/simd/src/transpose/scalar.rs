//! The transpose in plain Rust: Eklundh's seven rounds of swaps.

use super::{TILE, Tile};

/// Turns a tile.
///
/// Round s, for s = 64, 32, …, 1, swaps bits c + s of row r with bits c of row r + s, for all r and c whose bit s is
/// 0.
pub(super) fn transpose(tile: &mut Tile) {
    round::<64>(tile, 0x0000_0000_0000_0000_ffff_ffff_ffff_ffff);
    round::<32>(tile, 0x0000_0000_ffff_ffff_0000_0000_ffff_ffff);
    round::<16>(tile, 0x0000_ffff_0000_ffff_0000_ffff_0000_ffff);
    round::<8>(tile, 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff);
    round::<4>(tile, 0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f);
    round::<2>(tile, 0x3333_3333_3333_3333_3333_3333_3333_3333);
    round::<1>(tile, 0x5555_5555_5555_5555_5555_5555_5555_5555);
}

/// One round; `low` has the bits c whose bit `S` is 0.
fn round<const S: usize>(tile: &mut Tile, low: u128) {
    for block in 0..TILE / (2 * S) {
        for row in block * 2 * S..block * 2 * S + S {
            let (upper, lower) = (tile[row], tile[row + S]);
            let swap = ((upper >> S) ^ lower) & low;
            tile[row + S] = lower ^ swap;
            tile[row] = upper ^ (swap << S);
        }
    }
}
