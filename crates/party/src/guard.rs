//! Who else may touch what a party relies on.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::StoreError;

/// Permission bits of the group and of everybody: to write, and to do anything.
const WRITE: u32 = 0o022;
const ANYTHING: u32 = 0o077;

/// The most links from one file to another; systems follow as many.
const LINKS: usize = 40;

/// The longest file that decides whom a party trusts, in bytes.
const LONGEST: u64 = 1 << 20;

/// Whether nobody else may change the file or directory.
///
/// # Errors
/// [`StoreError::Foreign`] or [`StoreError::Writable`].
pub fn check_unchanged_by_others(path: &Path, metadata: &Metadata) -> Result<(), StoreError> {
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
pub fn check_secret(path: &Path, metadata: &Metadata) -> Result<(), StoreError> {
    let access = Access::of(metadata);
    access.check_owner(path)?;
    if access.mode & ANYTHING == 0 {
        Ok(())
    } else {
        Err(StoreError::Exposed { path: path.to_owned() })
    }
}

/// Whether nobody else may put files into the folder of the file at `path`, or take files away: neither where it lies nor,
/// where it is a link, where that leads, nor at any link between.
///
/// # Errors
/// [`StoreError::Foreign`] or [`StoreError::Writable`], or [`StoreError::Read`] when there is no such folder or the links
/// have no end.
pub fn check_folder(path: &Path) -> Result<(), StoreError> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        let folder = folder(&place);
        let about = fs::metadata(folder);
        let about = about.map_err(|why| StoreError::Read { path: folder.to_owned(), why })?;
        check_unchanged_by_others(folder, &about)?;
        let Ok(next) = fs::read_link(&place) else { return Ok(()) };
        place = folder.join(next);
    }
    let why = io::Error::other("its links have no end");
    Err(StoreError::Read { path: path.to_owned(), why })
}

/// The bytes of a file that decides whom a party trusts: nobody else may change it, or what is in its folder. Nothing is read
/// before that is known.
///
/// # Errors
/// When others may, it cannot be read, is no file but a pipe or a device, or is longer than 1 MiB.
pub fn read_trusted(path: &Path) -> Result<Vec<u8>, StoreError> {
    check_folder(path)?;
    let failed = |why| StoreError::Read { path: path.to_owned(), why };
    let file = open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(failed(io::Error::other("it is not a regular file")));
    }
    check_unchanged_by_others(path, &about)?;
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LONGEST {
        return Err(failed(io::Error::other("it has more than 1 MiB")));
    }
    Ok(bytes)
}

/// Opens a file without waiting for anybody, which a pipe would do.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        nix::fcntl::OFlag::O_NONBLOCK.bits(),
    );
    options.open(path)
}

/// The folder in which a file lies.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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

    #[test]
    fn a_folder_that_others_may_change_is_refused_wherever_a_link_leads() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let outer = tempfile::tempdir().expect("a folder");
        let folders = ["links", "hops", "files"].map(|name| outer.path().join(name));
        folders.iter().for_each(|folder| fs::create_dir(folder).expect("writable"));
        let [link, hop, file] = [&folders[0], &folders[1], &folders[2]].map(|at| at.join("x"));
        fs::write(&file, "x").expect("writable");
        symlink(&file, &hop).expect("links");
        symlink("../hops/x", &link).expect("links");
        let allow = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("own");
        };
        folders.iter().for_each(|folder| allow(folder, 0o755));
        allow(&file, 0o644);
        assert_eq!(read_trusted(&link).expect("nobody else's"), b"x");
        for open in folders.iter().chain([&file]) {
            let before = fs::metadata(open).expect("there").permissions();
            for mode in [0o777, 0o1777, 0o775] {
                allow(open, mode);
                let refused = read_trusted(&link).expect_err("others may change it");
                let names = |path: &Path| fs::canonicalize(path).expect("there");
                let expected = fs::canonicalize(open).expect("there");
                assert!(
                    matches!(&refused, StoreError::Writable { path } if names(path) == expected),
                    "{refused}"
                );
            }
            fs::set_permissions(open, before).expect("own");
        }
        let round = folders[0].join("round");
        symlink(&round, &round).expect("links");
        let refused = read_trusted(&round).expect_err("no file").to_string();
        assert!(refused.contains("no end"), "{refused}");
    }

    #[test]
    fn what_has_no_end_or_is_long_is_not_read() {
        use nix::sys::stat::Mode;
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        nix::unistd::mkfifo(&at("pipe"), Mode::S_IRUSR | Mode::S_IWUSR).expect("makes one");
        fs::create_dir(at("folder")).expect("writable");
        fs::write(at("long"), vec![b'#'; LONGEST as usize + 1]).expect("writable");
        std::os::unix::fs::symlink("/dev/zero", at("zeros")).expect("links");
        let refused = |name| read_trusted(&at(name)).expect_err("no list of keys").to_string();
        for name in ["pipe", "folder", "zeros"] {
            assert!(refused(name).contains("regular file"), "{}", refused(name));
        }
        assert!(refused("long").contains("1 MiB"), "{}", refused("long"));
        fs::write(at("long"), vec![b'#'; LONGEST as usize]).expect("writable");
        assert_eq!(read_trusted(&at("long")).expect("just as long").len() as u64, LONGEST);
    }
}
