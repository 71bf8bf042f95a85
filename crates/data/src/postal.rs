//! Postal codes in the one spelling that each country has, and addresses as the words that they are made of.

use unicode_normalization::char::is_combining_mark;

/// A country and what its postal codes look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostalCountry {
    code: &'static str,
    /// Each of them without spaces and dashes: `A` is a letter, `9` a digit, `X` either.
    shapes: &'static [&'static str],
    /// What some write before them, beside the country's code.
    sign: &'static str,
}

const NO_SIGN: &str = "";

/// By their codes of ISO 3166. Countries whose codes have more rules than a shape are left out.
#[rustfmt::skip]
const COUNTRIES: [(&str, &[&str], &str); 44] = [
    ("at", &["9999"], "a"), ("au", &["9999"], NO_SIGN), ("be", &["9999"], "b"), ("bg", &["9999"], NO_SIGN),
    ("br", &["99999999"], NO_SIGN), ("ca", &["A9A9A9"], NO_SIGN), ("ch", &["9999"], NO_SIGN), ("cn", &["999999"], NO_SIGN),
    ("cy", &["9999"], NO_SIGN), ("cz", &["99999"], NO_SIGN), ("de", &["99999"], "d"), ("dk", &["9999"], NO_SIGN),
    ("ee", &["99999"], NO_SIGN), ("es", &["99999"], "e"), ("fi", &["99999"], "fin"), ("fr", &["99999"], "f"),
    ("gb", &["A99AA", "A999AA", "AA99AA", "AA999AA", "A9A9AA", "AA9A9AA"], NO_SIGN), ("gr", &["99999"], NO_SIGN),
    ("hr", &["99999"], NO_SIGN), ("hu", &["9999"], "h"), ("ie", &["A9XXXXX"], NO_SIGN), ("il", &["9999999"], NO_SIGN),
    ("in", &["999999"], NO_SIGN), ("is", &["999"], NO_SIGN), ("it", &["99999"], "i"), ("jp", &["9999999"], NO_SIGN),
    ("kr", &["99999"], NO_SIGN), ("li", &["9999"], "fl"), ("lt", &["99999"], NO_SIGN), ("lu", &["9999"], "l"),
    ("lv", &["9999"], NO_SIGN), ("mx", &["99999"], NO_SIGN), ("nl", &["9999AA"], NO_SIGN), ("no", &["9999"], "n"),
    ("nz", &["9999"], NO_SIGN), ("pl", &["99999"], NO_SIGN), ("pt", &["9999999"], "p"), ("ro", &["999999"], NO_SIGN),
    ("se", &["99999"], "s"), ("sg", &["999999"], NO_SIGN), ("si", &["9999"], NO_SIGN), ("sk", &["99999"], NO_SIGN),
    ("tr", &["99999"], NO_SIGN), ("us", &["99999", "999999999"], NO_SIGN),
];

/// Digits of a code of the United States; four more name a part of its area.
const ZIP: usize = 5;

impl PostalCountry {
    /// The country of this code, in lower case.
    pub(crate) fn find(code: &str) -> Option<Self> {
        Self::all().find(|country| country.code == code)
    }

    /// All countries.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        COUNTRIES.iter().map(|(code, shapes, sign)| Self { code, shapes, sign })
    }

    /// The code of ISO 3166, in lower case.
    pub(crate) fn code(self) -> &'static str {
        self.code
    }
}

/// Capitals and digits without spaces and dashes, in one of the country's shapes; the country's sign before a dash goes, and so do the
/// last four digits of nine in the United States.
pub(crate) fn postcode(text: &str, country: PostalCountry, out: &mut String) -> Option<()> {
    let own = |sign: &str| {
        !sign.is_empty()
            && (sign.eq_ignore_ascii_case(country.code) || sign.eq_ignore_ascii_case(country.sign))
    };
    let text = match text.split_once('-') {
        Some((sign, rest)) if own(sign.trim()) => rest,
        _ => text,
    };
    let kept = text.chars().filter(|c| !matches!(c, ' ' | '\u{a0}' | '-'));
    let code: String = kept.map(|c| c.to_ascii_uppercase()).collect();
    let fits = |shape: &&&str| {
        let is = |(byte, shape): (u8, u8)| match shape {
            b'A' => byte.is_ascii_uppercase(),
            b'9' => byte.is_ascii_digit(),
            _ => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        };
        code.len() == shape.len() && code.bytes().zip(shape.bytes()).all(is)
    };
    country.shapes.iter().find(fits)?;
    out.push_str(if country.code == "us" { &code[..ZIP] } else { &code });
    Some(())
}

/// The words of a text that `fold` has made of one case, in order: what is neither letter nor digit parts them.
pub(crate) fn words(folded: &str, out: &mut String) {
    let parts = |c: char| !c.is_alphanumeric() && !is_combining_mark(c);
    let mut words: Vec<&str> = folded.split(parts).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    out.push_str(&words.join(" "));
}
