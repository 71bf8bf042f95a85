//! Who else may touch what a party relies on.

use std::fs::Metadata;
use std::path::Path;

use crate::StoreError;

/// Permission bits of the group and of everybody: to write, and to do anything.
const WRITE: u32 = 0o022;
const ANYTHING: u32 = 0o077;

/// Whether nobody else may change the file or directory.
///
/// # Errors
/// [`StoreError::Foreign`] or [`StoreError::Writable`].
pub(crate) fn check_unchanged_by_others(
    path: &Path,
    metadata: &Metadata,
) -> Result<(), StoreError> {
    let access = Access::of(metadata);
    access.check_owner(path)?;
    if access.mode & WRITE == 0 {
        Ok(())
    } else {
        Err(StoreError::Writable { path: path.to_owned() })
    }
}

/// Whether nobody else may read or change the file.
///
/// # Errors
/// [`StoreError::Foreign`] or [`StoreError::Exposed`].
pub(crate) fn check_secret(path: &Path, metadata: &Metadata) -> Result<(), StoreError> {
    let access = Access::of(metadata);
    access.check_owner(path)?;
    if access.mode & ANYTHING == 0 {
        Ok(())
    } else {
        Err(StoreError::Exposed { path: path.to_owned() })
    }
}

/// What the system says of a file.
struct Access {
    owner: u32,
    user: u32,
    mode: u32,
}

impl Access {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let user = nix::unistd::geteuid().as_raw();
        Self { owner: metadata.uid(), user, mode: metadata.mode() }
    }

    /// Elsewhere a profile's directory is its user's alone, and access has no mode.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self { owner: 0, user: 0, mode: 0 }
    }

    /// The superuser may own it: that one can change everything anyway.
    fn check_owner(&self, path: &Path) -> Result<(), StoreError> {
        if self.owner == self.user || self.owner == 0 {
            Ok(())
        } else {
            Err(StoreError::Foreign { path: path.to_owned(), owner: self.owner })
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_users_or_the_superusers() {
        let owned = |owner, user| Access { owner, user, mode: 0o600 }.check_owner(Path::new("p"));
        assert!(owned(1000, 1000).is_ok() && owned(0, 1000).is_ok() && owned(0, 0).is_ok());
        for (owner, user) in [(1001, 1000), (1000, 0)] {
            let refused = owned(owner, user).expect_err("another user's");
            assert!(matches!(refused, StoreError::Foreign { owner: o, .. } if o == owner));
            assert!(refused.to_string().contains("VEILSET_HOME"), "{refused}");
        }
    }
}
