//! Codes of words.

use rphonetic::{Cologne, DoubleMetaphone, Encoder, Nysiis, Soundex};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Generator;

/// What a generator that makes codes makes of a text.
pub(crate) fn code(generator: Generator, text: &str) -> Vec<u8> {
    match generator {
        Generator::Soundex => codes(text, &Soundex::default()),
        Generator::Metaphone => codes(text, &DoubleMetaphone::default()),
        Generator::Nysiis => codes(text, &Nysiis::default()),
        Generator::Cologne => codes(text, &Cologne),
        other => unreachable!("{other} makes no codes"),
    }
}

/// The codes of its words, without accents, apostrophes and points; other characters that are no letters part words, and a word in
/// other letters than those of Latin, or with digits, stands for itself.
fn codes(text: &str, encoder: &dyn Encoder) -> Vec<u8> {
    let written = |c: &char| !is_combining_mark(*c) && !APOSTROPHES.contains(c);
    let plain: String = text.nfd().filter(written).collect();
    let code = |word: &str| {
        let letters = in_ascii(word);
        let is_coded = letters.bytes().all(|byte| byte.is_ascii_alphabetic());
        let code = if is_coded { encoder.encode(&letters) } else { String::new() };
        if code.is_empty() { format!("={word}") } else { code }
    };
    let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let codes = words.map(code).collect::<Vec<_>>().join(" ");
    if codes.is_empty() { format!("={text}").into() } else { codes.into() }
}

/// What stands within a word and is no letter of it.
const APOSTROPHES: [char; 7] = ['\'', '\u{2019}', '\u{2018}', '\u{2bc}', '\u{b4}', '`', '.'];

/// Letters of Latin that are no letter with an accent, as they are written without them.
fn in_ascii(word: &str) -> String {
    let mut letters = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '\u{f8}' | '\u{d8}' => letters.push('o'),
            '\u{142}' | '\u{141}' => letters.push('l'),
            '\u{111}' | '\u{110}' | '\u{f0}' | '\u{d0}' => letters.push('d'),
            '\u{131}' => letters.push('i'),
            '\u{e6}' | '\u{c6}' => letters.push_str("ae"),
            '\u{153}' | '\u{152}' => letters.push_str("oe"),
            '\u{fe}' | '\u{de}' => letters.push_str("th"),
            '\u{df}' => letters.push_str("ss"),
            other => letters.push(other),
        }
    }
    letters
}
