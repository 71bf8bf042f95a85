//! What columns look like, and the key that would do for them.

use crate::columns::looks_like_data;
use crate::preset::Normalised;
use crate::suspicion::{has_phone_digits, is_address, is_digest, is_phone, is_placeholder};
use crate::table::Fields;
use crate::{DataError, Preset, Table};

/// What most values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksLike {
    /// Digests.
    Hashes,
    /// E-mail addresses.
    Addresses,
    /// IP addresses.
    IpAddresses,
    /// Calendar dates that the preset reads.
    Dates,
    /// Phone numbers, most of which begin with `+`.
    Phones,
    /// Phone numbers, many of which do not.
    NationalPhones,
}

impl LooksLike {
    const ALL: [Self; 6] = [
        Self::Hashes,
        Self::Addresses,
        Self::IpAddresses,
        Self::Dates,
        Self::Phones,
        Self::NationalPhones,
    ];

    /// In words.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Hashes => "hashes; veilset hashes for you: give it the plain values",
            Self::Addresses => "e-mail addresses",
            Self::IpAddresses => "IP addresses",
            Self::Dates => "dates",
            Self::Phones => "phone numbers",
            Self::NationalPhones => {
                "phone numbers, many without their country's code; CC is the country, such as gb"
            }
        }
    }

    /// The preset that is made for them.
    #[must_use]
    pub fn preset(self) -> &'static str {
        match self {
            Self::Hashes => "raw",
            Self::Addresses => "email",
            Self::IpAddresses => "ip",
            Self::Dates => "date",
            Self::Phones => "phone",
            Self::NationalPhones => "phone-CC",
        }
    }

    /// Whether `text` is such a value in a column that is, by its name, one of phone numbers or not.
    fn fits(self, text: &str, of_phones: bool) -> bool {
        let reads = |preset: Preset| preset.normalise(text, &mut String::new()) == Normalised::Key;
        match self {
            Self::Hashes => is_digest(text),
            Self::Addresses => is_address(text),
            Self::IpAddresses => reads(Preset::Ip),
            Self::Dates => reads(Preset::Date),
            Self::Phones => text.starts_with('+') && is_phone(text),
            Self::NationalPhones => is_phone(text) || (of_phones && has_phone_digits(text)),
        }
    }
}

/// A column as it is, and what would make a key of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLook {
    /// Its name.
    pub column: String,
    /// Whether the name looks like a value, as where the first line is none of names; then it is not shown.
    pub nameless: bool,
    /// Whether its values can be in a key: those of structures and floating-point numbers cannot.
    pub fit: bool,
    /// Cells that hold a value.
    pub filled: usize,
    /// Empty cells.
    pub empty: usize,
    /// Cells that hold a placeholder such as `n/a`.
    pub placeholders: usize,
    /// What at least nine of ten values are.
    pub looks_like: Option<LooksLike>,
}

impl ColumnLook {
    /// What `--key` takes for it, with the preset that is proposed.
    #[must_use]
    pub fn key(&self) -> String {
        let plain = !self.column.contains([',', ':', '"']) && !self.column.is_empty();
        let name = match plain {
            true => self.column.clone(),
            false => format!("\"{}\"", self.column.replace('"', "\"\"")),
        };
        match self.looks_like.map(LooksLike::preset) {
            None | Some("raw") => name,
            Some(preset) => format!("{name}:{preset}"),
        }
    }
}

/// Counts of one column.
struct Tally {
    look: ColumnLook,
    of_phones: bool,
    kinds: [usize; LooksLike::ALL.len()],
}

/// Looks at the columns of `table` at these places.
///
/// # Errors
/// When their values cannot be decoded.
pub fn look_at_columns(table: &Table, places: &[usize]) -> Result<Vec<ColumnLook>, DataError> {
    let mut tallies: Vec<Tally> = places.iter().map(|place| Tally::new(table, *place)).collect();
    let fit = |(place, tally): (&usize, &Tally)| tally.look.fit.then_some(*place);
    let fitting: Vec<usize> = places.iter().zip(&tallies).filter_map(fit).collect();
    let start = |_| fitting.iter().map(|place| Tally::new(table, *place)).collect();
    let visit = |tallies: &mut Vec<Tally>, _, fields: &Fields<'_>| {
        tallies.iter_mut().enumerate().for_each(|(index, tally)| tally.take(&fields.get(index)));
        Ok(())
    };
    table.by_stretches(&fitting, start, visit, |round| {
        for stretch in round {
            let fit = tallies.iter_mut().filter(|tally| tally.look.fit);
            fit.zip(stretch).for_each(|(tally, more)| tally.extend(&more));
        }
        Ok(())
    })?;
    Ok(tallies.into_iter().map(Tally::finish).collect())
}

