//! TCP connections, and those that a company's proxy makes.

use std::env;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::url::is_this_machine;

/// How long one address of a host may take to answer.
const ONE_ADDRESS: Duration = Duration::from_secs(5);

/// How long a proxy may take to connect, or to say why it does not.
const PROXY: Duration = Duration::from_secs(30);

/// The longest answer of a proxy in bytes.
const LONGEST: usize = 8 << 10;

/// The port of a proxy that names none.
const PORT: u16 = 8080;

/// Why there is no connection to a host.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// What the system says.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The proxy makes none.
    #[error("the proxy {proxy} (from {variable}): {why}")]
    Proxy {
        /// The variable that names it.
        variable: &'static str,
        /// `HOST:PORT`.
        proxy: String,
        /// What it says, and what to do.
        why: String,
        /// Whether it says the same however often it is asked.
        is_final: bool,
    },
}

/// The proxy of this machine's environment, and the hosts that are reached without it.
#[derive(Default)]
pub struct Proxies {
    proxy: Option<Proxy>,
    without: Vec<Without>,
}

struct Proxy {
    /// That names it.
    variable: &'static str,
    host: String,
    port: u16,
    /// For the header `Proxy-Authorization`.
    credentials: Option<Zeroizing<String>>,
}

/// A part of `NO_PROXY`.
enum Without {
    All,
    /// A host and what is under it, at this port or any.
    Domain(String, Option<u16>),
    /// Addresses that share so many bits with this one.
    Network(IpAddr, u8),
}

impl Proxies {
    /// As `HTTPS_PROXY` (or else `ALL_PROXY`) and `NO_PROXY` have them, in small letters or capitals.
    ///
    /// # Errors
    /// With what is wrong with a proxy's URL.
    pub fn from_env() -> Result<Self, String> {
        Self::of(|name| env::var(name).ok())
    }

    fn of(get: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let variable = |name: &'static str| {
            let named = [name.to_ascii_lowercase(), name.to_owned()].into_iter();
            named.filter_map(|name| get(&name)).find(|value| !value.is_empty())
        };
        let set = ["HTTPS_PROXY", "ALL_PROXY"]
            .into_iter()
            .find_map(|name| variable(name).map(|value| (name, value)));
        let proxy = set.map(|(name, value)| {
            let proxy = Proxy::of(name, &value);
            proxy.map_err(|why| format!("the variable {name} is no proxy: {why}"))
        });
        let without = variable("NO_PROXY").unwrap_or_default();
        let without = without.split(',').map(str::trim).filter(|part| !part.is_empty());
        Ok(Self { proxy: proxy.transpose()?, without: without.map(Without::of).collect() })
    }

    /// `HOST:PORT` of the proxy through which a host is reached, if it is.
    #[must_use]
    pub fn way_to(&self, host: &str, port: u16) -> Option<String> {
        self.proxy_to(host, port).map(Proxy::name)
    }

    fn proxy_to(&self, host: &str, port: u16) -> Option<&Proxy> {
        let is_direct = is_this_machine(host) || self.without.iter().any(|one| one.has(host, port));
        self.proxy.as_ref().filter(|_| !is_direct)
    }

    /// A TCP connection to the first address of a host that answers, or one that the proxy makes.
    ///
    /// # Errors
    /// When there is none.
    pub async fn reach(&self, host: &str, port: u16) -> Result<TcpStream, ReachError> {
        let Some(proxy) = self.proxy_to(host, port) else { return Ok(direct(host, port).await?) };
        let variable = proxy.variable;
        let failed =
            |why, is_final| ReachError::Proxy { variable, proxy: proxy.name(), why, is_final };
        let tcp = direct(&proxy.host, proxy.port).await;
        let tcp = tcp.map_err(|why| failed(why.to_string(), false))?;
        match timeout(PROXY, proxy.connect(tcp, host, port)).await {
            Ok(Ok(tcp)) => Ok(tcp),
            Ok(Err((why, is_final))) => Err(failed(why, is_final)),
            Err(_) => Err(failed("it does not answer".to_owned(), false)),
        }
    }
}

