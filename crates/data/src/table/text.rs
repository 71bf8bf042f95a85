//! From bytes to text, before any row is looked for.

/// What `bytes` begin like, where it is a known format other than text.
pub(super) fn other_format(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16 text"),
        [b'P', b'K', 3, 4, ..] => Some("a spreadsheet or zip archive"),
        [b'P', b'A', b'R', b'1', ..] => Some("Parquet"),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => Some("an old spreadsheet"),
        [0x1f, 0x8b, ..] => Some("compressed (gzip)"),
        _ => None,
    }
}

/// `bytes` as text without a copy; cut short before the first fault, with what that is.
pub(super) fn valid_text(bytes: Vec<u8>) -> (String, Option<&'static str>) {
    let (mut text, mut fault) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            (String::from_utf8(bytes).unwrap_or_default(), Some("bytes that are not UTF-8"))
        }
    };
    if let Some(zero) = text.find('\0') {
        text.truncate(zero);
        fault = Some("a zero byte, as in UTF-16 or binary files");
    }
    (text, fault)
}
