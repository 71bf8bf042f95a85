//! From a TCP connection to a peer that is known: TLS, then a word in each direction.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::{AlertDescription, ClientConfig, Error, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};

use crate::PublicKey;
use crate::meter::{Meter, Metered};
use crate::tls::{self, PinnedKey};

/// The version of what follows the handshake.
pub(crate) const VERSION: u8 = 1;

/// Each side's first word after the TLS handshake; the version follows. The side that connects learns from it that
/// it was accepted, which TLS 1.3 alone does not say.
const GREETING: [u8; 7] = *b"veilset";

/// A handshake that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a side that refuses waits for the other one to take the reason.
const LINGER: Duration = Duration::from_secs(1);

/// A connection to the pinned peer.
pub(crate) struct Connected {
    pub(crate) stream: TlsStream<Metered>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) addr: SocketAddr,
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
    /// The connection broke.
    Gone(String),
    /// Nothing came in time.
    TooSlow,
}

/// The handshake of the side that connected.
pub(crate) async fn as_client(
    config: ClientConfig,
    pin: &PinnedKey,
    tcp: TcpStream,
) -> Result<Connected, Failure> {
    within(async {
        let (metered, meter, addr) = prepare(tcp)?;
        let connector = TlsConnector::from(Arc::new(config));
        match connector.connect(tls::server_name(), metered).into_fallible().await {
            Ok(stream) => greet(stream.into(), meter, addr).await,
            Err((error, metered)) => {
                linger(metered).await;
                Err(match failure(&error, pin) {
                    // Only the end of the handshake tells a listener who this side is.
                    Failure::Refused => Failure::Alien(error.to_string()),
                    other => other,
                })
            }
        }
    })
    .await
}

/// The handshake of the side that listened.
pub(crate) async fn as_server(
    config: ServerConfig,
    pin: &PinnedKey,
    tcp: TcpStream,
) -> Result<Connected, Failure> {
    within(async {
        let (metered, meter, addr) = prepare(tcp)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        match acceptor.accept(metered).into_fallible().await {
            Ok(stream) => greet(stream.into(), meter, addr).await,
            Err((error, metered)) => {
                linger(metered).await;
                Err(failure(&error, pin))
            }
        }
    })
    .await
}

async fn within(
    handshake: impl Future<Output = Result<Connected, Failure>>,
) -> Result<Connected, Failure> {
    timeout(PATIENCE, handshake).await.unwrap_or(Err(Failure::TooSlow))
}

fn prepare(tcp: TcpStream) -> Result<(Metered, Arc<Meter>, SocketAddr), Failure> {
    let gone = |error: io::Error| Failure::Gone(error.to_string());
    tcp.set_nodelay(true).map_err(gone)?;
    let addr = tcp.peer_addr().map_err(gone)?;
    let metered = Metered::new(tcp);
    let meter = metered.meter();
    Ok((metered, meter, addr))
}

async fn greet(
    mut stream: TlsStream<Metered>,
    meter: Arc<Meter>,
    addr: SocketAddr,
) -> Result<Connected, Failure> {
    match exchange(&mut stream).await {
        Ok([greeting @ .., version]) if greeting == GREETING => match version {
            VERSION => Ok(Connected { stream, meter, addr }),
            other => Err(Failure::OtherVersion(other)),
        },
        Ok(_) => Err(Failure::Alien("it does not greet".to_owned())),
        Err(error) => Err(match tls_error(&error) {
            Some(Error::AlertReceived(_)) => Failure::Refused,
            Some(error) => Failure::Alien(error.to_string()),
            None => Failure::Gone(error.to_string()),
        }),
    }
}

async fn exchange(stream: &mut TlsStream<Metered>) -> io::Result<[u8; 8]> {
    let [a, b, c, d, e, f, g] = GREETING;
    // A write that fails leaves the reason to be read.
    let said = stream.write_all(&[a, b, c, d, e, f, g, VERSION]).await;
    let said = said.and(stream.flush().await);
    let mut heard = [0; 8];
    stream.read_exact(&mut heard).await?;
    said.map(|()| heard)
}

