//! Sixteen bytes in the 128-bit vectors of WebAssembly.

use std::arch::wasm32::*;
use std::ops::{BitAnd, BitXor};

use super::planes;

#[derive(Clone, Copy)]
pub(super) struct Bytes(v128);

/// Where each byte comes from when columns become rows, or rows columns.
static TURNED: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// The same when row r moves by r bytes.
static SHIFTED: [u8; 16] = [0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14];

impl Bytes {
    /// Engines build a constant of 128 bits with several instructions at each use; a load takes one, and only what is volatile
    /// stays a load.
    #[inline(always)]
    fn moved(self, from: &'static [u8; 16]) -> Self {
        // SAFETY: sixteen bytes that may be read, and none need be aligned within the word.
        let from = unsafe { std::ptr::from_ref(from).cast::<Unaligned>().read_volatile() };
        Self(i8x16_swizzle(self.0, from.0))
    }
}

/// A vector at any address.
#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Unaligned(v128);

impl BitAnd for Bytes {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }
}

impl BitXor for Bytes {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }
}

impl planes::Bytes for Bytes {
    #[inline(always)]
    fn load(bytes: &[u8; 16]) -> Self {
        // SAFETY: there are sixteen bytes, and none need be aligned.
        Self(unsafe { v128_load(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8; 16]) {
        // SAFETY: there are sixteen bytes, and none need be aligned.
        unsafe { v128_store(bytes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self(u8x16_splat(byte))
    }

    #[inline(always)]
    fn turn(self) -> Self {
        self.moved(&TURNED)
    }

    #[inline(always)]
    fn shift_rows(self) -> Self {
        self.moved(&SHIFTED)
    }

    #[inline(always)]
    fn rows<const BY: usize>(self) -> Self {
        Self(match BY {
            1 => i32x4_shuffle::<1, 2, 3, 0>(self.0, self.0),
            2 => i32x4_shuffle::<2, 3, 0, 1>(self.0, self.0),
            _ => unreachable!("rows move by one or two"),
        })
    }

    #[inline(always)]
    fn left<const BITS: u32>(self) -> Self {
        Self(i64x2_shl(self.0, BITS))
    }

    #[inline(always)]
    fn right<const BITS: u32>(self) -> Self {
        Self(u64x2_shr(self.0, BITS))
    }

    #[inline(always)]
    fn all_where(self, bit: u8) -> Self {
        let bit = u8x16_splat(bit);
        Self(u8x16_eq(v128_and(self.0, bit), bit))
    }
}
