//! A local look at the data before a run; nothing is sent.

use crate::error::Place;
use crate::keys::{RowEncoder, is_digest};
use crate::preset::Normalised;
use crate::table::Fields;
use crate::{DataError, KeySet, KeySpec, Preset, Table};

/// How many places of a finding are named.
const PLACES: usize = 5;

/// What a list looks like under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Rows below the header.
    pub rows: usize,
    /// Distinct keys.
    pub distinct: usize,
    /// Rows whose key an earlier row carries.
    pub duplicates: usize,
    /// Rows with an empty key column; they never match.
    pub empty: usize,
    /// Rows with a key column that its preset cannot read; they never match.
    pub invalid: Finding,
    /// Rows whose key differs from the text in the file.
    pub changed: usize,
    /// What is probably not meant, most frequent first; kinds that do not occur are left out.
    pub suspicious: Vec<Finding>,
}

/// Something found, how often, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub what: &'static str,
    /// In how many rows.
    pub rows: usize,
    /// Where the first few are.
    pub places: Vec<Place>,
}

/// A suspicion about one field under its preset.
type Suspicion = (&'static str, fn(Preset, &str) -> bool);

const SUSPICIONS: [Suspicion; 7] = [
    ("white space around a value that is compared as it is", |preset, text| {
        preset == Preset::Raw && text.trim() != text
    }),
    ("control or invisible characters", |_, text| text.trim().chars().any(is_invisible)),
    ("damaged characters (U+FFFD)", |_, text| text.contains('\u{fffd}')),
    ("no e-mail address (no @, or no domain after it)", |preset, text| {
        matches!(preset, Preset::Email | Preset::EmailGmail) && !is_address(text.trim())
    }),
    ("placeholders such as n/a or null", |_, text| is_placeholder(text.trim())),
    ("numbers that a spreadsheet has rounded, such as 1.23E+11", |_, text| is_rounded(text.trim())),
    ("values that look hashed; veilset hashes for you", |_, text| is_digest(text.trim())),
];

/// Looks at `table` under `spec`.
///
/// # Errors
/// When a column of `spec` is not in the table.
pub fn check(table: &Table, spec: &KeySpec) -> Result<CheckReport, DataError> {
    let places = spec.locate(table)?;
    let keys = KeySet::build(table, spec)?;
    let mut tally = Tally::new();
    let mut encoder = RowEncoder::new(spec);
    let mut plain = RowEncoder::new(spec);
    table.for_each_row(&places, |row, fields| {
        let read = encoder.encode(fields);
        tally.row(row, read, read == Normalised::Key && plain.encode_raw(fields) != encoder.key);
        tally.suspect(row, spec, fields);
    })?;
    Ok(tally.report(table, &keys))
}

struct Tally {
    invalid: Vec<usize>,
    invalid_count: usize,
    changed: usize,
    suspicious: [(usize, Vec<usize>); SUSPICIONS.len()],
}

impl Tally {
    fn new() -> Self {
        Self { invalid: Vec::new(), invalid_count: 0, changed: 0, suspicious: Default::default() }
    }

    fn row(&mut self, row: usize, read: Normalised, changed: bool) {
        self.changed += usize::from(changed);
        if read == Normalised::Invalid {
            note(&mut self.invalid_count, &mut self.invalid, row);
        }
    }

    fn suspect(&mut self, row: usize, spec: &KeySpec, fields: &Fields<'_>) {
        for ((_, suspects), (count, rows)) in SUSPICIONS.iter().zip(&mut self.suspicious) {
            let mut columns = spec.columns().iter().enumerate();
            let odd = columns.any(|(index, column)| {
                let text = fields.get(index);
                !text.is_empty() && suspects(column.preset, &text)
            });
            if odd {
                note(count, rows, row);
            }
        }
    }

    fn report(self, table: &Table, keys: &KeySet) -> CheckReport {
        let finding = |what, rows, first: Vec<usize>| Finding {
            what,
            rows,
            places: first.into_iter().map(|row| table.place_of_row(row, None)).collect(),
        };
        let mut suspicious: Vec<Finding> = SUSPICIONS
            .iter()
            .zip(self.suspicious)
            .filter(|(_, (count, _))| *count > 0)
            .map(|((what, _), (count, rows))| finding(what, count, rows))
            .collect();
        suspicious.extend(few_keys(table, keys));
        suspicious.sort_by_key(|finding| std::cmp::Reverse(finding.rows));
        CheckReport {
            rows: keys.rows(),
            distinct: keys.len(),
            duplicates: keys.duplicate_rows(),
            empty: keys.null_rows(),
            invalid: finding("not readable by the preset", self.invalid_count, self.invalid),
            changed: self.changed,
            suspicious,
        }
    }
}

/// A list of one key, or of none, is more often a wrong column or preset than a list.
fn few_keys(table: &Table, keys: &KeySet) -> Option<Finding> {
    let named = |rows: &mut dyn Iterator<Item = usize>| {
        rows.take(PLACES).map(|row| table.place_of_row(row, None)).collect()
    };
    match keys.len() {
        0 => Some(Finding {
            what: "no key at all, so nothing can match: a wrong column or preset?",
            rows: keys.rows(),
            places: named(&mut (0..keys.rows())),
        }),
        1 if keys.duplicate_rows() > 0 => Some(Finding {
            what: "the same key in every row",
            rows: 1 + keys.duplicate_rows(),
            places: named(&mut keys.rows_of(&[0])),
        }),
        _ => None,
    }
}

fn note(count: &mut usize, rows: &mut Vec<usize>, row: usize) {
    *count += 1;
    if rows.len() < PLACES {
        rows.push(row);
    }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

fn is_address(text: &str) -> bool {
    matches!(text.split_once('@'), Some((local, domain)) if !local.is_empty() && domain.contains('.'))
}

fn is_placeholder(text: &str) -> bool {
    const PLACEHOLDERS: [&str; 11] = [
        "n/a",
        "na",
        "null",
        "none",
        "nil",
        "nan",
        "unknown",
        "-",
        "#n/a",
        "test@test.com",
        "noreply@example.com",
    ];
    PLACEHOLDERS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_rounded(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once("E+").or_else(|| text.split_once("e+")) else {
        return false;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(exponent)
        && mantissa.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        && !mantissa.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spot;

    fn lines(finding: &Finding) -> Vec<u64> {
        let line = |place: &Place| match place.spot() {
            Spot::Line(line) => line,
            Spot::Row(_) => panic!("text has lines"),
        };
        finding.places.iter().map(line).collect()
    }

    #[test]
    fn counts_what_is_there_and_names_lines_only() {
        let csv =
            "mail,n\n\"A@x.com\",1\na@x.com,2\n,3\nn/a,4\n\"b@y.org\n\",5\nzero\u{200b}@z.com,6\n";
        let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
        let report = check(&table, &"mail:email".parse().expect("a key")).expect("a column");
        assert_eq!((report.rows, report.distinct, report.duplicates), (6, 4, 1));
        assert_eq!((report.empty, report.invalid.rows, report.changed), (1, 0, 2));
        let found: Vec<(&str, usize, Vec<u64>)> =
            report.suspicious.iter().map(|f| (f.what, f.rows, lines(f))).collect();
        assert_eq!(
            found,
            [
                (SUSPICIONS[1].0, 1, vec![8]),
                (SUSPICIONS[3].0, 1, vec![5]),
                (SUSPICIONS[4].0, 1, vec![5]),
            ]
        );
    }

    #[test]
    fn a_list_of_one_key_is_suspicious() {
        let look = |csv: &str| {
            let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
            check(&table, &"c:name".parse().expect("a key")).expect("a column").suspicious
        };
        let found = look("c,n\nUK,1\n,2\nuk,3\n");
        let [finding] = found.as_slice() else { panic!("one finding") };
        assert_eq!((finding.what, finding.rows), ("the same key in every row", 2));
        assert_eq!(lines(finding), [2, 4]);
        assert_eq!(look("c\nUK\n"), []);
        assert_eq!(look("c\nUK\nFR\n"), []);
    }

    #[test]
    fn a_list_without_any_key_is_suspicious() {
        let table = Table::parse("t.csv".into(), b"p\n0123\nx\n".to_vec(), b',').expect("a table");
        let report = check(&table, &"p:phone".parse().expect("a key")).expect("a column");
        assert_eq!((report.distinct, report.invalid.rows), (0, 2));
        assert_eq!(report.suspicious.len(), 1);
        assert_eq!((report.suspicious[0].rows, lines(&report.suspicious[0])), (2, vec![2, 3]));
    }

    #[test]
    fn each_suspicion_has_a_case() {
        for (preset, text, which) in [
            (Preset::Raw, " a", 0),
            (Preset::Name, "a\u{7}b", 1),
            (Preset::Name, "M\u{fffd}ller", 2),
            (Preset::Email, "ann.example.com", 3),
            (Preset::Raw, "NULL", 4),
            (Preset::Raw, "4.47E+11", 5),
            (Preset::Raw, &"ab".repeat(32), 6),
        ] {
            let hits: Vec<usize> =
                (0..SUSPICIONS.len()).filter(|index| SUSPICIONS[*index].1(preset, text)).collect();
            assert_eq!(hits, [which], "{text}");
        }
        for fine in ["ann@example.com", "E+", "12", "O'Neil", "ab"] {
            assert!(SUSPICIONS.iter().all(|(_, suspects)| !suspects(Preset::Raw, fine)), "{fine}");
        }
    }
}
