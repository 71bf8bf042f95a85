//! Files that are there whole or not at all, and locks beside them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use veilset_party::guard::check_unchanged_by_others;

/// Puts `parts`, one after the other, into a file at once or not at all, readable for its owner only. When this returns
/// without an error they are there after a power cut too.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] when there is a file and `replace` is not set; else what the system says.
pub(crate) fn put(path: &Path, parts: &[&[u8]], replace: bool) -> io::Result<()> {
    let path = target(path);
    // Temporary files are made with mode 0600.
    let mut file = NamedTempFile::new_in(folder(&path))?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.as_file().sync_all()?;
    let kept = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
    kept.map_err(|refused| refused.error)?;
    sync_folder(folder(&path))
}

/// The file that a path leads to: where it is a link, the file is replaced, not the link.
pub(crate) fn target(path: &Path) -> PathBuf {
    let there = fs::canonicalize(path).ok();
    let by_folder = || Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?));
    there.or_else(by_folder).unwrap_or_else(|| path.to_owned())
}

/// The file for locks that belongs to the file at `path`, opened. The file itself is replaced, so that a lock on it
/// would be worth nothing.
pub(crate) fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let path = with_ending(&target(path), ".lock");
    let file = options.open(&path)?;
    check_unchanged_by_others(&path, &file.metadata()?).map_err(io::Error::other)?;
    Ok(file)
}

/// `path` with `ending` after its name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new name is there after a power cut once its folder is written.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_link_stays_and_its_file_is_replaced_and_locked() {
        let outer = tempfile::tempdir().expect("a folder");
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).expect("writable");
        let (file, link) = (inner.join("file"), outer.path().join("link"));
        put(&file, &[b"a", b"b"], false).expect("nothing is there");
        symlink("inner/file", &link).expect("links");
        let refused = put(&link, &[b"c"], false).expect_err("it is there");
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&file).expect("there"), b"ab");
        put(&link, &[b"c"], true).expect("writable");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&file).expect("there"), b"c");

        lock_file(&link).expect("writable").lock().expect("free");
        let lock = fs::metadata(inner.join("file.lock")).expect("beside the file, not the link");
        assert_eq!(lock.permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
