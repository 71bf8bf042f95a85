//! What the page asks for.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::{self, Stream};
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use veilset::data::calendar::Calendar;

use crate::availability::shown;
use crate::board;
use crate::desk::Desk;
use crate::error::Refusal;
use crate::request::{Pin, Place, Run, Times, read};
use crate::run;

/// The most bytes of a calendar, as for one on the web.
const LARGEST: usize = 64 << 20;

/// The pause between two events, so that a browser draws no more than an eye sees.
const FRAME: Duration = Duration::from_millis(40);

/// The page's files.
macro_rules! asset {
    ($kind:ident, $name:literal) => {
        get(|| async { veilset_page::$kind(include_str!(concat!("page/", $name))) })
    };
}

/// What every request sees.
#[derive(Clone)]
struct Shared {
    desk: Arc<Desk>,
    /// Hears that the user is done.
    close: Sender<()>,
}

/// The page itself.
pub(crate) fn files() -> Router {
    Router::new()
        .route("/", asset!(html, "page.html"))
        .route("/page.css", asset!(style, "page.css"))
        .route("/week.css", asset!(style, "week.css"))
        .route("/order.css", asset!(style, "order.css"))
        .route("/main.js", asset!(script, "main.js"))
        .route("/dom.js", asset!(script, "dom.js"))
        .route("/time.js", asset!(script, "time.js"))
        .route("/meeting.js", asset!(script, "meeting.js"))
        .route("/calendar.js", asset!(script, "calendar.js"))
        .route("/week.js", asset!(script, "week.js"))
        .route("/order.js", asset!(script, "order.js"))
        .route("/other.js", asset!(script, "other.js"))
        .route("/run.js", asset!(script, "run.js"))
}

/// Everything that the page asks for; `close` hears that it was closed.
pub(crate) fn answers(desk: Arc<Desk>, close: Sender<()>) -> Router {
    Router::new()
        .route("/setup", get(setup))
        .route("/calendar", post(calendar).layer(DefaultBodyLimit::max(LARGEST)))
        .route("/calendar/fetch", post(fetch))
        .route("/calendar/forget", post(forget))
        .route("/times", post(times))
        .route("/pin", post(pin))
        .route("/run", post(begin))
        .route("/cancel", post(cancel))
        .route("/events", get(events))
        .route("/meeting.ics", get(meeting))
        .route("/close", post(quit))
        .with_state(Shared { desk, close })
}

async fn setup(State(shared): State<Shared>) -> Response {
    answer(shared, |desk| desk.setup()).await
}

async fn calendar(State(shared): State<Shared>, body: Bytes) -> Response {
    let read = move |desk: &Arc<Desk>| {
        let calendar = Calendar::parse("your file".to_owned(), body.to_vec())?;
        Ok(desk.take(Some(calendar)))
    };
    answer(shared, read).await
}

async fn fetch(State(shared): State<Shared>, body: Bytes) -> Response {
    let get = move |desk: &Arc<Desk>| {
        let Place { url } = read(&body)?;
        let (host, bytes) =
            veilset::sources::fetch(url.trim()).map_err(|error| Refusal::new("calendar", error))?;
        Ok(desk.take(Some(Calendar::parse(host, bytes)?)))
    };
    answer(shared, get).await
}

async fn forget(State(shared): State<Shared>) -> Response {
    answer(shared, |desk| Ok(desk.take(None))).await
}

async fn times(State(shared): State<Shared>, body: Bytes) -> Response {
    let show = move |desk: &Arc<Desk>| shown(desk.calendar().as_deref(), &read::<Times>(&body)?);
    answer(shared, show).await
}

async fn pin(State(shared): State<Shared>, body: Bytes) -> Response {
    let pin = move |desk: &Arc<Desk>| {
        let Pin { name, key } = read(&body)?;
        desk.party.pin(&name, &key)?;
        Ok(desk.party.known()?)
    };
    answer(shared, pin).await
}

async fn begin(State(shared): State<Shared>, body: Bytes) -> Response {
    let begin = move |desk: &Arc<Desk>| {
        run::start(desk, &read::<Run>(&body)?)?;
        Ok(Value::Null)
    };
    answer(shared, begin).await
}

async fn cancel(State(shared): State<Shared>) -> StatusCode {
    shared.desk.cancel();
    StatusCode::NO_CONTENT
}

async fn quit(State(shared): State<Shared>) -> StatusCode {
    shared.desk.cancel();
    // Nobody waits any more if it fails.
    let _ = shared.close.send(());
    StatusCode::NO_CONTENT
}

async fn meeting(State(shared): State<Shared>) -> Response {
    let Some(slot) = shared.desk.agreed() else { return StatusCode::NOT_FOUND.into_response() };
    veilset_page::typed("text/calendar; charset=utf-8", slot.calendar(SystemTime::now()))
}

/// The state of the run, now and after each change.
async fn events(
    State(shared): State<Shared>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let next = |mut changes: watch::Receiver<board::State>| async move {
        sleep(FRAME).await;
        changes.changed().await.ok()?;
        let state = changes.borrow_and_update().json();
        Some((Ok(Event::default().data(state.to_string())), changes))
    };
    Sse::new(stream::unfold(shared.desk.board.follow(), next)).keep_alive(KeepAlive::default())
}

/// Does what may take a while beside the thread that answers, and answers with its value or with what is wrong.
async fn answer(
    shared: Shared,
    act: impl FnOnce(&Arc<Desk>) -> Result<Value, Refusal> + Send + 'static,
) -> Response {
    let bug = || Refusal::new("run", "this is a bug in appoint, please report it");
    let done = spawn_blocking(move || act(&shared.desk)).await;
    match done.unwrap_or_else(|_| Err(bug())) {
        Ok(value) => veilset_page::json(&value),
        Err(refusal) => {
            let body = veilset_page::json(&refusal.json());
            (StatusCode::UNPROCESSABLE_ENTITY, body).into_response()
        }
    }
}
