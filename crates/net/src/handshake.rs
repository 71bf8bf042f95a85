//! From a stream of bytes to a peer that is known: TLS, then a word in each direction.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::{AlertDescription, ClientConfig, ConnectionCommon, Error, ServerConfig};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
#[cfg(not(target_family = "wasm"))]
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};
use veilset_party::PublicKey;
use veilset_reach::Way;

use crate::Options;
use crate::clock::timeout;
use crate::meter::{Meter, MeteredStream};
use crate::tls::{self, ALPN, PinnedKey};

/// The version of what follows the handshake.
pub(crate) const VERSION: u8 = 2;

/// Each side's first word after the TLS handshake; the version follows, and then what the connection is to it. The side that
/// connects learns from it that it was accepted, which TLS 1.3 alone does not say.
const GREETING: [u8; 7] = *b"veilset";

/// What two ends that agreed on no application protocol, or on another one, are told.
const OTHER_PROTOCOL: &str = "TLS names another application protocol than veilset/1, or none";

/// What the bytes that only this connection has are derived for (RFC 5705, section 4).
const BINDING: &[u8] = b"EXPERIMENTAL veilset binding";

/// What the bytes are derived for by which both ends know their run again.
const RUN: &[u8] = b"EXPERIMENTAL veilset run";

/// A caller from whom nothing comes for this long is turned away: a peer speaks first, and at once.
#[cfg(not(target_family = "wasm"))]
const FIRST_BYTE: Duration = Duration::from_secs(3);

/// A handshake that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a side that refuses waits for the other one to take the reason.
const LINGER: Duration = Duration::from_secs(1);

/// What bytes go over: a way to a peer, or a pipe in memory.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

/// A connection to the pinned peer.
pub(crate) struct Connected<S = Way> {
    pub(crate) stream: TlsStream<MeteredStream<S>>,
    /// The peer's key.
    pub(crate) peer: PublicKey,
    pub(crate) meter: Arc<Meter>,
    /// Where the peer is, as a user is told.
    pub(crate) addr: String,
    /// See [`crate::TlsTransport::binding`].
    pub(crate) binding: [u8; 32],
    /// By which both ends, and nobody else, know the run again that begins here.
    pub(crate) run: [u8; 16],
    /// Whether both ends go on over another connection if this one is lost.
    pub(crate) lasting: bool,
    /// How long the peer takes at most to notice that it is lost.
    pub(crate) peer_silence: Duration,
    /// How many frames of a run that goes on the peer has.
    pub(crate) taken: u64,
}

/// What a connection is to an end of it.
#[derive(Clone, Copy)]
pub(crate) enum Standing {
    /// It has no other.
    Single,
    /// Its run may go on over another. It counts as lost after so long a silence.
    Lasting(Duration),
    /// A run goes on over it.
    Again(Place),
}

/// How far a run is that goes on.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) run: [u8; 16],
    /// How many frames came.
    pub(crate) received: u64,
}

impl Standing {
    /// Of a connection of its own, whose run may go on if it is `lasting`.
    pub(crate) fn of(lasting: bool, options: &Options) -> Self {
        if lasting { Self::Lasting(options.silence) } else { Self::Single }
    }

    /// As the other end hears it: one of three bytes, and seconds of silence.
    fn said(self) -> [u8; 5] {
        let (byte, silence) = match self {
            Self::Single => (0, Duration::ZERO),
            Self::Lasting(silence) => (1, silence),
            Self::Again(_) => (2, Duration::ZERO),
        };
        let [a, b, c, d] = u32::try_from(silence.as_secs()).unwrap_or(u32::MAX).to_le_bytes();
        [byte, a, b, c, d]
    }
}

/// Why a handshake led to nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The other end presented this key.
    OtherKey(PublicKey),
    /// The other end does not accept this side's key.
    Refused,
    /// The other end speaks something else.
    Alien(String),
    /// The other end is the peer, of this other version.
    OtherVersion(u8),
    /// The other end is the peer, in another run.
    OtherRun,
    /// The connection broke.
    Gone(String),
    /// Nothing came in time.
    TooSlow,
}

