//! Messages in files.

use std::fs::File;
use std::io::{self, Read};

use super::TongueError;

/// The message in a file, or on standard input (`-`), of so many bytes at most.
///
/// # Errors
/// When it cannot be read, or is longer.
pub fn read_message(place: &str, most: usize) -> Result<Vec<u8>, TongueError> {
    let failed = |why| TongueError::Read { place: place.to_owned(), why };
    let mut bytes = Vec::new();
    let mut read = |from: &mut dyn Read| from.take(most as u64 + 1).read_to_end(&mut bytes);
    if place == "-" {
        read(&mut io::stdin().lock()).map_err(failed)?;
    } else {
        read(&mut File::open(place).map_err(failed)?).map_err(failed)?;
    }
    if bytes.len() > most {
        return Err(TongueError::TooLong { place: place.to_owned(), most });
    }
    Ok(bytes)
}
