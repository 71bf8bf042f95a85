//! The side that waits.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet, yield_now};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use veilset_party::{Identity, PeerKeys, PublicKey};

use crate::address::{Purpose, host_and_port};
use crate::comeback::Back;
use crate::crowd::Crowd;
use crate::handshake::{self, Connected, Failure, Standing, TurnedAway, VERSION};
use crate::meter::MeteredStream;
use crate::returns::Returns;
use crate::runtime::{drive, runtime};
use crate::tally::Tally;
use crate::tls::{self, OwnKey, PinnedKey};
use crate::{Event, NetError, Options, Stranger, TlsTransport};

/// How many callers are told at once why they were turned away; others find the connection closed.
const FAREWELLS: usize = 64;

/// The pause after the system refused to accept a connection.
const BREATH: Duration = Duration::from_millis(100);

/// An address at which the peer is awaited.
#[derive(Debug)]
pub struct Listener {
    pub(crate) socket: std::net::TcpListener,
    addr: SocketAddr,
}

impl Listener {
    /// Opens `HOST:PORT`; port 0 stands for any free one.
    ///
    /// # Errors
    /// When the address does not parse or cannot be listened on.
    pub fn bind(addr: &str) -> Result<Self, NetError> {
        let target = host_and_port(addr, Purpose::Listen)?;
        let failed = |why| NetError::Listen { addr: addr.to_owned(), why };
        let socket = std::net::TcpListener::bind(target).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let addr = socket.local_addr().map_err(failed)?;
        Ok(Self { socket, addr })
    }

    /// Another handle of the same socket, to wait for one peer after another.
    ///
    /// # Errors
    /// When the system gives no more handles.
    pub fn again(&self) -> Result<Self, NetError> {
        let socket = self.socket.try_clone();
        let socket = socket.map_err(|why| NetError::Listen { addr: self.addr.to_string(), why })?;
        Ok(Self { socket, addr: self.addr })
    }

