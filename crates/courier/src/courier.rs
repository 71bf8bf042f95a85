//! Who asks.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs::default_provider;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, Error};

use crate::{CourierError, PROTOBUF};

/// The most letters of a refusal that are shown.
const LETTERS: usize = 300;

/// Asks at one service.
pub struct Courier {
    agent: Agent,
    base: String,
    host: String,
    deadline: Duration,
    encrypted: bool,
}

impl Courier {
    /// For the service at an `https://` or `http://` address, which has so long for each answer. Certificates are checked as the
    /// system does; no redirect is followed.
    ///
    /// # Errors
    /// When the address is none.
    pub fn new(url: &str, deadline: Duration) -> Result<Self, CourierError> {
        let uri: http::Uri = url.parse().map_err(|_| CourierError::Address)?;
        let encrypted = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(CourierError::Address),
        };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(CourierError::Address)?;
        if uri.query().is_some() {
            return Err(CourierError::Address);
        }
        let base = url.trim_end_matches('/').to_owned();
        Ok(Self {
            agent: agent(encrypted, deadline),
            base,
            host: host.to_owned(),
            deadline,
            encrypted,
        })
    }

    /// The host, for messages.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether others on the way see what goes there.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let own = ["localhost", "127.0.0.1", "[::1]"];
        !self.encrypted && !own.contains(&self.host.as_str())
    }

    /// What is at a place of the service, of so many bytes at most.
    ///
    /// # Errors
    /// See [`CourierError`].
    pub fn get(&self, place: &str, most: u64) -> Result<Vec<u8>, CourierError> {
        let answer = self.agent.get(format!("{}/{place}", self.base)).call();
        self.read(answer, most)
    }

    /// What a place of the service answers to a message, of so many bytes at most.
    ///
    /// # Errors
    /// See [`CourierError`].
    pub fn post(&self, place: &str, message: &[u8], most: u64) -> Result<Vec<u8>, CourierError> {
        let asked = self.agent.post(format!("{}/{place}", self.base)).content_type(PROTOBUF);
        self.read(asked.send(message), most)
    }

    fn read(
        &self,
        answer: Result<http::Response<Body>, Error>,
        most: u64,
    ) -> Result<Vec<u8>, CourierError> {
        let mut answer = answer.map_err(|error| self.judge(error, most))?;
        let status = answer.status().as_u16();
        if (300..400).contains(&status) {
            return Err(CourierError::Elsewhere { host: self.host.clone(), status });
        }
        if status != 200 {
            let mut said = Vec::new();
            let length = 4 * LETTERS as u64;
            // What cannot be read is not said.
            let _ = answer.body_mut().as_reader().take(length).read_to_end(&mut said);
            let text = shown(&String::from_utf8_lossy(&said));
            return Err(CourierError::Refused { host: self.host.clone(), status, text });
        }
        let too_long = || CourierError::TooLong { host: self.host.clone(), most };
        if answer.body().content_length().is_some_and(|length| length > most) {
            return Err(too_long());
        }
        // The limit counts the end, too.
        let body = answer.body_mut().with_config().limit(most.saturating_add(1));
        let bytes = body.read_to_vec().map_err(|error| self.judge(error, most))?;
        if bytes.len() as u64 > most {
            return Err(too_long());
        }
        Ok(bytes)
    }

    fn judge(&self, error: Error, most: u64) -> CourierError {
        let host = self.host.clone();
        let unreachable = |why: String| CourierError::Unreachable { host: host.clone(), why };
        match error {
            Error::Timeout(_) => CourierError::Slow { host, seconds: self.deadline.as_secs() },
            Error::BodyExceedsLimit(_) => CourierError::TooLong { host, most },
            Error::BadUri(_) => CourierError::Address,
            Error::HostNotFound => unreachable("no such host is known".to_owned()),
            Error::Io(why) if is_end(&why) => CourierError::Ended { host },
            Error::Io(why) => unreachable(why.to_string()),
            Error::Rustls(why) => unreachable(why.to_string()),
            Error::ConnectionFailed => unreachable("it does not take connections".to_owned()),
            // Others may hold the address.
            _ => unreachable("its answer is not that of a web server".to_owned()),
        }
    }
}

fn agent(encrypted: bool, deadline: Duration) -> Agent {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(default_provider()))
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .https_only(encrypted)
        .http_status_as_error(false)
        .timeout_global(Some(deadline))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent("veilset")
        .accept(PROTOBUF)
        .build();
    config.new_agent()
}

/// Whether the other end went away.
fn is_end(why: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    matches!(why.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

/// The beginning of a text in one line.
fn shown(text: &str) -> String {
    let letters = text.trim().chars().take(LETTERS);
    letters.map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
