//! Which format a file has, or is to have.

use std::path::Path;

/// A format of files with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Delimited text (RFC 4180).
    Csv,
    /// A JSON object a line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file, also known as Feather.
    Arrow,
    /// An Arrow IPC stream.
    ArrowStream,
}

impl Format {
    /// The format's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Ndjson => "NDJSON",
            Self::Parquet => "Parquet",
            Self::Arrow => "an Arrow file",
            Self::ArrowStream => "an Arrow stream",
        }
    }

    /// What the extension of a file's name says.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "csv" | "tsv" | "txt" => Self::Csv,
            "ndjson" | "jsonl" => Self::Ndjson,
            "parquet" => Self::Parquet,
            "arrow" | "feather" => Self::Arrow,
            "arrows" => Self::ArrowStream,
            _ => return None,
        })
    }

    /// What `bytes` are; text is NDJSON where its name or its first character says so.
    pub(crate) fn of_content(bytes: &[u8], named: Option<Self>) -> Self {
        let first = || bytes.trim_ascii_start().first();
        match bytes {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::Arrow,
            // Every message of a stream begins so.
            [0xff, 0xff, 0xff, 0xff, ..] => Self::ArrowStream,
            _ if named == Some(Self::Ndjson) => Self::Ndjson,
            _ if named != Some(Self::Csv) && first() == Some(&b'{') => Self::Ndjson,
            _ => Self::Csv,
        }
    }

    /// Whether this program writes files of this format: the one in a browser writes no Parquet.
    #[must_use]
    pub const fn is_written(self) -> bool {
        !(cfg!(target_family = "wasm") && matches!(self, Self::Parquet))
    }

    /// Whether files of this format hold values of types rather than text.
    pub(crate) fn is_typed(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::ArrowStream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_tell_the_format() {
        for (name, expected) in [
            ("a.csv", Some(Format::Csv)),
            ("a/b.JSONL", Some(Format::Ndjson)),
            ("x.parquet", Some(Format::Parquet)),
            ("x.Feather", Some(Format::Arrow)),
            ("x.arrows", Some(Format::ArrowStream)),
            ("parquet", None),
            ("x.xlsx", None),
        ] {
            assert_eq!(Format::of_name(Path::new(name)), expected, "{name}");
        }
        let csv = Some(Format::Csv);
        for (bytes, named, expected) in [
            (&b"PAR1.."[..], None, Format::Parquet),
            (b"PAR1..", csv, Format::Parquet),
            (b"ARROW1\0\0", None, Format::Arrow),
            (b"\xff\xff\xff\xff\x10", None, Format::ArrowStream),
            (b" \n{\"a\":1}", None, Format::Ndjson),
            (b"{a},b\n", csv, Format::Csv),
            (b"a,b\n", None, Format::Csv),
            (b"[1]", Some(Format::Ndjson), Format::Ndjson),
            (b"", None, Format::Csv),
        ] {
            assert_eq!(Format::of_content(bytes, named), expected);
        }
    }
}
