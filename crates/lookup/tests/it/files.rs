//! A list's file: whole or refused, its owner's alone, and changed by one at a time.

use std::fs;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::Element;
use veilset_lookup::{FileError, Item, List, ListError, ListFile, MAX_LABEL, Sizing};

fn item(number: u32, label: &str) -> Item {
    let element = Element(*blake3::hash(&number.to_le_bytes()).as_bytes());
    Item { element, label: label.to_owned() }
}

fn list(count: u32) -> List {
    built(None, count)
}

/// Ten items, after the list that was there.
fn anew(before: Option<&List>) -> List {
    built(before, 10)
}

fn built(before: Option<&List>, count: u32) -> List {
    let items = |_: &[u8; 32]| (0..count).map(|number| item(number, "label")).collect();
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    List::build(before, "raw/1".to_owned(), true, Sizing::EachLookup, items, &mut rng)
        .expect("a list")
}

#[test]
fn a_file_is_whole_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    list(20).write(&path, false).expect("writable");
    assert!(matches!(list(20).write(&path, false), Err(FileError::Exists { .. })));
    let bytes = fs::read(&path).expect("readable");
    let other = folder.path().join("other.veil");
    list(20).write(&other, false).expect("writable");
    for place in (0..bytes.len()).step_by(41) {
        let mut altered = bytes.clone();
        altered[place] ^= 1;
        for wrong in [&altered[..], &bytes[..place]] {
            // Keeps the mode.
            fs::write(&other, wrong).expect("writable");
            let refused = ListFile::read(&other).err();
            assert!(matches!(refused, Some(FileError::NotAList { .. })), "byte {place}");
        }
    }
    let missing = ListFile::read(&folder.path().join("missing")).err();
    assert!(matches!(missing, Some(FileError::Read { .. })));
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_may_change_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    let allow = |mode| {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("own");
    };
    list(20).write(&path, false).expect("writable");
    for mode in [0o777, 0o1777, 0o770, 0o702] {
        allow(mode);
        let refused = [
            ListFile::read(&path).err(),
            List::create(&path, true, |before| Ok::<_, FileError>(anew(before))).err(),
            List::change(&path, |_| Ok::<_, FileError>(())).err(),
        ];
        for why in refused {
            let why = why.expect("others may change it");
            assert!(matches!(why, FileError::Untrusted(_)), "{why}");
            assert!(why.to_string().contains("chmod go-w"), "{why}");
        }
    }
    allow(0o755);
    assert!(ListFile::read(&path).is_ok());
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1, "no lock was made");
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    list(3).write(&path, false).expect("writable");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o660] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("own");
        let refused = ListFile::read(&path).err().expect("others may read it");
        assert!(matches!(refused, FileError::Exposed { .. }));
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
    }
}

#[test]
fn changes_of_several_at_once_are_all_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    list(10).write(&path, false).expect("writable");
    thread::scope(|scope| {
        for first in [100, 200, 300] {
            let path = &path;
            scope.spawn(move || {
                for number in first..first + 5 {
                    let add = |list: &mut List| -> Result<_, FileError> {
                        Ok(list.add(&[item(number, "x")]).expect("room"))
                    };
                    List::change(path, add).expect("writable");
                }
            });
        }
    });
    let after = ListFile::read(&path).expect("whole").open(&path).expect("whole");
    assert_eq!((after.count(), after.version()), (25, 16));
}

#[test]
fn building_anew_waits_for_changes_and_they_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    let (started, wait) = (Barrier::new(2), Duration::from_millis(300));
    let build = |before: Option<&List>| -> Result<List, FileError> { Ok(anew(before)) };
    assert_eq!(List::create(&path, false, build).expect("nothing is there").version(), 1);
    let refused = List::create(&path, false, build).err();
    assert!(matches!(refused, Some(FileError::Exists { .. })));
    thread::scope(|scope| {
        scope.spawn(|| {
            let slow = |before: Option<&List>| -> Result<List, FileError> {
                started.wait();
                thread::sleep(wait);
                build(before)
            };
            assert_eq!(List::create(&path, true, slow).expect("writable").version(), 2);
        });
        started.wait();
        let add = |list: &mut List| -> Result<_, FileError> {
            Ok(list.add(&[item(500, "x")]).expect("room"))
        };
        let (_, version, count) = List::change(&path, add).expect("writable");
        assert_eq!((version, count), (3, 11), "it came after, and is not lost");
    });
}

#[test]
fn an_item_stands_on_a_list_once_and_presets_are_short() {
    let mut list = list(10);
    let twice = [item(50, "x"), item(51, "x"), item(50, "y")];
    assert_eq!(list.add(&twice), Err(ListError::Twice { index: 2 }));
    assert_eq!((list.count(), list.version()), (10, 1));
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    let each = Sizing::EachLookup;
    let built = List::build(None, "raw/1".to_owned(), true, each, |_| twice.to_vec(), &mut rng);
    assert_eq!(built.err(), Some(ListError::Twice { index: 2 }));
    for presets in ["name/1,".repeat(100), "a b".to_owned()] {
        let built = List::build(None, presets, true, each, |_| Vec::new(), &mut rng);
        assert!(matches!(built.err(), Some(ListError::Presets { .. })));
    }
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let mut list = list(1000);
    let long = "l".repeat(30);
    let refused = list.add(&[item(5000, "x"), item(5001, &long)]);
    assert_eq!(refused, Err(ListError::Label { index: 1, got: 30, most: 14 }));
    let many: Vec<Item> = (5000..8000).map(|number| item(number, "")).collect();
    assert_eq!(list.add(&many), Err(ListError::Full { most: 2048, got: 4000 }));
    assert_eq!((list.count(), list.version()), (1000, 1));
    let huge = |_: &[u8; 32]| vec![item(1, &"l".repeat(MAX_LABEL + 1))];
    let mut rng = ChaCha20Rng::from_seed([6; 32]);
    let built =
        List::build(None, "raw/1".to_owned(), true, Sizing::EachLookup, huge, &mut rng).err();
    assert!(matches!(built, Some(ListError::Label { index: 0, .. })));
}
