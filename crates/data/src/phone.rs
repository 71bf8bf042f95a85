//! Phone numbers to E.164.

/// A country: what its numbers begin with abroad, and what they begin with at home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    code: &'static str,
    calling: &'static str,
    trunk: &'static str,
}

/// ISO 3166 code, ITU-T E.164 country code, and the trunk prefix that is dropped when the country code comes before.
/// Countries whose trunk rules need more than a prefix are left out: write their numbers with `+`.
const COUNTRIES: [(&str, &str, &str); 50] = [
    ("ae", "971", "0"),
    ("at", "43", "0"),
    ("au", "61", "0"),
    ("be", "32", "0"),
    ("bg", "359", "0"),
    ("br", "55", "0"),
    ("ca", "1", "1"),
    ("ch", "41", "0"),
    ("cn", "86", "0"),
    ("cy", "357", ""),
    ("cz", "420", ""),
    ("de", "49", "0"),
    ("dk", "45", ""),
    ("ee", "372", ""),
    ("es", "34", ""),
    ("fi", "358", "0"),
    ("fr", "33", "0"),
    ("gb", "44", "0"),
    ("gr", "30", ""),
    ("hk", "852", ""),
    ("hr", "385", "0"),
    ("ie", "353", "0"),
    ("il", "972", "0"),
    ("in", "91", "0"),
    ("is", "354", ""),
    ("it", "39", ""),
    ("jp", "81", "0"),
    ("ke", "254", "0"),
    ("kr", "82", "0"),
    ("lu", "352", ""),
    ("lv", "371", ""),
    ("mt", "356", ""),
    ("my", "60", "0"),
    ("ng", "234", "0"),
    ("nl", "31", "0"),
    ("no", "47", ""),
    ("nz", "64", "0"),
    ("ph", "63", "0"),
    ("pl", "48", ""),
    ("pt", "351", ""),
    ("ro", "40", "0"),
    ("se", "46", "0"),
    ("sg", "65", ""),
    ("si", "386", "0"),
    ("sk", "421", "0"),
    ("th", "66", "0"),
    ("tr", "90", "0"),
    ("ua", "380", "0"),
    ("us", "1", "1"),
    ("za", "27", "0"),
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
    let length = out.len() - start - 1;
    let leading_zero = out[start + 1..].starts_with('0');
    (!leading_zero && (FEWEST_DIGITS..=MOST_DIGITS).contains(&length)).then_some(())
}

/// The digits of a number written with the usual separators; `None` if anything else is in it.
fn digits(text: &str) -> Option<String> {
    let separator = |c: &char| matches!(c, ' ' | '\u{a0}' | '-' | '.' | '/' | '(' | ')');
    let digits: String = text.chars().filter(|c| !separator(c)).collect();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_well_formed() {
        assert!(COUNTRIES.is_sorted_by_key(|(code, _, _)| code));
        for (code, calling, trunk) in COUNTRIES {
            assert!(
                code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase()),
                "{code}"
            );
            assert!((1..=3).contains(&calling.len()) && !calling.starts_with('0'), "{code}");
            assert!(["", "0", "1"].contains(&trunk), "{code}");
        }
    }
}
