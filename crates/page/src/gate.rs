//! Who may see the page: the first browser that brings the address with its token, and nobody else.
//!
//! The token is behind the `#` of the address, so that no browser sends it anywhere by itself. The page's script brings it
//! once and gets the page's secret for it, which the tab keeps and sends in a header ([`HEADER`]). A cookie would go to
//! every port of this machine's loopback address, and so to whatever page another of its users shows there.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method};
use subtle::ConstantTimeEq;

/// What a tab sends its secret in, and at first the token.
pub(super) const HEADER: HeaderName = HeaderName::from_static("x-veilset-page");

/// Bytes of a secret, for 128 bits of security.
const SECRET: usize = 16;

/// The secrets of one page.
pub(super) struct Gate {
    /// `127.0.0.1:PORT`: a name that somebody had resolve to this machine is another host.
    host: String,
    token: String,
    used: AtomicBool,
    secret: String,
}

impl Gate {
    /// A gate at `addr` with fresh secrets, and the address that opens it once.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub(super) fn open(addr: SocketAddr) -> io::Result<(Self, String)> {
        let (host, token) = (addr.to_string(), fresh()?);
        let address = format!("http://{host}/#{token}");
        Ok((Self { host, token, used: AtomicBool::new(false), secret: fresh()? }, address))
    }

    /// Whether this request is to the page by its own name, and from the page itself if it changes something.
    pub(super) fn is_own(&self, method: &Method, headers: &HeaderMap) -> bool {
        let from_here = text(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        text(headers, &HOST) == Some(&self.host)
            && (method == Method::GET || from_here == Some(&self.host))
    }

    /// The page's secret for its token, once.
    pub(super) fn enter(&self, headers: &HeaderMap) -> Option<&str> {
        let is_first = brings(headers, &self.token) && !self.used.swap(true, Ordering::Relaxed);
        is_first.then_some(&self.secret)
    }

    /// Whether this request has the page's secret.
    pub(super) fn knows(&self, headers: &HeaderMap) -> bool {
        brings(headers, &self.secret)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether the header has this, in a time that depends on the lengths alone.
fn brings(headers: &HeaderMap, secret: &str) -> bool {
    let given = text(headers, &HEADER).unwrap_or_default();
    given.as_bytes().ct_eq(secret.as_bytes()).into()
}

fn fresh() -> io::Result<String> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use axum::http::header::COOKIE;

    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &str)| {
            (name.clone(), value.parse().expect("a header's value"))
        };
        pairs.iter().map(pair).collect()
    }

    fn gate() -> (Gate, String) {
        let (gate, address) = Gate::open(([127, 0, 0, 1], 4711).into()).expect("randomness");
        let token = address.strip_prefix("http://127.0.0.1:4711/#").expect("a token").to_owned();
        (gate, token)
    }

    #[test]
    fn the_token_opens_once_and_the_secret_goes_on() {
        let (gate, token) = gate();
        let with = |text: &str| headers(&[(HEADER, text)]);
        assert!(!gate.knows(&with(&token)) && !gate.knows(&with("")) && !gate.knows(&headers(&[])));
        assert_eq!((gate.enter(&with("")), gate.enter(&headers(&[]))), (None, None));
        let secret = gate.enter(&with(&token)).expect("the first browser").to_owned();
        assert_eq!(gate.enter(&with(&token)), None, "a second browser");
        assert!(secret != token && gate.knows(&with(&secret)) && !gate.knows(&with(&secret[1..])));
        // Not even with the secret in it.
        let cookie = format!("{HEADER}={secret}");
        assert!(!gate.knows(&headers(&[(COOKIE, &cookie)])));
    }

    #[test]
    fn requests_are_to_the_page_and_changes_from_it() {
        let (gate, _) = gate();
        let host = (HOST, "127.0.0.1:4711");
        let own = |method: Method, pairs: &[_]| gate.is_own(&method, &headers(pairs));
        assert!(own(Method::GET, std::slice::from_ref(&host)));
        assert!(!own(Method::GET, &[]) && !own(Method::GET, &[(HOST, "rebound.example:4711")]));
        for (origin, wanted) in
            [("http://127.0.0.1:4711", true), ("http://127.0.0.1:80", false), ("null", false)]
        {
            assert_eq!(own(Method::POST, &[host.clone(), (ORIGIN, origin)]), wanted, "{origin}");
        }
        assert!(!own(Method::POST, &[host]));
    }
}
