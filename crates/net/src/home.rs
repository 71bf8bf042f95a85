//! Where a party keeps its identity and its peers.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::StoreError;

/// The directory that holds `identity.key` and `peers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// This directory; it is made when the first file is written.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// `VEILSET_HOME`, else `veilset` under `XDG_CONFIG_HOME`, else `.config/veilset` under `HOME`.
    ///
    /// # Errors
    /// [`StoreError::NoHome`] when none of the three is set.
    pub fn from_env() -> Result<Self, StoreError> {
        Self::from_variables(|name| env::var_os(name))
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn from_variables(get: impl Fn(&str) -> Option<OsString>) -> Result<Self, StoreError> {
        let path = |name: &str| get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        path("VEILSET_HOME")
            .or_else(|| {
                // The XDG specification has relative paths ignored.
                path("XDG_CONFIG_HOME").filter(|p| p.is_absolute()).map(|p| p.join("veilset"))
            })
            .or_else(|| path("HOME").map(|home| home.join(".config/veilset")))
            .map(Self)
            .ok_or(StoreError::NoHome)
    }

    /// The path of one of its files.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Puts `bytes` into the file at once or not at all, readable for its owner only; replaces what is there if
    /// `replace`, and returns whether it wrote.
    pub(crate) fn write(
        &self,
        name: &str,
        bytes: &[u8],
        replace: bool,
    ) -> Result<bool, StoreError> {
        let path = self.file(name);
        let failed = |why| StoreError::Write { path: path.clone(), why };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0).map_err(failed)?;
        // Temporary files are made with mode 0600.
        let mut file = NamedTempFile::new_in(&self.0).map_err(failed)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        let written = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
        match written {
            Ok(_) => Ok(true),
            Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(refused) => Err(failed(refused.error)),
        }
    }

    /// The file's bytes; `None` when there is no such file.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.file(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
            Err(why) => Err(StoreError::Read { path, why }),
        }
    }
}

#[cfg(test)]
mod tests {
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
}
