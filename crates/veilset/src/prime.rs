//! Safe primes that parties choose themselves.

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use veilset_crypto::SafePrime;
use veilset_party::guard::check_unchanged_by_others;
use veilset_session::fresh_rng;

use crate::Error;

/// Longer files have more than a prime of 2048 bits.
const MOST_BYTES: u64 = 4096;

/// A fresh prime: about a minute of processor time, on all cores.
///
/// # Errors
/// When the system gives no randomness.
pub fn generate() -> Result<SafePrime, Error> {
    Ok(SafePrime::generate(&mut fresh_rng()?))
}

/// What a file has that should be a prime.
///
/// # Errors
/// When the file cannot be read, or is another's or others may change it.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    let unread = |error| Error::PrimeFile { path: path.to_owned(), error };
    let mut text = String::new();
    let file = File::open(path).map_err(unread)?;
    check_unchanged_by_others(path, &file.metadata().map_err(unread)?)?;
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(unread)?;
    Ok(text)
}
