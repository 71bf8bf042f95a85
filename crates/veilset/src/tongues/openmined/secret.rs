//! The file with the key of an exchange: of a server for its setup, of a client for one request.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use veilset_crypto::P256Prp;
use veilset_party::{Home, StoreError};
use zeroize::Zeroizing;

use crate::Error;
use crate::tongues::{TongueError, folder_of, name_in_folder};

/// Longer files are none of ours.
const LONGEST: u64 = 4096;

/// Where a fresh key goes.
#[derive(Debug, Clone, Copy)]
pub struct NewSecret<'a> {
    /// The file.
    pub path: &'a Path,
    /// Whether it may take the place of another, whose messages are worth nothing then.
    pub force: bool,
}

/// What only this side knows of an exchange.
pub(super) struct Secret {
    pub(super) key: Zeroizing<[u8; 32]>,
    /// Whether the client learns which items match, or how many.
    pub(super) reveal: bool,
    /// How many items the request has, or may have.
    pub(super) items: usize,
    /// What the client's list was, on its side alone.
    pub(super) list: Option<[u8; 32]>,
}

impl Secret {
    pub(super) fn new(function: &P256Prp, reveal: bool, items: usize) -> Self {
        Self { key: Zeroizing::new(*function.key()), reveal, items, list: None }
    }

    /// What the key computes.
    pub(super) fn function(&self) -> Result<P256Prp, Error> {
        P256Prp::new(&self.key).ok_or_else(|| TongueError::NoKey.into())
    }
}

/// Whose key it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Server,
    Client,
}

impl Owner {
    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    fn made_by(self) -> &'static str {
        match self {
            Self::Server => "`veilset openmined setup`",
            Self::Client => "`veilset openmined request`",
        }
    }
}

/// A file for a key.
pub(super) struct SecretFile {
    folder: Home,
    name: String,
    path: PathBuf,
    owner: Owner,
    /// Whether it may take the place of another.
    force: bool,
}

impl SecretFile {
    pub(super) fn new(path: &Path, owner: Owner) -> Result<Self, TongueError> {
        let (path, made_by) = (path.to_owned(), owner.made_by());
        let (folder, name) = (folder_of(&path), name_in_folder(&path).map(str::to_owned));
        let Some(name) = name else {
            return Err(TongueError::BadSecret {
                path,
                made_by,
                why: "the name is none of a file",
            });
        };
        Ok(Self { folder, name, path, owner, force: false })
    }

    /// A file for a fresh key; refuses where it would take the place of another.
    pub(super) fn of_new(secret: NewSecret<'_>, owner: Owner) -> Result<Self, Error> {
        let file = Self { force: secret.force, ..Self::new(secret.path, owner)? };
        if !file.force && file.folder.has(&file.name) {
            return Err(file.exists());
        }
        Ok(file)
    }

    fn exists(&self) -> Error {
        TongueError::SecretExists { path: self.path.clone() }.into()
    }

    /// Puts a key there for the message that `deliver` brings away; what fails leaves no new file.
    pub(super) fn keep_for<E: From<Error>>(
        &self,
        secret: &Secret,
        deliver: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        self.write(secret)?;
        deliver().inspect_err(|_| {
            // Where that fails it stays, and belongs to nothing.
            let _ = self.folder.remove(&self.name);
        })
    }

