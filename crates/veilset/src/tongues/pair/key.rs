//! Keys in files that nobody else may read.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use veilset_data::{DataError, Source};
use veilset_host::time::now;
use veilset_party::StoreError;
use veilset_party::guard::check_secret;
use veilset_session::fresh_rng;
use veilset_tongues::pair::{CipherKey, Kind, Salt, Secret, check_age};
use zeroize::Zeroizing;

use super::PairError;
use crate::Error;
use crate::tongues::{folder_of, name_in_folder, short_text};

/// The longest file of a key in bytes: some times what a line has.
const LONGEST: usize = 1024;

/// A key from a file, no older than PAIR has it.
pub struct Key {
    pub(super) secret: Secret,
    path: PathBuf,
}

impl Key {
    /// What the file has.
    ///
    /// # Errors
    /// When it cannot be read or has no key, when others may read it, or when the key is too old.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read_secret(path)?;
        let path = path.to_owned();
        let secret = match Secret::read(&text) {
            Ok(secret) => secret,
            Err(why) => return Err(PairError::KeyFile { path, why }.into()),
        };
        if let Err(why) = check_age(secret.kind(), secret.made(), now()) {
            let place = path.display().to_string();
            return Err(PairError::Rule { place, why }.into());
        }
        Ok(Self { secret, path })
    }

    /// Which it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.secret.kind()
    }

    /// Where it is.
    pub(super) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(super) fn salt(&self) -> Result<Salt, PairError> {
        self.secret.salt().map_err(|why| PairError::KeyFile { path: self.path(), why })
    }

    pub(super) fn cipher_key(&self) -> Result<CipherKey, PairError> {
        self.secret.cipher_key().map_err(|why| PairError::KeyFile { path: self.path(), why })
    }
}

/// The file of a key that is to be written, readable for this user alone.
pub struct NewKey<'a> {
    /// Which key.
    pub kind: Kind,
    /// Where it goes.
    pub path: &'a Path,
    /// Whether it may take the place of another file.
    pub force: bool,
}

impl NewKey<'_> {
    /// Makes the key.
    ///
    /// # Errors
    /// When there is a file already, or it cannot be written.
    pub fn create(&self) -> Result<(), Error> {
        self.store(&Secret::generate(self.kind, now(), &mut fresh_rng()?))
    }

    /// Takes a key from a file or standard input (`-`), of a partner who gave it in Base64 alone; made at this time, by default now.
    ///
    /// # Errors
    /// As [`NewKey::create`], and when it cannot be read, is no such key, or is too old.
    pub fn import(&self, from: &str, made: Option<SystemTime>) -> Result<(), Error> {
        let source = Source::new(from);
        let text = match source {
            Source::Stdin => short_text(std::io::stdin().lock(), LONGEST),
            Source::File(_) => File::open(from).and_then(|file| short_text(file, LONGEST)),
        };
        let place = || source.name();
        let text = text.map_err(|why| DataError::Read { file: place(), why })?;
        let made = made.unwrap_or_else(now);
        let secret = Secret::import(self.kind, made, &text);
        let secret = secret.map_err(|why| PairError::Import { place: place(), why })?;
        check_age(self.kind, made, now()).map_err(|why| PairError::Rule { place: place(), why })?;
        self.store(&secret)
    }

    fn store(&self, secret: &Secret) -> Result<(), Error> {
        let path = || self.path.to_owned();
        let unnamed = || StoreError::Write {
            path: path(),
            why: std::io::Error::other("it is no name of a file"),
        };
        let name = name_in_folder(self.path).ok_or_else(unnamed)?;
        let folder = folder_of(self.path);
        if self.force && folder.has(name) && !has_a_key(self.path) {
            return Err(PairError::NotReplaced { path: path() }.into());
        }
        if folder.write(name, secret.to_line().as_bytes(), self.force)? {
            Ok(())
        } else {
            Err(PairError::Exists { path: path() }.into())
        }
    }
}

/// Whether what is there is a key of PAIR's, and not a list that somebody named by a slip.
fn has_a_key(path: &Path) -> bool {
    let text = File::open(path).and_then(|file| short_text(file, LONGEST));
    text.is_ok_and(|text| Secret::is_one(&text))
}

/// The text of a file that nobody else may read.
fn read_secret(path: &Path) -> Result<Zeroizing<String>, Error> {
    let failed = |why| StoreError::Read { path: path.to_owned(), why };
    let file = File::open(path).map_err(failed)?;
    match check_secret(path, &file.metadata().map_err(failed)?) {
        Err(StoreError::Exposed { path }) => return Err(PairError::Exposed { path }.into()),
        checked => checked?,
    }
    Ok(short_text(file, LONGEST).map_err(failed)?)
}
