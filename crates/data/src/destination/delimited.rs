//! Results as delimited text.

use std::io::{self, Write};

use super::sheet::Sheet;
use crate::Table;
use crate::quote::{write_field, write_record};
use crate::table::Delimited;

impl Sheet<'_> {
    /// Writes the header and the rows, between whose fields stands `delimiter`, if the output has one. A table of delimited
    /// text gives the line end and, where its delimiter stays, its header and its rows byte for byte.
    pub(super) fn write_delimited(
        self,
        out: &mut impl Write,
        delimiter: Option<u8>,
    ) -> io::Result<()> {
        let style = Style::of(self.table, delimiter);
        let width = self.width();
        match self.table.delimited().filter(|text| text.delimiter() == style.delimiter) {
            Some(text) => {
                style.longer(out, text.raw_header(), self.added.iter().copied())?;
                let mut raw_rows = self.table.raw_rows();
                for row in &self.rows {
                    let raw = raw_rows.get(*row)?.unwrap_or_default();
                    for added in (self.own)(*row) {
                        style.longer(out, raw, added.iter().map(text_of))?;
                    }
                }
            }
            None => self.write_texts(out, &style)?,
        }
        for cells in self.more {
            assert_eq!(cells.len(), self.places.len(), "a cell for each column");
            let mut fields = vec![""; width];
            for (place, cell) in self.places.iter().zip(&cells) {
                fields[*place] = cell;
            }
            style.record(out, fields)?;
        }
        Ok(())
    }

    /// Writes the header and the table's rows as the texts of their values.
    fn write_texts(&self, out: &mut impl Write, style: &Style) -> io::Result<()> {
        let header = self.table.header().iter().map(String::as_str);
        style.record(out, header.chain(self.added.iter().copied()))?;
        let columns: Vec<usize> = (0..self.table.header().len()).collect();
        self.table.try_for_rows(&self.rows, &columns, |row, fields| {
            let texts: Vec<_> = columns.iter().map(|column| fields.get(*column)).collect();
            (self.own)(row).iter().try_for_each(|added| {
                let texts = texts.iter().map(AsRef::as_ref);
                style.record(out, texts.chain(added.iter().map(text_of)))
            })
        })
    }
}

fn text_of(cell: &Option<String>) -> &str {
    cell.as_deref().unwrap_or_default()
}

/// What stands between fields and after records.
struct Style {
    delimiter: u8,
    end: &'static str,
}

impl Style {
    fn of(table: &Table, delimiter: Option<u8>) -> Self {
        let text = table.delimited();
        let delimiter = delimiter.or(text.map(Delimited::delimiter)).unwrap_or(b',');
        Self { delimiter, end: text.map_or("\n", Delimited::line_end) }
    }

    /// Writes `raw`, a record, byte for byte, then the fields `more`, then the line end.
    fn longer<'a>(
        &self,
        out: &mut impl Write,
        raw: &str,
        more: impl Iterator<Item = &'a str>,
    ) -> io::Result<()> {
        out.write_all(raw.as_bytes())?;
        for field in more {
            out.write_all(&[self.delimiter])?;
            write_field(out, field, self.delimiter)?;
        }
        out.write_all(self.end.as_bytes())
    }

    /// Writes a record of `fields` and the line end.
    fn record<'a>(
        &self,
        out: &mut impl Write,
        fields: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<()> {
        write_record(out, fields, self.delimiter)?;
        out.write_all(self.end.as_bytes())
    }
}
