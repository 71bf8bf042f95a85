//! The list's file: whole or not at all, and its owner's alone.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use veilset_channel::{Malformed, Reader};
use veilset_crypto::oprf::SecretKey;
use veilset_party::guard::{check_folder, check_secret};
use veilset_protocols::oprf_filter::{Entries, EntryFormat};
use zeroize::Zeroizing;

use crate::change::Change;
use crate::disk::{lock_file, put, target, with_ending};
use crate::{FileError, List, Way};

/// What every list file starts with; the number is the format's version.
const MAGIC: &[u8; 16] = b"veilset list  2\n";

/// Changes are kept while they are at most this part of the list itself: a client that lacks more fetches the list.
const CHANGES_KEPT: usize = 2;

/// A list as its file holds it, ready to be served.
pub struct ListFile {
    pub(crate) key: SecretKey,
    pub(crate) id: [u8; 32],
    pub(crate) version: u64,
    pub(crate) presets: String,
    pub(crate) capacity: u64,
    pub(crate) format: EntryFormat,
    pub(crate) count: usize,
    pub(crate) contents: Contents,
}

/// The items of a list's file, masked.
pub(crate) struct Contents {
    /// [`Entries::encode`].
    pub(crate) published: Vec<u8>,
    /// The changes that are kept, one after the other: where each begins, and the version that it starts from.
    pub(crate) starts: Vec<(u64, usize)>,
    pub(crate) changes: Vec<u8>,
}

impl ListFile {
    /// Reads a file, checks that it is whole, that nobody else may read it, and that its folder is nobody else's.
    ///
    /// # Errors
    /// When it is not, or they may.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = Zeroizing::new(read_secret(path)?);
        let not = |why| FileError::NotAList { path: path.to_owned(), why };
        let (body, checksum) =
            bytes.split_last_chunk::<32>().ok_or_else(|| not("it is too short"))?;
        if !body.starts_with(MAGIC) {
            return Err(not("it does not begin as one, or is of another release"));
        }
        if blake3::hash(body).as_bytes() != checksum {
            return Err(not("its checksum does not match"));
        }
        Reader::parse(&body[MAGIC.len()..], Self::decode)
            .map_err(|_| FileError::does_not_parse(path))
    }

    /// The versioned presets of the key's columns.
    #[must_use]
    pub fn presets(&self) -> &str {
        &self.presets
    }

    /// The list in it, to be changed.
    ///
    /// # Errors
    /// [`FileError::NotAList`] when its parts do not parse.
    pub fn open(self, path: &Path) -> Result<List, FileError> {
        let Contents { published, starts, changes } = &self.contents;
        let since = starts.first().map_or(self.version, |(version, _)| *version);
        let entries = Entries::decode(self.format, self.count, published);
        let changes = Change::decode_all(changes, self.format, since, self.version);
        let (Ok(entries), Ok(changes)) = (entries, changes) else {
            return Err(FileError::does_not_parse(path));
        };
        let Self { key, id, version, presets, capacity, .. } = self;
        Ok(List { key, id, version, presets, capacity, entries, changes })
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let secret = Zeroizing::new(reader.array()?);
        let key = SecretKey::from_bytes(&secret).ok_or(Malformed::OutOfRange)?;
        let (id, version, capacity) = (reader.array()?, reader.u64()?, reader.u64()?);
        let (bits, seal) = (u32::from(reader.u8()?), u16::from_le_bytes(reader.array()?));
        let format = EntryFormat { bits, seal: usize::from(seal) };
        let size = |reader: &mut Reader<'_>| {
            usize::try_from(reader.u64()?).map_err(|_| Malformed::OutOfRange)
        };
        let text = size(reader)?;
        let presets = String::from_utf8(reader.bytes(text)?.to_vec());
        let presets = presets.map_err(|_| Malformed::NotText)?;
        let count = size(reader)?;
        if !format.is_sound(count as u64) {
            return Err(Malformed::OutOfRange);
        }
        let published = size(reader)?;
        let published = reader.bytes(published)?.to_vec();
        let kept = size(reader)?;
        let mut starts = Vec::new();
        for _ in 0..kept {
            starts.push((reader.u64()?, size(reader)?));
        }
        let changes = reader.rest().to_vec();
        if starts.iter().any(|(_, start)| *start > changes.len()) {
            return Err(Malformed::OutOfRange);
        }
        let contents = Contents { published, starts, changes };
        Ok(Self { key, id, version, presets, capacity, format, count, contents })
    }
}