/// A caller whose handshake failed, and the connection while it can still hear why.
pub(crate) struct TurnedAway<S = Way> {
    pub(crate) why: Failure,
    pub(crate) metered: Option<MeteredStream<S>>,
}

impl<S> From<Failure> for TurnedAway<S> {
    fn from(why: Failure) -> Self {
        Self { why, metered: None }
    }
}

/// The handshake of the side that connected, whose key is `own`, over a stream whose other end is at `addr`.
pub(crate) async fn client_over<S: Stream>(
    config: ClientConfig,
    pin: &PinnedKey,
    own: PublicKey,
    stream: S,
    addr: String,
    standing: Standing,
) -> Result<Connected<S>, Failure> {
    let metered = MeteredStream::new(stream);
    let meter = metered.meter();
    let connector = TlsConnector::from(Arc::new(config));
    match connector.connect(tls::server_name(), metered).into_fallible().await {
        Ok(stream) => {
            let peer = pin.proven();
            let exported = exported(stream.get_ref().1, own, peer);
            greet(Connected::of(stream.into(), peer, meter, addr, exported), standing).await
        }
        Err((error, metered)) => {
            linger(metered).await;
            Err(match failure(&error, pin) {
                // Only the end of the handshake tells a listener who this side is.
                Failure::Refused => Failure::Alien(error.to_string()),
                other => other,
            })
        }
    }
}

/// The handshake of the side that listened, whose key is `own`.
#[cfg(not(target_family = "wasm"))]
pub(crate) async fn as_server(
    config: ServerConfig,
    pin: &PinnedKey,
    own: PublicKey,
    tcp: TcpStream,
    standing: Standing,
) -> Result<Connected, TurnedAway> {
    within(async {
        first_byte(&tcp).await?;
        let gone = |error: io::Error| Failure::Gone(error.to_string());
        tcp.set_nodelay(true).map_err(gone)?;
        let addr = tcp.peer_addr().map_err(gone)?.to_string();
        server_over(config, pin, own, Way::Tcp(tcp), addr, standing).await
    })
    .await
}

/// As [`as_server`], over any stream, whose other end is at `addr`.
pub(crate) async fn server_over<S: Stream>(
    config: ServerConfig,
    pin: &PinnedKey,
    own: PublicKey,
    stream: S,
    addr: String,
    standing: Standing,
) -> Result<Connected<S>, TurnedAway<S>> {
    let metered = MeteredStream::new(stream);
    let meter = metered.meter();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    match acceptor.accept(metered).into_fallible().await {
        Ok(stream) => {
            let peer = pin.proven();
            let exported = exported(stream.get_ref().1, peer, own);
            Ok(greet(Connected::of(stream.into(), peer, meter, addr, exported), standing).await?)
        }
        Err((error, metered)) => {
            Err(TurnedAway { why: failure(&error, pin), metered: Some(metered) })
        }
    }
}

/// A handshake that takes no longer than one may.
pub(crate) async fn within<E: From<Failure>>(
    handshake: impl Future<Output = Result<Connected, E>>,
) -> Result<Connected, E> {
    timeout(PATIENCE, handshake).await.unwrap_or_else(|_| Err(Failure::TooSlow.into()))
}

/// Waits for the first byte, and leaves it to be read.
#[cfg(not(target_family = "wasm"))]
async fn first_byte(tcp: &TcpStream) -> Result<(), Failure> {
    match timeout(FIRST_BYTE, tcp.peek(&mut [0])).await {
        Ok(Ok(1..)) => Ok(()),
        Ok(Ok(0)) => Err(Failure::Gone("it sent nothing".to_owned())),
        Ok(Err(error)) => Err(Failure::Gone(error.to_string())),
        Err(_) => Err(Failure::TooSlow),
    }
}

/// The binding and the run: TLS exporter with both keys as context, since the exporter itself does not cover the client's.
fn exported<Side>(
    tls: &ConnectionCommon<Side>,
    connecting: PublicKey,
    listening: PublicKey,
) -> ([u8; 32], [u8; 16]) {
    let context = [*connecting.as_bytes(), *listening.as_bytes()].concat();
    let complete = "a handshake that is complete exports bytes";
    let binding = tls.export_keying_material([0; 32], BINDING, Some(&context)).expect(complete);
    (binding, tls.export_keying_material([0; 16], RUN, Some(&context)).expect(complete))
}

