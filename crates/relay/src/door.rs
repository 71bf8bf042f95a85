//! From a TCP connection to a guest: TLS where it is the relay's, then HTTP, which becomes a WebSocket.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use veilset_reach::source;
use veilset_reach::wire::SUBPROTOCOL;

use crate::hall::{Connection, Hall};
use crate::metrics::Refused;
use crate::page::Page;
use crate::room::Guest;

/// How long TLS, and then the head of a request, may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest head of a request in bytes.
const HEAD: usize = 16 << 10;

/// What people who look are told.
const HELLO: &str = "This is a veilset relay. Two parties that know each other's keys meet here: give both --via and this address.\n";

const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The bytes a second of the slowest line to which a file of the page goes.
const SLOWEST: u64 = 16 << 10;

/// How long somebody may look at the page over one connection.
const LONGEST_LOOK: Duration = Duration::from_secs(600);

/// The most files of the page that go over one connection: several pages' worth.
const FILES: usize = 128;

type Answer = Response<Full<Bytes>>;

/// Where a caller's connection is until it becomes a guest's.
type Entrance = Mutex<Option<(oneshot::Sender<(Request<Incoming>, Connection)>, Connection)>>;

/// Until when a caller is waited for.
struct Patience {
    last: Instant,
    until: Mutex<Instant>,
}

impl Patience {
    fn new() -> Self {
        let now = Instant::now();
        Self { last: now + LONGEST_LOOK, until: Mutex::new(now + 2 * PATIENCE) }
    }

    /// An answer of so many bytes begins, and its caller may ask again.
    fn renew(&self, length: u64) {
        let until = Instant::now() + 2 * PATIENCE + Duration::from_secs(length / SLOWEST);
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until.min(self.last);
    }

    async fn ended(&self) {
        loop {
            let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
            if Instant::now() >= until {
                return;
            }
            sleep_until(until).await;
        }
    }
}

/// Through which all come.
pub(crate) struct Door {
    pub(crate) hall: Arc<Hall>,
    pub(crate) acceptor: Option<TlsAcceptor>,
    pub(crate) page: Option<Arc<Page>>,
    pub(crate) behind_proxy: bool,
}

impl Door {
    pub(crate) async fn answer(self: Arc<Self>, tcp: TcpStream, connection: Connection) {
        let _ = tcp.set_nodelay(true);
        let Some(acceptor) = &self.acceptor else {
            return self.listen_to(tcp, connection).await;
        };
        match timeout(PATIENCE, acceptor.accept(tcp)).await {
            Ok(Ok(tls)) => self.listen_to(tls, connection).await,
            Ok(Err(_)) => self.hall.metrics.refuse(Refused::Malformed),
            Err(_) => self.hall.metrics.refuse(Refused::Slow),
        }
    }

    /// Shows files, or answers one other request, and has whoever asks for a WebSocket in until it goes.
    async fn listen_to(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        connection: Connection,
    ) {
        let (sender, comes) = oneshot::channel();
        let entrance = Mutex::new(Some((sender, connection)));
        let (patience, files) = (Patience::new(), AtomicUsize::new(0));
        let service = service_fn(|request| {
            let answer = match self.looks(&request) {
                Some(page) => {
                    let shown_before = files.fetch_add(1, Relaxed);
                    // A proxy's connections count for nobody, so each is short.
                    let ends = self.behind_proxy || self.hall.stop.is_stopped();
                    shown(page, &request, ends || shown_before + 1 == FILES)
                }
                None => self.judge(request, &entrance),
            };
            patience.renew(answer.body().size_hint().exact().unwrap_or_default());
            std::future::ready(Ok::<_, Infallible>(answer))
        });
        let talk = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let talked = tokio::select! {
            talked = talk => Some(talked),
            // A body that never ends, or an answer that nobody takes.
            () = patience.ended() => None,
        };
        drop(entrance);
        match talked {
            Some(Ok(())) => {}
            // Whoever got files may leave as it likes.
            Some(Err(_)) if files.load(Relaxed) > 0 => return,
            Some(Err(_)) => return self.hall.metrics.refuse(Refused::Malformed),
            None => return self.hall.metrics.refuse(Refused::Slow),
        }
        if let Ok((upgrade, connection)) = comes.await
            && let Ok(upgraded) = hyper::upgrade::on::<Request<Incoming>>(upgrade).await
        {
            Guest::over(upgraded, connection).await.attend(Arc::clone(&self.hall)).await;
        }
    }

    /// The page, if the request asks for a file of it.
    fn looks(&self, request: &Request<Incoming>) -> Option<&Page> {
        self.page.as_deref().filter(|_| is_look(request))
    }

