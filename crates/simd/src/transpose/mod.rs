//! Transposing squares of 128 by 128 bits.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use crate::Kernel;

/// Rows and columns of a [`Tile`].
pub const TILE: usize = 128;

/// A square of bits: bit c of row r is bit c of entry r, the least significant bit being bit 0.
///
/// Long columns of bits are kept tile by tile, so that a tile's 2 KiB stay in the first cache while it is turned.
pub type Tile = [u128; TILE];

/// Turns each tile in place: bit c of entry r goes to bit r of entry c.
pub fn transpose(tiles: &mut [Tile]) {
    transpose_with(Kernel::best(), tiles);
}

/// [`transpose`] with a kernel that runs here; with any other, in plain Rust.
fn transpose_with(kernel: Kernel, tiles: &mut [Tile]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        _ if kernel >= Kernel::Avx2 && kernel.runs_here() => {
            // SAFETY: the processor has AVX2.
            tiles.iter_mut().for_each(|tile| unsafe { x86::transpose(tile) });
        }
        _ => tiles.iter_mut().for_each(scalar::transpose),
    }
}
