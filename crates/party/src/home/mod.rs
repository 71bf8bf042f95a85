//! Where a party keeps its identity and its peers.

use std::env;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::StoreError;

#[cfg(not(target_family = "wasm"))]
mod disk;
#[cfg(not(target_family = "wasm"))]
mod lock;
#[cfg(target_family = "wasm")]
mod page;

#[cfg(not(target_family = "wasm"))]
use disk as place;
#[cfg(target_family = "wasm")]
use page as place;

#[cfg(target_family = "wasm")]
pub use place::read_trusted;
pub use place::{Lock, Stored};

/// How long a change waits for another program's change, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The directory that holds `identity.key` and `peers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// This directory; it is made when the first file is written.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// `VEILSET_HOME`, else `veilset` under `XDG_CONFIG_HOME`, else `.config/veilset` under `HOME`; on Windows, where that is not
    /// set, `veilset` under `APPDATA`.
    ///
    /// # Errors
    /// [`StoreError::NoHome`] when none of these is set.
    pub fn from_env() -> Result<Self, StoreError> {
        Self::from_variables(|name| env::var_os(name))
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A directory in this one, which is made when its first file is written.
    #[must_use]
    pub fn folder(&self, name: &str) -> Self {
        Self(self.0.join(name))
    }

    fn from_variables(get: impl Fn(&str) -> Option<OsString>) -> Result<Self, StoreError> {
        let path = |name: &str| get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        path("VEILSET_HOME")
            .or_else(|| {
                // The XDG specification has relative paths ignored.
                path("XDG_CONFIG_HOME").filter(|p| p.is_absolute()).map(|p| p.join("veilset"))
            })
            .or_else(|| path("HOME").map(|home| home.join(".config/veilset")))
            .or_else(|| path("APPDATA").filter(|_| cfg!(windows)).map(|data| data.join("veilset")))
            .map(Self)
            .ok_or(StoreError::NoHome)
    }

    /// The path of one of its files.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Puts `bytes` into the file at once or not at all, readable for its owner only; replaces what is there if
    /// `replace`, and returns whether it wrote.
    ///
    /// # Errors
    /// When others may change the directory, or it takes no files.
    pub fn write(&self, name: &str, bytes: &[u8], replace: bool) -> Result<bool, StoreError> {
        place::make(&self.0)?;
        let path = self.file(name);
        let written = place::write(&self.0, &path, bytes, replace);
        written.map_err(|why| StoreError::Write { path, why })
    }

    /// Writes `bytes` beside the file, readable for their owner only; what is there stays until they are [put](Staged::put) in its
    /// place.
    ///
    /// # Errors
    /// When others may change the directory, or it takes no files.
    pub fn stage(&self, name: &str, bytes: &[u8]) -> Result<Staged, StoreError> {
        place::make(&self.0)?;
        let path = self.file(name);
        match place::stage(&self.0, bytes) {
            Ok(staged) => Ok(Staged { folder: self.0.clone(), path, staged }),
            Err(why) => Err(StoreError::Write { path, why }),
        }
    }

    /// Changes a file while other programs that want to change it wait: `change` gets what is there, and makes what is to
    /// be there instead, if anything.
    ///
    /// # Errors
    /// When others may change the file or the directory, or with what `change` says; the file is then as it was before.
    pub fn change<E: From<StoreError>>(
        &self,
        name: &str,
        change: impl FnOnce(Option<Vec<u8>>) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        let _lock = self.lock(name)?;
        if let Some(bytes) = change(self.read(name)?)? {
            self.write(name, &bytes, true)?;
        }
        Ok(())
    }

    /// Holds a file against other programs that want to change it, which wait; reads and writes of it go on as ever.
    ///
    /// # Errors
    /// When others may change the directory, or another program holds the file for long.
    pub fn hold(&self, name: &str) -> Result<Held<'_>, StoreError> {
        Ok(Held { home: self, name: name.to_owned(), _lock: self.lock(name)? })
    }

    /// Takes a file away, if it is there.
    ///
    /// # Errors
    /// When others may change the directory, or that fails.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        if !place::is_there(&self.0)? {
            return Ok(());
        }
        let path = self.file(name);
        place::remove(&self.0, &path).map_err(|why| StoreError::Write { path, why })
    }

    /// The bytes of a file that only this user may change; `None` when there is no such file.
    ///
    /// # Errors
    /// When others may change the file or the directory, or it cannot be read.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(mut file) = self.reader(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.read_to_end(&mut bytes);
        read.map_err(|why| StoreError::Read { path: self.file(name), why })?;
        Ok(Some(bytes))
    }

    /// A file that only this user may change, to read from its beginning; `None` when there is no such file.
    ///
    /// # Errors
    /// When others may change the file or the directory, or it cannot be opened.
    pub fn reader(&self, name: &str) -> Result<Option<Stored>, StoreError> {
        if place::is_there(&self.0)? { place::open(&self.file(name)) } else { Ok(None) }
    }

    /// As [`reader`](Self::reader), a file that only this user may read.
    ///
    /// # Errors
    /// As [`reader`](Self::reader), and when others may read it.
    pub fn secret(&self, name: &str) -> Result<Option<Stored>, StoreError> {
        if place::is_there(&self.0)? { place::open_secret(&self.file(name)) } else { Ok(None) }
    }

    /// Gives a file a second name.
    pub(crate) fn link(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let to = self.file(to);
        place::link(&self.file(from), &to).map_err(|why| StoreError::Write { path: to, why })
    }

    /// Whether something has this name; a link that leads nowhere is something.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        place::has(&self.file(name))
    }

    /// Takes a lock of this name; none while another program has it.
    ///
    /// # Errors
    /// When others may change the directory, or it takes no files.
    pub fn try_lock(&self, name: &str) -> Result<Option<Lock>, StoreError> {
        place::make(&self.0)?;
        match Lock::take(&self.file(&format!("{name}.lock")), Duration::ZERO) {
            Ok(lock) => Ok(Some(lock)),
            Err(StoreError::Busy { .. }) => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Keeps other programs from changing the file until the lock goes.
    pub(crate) fn lock(&self, name: &str) -> Result<Lock, StoreError> {
        place::make(&self.0)?;
        Lock::take(&self.file(&format!("{name}.lock")), PATIENCE)
    }
}

/// Bytes that are to be a file; they go unless they are put in its place.
pub struct Staged {
    folder: PathBuf,
    path: PathBuf,
    staged: place::Staged,
}

impl Staged {
    /// Puts the bytes in their place at once or not at all; replaces what is there.
    ///
    /// # Errors
    /// When that fails; what is there stays.
    pub fn put(self) -> Result<(), StoreError> {
        let Self { folder, path, staged } = self;
        let put = staged.put(&folder, &path, true);
        put.map(drop).map_err(|why| StoreError::Write { path, why })
    }
}

/// A file that other programs do not change meanwhile.
pub struct Held<'a> {
    home: &'a Home,
    name: String,
    _lock: Lock,
}

