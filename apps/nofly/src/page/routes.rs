//! The page over HTTP.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::board::Board;
use super::gate::{Gate, Pass};

const PAGE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");

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

const REFUSAL: &str = "This page opens with the address that nofly printed, once, in one browser. Screen again for a new one.\n";

/// What every request sees.
pub(super) struct Shared {
    pub(super) board: Arc<Board>,
    pub(super) gate: Gate,
    /// Hears that the user is done.
    pub(super) close: Sender<()>,
}

/// Answers until the program ends.
pub(super) async fn serve(socket: std::net::TcpListener, shared: Shared) -> std::io::Result<()> {
    let socket = tokio::net::TcpListener::from_std(socket)?;
    axum::serve(socket, router(Arc::new(shared))).await
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(|| async { typed("text/html; charset=utf-8", PAGE) }))
        .route("/page.css", get(|| async { typed("text/css; charset=utf-8", STYLE) }))
        .route("/page.js", get(|| async { typed("text/javascript; charset=utf-8", SCRIPT) }))
        .route("/state", get(state))
        .route("/rows", get(rows))
        .route("/close", post(close))
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

async fn state(State(shared): State<Arc<Shared>>) -> Response {
    typed("application/json", shared.board.progress().to_string())
}

async fn rows(State(shared): State<Arc<Shared>>) -> Response {
    typed("application/json", shared.board.rows().to_string())
}

async fn close(State(shared): State<Arc<Shared>>) -> StatusCode {
    // Nobody waits any more if it fails.
    let _ = shared.close.send(());
    StatusCode::NO_CONTENT
}

/// Lets the page's own browser in, and puts the headers on whatever is answered.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let pass = shared.gate.judge(request.method(), request.uri(), request.headers());
    let mut response = match &pass {
        Pass::Nobody => (StatusCode::FORBIDDEN, REFUSAL).into_response(),
        Pass::First(_) | Pass::Known => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Pass::First(cookie) = pass
        && let Ok(cookie) = HeaderValue::try_from(cookie)
    {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

fn typed(kind: &'static str, body: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, kind)], body).into_response()
}
