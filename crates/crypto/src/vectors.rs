//! Reading test vectors.

use serde_json::Value;

pub(crate) fn file(text: &str) -> Value {
    serde_json::from_str(text).expect("the file of vectors is JSON")
}

pub(crate) fn text(value: &Value) -> &[u8] {
    value.as_str().expect("a string").as_bytes()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn unhex(text: &str) -> [u8; 32] {
    let digits = |index| u8::from_str_radix(&text[2 * index..][..2], 16);
    std::array::from_fn(|index| digits(index).expect("two hexadecimal digits"))
}

/// A little-endian number in the big-endian hexadecimal of RFC 9380.
pub(crate) fn big_endian_hex(mut bytes: [u8; 32]) -> String {
    bytes.reverse();
    hex(&bytes)
}
