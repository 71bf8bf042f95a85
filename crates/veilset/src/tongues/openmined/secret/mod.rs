//! The file with the key of an exchange: of a server for its setup, of a client for one request.

mod text;

use std::fs::File;
use std::path::{Path, PathBuf};

use veilset_crypto::P256Prp;
use veilset_party::{Home, StoreError};
use zeroize::Zeroizing;

use self::text::{is_one, parse, written};
use crate::Error;
use crate::tongues::{TongueError, folder_of, name_in_folder, short_text};

/// Longer files are none of ours.
const LONGEST: usize = 4096;

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
        match file.folder.has(&file.name) {
            true if !file.force => Err(file.exists()),
            true if !file.has_a_key() => {
                Err(TongueError::NotReplaced { path: file.path.clone() }.into())
            }
            _ => Ok(file),
        }
    }

    /// Whether what is there is a key of an exchange, and not a list that somebody named by a slip.
    fn has_a_key(&self) -> bool {
        let text = File::open(&self.path).and_then(|file| short_text(file, LONGEST));
        text.is_ok_and(|text| is_one(&text))
    }

    fn exists(&self) -> Error {
        TongueError::SecretExists { path: self.path.clone() }.into()
    }

    /// Puts a key there for the message that `deliver` brings away. Where that fails there is no new file, and a key that was there
    /// stays.
    pub(super) fn keep_for<E: From<Error>>(
        &self,
        secret: &Secret,
        deliver: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let text = written(secret, self.owner);
        if self.force {
            let staged = self.folder.stage(&self.name, text.as_bytes()).map_err(Error::from)?;
            deliver()?;
            let lost = |why| TongueError::KeyLost { path: self.path.clone(), why };
            return staged.put().map_err(|why| Error::from(lost(why)).into());
        }
        let kept = self.folder.write(&self.name, text.as_bytes(), false).map_err(Error::from)?;
        if !kept {
            return Err(self.exists().into());
        }
        deliver().inspect_err(|_| {
            // Where that fails it stays, and belongs to nothing.
            let _ = self.folder.remove(&self.name);
        })
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
        let place = || self.path.display().to_string();
        let text = short_text(file, LONGEST);
        let text = text.map_err(|why| TongueError::Read { place: place(), why })?;
        let bad = |why| TongueError::BadSecret { path: self.path.clone(), made_by, why }.into();
        parse(&text, self.owner).map_err(bad)
    }
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
    #[test]
    fn what_is_not_delivered_leaves_the_key_that_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.key");
        let (old, new) = (P256Prp::new(&[7; 32]), P256Prp::new(&[8; 32]));
        let secret = |key: &Option<P256Prp>| Secret::new(key.as_ref().expect("in range"), false, 1);
        let first = SecretFile::of_new(NewSecret { path: &path, force: false }, Owner::Server);
        first
            .expect("nothing is there")
            .keep_for(&secret(&old), || Ok::<_, Error>(()))
            .expect("kept");
        let forced = NewSecret { path: &path, force: true };
        let file = SecretFile::of_new(forced, Owner::Server).expect("a key may go");
        let failed = file.keep_for(&secret(&new), || Err(Error::from(TongueError::NoKey)));
        assert!(failed.is_err());
        assert_eq!(*file.read().expect("there").key, [7; 32]);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        file.keep_for(&secret(&new), || {
            assert_eq!(*file.read()?.key, [7; 32], "until the message is out");
            Ok::<_, Error>(())
        })
        .expect("kept");
        assert_eq!(*file.read().expect("there").key, [8; 32]);
    }

    #[test]
    fn what_is_no_key_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.csv");
        for text in [&b"email\n"[..], &[0xff; 9000], b""] {
            std::fs::write(&path, text).expect("writable");
            let refused = SecretFile::of_new(NewSecret { path: &path, force: true }, Owner::Client);
            let Err(Error::Tongue(TongueError::NotReplaced { .. })) = refused else {
                panic!("{text:?}")
            };
        }
    }
}
