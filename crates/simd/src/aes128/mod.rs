//! AES with keys of 128 bits (FIPS 197), one key for many blocks.

#[cfg(any(test, all(target_arch = "wasm32", target_feature = "simd128")))]
mod planes;
#[cfg(any(test, all(target_arch = "wasm32", target_feature = "simd128")))]
mod sbox;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg(test)]
mod tests;

use aes::Block;
use aes::cipher::{BlockCipherEncrypt, KeyInit};

use crate::Kernel;

/// A key, in the form that its kernel takes; wiped.
pub struct Aes128(Form);

enum Form {
    /// The `aes` crate, which has instructions for it on other processors.
    Scalar(aes::Aes128Enc),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(planes::Keys),
}

impl Aes128 {
    /// The cipher under a key. A kernel that has no code of its own here gives way to [`Kernel::Scalar`], the `aes` crate.
    #[must_use]
    pub fn new(kernel: Kernel, key: &[u8; 16]) -> Self {
        Self(match kernel {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => Form::Simd128(planes::Keys::new(key)),
            _ => Form::Scalar(aes::Aes128Enc::new(key.into())),
        })
    }

    /// The cipher with the fastest kernel that runs here.
    #[must_use]
    pub fn best(key: &[u8; 16]) -> Self {
        Self::new(Kernel::best(), key)
    }

    /// Puts each block of `from`, encrypted, into `to`.
    ///
    /// # Panics
    /// When the two differ in length.
    pub fn encrypt_to(&self, from: &[Block], to: &mut [Block]) {
        match &self.0 {
            Form::Scalar(cipher) => {
                let encrypted = cipher.encrypt_blocks_b2b(from, to);
                assert!(encrypted.is_ok(), "each block has its place");
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Form::Simd128(keys) => {
                to.copy_from_slice(from);
                planes::encrypt::<simd128::Bytes>(keys, to);
            }
        }
    }

    /// Encrypts each block in place. The time depends on their number only.
    pub fn encrypt(&self, blocks: &mut [Block]) {
        match &self.0 {
            Form::Scalar(cipher) => cipher.encrypt_blocks(blocks),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Form::Simd128(keys) => planes::encrypt::<simd128::Bytes>(keys, blocks),
        }
    }
}
