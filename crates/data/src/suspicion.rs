//! What in a field of the key is probably not meant.

use crate::Preset;
use crate::warning::WarningCode;

/// How many places of a finding are named.
pub(crate) const PLACES: usize = 5;

/// So many rows, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) rows: usize,
    pub(crate) first: Vec<usize>,
}

impl Count {
    pub(crate) fn note(&mut self, row: usize) {
        self.rows += 1;
        if self.first.len() < PLACES {
            self.first.push(row);
        }
    }

    /// And those of `others`, which come after it.
    pub(crate) fn extend(&mut self, others: Self) {
        self.rows += others.rows;
        self.first.extend(others.first);
        self.first.truncate(PLACES);
    }
}

/// A field that is not empty, as suspicions look at it.
struct Field<'a> {
    preset: Preset,
    text: &'a str,
    trimmed: &'a str,
    /// Nothing but what a keyboard of 1963 has.
    plain: bool,
}

/// A suspicion about one field.
pub(crate) struct Suspicion {
    pub(crate) code: WarningCode,
    pub(crate) what: &'static str,
    suspects: fn(&Field<'_>) -> bool,
}

pub(crate) const SUSPICIONS: [Suspicion; 9] = [
    Suspicion {
        code: WarningCode::RoundedNumbers,
        what: "numbers that a spreadsheet has rounded, such as 1.23E+11",
        suspects: |field| is_rounded(field.trimmed),
    },
    Suspicion {
        code: WarningCode::NoAddress,
        what: "no e-mail address (no @, or no domain after it)",
        suspects: |field| {
            field.preset.reads_addresses()
                && !is_address(field.trimmed)
                && !(field.preset.reads_digests() && is_digest(field.trimmed))
        },
    },
    Suspicion {
        code: WarningCode::AddressSpelling,
        what: "e-mail addresses with capitals, compared as they are; the preset email makes them lower case",
        suspects: |field| {
            matches!(field.preset, Preset::Raw)
                && is_address(field.trimmed)
                && field.trimmed.chars().any(char::is_uppercase)
        },
    },
    Suspicion {
        code: WarningCode::PhoneSpelling,
        what: "phone numbers with separators, compared as they are; the preset phone takes them out",
        suspects: |field| matches!(field.preset, Preset::Raw) && is_spaced_phone(field.trimmed),
    },
    Suspicion {
        code: WarningCode::WhiteSpace,
        what: "white space around a value that is compared as it is",
        suspects: |field| {
            matches!(field.preset, Preset::Raw) && field.trimmed.len() != field.text.len()
        },
    },
    Suspicion {
        code: WarningCode::InvisibleCharacters,
        what: "control or invisible characters",
        suspects: |field| !field.plain && field.trimmed.chars().any(is_invisible),
    },
    Suspicion {
        code: WarningCode::DamagedCharacters,
        what: "damaged characters (U+FFFD)",
        suspects: |field| !field.plain && field.text.contains('\u{fffd}'),
    },
    Suspicion {
        code: WarningCode::MadeUpAddresses,
        what: "addresses that are nobody's, such as test@test.com",
        suspects: |field| is_one_of(&["test@test.com", "noreply@example.com"], field.trimmed),
    },
    Suspicion {
        code: WarningCode::Hashed,
        what: "values that look hashed; veilset hashes for you",
        suspects: |field| !field.preset.reads_digests() && is_digest(field.trimmed),
    },
];

/// What rows are suspected of.
#[derive(Default)]
pub(crate) struct Suspected([Count; SUSPICIONS.len()]);

impl Suspected {
    /// The row is suspected of what the bits in `marks` say.
    pub(crate) fn note(&mut self, row: usize, mut marks: u16) {
        while marks != 0 {
            self.0[marks.trailing_zeros() as usize].note(row);
            marks &= marks - 1;
        }
    }

    /// And what `others` are suspected of, which come after them.
    pub(crate) fn extend(&mut self, others: Self) {
        self.0.iter_mut().zip(others.0).for_each(|(count, others)| count.extend(others));
    }