    /// Puts the key there, for this user alone.
    fn write(&self, secret: &Secret) -> Result<(), Error> {
        let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize));
        text.push_str("# The key of an exchange by OpenMined's PSI. Whoever has it reads what was sent: show it to nobody.\n");
        let _ = writeln!(text, "openmined = 1\nowner = \"{}\"", self.owner.name());
        let _ = writeln!(text, "reveal = {}\nitems = {}", secret.reveal, secret.items);
        text.push_str("key = \"");
        put_hex(&secret.key, &mut text);
        text.push_str("\"\n");
        if let Some(list) = &secret.list {
            text.push_str("list = \"");
            put_hex(list, &mut text);
            text.push_str("\"\n");
        }
        let written = self.folder.write(&self.name, text.as_bytes(), self.force)?;
        if written { Ok(()) } else { Err(self.exists()) }
    }

    /// The key that is there.
    pub(super) fn read(&self) -> Result<Secret, Error> {
        let made_by = self.owner.made_by();
        let file = self.folder.secret(&self.name).map_err(|why| match why {
            StoreError::Exposed { path } => TongueError::Exposed { path }.into(),
            why => Error::from(why),
        })?;
        let Some(file) = file else {
            return Err(TongueError::NoSecret { path: self.path.clone(), made_by }.into());
        };
        let mut text = Zeroizing::new(String::with_capacity(LONGEST as usize));
        let read = file.take(LONGEST).read_to_string(&mut text);
        let place = || self.path.display().to_string();
        read.map_err(|why| TongueError::Read { place: place(), why })?;
        let bad = |why| TongueError::BadSecret { path: self.path.clone(), made_by, why }.into();
        parse(&text, self.owner).map_err(bad)
    }
}

/// Reads the lines that [`SecretFile::write`] writes, without copies of what is secret.
fn parse(text: &str, owner: Owner) -> Result<Secret, &'static str> {
    let lines = text.lines().filter_map(|line| line.split_once(" = "));
    let members: BTreeMap<&str, &str> = lines.collect();
    let text_of = |name| members.get(name)?.strip_prefix('"')?.strip_suffix('"');
    if members.get("openmined") != Some(&"1") {
        return Err("it has no line `openmined = 1`");
    }
    if text_of("owner") != Some(owner.name()) {
        return Err("it is the other side's");
    }
    let key = text_of("key").and_then(unhex).map(Zeroizing::new);
    let key = key.filter(|key| P256Prp::new(key).is_some()).ok_or("its key is none")?;
    let reveal = members.get("reveal").and_then(|reveal| reveal.parse().ok());
    let reveal = reveal.ok_or("`reveal` is missing")?;
    let items = members.get("items").and_then(|items| items.parse().ok());
    let items = items.ok_or("`items` is missing")?;
    let list = text_of("list").and_then(unhex);
    if owner == Owner::Client && list.is_none() {
        return Err("`list` is missing");
    }
    Ok(Secret { key, reveal, items, list })
}

fn put_hex(bytes: &[u8; 32], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

fn unhex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.key");
        let function = P256Prp::new(&[7; 32]).expect("in range");
        let new = NewSecret { path: &path, force: false };
        let file = SecretFile::of_new(new, Owner::Client).expect("nothing is there");
        let kept = Secret { list: Some([0xa5; 32]), ..Secret::new(&function, true, 12) };
        file.keep_for(&kept, || Ok::<_, Error>(())).expect("written");
        assert!(SecretFile::of_new(new, Owner::Client).is_err());
        let read = file.read().expect("it was written");
        assert_eq!((*read.key, read.reveal, read.items, read.list), ([7; 32], true, 12, kept.list));
        let text = std::fs::read_to_string(&path).expect("readable");
        for (from, to) in [
            ("openmined = 1", "openmined = 2"),
            ("client", "server"),
            ("07", "zz"),
            ("key", "kez"),
            ("reveal = true", "reveal = maybe"),
            ("items = 12", "items = -1"),
            ("list = \"a", "list = \""),
        ] {
            assert!(parse(&text.replace(from, to), Owner::Client).is_err(), "{from}");
        }
        assert!(parse("", Owner::Server).is_err());
        assert!(parse(&text.replace("0707", "0000"), Owner::Client).is_err(), "a key of 0");
    }

    #[test]
    fn what_is_not_delivered_leaves_no_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.key");
        let new = NewSecret { path: &path, force: false };
        let file = SecretFile::of_new(new, Owner::Server).expect("nothing is there");
        let function = P256Prp::new(&[7; 32]).expect("in range");
        let kept = Secret::new(&function, false, 1);
        let failed = file.keep_for(&kept, || Err(Error::from(TongueError::NoKey)));
        assert!(failed.is_err() && !path.exists());
    }
}
