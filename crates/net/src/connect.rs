//! The side that goes to the other, or to a relay.

use std::cell::Cell;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
#[cfg(not(target_family = "wasm"))]
use tokio::sync::mpsc::Sender;
use veilset_party::{Identity, PairSecret, PeerKeys, PublicKey};
use veilset_reach::wire::{Room, Side};
use veilset_reach::{JoinError, Proxies, ReachError, RelayUrl, Way, join};

use crate::address::relay_url;
#[cfg(not(target_family = "wasm"))]
use crate::address::{Purpose, host_and_port};
use crate::clock::{sleep, timeout};
use crate::comeback::Back;
use crate::handshake::{self, Connected, Failure, Place, Standing, VERSION, linger, within};
use crate::runtime::{background, runtime};
use crate::tls::{self, OwnKey, PinnedKey};
use crate::{Event, NetError, Options, TlsTransport};

/// The pause after the first failed attempt; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The pause after the first attempt to come back that failed: the other end hears at about the same time that the connection is
/// lost.
const RETURNING: Duration = Duration::from_millis(10);

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The longest pause of one of many that wait at a relay for ever.
#[cfg(not(target_family = "wasm"))]
const LONGEST_REST: Duration = Duration::from_secs(30);

/// Goes to `HOST:PORT` until the peer is there, whose key is `peer`, or one of its keys.
///
/// # Errors
/// [`NetError::WrongKey`], [`NetError::RefusedByPeer`], [`NetError::NotVeilset`] and [`NetError::OtherVersion`] at once;
/// [`NetError::Unreachable`] at the deadline.
///
/// # Panics
/// When called inside an asynchronous runtime.
#[cfg(not(target_family = "wasm"))]
pub fn connect(
    identity: &Identity,
    peer: impl Into<PeerKeys>,
    addr: &str,
    options: &Options,
    events: &dyn Fn(Event),
) -> Result<TlsTransport, NetError> {
    seek(identity, peer.into(), addr, options, events, false)
}

/// As [`connect`]; what is sent may go on over another connection if it is `lasting`.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn seek(
    identity: &Identity,
    peer: PeerKeys,
    addr: &str,
    options: &Options,
    events: &dyn Fn(Event),
    lasting: bool,
) -> Result<TlsTransport, NetError> {
    if peer.contains(&identity.public_key()) {
        return Err(NetError::OwnKey);
    }
    let (host, port) = host_and_port(addr, Purpose::Connect)?;
    let target = Target::Peer { host: host.to_owned(), port };
    let own = OwnKey::of(identity);
    let proxies = Proxies::from_env().map_err(NetError::Proxy)?;
    let caller = Caller { own, peer, target, addr: addr.to_owned(), proxies };
    find(vec![caller], options, events, lasting)
}

/// Meets the peer at a relay; what is sent may go on over another connection if it is `lasting`.
pub(crate) fn meet(
    identity: &Identity,
    peer: PeerKeys,
    url: &str,
    options: &Options,
    events: &dyn Fn(Event),
    lasting: bool,
) -> Result<TlsTransport, NetError> {
    let url = relay_url(url)?;
    let callers: Result<Vec<Caller>, NetError> =
        peer.iter().map(|key| Caller::at_relay(identity, &key, &url)).collect();
    find(callers?, options, events, lasting)
}

/// The peer, within the deadline, by whichever of these callers finds it: it has as many rooms at a relay as keys, and is in one.
fn find(
    mut callers: Vec<Caller>,
    options: &Options,
    events: &dyn Fn(Event),
    lasting: bool,
) -> Result<TlsTransport, NetError> {
    let standing = Standing::of(lasting, options);
    let runtime = runtime()?;
    let last = Cell::new(None);
    let seeking = async {
        let seeking = timeout(options.deadline, first(&callers, standing, events, &last));
        tokio::select! {
            biased;
            () = options.stop.stopped() => Err(NetError::Stopped),
            found = seeking => {
                found.unwrap_or_else(|_| Err(callers[0].absent(options.deadline, last.take())))
            }
        }
    };
    match runtime.block_on(seeking) {
        Ok((number, connected)) => {
            events(Event::Connected { addr: connected.addr.clone() });
            let mut caller = callers.swap_remove(number);
            // It goes on with the key that the peer has.
            caller.peer = connected.peer.into();
            let back = lasting.then_some(Back::Caller(Box::new(caller)));
            let (transport, pump) = TlsTransport::over(connected, options.clone(), back);
            background(runtime, pump).map(|()| transport)
        }
        Err(error) => {
            // A name server that does not answer must not hold this up.
            runtime.shutdown_background();
            Err(error)
        }
    }
}

