//! Damaged Arrow and Parquet files: they are named, whatever a library makes of them, and take no memory that they only claim.

use std::fs;
use std::panic::set_hook;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use chacha20::ChaCha20Rng;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rand_core::{Rng, SeedableRng};
use tempfile::TempDir;
use veilset_data::{DataError, Scratch, Source, Table, is_caught};

const HONEST: [&str; 14] = [
    "typed/values.arrow",
    "typed/values.arrows",
    "typed/values.parquet",
    "inputs/lz4.arrow",
    "inputs/lz4.arrows",
    "inputs/zstd.arrow",
    "inputs/zstd.arrows",
    "inputs/delta1.parquet",
    "inputs/delta2.parquet",
    "inputs/lengths1.parquet",
    "inputs/lengths2.parquet",
    "inputs/snappy.parquet",
    "inputs/gzip.parquet",
    "inputs/zstd.parquet",
];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Panics that are caught say nothing, as in the programs.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        set_hook(Box::new(move |panic| {
            if !is_caught() {
                told(panic);
            }
        }));
    });
}

/// Reads everything that is in a file.
fn read(path: &Path, scratch: &Scratch) -> Result<usize, DataError> {
    let table = Table::read_within(&Source::File(path.to_owned()), None, scratch)?;
    let mut cells = 0;
    for column in 0..table.header().len() {
        match table.for_each_row(&[column], |_, fields| cells += fields.get(0).len()) {
            Ok(()) | Err(DataError::NoText { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    table.take(0..table.rows())?;
    Ok(cells)
}

struct Damage {
    folder: TempDir,
}

impl Damage {
    fn new() -> Self {
        keep_quiet();
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// What becomes of these bytes under the name of an honest file.
    fn read(&self, name: &str, bytes: &[u8], scratch: &Scratch) -> Result<usize, DataError> {
        let path = self.folder.path().join(Path::new(name).file_name().expect("a name"));
        fs::write(&path, bytes).expect("writable");
        read(&path, scratch)
    }
}

#[test]
fn changed_bytes_are_a_table_or_a_damaged_file() {
    let damage = Damage::new();
    let mut damaged = 0;
    for name in HONEST {
        let honest = fs::read(file(name)).expect("there");
        assert!(damage.read(name, &honest, &Scratch::default()).is_ok(), "{name}");
        for number in 0..150 {
            let mut rng = ChaCha20Rng::seed_from_u64(number);
            let mut bytes = honest.clone();
            for _ in 0..=rng.next_u64() % (1 << (number % 7)) {
                let at = (rng.next_u64() % bytes.len() as u64) as usize;
                bytes[at] = rng.next_u64() as u8;
            }
            // A page that is damaged alone shows at the column that it is of.
            match damage.read(name, &bytes, &Scratch::default()) {
                Err(DataError::Damaged { file }) => {
                    assert!(file.ends_with(name.rsplit('/').next().expect("a name")));
                    damaged += 1;
                }
                Err(error) => assert!(error.to_string().contains("/"), "{name} {number}: {error}"),
                Ok(_) => {}
            }
        }
    }
    assert!(damaged > 500, "{damaged}");
}

#[test]
fn a_file_that_is_cut_short_is_damaged() {
    let damage = Damage::new();
    for name in HONEST {
        let honest = fs::read(file(name)).expect("there");
        for part in 1..20 {
            let cut = &honest[..honest.len() * part / 20];
            match damage.read(name, cut, &Scratch::default()) {
                Err(DataError::Damaged { .. } | DataError::OtherFormat { .. }) => {}
                // A stream may end behind any message.
                Ok(_) => assert!(name.ends_with(".arrows"), "{name} {part}"),
                Err(error) => panic!("{name} {part}: {error}"),
            }
        }
    }
}

/// The places of `part` in `bytes`.
fn places(bytes: &[u8], part: &[u8]) -> Vec<usize> {
    (0..bytes.len() - part.len()).filter(|at| bytes[*at..].starts_with(part)).collect()
}

#[test]
fn what_a_compressed_buffer_claims_is_not_reserved() {
    let damage = Damage::new();
    // A frame of either begins so, behind eight bytes that say how long its content is.
    for (name, frame) in [
        ("inputs/zstd.arrows", &b"\x28\xb5\x2f\xfd"[..]),
        ("inputs/zstd.arrow", b"\x28\xb5\x2f\xfd"),
        ("inputs/lz4.arrow", b"\x04\x22\x4d\x18"),
    ] {
        let honest = fs::read(file(name)).expect("there");
        let frames = places(&honest, frame);
        assert!(!frames.is_empty(), "{name}");
        for claim in [i64::MAX, 1 << 62, 1 << 40, -2] {
            let mut bytes = honest.clone();
            bytes[frames[0] - 8..frames[0]].copy_from_slice(&claim.to_le_bytes());
            let read = damage.read(name, &bytes, &Scratch::default());
            assert!(matches!(read, Err(DataError::Damaged { .. })), "{name} {claim}");
        }
    }
}

#[test]
fn how_many_texts_a_page_claims_is_not_reserved() {
    let damage = Damage::new();
    for name in ["delta1", "delta2", "lengths1", "lengths2"] {
        let name = format!("inputs/{name}.parquet");
        let honest = fs::read(file(&name)).expect("there");
        // Blocks of 128 in 4 parts, and 300 of them.
        let header = places(&honest, b"\x80\x01\x04\xac\x02");
        assert!(!header.is_empty(), "{name}");
        for at in header {
            let mut bytes = honest.clone();
            bytes[at + 3..at + 9].copy_from_slice(b"\xff\xff\xff\xff\xff\x7f");
            let read = damage.read(&name, &bytes, &Scratch::default());
            assert!(matches!(read, Err(DataError::Damaged { .. })), "{name} {at}");
        }
    }
}

#[test]
fn a_page_that_is_larger_than_the_memory_is_refused_before_it_is_decoded() {
    const PAGE: usize = 40 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.parquet");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(PAGE)]));
    let batch = RecordBatch::try_from_iter([("k", text)]).expect("a column");
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .build();
    let out = fs::File::create(&path).expect("writable");
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties)).expect("text");
    writer.write(&batch).expect("writable");
    writer.close().expect("writable");

    let within = |memory| Scratch::new(Some(folder.path().to_owned()), Some(memory));
    let refused = read(&path, &within(80 << 20)).expect_err("too large");
    assert!(matches!(refused, DataError::TooLarge { bytes, .. } if bytes > PAGE as u64));
    assert!(
        refused.to_string().contains("page.parquet has a part that takes 84 MB or more at once")
    );
    assert_eq!(read(&path, &within(100 << 20)).expect("room"), PAGE);
    assert_eq!(read(&path, &Scratch::default()).expect("room"), PAGE);
}

#[test]
fn a_batch_that_is_larger_than_the_memory_is_refused_before_it_is_decoded() {
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    const BATCH: usize = 40 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(BATCH)]));
    let batch = RecordBatch::try_from_iter([("k", text)]).expect("a column");
    let options = || {
        let options = IpcWriteOptions::default();
        options.try_with_compression(Some(CompressionType::ZSTD)).expect("built in")
    };
    let (whole, stream) = (folder.path().join("b.arrow"), folder.path().join("b.arrows"));
    let out = fs::File::create(&whole).expect("writable");
    let mut file = FileWriter::try_new_with_options(out, &batch.schema(), options()).expect("text");
    file.write(&batch).expect("writable");
    file.finish().expect("writable");
    let out = fs::File::create(&stream).expect("writable");
    let mut file = StreamWriter::try_new_with_options(out, &batch.schema(), options());
    let file = file.as_mut().expect("text");
    file.write(&batch).expect("writable");
    file.finish().expect("writable");
    for path in [whole, stream] {
        assert!(fs::metadata(&path).expect("there").len() < 1 << 16);
        let within = |memory| Scratch::new(Some(folder.path().to_owned()), Some(memory));
        let refused = read(&path, &within(50 << 20)).expect_err("too large");
        assert!(matches!(refused, DataError::TooLarge { bytes, .. } if bytes > BATCH as u64));
        assert_eq!(read(&path, &within(100 << 20)).expect("room"), BATCH);
    }
}
