//! Where a result goes, on this machine or beyond it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use veilset_data::{DataError, Destination, Scratch, Sink, SinkError};
use veilset_sources::{NewObject, is_object};

use crate::Error;

/// Standard output (`-`), a file, or an object of a store (`s3://`, `gs://`, `az://`), at `place`; with `force` it may take
/// the place of another.
///
/// # Errors
/// When `place` is the address of a store and none of one object there.
pub fn destination(place: &str, force: bool) -> Result<Destination, Error> {
    if !is_object(place) {
        return Ok(Destination::new(place, force));
    }
    Ok(Destination::Sink(Arc::new(Object(NewObject::new(place, force)?))))
}

/// Has `write` put a result at `destination`. What does not get there is kept in the folder of `scratch`, for the peer's part is
/// over and a run does not come back; then, as long as `again` says so, which hears why it failed and where it is kept, the
/// destination is tried again.
///
/// # Errors
/// When the result is not at `destination`, with the place where it is instead; or for any other reason than the
/// destination.
pub fn deliver(
    destination: &Destination,
    scratch: &Scratch,
    again: &dyn Fn(&DataError, Option<&Path>) -> bool,
    write: &dyn Fn(&Destination) -> Result<(), DataError>,
) -> Result<(), Error> {
    let keep = || destination.write_instead(scratch.folder(), write);
    let mut why = match write(destination) {
        Ok(()) => return Ok(()),
        Err(why) if !keeps_out(&why, destination) => return Err(why.into()),
        Err(why) => why,
    };
    // First of all, since nobody may be there to answer.
    let mut kept = keep();
    while again(&why, kept.as_deref().ok()) {
        match write(destination) {
            Ok(()) => {
                // A second copy does no harm.
                let _ = kept.map(fs::remove_file);
                return Ok(());
            }
            Err(other) => why = other,
        }
    }
    if kept.is_err() {
        kept = keep();
    }
    Err(match kept {
        Ok(place) => Error::Elsewhere { why, place },
        Err(other) => Error::Lost { why, other: Box::new(other) },
    })
}

/// Whether a result failed for the place where it was to go.
fn keeps_out(why: &DataError, destination: &Destination) -> bool {
    let is_place = matches!(why, DataError::Write { .. } | DataError::Sink(_));
    is_place && !matches!(destination, Destination::Stdout)
}

#[derive(Debug)]
struct Object(NewObject);

impl Sink for Object {
    fn name(&self) -> String {
        self.0.name()
    }

    fn check(&self) -> Result<(), SinkError> {
        Ok(self.0.check()?)
    }

    fn put(&self, bytes: Vec<u8>) -> Result<(), SinkError> {
        Ok(self.0.put(bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::ErrorKind;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use veilset_data::Table;

    use super::*;

    /// A store that takes a result at the last of so many attempts.
    #[derive(Debug)]
    struct Lazy(AtomicU32);

    impl Sink for Lazy {
        fn name(&self) -> String {
            "s3://lists/out.csv".to_owned()
        }

        fn check(&self) -> Result<(), SinkError> {
            Ok(())
        }

        fn put(&self, _: Vec<u8>) -> Result<(), SinkError> {
            if self.0.fetch_sub(1, Relaxed) == 1 { Ok(()) } else { Err("it sleeps".into()) }
        }
    }

    /// Delivers a list of one column to a store that takes it at this attempt, and attempts it so often.
    fn delivered(taken_at: u32, attempts: u32, scratch: &Path) -> Result<(), Error> {
        let table = Table::parse("t".to_owned(), b"k\na\nb\n".to_vec(), b',').expect("a table");
        let destination = Destination::Sink(Arc::new(Lazy(taken_at.into())));
        let scratch = Scratch::new(Some(scratch.to_owned()), None);
        let left = Cell::new(attempts);
        let again = |why: &DataError, kept: Option<&Path>| {
            assert_eq!(why.to_string(), "it sleeps");
            assert_eq!(kept.map(Path::exists), scratch.folder().exists().then_some(true));
            left.set(left.get() - 1);
            left.get() > 0
        };
        deliver(&destination, &scratch, &again, &|to| to.write_rows(&table, [1].into_iter()))
    }

    #[test]
    fn a_result_is_delivered_in_the_end_or_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        delivered(3, 3, folder.path()).expect("taken at the last attempt");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        let Err(Error::Elsewhere { why: DataError::Sink(_), place }) =
            delivered(9, 2, folder.path())
        else {
            panic!("kept")
        };
        assert_eq!(fs::read_to_string(&place).expect("kept"), "k\nb\n");
        let lost = delivered(9, 1, &folder.path().join("none")).expect_err("nowhere to keep it");
        let Error::Lost { other, .. } = &lost else { panic!("{lost}") };
        let DataError::Write { why, .. } = &**other else { panic!("{other}") };
        assert_eq!((why.kind(), lost.exit_code()), (ErrorKind::NotFound, 2));
    }
}