impl Tally {
    fn new(table: &Table, place: usize) -> Self {
        let column = table.header()[place].clone();
        let name = column.to_lowercase();
        let of_phones = ["phone", "tel", "mobile", "cell"].iter().any(|part| name.contains(part));
        let fit = table.check_keys(&[place]).is_ok();
        let look = ColumnLook {
            nameless: looks_like_data(&column),
            column,
            fit,
            filled: 0,
            empty: 0,
            placeholders: 0,
            looks_like: None,
        };
        Self { look, of_phones, kinds: Default::default() }
    }

    fn take(&mut self, cell: &str) {
        let text = cell.trim();
        if text.is_empty() {
            self.look.empty += 1;
        } else if is_placeholder(text) {
            self.look.placeholders += 1;
        } else {
            self.look.filled += 1;
            for (kind, count) in LooksLike::ALL.iter().zip(&mut self.kinds) {
                *count += usize::from(kind.fits(text, self.of_phones));
            }
        }
    }

    /// Adds the counts of other rows.
    fn extend(&mut self, others: &Self) {
        self.look.filled += others.look.filled;
        self.look.empty += others.look.empty;
        self.look.placeholders += others.look.placeholders;
        self.kinds.iter_mut().zip(others.kinds).for_each(|(kind, other)| *kind += other);
    }

    fn finish(self) -> ColumnLook {
        let Self { look, kinds, .. } = self;
        let most = |count: usize| look.filled > 0 && 10 * count >= 9 * look.filled;
        let mut kinds = LooksLike::ALL.into_iter().zip(kinds);
        let looks_like = kinds.find(|(_, count)| most(*count)).map(|(kind, _)| kind);
        ColumnLook { looks_like, ..look }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposals(csv: &str) -> Vec<String> {
        let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
        let places: Vec<usize> = (0..table.header().len()).collect();
        let looks = look_at_columns(&table, &places).expect("text");
        looks.iter().map(ColumnLook::key).collect()
    }

    #[test]
    fn each_kind_of_column_has_its_preset() {
        let csv = "id,E-Mail,\"born:\",ip,tel,mobile,gb,hash,note\n\
                   1001001,Ann@x.com,2024-02-29,192.0.2.1,+44 20 7946 0018,2025550143,020 7946 0018,\
                   0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f,hello\n\
                   1001002,n/a,20240301,2001:db8::1,+442079460019,202-555-0144,020 7946 0019,\
                   1f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f,\n";
        assert_eq!(
            proposals(csv),
            [
                "id",
                "E-Mail:email",
                "\"born:\":date",
                "ip:ip",
                "tel:phone",
                "mobile:phone-CC",
                "gb:phone-CC",
                "hash",
                "note",
            ]
        );
    }

    #[test]
    fn nine_of_ten_values_decide_and_placeholders_are_none() {
        let column = |addresses: usize, others: usize| {
            let rows = "a@x.com\n".repeat(addresses) + &"other\n".repeat(others);
            proposals(&format!("c\n{rows}n/a\n\"\"\n"))
        };
        assert_eq!(column(9, 1), ["c:email"]);
        assert_eq!(column(8, 1), ["c"]);
        assert_eq!(column(0, 0), ["c"]);
    }

    #[test]
    fn cells_are_counted_and_structures_are_no_keys() {
        let text = "{\"a\":\"x\",\"b\":1.5}\n{\"a\":\"NULL\"}\n{\"a\":\"\"}\n";
        let table = Table::parse_ndjson("t".into(), text.into()).expect("objects");
        let looks = look_at_columns(&table, &[0]).expect("text");
        let headless = Table::parse("t.csv".into(), b"ann@x.com\nbob@x.com\n".to_vec(), b',');
        let headless = look_at_columns(&headless.expect("a table"), &[0]).expect("text");
        assert!(headless[0].nameless && !looks[0].nameless);
        assert_eq!((looks[0].filled, looks[0].empty, looks[0].placeholders), (1, 1, 1));
    }
}
