//! The client that gets it.

use std::sync::Arc;

use rustls::crypto::aws_lc_rs::default_provider;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Error};

use super::{FetchError, MOST, PATIENCE, REDIRECTS, host_of};

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
