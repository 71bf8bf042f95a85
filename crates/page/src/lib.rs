//! A page on this machine that one browser sees: loopback only, an address that works once, nothing from elsewhere.
//!
//! An application has its own files and answers, and [`serve`] puts the rest around them: who may ask (the gate), what
//! every answer forbids, the style that all pages share (`/base.css`) and the script by which theirs ask (`/gate.js`).

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::Value;
use tokio::runtime::Builder;

mod gate;
mod party_page;

use gate::Gate;
pub use party_page::party;

const STYLE: &str = include_str!("base.css");
const SCRIPT: &str = include_str!("gate.js");

/// Nothing but this page's own files, and no frame around it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
    img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Who is let in, and what others are told.
struct Door {
    gate: Gate,
    refusal: String,
}

fn taken(port: u16, why: &io::Error) -> io::Error {
    let what = format!(
        "port {port} of this machine is not free ({why}); give another, or none for any free one"
    );
    io::Error::new(why.kind(), what)
}

/// Shows a page on a thread of its own until the program ends, at this port of the loopback address (0 stands for any free
/// one). Its `files` are the same for everybody, so that anybody on this machine may have them; its `answers` are for the
/// page's own tab. Returns the address to give to a browser; it works once.
///
/// # Errors
/// When the system gives no port, thread or randomness.
pub fn serve(
    program: &'static str,
    port: u16,
    files: Router,
    answers: Router,
) -> io::Result<String> {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|why| taken(port, &why))?;
    socket.set_nonblocking(true)?;
    let (gate, address) = Gate::open(socket.local_addr()?)?;
    let refusal = format!(
        "This page opens with the address that {program} printed, once, in one tab of one browser. Start {program} again for a new one.\n"
    );
    let door = Arc::new(Door { gate, refusal });
    let own = Router::new().route("/enter", post(enter)).with_state(Arc::clone(&door));
    let router = files
        .route("/base.css", get(|| async { style(STYLE) }))
        .route("/gate.js", get(|| async { script(SCRIPT) }))
        .merge(own)
        .merge(answers.route_layer(from_fn_with_state(Arc::clone(&door), guard)))
        .layer(from_fn_with_state(door, surround));
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let serving = async move {
        let socket = tokio::net::TcpListener::from_std(socket)?;
        axum::serve(socket, router).await
    };
    let serving = move || runtime.block_on(serving);
    thread::Builder::new().name(format!("{program}-page")).spawn(serving)?;
    Ok(address)
}

impl Door {
    fn refuse(&self) -> Response {
        (StatusCode::FORBIDDEN, self.refusal.clone()).into_response()
    }
}

/// The page's secret, for whoever brings its token first.
async fn enter(State(door): State<Arc<Door>>, headers: HeaderMap) -> Response {
    match door.gate.enter(&headers) {
        Some(secret) => typed("text/plain; charset=utf-8", secret.to_owned()),
        None => door.refuse(),
    }
}

/// Lets the page's own tab in.
async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    if door.gate.knows(request.headers()) { next.run(request).await } else { door.refuse() }
}

/// Turns away what comes from elsewhere, and puts the headers on whatever is answered.
async fn surround(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let mut response = match door.gate.is_own(request.method(), request.headers()) {
        true => next.run(request).await,
        false => door.refuse(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A page.
pub fn html(body: &'static str) -> Response {
    typed("text/html; charset=utf-8", body)
}

/// A style sheet.
pub fn style(body: &'static str) -> Response {
    typed("text/css; charset=utf-8", body)
}

/// A script.
pub fn script(body: &'static str) -> Response {
    typed("text/javascript; charset=utf-8", body)
}

/// A value for a script.
#[must_use]
pub fn json(value: &Value) -> Response {
    typed("application/json", value.to_string())
}

/// An answer of this kind.
pub fn typed(kind: &'static str, body: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, kind)], body).into_response()
}
