//! The grammar of RFC 4180: where a record ends, and what its fields are.
//!
//! Stricter than most readers in one place: nothing may follow a closing quote but a delimiter or a line end. A stray
//! quote would otherwise swallow rows up to the next one without a word. Looser in two: a quote inside an unquoted
//! field is text, and a lone CR ends a line.

/// Finds one record at a time; its buffers serve all.
pub(crate) struct Scanner {
    delimiter: u8,
    spans: Vec<Span>,
    /// The texts of fields with doubled quotes, one after the other.
    unescaped: String,
}

/// Where a field's text lies.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    unescaped: bool,
}

/// A quoted field that does not end as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuoteFault {
    pub(crate) kind: QuoteFaultKind,
    /// The byte to point at.
    pub(crate) at: usize,
    /// The field, from 0.
    pub(crate) column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteFaultKind {
    /// It opens and the text ends.
    NeverCloses,
    /// Something stands between its closing quote and the delimiter.
    TextAfter,
}

impl Scanner {
    /// `delimiter` is ASCII, and neither a quote nor a line end.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, spans: Vec::new(), unescaped: String::new() }
    }

    /// Scans the record of `text` at byte `start`; returns where it ends, before its line end.
    pub(crate) fn record(&mut self, text: &str, start: usize) -> Result<usize, QuoteFault> {
        self.spans.clear();
        self.unescaped.clear();
        let bytes = text.as_bytes();
        let mut at = start;
        loop {
            let end = match bytes.get(at) {
                Some(b'"') => self.quoted(text, at)?,
                _ => self.plain(bytes, at),
            };
            if bytes.get(end) != Some(&self.delimiter) {
                return Ok(end);
            }
            at = end + 1;
        }
    }

    /// How many fields the last record has, or had before its fault.
    pub(crate) fn width(&self) -> usize {
        self.spans.len()
    }

    /// Field `column` of the last record, which was scanned in `text`.
    pub(crate) fn field<'a>(&'a self, text: &'a str, column: usize) -> &'a str {
        let Span { start, end, unescaped } = self.spans[column];
        let text = if unescaped { &self.unescaped } else { text };
        &text[start..end]
    }

    fn plain(&mut self, bytes: &[u8], start: usize) -> usize {
        let rest = &bytes[start..];
        let end = start + rest.iter().position(|byte| self.ends_field(*byte)).unwrap_or(rest.len());
        self.spans.push(Span { start, end, unescaped: false });
        end
    }

    /// Scans the field whose quote opens at `open`; returns where it ends, after its closing quote.
    fn quoted(&mut self, text: &str, open: usize) -> Result<usize, QuoteFault> {
        let column = self.spans.len();
        let bytes = text.as_bytes();
        let unescaped_start = self.unescaped.len();
        let mut start = open + 1;
        loop {
            let Some(length) = bytes[start..].iter().position(|byte| *byte == b'"') else {
                return Err(QuoteFault { kind: QuoteFaultKind::NeverCloses, at: open, column });
            };
            let quote = start + length;
            match bytes.get(quote + 1) {
                Some(b'"') => {
                    self.unescaped.push_str(&text[start..=quote]);
                    start = quote + 2;
                }
                Some(byte) if !self.ends_field(*byte) => {
                    let at = quote + 1;
                    return Err(QuoteFault { kind: QuoteFaultKind::TextAfter, at, column });
                }
                _ => {
                    let span = if start == open + 1 {
                        Span { start, end: quote, unescaped: false }
                    } else {
                        self.unescaped.push_str(&text[start..quote]);
                        let end = self.unescaped.len();
                        Span { start: unescaped_start, end, unescaped: true }
                    };
                    self.spans.push(span);
                    return Ok(quote + 1);
                }
            }
        }
    }

    fn ends_field(&self, byte: u8) -> bool {
        byte == self.delimiter || is_line_end(byte)
    }
}

