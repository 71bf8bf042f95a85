//! Objects, in a build that reaches no object stores.

use std::io;

use super::address::Address;
use super::{Arrival, ObjectError};

/// Refuses, for this build reaches no object stores.
///
/// # Errors
/// Always.
pub fn objects(
    address: &str,
    _take: &mut dyn FnMut(Arrival<'_>) -> io::Result<()>,
) -> Result<(), ObjectError> {
    Err(absent(address))
}

/// An object that is to be; there is none in this build.
#[derive(Debug)]
pub enum NewObject {}

impl NewObject {
    /// Refuses, for this build reaches no object stores.
    ///
    /// # Errors
    /// Always.
    pub fn new(address: &str, _force: bool) -> Result<Self, ObjectError> {
        Err(absent(address))
    }

    /// Its address.
    #[must_use]
    pub fn name(&self) -> String {
        match *self {}
    }

    /// Whether it could be written.
    ///
    /// # Errors
    /// None.
    pub fn check(&self) -> Result<(), ObjectError> {
        match *self {}
    }

    /// Writes it.
    ///
    /// # Errors
    /// None.
    pub fn put(&self, _bytes: Vec<u8>) -> Result<(), ObjectError> {
        match *self {}
    }
}

fn absent(address: &str) -> ObjectError {
    match Address::parse(address) {
        Ok(address) => ObjectError::Absent { address: address.to_string() },
        Err(error) => error,
    }
}
