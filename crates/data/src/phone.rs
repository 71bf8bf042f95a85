//! Phone numbers to E.164.

/// A country: what its numbers begin with abroad, and what they begin with at home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    code: &'static str,
    calling: &'static str,
    trunk: &'static str,
}

/// ISO 3166 code, ITU-T E.164 country code, and the trunk prefix that is dropped when the country code comes before.
/// No number of a country with a trunk prefix goes on with that prefix after the country code. Countries whose trunk
/// rules need more than a prefix are left out: write their numbers with `+`.
#[rustfmt::skip]
const COUNTRIES: [(&str, &str, &str); 92] = [
    ("ad", "376", ""), ("ae", "971", "0"), ("al", "355", "0"), ("at", "43", "0"), ("au", "61", "0"),
    ("ba", "387", "0"), ("bb", "1", "1"), ("bd", "880", "0"), ("be", "32", "0"), ("bg", "359", "0"),
    ("bh", "973", ""), ("bs", "1", "1"), ("ca", "1", "1"), ("ch", "41", "0"), ("cn", "86", "0"),
    ("cr", "506", ""), ("cy", "357", ""), ("cz", "420", ""), ("de", "49", "0"), ("dk", "45", ""),
    ("do", "1", "1"), ("dz", "213", "0"), ("ec", "593", "0"), ("ee", "372", ""), ("eg", "20", "0"),
    ("es", "34", ""), ("fi", "358", "0"), ("fr", "33", "0"), ("gb", "44", "0"), ("gg", "44", "0"),
    ("gh", "233", "0"), ("gr", "30", ""), ("gt", "502", ""), ("hk", "852", ""), ("hn", "504", ""),
    ("hr", "385", "0"), ("id", "62", "0"), ("ie", "353", "0"), ("il", "972", "0"), ("im", "44", "0"),
    ("in", "91", "0"), ("is", "354", ""), ("it", "39", ""), ("je", "44", "0"), ("jm", "1", "1"),
    ("jo", "962", "0"), ("jp", "81", "0"), ("ke", "254", "0"), ("kr", "82", "0"), ("kw", "965", ""),
    ("li", "423", ""), ("lk", "94", "0"), ("lu", "352", ""), ("lv", "371", ""), ("ma", "212", "0"),
    ("me", "382", "0"), ("mk", "389", "0"), ("mo", "853", ""), ("mt", "356", ""), ("my", "60", "0"),
    ("ng", "234", "0"), ("ni", "505", ""), ("nl", "31", "0"), ("no", "47", ""), ("nz", "64", "0"),
    ("om", "968", ""), ("pa", "507", ""), ("pe", "51", "0"), ("ph", "63", "0"), ("pk", "92", "0"),
    ("pl", "48", ""), ("pr", "1", "1"), ("pt", "351", ""), ("qa", "974", ""), ("ro", "40", "0"),
    ("rs", "381", "0"), ("sa", "966", "0"), ("se", "46", "0"), ("sg", "65", ""), ("si", "386", "0"),
    ("sk", "421", "0"), ("sv", "503", ""), ("th", "66", "0"), ("tn", "216", ""), ("tr", "90", "0"),
    ("tt", "1", "1"), ("tw", "886", "0"), ("tz", "255", "0"), ("ua", "380", "0"), ("ug", "256", "0"),
    ("us", "1", "1"), ("za", "27", "0"),
];

/// The longest number that E.164 allows, country code included.
const MOST_DIGITS: usize = 15;

/// Shorter ones are service numbers or mistakes.
const FEWEST_DIGITS: usize = 7;

impl Country {
    /// The country with this lower-case ISO 3166 code.
    #[must_use]
    pub fn find(code: &str) -> Option<Self> {
        Self::all().find(|country| country.code == code)
    }

    /// The lower-case ISO 3166 code.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.code
    }

    /// Every supported country.
    pub fn all() -> impl Iterator<Item = Self> {
        COUNTRIES.iter().map(|(code, calling, trunk)| Self { code, calling, trunk })
    }

    /// Whether `digits` are a number of this country that still has its trunk prefix, as in +44 (0)20 7946 0018.
    fn keeps_trunk(self, digits: &str) -> bool {
        let national = digits.strip_prefix(self.calling);
        !self.trunk.is_empty() && national.is_some_and(|digits| digits.starts_with(self.trunk))
    }
}

/// Appends `+` and the digits of `text`; `None` if it is no number that this rule reads.
pub(crate) fn e164(text: &str, country: Option<Country>, out: &mut String) -> Option<()> {
    let international = text.strip_prefix('+');
    let digits = digits(international.unwrap_or(text))?;
    let start = out.len();
    out.push('+');
    match (international, country) {
        (Some(_), _) => out.push_str(&digits),
        (None, Some(country)) => {
            out.push_str(country.calling);
            out.push_str(digits.strip_prefix(country.trunk).unwrap_or(&digits));
        }
        (None, None) => return None,
    }
    is_number(&out[start + 1..]).then_some(())
}

fn is_number(digits: &str) -> bool {
    (FEWEST_DIGITS..=MOST_DIGITS).contains(&digits.len())
        && !digits.starts_with('0')
        && !Country::all().any(|country| country.keeps_trunk(digits))
}

/// The digits of a number written with the usual separators; `None` if anything else is in it.
fn digits(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !is_separator(*c)).collect();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

/// What stands between digits.
pub(crate) fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '-' | '.' | '/' | '(' | ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_well_formed() {
        assert!(COUNTRIES.is_sorted_by(|a, b| a.0 < b.0));
        for (code, calling, trunk) in COUNTRIES {
            assert!(
                code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase()),
                "{code}"
            );
            assert!((1..=3).contains(&calling.len()) && !calling.starts_with('0'), "{code}");
            assert!(["", "0"].contains(&trunk) || (calling, trunk) == ("1", "1"), "{code}");
        }
    }

    #[test]
    fn country_codes_say_where_they_end_and_share_their_trunk_prefix() {
        for (_, a, trunk) in COUNTRIES {
            for (_, b, other) in COUNTRIES {
                assert_eq!(a == b, b.starts_with(a), "{a} {b}");
                assert!(a != b || trunk == other, "{a}");
            }
        }
    }

    #[test]
    fn every_country_reads_a_national_number_with_and_without_its_trunk_prefix() {
        for country in Country::all() {
            let expected = format!("+{}234567890", country.calling);
            for text in
                [format!("{}23 456-7890", country.trunk), "234567890".to_owned(), expected.clone()]
            {
                let mut out = String::new();
                assert_eq!(e164(&text, Some(country), &mut out), Some(()), "{}", country.code);
                assert_eq!(out, expected, "{}", country.code);
            }
        }
    }
}
