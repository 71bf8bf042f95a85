//! The compression of SHA-512 (FIPS 180-4, section 6.4), several blocks at once.
//!
//! A register holds one word of several states, a lane for each: the lanes run the same rounds side by side.

#[cfg(target_arch = "x86_64")]
mod compress;
#[cfg(target_arch = "x86_64")]
mod constants;
#[cfg(target_arch = "x86_64")]
mod lanes;

#[cfg(test)]
mod tests;

use sha2::block_api::compress512;
use zeroize::zeroize_stack;

use crate::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::vector::{V4, V8};

/// Bytes of a block.
const BLOCK: usize = 128;

/// The state before the first block (FIPS 180-4, section 5.3.5): the first 64 bits of the fractional parts of the square
/// roots of the first eight primes.
pub const SHA512_START: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// Bytes of stack that are wiped after a compression: more than a kernel and the plain twin below it take.
///
/// What found no register, words of the messages among it, lies there. A wipe of 2 KiB or more can be several times
/// slower.
const STACK: usize = 1984;

/// Compresses into each state its block (FIPS 180-4, section 6.4), several at once.
///
/// A kernel that does not run here gives way to [`Kernel::Scalar`], the `sha2` crate.
///
/// # Panics
/// When there are not as many blocks as states.
pub fn sha512_compress(kernel: Kernel, states: &mut [[u64; 8]], blocks: &[[u8; BLOCK]]) {
    assert_eq!(states.len(), blocks.len(), "a block for each state");
    dispatch(kernel, states, blocks);
    zeroize_stack::<STACK>();
}

/// Never inlined, so that what is below the caller's frame is what the compression used.
#[inline(never)]
fn dispatch(kernel: Kernel, states: &mut [[u64; 8]], blocks: &[[u8; BLOCK]]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512Ifma | Kernel::Avx512f if kernel.runs_here() => {
            // SAFETY: the processor has the instructions.
            by_groups(8, states, blocks, |states, blocks| unsafe {
                compress::eight::compress(V8::new(), states, blocks);
            });
        }
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 if kernel.runs_here() => {
            // SAFETY: the processor has the instructions.
            by_groups(4, states, blocks, |states, blocks| unsafe {
                compress::four::compress(V4::new(), states, blocks);
            });
        }
        _ => one_by_one(states, blocks),
    }
}

/// A group of lanes at a time. A block left alone goes through the plain twin, which is faster for one than a group of lanes,
/// but not for two.
#[cfg(target_arch = "x86_64")]
fn by_groups(
    lanes: usize,
    states: &mut [[u64; 8]],
    blocks: &[[u8; BLOCK]],
    compress: impl Fn(&mut [[u64; 8]], &[[u8; BLOCK]]),
) {
    for (states, blocks) in states.chunks_mut(lanes).zip(blocks.chunks(lanes)) {
        if blocks.len() == 1 {
            one_by_one(states, blocks);
        } else {
            compress(states, blocks);
        }
    }
}

/// The plain twin.
fn one_by_one(states: &mut [[u64; 8]], blocks: &[[u8; BLOCK]]) {
    for (state, block) in states.iter_mut().zip(blocks) {
        compress512(state, std::slice::from_ref(block));
    }
}
