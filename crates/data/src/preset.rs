//! Named, versioned rules that turn a field into a key.
//!
//! Both sides must use the same rule, so a rule never changes under its version. No rule guesses: what it cannot
//! read is invalid and matches nothing. Every rule is idempotent.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use crate::phone::{self, Country};

/// How the values of a key column are normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// As they are, byte for byte.
    Raw,
    /// Trimmed, lower case.
    Email,
    /// As [`Preset::Email`]; at gmail.com also without dots and `+tag` in the local part, if anything is left of it.
    EmailGmail,
    /// E.164: a number's separators are dropped; without `+`, its trunk prefix is dropped and the country's code put
    /// before. Without a country a number must begin with `+`.
    Phone(Option<Country>),
    /// NFC, case-folded, single spaces.
    Name,
    /// Canonical IPv4 or IPv6; an IPv4 address mapped into IPv6 is the IPv4 address.
    Ip,
    /// ISO 8601 calendar date; reads `2024-02-29`, `2024/02/29` and `20240229`, and these with a time that is midnight, without a
    /// zone.
    Date,
}

/// What became of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalised {
    /// A key; it was appended.
    Key,
    /// Nothing was there: it never matches.
    Null,
    /// It stands for a value that is not there, such as `n/a`: it never matches, unless the user says so.
    Placeholder,
    /// It cannot be read by this rule: it never matches.
    Invalid,
}

/// The presets' names, for messages.
const NAMES: [&str; 7] = ["raw", "email", "email-gmail", "phone", "name", "ip", "date"];

/// The domain at which dots and tags mean nothing.
const GMAIL: &str = "@gmail.com";

impl Preset {
    /// The name with its version, as it stands in the terms: `email/1`.
    #[must_use]
    pub fn versioned(self) -> String {
        let version = match self {
            Self::Phone(_) | Self::Date => 2,
            _ => 1,
        };
        format!("{self}/{version}")
    }

    /// Appends the key that `field` stands for to `out`.
    pub fn normalise(self, field: &str, out: &mut String) -> Normalised {
        let text = if self == Self::Raw { field } else { field.trim() };
        if text.is_empty() {
            return Normalised::Null;
        }
        let before = out.len();
        let read = match self {
            Self::Raw => {
                out.push_str(text);
                Some(())
            }
            Self::Email => {
                lower(text, out);
                Some(())
            }
            Self::EmailGmail => {
                gmail(text, out);
                Some(())
            }
            Self::Phone(country) => phone::e164(text, country, out),
            Self::Name => {
                name(text, out);
                Some(())
            }
            Self::Ip => {
                text.parse().ok().map(|ip: IpAddr| out.push_str(&ip.to_canonical().to_string()))
            }
            Self::Date => date(text, out),
        };
        match read {
            None => {
                out.truncate(before);
                Normalised::Invalid
            }
            Some(()) if out.len() == before => Normalised::Null,
            Some(()) => Normalised::Key,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raw => f.write_str("raw"),
            Self::Email => f.write_str("email"),
            Self::EmailGmail => f.write_str("email-gmail"),
            Self::Phone(None) => f.write_str("phone"),
            Self::Phone(Some(country)) => write!(f, "phone-{}", country.code()),
            Self::Name => f.write_str("name"),
            Self::Ip => f.write_str("ip"),
            Self::Date => f.write_str("date"),
        }
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.to_ascii_lowercase();
        let text = text.as_str();
        if let Some(code) = text.strip_prefix("phone-") {
            let countries =
                || Country::all().map(|country| country.code()).collect::<Vec<_>>().join(" ");
            // What people write for a country whose code is another.
            let hint = if code == "uk" { "did you mean phone-gb? " } else { "" };
            return Country::find(code).map(|country| Self::Phone(Some(country))).ok_or_else(|| {
                format!(
                    "no country {code:?} for phone numbers; {hint}write numbers with + and their country's \
                     code, or use one of: {}",
                    countries()
                )
            });
        }
        Ok(match text {
            "raw" => Self::Raw,
            "email" => Self::Email,
            "email-gmail" => Self::EmailGmail,
            "phone" => Self::Phone(None),
            "name" => Self::Name,
            "ip" => Self::Ip,
            "date" => Self::Date,
            other => return Err(unknown(other)),
        })
    }
}

