//! A page's caller over HTTP, with whatever headers a test wants.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// An answer over HTTP.
pub struct HttpAnswer {
    /// The status of HTTP.
    pub status: u16,
    /// The lines before the body.
    pub head: String,
    /// The rest.
    pub body: String,
}

impl HttpAnswer {
    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.head);
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// What a page's tab sends its secret in.
const HEADER: &str = "x-veilset-page";

/// A caller at one host: its secret, if it has one.
pub struct HttpClient {
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// What it sends along.
    pub secret: String,
}

impl HttpClient {
    /// Opens a page's address as the page's script does; returns the client and the token.
    #[must_use]
    pub fn open(address: &str) -> (Self, String) {
        let rest = address.strip_prefix("http://").expect("HTTP");
        let (host, token) = rest.split_once("/#").expect("a token");
        let mut client = Self { host: host.to_owned(), secret: token.to_owned() };
        let answer = client.post("/enter", "");
        assert_eq!(answer.status, 200, "{}", answer.head);
        client.secret = answer.body;
        (client, token.to_owned())
    }

    /// Gets a path.
    #[must_use]
    pub fn get(&self, path: &str) -> HttpAnswer {
        self.ask("GET", path, &[], "")
    }

    /// Sends to a path as the page itself does.
    #[must_use]
    pub fn post(&self, path: &str, body: &str) -> HttpAnswer {
        self.ask("POST", path, &[&format!("Origin: http://{}", self.host)], body)
    }

    /// One request; `headers` replace the host's where they name it.
    #[must_use]
    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> HttpAnswer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            request.push_str(&format!("Host: {}\r\n", self.host));
        }
        if !self.secret.is_empty() {
            request.push_str(&format!("{HEADER}: {}\r\n", self.secret));
        }
        headers.iter().for_each(|header| request.push_str(&format!("{header}\r\n")));
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        let mut stream = TcpStream::connect(&self.host).expect("the page is there");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers in text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        HttpAnswer {
            status: status.expect("a status"),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }
}
