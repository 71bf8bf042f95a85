//! Delimited text to write: fields that are quoted where they need it.

use std::io::{self, Write};

/// Writes a record of `fields` without a line end.
pub(crate) fn write_record<'a>(
    out: &mut impl Write,
    fields: impl IntoIterator<Item = &'a str>,
    delimiter: u8,
) -> io::Result<()> {
    let mut nothing_yet = true;
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            out.write_all(&[delimiter])?;
        }
        write_field(out, field, delimiter)?;
        nothing_yet = index == 0 && field.is_empty();
    }
    // A blank line is no record.
    if nothing_yet { out.write_all(b"\"\"") } else { Ok(()) }
}

/// Writes a field, in quotes where it needs them.
pub(crate) fn write_field(out: &mut impl Write, field: &str, delimiter: u8) -> io::Result<()> {
    let needs_quotes = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n');
    // Without an end at the first, so that many bytes are looked at at once.
    if !field.bytes().fold(false, |any, byte| any | needs_quotes(byte)) {
        return out.write_all(field.as_bytes());
    }
    out.write_all(b"\"")?;
    for (index, part) in field.split('"').enumerate() {
        if index > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(part.as_bytes())?;
    }
    out.write_all(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(fields: &[&str], delimiter: u8) -> String {
        let mut out = Vec::new();
        write_record(&mut out, fields.iter().copied(), delimiter).expect("to memory");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        for (fields, delimiter, expected) in [
            (&["a", "b c", ""][..], b',', "a,b c,"),
            (&["a,b", "a;b"], b';', "a,b;\"a;b\""),
            (&["a\"b", "\r", "\n"], b',', "\"a\"\"b\",\"\r\",\"\n\""),
            (&["=1+1", "\u{1b}[2J"], b',', "=1+1,\u{1b}[2J"),
            (&["abc"], b'b', "\"abc\""),
            (&[""], b',', "\"\""),
            (&["", ""], b',', ","),
        ] {
            assert_eq!(written(fields, delimiter), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn another_library_reads_it(
            rows in proptest::collection::vec(proptest::collection::vec("[a\",;\r\n é]{0,6}", 2), 0..9),
            width in 1usize..3, semicolon in proptest::bool::ANY,
        ) {
            let delimiter = if semicolon { b';' } else { b',' };
            let rows: Vec<Vec<String>> = rows.iter().map(|row| row[..width].to_vec()).collect();
            let lines: Vec<String> = rows
                .iter()
                .map(|row| written(&row.iter().map(String::as_str).collect::<Vec<_>>(), delimiter))
                .collect();
            let mut reader = csv::ReaderBuilder::new();
            reader.has_headers(false).delimiter(delimiter);
            let text = lines.join("\n");
            let read: Vec<Vec<String>> = reader
                .from_reader(text.as_bytes())
                .records()
                .map(|record| record.expect("UTF-8").iter().map(str::to_owned).collect())
                .collect();
            proptest::prop_assert_eq!(read, rows);
        }
    }
}
