//! Numbers as people write and read them, for programs on this library.

/// A number of threads, from 1 to 1024.
///
/// # Errors
/// With what is needed instead.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number from 1 to 1024 is needed".to_owned()),
    }
}

/// Bytes for a reader.
#[must_use]
pub fn show_bytes(bytes: f64) -> String {
    match bytes {
        small if small < 1e3 => format!("{small:.0} B"),
        kilo if kilo < 1e6 => format!("{:.1} kB", kilo / 1e3),
        mega if mega < 1e9 => format!("{:.1} MB", mega / 1e6),
        giga => format!("{:.2} GB", giga / 1e9),
    }
}
