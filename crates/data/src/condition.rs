//! `--where 'COL OP VALUE'`: which rows of a list count.

use std::cmp::Ordering;
use std::str::FromStr;

use chrono::NaiveDate;

use crate::columns::{column_name, locate};
use crate::decimal::Decimal;
use crate::{DataError, Table};

/// What a row must say in a column: `=`, `!=`, `<`, `<=`, `>` or `>=` a value.
///
/// Cells and the value are compared without the white space around them. Against a decimal number, cells are compared as numbers, and
/// against a date such as `2026-01-31` by the date that they begin with, whatever time follows it; by `=` and `!=` what is neither
/// is another text. Against any other text, `=` and `!=` compare texts. An empty cell is less or greater than nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    column: String,
    comparison: Comparison,
    value: String,
    kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Date,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The signs, each before one that begins as it does.
const SIGNS: [(&str, Comparison); 6] = [
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl Comparison {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    fn is_of_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// A text that is no [`Condition`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCondition {
    /// No column, or nothing that compares it.
    #[error(
        "a column, one of = != < <= > >=, and a value are needed, such as 'amount>=100' or 'country=DE', in quotes so that the \
         shell does not take them"
    )]
    Shape,
    /// The value has no order.
    #[error(
        "less and greater are for numbers and for dates such as 2026-01-31; compare texts with = or !="
    )]
    Order,
}

impl FromStr for Condition {
    type Err = NoCondition;

    fn from_str(text: &str) -> Result<Self, NoCondition> {
        let (column, rest) = match text.trim_start() {
            quoted if quoted.starts_with('"') => {
                column_name(quoted).map_err(|_| NoCondition::Shape)?
            }
            plain => {
                let end = plain.find(['!', '<', '>', '=']).ok_or(NoCondition::Shape)?;
                let (column, rest) = plain.split_at(end);
                (column.trim().to_owned(), rest)
            }
        };
        let rest = rest.trim_start();
        let compared = SIGNS.iter().find_map(|(sign, how)| Some((*how, rest.strip_prefix(sign)?)));
        let (comparison, value) = compared.ok_or(NoCondition::Shape)?;
        let value = value.trim().to_owned();
        if column.is_empty() || value.starts_with(['<', '>', '=']) {
            return Err(NoCondition::Shape);
        }
        let kind = match Decimal::read(&value) {
            Ok(Some(_)) => Kind::Number,
            _ if date_of(&value).is_some_and(|date| date.len() == value.len()) => Kind::Date,
            _ if comparison.is_of_equality() => Kind::Text,
            _ => return Err(NoCondition::Order),
        };
        Ok(Self { column, comparison, value, kind })
    }
}

