//! What a service tells whoever watches it, in the Prometheus text format, over HTTP on this machine alone.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use veilset_net::{Event, Note, Parting};

use crate::{About, Refusal};

/// How long a scraper may take for its whole request, and then for the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The pause after the system refused to accept a connection.
const BREATH: Duration = Duration::from_millis(100);

/// The longest request in bytes.
const LONGEST: usize = 8192;

/// Counts since the service started. Nothing here is of one client, or of an item.
#[derive(Default)]
pub struct Metrics {
    items: AtomicU64,
    answered: AtomicU64,
    /// Microseconds.
    answering: AtomicU64,
    refused: [AtomicU64; REFUSALS.len()],
    joined: AtomicU64,
    parted: [AtomicU64; PARTINGS.len()],
    strangers: AtomicU64,
    loads: AtomicU64,
    failed_loads: AtomicU64,
}

const REFUSALS: [&str; 5] = ["quota", "moved", "malformed", "forbidden", "release"];
const PARTINGS: [&str; 6] = ["done", "sent_away", "idle", "stuck", "fault", "bug"];

impl Metrics {
    pub(crate) fn answered(&self, items: u64, time: Duration) {
        self.answered.fetch_add(1, Relaxed);
        self.items.fetch_add(items, Relaxed);
        self.answering.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(crate) fn refused(&self, refusal: Refusal) {
        // Those that are not among them are counted as partings.
        if let Some(place) = REFUSALS.iter().position(|code| *code == refusal.code()) {
            self.refused[place].fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn note(&self, note: &Note) {
        match note {
            Note::Joined(_) => self.joined.fetch_add(1, Relaxed),
            Note::Caller(Event::StrangersRefused { count, .. }) => {
                self.strangers.fetch_add(*count, Relaxed)
            }
            Note::Caller(Event::StrangerRefused { .. }) => self.strangers.fetch_add(1, Relaxed),
            Note::Caller(_) => 0,
            Note::Left(_, parting) => {
                let place = match parting {
                    Parting::Done => 0,
                    Parting::Sent(_) => 1,
                    Parting::Idle => 2,
                    Parting::Stuck => 3,
                    Parting::Fault(_) => 4,
                    Parting::Bug => 5,
                };
                self.parted[place].fetch_add(1, Relaxed)
            }
        };
    }

    /// Counts a list that was read again, or could not be.
    pub fn loaded(&self, well: bool) {
        let counter = if well { &self.loads } else { &self.failed_loads };
        counter.fetch_add(1, Relaxed);
    }

    /// All of it in the text format, version 0.0.4.
    #[must_use]
    pub fn render(&self, about: &About) -> String {
        let mut page = Page(String::new());
        let parted: u64 = self.parted.iter().map(|count| count.load(Relaxed)).sum();
        let clients = self.joined.load(Relaxed).saturating_sub(parted);
        page.one("clients", "gauge", "Clients that are connected.", clients);
        page.one("list_items", "gauge", "Items on the list.", about.items);
        page.one("list_version", "gauge", "The list's version.", about.version);
        page.counter("connections_total", "Clients that connected.", &self.joined);
        page.counter("strangers_total", "Callers that were turned away.", &self.strangers);
        page.counter("items_total", "Items that were asked for and answered.", &self.items);
        page.counter("loads_total", "Lists that were read again.", &self.loads);
        page.counter("failed_loads_total", "Lists that could not be.", &self.failed_loads);
        page.many("refused_total", "Requests that were refused.", &REFUSALS, &self.refused);
        page.many("parted_total", "Connections that ended.", &PARTINGS, &self.parted);
        let seconds = self.answering.load(Relaxed) as f64 / 1e6;
        page.summary("answer_seconds", "Time on answers.", seconds, self.answered.load(Relaxed));
        page.0
    }
}

struct Page(String);

impl Page {
    fn one(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.line(format_args!("veilset_lookup_{name} {value}"));
    }

    fn counter(&mut self, name: &str, help: &str, value: &AtomicU64) {
        self.one(name, "counter", help, value.load(Relaxed));
    }

    fn many(&mut self, name: &str, help: &str, labels: &[&str], values: &[AtomicU64]) {
        self.head(name, "counter", help);
        for (label, value) in labels.iter().zip(values) {
            let value = value.load(Relaxed);
            self.line(format_args!("veilset_lookup_{name}{{why=\"{label}\"}} {value}"));
        }
    }

    fn summary(&mut self, name: &str, help: &str, sum: f64, count: u64) {
        self.head(name, "summary", help);
        self.line(format_args!("veilset_lookup_{name}_sum {sum}"));
        self.line(format_args!("veilset_lookup_{name}_count {count}"));
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP veilset_lookup_{name} {help}"));
        self.line(format_args!("# TYPE veilset_lookup_{name} {kind}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Text takes everything.
        let _ = writeln!(self.0, "{line}");
    }
}

/// Answers `GET /metrics` at an address of this machine, on a thread of its own, as long as the program runs; returns the
/// address, whose port 0 stands for any free one.
///
/// # Errors
/// When the address is not a loopback one, or cannot be listened on.
pub fn serve_metrics(
    addr: SocketAddr,
    render: impl Fn() -> String + Send + 'static,
) -> io::Result<SocketAddr> {
    if !addr.ip().is_loopback() {
        let why = "metrics are for this machine: give 127.0.0.1:PORT or [::1]:PORT";
        return Err(io::Error::new(ErrorKind::InvalidInput, why));
    }
    let listener = TcpListener::bind(addr)?;
    let addr = listener.local_addr()?;
    let serve = move || {
        for caller in listener.incoming() {
            match caller {
                // A scraper that goes away, or is slow, gets nothing.
                Ok(caller) => drop(answer(caller, &render)),
                // The system is short of something, which an attempt at once would not find otherwise.
                Err(_) => thread::sleep(BREATH),
            }
        }
    };
    thread::Builder::new().name("veilset-metrics".to_owned()).spawn(serve)?;
    Ok(addr)
}

fn answer(mut caller: TcpStream, render: &impl Fn() -> String) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST {
        // A timeout of nothing is an error, which ends this.
        let left = deadline.saturating_duration_since(Instant::now());
        caller.set_read_timeout(Some(left))?;
        match caller.read(&mut part)? {
            0 => break,
            more => request.extend_from_slice(&part[..more]),
        }
    }
    // The page fits into what the system keeps for a connection, so that this waits once at most.
    caller.set_write_timeout(Some(PATIENCE))?;
    let (status, body) = if request.starts_with(b"GET /metrics ") {
        ("200 OK", render())
    } else {
        ("404 Not Found", "there is /metrics\n".to_owned())
    };
    write!(
        caller,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_scraper_that_drips_is_not_waited_for() {
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let addr = serve_metrics(addr, || "page".to_owned()).expect("a free port");
        let mut slow = TcpStream::connect(addr).expect("it listens");
        let mut quick = TcpStream::connect(addr).expect("it listens");
        quick.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").expect("open");
        let started = Instant::now();
        let drip = thread::spawn(move || {
            // A byte each quarter of a second: no pause is long.
            while slow.write_all(b"G").is_ok() && started.elapsed() < 10 * PATIENCE {
                thread::sleep(PATIENCE / 8);
            }
        });
        let mut answer = String::new();
        quick.read_to_string(&mut answer).expect("it answers and closes");
        assert!(answer.ends_with("page") && started.elapsed() < 3 * PATIENCE);
        drip.join().expect("its connection was closed");
    }

    #[test]
    fn a_page_is_served_here_alone() {
        let everywhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let refused = serve_metrics(everywhere, String::new).expect_err("not loopback");
        assert_eq!(refused.kind(), ErrorKind::InvalidInput);
        let metrics = Metrics::default();
        metrics.answered(3, Duration::from_millis(1500));
        metrics.refused(Refusal::Quota(1));
        let about = About { protocol: "oprf-filter", version: 7, items: 1000 };
        let text = metrics.render(&about);
        let page = text.clone();
        let addr = serve_metrics(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), move || page.clone());
        let ask = |line: &str| {
            let mut stream = TcpStream::connect(addr.as_ref().expect("free")).expect("it listens");
            stream.write_all(line.as_bytes()).expect("open");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("it answers and closes");
            answer
        };
        let answer = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with(&text));
        assert!(ask("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
        for line in [
            "veilset_lookup_items_total 3",
            "veilset_lookup_list_version 7",
            "veilset_lookup_answer_seconds_sum 1.5",
            "veilset_lookup_refused_total{why=\"quota\"} 1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} in {text}");
        }
    }
}
