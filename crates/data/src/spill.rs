//! Lists that do not fit in memory: encrypted temporary files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use zeroize::Zeroizing;

use crate::destination::free;
use crate::table::Store;
use crate::{DataError, Source};

/// What the program takes of the memory that it is allowed, before it has read anything: itself, its threads, a connection's
/// queues, as it was measured.
pub const PROGRAM_MEMORY: u64 = 16 << 20;

/// Where lists go that take too much memory, and how much a list may take.
#[derive(Debug, Clone)]
pub struct Scratch {
    folder: PathBuf,
    most: u64,
    piece: u64,
}

/// What a list takes of the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskNeed {
    /// Where.
    pub folder: PathBuf,
    /// How many bytes it takes.
    pub bytes: u64,
    /// How many bytes are free there.
    pub free: u64,
}

/// All lists stay in memory.
impl Default for Scratch {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl Scratch {
    /// In `folder`, by default that of `TMPDIR`, else `/var/tmp`, which is on a disk where `/tmp` may be memory. A list may take a quarter of `max_memory`, for its keys and
    /// the run take memory too; without a limit all lists stay in memory.
    #[must_use]
    pub fn new(folder: Option<PathBuf>, max_memory: Option<u64>) -> Self {
        let left = max_memory.map_or(u64::MAX, |limit| limit.saturating_sub(PROGRAM_MEMORY));
        let most = if max_memory.is_some() { left / 4 } else { u64::MAX };
        Self { folder: folder.unwrap_or_else(on_disk), most, piece: left.max(PROGRAM_MEMORY) }
    }

    /// How many bytes of memory a program takes at most that keeps to the limit; without bound where there is none.
    #[must_use]
    pub fn most_memory(&self) -> u64 {
        self.piece.saturating_add(PROGRAM_MEMORY)
    }

    /// Where they go.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What `source` will take of the disk, if anything, and as far as its size is known before it is read.
    ///
    /// # Errors
    /// When there is not that much room, or the source or the folder cannot be looked at.
    pub fn need(&self, source: &Source) -> Result<Option<DiskNeed>, DataError> {
        match source.size()? {
            Some(bytes) if bytes > self.most => {
                // What is of types and not Parquet is written again, as Parquet.
                let bytes = bytes + source.arrow_size()?;
                let free = free(&self.folder).map_err(|why| self.failure(why))?;
                room(DiskNeed { folder: self.folder.clone(), bytes, free }).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Where the files of `source` go.
    pub(crate) fn depot(&self, source: &Source) -> Result<Depot<'_>, DataError> {
        let fits = source.size()?.is_none_or(|bytes| bytes <= self.most);
        Ok(Depot { keep: if fits { self.most } else { 0 }, ..self.empty_depot() })
    }

    /// Where files go of which nothing is known.
    pub(crate) fn empty_depot(&self) -> Depot<'_> {
        Depot { scratch: self, keep: self.most, disk: None, length: 0 }
    }

    fn failure(&self, why: io::Error) -> DataError {
        DataError::Scratch { folder: self.folder.display().to_string(), why }
    }
}

/// The system's folder for temporary files that are too large for memory.
fn on_disk() -> PathBuf {
    let usual = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && usual.is_dir() {
        usual.to_owned()
    } else {
        std::env::temp_dir()
    }
}

/// Refuses a need that is more than what is free.
fn room(need: DiskNeed) -> Result<DiskNeed, DataError> {
    if need.bytes <= need.free {
        return Ok(need);
    }
    let folder = need.folder.display().to_string();
    Err(DataError::NoRoom { folder, needed: need.bytes, free: need.free })
}

/// Where the files of one list go: into memory what fits, the others one behind the other into one temporary file.
pub(crate) struct Depot<'a> {
    scratch: &'a Scratch,
    /// How many bytes of the next file may stay in memory.
    pub(crate) keep: u64,
    disk: Option<Arc<Disk>>,
    /// How many bytes are in the temporary file.
    length: u64,
}

impl Depot<'_> {
    /// How many bytes a part of a file may take that is decoded at once.
    pub(crate) fn piece(&self) -> u64 {
        self.scratch.piece
    }

