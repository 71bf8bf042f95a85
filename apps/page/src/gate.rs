//! Who may see the page: the first browser that brings the address with its token, and nobody else.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method, Uri};
use subtle::ConstantTimeEq;

/// The name of the page's query.
const QUERY: &str = "token=";

/// Bytes of a secret, for 128 bits of security.
const SECRET: usize = 16;

/// The secrets of one page.
pub(super) struct Gate {
    /// `127.0.0.1:PORT`: a name that somebody had resolve to this machine is another host.
    host: String,
    token: String,
    used: AtomicBool,
    /// Cookies know no ports, so that the name holds it.
    cookie: String,
}

/// What a caller may do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Everything, with the cookie that says so from now on.
    First(String),
    /// Everything.
    Known,
    /// Nothing.
    Nobody,
}

impl Gate {
    /// A gate at `addr` with fresh secrets, for a page of `program`, and the address that opens it once.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub(super) fn open(program: &str, addr: SocketAddr) -> io::Result<(Self, String)> {
        let (host, token) = (addr.to_string(), secret()?);
        let cookie = format!("{program}_{}={}", addr.port(), secret()?);
        let address = format!("http://{host}/?{QUERY}{token}");
        Ok((Self { host, token, used: AtomicBool::new(false), cookie }, address))
    }

    /// Whether this request comes from the page's browser, and from the page itself if it changes something.
    pub(super) fn judge(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Pass {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let from_here = text(ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        if text(HOST) != Some(&self.host)
            || (method != Method::GET && from_here != Some(&self.host))
        {
            return Pass::Nobody;
        }
        let cookies = text(COOKIE).unwrap_or_default().split("; ");
        if cookies.into_iter().any(|cookie| same(cookie, &self.cookie)) {
            return Pass::Known;
        }
        let token = uri.query().and_then(|query| query.strip_prefix(QUERY)).unwrap_or_default();
        if uri.path() == "/" && same(token, &self.token) && !self.used.swap(true, Ordering::Relaxed)
        {
            return Pass::First(format!("{}; Path=/; HttpOnly; SameSite=Strict", self.cookie));
        }
        Pass::Nobody
    }
}

/// In a time that depends on the lengths alone.
fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

fn secret() -> io::Result<String> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &str)| {
            (name.clone(), value.parse().expect("a header's value"))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn the_address_works_once_and_its_browser_goes_on() {
        let (gate, address) =
            Gate::open("test", ([127, 0, 0, 1], 4711).into()).expect("randomness");
        let uri: Uri = address.parse().expect("an address");
        let plain: Uri = "/state".parse().expect("a path");
        let host = (HOST, "127.0.0.1:4711");
        let get = |uri: &Uri, pairs: &[_]| gate.judge(&Method::GET, uri, &headers(pairs));
        assert_eq!(get(&plain, from_ref(&host)), Pass::Nobody);
        assert_eq!(get(&uri, &[(HOST, "rebound.example:4711")]), Pass::Nobody);
        let Pass::First(cookie) = get(&uri, from_ref(&host)) else { panic!("the first browser") };
        assert_eq!(get(&uri, from_ref(&host)), Pass::Nobody, "a second browser");
        let kept = cookie.split(';').next().expect("a cookie");
        let both = format!("other=1; {kept}");
        let known = [host.clone(), (COOKIE, both.as_str())];
        assert_eq!(get(&plain, &known), Pass::Known);
        let post = |pairs: &[_]| gate.judge(&Method::POST, &plain, &headers(pairs));
        assert_eq!(post(&known), Pass::Nobody, "not from the page");
        let [host, cookie] = known;
        let elsewhere = (ORIGIN, "http://127.0.0.1:80");
        assert_eq!(post(&[host.clone(), cookie.clone(), elsewhere]), Pass::Nobody);
        assert_eq!(post(&[host, cookie, (ORIGIN, "http://127.0.0.1:4711")]), Pass::Known);
    }
}