/// The peer, with the number of the caller that found it. Where one caller cannot, the other goes on: somebody who has a key that the
/// peer does not have any more may be in its room.
async fn first(
    callers: &[Caller],
    standing: Standing,
    events: &dyn Fn(Event),
    last: &Cell<Option<String>>,
) -> Result<(usize, Connected), NetError> {
    let seek = |number: usize| async move {
        callers[number].seek(standing, events, last).await.map(|connected| (number, connected))
    };
    if callers.len() == 1 {
        return seek(0).await;
    }
    let (one, other) = (pin!(seek(0)), pin!(seek(1)));
    match select(one, other).await {
        Either::Left((Err(_), other)) => other.await,
        Either::Right((Err(_), one)) => one.await,
        Either::Left((found, _)) | Either::Right((found, _)) => found,
    }
}

/// Who goes to the peer, and where.
pub(crate) struct Caller {
    own: OwnKey,
    peer: PeerKeys,
    target: Target,
    /// As a user gave it.
    addr: String,
    proxies: Proxies,
}

/// Where a caller goes.
enum Target {
    #[cfg(not(target_family = "wasm"))]
    Peer { host: String, port: u16 },
    /// With what this party shares with the peer's one key.
    Relay { url: RelayUrl, secret: PairSecret },
}

/// An attempt that failed.
pub(crate) enum Failed {
    /// The peer may come yet.
    ForNow(String),
    ForGood(NetError),
}

impl From<ReachError> for Failed {
    fn from(why: ReachError) -> Self {
        match why {
            ReachError::Io(why) => match why.kind() {
                ErrorKind::PermissionDenied | ErrorKind::Unsupported => {
                    Self::ForGood(NetError::System(why))
                }
                _ => Self::ForNow(why.to_string()),
            },
            #[cfg(not(target_family = "wasm"))]
            ReachError::Proxy { is_final: true, .. } => {
                Self::ForGood(NetError::Proxy(why.to_string()))
            }
            #[cfg(not(target_family = "wasm"))]
            ReachError::Proxy { .. } => Self::ForNow(why.to_string()),
        }
    }
}

impl Failed {
    /// That of somebody who is not in a room of the relay with this URL.
    pub(crate) fn at_relay(relay: &str, why: JoinError) -> Self {
        let relay = relay.to_owned();
        match why {
            JoinError::Unreached(why) => why.into(),
            JoinError::Busy(why) => Self::ForNow(why),
            JoinError::Certificate(why) => Self::ForGood(NetError::RelayCertificate { relay, why }),
            JoinError::NotARelay(why) => Self::ForGood(NetError::NotARelay { relay, why }),
        }
    }
}

impl Caller {
    /// One that goes to a relay.
    ///
    /// # Errors
    /// When the peer is this party itself, or this machine's proxy is none.
    pub(crate) fn at_relay(
        identity: &Identity,
        peer: &PublicKey,
        url: &RelayUrl,
    ) -> Result<Self, NetError> {
        if identity.public_key() == *peer {
            return Err(NetError::OwnKey);
        }
        let secret = identity.shared_with(peer);
        let target = Target::Relay { url: url.clone(), secret };
        let proxies = Proxies::from_env().map_err(NetError::Proxy)?;
        let (own, addr) = (OwnKey::of(identity), url.to_string());
        Ok(Self { own, peer: peer.into(), target, addr, proxies })
    }