fn failure(error: &io::Error, pin: &PinnedKey) -> Failure {
    match (pin.other(), tls_error(error)) {
        (Some(key), _) => Failure::OtherKey(key),
        (None, Some(Error::AlertReceived(AlertDescription::AccessDenied))) => Failure::Refused,
        (None, Some(error)) => Failure::Alien(error.to_string()),
        (None, None) => Failure::Gone(error.to_string()),
    }
}

/// The TLS error inside an I/O error.
pub(crate) fn tls_error(error: &io::Error) -> Option<&Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// Takes what the other end still sends, so that closing does not destroy the alert that is on its way to it.
async fn linger(mut metered: Metered) {
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
    use crate::link::runtime;
    use crate::{Class, Identity, Listener, NetError, Options, connect};
    use std::thread;
    use tokio::net::TcpListener;

    const QUICK: Options = Options {
        deadline: Duration::from_secs(5),
        heartbeat: Duration::from_secs(5),
        silence: Duration::from_secs(20),
    };

    #[test]
    fn a_listener_names_the_other_version() {
        let (new, old) = (Identity::ephemeral(), Identity::ephemeral());
        let listener = Listener::bind("127.0.0.1:0").expect("a free port");
        let (addr, new_key, old_key) = (listener.local_addr(), new.public_key(), old.public_key());
        let waiting = thread::spawn(move || listener.accept(&new, &old_key, &QUICK, &|_| ()).err());
        runtime().expect("a runtime").block_on(async {
            let pin = PinnedKey::new(new_key);
            let connector = TlsConnector::from(Arc::new(tls::client(&old, &pin)));
            let tcp = TcpStream::connect(addr).await.expect("it listens");
            let stream = connector.connect(tls::server_name(), tcp).await;
            let mut stream = stream.expect("the right key");
            stream.write_all(b"veilset\x07").await.expect("open");
            let mut heard = [0; 8];
            stream.read_exact(&mut heard).await.expect("it greets too");
            assert_eq!(&heard, b"veilset\x01");
        });
        let error = waiting.join().expect("no panic").expect("another version");
        assert!(matches!(error, NetError::OtherVersion { ours: 1, theirs: 7, .. }), "{error}");
        assert_eq!(error.class(), Class::Version);
    }

    /// What a caller makes of a peer with the right key that says `word` after the handshake.
    fn caller_hears(word: &'static [u8]) -> NetError {
        let (caller, peer) = (Identity::ephemeral(), Identity::ephemeral());
        let (caller_key, peer_key) = (caller.public_key(), peer.public_key());
        let runtime = runtime().expect("a runtime");
        let socket = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let addr = socket.local_addr().expect("bound").to_string();
        let calling =
            thread::spawn(move || connect(&caller, &peer_key, &addr, &QUICK, &|_| ()).err());
        runtime.block_on(async {
            let (tcp, _) = socket.accept().await.expect("a caller");
            let config = tls::server(&peer, &PinnedKey::new(caller_key));
            let stream = TlsAcceptor::from(Arc::new(config)).accept(tcp).await;
            let mut stream = stream.expect("the right key");
            stream.write_all(word).await.expect("open");
            stream.shutdown().await.expect("open");
            let _ = stream.read_to_end(&mut Vec::new()).await;
        });
        calling.join().expect("no panic").expect("no greeting")
    }

    #[test]
    fn a_caller_tells_another_version_from_another_program() {
        let other = caller_hears(b"veilset\x02");
        assert!(matches!(other, NetError::OtherVersion { ours: 1, theirs: 2, .. }), "{other}");
        let alien = caller_hears(b"GET / HTTP/1.1");
        assert!(matches!(alien, NetError::NotVeilset { .. }), "{alien}");
        assert_eq!(alien.class(), Class::Protocol);
    }
}
