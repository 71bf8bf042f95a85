//! What the rounds need of lanes besides.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementations holds for every block"
)]

use std::arch::x86_64::*;

use crate::vector::{V4, V8, Vector};

/// What the rounds need of lanes besides.
pub(super) trait Lanes: Vector {
    /// The constant in every lane. Each is loaded on its own: from a slice of words the compiler would load several at once
    /// and take them apart with shuffles.
    fn broadcast(self, constant: &u64) -> Self::Int;
    /// The first words, most significant byte first, of a slice that has at least as many as lanes.
    fn load_big_endian(self, words: &[[u8; 8]]) -> Self::Int;

    /// Each word to the right by `R` bits, `L` being 64 − `R`.
    fn rotate<const R: u32, const L: u32>(self, x: Self::Int) -> Self::Int;
    /// Each word to the right by 8 bits.
    fn rotate_8(self, x: Self::Int) -> Self::Int;
    fn xor_3(self, x: Self::Int, y: Self::Int, z: Self::Int) -> Self::Int;
    /// f where e, else g.
    fn choice(self, e: Self::Int, f: Self::Int, g: Self::Int) -> Self::Int;
    /// What at least two of them have.
    fn majority(self, a: Self::Int, b: Self::Int, c: Self::Int) -> Self::Int;
}

// SAFETY of all blocks below: a value of `V4` says that the processor has the instructions; loads are of slices that are
// checked to be as long as a vector.
impl Lanes for V4 {
    #[inline(always)]
    fn broadcast(self, constant: &u64) -> __m256i {
        unsafe { _mm256_broadcastq_epi64(_mm_loadl_epi64(std::ptr::from_ref(constant).cast())) }
    }

    #[inline(always)]
    fn load_big_endian(self, words: &[[u8; 8]]) -> __m256i {
        let words = &words[..4];
        unsafe {
            let reversed = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
            let words = _mm256_loadu_si256(words.as_ptr().cast());
            _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(reversed))
        }
    }

    #[inline(always)]
    fn rotate<const R: u32, const L: u32>(self, x: __m256i) -> __m256i {
        const { assert!(R + L == 64) };
        self.xor(self.right::<R>(x), self.left::<L>(x))
    }

    #[inline(always)]
    fn rotate_8(self, x: __m256i) -> __m256i {
        unsafe {
            let by_byte = _mm_set_epi64x(0x080f_0e0d_0c0b_0a09, 0x0007_0605_0403_0201);
            _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(by_byte))
        }
    }

    #[inline(always)]
    fn xor_3(self, x: __m256i, y: __m256i, z: __m256i) -> __m256i {
        self.xor(self.xor(x, y), z)
    }

    #[inline(always)]
    fn choice(self, e: __m256i, f: __m256i, g: __m256i) -> __m256i {
        self.xor(g, self.and(e, self.xor(f, g)))
    }

    #[inline(always)]
    fn majority(self, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        self.xor(b, self.and(self.xor(a, b), self.xor(b, c)))
    }
}

// SAFETY of all blocks below: likewise of `V8`.
impl Lanes for V8 {
    #[inline(always)]
    fn broadcast(self, constant: &u64) -> __m512i {
        unsafe { _mm512_broadcastq_epi64(_mm_loadl_epi64(std::ptr::from_ref(constant).cast())) }
    }

    #[inline(always)]
    fn load_big_endian(self, words: &[[u8; 8]]) -> __m512i {
        let words = &words[..8];
        unsafe {
            let reversed = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
            let words = _mm512_loadu_si512(words.as_ptr().cast());
            _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(reversed))
        }
    }

    #[inline(always)]
    fn rotate<const R: u32, const L: u32>(self, x: __m512i) -> __m512i {
        const { assert!(R + L == 64) };
        unsafe { _mm512_rorv_epi64(x, _mm512_set1_epi64(i64::from(R))) }
    }

    #[inline(always)]
    fn rotate_8(self, x: __m512i) -> __m512i {
        self.rotate::<8, 56>(x)
    }

    #[inline(always)]
    fn xor_3(self, x: __m512i, y: __m512i, z: __m512i) -> __m512i {
        unsafe { _mm512_ternarylogic_epi64::<0x96>(x, y, z) }
    }

    #[inline(always)]
    fn choice(self, e: __m512i, f: __m512i, g: __m512i) -> __m512i {
        // A table of truth, as the next.
        unsafe { _mm512_ternarylogic_epi64::<0xca>(e, f, g) }
    }

    #[inline(always)]
    fn majority(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        unsafe { _mm512_ternarylogic_epi64::<0xe8>(a, b, c) }
    }
}
