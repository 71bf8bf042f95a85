//! Cells from a peer in delimited text: what a spreadsheet would compute, and what a terminal would obey, is text there.

use std::borrow::Cow;
use std::fmt::Write;

/// What a spreadsheet takes for the beginning of a formula.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The most bytes that one byte of a cell becomes.
pub(crate) const MOST: u64 = 6;

/// `cell` with an apostrophe before what would be a formula, unless it is a number, and with each control character but tabs
/// and line ends, and each that ends a line otherwise or turns the direction of what follows, as an escape such as `\u{1b}`.
pub(crate) fn escaped(cell: &str) -> Cow<'_, str> {
    let is_formula = cell.starts_with(FORMULA) && !is_number(cell);
    // Without an end before the last byte, so that many are looked at at once.
    let plain = |all: bool, byte: u8| all & (b' '..=b'~').contains(&byte);
    if !is_formula && cell.bytes().fold(true, plain) {
        return Cow::Borrowed(cell);
    }
    let is_control = |char: char| match char {
        '\t' | '\r' | '\n' => false,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => char.is_control(),
    };
    if !is_formula && !cell.contains(is_control) {
        return Cow::Borrowed(cell);
    }
    let mut escaped = String::with_capacity(cell.len() + 1);
    if is_formula {
        escaped.push('\'');
    }
    for char in cell.chars() {
        if is_control(char) {
            write!(escaped, "{}", char.escape_unicode()).expect("to memory");
        } else {
            escaped.push(char);
        }
    }
    Cow::Owned(escaped)
}

/// Whether it is a number in digits, with a sign, a point and an exponent where it has them.
fn is_number(cell: &str) -> bool {
    let of_number = |char: char| matches!(char, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
    cell.chars().all(of_number) && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_controls_become_text_and_all_else_stays() {
        for same in
            ["", "a=b", "x@y.z", "-5", "+4.25", "-1e-3", ".5", "a\tb", "two\r\nlines", "ü", "'="]
        {
            assert!(matches!(escaped(same), Cow::Borrowed(cell) if cell == same), "{same:?}");
        }
        for (cell, expected) in [
            ("=1+1", "'=1+1"),
            ("+44 20", "'+44 20"),
            ("-a", "'-a"),
            ("-", "'-"),
            ("-inf", "'-inf"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\n=1", "'\n=1"),
            ("＝1", "'＝1"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("\u{9b}", "\\u{9b}"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("=\u{7f}", "'=\\u{7f}"),
        ] {
            assert_eq!(escaped(cell), expected);
            assert!(escaped(cell).len() as u64 <= MOST * cell.len() as u64);
        }
    }
}