    /// Everything that `first` and then `rest` have, in the temporary file.
    pub(crate) fn spill(
        &mut self,
        name: &str,
        first: Vec<u8>,
        rest: impl Read,
    ) -> Result<Spill, DataError> {
        let mut writer = self.writer()?;
        let mut source = first.as_slice().chain(rest);
        let mut chunk = Zeroizing::new(Vec::with_capacity(CHUNK));
        loop {
            chunk.clear();
            let read = source.by_ref().take(CHUNK as u64).read_to_end(&mut chunk);
            if read.map_err(|why| DataError::Read { file: name.to_owned(), why })? == 0 {
                return Ok(self.kept(writer));
            }
            writer.write_all(&chunk).map_err(|why| self.scratch.failure(why))?;
        }
    }

    /// Room for a file that comes piece by piece, until it is [`kept`](Self::kept); one at a time.
    pub(crate) fn writer(&mut self) -> Result<SpillWriter, DataError> {
        let disk = match &self.disk {
            Some(disk) => Arc::clone(disk),
            None => {
                let disk = Disk::new(&self.scratch.folder);
                Arc::new(disk.map_err(|why| self.scratch.failure(why))?)
            }
        };
        self.disk = Some(Arc::clone(&disk));
        let chunk = Zeroizing::new(Vec::with_capacity(CHUNK));
        Ok(SpillWriter { disk, start: self.length, length: 0, chunk })
    }

    /// What was written.
    pub(crate) fn kept(&mut self, writer: SpillWriter) -> Spill {
        let SpillWriter { disk, start, length, .. } = writer;
        self.length = start + length;
        Spill { disk, start, length }
    }

    /// What a failed write means.
    pub(crate) fn failure(&self, why: io::Error) -> DataError {
        self.scratch.failure(why)
    }
}

/// A file that arrives piece by piece: in memory as long as it may stay there, then in the temporary file.
pub(crate) enum Landing {
    Memory(Vec<u8>),
    Disk(SpillWriter),
}

impl Landing {
    /// Nothing has come.
    pub(crate) fn new() -> Self {
        Self::Memory(Vec::new())
    }

    /// Adds `bytes` to it.
    pub(crate) fn add(&mut self, bytes: &[u8], depot: &mut Depot<'_>) -> Result<(), DataError> {
        if let Self::Memory(held) = self {
            if (held.len() + bytes.len()) as u64 <= depot.keep {
                held.extend_from_slice(bytes);
                return Ok(());
            }
            let mut writer = depot.writer()?;
            writer.write_all(held).map_err(|why| depot.failure(why))?;
            *self = Self::Disk(writer);
        }
        match self {
            Self::Disk(writer) => writer.write_all(bytes).map_err(|why| depot.failure(why)),
            Self::Memory(_) => Ok(()),
        }
    }

    /// All that came; the next file may keep so much less in memory.
    pub(crate) fn end(self, depot: &mut Depot<'_>) -> Store {
        match self {
            Self::Memory(bytes) => {
                depot.keep = depot.keep.saturating_sub(bytes.len() as u64);
                Store::Memory(bytes)
            }
            Self::Disk(writer) => Store::Spilled(Arc::new(depot.kept(writer))),
        }
    }
}

/// Bytes that are encrypted and written at once.
const CHUNK: usize = 1 << 20;

/// A file on its way into the temporary file.
pub(crate) struct SpillWriter {
    disk: Arc<Disk>,
    start: u64,
    length: u64,
    chunk: Zeroizing<Vec<u8>>,
}

impl Write for SpillWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = &bytes[..bytes.len().min(CHUNK)];
        self.chunk.clear();
        self.chunk.extend_from_slice(now);
        self.disk.write(self.start + self.length, &mut self.chunk)?;
        self.length += now.len() as u64;
        Ok(now.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file's bytes in a temporary file.
pub(crate) struct Spill {
    disk: Arc<Disk>,
    start: u64,
    length: u64,
}

impl Spill {
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Fills `bytes` with what stands from byte `at` on.
    pub(crate) fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        if at.saturating_add(bytes.len() as u64) > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.disk.read(self.start + at, bytes)
    }

    /// What a failed read of it means.
    pub(crate) fn failure(&self, why: io::Error) -> DataError {
        DataError::Scratch { folder: self.disk.folder.display().to_string(), why }
    }
}

/// A file without a name, so that nothing is left of it however the process ends.
///
/// Its bytes are encrypted with ChaCha20 under a key of their own, which lives in memory only and is wiped. They carry no MAC: who
/// could change a file without a name, through this process's entries in /proc, could change the process's memory as well.
struct Disk {
    file: File,
    folder: PathBuf,
    key: Zeroizing<[u8; 32]>,
}

