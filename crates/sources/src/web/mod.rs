//! A small file from the web.

use std::time::Duration;

#[cfg(not(feature = "web"))]
mod absent;
#[cfg(feature = "web")]
mod client;

#[cfg(not(feature = "web"))]
pub use absent::fetch;
#[cfg(feature = "web")]
pub use client::fetch;

/// The most bytes: ten times the calendar of somebody who has one appointment an hour for ten years.
const MOST: u64 = 64 << 20;

/// How long it may take altogether.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often the server may send elsewhere.
const REDIRECTS: u32 = 5;

/// Why there is no file. None of these holds more of an address than its host: the rest is often a secret.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The program was built without what reads from the web.
    #[error(
        "{host} is on the web, where this build reads nothing: build it with the feature `calendar`, or save the calendar as a file"
    )]
    Absent {
        /// The host.
        host: String,
    },
    /// The address is of another kind.
    #[error(
        "an address that begins with https:// or http:// is needed; in place of webcal:// write https://"
    )]
    NotHttp,
    /// The address does not parse.
    #[error("this is no address of a file on the web; copy it whole from your calendar's settings")]
    Address,
    /// The host was not found or not reached, or its answer broke off.
    #[error(
        "cannot reach {host}: {why}; check the address and your connection, or save the calendar as a file"
    )]
    Unreachable {
        /// The host.
        host: String,
        /// What the system says.
        why: String,
    },
    /// The answer did not come in time.
    #[error(
        "{host} did not answer completely within {} s; try again, or save the calendar as a file",
        PATIENCE.as_secs()
    )]
    Slow {
        /// The host.
        host: String,
    },
    /// The server answered with something else than the file.
    #[error(
        "{host} answered with status {status}; copy the address again from your calendar's settings"
    )]
    Status {
        /// The host.
        host: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The server sent from place to place.
    #[error("{host} sent to another address more than {REDIRECTS} times; give the last one")]
    Redirects {
        /// The host.
        host: String,
    },
    /// The server sent from an encrypted address to a plain one.
    #[error("{host} sent to an address without encryption, which is not followed")]
    Downgrade {
        /// The host.
        host: String,
    },
    /// The file is too large.
    #[error("the file at {host} has more than {} MB; save the part that matters as a file", MOST >> 20)]
    TooLong {
        /// The host.
        host: String,
    },
}

impl FetchError {
    /// Whether the network is at fault, and not the address.
    #[must_use]
    pub fn is_network(&self) -> bool {
        !matches!(self, Self::Absent { .. } | Self::NotHttp | Self::Address)
    }
}

/// Whether `text` is meant to be the address of a file on the web rather than a file's name.
#[must_use]
pub fn is_url(text: &str) -> bool {
    text.contains("://")
}

/// The host, and whether the way to it is encrypted.
fn host_of(url: &str) -> Result<(String, bool), FetchError> {
    let (scheme, _) = url.split_once("://").ok_or(FetchError::NotHttp)?;
    let encrypted = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => false,
        _ => return Err(FetchError::NotHttp),
    };
    let uri: http::Uri = url.parse().map_err(|_| FetchError::Address)?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or(FetchError::Address)?;
    Ok((host.to_owned(), encrypted))
}
