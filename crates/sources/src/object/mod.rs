//! Objects in the stores of the cloud: S3 and what is compatible with it, Google Cloud Storage, Azure Blob Storage.

#[cfg(not(feature = "objects"))]
mod absent;
mod address;
mod error;
#[cfg(feature = "objects")]
mod failure;
#[cfg(feature = "objects")]
mod open;
#[cfg(feature = "objects")]
mod store;

#[cfg(not(feature = "objects"))]
pub use absent::{NewObject, objects};
pub use address::is_object;
pub use error::ObjectError;
#[cfg(feature = "objects")]
pub use store::{NewObject, objects};

/// An object on its way here.
pub enum Arrival<'a> {
    /// One begins, which has this address.
    Object(String),
    /// The next of its bytes.
    Bytes(&'a [u8]),
}
