//! Rows of NDJSON as NDJSON.

use std::io::{self, Write};

use super::sheet::Sheet;
use crate::json::write_member;

impl Sheet<'_> {
    /// Writes the rows of a table of JSON objects byte for byte; an added column is a further member where it is not
    /// empty.
    pub(super) fn write_objects(self, out: &mut impl Write) -> io::Result<()> {
        let mut raw_rows = self.table.raw_rows();
        for row in &self.rows {
            let raw = raw_rows.get(*row)?.unwrap_or_default();
            let cells = (self.own)(*row);
            let added: Vec<_> =
                self.added.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty()).collect();
            if added.is_empty() {
                writeln!(out, "{raw}")?;
                continue;
            }
            let open = raw.strip_suffix('}').unwrap_or(raw).trim_end();
            out.write_all(open.as_bytes())?;
            for (index, (name, cell)) in added.into_iter().enumerate() {
                write_member(out, index > 0 || !open.ends_with('{'), name, Some(cell), false)?;
            }
            out.write_all(b"}\n")?;
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
}