impl List {
    /// Puts the list into the file at once or not at all, readable for its owner only.
    ///
    /// # Errors
    /// When it is there and `replace` is not set, or cannot be written.
    pub fn write(&self, path: &Path, replace: bool) -> Result<(), FileError> {
        let body = self.encode();
        put(path, &[&body, blake3::hash(&body).as_bytes()], replace).map_err(|why| {
            let path = path.to_owned();
            match why.kind() {
                ErrorKind::AlreadyExists => FileError::Exists { path },
                _ => FileError::Write { path, why },
            }
        })
    }

    /// Puts the list that `make` makes into a file, with all other programs that want to change it kept out from reading
    /// the list before, if `replace` is set and there is one, to writing.
    ///
    /// # Errors
    /// As [`List::write`], or with what `make` says; the file is then as it was before.
    pub fn create<E: From<FileError>>(
        path: &Path,
        replace: bool,
        make: impl FnOnce(Option<&Self>) -> Result<Self, E>,
    ) -> Result<Self, E> {
        let _lock = lock(path)?;
        let before = match path.try_exists() {
            Ok(false) => None,
            Ok(true) if !replace => return Err(FileError::Exists { path: path.to_owned() }.into()),
            // What cannot be looked at cannot be read, and that says why.
            Ok(true) | Err(_) => Some(ListFile::read(path)?.open(path)?),
        };
        let list = make(before.as_ref())?;
        list.write(path, replace)?;
        Ok(list)
    }

    /// Changes the list in a file, with all other programs that want to change it kept out, and returns what `change`
    /// does and the list's version and number of items.
    ///
    /// # Errors
    /// When the file cannot be read or written, or with what `change` says; the file is then as it was before.
    pub fn change<T, E: From<FileError>>(
        path: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<(T, u64, usize), E> {
        let _lock = lock(path)?;
        let mut list = ListFile::read(path)?.open(path)?;
        let before = list.version;
        let done = change(&mut list)?;
        if list.version != before {
            list.write(path, true)?;
        }
        Ok((done, list.version, list.count()))
    }

    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let published = self.entries.encode();
        let most = match Way::of(self.entries.format()) {
            Way::Filter => published.len() / CHANGES_KEPT,
            // Nobody fetches them.
            Way::Encrypted => 0,
        };
        let (starts, changes) = self.kept_changes(most);
        let format = self.entries.format();
        let seal = u16::try_from(format.seal).expect("seals are short");
        // The key is not left behind where the bytes would be moved to a larger place.
        let length = 1024 + published.len() + 16 * starts.len() + changes.len();
        let mut out = Zeroizing::new(Vec::with_capacity(length));
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&*self.key.to_bytes());
        out.extend_from_slice(&self.id);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&self.capacity.to_le_bytes());
        out.push(format.bits as u8);
        out.extend_from_slice(&seal.to_le_bytes());
        put_size(&mut out, self.presets.len());
        out.extend_from_slice(self.presets.as_bytes());
        put_size(&mut out, self.entries.len());
        put_size(&mut out, published.len());
        out.extend_from_slice(&published);
        put_size(&mut out, starts.len());
        for (version, start) in starts {
            out.extend_from_slice(&version.to_le_bytes());
            put_size(&mut out, start);
        }
        out.extend_from_slice(&changes);
        out
    }

    /// The latest changes that take at most `most` bytes, and where each starts.
    fn kept_changes(&self, most: usize) -> (Vec<(u64, usize)>, Vec<u8>) {
        let coded = |change: &Change| {
            let mut bytes = Vec::new();
            change.encode(&mut bytes);
            bytes
        };
        let mut latest: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut length = 0;
        for change in self.changes.iter().rev() {
            let bytes = coded(change);
            length += bytes.len();
            if length > most {
                break;
            }
            latest.push((change.version - 1, bytes));
        }
        let (mut starts, mut changes) = (Vec::new(), Vec::new());
        for (version, bytes) in latest.into_iter().rev() {
            starts.push((version, changes.len()));
            changes.extend_from_slice(&bytes);
        }
        (starts, changes)
    }
}

fn put_size(out: &mut Vec<u8>, size: usize) {
    out.extend_from_slice(&(size as u64).to_le_bytes());
}

/// The bytes of the file, which nobody else may read, and in whose folder nobody else may put or remove any.
fn read_secret(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |why| FileError::Read { path: path.to_owned(), why };
    let guarded = |why| FileError::guarded(path, why);
    let mut file = File::open(path).map_err(failed)?;
    check_secret(path, &file.metadata().map_err(failed)?).map_err(guarded)?;
    check_folder(path).map_err(guarded)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Held by whoever changes the list.
fn lock(path: &Path) -> Result<File, FileError> {
    check_folder(path).map_err(|why| FileError::guarded(path, why))?;
    let locked = || {
        let file = lock_file(path)?;
        file.lock().map(|()| file)
    };
    locked().map_err(|why| FileError::Write { path: with_ending(&target(path), ".lock"), why })
}
