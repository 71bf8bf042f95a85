//! Values that are nobody's: each preset has some, and a user may add more. A row with one never matches.

use crate::Preset;
use crate::preset::Normalised;

/// Addresses that people type who have none, or give none.
const ADDRESSES: [&str; 16] = [
    "a@a.com",
    "abc@abc.com",
    "asdf@asdf.com",
    "email@email.com",
    "na@na.com",
    "no@email.com",
    "no@no.com",
    "noemail@noemail.com",
    "none@none.com",
    "noreply@example.com",
    "test@example.com",
    "test@test.com",
    "test@test.de",
    "unknown@unknown.com",
    "x@x.com",
    "xxx@xxx.com",
];

/// Days that databases and forms have for none.
const DAYS: [&str; 3] = ["0001-01-01", "1900-01-01", "9999-12-31"];

/// Names of nobody.
const NAMES: [&str; 7] = ["anonymous", "no name", "noname", "test", "test test", "xx", "xxx"];

/// Digits that end made-up telephone numbers.
const COUNTED: [&str; 2] = ["1234567", "12345678"];

/// Whether a field, which `preset` has normalised, is nobody's.
pub(crate) fn is_nobodys(preset: Preset, field: &str, normalised: &str) -> bool {
    match preset {
        Preset::Email | Preset::EmailGmail => ADDRESSES.contains(&normalised),
        Preset::Date => DAYS.contains(&normalised),
        Preset::Name => NAMES.contains(&normalised),
        Preset::Phone(_) => is_made_up(normalised),
        Preset::EmailSha256 | Preset::EmailAsciiSha256 => is_plain(Preset::Email, field),
        Preset::PhoneSha256(country) => is_plain(Preset::Phone(country), field),
        Preset::Raw
        | Preset::Ip
        | Preset::Domain
        | Preset::Iban
        | Preset::Vat
        | Preset::Number
        | Preset::Postcode(_)
        | Preset::Address => false,
    }
}

/// The same of what a digest is of.
fn is_plain(preset: Preset, field: &str) -> bool {
    let mut plain = String::new();
    preset.normalise(field, &mut plain) == Normalised::Key && is_nobodys(preset, field, &plain)
}

/// Whether the last seven digits of a telephone number are all the same, or count up.
fn is_made_up(number: &str) -> bool {
    const LAST: usize = 7;
    let Some(last) = number.len().checked_sub(LAST).and_then(|first| number.get(first..)) else {
        return false;
    };
    let same = last.bytes().all(|digit| digit == last.as_bytes()[0]);
    same || COUNTED.iter().any(|digits| number.ends_with(digits))
}

#[cfg(test)]
mod tests {
    use crate::KeySpec;

    use super::*;

    fn became(key: &str, field: &str) -> Normalised {
        let spec: KeySpec = key.parse().expect("a key");
        let mut out = String::new();
        let became = spec.normalise(0, field, &mut out);
        assert_eq!(out.is_empty(), became != Normalised::Key, "{key} {field}");
        became
    }

    #[test]
    fn what_is_nobodys_never_matches_unless_it_is_kept() {
        for (key, field) in [
            ("k:email", " Test@Test.com"),
            ("k:email-sha256", "TEST@test.com"),
            ("k:phone-gb", "0000 000 0000"),
            ("k:phone-us", "(555) 555-5555"),
            ("k:phone-sha256-us", "+1 212 1234567"),
            ("k:date", "1900/01/01"),
            ("k:name", "  Test   TEST "),
        ] {
            let became = became(key, field);
            assert!(became == Normalised::Placeholder || became == Normalised::Invalid, "{key}");
            let spec = key.parse::<KeySpec>().expect("a key").keeping_placeholders(true);
            let kept = spec.normalise(0, field, &mut String::new());
            assert!(kept == Normalised::Key || kept == Normalised::Invalid, "{key}");
        }
        for (key, field) in [
            ("k:raw", "test@test.com"),
            ("k:email", "tester@test.com"),
            ("k:phone-gb", "020 7946 0018"),
            ("k:phone-us", "212 555 5550"),
            ("k:date", "1900-01-02"),
            ("k:name", "Testa"),
            ("k:number", "1111111"),
        ] {
            assert_eq!(became(key, field), Normalised::Key, "{key} {field}");
        }
    }

    #[test]
    fn the_documentation_names_them() {
        let page = include_str!("../../../docs/use/data.md");
        for value in ADDRESSES.iter().chain(&DAYS).chain(&NAMES).chain(&COUNTED) {
            assert!(page.contains(&format!("`{value}`")), "{value}");
        }
    }

    #[test]
    fn a_user_adds_values_that_are_read_as_the_key_is() {
        let spec: KeySpec = "mail:email,phone:phone-gb".parse().expect("a key");
        let stop = ["Office@Example.org", "+44 20 7946 0000", ""];
        let spec = spec.without(&stop.map(str::to_owned)).keeping_placeholders(true);
        let read = |column, field: &str| spec.normalise(column, field, &mut String::new());
        assert_eq!(read(0, "office@example.org "), Normalised::Placeholder);
        assert_eq!(read(1, "020 7946 0000"), Normalised::Placeholder);
        assert_eq!(read(0, "other@example.org"), Normalised::Key);
        assert_eq!(read(1, "020 7946 0001"), Normalised::Key);
        assert_eq!(read(0, ""), Normalised::Null);
    }
}
