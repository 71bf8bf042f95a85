//! The page that a relay shows.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
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

    /// The lines before the body of an answer, in small letters.
    fn head(&mut self, head: &str) -> Vec<String> {
        write!(self.to, "{head} HTTP/1.1\r\nhost: relay\r\n\r\n").expect("it reads");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| line != "\r\n") {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).expect("an answer"), 0, "{lines:?}");
            lines.push(line.to_lowercase());
        }
        lines
    }

    fn ask(&mut self, head: &str) -> Told {
        let lines = self.head(head);
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

/// A relay that shows two files.
fn relay() -> Running {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["index.html", "main.js"] {
        fs::write(folder.path().join(name), format!("this is {name}")).expect("writable");
    }
    let page = Arc::new(Page::read(folder.path()).expect("a page"));
    Running::at("127.0.0.1:0", |options| options.page = Some(page))
}

#[test]
fn files_go_over_one_connection_until_somebody_asks_for_something_else() {
    let relay = relay();
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

#[test]
fn a_host_that_sends_no_headers_gets_those_of_a_relay_from_the_page() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../browser/page/isolate.js");
    let script = fs::read_to_string(script).expect("the page's").to_lowercase();
    // As one line, and texts that go on as one text.
    let script = script.split_whitespace().collect::<Vec<_>>().join(" ").replace("\" + \"", "");
    let relay = relay();
    let head = Caller::new(&relay).head("GET /");
    let isolates = |name: &str| {
        name.starts_with("cross-origin-")
            || ["content-security-policy", "x-content-type-options"].contains(&name)
    };
    let lines = head.iter().filter_map(|line| line.trim().split_once(": "));
    let wanted: Vec<_> = lines.filter(|(name, _)| isolates(name)).collect();
    assert_eq!(wanted.len(), 5, "{head:?}");
    for (name, value) in wanted {
        assert!(script.contains(&format!("\"{name}\": \"{value}\"")), "{name}: {value}");
    }
}
