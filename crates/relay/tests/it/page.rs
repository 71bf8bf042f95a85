//! The page that a relay shows.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use veilset_relay::Page;

use crate::support::{LONG, Running};

/// A caller by hand.
struct Caller {
    to: TcpStream,
    from: BufReader<TcpStream>,
}

/// The first line of an answer, whether the connection ends after it, and its body.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    status: String,
    is_last: bool,
    body: String,
}

impl Caller {
    fn new(relay: &Running) -> Self {
        let to = TcpStream::connect(relay.addr).expect("it listens");
        to.set_read_timeout(Some(LONG)).expect("a time");
        let from = BufReader::new(to.try_clone().expect("a second handle"));
        Self { to, from }
    }

    fn ask(&mut self, head: &str) -> Told {
        write!(self.to, "{head} HTTP/1.1\r\nhost: relay\r\n\r\n").expect("it reads");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| line != "\r\n") {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).expect("an answer"), 0, "{lines:?}");
            lines.push(line.to_lowercase());
        }
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.expect("said").trim().parse().expect("a number")];
        self.from.read_exact(&mut body).expect("whole");
        Told {
            status: lines[0].trim().to_owned(),
            is_last: lines.iter().any(|line| line.trim() == "connection: close"),
            body: String::from_utf8(body).expect("text"),
        }
    }
}

#[test]
fn files_go_over_one_connection_until_somebody_asks_for_something_else() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["index.html", "main.js"] {
        fs::write(folder.path().join(name), format!("this is {name}")).expect("writable");
    }
    let page = Arc::new(Page::read(folder.path()).expect("a page"));
    let relay = Running::at("127.0.0.1:0", |options| options.page = Some(page));
    let mut caller = Caller::new(&relay);
    let shown = |name: &str, is_last| Told {
        status: "http/1.1 200 ok".to_owned(),
        is_last,
        body: format!("this is {name}"),
    };
    assert_eq!(caller.ask("GET /"), shown("index.html", false));
    assert_eq!(caller.ask("GET /main.js"), shown("main.js", false));
    let none = caller.ask("GET /other.js");
    assert_eq!((none.status.as_str(), none.is_last), ("http/1.1 404 not found", true));

    let mut caller = Caller::new(&relay);
    let posted = caller.ask("POST /");
    assert_eq!((posted.status.as_str(), posted.is_last), ("http/1.1 426 upgrade required", true));

    // One connection does not serve for ever.
    let mut caller = Caller::new(&relay);
    let shown = (1..).find(|_| caller.ask("GET /main.js").is_last);
    assert_eq!(shown, Some(128));
}
