//! `HOST:PORT`, and what people write instead.

use veilset_reach::RelayUrl;

use crate::NetError;

/// What an address is for; it decides what is proposed instead of a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An address of this machine.
    Listen,
    /// The peer's.
    Connect,
}

/// The relay that a URL names.
///
/// # Errors
/// [`NetError::Relay`], with the next step.
pub(crate) fn relay_url(given: &str) -> Result<RelayUrl, NetError> {
    let url = given.parse();
    url.map_err(|why| NetError::Relay { given: given.escape_default().to_string(), why })
}

/// What is proposed when nothing better is known.
const FORM: &str = "give HOST:PORT, such as 203.0.113.7:7000 or [2001:db8::7]:7000";

/// Splits `HOST:PORT`; an IPv6 host stands in brackets.
///
/// # Errors
/// [`NetError::Address`], with the next step.
pub(crate) fn host_and_port(given: &str, purpose: Purpose) -> Result<(&str, u16), NetError> {
    split(given, purpose)
        .map_err(|why| NetError::Address { given: given.escape_default().to_string(), why })
}

fn split(given: &str, purpose: Purpose) -> Result<(&str, u16), String> {
    if let Some((_, rest)) = given.split_once("://") {
        return Err(not_a_url(rest, purpose));
    }
    if let Some(port) = port(given) {
        return Err(format!("it is a port without a host; {}", hosts_for(port, purpose)));
    }
    let with_form = |why: &str| format!("{why}; {FORM}");
    let (host, digits) = given.rsplit_once(':').ok_or_else(|| with_form("it has no port"))?;
    let port = port(digits).ok_or_else(|| with_form("its port is not a number up to 65535"))?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bare.unwrap_or(host) {
        "" | "*" => Err(format!("it has no host; {}", hosts_for(port, purpose))),
        host if bare.is_none() && host.contains(':') => {
            Err(with_form("an IPv6 address stands in brackets"))
        }
        host if host.chars().any(|c| c.is_whitespace() || c.is_control() || c == '/') => {
            Err(with_form("its host is not a name or number"))
        }
        _ if port == 0 && purpose == Purpose::Connect => {
            Err(with_form("nobody listens on port 0; ask the peer for the port"))
        }
        host => Ok((host, port)),
    }
}

/// Digits alone: `parse` would take a sign as well.
fn port(digits: &str) -> Option<u16> {
    digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn hosts_for(port: u16, purpose: Purpose) -> String {
    match purpose {
        Purpose::Listen => format!(
            "say 0.0.0.0:{port} to accept from anywhere, 127.0.0.1:{port} from this machine alone"
        ),
        Purpose::Connect => {
            format!("say HOST:{port}, where HOST is the name or number of the peer's machine")
        }
    }
}

/// `rest` is what follows the scheme.
fn not_a_url(rest: &str, purpose: Purpose) -> String {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match split(authority, purpose) {
        Ok(_) => format!("it is a URL; say {} alone", authority.escape_default()),
        Err(_) => format!("it is a URL; {FORM}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Endpoint};

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for (given, want) in [
            ("example.org:7000", ("example.org", 7000)),
            ("127.0.0.1:0", ("127.0.0.1", 0)),
            ("[::1]:65535", ("::1", 65535)),
        ] {
            assert_eq!(host_and_port(given, Purpose::Listen).expect("good"), want);
        }
    }

    /// What is said of a wrong address on each side.
    fn said(given: &str) -> [String; 2] {
        [Endpoint::Listen(given.to_owned()), Endpoint::Connect(given.to_owned())].map(|endpoint| {
            let error = endpoint.check().expect_err(given);
            assert_eq!(error.class(), Class::Input);
            error.to_string()
        })
    }

    #[test]
    fn every_wrong_address_gets_a_next_step() {
        for given in [
            "",
            "host",
            "host:",
            "host:65536",
            "host:+7",
            "::1",
            "::1:7000",
            "a b:1",
            "70000",
            "http://",
            "http://x",
            "ssh://a b:1",
            "a/b:1",
        ] {
            for text in said(given) {
                assert!(text.ends_with(FORM), "{text}");
            }
        }
        assert!(!said("\u{1b}[31m:1")[0].contains('\u{1b}'));
        assert!(!said("x://\u{1b}:1")[0].contains('\u{1b}'));
    }

    #[test]
    fn a_bare_port_gets_a_host_proposed() {
        for given in ["7000", ":7000", "*:7000", "[]:7000"] {
            let [listen, connect] = said(given);
            assert!(listen.contains("0.0.0.0:7000 to accept from anywhere"), "{listen}");
            assert!(listen.contains("127.0.0.1:7000 from this machine"), "{listen}");
            assert!(connect.contains("say HOST:7000"), "{connect}");
        }
    }

    #[test]
    fn a_url_loses_its_scheme() {
        for given in ["http://host:1", "https://host:1/", "tcp://host:1/path?x=1"] {
            for text in said(given) {
                assert!(text.ends_with("it is a URL; say host:1 alone"), "{text}");
            }
        }
    }

    #[test]
    fn port_0_is_for_listening() {
        assert!(Endpoint::Listen("127.0.0.1:0".to_owned()).check().is_ok());
        let refused = Endpoint::Connect("127.0.0.1:0".to_owned()).check().expect_err("port 0");
        assert!(refused.to_string().contains("ask the peer for the port"), "{refused}");
    }
}
