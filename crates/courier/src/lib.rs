//! Messages over HTTP, for protocols of others: an [`Office`] answers requests, and a [`Courier`] asks there.
//!
//! Both block; the asynchronous machinery stays inside. Every length is bounded before it is read, and nobody is waited for without
//! end.
//!
//! ```
//! use std::time::Duration;
//! use veilset_courier::{Answer, Asked, Courier, Limits, Office};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let patience = Duration::from_secs(30);
//! let office = Office::open("127.0.0.1:0", Limits { message: 100, connections: 8, patience })?;
//! let url = format!("http://{}", office.address()?);
//! std::thread::spawn(move || office.serve(|asked: Asked| match asked.message {
//!     Some(message) => Answer::Message(message.into()),
//!     None => Answer::Refused(404, "send something".to_owned()),
//! }));
//! assert_eq!(Courier::new(&url, patience)?.post("echo", b"hello", 100)?, b"hello");
//! # Ok(())
//! # }
//! ```

mod brisk;
mod courier;
mod error;
mod office;
#[cfg(test)]
mod tests;

pub use courier::Courier;
pub use error::CourierError;
pub use office::{Answer, Asked, Limits, Office};

/// How protocol buffers are called in HTTP.
pub const PROTOBUF: &str = "application/x-protobuf";
