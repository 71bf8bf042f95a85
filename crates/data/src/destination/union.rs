//! The output of a union: one's own rows, then the peer's that one lacks.

use super::sheet::Sheet;
use super::sizes::Rows;
use crate::{DataError, Destination, KeySpec, Table};

impl Table {
    /// Finds out before a run whether the peer's rows, with the columns `extra` beside the key, go under this table's
    /// header.
    ///
    /// # Errors
    /// When a name in `extra` is that of a key column or of several columns here, or of one without text, or is there
    /// twice.
    pub fn check_union(&self, spec: &KeySpec, extra: &[String]) -> Result<(), DataError> {
        Layout::new(self, spec, extra).map(drop)
    }
}

impl Destination {
    /// Holds room for what [`Destination::write_union`] adds to the rows of `table`, for which room is held already: at most
    /// `count` received rows, of `text` bytes each.
    ///
    /// # Errors
    /// As [`Table::check_union`], and when there is too little.
    pub fn prepare_union(
        &self,
        table: &Table,
        spec: &KeySpec,
        extra: &[String],
        count: u64,
        text: u64,
    ) -> Result<(), DataError> {
        let layout = Layout::new(table, spec, extra)?;
        let key = spec.columns().iter().map(|column| column.name.as_str());
        let names: Vec<&str> = key.chain(extra.iter().map(String::as_str)).collect();
        let rows = table.rows() as u64;
        // Own values in columns that cells go to become text there.
        let becomes_text = self.format().is_typed() && table.text_bytes().is_none();
        let text_of_own = if becomes_text { layout.text_of_own(table)? } else { 0 };
        let own = Rows { count: rows, text: text_of_own.div_ceil(rows.max(1)), names: &names };
        let received = Rows { count, text, names: &names };
        self.hold(self.size_beside(&union_of(table, spec, extra, &[])?, own, received)?)
    }

    /// Writes all rows of `table`, byte for byte as they were, then the rows `received`.
    ///
    /// A received row is its cells in the key columns, which go to the columns of `spec` in order, and those in the
    /// columns `extra`, which go to the columns of the same names. Names that the table lacks become new columns at
    /// the end, empty in its own rows. A cell is written as the peer sent it, in quotes where RFC 4180 wants them:
    /// what a spreadsheet would make of it is not changed. A terminal gets no control characters.
    ///
    /// # Errors
    /// As [`Table::check_union`], and when writing fails; a file is then as it was before.
    ///
    /// # Panics
    /// When a received row has another number of cells than `spec` and `extra` have columns.
    pub fn write_union(
        &self,
        table: &Table,
        spec: &KeySpec,
        extra: &[String],
        received: &[Vec<String>],
    ) -> Result<(), DataError> {
        self.write_sheet(union_of(table, spec, extra, received)?)
    }
}

/// All rows of `table`, then the rows `received`.
fn union_of<'a>(
    table: &'a Table,
    spec: &KeySpec,
    extra: &'a [String],
    received: &'a [Vec<String>],
) -> Result<Sheet<'a>, DataError> {
    let Layout { places, added } = Layout::new(table, spec, extra)?;
    let nothing = vec![None; added.len()];
    Ok(Sheet {
        added,
        own: Box::new(move |_| vec![nothing.clone()]),
        places,
        more: Box::new(received.iter().cloned()),
        ..Sheet::new(table, 0..table.rows())
    })
}

/// Which columns of the output a received row's cells go to.
struct Layout<'a> {
    places: Vec<usize>,
    /// The names of the new columns, which are the last.
    added: Vec<&'a str>,
}

impl<'a> Layout<'a> {
    fn new(table: &Table, spec: &KeySpec, extra: &'a [String]) -> Result<Self, DataError> {
        let places = spec.locate(table)?;
        let key = places.clone();
        let mut layout = Self { places, added: Vec::new() };
        for (index, name) in extra.iter().enumerate() {
            if extra[..index].contains(name) {
                return Err(taken("the peer's list", name, "names it twice"));
            }
            layout.place(table, &key, name)?;
        }
        Ok(layout)
    }

    /// Bytes of text in the table's own columns that cells go to.
    fn text_of_own(&self, table: &Table) -> Result<u64, DataError> {
        let own = self.places.iter().copied().filter(|place| *place < table.header().len());
        let own: Vec<usize> = own.collect();
        let mut bytes = 0;
        table.for_each_row(&own, |_, fields| {
            bytes += (0..own.len()).map(|place| fields.get(place).len() as u64).sum::<u64>();
        })?;
        Ok(bytes)
    }

