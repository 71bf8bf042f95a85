use std::fs;

use super::*;

fn table() -> Table {
    let csv = b"\xef\xbb\xbf\"id\",note\r\n007,\"a \"\"b\"\"\r\nc\"\r\n\r\n8,\"\"".to_vec();
    Table::parse("t.csv".into(), csv, b',').expect("a table")
}

fn file(folder: &Path, force: bool) -> Destination {
    Destination::file(folder.join("out.csv"), force)
}

fn names(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

#[test]
fn rows_come_back_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), false).write_rows(&table(), [0, 1].into_iter()).expect("writable");
    let written = fs::read(folder.path().join("out.csv")).expect("written");
    assert_eq!(written, b"\"id\",note\r\n007,\"a \"\"b\"\"\r\nc\"\r\n8,\"\"\r\n");
    assert_eq!(names(folder.path()), 1);
}

#[test]
fn an_existing_file_is_kept_unless_forced_and_the_input_always() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    fs::write(&path, "old").expect("writable");
    let kept = file(folder.path(), false);
    assert!(matches!(kept.check(&Source::Stdin), Err(DataError::Exists { .. })));
    assert!(kept.write_rows(&table(), [0].into_iter()).is_err());
    assert_eq!(fs::read(&path).expect("there"), b"old");
    let forced = file(folder.path(), true);
    let same = forced.check(&Source::File(path.clone()));
    assert!(matches!(same, Err(DataError::OutputIsInput { .. })));
    forced.check(&Source::Stdin).expect("may be replaced");
    forced.write_rows(&table(), std::iter::empty()).expect("writable");
    assert_eq!(fs::read(&path).expect("there"), b"\"id\",note\r\n");
    assert_eq!(names(folder.path()), 1);
}

#[test]
fn a_missing_folder_is_said_before_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = file(&folder.path().join("none"), false);
    let error = nowhere.check(&Source::Stdin).expect_err("no folder").to_string();
    assert!(error.contains("its folder does not exist"), "{error}");
    assert_eq!(names(folder.path()), 0);
}

#[test]
fn what_is_no_ordinary_file_is_never_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = vec![folder.path().to_owned(), folder.path().join("out/"), PathBuf::new()];
    if cfg!(unix) {
        paths.push("/dev/null".into());
    }
    for path in paths {
        for force in [false, true] {
            let refused = Destination::file(path.clone(), force).check(&Source::Stdin);
            assert!(matches!(refused, Err(DataError::NotAFile { .. })), "{}", path.display());
        }
    }
    assert_eq!(names(folder.path()), 0);
}

/// Fails after some bytes, as a full disk does.
fn write_until_full(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[b'x'; 1 << 16])?;
    Err(io::ErrorKind::StorageFull.into())
}

#[test]
fn a_failure_leaves_the_folder_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    let write = |force| NewFile::new(path.clone(), force).write(|out| write_until_full(out));
    let full = write(false).expect_err("full");
    assert_eq!((full.kind(), names(folder.path())), (io::ErrorKind::StorageFull, 0));
    fs::write(&path, "old").expect("writable");
    assert!(write(true).is_err());
    assert_eq!((fs::read(&path).expect("there"), names(folder.path())), (b"old".to_vec(), 1));
}

#[cfg(unix)]
fn rights(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).expect("there").permissions())
        & 0o777
}

/// The one file in a folder that has no other name than a temporary one.
#[cfg(unix)]
fn unfinished(folder: &Path) -> PathBuf {
    let mut files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("there").path());
    let hidden = |path: &PathBuf| path.to_string_lossy().contains("/.veilset-");
    files.find(hidden).expect("it is being written")
}

#[cfg(unix)]
#[test]
fn a_result_is_this_users_alone_until_it_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    for force in [false, true] {
        let written = NewFile::new(path.clone(), force).write(|out| {
            out.write_all(b"secret")?;
            assert_eq!(rights(&unfinished(folder.path())), 0o600);
            Ok(())
        });
        written.expect("writable");
        fs::write(folder.path().join("any"), "").expect("writable");
        assert_eq!(rights(&path), rights(&folder.path().join("any")));
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_rights_and_the_links_to_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().expect("a folder");
    let (path, link) = (folder.path().join("out.csv"), folder.path().join("link.csv"));
    fs::write(&path, "old").expect("writable");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("one's own");
    symlink(&path, &link).expect("a link");
    let forced = Destination::file(link.clone(), true);
    forced.check(&Source::Stdin).expect("may be replaced");
    forced.write_rows(&table(), std::iter::empty()).expect("writable");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(fs::read(&path).expect("there"), b"\"id\",note\r\n");
    assert_eq!(rights(&path), 0o600);

    let nowhere = folder.path().join("nowhere.csv");
    symlink(folder.path().join("gone"), &nowhere).expect("a link");
    let taken = Destination::file(nowhere, false).check(&Source::Stdin);
    assert!(matches!(taken, Err(DataError::Exists { .. })));
}

#[test]
fn a_name_with_the_ending_of_no_format_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let destination = |name: &str| Destination::file(folder.path().join(name), false);
    for name in ["x.xlsx", "x.csv.gz", "x.json", "x.parquet.bak"] {
        let refused = destination(name).check(&Source::Stdin);
        assert!(matches!(&refused, Err(DataError::NoFormat { .. })), "{name}");
        let why = refused.expect_err("refused").to_string();
        assert!(why.contains(name) && why.contains(".ndjson"), "{why}");
        destination(name).check_place(&Source::Stdin).expect("a calendar may be there");
    }
    for name in ["x", "x.CSV", "x.tsv", "x.jsonl", "x.parquet", "x.feather", "x.arrows", ".csv"] {
        destination(name).check(&Source::Stdin).expect(name);
    }
}

#[test]
fn tsv_has_tabs_whatever_the_list_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |table: &Table| {
        let path = folder.path().join("out.tsv");
        let to = Destination::file(&path, true);
        to.prepare(table).expect("room");
        to.write_rows(table, 0..table.rows()).expect("writable");
        fs::read_to_string(path).expect("text")
    };
    let commas = Table::parse("t".into(), b"a,\"b\"\r\n\"x\ty\",\"1,5\"\r\n".to_vec(), b',');
    assert_eq!(written(&commas.expect("a table")), "a\tb\r\n\"x\ty\"\t1,5\r\n");
    let tabs = Table::parse("t".into(), b"\"a\"\tb\n\"1\"\t2".to_vec(), b'\t');
    assert_eq!(written(&tabs.expect("a table")), "\"a\"\tb\n\"1\"\t2\n");
}

#[test]
fn what_does_not_get_to_its_place_is_written_elsewhere_for_this_user_alone() {
    let (there, scratch) = (tempfile::tempdir(), tempfile::tempdir());
    let (there, scratch) = (there.expect("a folder"), scratch.expect("a folder"));
    let lost = Destination::file(there.path().join("gone/out.ndjson"), false);
    let write = |to: &Destination| to.write_rows(&table(), 0..2);
    assert!(write(&lost).is_err());
    let place = lost.write_instead(scratch.path(), write).expect("writable");
    assert_eq!(place.parent(), Some(scratch.path()));
    assert!(place.extension().is_some_and(|ending| ending == "ndjson"), "{}", place.display());
    let text = fs::read_to_string(&place).expect("written");
    assert_eq!(text.lines().count(), 2);
    #[cfg(unix)]
    assert_eq!(rights(&place), 0o600);
    let full = |to: &Destination| to.write(|out| write_until_full(out));
    assert!(lost.write_instead(scratch.path(), full).is_err());
    assert_eq!(names(scratch.path()), 1);
}
