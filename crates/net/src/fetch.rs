//! A small file from the web.

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs::default_provider;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Error};

/// The most bytes: ten times the calendar of somebody who has one appointment an hour for ten years.
const MOST: u64 = 64 << 20;

/// How long it may take altogether.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often the server may send elsewhere.
const REDIRECTS: u32 = 5;

/// Why there is no file. None of these holds more of an address than its host: the rest is often a secret.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
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

/// Whether `text` is meant to be the address of a file on the web rather than a file's name.
#[must_use]
pub fn is_url(text: &str) -> bool {
    text.contains("://")
}

/// Gets the file at an `https://` or `http://` address, of at most 64 MB and within 30 s; returns the host that was
/// asked, for messages, and the bytes. Certificates are checked as the system does. Follows at most five redirects, and
/// none from `https://` to `http://`.
///
/// # Errors
/// See [`FetchError`].
pub fn fetch(url: &str) -> Result<(String, Vec<u8>), FetchError> {
    let (host, encrypted) = host_of(url)?;
    let failed = |error| judge(error, &host);
    let mut answer = agent(encrypted).get(url).call().map_err(failed)?;
    let body = answer.body_mut().with_config().limit(MOST);
    let bytes = body.read_to_vec().map_err(failed)?;
    Ok((host, bytes))
}

/// The host, and whether the way to it is encrypted.
fn host_of(url: &str) -> Result<(String, bool), FetchError> {
    let (scheme, _) = url.split_once("://").ok_or(FetchError::NotHttp)?;
    let encrypted = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => false,
        _ => return Err(FetchError::NotHttp),
    };
    let uri: ureq::http::Uri = url.parse().map_err(|_| FetchError::Address)?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or(FetchError::Address)?;
    Ok((host.to_owned(), encrypted))
}

fn agent(encrypted: bool) -> Agent {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(default_provider()))
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .https_only(encrypted)
        .timeout_global(Some(PATIENCE))
        .max_redirects(REDIRECTS)
        .user_agent("veilset")
        .accept("text/calendar, */*;q=0.1")
        .build();
    config.new_agent()
}

fn judge(error: Error, host: &str) -> FetchError {
    let host = host.to_owned();
    let unreachable = |why: String| FetchError::Unreachable { host: host.clone(), why };
    match error {
        Error::StatusCode(status) => FetchError::Status { host, status },
        Error::Timeout(_) => FetchError::Slow { host },
        Error::TooManyRedirects => FetchError::Redirects { host },
        Error::RequireHttpsOnly(_) => FetchError::Downgrade { host },
        Error::BodyExceedsLimit(_) => FetchError::TooLong { host },
        Error::BadUri(_) => FetchError::Address,
        Error::HostNotFound => unreachable("no such host is known".to_owned()),
        Error::Io(why) => unreachable(why.to_string()),
        Error::Rustls(why) => unreachable(why.to_string()),
        Error::ConnectionFailed => unreachable("it does not take connections".to_owned()),
        // Others may hold the address.
        _ => unreachable("its answer is not that of a web server".to_owned()),
    }
}