    /// Adds the column for `name`.
    fn place(&mut self, table: &Table, key: &[usize], name: &'a str) -> Result<(), DataError> {
        if !table.header().iter().any(|column| column == name) {
            self.places.push(table.header().len() + self.added.len());
            self.added.push(name);
            return Ok(());
        }
        let place = crate::columns::locate(name, table)?;
        if key.contains(&place) {
            let why = "it is part of the key, while the peer sends one of that name beside the key";
            return Err(taken(table.name(), name, why));
        }
        table.check_text(&[place])?;
        self.places.push(place);
        Ok(())
    }
}

fn taken(what: &str, column: &str, why: &'static str) -> DataError {
    DataError::NameTaken { what: what.to_owned(), column: column.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy;

    use super::*;

    fn table(csv: &[u8], delimiter: u8) -> Table {
        Table::parse("t.csv".into(), csv.to_vec(), delimiter).expect("a table")
    }

    fn owned(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    fn union(table: &Table, key: &str, extra: &[&str], received: &[&[&str]]) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        let received: Vec<Vec<String>> = received.iter().map(|cells| owned(cells)).collect();
        Destination::file(path.clone(), false)
            .write_union(table, &key.parse().expect("a key"), &owned(extra), &received)
            .expect("writable");
        std::fs::read(path).expect("written")
    }

    #[test]
    fn without_new_columns_own_rows_stay_byte_for_byte() {
        let table = table(b"\"n\";id\r\n\"a\";1\r\nb;\"2\"", b';');
        let written = union(&table, "id", &["n"], &[&["3", "x;y"], &["\"4\"", ""]]);
        assert_eq!(written, b"\"n\";id\r\n\"a\";1\r\nb;\"2\"\r\n\"x;y\";3\r\n;\"\"\"4\"\"\"\r\n");
    }

    #[test]
    fn names_that_the_table_lacks_become_columns_at_the_end() {
        let table = table(b"first,x,last\na,1,b\n", b',');
        let received: &[&[&str]] = &[&["D", "C", "9", "8", "=1"]];
        let written = union(&table, "last,first", &["p,q", "x", "new"], received);
        assert_eq!(written, b"first,x,last,\"p,q\",new\na,1,b,,\nC,8,D,9,=1\n");
    }

    #[test]
    fn an_empty_cell_alone_is_no_blank_line() {
        assert_eq!(union(&table(b"k", b','), "k", &[], &[&[""], &["a"]]), b"k\n\"\"\na\n");
    }

    #[test]
    fn names_that_mean_two_things_are_refused_before_a_run_and_after_it() {
        let table = table(b"k,x,x,y\n", b',');
        let spec: KeySpec = "k".parse().expect("a key");
        for (extra, part) in [
            (&["k"][..], "t.csv has a column \"k\", and it is part of the key"),
            (&["x"], "2 columns named \"x\""),
            (&["z\u{1b}", "y", "z\u{1b}"], "list has a column \"z\\u{1b}\", and names it twice"),
        ] {
            let error = table.check_union(&spec, &owned(extra)).expect_err("refused").to_string();
            assert!(error.contains(part), "{error}");
            assert!(Destination::Stdout.write_union(&table, &spec, &owned(extra), &[]).is_err());
        }
        table.check_union(&spec, &owned(&["y", "K", ""])).expect("all different");
    }

    fn cells() -> impl Strategy<Value = Vec<Vec<String>>> {
        proptest::collection::vec(proptest::collection::vec("[a\",;\r\n é]{0,5}", 3), 0..6)
    }

    proptest::proptest! {
        #[test]
        fn another_library_reads_own_and_received_rows(own in cells(), received in cells()) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for row in [owned(&["a", "k", "b"])].iter().chain(&own) {
                writer.write_record(row).expect("to memory");
            }
            let table = table(&writer.into_inner().expect("to memory"), b',');
            let layout_of = owned(&["c", "a"]);
            let mut written = Vec::new();
            union_of(&table, &"k".parse().expect("a key"), &layout_of, &received)
                .expect("all different")
                .write_delimited(&mut written, None)
                .expect("to memory");
            let mut expected = vec![owned(&["a", "k", "b", "c"])];
            expected.extend(own.iter().map(|row| [&row[..], &owned(&[""])].concat()));
            let cell = |row: &Vec<String>, from: usize| row[from].clone();
            expected.extend(received.iter().map(|row| vec![cell(row, 2), cell(row, 0), String::new(), cell(row, 1)]));
            let mut reader = csv::ReaderBuilder::new();
            let read: Vec<Vec<String>> = reader
                .has_headers(false)
                .from_reader(&written[..])
                .records()
                .map(|record| record.expect("UTF-8").iter().map(str::to_owned).collect())
                .collect();
            proptest::prop_assert_eq!(read, expected);
        }
    }
}
