//! The side that goes to the other.

use std::io::{self, ErrorKind};
use std::time::Duration;

use aws_lc_rs::rand;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{sleep, timeout};
use veilset_party::{Identity, PublicKey};

use crate::address::{Purpose, host_and_port};
use crate::comeback::Back;
use crate::connection::{background, runtime};
use crate::handshake::{self, Connected, Failure, Place, Standing, VERSION};
use crate::tls::{self, OwnKey, PinnedKey};
use crate::{Event, NetError, Options, TlsTransport};

/// The pause after the first failed attempt; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The pause after the first attempt to come back that failed: the other end hears at about the same time that the connection is
/// lost.
const RETURNING: Duration = Duration::from_millis(10);

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
    seek(identity, peer, addr, options, events, false)
}

/// As [`connect`]; what is sent may go on over another connection if it is `lasting`.
pub(crate) fn seek(
    identity: &Identity,
    peer: &PublicKey,
    addr: &str,
    options: &Options,
    events: &dyn Fn(Event),
    lasting: bool,
) -> Result<TlsTransport, NetError> {
    if identity.public_key() == *peer {
        return Err(NetError::OwnKey);
    }
    let (host, port) = host_and_port(addr, Purpose::Connect)?;
    let (host, own) = (host.to_owned(), OwnKey::of(identity));
    let caller = Caller { own, peer: *peer, host, port, addr: addr.to_owned() };
    let standing = Standing::of(lasting, options);
    let runtime = runtime()?;
    let mut last = "it does not answer".to_owned();
    let seeking = async {
        let seeking = timeout(options.deadline, caller.seek(standing, events, &mut last));
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
            let back = lasting.then_some(Back::Caller(caller));
            background(runtime, connected, options.clone(), back)
        }
        Err(error) => {
            // A name server that does not answer must not hold this up.
            runtime.shutdown_background();
            Err(error)
        }
    }
}

/// Who goes to the peer, and where.
pub(crate) struct Caller {
    own: OwnKey,
    peer: PublicKey,
    host: String,
    port: u16,
    addr: String,
}

/// An attempt that failed.
enum Failed {
    /// The peer may come yet.
    ForNow(String),
    ForGood(NetError),
}

impl Caller {
    async fn seek(
        &self,
        standing: Standing,
        events: &dyn Fn(Event),
        last: &mut String,
    ) -> Result<Connected, NetError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let why = match self.attempt(standing).await {
                Ok(connected) => return Ok(connected),
                Err(Failed::ForGood(error)) => return Err(error),
                Err(Failed::ForNow(why)) => why,
            };
            last.clone_from(&why);
            let wait = jittered(pause);
            events(Event::Retrying { addr: self.addr.clone(), why, wait });
            sleep(wait).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Goes on with a run that was at this place, however long it takes to find the peer in it; why it could not, at `last`.
    pub(crate) async fn return_to(&self, place: Place, last: &mut Option<String>) -> Connected {
        let mut pause = RETURNING;
        loop {
            *last = Some(match self.attempt(Standing::Again(place)).await {
                Ok(connected) => return connected,
                Err(Failed::ForNow(why)) => format!("{}: {why}", self.addr),
                Err(Failed::ForGood(why)) => why.to_string(),
            });
            sleep(jittered(pause)).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    async fn attempt(&self, standing: Standing) -> Result<Connected, Failed> {
        let tcp = reach(&self.host, self.port).await.map_err(|why| match why.kind() {
            ErrorKind::PermissionDenied | ErrorKind::Unsupported => {
                Failed::ForGood(NetError::System(why))
            }
            _ => Failed::ForNow(why.to_string()),
        })?;
        let pin = PinnedKey::new(self.peer);
        let config = tls::client(&self.own, &pin);
        let connected = handshake::as_client(config, &pin, self.own.public, tcp, standing).await;
        connected.map_err(|failure| self.judge(failure))
    }

    fn judge(&self, failure: Failure) -> Failed {
        let addr = self.addr.clone();
        Failed::ForGood(match failure {
            Failure::Gone(why) => {
                return Failed::ForNow(format!(
                    "it closed the connection during the handshake ({why})"
                ));
            }
            Failure::TooSlow => {
                return Failed::ForNow("it accepts connections but does not answer".to_owned());
            }
            Failure::OtherRun => {
                return Failed::ForNow("it waits to go on with another run".to_owned());
            }
            Failure::OtherKey(got) => NetError::WrongKey { addr, expected: self.peer, got },
            Failure::Refused => NetError::RefusedByPeer { addr, own: self.own.public },
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
