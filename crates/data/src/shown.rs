//! Numbers as a reader takes them in.

/// `1 row`, `2 rows`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
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
