//! What the page asks for.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use veilset_page::{html, json, script, style};

use super::board::Board;

const PAGE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");

/// What every request sees.
pub(super) struct Shared {
    pub(super) board: Arc<Board>,
    /// Hears that the user is done.
    pub(super) close: Sender<()>,
}

/// The page itself.
pub(super) fn files() -> Router {
    Router::new()
        .route("/", get(|| async { html(PAGE) }))
        .route("/page.css", get(|| async { style(STYLE) }))
        .route("/page.js", get(|| async { script(SCRIPT) }))
}

/// What the page asks for.
pub(super) fn answers(shared: Shared) -> Router {
    Router::new()
        .route("/state", get(state))
        .route("/rows", get(rows))
        .route("/close", post(close))
        .with_state(Arc::new(shared))
}

async fn state(State(shared): State<Arc<Shared>>) -> Response {
    json(&shared.board.progress())
}

async fn rows(State(shared): State<Arc<Shared>>) -> Response {
    json(&shared.board.rows())
}

async fn close(State(shared): State<Arc<Shared>>) -> StatusCode {
    // Nobody waits any more if it fails.
    let _ = shared.close.send(());
    StatusCode::NO_CONTENT
}
