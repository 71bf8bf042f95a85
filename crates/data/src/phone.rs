//! Phone numbers to E.164.

use std::ops::RangeInclusive;

use crate::suspicion::is_invisible;

/// A country: what its numbers begin with abroad, and what they begin with at home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    code: &'static str,
    calling: &'static str,
    trunk: &'static str,
}

/// ISO 3166 code, ITU-T E.164 country code, and the trunk prefix that is dropped when the country code comes before.
/// No number of a country with a trunk prefix goes on with the first digit of that prefix after the country code, but in
/// zone 7, where [`PLANS`] tells. Countries whose trunk rules need more than that are left out: write their numbers with `+`.
#[rustfmt::skip]
const COUNTRIES: [(&str, &str, &str); 98] = [
    ("ad", "376", ""), ("ae", "971", "0"), ("al", "355", "0"), ("ar", "54", "0"), ("at", "43", "0"), ("au", "61", "0"),
    ("ba", "387", "0"), ("bb", "1", "1"), ("bd", "880", "0"), ("be", "32", "0"), ("bg", "359", "0"),
    ("bh", "973", ""), ("br", "55", "0"), ("bs", "1", "1"), ("ca", "1", "1"), ("ch", "41", "0"), ("cn", "86", "0"),
    ("cr", "506", ""), ("cy", "357", ""), ("cz", "420", ""), ("de", "49", "0"), ("dk", "45", ""),
    ("do", "1", "1"), ("dz", "213", "0"), ("ec", "593", "0"), ("ee", "372", ""), ("eg", "20", "0"),
    ("es", "34", ""), ("fi", "358", "0"), ("fr", "33", "0"), ("gb", "44", "0"), ("gg", "44", "0"),
    ("gh", "233", "0"), ("gr", "30", ""), ("gt", "502", ""), ("hk", "852", ""), ("hn", "504", ""),
    ("hr", "385", "0"), ("hu", "36", "06"), ("id", "62", "0"), ("ie", "353", "0"), ("il", "972", "0"), ("im", "44", "0"),
    ("in", "91", "0"), ("is", "354", ""), ("it", "39", ""), ("je", "44", "0"), ("jm", "1", "1"),
    ("jo", "962", "0"), ("jp", "81", "0"), ("ke", "254", "0"), ("kr", "82", "0"), ("kw", "965", ""), ("kz", "7", "8"),
    ("li", "423", ""), ("lk", "94", "0"), ("lu", "352", ""), ("lv", "371", ""), ("ma", "212", "0"),
    ("me", "382", "0"), ("mk", "389", "0"), ("mo", "853", ""), ("mt", "356", ""), ("mx", "52", ""), ("my", "60", "0"),
    ("ng", "234", "0"), ("ni", "505", ""), ("nl", "31", "0"), ("no", "47", ""), ("nz", "64", "0"),
    ("om", "968", ""), ("pa", "507", ""), ("pe", "51", "0"), ("ph", "63", "0"), ("pk", "92", "0"),
    ("pl", "48", ""), ("pr", "1", "1"), ("pt", "351", ""), ("qa", "974", ""), ("ro", "40", "0"),
    ("rs", "381", "0"), ("ru", "7", "8"), ("sa", "966", "0"), ("se", "46", "0"), ("sg", "65", ""), ("si", "386", "0"),
    ("sk", "421", "0"), ("sv", "503", ""), ("th", "66", "0"), ("tn", "216", ""), ("tr", "90", "0"),
    ("tt", "1", "1"), ("tw", "886", "0"), ("tz", "255", "0"), ("ua", "380", "0"), ("ug", "256", "0"),
    ("us", "1", "1"), ("za", "27", "0"),
];

/// Codes of further countries whose trunk prefix is 0, and whose numbers never begin with it after the code.
#[rustfmt::skip]
const TRUNK_ZERO: [&str; 47] = [
    "211", "218", "231", "232", "243", "249", "251", "252", "260", "261", "262", "263", "264", "265", "291", "370",
    "373", "374", "377", "383", "508", "53", "57", "58", "590", "591", "594", "595", "596", "686", "84", "850", "855",
    "856", "93", "95", "961", "963", "964", "967", "970", "976", "977", "98", "994", "995", "996",
];

