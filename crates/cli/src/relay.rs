//! `veilset relay`: where parties meet of which neither can be reached.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use clap::{Args, value_parser};
use veilset::net::Stop;
use veilset::net::signals::{self, Wish};
use veilset::relay::{Certificates, Limits, Note, Options, Page, Relay, RelayError};
use veilset::{json, voice};

use crate::args::{MACHINE, Talk};
use crate::error::Failure;
use crate::operation::all_cores;
use crate::units::{self, show_bytes, show_duration};

/// The heading of what bounds callers.
const LIMITS: &str = "Limits";

#[derive(Args)]
pub(crate) struct RelayArgs {
    /// Take callers at this address
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    /// The relay's certificate with its chain, in PEM form; veilset reads it again at SIGHUP [default: plain ws://, for this
    /// machine or behind a proxy that ends TLS]
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// The certificate's key, in PEM form
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// Every caller is a proxy, which says in X-Forwarded-For who called it
    #[arg(long)]
    behind_proxy: bool,
    /// Show the page for parties with only a browser, which `make page` puts in a folder, to whoever opens the relay's address
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
    /// Serve metrics for Prometheus at this address of this machine, such as 127.0.0.1:9100
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
    /// How long a relay that stops lets those go on who have met
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = units::duration)]
    grace: Duration,
    /// The most rooms at once; in one are two parties, or one that waits
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 4096, value_parser = value_parser!(u32).range(1..=100_000))]
    rooms: u32,
    /// The most connections at once from one IPv4 address, or one IPv6 network of 64 bits
    #[arg(long, help_heading = LIMITS, value_name = "N", default_value_t = 256, value_parser = value_parser!(u32).range(1..))]
    connections: u32,
    /// The most bytes through one room, both ways together, such as 10GB [default: any number]
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", value_parser = some_bytes)]
    most: Option<u64>,
    /// The most bytes a second in each direction of a room, such as 10MB [default: any number]
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", value_parser = some_bytes)]
    rate: Option<u64>,
    /// Close a room through which nothing goes for this long; parties give a sign of life every 5 s
    #[arg(long, help_heading = LIMITS, value_name = "DURATION", default_value = "60s", value_parser = units::duration)]
    idle: Duration,
    /// Threads [default: all cores]
    #[arg(long, help_heading = MACHINE, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
}

/// A number of bytes that is not 0.
fn some_bytes(text: &str) -> Result<u64, String> {
    units::bytes(text).and_then(|bytes| match bytes {
        0 => Err("more than 0 bytes are needed".to_owned()),
        some => Ok(some),
    })
}

/// Brings callers together until it is stopped.
pub(crate) fn run(args: &RelayArgs, talk: &Talk) -> Result<(), Failure> {
    let certificates = match (&args.certificate, &args.key) {
        (Some(chain), Some(key)) => Some(Certificates::read(chain, key)?),
        _ => None,
    };
    let page = args.page.as_deref().map(Page::read).transpose()?.map(Arc::new);
    let relay = Relay::bind(&args.listen)?;
    let addr = relay.local_addr();
    let log = Log { quiet: talk.quiet, verbose: talk.verbose };
    let (stop, now) = (Stop::new(), Stop::new());
    heed(&stop, &now, certificates.clone(), log)?;
    let scheme = if certificates.is_some() { "wss" } else { "ws" };
    log.say(&format!("parties meet at {addr} ({scheme}://), until ctrl-c"));
    if certificates.is_none() && !args.behind_proxy && !addr.ip().is_loopback() {
        log.warn(
            "without --certificate parties on other machines cannot come, unless a proxy before this relay ends TLS: then say --behind-proxy",
        );
    }
    let options = Options {
        limits: Limits {
            rooms: args.rooms as usize,
            connections_of_a_source: args.connections as usize,
            bytes: args.most,
            rate: args.rate,
            idle: args.idle,
        },
        certificates,
        behind_proxy: args.behind_proxy,
        page,
        metrics: args.metrics,
        threads: args.threads.unwrap_or_else(all_cores),
        grace: args.grace,
    };
    relay.serve(&options, &stop, &now, move |note| log.note(note))?;
    log.say("stopped");
    Ok(())
}

/// What the operator is told: lines with the time (UTC).
#[derive(Clone, Copy)]
struct Log {
    quiet: bool,
    verbose: bool,
}

impl Log {
    fn say(self, line: &str) {
        if !self.quiet {
            voice::say(format_args!("{} {line}", json::time(SystemTime::now())));
        }
    }

    fn warn(self, line: &str) {
        voice::say(format_args!("{} warning: {line}", json::time(SystemTime::now())));
    }

    fn note(self, note: Note) {
        match note {
            Note::Metrics(addr) => self.say(&format!("metrics at http://{addr}/metrics")),
            Note::Met if self.verbose => self.say("two have met"),
            Note::Met => {}
            Note::Parted { bytes, time, why } => {
                let (bytes, time) = (show_bytes(bytes as f64), show_duration(time));
                self.say(&format!("two have parted after {time} and {bytes}: {why}"));
            }
        }
    }
}

/// Has signals heard. The first that asks for an end lets those go on for a while who have met, the second does not.
fn heed(
    stop: &Stop,
    now: &Stop,
    certificates: Option<Arc<Certificates>>,
    log: Log,
) -> Result<(), Failure> {
    let (stop, now, stopping) = (stop.clone(), now.clone(), AtomicBool::new(false));
    let heard = move |wish| match wish {
        Wish::Reload => match certificates.as_ref().map(|ours| ours.read_again()) {
            Some(Err(why)) => log.warn(&format!("{why}; the certificate stays as it was")),
            Some(Ok(())) => log.say("the certificate was read again"),
            None => {}
        },
        Wish::Stop(_) if !stopping.swap(true, Relaxed) => {
            log.say("stopping: those who have met may go on for a while");
            stop.stop();
        }
        Wish::Stop(code) if now.is_stopped() => process::exit(code.into()),
        Wish::Stop(_) => now.stop(),
    };
    signals::listen(heard).map_err(|why| Failure::Service { what: "listen for signals", why })
}

impl From<RelayError> for Failure {
    fn from(error: RelayError) -> Self {
        match error {
            RelayError::System(why) => Self::Service { what: "serve as a relay", why },
            other => Self::Flags(other.to_string()),
        }
    }
}