    /// Those that occurred.
    pub(crate) fn found(&self) -> impl Iterator<Item = (&'static Suspicion, &Count)> {
        SUSPICIONS.iter().zip(&self.0).filter(|(_, count)| count.rows > 0)
    }
}

/// What a field is suspected of: a bit for each of [`SUSPICIONS`].
pub(crate) fn marks(preset: Preset, text: &str) -> u16 {
    if text.is_empty() {
        return 0;
    }
    // Without an end at the first that is not, so that many bytes are looked at at once.
    let plain = text.bytes().fold(true, |all, byte| all & (b' '..=b'~').contains(&byte));
    let field = Field { preset, text, trimmed: text.trim(), plain };
    let bit = |(bit, suspicion): (u32, &Suspicion)| u16::from((suspicion.suspects)(&field)) << bit;
    (0..).zip(&SUSPICIONS).map(bit).sum()
}

/// What stands for a value that is not there, in any case.
pub(crate) const PLACEHOLDERS: [&str; 22] = [
    "n/a",
    "na",
    "n.a.",
    "#n/a",
    "<na>",
    "null",
    "(null)",
    "<null>",
    "\\N",
    "none",
    "nil",
    "nan",
    "unknown",
    "undefined",
    "missing",
    "not available",
    "not applicable",
    "-",
    "--",
    "---",
    ".",
    "?",
];

/// Whether `text`, without the white space around it, stands for a value that is not there.
pub(crate) fn is_placeholder(text: &str) -> bool {
    is_one_of(&PLACEHOLDERS, text.trim())
}

fn is_one_of(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether nobody sees `c`, or it is a control character.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

pub(crate) fn is_address(text: &str) -> bool {
    matches!(text.split_once('@'), Some((local, domain)) if !local.is_empty() && domain.contains('.'))
}

fn is_rounded(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['E', 'e']) else { return false };
    let Some(exponent) = exponent.strip_prefix('+') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(exponent)
        && mantissa.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        && !mantissa.is_empty()
}

/// Whether `text` is a phone number, to judge by how it is written: with a `+`, an area code in parentheses, or a trunk prefix
/// and spaces; numbers of other things have dashes and leading zeros, too.
pub(crate) fn is_phone(text: &str) -> bool {
    let shaped = text.starts_with(['+', '(']) || (text.starts_with('0') && text.contains(' '));
    shaped && has_phone_digits(text)
}

fn is_spaced_phone(text: &str) -> bool {
    is_phone(text) && text[1..].bytes().any(|byte| !byte.is_ascii_digit())
}

/// Whether `text` has as many digits as a phone number, and nothing else but what stands between them.
pub(crate) fn has_phone_digits(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let rest = text.strip_prefix('+').unwrap_or(text);
    (7..=15).contains(&digits)
        && rest.chars().all(|c| c.is_ascii_digit() || crate::phone::is_separator(c))
}

/// Whether `text` is as long as an MD5, SHA-1, SHA-256 or SHA-512 digest, and written as one: in hexadecimal digits with a
/// letter among them, or in Base64.
pub(crate) fn is_digest(text: &str) -> bool {
    let hexadecimal = || {
        text.bytes().all(|byte| byte.is_ascii_hexdigit())
            && text.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    let base64 = |padding: &str| {
        let letter =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        text.strip_suffix(padding).is_some_and(|rest| rest.bytes().all(letter))
    };
    match text.len() {
        32 | 40 | 64 | 128 => hexadecimal(),
        24 | 88 => base64("=="),
        28 | 44 => base64("="),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(preset: Preset, text: &str) -> Vec<&'static str> {
        let mut suspected = Suspected::default();
        suspected.note(0, marks(preset, text));
        suspected.found().map(|(suspicion, _)| suspicion.code.name()).collect()
    }

    #[test]
    fn each_suspicion_has_a_case() {
        for (preset, text, code) in [
            (Preset::Raw, " a", "white-space"),
            (Preset::Name, "a\u{7}b", "invisible-characters"),
            (Preset::Name, "M\u{fffd}ller", "damaged-characters"),
            (Preset::Email, "ann.example.com", "no-address"),
            (Preset::Raw, "test@test.com", "made-up-addresses"),
            (Preset::Raw, "4.47E+11", "rounded-numbers"),
            (Preset::Raw, &"ab".repeat(32), "hashed"),
            (Preset::Raw, "Ann@Example.com", "address-spelling"),
            (Preset::Raw, "+44 20 7946 0018", "phone-spelling"),
            (Preset::Raw, "(020) 7946-0018", "phone-spelling"),
            (Preset::Raw, "020 7946 0018", "phone-spelling"),
        ] {
            assert_eq!(codes(preset, text), [code], "{text}");
        }
        for fine in [
            "ann@example.com",
            "E+",
            "12",
            "O'Neil",
            "ab",
            "+442079460018",
            "0123-45-6789",
            "012-34-5678",
            "2024-02-29",
            "192.0.2.1",
            "00123456",
            "",
        ] {
            assert!(codes(Preset::Raw, fine).is_empty(), "{fine}");
        }
        assert!(codes(Preset::Email, "Ann@Example.com").is_empty());
    }

    /// Digests of "veilset" by coreutils and OpenSSL.
    #[test]
    fn digests_are_known_by_their_lengths_and_letters() {
        const SHA_512: &str = "01476e706505b04962a9842b0e211691f8378e04dd8729e870b6def72c9bb347\
                               74fbcab1fcc301c173f629f4f912fb71b85d8f8445e26df340e6a65f9521544e";
        for digest in [
            "489cfbeadd07997b93e17fb64f10ffbd",
            "52C333C8D134690B0B07F72FFB45560421DFB45B",
            "SJz76t0HmXuT4X+2TxD/vQ==",
            "UsMzyNE0aQsLB/cv+0VWBCHftFs=",
            "QvgMdN0Z7ErG6LMhkRoHwSgNvv2XUEYTy4YZ2P9fGao=",
            SHA_512,
        ] {
            assert!(is_digest(digest), "{digest}");
        }
        for other in [
            "12345678901234567890123456789012",
            "489cfbea-dd07-997b-93e1-7fb64f10ffbd",
            "489cfbeadd07997b93e17fb64f10ffb",
            "not a digest but as long as one!",
            "=============================================",
        ] {
            assert!(!is_digest(other), "{other}");
        }
    }

    #[test]
    fn placeholders_are_known_in_any_case_and_the_documentation_lists_them() {
        let page = include_str!("../../../docs/use/data.md");
        for word in PLACEHOLDERS {
            assert!(is_placeholder(&format!(" {} ", word.to_uppercase())), "{word}");
            assert!(page.contains(&format!("`{word}`")), "{word}");
        }
        for other in ["", "nah", "nobody", "0", "----", "ann@example.com", "N/A n/a"] {
            assert!(!is_placeholder(other), "{other}");
        }
    }
}