/// The most digits of a country's code.
const LONGEST_CODE: usize = 3;

/// The trunk prefix of the countries whose code has this value; no code begins with 0.
const TRUNKS: [Option<&str>; 1000] = {
    let mut trunks = [None; 1000];
    let mut place = 0;
    while place < COUNTRIES.len() {
        trunks[value(COUNTRIES[place].1.as_bytes())] = Some(COUNTRIES[place].2);
        place += 1;
    }
    place = 0;
    while place < TRUNK_ZERO.len() {
        trunks[value(TRUNK_ZERO[place].as_bytes())] = Some("0");
        place += 1;
    }
    trunks
};

/// The value of a few digits.
const fn value(digits: &[u8]) -> usize {
    let (mut value, mut place) = (0, 0);
    while place < digits.len() {
        value = 10 * value + (digits[place] - b'0') as usize;
        place += 1;
    }
    value
}

/// What is known of the numbers after a country's code: how many digits they have, and how they never begin.
struct Plan {
    calling: &'static str,
    digits: RangeInclusive<usize>,
    never: &'static [&'static str],
}

/// Where the trunk prefix alone would not do: 8 begins numbers in zone 7, too, and what was dialled before mobile numbers in
/// Argentina (15) and Mexico (1, 044, 045) is no part of them.
const PLANS: [Plan; 5] = [
    Plan { calling: "36", digits: 8..=9, never: &["0"] },
    Plan { calling: "52", digits: 10..=10, never: &["0", "1"] },
    Plan { calling: "54", digits: 10..=11, never: &["0", "15"] },
    Plan { calling: "55", digits: 10..=11, never: &["0"] },
    Plan { calling: "7", digits: 10..=10, never: &[] },
];

impl Plan {
    fn of(calling: &str) -> Option<&'static Self> {
        PLANS.iter().find(|plan| plan.calling == calling)
    }

    fn has(&self, national: &str) -> bool {
        self.digits.contains(&national.len())
            && !self.never.iter().any(|prefix| national.starts_with(prefix))
    }
}

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

    /// What of `digits`, as they are dialled in this country, comes after its code.
    fn national(self, digits: &str) -> &str {
        match (digits.strip_prefix(self.trunk), Plan::of(self.calling)) {
            (Some(national), Some(plan)) if !plan.has(national) => digits,
            (Some(national), _) => national,
            (None, _) => digits,
        }
    }
}

/// Whether a number can go on like this after the code of a country with this trunk prefix; it cannot where the prefix is
/// still in it, as in +44 (0)20 7946 0018.
fn follows(calling: &str, trunk: &str, national: &str) -> bool {
    match (Plan::of(calling), trunk.chars().next()) {
        (Some(plan), _) => plan.has(national),
        (None, Some(first)) => !national.starts_with(first),
        (None, None) => true,
    }
}

