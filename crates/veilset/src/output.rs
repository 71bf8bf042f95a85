//! Where a result goes, on this machine or beyond it.

use std::sync::Arc;

use veilset_data::{Destination, Sink, SinkError};
use veilset_net::{NewObject, is_object};

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