fn unknown(text: &str) -> String {
    let distance = |name: &&&str| strsim::damerau_levenshtein(name, text);
    let close = NAMES.iter().filter(|name| distance(name) <= 2).min_by_key(distance);
    let hint = close.map_or(String::new(), |name| format!("did you mean {name}? "));
    format!(
        "there is no preset {text:?}; {hint}presets: {}, and phone-CC with a country such as phone-gb",
        NAMES.join(", ")
    )
}

fn lower(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// An address whose local part is nothing but dots and a tag stays as it is; without them all such would be one key.
fn gmail(text: &str, out: &mut String) {
    let start = out.len();
    lower(text, out);
    let Some(local) = out[start..].strip_suffix(GMAIL) else { return };
    let untagged = local.split('+').next().unwrap_or_default();
    let plain: String = untagged.chars().filter(|c| *c != '.').collect();
    let plain = plain.trim();
    if !plain.is_empty() {
        out.truncate(start);
        out.push_str(plain);
        out.push_str(GMAIL);
    }
}

/// Decomposed, folded, composed: the canonical caseless form of Unicode, section 3.13, in NFC.
fn name(text: &str, out: &mut String) {
    let folded = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        let folded = caseless::default_case_fold_str(&text.nfd().collect::<String>());
        folded.nfc().collect()
    };
    for (index, word) in folded.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// A date, and what follows it that names a time of day.
pub(crate) fn split_time(text: &str) -> (&str, Option<&str>) {
    match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    }
}

/// Whether a time of day, which has no zone, is midnight.
fn is_midnight(time: &str) -> bool {
    let Some(rest) = time.strip_prefix("00:00") else { return false };
    let Some(rest) = rest.strip_prefix(":00") else { return rest.is_empty() };
    rest.is_empty()
        || rest
            .strip_prefix('.')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit == b'0'))
}