    fn judge(&self, request: Request<Incoming>, entrance: &Entrance) -> Answer {
        let taken = entrance.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((sender, mut connection)) = taken else {
            return told(StatusCode::CONFLICT, "one request a connection\n");
        };
        let Some(key) = wanted(&request) else {
            let ok = is_look(&request);
            return told(if ok { StatusCode::OK } else { StatusCode::UPGRADE_REQUIRED }, HELLO);
        };
        if self.hall.stop.is_stopped() {
            return told(StatusCode::SERVICE_UNAVAILABLE, "the relay stops\n");
        }
        if self.behind_proxy {
            let Some(ip) = forwarded(&request) else {
                self.hall.metrics.refuse(Refused::Malformed);
                return told(StatusCode::BAD_REQUEST, "the proxy does not say X-Forwarded-For\n");
            };
            if !connection.is_of(source(ip)) {
                return told(StatusCode::TOO_MANY_REQUESTS, "too many connections\n");
            }
        }
        let mut answer = told(StatusCode::SWITCHING_PROTOCOLS, "");
        let headers = answer.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
        headers.insert(SEC_WEBSOCKET_ACCEPT, key);
        let _ = sender.send((request, connection));
        answer
    }
}

/// Whether somebody looks, who wants no WebSocket.
fn is_look(request: &Request<Incoming>) -> bool {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    reads && !request.headers().contains_key(UPGRADE)
}

/// The answer to the key of a WebSocket's request (RFC 6455, section 4.2), if it is one with our subprotocol.
fn wanted(request: &Request<Incoming>) -> Option<HeaderValue> {
    let headers = request.headers();
    let has = |name: HeaderName, word: &str| {
        let values = headers.get_all(name).into_iter();
        let words =
            values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        words.into_iter().any(|one| one.trim().eq_ignore_ascii_case(word))
    };
    let is_ours = *request.method() == Method::GET
        && has(CONNECTION, "upgrade")
        && has(UPGRADE, "websocket")
        && has(SEC_WEBSOCKET_VERSION, "13")
        && has(SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL);
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| is_ours)?;
    HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok()
}

/// The last source that the proxy names: those before are what the caller says.
fn forwarded(request: &Request<Incoming>) -> Option<IpAddr> {
    let value = request.headers().get_all(FORWARDED).into_iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    last.parse().ok().or_else(|| last.parse().ok().map(|addr: SocketAddr| addr.ip()))
}

/// What a page may do, and what isolates it, without which its threads share no memory: its own files, its own module, relays, and
/// nothing else.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
         connect-src 'self' wss: ws://localhost:* ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-cache"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// A file of the page, after which the connection ends if it is the last.
fn shown(page: &Page, request: &Request<Incoming>, is_last: bool) -> Answer {
    let Some(file) = page.file(request.uri().path()) else {
        return told(StatusCode::NOT_FOUND, "the relay's page has no such file\n");
    };
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let takes = |encoding: &str| {
        let mut all = accepted.unwrap_or_default().split(',');
        all.any(|one| one.split(';').next().is_some_and(|name| name.trim() == encoding))
    };
    let packed = file.packed.iter().find(|(encoding, _)| takes(encoding));
    let body = match packed {
        _ if request.method() == Method::HEAD => Bytes::new(),
        Some((_, bytes)) => bytes.clone(),
        None => file.bytes.clone(),
    };
    let mut answer = Response::new(Full::new(body));
    let headers = answer.headers_mut();
    if let Some((encoding, _)) = packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    if is_last {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn told(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *answer.status_mut() = status;
    if !text.is_empty() {
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        answer.headers_mut().insert(CONTENT_TYPE, plain);
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

/// Shows metrics to whoever asks.
pub(crate) async fn show_metrics(socket: TcpListener, hall: Arc<Hall>) {
    /// The pause after the system refused to accept a connection.
    const BREATH: Duration = Duration::from_millis(100);
    /// Who is shown them at once.
    const READERS: usize = 16;
    let mut readers = JoinSet::new();
    loop {
        while readers.len() >= READERS {
            readers.join_next().await;
        }
        let Ok((tcp, _)) = socket.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        while readers.try_join_next().is_some() {}
        let hall = Arc::clone(&hall);
        readers.spawn(async move {
            let service = service_fn(|_: Request<Incoming>| {
                let text = Full::new(Bytes::from(hall.metrics.render()));
                std::future::ready(Ok::<_, Infallible>(Response::new(text)))
            });
            let talk = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .keep_alive(false)
                .serve_connection(TokioIo::new(tcp), service);
            let _ = timeout(2 * PATIENCE, talk).await;
        });
    }
}
