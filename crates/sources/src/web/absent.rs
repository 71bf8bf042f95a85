//! The web, in a build that reads nothing from there.

use super::{FetchError, host_of};

/// Refuses, for this build reads nothing from the web.
///
/// # Errors
/// Always.
pub fn fetch(url: &str) -> Result<(String, Vec<u8>), FetchError> {
    let (host, _) = host_of(url)?;
    Err(FetchError::Absent { host })
}
