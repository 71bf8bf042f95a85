//! Rows of NDJSON as NDJSON.

use std::io::{self, Write};

use super::sheet::{Cells, Sheet};
use crate::json::write_member;

impl Sheet<'_> {
    /// Writes the rows of a table of JSON objects byte for byte; an added column is a further member where it is not
    /// nothing.
    pub(super) fn write_objects(self, out: &mut impl Write) -> io::Result<()> {
        let mut raw_rows = self.table.raw_rows();
        for row in &self.rows {
            let raw = raw_rows.get(*row)?.unwrap_or_default();
            for cells in (self.own)(*row) {
                self.write_object(out, raw, &cells)?;
            }
        }
        let header = self.table.header().iter().map(String::as_str);
        let names: Vec<&str> = header.chain(self.added.iter().copied()).collect();
        for cells in self.more {
            assert_eq!(cells.len(), self.places.len(), "a cell for each column");
            out.write_all(b"{")?;
            for (index, (place, cell)) in self.places.iter().zip(&cells).enumerate() {
                write_member(out, index > 0, names[*place], Some(cell), false)?;
            }
            out.write_all(b"}\n")?;
        }
        Ok(())
    }

    /// Writes a row with its added cells.
    fn write_object(&self, out: &mut impl Write, raw: &str, cells: &Cells) -> io::Result<()> {
        let added = self.added.iter().zip(cells);
        let added: Vec<_> = added.filter_map(|(name, cell)| Some((name, cell.as_ref()?))).collect();
        if added.is_empty() {
            return writeln!(out, "{raw}");
        }
        let open = raw.strip_suffix('}').unwrap_or(raw).trim_end();
        out.write_all(open.as_bytes())?;
        for (index, (name, cell)) in added.into_iter().enumerate() {
            write_member(out, index > 0 || !open.ends_with('{'), name, Some(cell), false)?;
        }
        out.write_all(b"}\n")
    }
}
