//! Named, versioned rules that turn a field into a key.
//!
//! Both sides must use the same rule, so a rule never changes under its version. No rule guesses: what it cannot
//! read is invalid and matches nothing. Every rule is idempotent.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use crate::identifiers::{domain, hashed, iban, number, vat};
use crate::phone::{self, Country};
use crate::postal::{PostalCountry, postcode, words};

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
    /// The SHA-256 of what [`Preset::Email`] makes, in hexadecimal digits; a text that is one stays, in lower case.
    EmailSha256,
    /// As [`Preset::EmailSha256`], but letters beyond ASCII stay as they are: what PAIR and ADMAP take.
    EmailAsciiSha256,
    /// The same of what [`Preset::Phone`] makes, with its `+`.
    PhoneSha256(Option<Country>),
    /// The host of an e-mail address, of an address on the web, or alone.
    Domain,
    /// An account's number of ISO 13616, whose check digits are right.
    Iban,
    /// A number of the European Union's value-added tax.
    Vat,
    /// A whole number without zeros before it.
    Number,
    /// A postal code in the one spelling of its country.
    Postcode(PostalCountry),
    /// The words of an address, as [`Preset::Name`] makes them, in alphabetical order: it tells no abbreviation from its word.
    Address,
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
const NAMES: [&str; 15] = [
    "raw",
    "email",
    "email-gmail",
    "email-sha256",
    "email-ascii-sha256",
    "phone",
    "phone-sha256",
    "name",
    "date",
    "ip",
    "domain",
    "number",
    "iban",
    "vat",
    "address",
];

/// What stands before a country in the names of the presets of telephone numbers.
const PHONE: &str = "phone-";
const PHONE_SHA256: &str = "phone-sha256-";
/// The same of postal codes.
const POSTCODE: &str = "postcode-";

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

    /// Whether it takes digests in the place of what they are of.
    pub(crate) fn reads_digests(self) -> bool {
        matches!(self, Self::EmailSha256 | Self::EmailAsciiSha256 | Self::PhoneSha256(_))
    }

    /// Whether what it reads should be an e-mail address.
    pub(crate) fn reads_addresses(self) -> bool {
        matches!(self, Self::Email | Self::EmailGmail | Self::EmailSha256 | Self::EmailAsciiSha256)
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
            Self::EmailSha256 => hashed(text, out, |text, out| {
                lower(text, out);
                Some(())
            }),
            Self::EmailAsciiSha256 => hashed(text, out, |text, out| {
                out.push_str(&text.to_ascii_lowercase());
                Some(())
            }),
            Self::PhoneSha256(country) => {
                hashed(text, out, |text, out| phone::e164(text, country, out))
            }
            Self::Domain => domain(text, out),
            Self::Iban => iban(text, out),
            Self::Vat => vat(text, out),
            Self::Number => number(text, out),
            Self::Postcode(country) => postcode(text, country, out),
            Self::Address => {
                let mut folded = String::new();
                name(text, &mut folded);
                words(&folded, out);
                Some(())
            }
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
            Self::Phone(Some(country)) => write!(f, "{PHONE}{}", country.code()),
            Self::EmailSha256 => f.write_str("email-sha256"),
            Self::EmailAsciiSha256 => f.write_str("email-ascii-sha256"),
            Self::PhoneSha256(None) => f.write_str("phone-sha256"),
            Self::PhoneSha256(Some(country)) => write!(f, "{PHONE_SHA256}{}", country.code()),
            Self::Domain => f.write_str("domain"),
            Self::Iban => f.write_str("iban"),
            Self::Vat => f.write_str("vat"),
            Self::Number => f.write_str("number"),
            Self::Postcode(country) => write!(f, "{POSTCODE}{}", country.code()),
            Self::Address => f.write_str("address"),
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
        let exact = match text {
            "raw" => Some(Self::Raw),
            "email" => Some(Self::Email),
            "email-gmail" => Some(Self::EmailGmail),
            "email-sha256" => Some(Self::EmailSha256),
            "email-ascii-sha256" => Some(Self::EmailAsciiSha256),
            "phone" => Some(Self::Phone(None)),
            "phone-sha256" => Some(Self::PhoneSha256(None)),
            "name" => Some(Self::Name),
            "ip" => Some(Self::Ip),
            "date" => Some(Self::Date),
            "domain" => Some(Self::Domain),
            "iban" => Some(Self::Iban),
            "vat" => Some(Self::Vat),
            "number" => Some(Self::Number),
            "address" => Some(Self::Address),
            _ => None,
        };
        if let Some(preset) = exact {
            return Ok(preset);
        }
        if let Some(code) = text.strip_prefix(PHONE_SHA256) {
            return country(code, PHONE_SHA256).map(|country| Self::PhoneSha256(Some(country)));
        }
        if let Some(code) = text.strip_prefix(PHONE) {
            return country(code, PHONE).map(|country| Self::Phone(Some(country)));
        }
        if let Some(code) = text.strip_prefix(POSTCODE) {
            return postal_country(code).map(Self::Postcode);
        }
        Err(unknown(text))
    }
}