impl<S: Stream> Connected<S> {
    fn of(
        stream: TlsStream<MeteredStream<S>>,
        peer: PublicKey,
        meter: Arc<Meter>,
        addr: String,
        (binding, run): ([u8; 32], [u8; 16]),
    ) -> Self {
        let peer_silence = Duration::ZERO;
        Self { stream, peer, meter, addr, binding, run, lasting: false, peer_silence, taken: 0 }
    }

    /// As what the run of an earlier connection goes on over: its bytes are counted with those.
    pub(crate) fn after(mut self, run: [u8; 16], meter: &Arc<Meter>) -> Self {
        self.stream.get_mut().0.count_on(meter);
        Self { meter: Arc::clone(meter), run, ..self }
    }
}

async fn greet<S: Stream>(
    mut connected: Connected<S>,
    standing: Standing,
) -> Result<Connected<S>, Failure> {
    if connected.stream.get_ref().1.alpn_protocol() != Some(ALPN) {
        return Err(Failure::Alien(OTHER_PROTOCOL.to_owned()));
    }
    let [theirs, silence @ ..] = exchange_words(&mut connected.stream, standing).await?;
    match (standing, theirs) {
        (Standing::Again(place), 2) => {
            connected.taken = exchange_places(&mut connected.stream, place).await?;
            Ok(Connected { lasting: true, ..connected })
        }
        (Standing::Again(_), 0 | 1) | (_, 2) => Err(Failure::OtherRun),
        (_, 0 | 1) => {
            connected.lasting = matches!(standing, Standing::Lasting(_)) && theirs == 1;
            connected.peer_silence = Duration::from_secs(u32::from_le_bytes(silence).into());
            Ok(connected)
        }
        _ => Err(Failure::Alien("it does not greet".to_owned())),
    }
}

/// What the connection is to the peer, as it says it.
async fn exchange_words<S: Stream>(
    stream: &mut TlsStream<MeteredStream<S>>,
    standing: Standing,
) -> Result<[u8; 5], Failure> {
    let greeting = [&GREETING[..], &[VERSION], &standing.said()].concat();
    // A write that fails leaves the reason to be read.
    let said = stream.write_all(&greeting).await;
    let said = said.and(stream.flush().await);
    let mut heard = [0; 8];
    stream.read_exact(&mut heard).await.map_err(|error| unheard(&error))?;
    let [greeting @ .., version] = heard;
    if greeting != GREETING {
        return Err(Failure::Alien("it does not greet".to_owned()));
    }
    if version != VERSION {
        return Err(Failure::OtherVersion(version));
    }
    let mut theirs = [0; 5];
    stream.read_exact(&mut theirs).await.map_err(|error| unheard(&error))?;
    said.map_err(|error| unheard(&error))?;
    Ok(theirs)
}

/// How many frames of the same run the peer has.
async fn exchange_places<S: Stream>(
    stream: &mut TlsStream<MeteredStream<S>>,
    place: Place,
) -> Result<u64, Failure> {
    let said = [&place.run[..], &place.received.to_le_bytes()].concat();
    stream.write_all(&said).await.map_err(|error| unheard(&error))?;
    stream.flush().await.map_err(|error| unheard(&error))?;
    let (mut run, mut taken) = ([0; 16], [0; 8]);
    stream.read_exact(&mut run).await.map_err(|error| unheard(&error))?;
    stream.read_exact(&mut taken).await.map_err(|error| unheard(&error))?;
    if run == place.run { Ok(u64::from_le_bytes(taken)) } else { Err(Failure::OtherRun) }
}

/// Why the other end said nothing.
fn unheard(error: &io::Error) -> Failure {
    match tls_error(error) {
        Some(Error::AlertReceived(_)) => Failure::Refused,
        Some(error) => Failure::Alien(error.to_string()),
        None => Failure::Gone(error.to_string()),
    }
}