    /// The address that is listened on.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Waits for the peer whose key is `peer`, or one of its keys. Nobody else ends the wait: handshakes run side by side, each begun within
    /// 3 s and complete within 10 s, and the first caller that proves to be the peer is taken. When more come than are
    /// served at once, those who came first make room.
    ///
    /// # Errors
    /// [`NetError::NobodyCame`] at the deadline, [`NetError::OtherVersion`] when the peer came with another release.
    ///
    /// # Panics
    /// When called inside an asynchronous runtime.
    pub fn accept(
        self,
        identity: &Identity,
        peer: impl Into<PeerKeys>,
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<TlsTransport, NetError> {
        self.await_all(identity, &[peer.into()], options, events, false)
            .map(|mut peers| peers.remove(0))
    }

    /// As [`accept`](Self::accept), for several peers with different keys, until all of them came. Their connections come in
    /// the order of `peers`, and share a thread. A peer that comes again before that, after a fault, takes its own place.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    ///
    /// # Panics
    /// When called inside an asynchronous runtime.
    pub fn accept_all(
        self,
        identity: &Identity,
        peers: &[PublicKey],
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Vec<TlsTransport>, NetError> {
        let peers: Vec<PeerKeys> = peers.iter().map(PeerKeys::from).collect();
        self.await_all(identity, &peers, options, events, false)
    }

    /// As [`accept_all`](Self::accept_all); what is sent may go on over other connections if they are `lasting`.
    pub(crate) fn await_all(
        self,
        identity: &Identity,
        peers: &[PeerKeys],
        options: &Options,
        events: &dyn Fn(Event),
        lasting: bool,
    ) -> Result<Vec<TlsTransport>, NetError> {
        let own = identity.public_key();
        if peers.iter().any(|peer| peer.contains(&own)) {
            return Err(NetError::OwnKey);
        }
        let runtime = runtime()?;
        let addr = self.addr;
        events(Event::Listening(addr));
        let standing = Standing::of(lasting, options);
        let keys = peers.iter().flat_map(PeerKeys::iter).collect();
        let mut door =
            Door::new(OwnKey::of(identity), keys, events, Crowd::new()).for_runs(standing);
        let waiting = async {
            let answered = tokio::select! {
                biased;
                () = options.stop.stopped() => return Err(NetError::Stopped),
                answered = timeout(options.deadline, door.answer_all(self.socket, peers, options)) => answered,
            };
            match answered {
                Ok(answered) => answered,
                Err(_) => Err(NetError::NobodyCame {
                    addr: addr.to_string(),
                    waited: options.deadline,
                    strangers: door.tally.strangers,
                    last: door.tally.last.take(),
                    other_key: door.tally.other_key.map(Box::new),
                }),
            }
        };
        let mut came = runtime.block_on(waiting)?;
        drive(runtime, std::mem::take(&mut door.pumps))?;
        came.sort_by_key(|(party, _)| *party);
        Ok(came.into_iter().map(|(_, transport)| transport).collect())
    }
}

/// Who is expected, who is being asked, and who came instead.
pub(crate) struct Door<'a, Tell: ?Sized = dyn Fn(Event) + 'a> {
    own: OwnKey,
    /// The keys of those who are awaited.
    pub(crate) peers: Vec<PublicKey>,
    /// What a connection is to this side.
    standing: Standing,
    events: &'a Tell,
    crowd: Crowd<AbortHandle>,
    visits: JoinSet<Visit>,
    farewells: JoinSet<()>,
    pumps: JoinSet<()>,
    tally: Tally,
}

type Visit = (SocketAddr, Result<Connected, TurnedAway>);

impl<'a, Tell: Fn(Event) + ?Sized> Door<'a, Tell> {
    pub(crate) fn new(
        own: OwnKey,
        peers: Vec<PublicKey>,
        events: &'a Tell,
        crowd: Crowd<AbortHandle>,
    ) -> Self {
        Self {
            own,
            peers,
            standing: Standing::Single,
            events,
            crowd,
            visits: JoinSet::new(),
            farewells: JoinSet::new(),
            pumps: JoinSet::new(),
            tally: Tally::default(),
        }
    }

    /// For connections that are this to this side.
    pub(crate) fn for_runs(self, standing: Standing) -> Self {
        Self { standing, ..self }
    }

    /// All of `parties`, each with its place among them.
    async fn answer_all(
        &mut self,
        socket: std::net::TcpListener,
        parties: &[PeerKeys],
        options: &Options,
    ) -> Result<Vec<(Option<usize>, TlsTransport)>, NetError> {
        let addr = socket.local_addr().map_err(NetError::System)?;
        let socket = tokio::net::TcpListener::from_std(socket).map_err(NetError::System)?;
        let mut came: Vec<(Option<usize>, TlsTransport)> = Vec::new();
        while came.len() < parties.len() {
            let connected = self.answer(&socket).await?;
            (self.events)(Event::Connected { addr: connected.addr.clone() });
            let peer = connected.peer;
            let party = parties.iter().position(|party| party.contains(&peer));
            came.retain(|(before, _)| *before != party);
            let back = Back::Listener(Returns { own: self.own.clone(), peer, addr });
            let back = matches!(self.standing, Standing::Lasting(_)).then_some(back);
            // The first to come hear heartbeats while others are awaited.
            let (transport, pump) = TlsTransport::over(connected, options.clone(), back);
            self.pumps.spawn(pump);
            came.push((party, transport));
        }
        Ok(came)
    }

    /// The next caller that proves to be awaited. Nothing is lost when this is dropped before it ends.
    pub(crate) async fn answer(
        &mut self,
        socket: &tokio::net::TcpListener,
    ) -> Result<Connected, NetError> {
        loop {
            let due = self.tally.due;
            tokio::select! {
                biased;
                Some(ended) = self.visits.join_next_with_id() => {
                    if let Some(connected) = self.judge(ended)? {
                        return Ok(connected);
                    }
                }
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    self.tally.tell().into_iter().for_each(self.events);
                }
                accepted = socket.accept() => match accepted {
                    Ok((tcp, addr)) => {
                        self.admit(tcp, addr);
                        // However many call, the handshakes that run go on.
                        yield_now().await;
                    }
                    // The caller is gone already, or the system is short of something: neither ends the wait.
                    Err(_) => sleep(BREATH).await,
                },
            }
        }
    }

    fn admit(&mut self, tcp: TcpStream, addr: SocketAddr) {
        if let Some((addr, visit)) = self.crowd.make_room(addr) {
            visit.abort();
            self.turn_away(addr, Stranger::Crowded);
        }
        let pin = PinnedKey::any(self.peers.clone());
        let config = tls::server(&self.own, &pin);
        let (own, standing) = (self.own.public, self.standing);
        let visit = self.visits.spawn(async move {
            (addr, handshake::as_server(config, &pin, own, tcp, standing).await)
        });
        self.crowd.enter(addr, visit);
    }

    fn judge(
        &mut self,
        ended: Result<(Id, Visit), JoinError>,
    ) -> Result<Option<Connected>, NetError> {
        let (addr, outcome) = match ended {
            Ok((id, visit)) => {
                self.crowd.leave(|caller| caller.id() == id);
                visit
            }
            // It made room, and was counted then.
            Err(error) if error.is_cancelled() => return Ok(None),
            Err(error) => panic!("a handshake does not panic: {error}"),
        };
        let TurnedAway { why, metered } = match outcome {
            Ok(connected) => return Ok(Some(connected)),
            Err(turned_away) => turned_away,
        };
        self.say_farewell(metered);
        let why = match why {
            Failure::OtherVersion(theirs) => {
                return Err(NetError::OtherVersion {
                    addr: addr.to_string(),
                    ours: VERSION,
                    theirs,
                });
            }
            Failure::OtherKey(key) => Stranger::OtherKey(key),
            Failure::Refused => Stranger::ExpectsOtherKey,
            Failure::Alien(why) => Stranger::NotVeilset(why),
            Failure::OtherRun => Stranger::OtherRun,
            Failure::Gone(_) => Stranger::Left,
            Failure::TooSlow => Stranger::TooSlow,
        };
        self.turn_away(addr, why);
        Ok(None)
    }

    fn say_farewell(&mut self, metered: Option<MeteredStream>) {
        while self.farewells.try_join_next().is_some() {}
        if let Some(metered) = metered
            && self.farewells.len() < FAREWELLS
        {
            self.farewells.spawn(handshake::linger(metered));
        }
    }

    fn turn_away(&mut self, addr: SocketAddr, why: Stranger) {
        self.tally.add(addr, why, Instant::now()).into_iter().for_each(self.events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io::Write;
    use std::net::TcpStream;

    /// Both have called, and said all that they say, before the clock goes on.
    #[tokio::test(start_paused = true)]
    async fn who_does_not_begin_goes_soon_and_who_does_not_end_goes_later() {
        let listener = Listener::bind("127.0.0.1:0").expect("a free port");
        let call = || TcpStream::connect(listener.local_addr()).expect("it listens");
        let (silent, mut half) = (call(), call());
        // A TLS record that goes on.
        half.write_all(&[0x16, 3, 1, 0, 200, 1, 0, 0, 196]).expect("open");
        let [silent_addr, half_addr] =
            [&silent, &half].map(|caller| caller.local_addr().expect("bound"));

        let (identity, start) = (Identity::ephemeral(), Instant::now());
        let told = RefCell::new(Vec::new());
        let tell = |event| told.borrow_mut().push((event, start.elapsed().as_secs()));
        let peer = Identity::ephemeral().public_key();
        let parties = [peer.into()];
        let mut door = Door::new(OwnKey::of(&identity), vec![peer], &tell, Crowd::new());
        let options = Options::default();
        let waiting =
            timeout(Duration::from_secs(60), door.answer_all(listener.socket, &parties, &options));
        assert!(waiting.await.is_err(), "nobody came");
        let refused = |addr| Event::StrangerRefused { addr, why: Stranger::TooSlow };
        assert_eq!(told.take(), [(refused(silent_addr), 3), (refused(half_addr), 10)]);
    }
}