/// Appends `+` and the digits of `text`; `None` if it is no number that this rule reads.
pub(crate) fn e164(text: &str, country: Option<Country>, out: &mut String) -> Option<()> {
    let text: String = text.chars().filter(|c| !is_separator(*c)).collect();
    let international = text.strip_prefix('+');
    let digits = international.unwrap_or(&text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let start = out.len();
    out.push('+');
    match (international, country) {
        (Some(_), _) => out.push_str(digits),
        (None, Some(country)) => {
            out.push_str(country.calling);
            out.push_str(country.national(digits));
        }
        (None, None) => return None,
    }
    is_number(&out[start + 1..]).then_some(())
}

fn is_number(digits: &str) -> bool {
    let fits = |length: usize| {
        let (calling, national) = digits.split_at(length);
        TRUNKS[value(calling.as_bytes())].is_none_or(|trunk| follows(calling, trunk, national))
    };
    (FEWEST_DIGITS..=MOST_DIGITS).contains(&digits.len())
        && !digits.starts_with('0')
        && (1..=LONGEST_CODE).all(fits)
}

/// What stands between digits, or comes along where a number was copied: white space, dashes, points, slashes,
/// parentheses, and characters that nobody sees.
pub(crate) fn is_separator(c: char) -> bool {
    matches!(c, '-' | '.' | '/' | '(' | ')' | '\u{2010}'..='\u{2015}' | '\u{2212}')
        || c.is_whitespace()
        || is_invisible(c)
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
            let others = [("1", "1"), ("7", "8"), ("36", "06")];
            assert!(["", "0"].contains(&trunk) || others.contains(&(calling, trunk)), "{code}");
        }
    }

    #[test]
    fn country_codes_say_where_they_end_and_share_their_trunk_prefix() {
        for (_, a, trunk) in COUNTRIES {
            for (_, b, other) in COUNTRIES {
                assert_eq!(a == b, b.starts_with(a), "{a} {b}");
                assert!(a != b || trunk == other, "{a}");
            }
            for b in TRUNK_ZERO {
                assert!(!a.starts_with(b) && !b.starts_with(a), "{a} {b}");
            }
        }
        assert!(TRUNK_ZERO.is_sorted());
    }

    #[test]
    fn every_country_reads_a_national_number_with_and_without_its_trunk_prefix() {
        for country in Country::all() {
            let length = Plan::of(country.calling).map_or(9, |plan| *plan.digits.end());
            let digits = &"23456789012"[..length];
            let expected = format!("+{}{digits}", country.calling);
            let (front, back) = digits.split_at(2);
            for text in
                [format!("{}{front} {back}", country.trunk), digits.to_owned(), expected.clone()]
            {
                let mut out = String::new();
                assert_eq!(e164(&text, Some(country), &mut out), Some(()), "{}", country.code);
                assert_eq!(out, expected, "{}", country.code);
            }
        }
    }

    /// What Google's libphonenumber makes of these: E.164, or, where it takes something away that the rule does not, no
    /// number.
    #[test]
    fn numbers_with_more_than_a_trunk_prefix_are_read_or_refused() {
        for (country, text, expected) in [
            ("", "+36 06 1 234 5678", None),
            ("", "+36 1 234 5678", Some("+3612345678")),
            ("hu", "06 30 123 4567", Some("+36301234567")),
            ("hu", "1 234 5678", Some("+3612345678")),
            ("hu", "06 123", None),
            ("", "+7 8 912 345-67-89", None),
            ("", "+7 812 345-67-89", Some("+78123456789")),
            ("ru", "8 (912) 345-67-89", Some("+79123456789")),
            ("ru", "812 345-67-89", Some("+78123456789")),
            ("kz", "8 701 234 56 78", Some("+77012345678")),
            ("ru", "7 912 345-67-89", None),
            ("", "+54 0 11 4123 4567", None),
            ("", "+54 9 11 4123 4567", Some("+5491141234567")),
            ("ar", "011 4123-4567", Some("+541141234567")),
            ("ar", "011 15-4123-4567", None),
            ("ar", "15-4123-4567", None),
            ("", "+55 0 11 91234-5678", None),
            ("br", "(011) 91234-5678", Some("+5511912345678")),
            ("br", "11 3123-4567", Some("+551131234567")),
            ("br", "0 15 11 91234-5678", None),
            ("mx", "55 1234 5678", Some("+525512345678")),
            ("", "+52 1 55 1234 5678", None),
            ("mx", "044 55 1234 5678", None),
            ("", "+84 091 234 56 78", None),
            ("", "+84 91 234 56 78", Some("+84912345678")),
            ("", "+225 07 12 34 56 78", Some("+2250712345678")),
            ("", "+39 06 1234 5678", Some("+390612345678")),
        ] {
            let mut out = String::new();
            let read = e164(text, Country::find(country), &mut out).map(|()| out.as_str());
            assert_eq!(read, expected, "{country} {text}");
        }
    }

    #[test]
    fn dashes_spaces_and_invisible_characters_stand_between_digits() {
        for text in [
            "\u{202a}+44\u{a0}20\u{2011}7946\u{2013}0018\u{202c}",
            "(+44) 20\u{202f}7946/0018",
            "+44.20.7946\u{2009}0018",
        ] {
            let mut out = String::new();
            assert_eq!(e164(text, None, &mut out), Some(()), "{text}");
            assert_eq!(out, "+442079460018");
        }
        for text in
            ["+44 20 7946;0018", "+44 +20 7946 0018", "+44 20 7946 001\u{ff18}", "++442079460018"]
        {
            assert_eq!(e164(text, None, &mut String::new()), None, "{text}");
        }
    }
}