fn failure(error: &io::Error, pin: &PinnedKey) -> Failure {
    match (pin.other(), tls_error(error)) {
        (Some(key), _) => Failure::OtherKey(key),
        (None, Some(Error::AlertReceived(AlertDescription::AccessDenied))) => Failure::Refused,
        (
            None,
            Some(
                Error::NoApplicationProtocol
                | Error::AlertReceived(AlertDescription::NoApplicationProtocol),
            ),
        ) => Failure::Alien(OTHER_PROTOCOL.to_owned()),
        (None, Some(error)) => Failure::Alien(error.to_string()),
        (None, None) => Failure::Gone(error.to_string()),
    }
}

/// The TLS error inside an I/O error.
pub(crate) fn tls_error(error: &io::Error) -> Option<&Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// Takes what the other end still sends, so that closing does not destroy the alert that is on its way to it.
pub(crate) async fn linger<S: Stream>(mut metered: MeteredStream<S>) {
    let taking = async {
        let mut scrap = [0; 1024];
        metered.shutdown().await?;
        while metered.read(&mut scrap).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(LINGER, taking).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::runtime;
    use crate::tls::OwnKey;
    use crate::{
        Class, Comeback, Event, Listener, NetError, Options, Stop, Stranger, Traffic, connect,
    };
    use std::sync::Mutex;
    use std::thread;
    use tokio::net::TcpListener;
    use veilset_party::Identity;

    const PATIENT: Options = Options {
        deadline: Duration::from_secs(60),
        heartbeat: Duration::from_secs(5),
        silence: Duration::from_secs(20),
        stop: Stop::NEVER,
        comeback: Comeback::NEVER,
        traffic: Traffic::UNSEEN,
    };

    #[test]
    fn a_listener_names_the_other_version() {
        let (new, old) = (Identity::ephemeral(), Identity::ephemeral());
        let listener = Listener::bind("127.0.0.1:0").expect("a free port");
        let (addr, new_key, old_key) = (listener.local_addr(), new.public_key(), old.public_key());
        let waiting =
            thread::spawn(move || listener.accept(&new, old_key, &PATIENT, &|_| ()).err());
        runtime().expect("a runtime").block_on(async {
            let pin = PinnedKey::new(new_key);
            let connector = TlsConnector::from(Arc::new(tls::client(&OwnKey::of(&old), &pin)));
            let tcp = TcpStream::connect(addr).await.expect("it listens");
            let stream = connector.connect(tls::server_name(), tcp).await;
            let mut stream = stream.expect("the right key");
            stream.write_all(b"veilset\x07").await.expect("open");
            let mut heard = [0; 8];
            stream.read_exact(&mut heard).await.expect("it greets too");
            assert_eq!(&heard, b"veilset\x02");
        });
        let error = waiting.join().expect("no panic").expect("another version");
        assert!(matches!(error, NetError::OtherVersion { ours: 2, theirs: 7, .. }), "{error}");
        assert_eq!(error.class(), Class::Version);
    }

    /// What a caller makes of a peer with the right key and these protocols that says `word` after the handshake.
    fn caller_hears(alpn: &[&[u8]], word: &'static [u8]) -> NetError {
        let (caller, peer) = (Identity::ephemeral(), Identity::ephemeral());
        let (caller_key, peer_key) = (caller.public_key(), peer.public_key());
        let runtime = runtime().expect("a runtime");
        let socket = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let addr = socket.local_addr().expect("bound").to_string();
        let calling =
            thread::spawn(move || connect(&caller, peer_key, &addr, &PATIENT, &|_| ()).err());
        runtime.block_on(async {
            let (tcp, _) = socket.accept().await.expect("a caller");
            let mut config = tls::server(&OwnKey::of(&peer), &PinnedKey::new(caller_key));
            config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
            // The acceptor fails where both ends name protocols and none is the same.
            if let Ok(mut stream) = TlsAcceptor::from(Arc::new(config)).accept(tcp).await {
                let _ = stream.write_all(word).await;
                let _ = stream.shutdown().await;
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        });
        calling.join().expect("no panic").expect("no greeting")
    }

    #[test]
    fn a_caller_tells_another_version_from_another_program() {
        let other = caller_hears(&[ALPN], b"veilset\x01");
        assert!(matches!(other, NetError::OtherVersion { ours: 2, theirs: 1, .. }), "{other}");
        let alien = caller_hears(&[ALPN], b"GET / HTTP/1.1");
        assert!(matches!(alien, NetError::NotVeilset { .. }), "{alien}");
        assert_eq!(alien.class(), Class::Protocol);
    }

    #[test]
    fn a_caller_insists_on_the_application_protocol() {
        for alpn in [&[][..], &[b"veilset/2".as_slice()], &[b"h2".as_slice(), b"http/1.1"]] {
            let error = caller_hears(alpn, b"veilset\x02\0\0\0\0\0");
            assert!(error.to_string().contains(OTHER_PROTOCOL), "{error}");
            assert_eq!(error.class(), Class::Protocol);
        }
    }

    #[test]
    fn a_listener_insists_on_the_application_protocol() {
        for alpn in [None, Some(&b"veilset/2"[..])] {
            let (listening, caller) = (Identity::ephemeral(), Identity::ephemeral());
            let (key, peer) = (listening.public_key(), caller.public_key());
            let listener = Listener::bind("127.0.0.1:0").expect("a free port");
            let addr = listener.local_addr();
            let waiting = thread::spawn(move || {
                let (refused, stop) = (Mutex::new(Vec::new()), Stop::new());
                let options = Options { stop: stop.clone(), ..PATIENT };
                let note = |event| {
                    if let Event::StrangerRefused { why, .. } = event {
                        refused.lock().expect("no panic").push(why);
                        stop.stop();
                    }
                };
                assert!(listener.accept(&listening, peer, &options, &note).is_err());
                refused.into_inner().expect("no panic")
            });
            runtime().expect("a runtime").block_on(async {
                let mut config = tls::client(&OwnKey::of(&caller), &PinnedKey::new(key));
                config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
                let tcp = TcpStream::connect(addr).await.expect("it listens");
                let connector = TlsConnector::from(Arc::new(config));
                if let Ok(mut stream) = connector.connect(tls::server_name(), tcp).await {
                    let _ = stream.write_all(b"veilset\x02\0\0\0\0\0").await;
                    let _ = stream.read_to_end(&mut Vec::new()).await;
                }
            });
            let refused = waiting.join().expect("no panic");
            assert_eq!(refused, [Stranger::NotVeilset(OTHER_PROTOCOL.to_owned())]);
        }
    }

    #[test]
    fn the_binding_is_the_exporter_over_both_keys_the_connecting_one_first() {
        let (listening, caller) = (Identity::ephemeral(), Identity::ephemeral());
        let (key, peer) = (listening.public_key(), caller.public_key());
        let listener = Listener::bind("127.0.0.1:0").expect("a free port");
        let addr = listener.local_addr();
        let waiting = thread::spawn(move || {
            let transport = listener.accept(&listening, peer, &PATIENT, &|_| ()).expect("the peer");
            transport.binding()
        });
        let exported = runtime().expect("a runtime").block_on(async {
            let connector = TlsConnector::from(Arc::new(tls::client(
                &OwnKey::of(&caller),
                &PinnedKey::new(key),
            )));
            let tcp = TcpStream::connect(addr).await.expect("it listens");
            let stream = connector.connect(tls::server_name(), tcp).await;
            let mut stream = stream.expect("the right key");
            stream.write_all(b"veilset\x02\0\0\0\0\0").await.expect("open");
            stream.read_exact(&mut [0; 13]).await.expect("it greets too");
            let export = |first: PublicKey, second: PublicKey| {
                let keys = [&first.as_bytes()[..], &second.as_bytes()[..]].concat();
                let label = b"EXPERIMENTAL veilset binding";
                let tls = stream.get_ref().1;
                tls.export_keying_material([0; 32], label, Some(&keys)).expect("complete")
            };
            [export(peer, key), export(key, peer)]
        });
        let binding = waiting.join().expect("no panic");
        assert_eq!(binding, exported[0]);
        assert_ne!(binding, exported[1]);
    }
}