/// The country of this code, after what stands before it in a preset's name.
fn country(code: &str, before: &str) -> Result<Country, String> {
    // What people write for a country whose code is another.
    let hint = if code == "uk" { format!("did you mean {before}gb? ") } else { String::new() };
    Country::find(code).ok_or_else(|| {
        let countries: Vec<_> = Country::all().map(Country::code).collect();
        format!(
            "no country {code:?} for phone numbers; {hint}write numbers with + and their country's code, or use one of: {}",
            countries.join(" ")
        )
    })
}

fn postal_country(code: &str) -> Result<PostalCountry, String> {
    PostalCountry::find(code).ok_or_else(|| {
        let hint = if code == "uk" { "did you mean postcode-gb? " } else { "" };
        let countries: Vec<_> = PostalCountry::all().map(PostalCountry::code).collect();
        format!(
            "no country {code:?} for postal codes; {hint}use one of: {}; or name, which keeps each code's own spelling",
            countries.join(" ")
        )
    })
}

fn unknown(text: &str) -> String {
    format!(
        "there is no preset {text:?}; {}presets: {}, and phone-CC, phone-sha256-CC or postcode-CC with a country such as gb",
        nearest(text, &NAMES),
        NAMES.join(", ")
    )
}

/// The nearest of the names to one that is none of them, as messages propose it; nothing if none is near.
pub(crate) fn nearest(text: &str, names: &[&str]) -> String {
    let distance = |name: &&&str| strsim::damerau_levenshtein(name, text);
    let close = names.iter().filter(|name| distance(name) <= 2).min_by_key(distance);
    close.map_or(String::new(), |name| format!("did you mean {name}? "))
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
            ("domain", "Ann@Mail.Example.COM", "mail.example.com"),
            ("domain", "https://ann:pass@www.Example.com:8080/a?b#c", "example.com"),
            ("domain", "www.example.com.", "example.com"),
            ("domain", "www.com", "www.com"),
            ("domain", "example.com/login?next=https://other.example", "example.com"),
            ("domain", "https://example.com?next=https://other.example/a@b", "example.com"),
            ("domain", "M\u{fc}nchen.example", "m\u{fc}nchen.example"),
            ("iban", "gb82 west 1234 5698 7654 32", "GB82WEST12345698765432"),
            ("iban", "DE89-3704-0044-0532-0130-00", "DE89370400440532013000"),
            ("postcode-gb", "sw1a 1aa", "SW1A1AA"),
            ("postcode-gb", "M1 1AE", "M11AE"),
            ("postcode-de", "D-10115", "10115"),
            ("postcode-de", "DE-10115", "10115"),
            ("postcode-us", "10001-1234", "10001"),
            ("postcode-nl", "1012 ab", "1012AB"),
            ("postcode-pl", "00-950", "00950"),
            ("postcode-ie", "D02 X285", "D02X285"),
            ("address", "12, High Street (Flat 2)", "12 2 flat high street"),
            ("address", "Flat 2/12 HIGH STREET", "12 2 flat high street"),
            ("vat", "de 123.456.789", "DE123456789"),
            ("vat", "GR-094259216", "EL094259216"),
            ("vat", "FR XX 999999999", "FRXX999999999"),
            ("number", "000420", "420"),
            ("number", " 000 ", "0"),
            ("number", "18446744073709551616000", "18446744073709551616000"),
            // Of FIPS 180-4 and of `sha256sum`.
            (
                "email-sha256",
                " ABC ",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            ("email-sha256", &"AB".repeat(32), &"ab".repeat(32)),
            (
                "email-sha256",
                "Test@Example.com",
                "973dfe463ec85785f5f95af5ba3906eedb2d931c24e69824a89ea65dba4e813b",
            ),
            // The example of PAIR's table of match keys.
            (
                "email-ascii-sha256",
                " User@Example.COM",
                "b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514",
            ),
            // Of `printf 'ann@m\\303\\234nchen.example' | sha256sum`.
            (
                "email-ascii-sha256",
                "Ann@M\u{dc}NCHEN.example",
                "2a671d5e4cce00f27f6132a42c30cb6e61254e6109b877ca172a70b4288b38a2",
            ),
            (
                "phone-sha256-gb",
                "020 7946 0018",
                "faad3b10918e39b5f4d5334f1e1e128719608e8bd3ad3b963dc30187b4518e23",
            ),
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
            ("domain", "example"),
            ("domain", "a b.example"),
            ("domain", "ann@example.com:x"),
            ("domain", "example..com"),
            ("iban", "GB82 WEST 1234 5698 7654 33"),
            ("iban", "GB82"),
            ("iban", "GB82 WEST 1234 5698 7654 3\u{e9}"),
            ("vat", "123456789"),
            ("vat", "DEUTSCH"),
            ("vat", "D"),
            ("postcode-de", "1011"),
            ("postcode-de", "A-10115"),
            ("postcode-gb", "sw1a"),
            ("postcode-us", "1000\u{e9}"),
            ("postcode-us", "100011"),
            ("number", "1.0"),
            ("number", "-5"),
            ("number", "0x10"),
            ("phone-sha256", "020 7946 0018"),
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
        fn every_rule_is_idempotent(field in "\\PC*", pick in 0..NAMES.len() + 4) {
            let name = NAMES.into_iter().chain(["phone-gb", "phone-us", "phone-sha256-us", "postcode-us"]).nth(pick);
            let name = name.expect("a name");
            if let Ok(once) = key(name, &field) {
                proptest::prop_assert_eq!(key(name, &once), Ok(once.clone()));
            }
        }

        #[test]
        fn rules_with_structure_are_idempotent_on_what_they_read(
            number in "\\+?[0-9 ().-]{6,18}", date in "[12][0-9]{3}[-/]?[01][0-9][-/]?[0-3][0-9]",
            mail in "[A-Za-z.+ ]{1,8}@(gmail|Gmail|x)[.]com",
            url in "(https://)?(www[.]){0,3}[A-Za-z]{1,3}([.]com){1,2}[.]?(:80)?(/x)?", vat in "(GR|de) ?[0-9A-Z.]{2,9}", code in "(PL-)?[0-9]{2,5}-?[0-9]{3,4}", ip in "(::ffff:|::)?[0-9]{1,3}[.][0-9]{1,3}[.]1[.]2",
        ) {
            for (preset, field) in [("phone-us", &number), ("date", &date), ("email-gmail", &mail), ("ip", &ip), ("domain", &url), ("vat", &vat), ("address", &url), ("postcode-pl", &code), ("postcode-us", &code), ("email-sha256", &mail), ("email-ascii-sha256", &mail), ("number", &number)] {
                if let Ok(once) = key(preset, field) {
                    proptest::prop_assert_eq!(key(preset, &once), Ok(once.clone()));
                }
            }
        }
    }
}