impl Proxy {
    fn of(variable: &'static str, text: &str) -> Result<Self, String> {
        let rest = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some((scheme, _)) => {
                return Err(format!("veilset speaks http:// to a proxy, and not {scheme}://"));
            }
            None => text,
        };
        // A password may have a slash.
        let (user, place) = match rest.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, rest),
        };
        let place = place.split('/').next().unwrap_or_default();
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, port.parse().map_err(|_| "its port is no number".to_owned())?)
            }
            _ => (place, PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("it has no host".to_owned());
        }
        let credentials = user.map(|user| {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            let part = |part| Zeroizing::new(percent_decode_str(part).collect::<Vec<u8>>());
            let both = Zeroizing::new([&part(name)[..], b":", &part(password)].concat());
            Zeroizing::new(BASE64_STANDARD.encode(&*both))
        });
        Ok(Self { variable, host, port, credentials })
    }

    fn name(&self) -> String {
        authority(&self.host, self.port)
    }

    /// Has the proxy connect (RFC 9110, section 9.3.6). Why it does not, and whether that stays so.
    async fn connect(
        &self,
        mut tcp: TcpStream,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, (String, bool)> {
        let broken = |why: io::Error| (format!("the connection to it broke: {why}"), false);
        let target = authority(host, port);
        let mut request =
            Zeroizing::new(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"));
        if let Some(credentials) = &self.credentials {
            request.push_str("Proxy-Authorization: Basic ");
            request.push_str(credentials);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        tcp.write_all(request.as_bytes()).await.map_err(broken)?;
        let mut answer = Vec::new();
        loop {
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut response = httparse::Response::new(&mut headers);
            let parsed = response.parse(&answer);
            let status = parsed.map(|parsed| parsed.is_complete().then_some(response.code));
            match status {
                Ok(Some(code)) => return judge(code.unwrap_or(0), &target).map(|()| tcp),
                Ok(None) if answer.len() < LONGEST => {}
                _ => return Err(("what it says is not HTTP".to_owned(), true)),
            }
            // Byte by byte, since what follows is the peer's.
            answer.push(tcp.read_u8().await.map_err(broken)?);
        }
    }
}

/// What a proxy's status says.
fn judge(code: u16, target: &str) -> Result<(), (String, bool)> {
    match code {
        200..=299 => Ok(()),
        407 => Err((
            "it asks for a name and a password: say HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT"
                .to_owned(),
            true,
        )),
        403 | 405 => Err((
            format!(
                "it does not connect to {target} (status {code}): ask whoever runs it to allow that, or name the host in NO_PROXY"
            ),
            true,
        )),
        _ => Err((format!("it could not connect to {target} (status {code})"), false)),
    }
}

impl Without {
    fn of(text: &str) -> Self {
        if text == "*" {
            return Self::All;
        }
        let network = text.split_once('/').and_then(|(address, bits)| {
            Some(Self::Network(address.parse().ok()?, bits.parse().ok()?))
        });
        let address = text.trim_start_matches('[').trim_end_matches(']').parse().ok();
        let address = address.map(|address: IpAddr| Self::Network(address, 128));
        network.or(address).unwrap_or_else(|| {
            let (domain, port) = match text.rsplit_once(':') {
                Some((domain, port)) => (domain, port.parse().ok()),
                None => (text, None),
            };
            Self::Domain(domain.trim_start_matches('.').to_ascii_lowercase(), port)
        })
    }

    fn has(&self, host: &str, port: u16) -> bool {
        match self {
            Self::All => true,
            Self::Domain(domain, at) => {
                let host = host.to_ascii_lowercase();
                let under = host.strip_suffix(&domain[..]);
                at.is_none_or(|at| at == port)
                    && under.is_some_and(|under| under.is_empty() || under.ends_with('.'))
            }
            Self::Network(network, bits) => {
                host.parse().is_ok_and(|host: IpAddr| share(host, *network, *bits))
            }
        }
    }
}

/// Whether the first bits of two addresses are the same.
fn share(one: IpAddr, other: IpAddr, bits: u8) -> bool {
    let (one, other, all) = match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            (u128::from(one.to_bits()) << 96, u128::from(other.to_bits()) << 96, 32)
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits(), other.to_bits(), 128),
        _ => return false,
    };
    let bits = u32::from(bits).min(all);
    bits == 0 || (one ^ other) >> (128 - bits) == 0
}

fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// A TCP connection to the first of the host's addresses that answers.
async fn direct(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for addr in lookup_host((host, port)).await? {
        last = match timeout(ONE_ADDRESS, TcpStream::connect(addr)).await {
            Ok(Ok(tcp)) => return Ok(tcp),
            Ok(Err(why)) => why,
            Err(_) => io::Error::new(ErrorKind::TimedOut, "no answer"),
        };
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    fn proxies(set: &[(&str, &str)]) -> Result<Proxies, String> {
        let get = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        Proxies::of(get)
    }

    #[test]
    fn the_environment_names_the_proxy_and_who_needs_none() {
        let without = "corp.example,.lab.example, db.example:5432 ,192.0.2.0/24,2001:db8::7,";
        let set = [("https_proxy", "http://proxy.example"), ("NO_PROXY", without)];
        let proxies = proxies(&set).expect("well formed");
        let is_direct = |host, port| proxies.way_to(host, port).is_none();
        for host in ["corp.example", "a.CORP.example", "x.lab.example", "192.0.2.9", "2001:db8::7"]
        {
            assert!(is_direct(host, 443), "{host}");
        }
        assert!(is_direct("localhost", 443) && is_direct("127.9.9.9", 1) && is_direct("::1", 1));
        assert!(is_direct("db.example", 5432) && !is_direct("db.example", 443));
        for host in ["xcorp.example", "example", "192.0.3.9", "2001:db8::8", "relay.example"] {
            assert!(!is_direct(host, 443), "{host}");
        }
    }

    #[test]
    fn a_proxy_is_read_or_said_to_be_none() {
        let named = |text| proxies(&[("HTTPS_PROXY", text)]);
        for (text, name, credentials) in [
            ("http://proxy.example:3128/", "proxy.example:3128", None),
            ("proxy.example", "proxy.example:8080", None),
            ("http://[2001:db8::1]:3128", "[2001:db8::1]:3128", None),
            ("http://me:p%40ss@proxy.example:1", "proxy.example:1", Some("me:p@ss")),
            ("http://me:a/b@proxy.example:1/x", "proxy.example:1", Some("me:a/b")),
        ] {
            let proxy = named(text).expect(text).proxy.expect("set");
            assert_eq!(proxy.name(), name);
            let encoded = credentials.map(|text| BASE64_STANDARD.encode(text));
            assert_eq!(proxy.credentials.as_deref().map(String::as_str), encoded.as_deref());
        }
        assert!(named("").expect("as if unset").proxy.is_none());
        for (text, said) in [
            ("socks5://proxy.example", "not socks5://"),
            ("https://proxy.example", "not https://"),
            ("http://:3128", "no host"),
            ("http://proxy.example:x", "no number"),
        ] {
            let why = named(text).err().expect(text);
            assert!(why.contains("HTTPS_PROXY") && why.contains(said), "{why}");
        }
        let both = [("ALL_PROXY", "socks5://a"), ("HTTPS_PROXY", "http://b")];
        assert_eq!(proxies(&both).expect("one is read").proxy.expect("set").name(), "b:8080");
    }

    /// What comes of a proxy that answers so, and what it was asked.
    async fn asked(answer: &'static [u8]) -> (Result<TcpStream, ReachError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let serving = tokio::spawn(async move {
            let (mut tcp, _) = listener.accept().await.expect("called");
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(tcp.read_u8().await.expect("a request"));
            }
            tcp.write_all(answer).await.expect("open");
            String::from_utf8(request).expect("ASCII")
        });
        let url = format!("http://me:secret@127.0.0.1:{port}");
        let proxies = proxies(&[("HTTPS_PROXY", &url)]).expect("well formed");
        let reached = proxies.reach("peer.example", 7000).await;
        (reached, serving.await.expect("served"))
    }

    #[tokio::test]
    async fn what_the_proxy_says_is_told_and_what_follows_is_the_peers() {
        let (reached, request) = asked(b"HTTP/1.1 200 Connection established\r\n\r\nhello").await;
        let mut tcp = reached.expect("connected");
        let mut heard = [0; 5];
        tcp.read_exact(&mut heard).await.expect("all of it");
        assert_eq!(&heard, b"hello");
        let credentials = BASE64_STANDARD.encode("me:secret");
        assert_eq!(
            request,
            format!(
                "CONNECT peer.example:7000 HTTP/1.1\r\nHost: peer.example:7000\r\nProxy-Authorization: Basic {credentials}\r\n\r\n"
            )
        );
        for (answer, said, stays) in [
            (&b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"[..], "NAME:PASSWORD", true),
            (b"HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\n", "to allow that", true),
            (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", "status 502", false),
            (b"SSH-2.0-server\r\n\r\n", "not HTTP", true),
            (b"HTTP/1.1 20", "broke", false),
        ] {
            match asked(answer).await.0 {
                Err(ReachError::Proxy { why, is_final, .. }) => {
                    assert!(why.contains(said) && !why.contains("secret"), "{why}");
                    assert_eq!(is_final, stays, "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