impl Disk {
    fn new(folder: &Path) -> io::Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(key.as_mut_slice()).map_err(io::Error::other)?;
        let file = tempfile::tempfile_in(folder)?;
        Ok(Self { file, folder: folder.to_owned(), key })
    }

    /// Writes `bytes`, which are encrypted in place, to a place that was never written.
    fn write(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.apply(at, bytes);
        place::write(&self.file, at, bytes)
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        place::read(&self.file, at, bytes)?;
        self.apply(at, bytes);
        Ok(())
    }

    /// Adds the key stream from byte `at` on.
    fn apply(&self, at: u64, bytes: &mut [u8]) {
        const CHUNK: usize = 1 << 12;
        let skip = (at % CHUNK as u64) as usize;
        let mut stream = ChaCha20Rng::from_seed(*self.key);
        stream.set_word_pos(u128::from(at - skip as u64) / 4);
        let mut key = Zeroizing::new([0; CHUNK]);
        let (first, rest) = bytes.split_at_mut(bytes.len().min(CHUNK - skip));
        let chunks = std::iter::once((skip, first));
        for (skip, chunk) in chunks.chain(rest.chunks_mut(CHUNK).map(|chunk| (0, chunk))) {
            stream.fill_bytes(key.as_mut_slice());
            chunk.iter_mut().zip(&key[skip..]).for_each(|(byte, key)| *byte ^= key);
        }
    }
}

/// Reads and writes at a place in a file, which several threads may do at once.
#[cfg(unix)]
mod place {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    pub(super) fn write(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    pub(super) fn read(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        file.read_exact_at(bytes, at)
    }
}

/// Reads and writes at a place in a file, which several threads may do at once.
#[cfg(windows)]
mod place {
    use std::fs::File;
    use std::io::{self, ErrorKind};
    use std::os::windows::fs::FileExt;

    pub(super) fn write(file: &File, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match file.seek_write(bytes, at) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => (at, bytes) = (at + written as u64, &bytes[written..]),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    pub(super) fn read(file: &File, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match file.seek_read(bytes, at) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => (at, bytes) = (at + read as u64, &mut bytes[read..]),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }
}

/// A browser has no files.
#[cfg(target_family = "wasm")]
mod place {
    use std::fs::File;
    use std::io::{self, ErrorKind};

    pub(super) fn write(_: &File, _: u64, _: &[u8]) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn read(_: &File, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Two files in one temporary file.
    fn spill(folder: &Path, files: [&[u8]; 2]) -> [Spill; 2] {
        let scratch = Scratch::new(Some(folder.to_owned()), Some(0));
        let mut depot = scratch.depot(&Source::Stdin).expect("it has no size");
        files.map(|bytes| {
            let (first, rest) = bytes.split_at(bytes.len() / 3);
            depot.spill("list", first.to_vec(), Cursor::new(rest)).expect("room")
        })
    }

    #[test]
    fn any_part_reads_as_written_and_the_file_shows_nothing_and_has_no_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = b"ann@example.com,17\n".repeat(150_000);
        let [other, spill] = spill(folder.path(), [b"another, before it", &bytes]);
        assert_eq!(spill.len(), bytes.len() as u64);
        let mut read = vec![0; other.len() as usize];
        other.read(0, &mut read).expect("there");
        assert_eq!(read, b"another, before it");
        assert!(other.read(1, &mut read).is_err(), "no byte of the next file");
        for (at, length) in [(0, 1), (4095, 2), (63, 5000), (1_048_570, 12), (7, bytes.len() - 7)] {
            let mut read = vec![0; length];
            spill.read(at as u64, &mut read).expect("there");
            assert_eq!(read, &bytes[at..at + length]);
        }
        let mut stored = vec![0; bytes.len()];
        place::read(&spill.disk.file, spill.start, &mut stored).expect("there");
        assert!(!stored.windows(7).any(|part| part == b"example"));
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    }

    #[test]
    fn a_disk_with_too_little_room_is_refused() {
        let need = |free| DiskNeed { folder: "/tmp".into(), bytes: 10, free };
        assert!(room(need(10)).is_ok());
        assert!(matches!(room(need(9)), Err(DataError::NoRoom { needed: 10, free: 9, .. })));
    }
}
