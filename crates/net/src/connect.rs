//! The side that goes to the other.

use std::io::{self, ErrorKind};
use std::time::Duration;

use aws_lc_rs::rand;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{sleep, timeout};
use veilset_party::{Identity, PublicKey};

use crate::address::{Purpose, host_and_port};
use crate::connection::{background, runtime};
use crate::handshake::{self, Connected, Failure, VERSION};
use crate::tls::{self, PinnedKey};
use crate::{Event, NetError, Options, TlsTransport};

/// The pause after the first failed attempt; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How long one address of a host may take to answer.
const ONE_ADDRESS: Duration = Duration::from_secs(5);

/// Goes to `HOST:PORT` until the peer is there, whose key is `peer`.
///
/// # Errors
/// [`NetError::WrongKey`], [`NetError::RefusedByPeer`], [`NetError::NotVeilset`] and [`NetError::OtherVersion`] at once;
/// [`NetError::Unreachable`] at the deadline.
///
/// # Panics
/// When called inside an asynchronous runtime.
pub fn connect(
    identity: &Identity,
    peer: &PublicKey,
    addr: &str,
    options: &Options,
    events: &dyn Fn(Event),
) -> Result<TlsTransport, NetError> {
    if identity.public_key() == *peer {
        return Err(NetError::OwnKey);
    }
    let caller =
        Caller { identity, peer: *peer, target: host_and_port(addr, Purpose::Connect)?, addr };
    let runtime = runtime()?;
    let mut last = "it does not answer".to_owned();
    let seeking = async {
        let seeking = timeout(options.deadline, caller.seek(events, &mut last));
        let found = tokio::select! {
            biased;
            () = options.stop.stopped() => return Err(NetError::Stopped),
            found = seeking => found,
        };
        match found {
            Ok(found) => found,
            Err(_) => Err(NetError::Unreachable {
                addr: addr.to_owned(),
                waited: options.deadline,
                why: last,
            }),
        }
    };
    match runtime.block_on(seeking) {
        Ok(connected) => {
            events(Event::Connected { addr: connected.addr });
            background(runtime, connected, options.clone())
        }
        Err(error) => {
            // A name server that does not answer must not hold this up.
            runtime.shutdown_background();
            Err(error)
        }
    }
}

struct Caller<'a> {
    identity: &'a Identity,
    peer: PublicKey,
    target: (&'a str, u16),
    addr: &'a str,
}

/// An attempt that failed.
enum Failed {
    /// The peer may come yet.
    ForNow(String),
    ForGood(NetError),
}

impl Caller<'_> {
    async fn seek(&self, events: &dyn Fn(Event), last: &mut String) -> Result<Connected, NetError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let why = match self.attempt().await {
                Ok(connected) => return Ok(connected),
                Err(Failed::ForGood(error)) => return Err(error),
                Err(Failed::ForNow(why)) => why,
            };
            last.clone_from(&why);
            let wait = jittered(pause);
            events(Event::Retrying { addr: self.addr.to_owned(), why, wait });
            sleep(wait).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    async fn attempt(&self) -> Result<Connected, Failed> {
        let (host, port) = self.target;
        let tcp = reach(host, port).await.map_err(|why| match why.kind() {
            ErrorKind::PermissionDenied | ErrorKind::Unsupported => {
                Failed::ForGood(NetError::System(why))
            }
            _ => Failed::ForNow(why.to_string()),
        })?;
        let pin = PinnedKey::new(self.peer);
        let config = tls::client(self.identity, &pin);
        let own = self.identity.public_key();
        handshake::as_client(config, &pin, own, tcp).await.map_err(|failure| self.judge(failure))
    }

    fn judge(&self, failure: Failure) -> Failed {
        let addr = self.addr.to_owned();
        Failed::ForGood(match failure {
            Failure::Gone(why) => {
                return Failed::ForNow(format!(
                    "it closed the connection during the handshake ({why})"
                ));
            }
            Failure::TooSlow => {
                return Failed::ForNow("it accepts connections but does not answer".to_owned());
            }
            Failure::OtherKey(got) => NetError::WrongKey { addr, expected: self.peer, got },
            Failure::Refused => NetError::RefusedByPeer { addr, own: self.identity.public_key() },
            Failure::Alien(why) => NetError::NotVeilset { addr, why },
            Failure::OtherVersion(theirs) => NetError::OtherVersion { addr, ours: VERSION, theirs },
        })
    }
}

/// A TCP connection to the first of the host's addresses that answers.
async fn reach(host: &str, port: u16) -> io::Result<TcpStream> {
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

/// Between half of `pause` and all of it, so that many parties do not come in step.
fn jittered(pause: Duration) -> Duration {
    let mut byte = [0];
    rand::fill(&mut byte).expect("the operating system gives randomness");
    pause.mul_f64(0.5 + f64::from(byte[0]) / 510.0)
}