/// The date such as `2026-01-31` that a text begins with, alone or before a time.
fn date_of(text: &str) -> Option<&str> {
    let (date, rest) = text.split_at_checked(10)?;
    let is_written = date.bytes().enumerate().all(|(place, byte)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let ends = rest.is_empty() || rest.starts_with(['T', ' ']);
    let exists = || NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok();
    (is_written && ends && exists()).then_some(date)
}

impl Condition {
    /// The name of the column.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Whether a cell meets it; else what is wrong with the cell.
    fn is_met(&self, cell: &str) -> Result<bool, &'static str> {
        let (cell, comparison) = (cell.trim(), self.comparison);
        let order = match self.kind {
            Kind::Text => return Ok(comparison.holds(cell.cmp(&self.value))),
            Kind::Number => Decimal::read(cell).map(|cell| {
                let value = Decimal::read(&self.value).ok().flatten();
                cell.zip(value).map(|(cell, value)| cell.compare(&value))
            }),
            // Dates of four digits a year are ordered as their texts are.
            Kind::Date => match date_of(cell) {
                Some(date) => Ok(Some(date.cmp(&*self.value))),
                None if cell.is_empty() => Ok(None),
                None => Err("text that begins with no date such as 2026-01-31"),
            },
        };
        match order {
            Ok(Some(order)) => Ok(comparison.holds(order)),
            // An empty cell, or by equality any other text.
            Ok(None) => Ok(comparison == Comparison::NotEqual),
            Err(_) if comparison.is_of_equality() => Ok(comparison == Comparison::NotEqual),
            Err(why) => Err(why),
        }
    }

    /// Of each row of `table` whether it meets all of these. What a row says of those behind one that it does not meet is not looked at.
    ///
    /// # Errors
    /// When a column is missing, or a cell has no place in the order of the value.
    pub fn rows(conditions: &[Self], table: &Table) -> Result<Vec<bool>, DataError> {
        let places = conditions.iter().map(|condition| locate(&condition.column, table));
        let places = places.collect::<Result<Vec<usize>, _>>()?;
        let mut met = Vec::with_capacity(table.rows());
        table.try_for_each_row(&places, |row, fields| {
            for (column, condition) in conditions.iter().enumerate() {
                let is_met = condition.is_met(&fields.get(column));
                let place = || table.place_of_row(row, Some(places[column]));
                if !is_met.map_err(|what| DataError::Unordered { place: place(), what })? {
                    met.push(false);
                    return Ok(());
                }
            }
            met.push(true);
            Ok(())
        })?;
        Ok(met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(text: &str) -> Condition {
        text.parse().expect("a condition")
    }

    #[test]
    fn a_condition_has_a_column_a_sign_and_a_value() {
        let read = |text: &str| {
            let Condition { column, comparison, value, .. } = condition(text);
            (column, comparison, value)
        };
        let of = |column: &str, comparison, value: &str| (column.into(), comparison, value.into());
        assert_eq!(read("amount>=100"), of("amount", Comparison::AtLeast, "100"));
        assert_eq!(read(" of day < 2026-02-01 "), of("of day", Comparison::Less, "2026-02-01"));
        assert_eq!(read("a!=b=c"), of("a", Comparison::NotEqual, "b=c"));
        assert_eq!(read("note="), of("note", Comparison::Equal, ""));
        assert_eq!(read("\"a<\"\"b\"\"\" > 3"), of("a<\"b\"", Comparison::Greater, "3"));
        for wrong in ["", "amount", "=3", "!3", "a!3", "a==3", "a=>3", "a<>3", "\"a>3", "\"a\"3"] {
            assert_eq!(wrong.parse::<Condition>(), Err(NoCondition::Shape), "{wrong}");
        }
        for wrong in ["a<b", "a>=", "a>2026-02-30", "a<2026-01-01 12:00", "a<2026-1-31", "a<1e3"] {
            assert_eq!(wrong.parse::<Condition>(), Err(NoCondition::Order), "{wrong}");
        }
    }

    #[test]
    fn numbers_dates_and_texts_are_compared_each_in_its_way() {
        let cases = [
            ("a=1.5", &["1.50", " 01.5", "+1.5"][..], &["1.05", "-1.5", "", "x"][..]),
            ("a!=1.5", &["1.05", "", "x"], &["1.50"]),
            ("a<10", &["9.99", "-11", "0"], &["10.0", "10.01", "99", ""]),
            ("a>=-0.5", &["-0.5", "0", "-0", "12"], &["-0.51", "-3", " "]),
            ("a<=-0", &["0", "-1"], &["0.001"]),
            ("a=DE", &["DE", " DE "], &["de", "D", ""]),
            ("a=", &["", "  "], &["x"]),
            ("a!=", &["x"], &["", " "]),
            (
                "a>2026-01-31",
                &["2026-02-01", "2026-02-01 00:00"],
                &["2026-01-31T23:59:59Z", "2025-12-01", ""],
            ),
            ("a<=2026-01-31", &["2026-01-31T08:00", "2026-01-31", "0999-12-31"], &["2026-02-01"]),
            ("a=2026-01-31", &["2026-01-31T08:00", "2026-01-31"], &["2026-01-30", "never", ""]),
            ("a!=2026-01-31", &["2026-02-01", "never", ""], &["2026-01-31 12:00"]),
        ];
        for (text, met, unmet) in cases {
            let is_met = |cell: &&str| condition(text).is_met(cell).expect("it has an order");
            assert!(met.iter().all(is_met), "{text}");
            assert!(!unmet.iter().any(is_met), "{text}");
        }
        for (text, cell) in [
            ("a<10", "ten"),
            ("a<10", "1,5"),
            ("a<2026-01-31", "31.01.2026"),
            ("a<2026-01-31", "+2026-1-30"),
        ] {
            assert!(condition(text).is_met(cell).is_err(), "{text} {cell}");
        }
    }

    #[test]
    fn rows_meet_all_conditions_and_errors_name_no_cell() {
        let text = "id,amount,land\n1,5,DE\n2,15,DE\n3,25,FR\n4,,DE\n";
        let table = Table::parse("t.csv".into(), text.into(), b',').expect("a table");
        let rows = |texts: &[&str]| {
            let conditions: Vec<Condition> = texts.iter().map(|text| condition(text)).collect();
            Condition::rows(&conditions, &table).map_err(|error| error.to_string())
        };
        assert_eq!(rows(&["amount>=10"]), Ok(vec![false, true, true, false]));
        assert_eq!(rows(&["amount>=10", "land=DE"]), Ok(vec![false, true, false, false]));
        assert_eq!(rows(&["land!=DE", "land!=FR", "land>10"]), Ok(vec![false; 4]));
        assert_eq!(rows(&[]), Ok(vec![true; 4]));
        let shown = rows(&["land<10"]).expect_err("no number");
        assert!(
            shown.starts_with("t.csv, line 2, column 3 (\"land\"): text that is no"),
            "{shown}"
        );
        assert!(shown.contains("--where") && !shown.contains("DE"), "{shown}");
        assert!(rows(&["lnad=DE"]).expect_err("missing").contains("did you mean \"land\"?"));
    }
}