impl Held<'_> {
    /// Keeps the first `keep` bytes of the file and puts `bytes` behind them, where they are once this returns, whatever happens to the
    /// machine then; a new file is readable for its owner only. A machine that stops before leaves a part of them at most.
    ///
    /// # Errors
    /// When that fails.
    pub fn append(&self, keep: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.home.file(&self.name);
        let written = place::append(&self.home.0, &path, keep, bytes);
        written.map_err(|why| StoreError::Write { path, why })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let home = |set: &[(&str, &str)]| {
            let get = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
            Home::from_variables(get).map(|home| home.0.display().to_string()).ok()
        };
        let user = ("HOME", "/u");
        assert_eq!(home(&[user]).as_deref(), Some("/u/.config/veilset"));
        assert_eq!(home(&[user, ("XDG_CONFIG_HOME", "/x")]).as_deref(), Some("/x/veilset"));
        assert_eq!(home(&[user, ("XDG_CONFIG_HOME", "x")]).as_deref(), Some("/u/.config/veilset"));
        assert_eq!(home(&[user, ("VEILSET_HOME", "v")]).as_deref(), Some("v"));
        assert_eq!(home(&[user, ("VEILSET_HOME", "")]).as_deref(), Some("/u/.config/veilset"));
        assert_eq!(home(&[]), None);
    }

    #[test]
    fn changes_of_several_at_once_are_all_there() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path().join("home"));
        let add = |byte: u8| {
            home.change("file", |before| -> Result<_, StoreError> {
                Ok(Some([before.unwrap_or_default(), vec![byte]].concat()))
            })
        };
        std::thread::scope(|scope| {
            for byte in 0..20 {
                scope.spawn(move || add(byte).expect("writable"));
            }
        });
        let mut bytes = home.read("file").expect("readable").expect("there");
        bytes.sort_unstable();
        assert_eq!(bytes, (0..20).collect::<Vec<u8>>());
        home.change("file", |_| Ok::<_, StoreError>(None)).expect("nothing to do");
        assert_eq!(home.read("file").expect("readable").map(|bytes| bytes.len()), Some(20));
    }

    #[test]
    fn what_is_staged_is_there_once_it_is_put() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path().join("home"));
        home.write("file", b"old", false).expect("writable");
        drop(home.stage("file", b"lost").expect("writable"));
        let staged = home.stage("file", b"new").expect("writable");
        assert_eq!(home.read("file").expect("readable"), Some(b"old".to_vec()));
        staged.put().expect("writable");
        assert_eq!(home.read("file").expect("readable"), Some(b"new".to_vec()));
        assert_eq!(fs::read_dir(home.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn what_is_put_behind_a_file_of_several_at_once_is_all_there() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path().join("home"));
        let add = |byte: u8| {
            let held = home.hold("file").expect("free in time");
            let before = home.read("file").expect("readable").unwrap_or_default();
            held.append(before.len() as u64, &[byte, b'\n']).expect("writable");
        };
        std::thread::scope(|scope| {
            for byte in 0..20 {
                scope.spawn(move || add(byte));
            }
        });
        let bytes = home.read("file").expect("readable").expect("there");
        assert_eq!(bytes.len(), 40);
        let held = home.hold("file").expect("free");
        held.append(3, b"end").expect("writable");
        let kept = [&bytes[..3], b"end"].concat();
        assert_eq!(home.read("file").expect("readable"), Some(kept));
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_may_change_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path().join("a b"));
        home.write("file", b"x", true).expect("writable");
        let allow = |mode| fs::set_permissions(home.path(), fs::Permissions::from_mode(mode));
        for mode in [0o770, 0o777, 0o702, 0o1777] {
            allow(mode).expect("own");
            let refused = [
                home.read("file").err(),
                home.reader("missing").err(),
                home.write("file", b"y", true).err(),
                home.lock("file").err(),
            ];
            for error in refused {
                let error = error.expect("others may change it");
                assert!(matches!(&error, StoreError::Writable { path } if path == home.path()));
                let next = format!("`chmod go-w {}`", home.path().display());
                assert!(error.to_string().contains(&next), "{error}");
            }
        }
        allow(0o755).expect("own");
        assert_eq!(home.read("file").expect("readable"), Some(b"x".to_vec()));
    }
}
