//! Who answers.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::PROTOBUF;
use crate::brisk::Brisk;

/// The longest head of a request in bytes.
const HEAD: usize = 16 << 10;

/// The bytes a second of the slowest line.
const SLOWEST: u64 = 16 << 10;

/// How long the system may be short of something before it is asked again.
const BREATH: Duration = Duration::from_millis(50);

/// What bounds callers.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most bytes of a message that comes.
    pub message: usize,
    /// The most connections at once; others wait.
    pub connections: usize,
    /// How long a caller may take for the head of a request, and beyond what a slow line takes for the rest.
    pub patience: Duration,
}

/// What a caller asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The place, such as `/setup`.
    pub place: String,
    /// What it brings; none where it only looks.
    pub message: Option<Vec<u8>>,
}

/// What a caller gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A message.
    Message(Bytes),
    /// A refusal: a status of HTTP, and why.
    Refused(u16, String),
}

/// A place that answers messages.
pub struct Office {
    listener: TcpListener,
    limits: Limits,
}

impl Office {
    /// Opens at an address.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(address: &str, limits: Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, limits })
    }

    /// Where callers come.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until the program ends. `answer` runs for one caller at a time.
    ///
    /// # Errors
    /// When the system gives no runtime.
    pub fn serve(
        self,
        answer: impl Fn(Asked) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Infallible> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let desk = Arc::new(Desk {
            answer: Box::new(answer),
            turn: Semaphore::new(1),
            limits: self.limits,
        });
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let seats = Arc::new(Semaphore::new(self.limits.connections));
            loop {
                let seat = Arc::clone(&seats).acquire_owned().await.map_err(io::Error::other)?;
                let Ok((stream, _)) = listener.accept().await else {
                    // The system is short of something, which an attempt at once would not find otherwise.
                    sleep(BREATH).await;
                    continue;
                };
                let desk = Arc::clone(&desk);
                tokio::spawn(async move {
                    desk.attend(stream).await;
                    drop(seat);
                });
            }
        })
    }
}

struct Desk {
    answer: Box<dyn Fn(Asked) -> Answer + Send + Sync>,
    /// Whose turn it is: an answer takes all processors.
    turn: Semaphore,
    limits: Limits,
}

impl Desk {
    /// Answers one request, and closes.
    async fn attend(self: Arc<Self>, stream: tokio::net::TcpStream) {
        let patience = self.limits.patience;
        let brisk = Brisk::new(stream, patience, patience.as_secs() * SLOWEST);
        let service = service_fn(|request| {
            let desk = Arc::clone(&self);
            async move { Ok::<_, Infallible>(response(desk.judge(request).await)) }
        });
        let talk = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(brisk), service);
        // A caller that goes away, or is slow, gets nothing.
        let _ = talk.await;
    }

    async fn judge(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let place = request.uri().path().to_owned();
        let message = match *request.method() {
            Method::GET => None,
            Method::POST => match self.read(request).await {
                Ok(message) => Some(message),
                Err(refused) => return refused,
            },
            _ => return refused(StatusCode::METHOD_NOT_ALLOWED, "GET and POST are answered"),
        };
        let Ok(_turn) = self.turn.acquire().await else {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "this service stops");
        };
        let desk = Arc::clone(&self);
        let answer = move || (desk.answer)(Asked { place, message });
        let failed = |_| refused(StatusCode::INTERNAL_SERVER_ERROR, "this service failed");
        tokio::task::spawn_blocking(answer).await.unwrap_or_else(failed)
    }

    async fn read(&self, request: Request<Incoming>) -> Result<Vec<u8>, Answer> {
        let most = self.limits.message;
        let too_long = || {
            let text = format!("a message here has at most {most} bytes");
            Answer::Refused(StatusCode::PAYLOAD_TOO_LARGE.as_u16(), text)
        };
        if request.body().size_hint().lower() > most as u64 {
            return Err(too_long());
        }
        let patience = self.limits.patience + Duration::from_secs(most as u64 / SLOWEST);
        match timeout(patience, Limited::new(request.into_body(), most).collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes().into()),
            Ok(Err(why)) if why.is::<LengthLimitError>() => Err(too_long()),
            Ok(Err(_)) => Err(refused(StatusCode::BAD_REQUEST, "the message broke off")),
            Err(_) => Err(refused(StatusCode::REQUEST_TIMEOUT, "the message took too long")),
        }
    }
}

fn refused(status: StatusCode, why: &str) -> Answer {
    Answer::Refused(status.as_u16(), why.to_owned())
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let (status, kind, body) = match answer {
        Answer::Message(message) => (StatusCode::OK, PROTOBUF, message),
        Answer::Refused(status, why) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
            (status, "text/plain; charset=utf-8", Bytes::from(why + "\n"))
        }
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
