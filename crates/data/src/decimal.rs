//! The grammar of a decimal number: an optional sign, digits, and optionally a point and digits.

use std::cmp::Ordering;

/// The most digits after a point.
pub(crate) const MOST_PLACES: usize = 30;

/// A number as it stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    /// Reads `cell` without the white space around it; an empty cell is no number. The error says what stands there
    /// instead.
    pub(crate) fn read(cell: &'a str) -> Result<Option<Self>, &'static str> {
        let text = cell.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return Err(fault(unsigned)),
            None => (unsigned, ""),
        };
        if !is_digits(whole) {
            return Err(fault(unsigned));
        }
        if fraction.len() > MOST_PLACES {
            return Err("a number with more than 30 digits after its point; round it");
        }
        Ok(Some(Self { negative: text.starts_with('-'), whole, fraction }))
    }

    /// How many digits are after the point.
    pub(crate) fn places(&self) -> u32 {
        // At most 30.
        u32::try_from(self.fraction.len()).unwrap_or(u32::MAX)
    }

    /// How it is ordered beside another, however many digits they have.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let [ours, theirs] = [self, other].map(|number| {
            let whole = number.whole.trim_start_matches('0');
            (whole.len(), whole, number.fraction.trim_end_matches('0'))
        });
        let is_zero = |digits: &(usize, &str, &str)| digits.1.is_empty() && digits.2.is_empty();
        match (self.negative && !is_zero(&ours), other.negative && !is_zero(&theirs)) {
            (false, false) => ours.cmp(&theirs),
            (true, true) => theirs.cmp(&ours),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }

    /// The number times 10^`scale`, which is at least [`Decimal::places`]; nothing where its magnitude is 2^127 or
    /// more.
    pub(crate) fn units(&self, scale: u32) -> Option<i128> {
        let zeros = (self.places()..scale).map(|_| b'0');
        let mut digits = self.whole.bytes().chain(self.fraction.bytes()).chain(zeros);
        let magnitude = digits.try_fold(0i128, |units, digit| {
            units.checked_mul(10)?.checked_add(i128::from(digit - b'0'))
        })?;
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

/// `units` of 10^-`scale` as a decimal number with all its places.
pub(crate) fn show(units: i128, scale: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    format!("{sign}{}", point(&units.unsigned_abs().to_string(), scale))
}

/// A whole number's digits with a point before the last `scale` of them, and zeros before them where they are fewer.
pub(crate) fn point(digits: &str, scale: u32) -> String {
    let places = scale as usize;
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let point = if places == 0 { "" } else { "." };
    format!("{whole}{point}{fraction}")
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What `text`, which is no number and has no sign, looks like.
fn fault(text: &str) -> &'static str {
    let only = |others: &[char]| {
        text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && text.chars().all(|c| c.is_ascii_digit() || others.contains(&c))
    };
    if only(&['.']) {
        "a number with a point too many, or without digits on both sides of it"
    } else if only(&['.', ',']) {
        "a number with a comma; a point stands before the decimals, and nothing between thousands"
    } else if only(&['.', ',', ' ', '\'', '_', '\u{a0}', '\u{2009}', '\u{202f}', '’']) {
        "a number with separators between thousands; leave them out"
    } else if only(&['.', 'e', 'E', '+', '-']) {
        "a number with an exponent or an inner sign; write out its digits, as in -12.50"
    } else {
        "text that is no decimal number such as -12.50"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly() {
        for (cell, scale, units) in [
            ("0", 0, 0),
            ("-0", 2, 0),
            ("+7", 1, 70),
            (" 12.50\t", 2, 1250),
            ("-12.5", 3, -12_500),
            ("0000000000000000000000000000000000000000000000001", 0, 1),
            ("170141183460469231731687303715884105727", 0, i128::MAX),
            ("-17014118346046923173168730371588410572.7", 1, -i128::MAX),
            ("0.000000000000000000000000000001", 30, 1),
        ] {
            let read = Decimal::read(cell).expect("a number").expect("not empty");
            assert_eq!(read.units(scale), Some(units), "{cell}");
        }
        for cell in ["", " ", "\t"] {
            assert_eq!(Decimal::read(cell), Ok(None));
        }
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        for (cell, scale) in [
            ("170141183460469231731687303715884105728", 0),
            ("-170141183460469231731687303715884105728", 0),
            ("1", 39),
            ("99999999999999999999999999999999999999999999999", 0),
        ] {
            let read = Decimal::read(cell).ok().flatten();
            assert_eq!(read.and_then(|read| read.units(scale)), None, "{cell}");
        }
    }

    #[test]
    fn what_is_no_number_is_said_to_be_what_it_looks_like() {
        for (cells, part) in [
            (&[".5", "5.", "1.2.3", ".", "-.5"][..], "point too many"),
            (&["1,5", "1,234.50", "1.234,50", "-1,5"], "a comma"),
            (&["1 234", "1'234", "1_234", "1\u{a0}234,5"], "between thousands"),
            (&["1e3", "1.5E+11", "5-", "1.e3"], "an exponent"),
            (
                &["abc", "--1", "+-1", "12 EUR", "€5", "NaN", "inf", "0x10", "-", "٣", "\u{2212}5"],
                "text",
            ),
            (&["0.0000000000000000000000000000001"], "more than 30"),
        ] {
            for cell in cells {
                let what = Decimal::read(cell).expect_err(cell);
                assert!(what.contains(part), "{cell}: {what}");
            }
        }
    }

    #[test]
    fn units_are_shown_with_all_places() {
        for (units, scale, shown) in [
            (-1250, 2, "-12.50"),
            (0, 2, "0.00"),
            (5, 0, "5"),
            (-5, 3, "-0.005"),
            (i128::MAX, 30, "170141183.460469231731687303715884105727"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
        ] {
            assert_eq!(show(units, scale), shown);
        }
    }
}
