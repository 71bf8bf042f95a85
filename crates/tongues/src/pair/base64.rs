//! Base64 of 32 bytes: points, scalars and salts.

use ::base64::Engine;
use ::base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use super::NotBase64;

/// Characters of 32 bytes in Base64, with the padding.
const CHARACTERS: usize = 44;

/// 32 bytes in the Base64 of RFC 4648 (section 4), with the padding.
#[must_use]
pub fn encode(bytes: &[u8; 32]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// The 32 bytes that such a text stands for.
///
/// # Errors
/// When it is longer or shorter, has other characters, no padding, or bits that stand for nothing and are not 0.
pub fn decode(text: &str) -> Result<[u8; 32], NotBase64> {
    if text.len() != CHARACTERS {
        return Err(NotBase64);
    }
    // It may be a key.
    let mut bytes = Zeroizing::new([0; 33]);
    match BASE64_STANDARD.decode_slice(text, bytes.as_mut_slice()) {
        Ok(32) => bytes[..32].try_into().map_err(|_| NotBase64),
        _ => Err(NotBase64),
    }
}
