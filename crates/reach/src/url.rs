//! Where a relay is.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;

/// What is proposed in the place of a wrong one.
const FORM: &str = "give wss://HOST, wss://HOST:PORT or wss://HOST/PATH";

/// A relay, and the name of a meeting there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayUrl {
    pub(crate) is_secure: bool,
    /// Without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) path: String,
    meeting: String,
}

impl RelayUrl {
    /// What stands behind `#`, which the relay never sees: with it two parties keep meetings apart that happen at once.
    #[must_use]
    pub fn meeting(&self) -> &str {
        &self.meeting
    }

    /// `HOST:PORT`, as HTTP has it.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl FromStr for RelayUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (text, meeting) = text.split_once('#').unwrap_or((text, ""));
        let is_name = |c: char| !c.is_control() && !c.is_whitespace() && c != '#';
        if !meeting.chars().all(is_name) || meeting.len() > 64 {
            return Err(
                "what stands behind # has at most 64 bytes, no spaces, and no other #".to_owned()
            );
        }
        let uri: Uri = text.parse().map_err(|why| format!("it is no URL ({why}); {FORM}"))?;
        let is_secure = match uri.scheme_str() {
            Some("wss") => true,
            Some("ws") => false,
            Some("https") => return Err("say wss:// in the place of https://".to_owned()),
            _ => return Err(format!("it does not begin with wss://; {FORM}")),
        };
        let authority = uri.authority().ok_or_else(|| format!("it has no host; {FORM}"))?;
        if authority.as_str().contains('@') {
            return Err("a relay has no users: leave out what stands before @".to_owned());
        }
        if uri.query().is_some() {
            return Err("a relay's URL has nothing behind a question mark".to_owned());
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(format!("it has no host; {FORM}"));
        }
        if !is_secure && !is_this_machine(&host) {
            return Err(format!(
                "ws:// is for a relay on this machine alone, since anybody on the way sees who meets: say wss://{}",
                authority.as_str()
            ));
        }
        let usual = if is_secure { 443 } else { 80 };
        let port = match &authority.as_str()[authority.host().len()..] {
            "" => Some(usual),
            rest => rest[1..].parse().ok().filter(|port| *port != 0),
        };
        let port =
            port.ok_or_else(|| format!("its port is not a number from 1 to 65535; {FORM}"))?;
        let path = uri.path().to_owned();
        Ok(Self { is_secure, host, port, path, meeting: meeting.to_owned() })
    }
}

impl fmt::Display for RelayUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.is_secure { ("wss", 443) } else { ("ws", 80) };
        let authority = self.authority();
        let short = authority.strip_suffix(&format!(":{usual}")).unwrap_or(&authority);
        let path = if self.path == "/" { "" } else { &self.path };
        let name = if self.meeting.is_empty() { "" } else { "#" };
        write!(f, "{scheme}://{short}{path}{name}{}", self.meeting)
    }
}

/// Whether a host is this machine, whatever a name server says.
pub(crate) fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|ip: IpAddr| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_is_where_its_url_says() {
        for (text, secure, host, port, path, meeting, shown) in [
            ("wss://relay.example", true, "relay.example", 443, "/", "", "wss://relay.example"),
            (
                "wss://relay.example:443/",
                true,
                "relay.example",
                443,
                "/",
                "",
                "wss://relay.example",
            ),
            (
                "wss://r.example:8443/a/b#x",
                true,
                "r.example",
                8443,
                "/a/b",
                "x",
                "wss://r.example:8443/a/b#x",
            ),
            (
                "wss://[2001:db8::7]:7000",
                true,
                "2001:db8::7",
                7000,
                "/",
                "",
                "wss://[2001:db8::7]:7000",
            ),
            ("ws://127.0.0.1:7000", false, "127.0.0.1", 7000, "/", "", "ws://127.0.0.1:7000"),
            ("ws://localhost", false, "localhost", 80, "/", "", "ws://localhost"),
        ] {
            let url: RelayUrl = text.parse().expect(text);
            let RelayUrl { is_secure, host: h, port: p, path: at, meeting: m } = &url;
            assert_eq!(
                (*is_secure, &h[..], *p, &at[..], &m[..]),
                (secure, host, port, path, meeting)
            );
            assert_eq!(url.to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_relay_gets_a_next_step() {
        for (text, said) in [
            ("relay.example:443", "wss://HOST"),
            ("https://relay.example", "in the place of https://"),
            ("wss://relay.example#a#b", "no other #"),
            ("", "wss://HOST"),
            ("wss://", "wss://HOST"),
            ("wss://host:0", "1 to 65535"),
            ("wss://host:70000", "1 to 65535"),
            ("wss://host:", "1 to 65535"),
            ("ws://relay.example", "say wss://relay.example"),
            ("wss://me@relay.example", "no users"),
            ("wss://relay.example?x", "question mark"),
            ("wss://relay.example#a b", "no spaces"),
        ] {
            let why = text.parse::<RelayUrl>().expect_err(text);
            assert!(why.contains(said), "{text}: {why}");
        }
    }
}