    /// Hands on one connection with the peer after another, for ever; why there is none is told at the first failure in a row.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) async fn attend(self, met: Sender<Connected>, failed: impl Fn(Event)) {
        let mut pause = FIRST_PAUSE;
        loop {
            let why = match self.attempt(Standing::Single, || ()).await {
                Ok(connected) => {
                    pause = FIRST_PAUSE;
                    if met.send(connected).await.is_err() {
                        return;
                    }
                    continue;
                }
                Err(Failed::ForNow(why)) => why,
                Err(Failed::ForGood(why)) => why.to_string(),
            };
            let wait = jittered(pause);
            if pause == FIRST_PAUSE {
                failed(Event::Retrying { addr: self.addr.clone(), why, wait });
            }
            sleep(wait).await;
            pause = (2 * pause).min(LONGEST_REST);
        }
    }

    /// What is said of a peer that was not there in time.
    fn absent(&self, waited: Duration, last: Option<String>) -> NetError {
        let addr = self.addr.clone();
        match self.target {
            Target::Relay { .. } => NetError::NobodyMet { relay: addr, waited, last },
            #[cfg(not(target_family = "wasm"))]
            Target::Peer { .. } => {
                let why = last.unwrap_or_else(|| "it does not answer".to_owned());
                NetError::Unreachable { addr, waited, why }
            }
        }
    }

    async fn seek(
        &self,
        standing: Standing,
        events: &dyn Fn(Event),
        last: &Cell<Option<String>>,
    ) -> Result<Connected, NetError> {
        let mut pause = FIRST_PAUSE;
        let waits = || {
            last.set(None);
            events(Event::Waiting { relay: self.addr.clone() });
        };
        loop {
            let why = match self.attempt(standing, &waits).await {
                Ok(connected) => return Ok(connected),
                Err(Failed::ForGood(error)) => return Err(error),
                Err(Failed::ForNow(why)) => why,
            };
            last.set(Some(why.clone()));
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
            *last = Some(match self.attempt(Standing::Again(place), || ()).await {
                Ok(connected) => return connected,
                Err(Failed::ForNow(why)) => format!("{}: {why}", self.addr),
                Err(Failed::ForGood(why)) => why.to_string(),
            });
            sleep(jittered(pause)).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    async fn attempt(&self, standing: Standing, waits: impl Fn()) -> Result<Connected, Failed> {
        match &self.target {
            #[cfg(not(target_family = "wasm"))]
            Target::Peer { host, port } => {
                let tcp = self.proxies.reach(host, *port).await?;
                let system = |why| Failed::from(ReachError::Io(why));
                tcp.set_nodelay(true).map_err(system)?;
                let addr = match self.proxies.way_to(host, *port) {
                    Some(_) => self.addr.clone(),
                    None => tcp.peer_addr().map_err(system)?.to_string(),
                };
                let pin = PinnedKey::any(self.peer.iter().collect());
                self.greet(&pin, Way::Tcp(tcp), addr, true, standing).await
            }
            Target::Relay { url, secret } => {
                let peer = self.peer.now();
                let room = room(secret, url, standing);
                // Both know which of the two connects.
                let connects = self.own.public < peer;
                let side = if connects { Side::First } else { Side::Second };
                let joined = join(url, &room, side, &self.proxies, waits).await;
                let relayed = joined.map_err(|why| Failed::at_relay(&self.addr, why))?;
                let (pin, way) = (PinnedKey::new(peer), Way::Relayed(Box::new(relayed)));
                self.greet(&pin, way, self.addr.clone(), connects, standing).await
            }
        }
    }

    /// The handshake over a way that is there.
    async fn greet(
        &self,
        pin: &Arc<PinnedKey>,
        way: Way,
        addr: String,
        connects: bool,
        standing: Standing,
    ) -> Result<Connected, Failed> {
        let own = self.own.public;
        let connected = if connects {
            let config = tls::client(&self.own, pin);
            within(handshake::client_over(config, pin, own, way, addr, standing)).await
        } else {
            let config = tls::server(&self.own, pin);
            match within(handshake::server_over(config, pin, own, way, addr, standing)).await {
                Ok(connected) => Ok(connected),
                Err(turned_away) => {
                    if let Some(metered) = turned_away.metered {
                        linger(metered).await;
                    }
                    Err(turned_away.why)
                }
            }
        };
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
            Failure::OtherKey(got) => NetError::WrongKey { addr, expected: self.peer.now(), got },
            Failure::Refused => NetError::RefusedByPeer { addr, own: self.own.public },
            Failure::Alien(why) => NetError::NotVeilset { addr, why },
            Failure::OtherVersion(theirs) => NetError::OtherVersion { addr, ours: VERSION, theirs },
        })
    }
}

/// Where the two meet: another room for each run that goes on, and for each name behind `#` in the URL.
fn room(secret: &PairSecret, url: &RelayUrl, standing: Standing) -> Room {
    let purpose = match standing {
        Standing::Again(Place { run, .. }) => [b"again".as_slice(), &run].concat(),
        Standing::Single | Standing::Lasting(_) => [b"new", url.meeting().as_bytes()].concat(),
    };
    Room(secret.derive("veilset relay room", &purpose))
}

/// Between half of `pause` and all of it, so that many parties do not come in step.
fn jittered(pause: Duration) -> Duration {
    let mut byte = [0];
    getrandom::fill(&mut byte).expect("the operating system gives randomness");
    pause.mul_f64(0.5 + f64::from(byte[0]) / 510.0)
}