fn date(text: &str, out: &mut String) -> Option<()> {
    let (text, time) = split_time(text);
    if !time.is_none_or(is_midnight) {
        return None;
    }
    let (year, month, day) = match text.as_bytes() {
        [_, _, _, _, b'-', _, _, b'-', _, _] | [_, _, _, _, b'/', _, _, b'/', _, _] => {
            (text.get(0..4)?, text.get(5..7)?, text.get(8..10)?)
        }
        [_, _, _, _, _, _, _, _] => (text.get(0..4)?, text.get(4..6)?, text.get(6..8)?),
        _ => return None,
    };
    let number = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u32>().ok())?
    };
    let (y, m, d) = (number(year)?, number(month)?, number(day)?);
    let leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let days = match m {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=days).contains(&d) {
        return None;
    }
    for part in [year, "-", month, "-", day] {
        out.push_str(part);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(preset: &str, field: &str) -> Result<String, Normalised> {
        let mut out = String::new();
        let preset: Preset = preset.parse().expect("a preset");
        match preset.normalise(field, &mut out) {
            Normalised::Key => Ok(out),
            other => {
                assert_eq!(out, "", "nothing is left of a field that is no key");
                Err(other)
            }
        }
    }

    #[test]
    fn each_rule_does_what_it_says() {
        for (preset, field, expected) in [
            ("raw", " 007 ", " 007 "),
            ("email", "  Ann.Lee+x@Example.COM ", "ann.lee+x@example.com"),
            ("email-gmail", "Ann.Lee+x@GMAIL.com", "annlee@gmail.com"),
            ("email-gmail", "Ann.Lee+x@googlemail.com", "ann.lee+x@googlemail.com"),
            ("email-gmail", "+tag@gmail.com", "+tag@gmail.com"),
            ("email-gmail", ". a.@gmail.com", "a@gmail.com"),
            ("phone", "+44 (20) 7946-0018", "+442079460018"),
            ("phone-gb", "020 7946 0018", "+442079460018"),
            ("phone-gb", "+1 202 555 0143", "+12025550143"),
            ("phone-us", "(202) 555-0143", "+12025550143"),
            ("phone-us", "1/202.555.0143", "+12025550143"),
            ("phone", "+7 495 123-45-67", "+74951234567"),
            ("phone-it", "06 1234 5678", "+390612345678"),
            ("name", "  Zoe\u{308}   MÜLLER-Groß ", "zoë müller-gross"),
            ("ip", "2001:DB8:0:0::1", "2001:db8::1"),
            ("ip", "::ffff:192.0.2.1", "192.0.2.1"),
            ("date", "2024/02/29", "2024-02-29"),
            ("date", "20240229", "2024-02-29"),
            ("date", "2024-02-29T00:00:00", "2024-02-29"),
            ("date", "2024-02-29 00:00:00.000", "2024-02-29"),
            ("date", "2024/02/29 00:00", "2024-02-29"),
        ] {
            assert_eq!(key(preset, field).as_deref(), Ok(expected), "{preset}");
        }
    }

    #[test]
    fn what_a_rule_cannot_read_is_invalid_and_nothing_is_null() {
        for (preset, field) in [
            ("phone", "020 7946 0018"),
            ("phone", "+44 20 794x"),
            ("phone", "+1234567890123456"),
            ("phone", "0044 20 7946 0018"),
            ("phone", "+44 (0)20 7946 0018"),
            ("phone-gb", "0044 20 7946 0018"),
            ("phone-gb", "+44 020 7946 0018"),
            ("phone-gb", "+"),
            ("phone-gb", "020 7946 0018 ext. 5"),
            ("phone-gb", "12"),
            ("ip", "192.0.2.01"),
            ("ip", "192.0.2"),
            ("ip", "192.0.2.1/32"),
            ("ip", "fe80::1%eth0"),
            ("date", "2023-02-29"),
            ("date", "29.02.2024"),
            ("date", "2024-02/29"),
            ("date", "2024-13-01"),
            ("date", "2024-04-31"),
            ("date", "1900-02-29"),
            ("date", "2024-02-29T00:00:01"),
            ("date", "2024-02-29T00:00:00Z"),
            ("date", "2024-02-29 00:00:00+00:00"),
            ("date", "2024-02-29 00:00:00."),
            ("date", "2024-02-29T"),
            ("date", "2024-02-29 12:00"),
            ("date", "2024-2-9"),
            ("date", "+024-02-09"),
            ("date", "2024é1ü1"),
        ] {
            assert_eq!(key(preset, field), Err(Normalised::Invalid), "{preset} {field}");
        }
        for preset in NAMES {
            assert_eq!(key(preset, ""), Err(Normalised::Null), "{preset}");
        }
        assert_eq!(key("email", " \t"), Err(Normalised::Null));
        assert_eq!(key("raw", " ").as_deref(), Ok(" "));
    }

    #[test]
    fn folding_every_character_twice_is_folding_it_once() {
        for c in '\0'..=char::MAX {
            for text in [c.to_string(), format!("A{c}\u{345}\u{301}")] {
                for preset in [Preset::Name, Preset::Email] {
                    let (mut once, mut twice) = (String::new(), String::new());
                    if preset.normalise(&text, &mut once) == Normalised::Key {
                        preset.normalise(&once, &mut twice);
                        assert_eq!(once, twice, "{preset} {c:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_names_have_equal_keys_however_they_are_written() {
        for (a, b) in [("\u{c5}", "A\u{30a}"), ("ΣΟΦΟΣ", "σοφος"), ("Straße", "STRASSE")]
        {
            assert_eq!(key("name", a), key("name", b), "{a}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_rule_is_idempotent(field in "\\PC*", pick in 0usize..9) {
            let names = ["raw", "email", "email-gmail", "phone", "phone-gb", "phone-us", "name", "ip", "date"];
            if let Ok(once) = key(names[pick], &field) {
                proptest::prop_assert_eq!(key(names[pick], &once), Ok(once.clone()));
            }
        }

        #[test]
        fn rules_with_structure_are_idempotent_on_what_they_read(
            number in "\\+?[0-9 ().-]{6,18}", date in "[12][0-9]{3}[-/]?[01][0-9][-/]?[0-3][0-9]",
            mail in "[A-Za-z.+ ]{1,8}@(gmail|Gmail|x)[.]com", ip in "(::ffff:|::)?[0-9]{1,3}[.][0-9]{1,3}[.]1[.]2",
        ) {
            for (preset, field) in [("phone-us", &number), ("date", &date), ("email-gmail", &mail), ("ip", &ip)] {
                if let Ok(once) = key(preset, field) {
                    proptest::prop_assert_eq!(key(preset, &once), Ok(once.clone()));
                }
            }
        }
    }
}