/// Whether `delimiter` can stand between fields.
pub(crate) fn is_delimiter(delimiter: u8) -> bool {
    delimiter.is_ascii() && delimiter != 0 && delimiter != b'"' && !is_line_end(delimiter)
}

/// The first byte from `at` on that is no line end.
pub(crate) fn skip_line_ends(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_line_end(**byte)).count()
}

/// The line of byte `at`, from 1; LF, CRLF and a lone CR each end a line.
pub(crate) fn line_at(bytes: &[u8], at: usize) -> u64 {
    let ends_line = |index: &usize| match bytes[*index] {
        b'\n' => true,
        b'\r' => bytes.get(index + 1) != Some(&b'\n'),
        _ => false,
    };
    1 + (0..at.min(bytes.len())).filter(ends_line).count() as u64
}

pub(crate) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, delimiter: u8) -> Result<Vec<Vec<String>>, QuoteFault> {
        let mut scanner = Scanner::new(delimiter);
        let mut records = Vec::new();
        let mut at = skip_line_ends(text.as_bytes(), 0);
        while at < text.len() {
            let end = scanner.record(text, at)?;
            let fields = (0..scanner.width()).map(|column| scanner.field(text, column).to_owned());
            records.push(fields.collect());
            at = skip_line_ends(text.as_bytes(), end);
        }
        Ok(records)
    }

    #[test]
    fn fields_are_cut_and_unquoted() {
        for (text, expected) in [
            ("a,b", vec![vec!["a", "b"]]),
            (",\n", vec![vec!["", ""]]),
            ("\"\"\n", vec![vec![""]]),
            (
                "\"a\"\"b\",\"\"\"\",\"x,\r\ny\"\r\nz",
                vec![vec!["a\"b", "\"", "x,\r\ny"], vec!["z"]],
            ),
            ("a\rb\n\n\r\nc\"d\"", vec![vec!["a"], vec!["b"], vec!["c\"d\""]]),
        ] {
            assert_eq!(
                records(text, b','),
                Ok(expected.into_iter().map(owned).collect()),
                "{text}"
            );
        }
        assert_eq!(records("a\tb,c", b'\t'), Ok(vec![owned(vec!["a", "b,c"])]));
    }

    fn owned(fields: Vec<&str>) -> Vec<String> {
        fields.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn quotes_that_do_not_end_are_pointed_at() {
        let fault = |kind, at, column| Err(QuoteFault { kind, at, column });
        use QuoteFaultKind::{NeverCloses, TextAfter};
        for (text, expected) in [
            ("\"", fault(NeverCloses, 0, 0)),
            ("a,\"b\n", fault(NeverCloses, 2, 1)),
            ("a\n\"b\"\"", fault(NeverCloses, 2, 0)),
            ("\"a\"b", fault(TextAfter, 3, 0)),
            ("x,\"a\" ,b", fault(TextAfter, 5, 1)),
            ("1,\"open\n2,\"shut\"\n", fault(TextAfter, 11, 1)),
        ] {
            assert_eq!(records(text, b','), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_for_every_line_end() {
        let text = b"a\nb\r\nc\rd\n";
        let lines: Vec<u64> = [0, 1, 2, 4, 5, 7, 9].map(|at| line_at(text, at)).to_vec();
        assert_eq!(lines, [1, 1, 2, 2, 3, 4, 5]);
    }

    proptest::proptest! {
        /// What this reader accepts, the `csv` crate reads the same way.
        #[test]
        fn agrees_with_another_reader_on_any_text(
            text in "[a\",;\r\n é]{0,40}", semicolon in proptest::bool::ANY,
        ) {
            let delimiter = if semicolon { b';' } else { b',' };
            if let Ok(records) = records(&text, delimiter) {
                let mut reader = csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .delimiter(delimiter)
                    .from_reader(text.as_bytes());
                let oracle: Vec<Vec<String>> = reader
                    .records()
                    .map(|record| record.expect("UTF-8").iter().map(str::to_owned).collect())
                    .collect();
                proptest::prop_assert_eq!(records, oracle);
            }
        }
    }
}
