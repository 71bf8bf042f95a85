//! The page of a party, over the program on this machine: the same page that a browser shows a partner, whose calls a [`Desk`] of this
//! process answers.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{Stream, stream};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};
use tokio::task::spawn_blocking;
use veilset::party::Home;
use veilset_desk::{Answer, Desk, Place};
use veilset_page::{party, script};

/// Events that a tab may lag behind.
const BEHIND: usize = 1024;

/// The header in which an answer stands that has bytes beside it.
const ANSWER: &str = "x-veilset-answer";

const BACKEND: &str = include_str!("backend.js");

#[derive(Clone)]
struct Shared {
    desk: Arc<Desk>,
    events: Sender<Value>,
}

/// Opens the page of the party that lives at `home`, at this port of the loopback address (0 stands for any free one). It is there until
/// the program ends. Returns the address to give to a browser; it works once.
///
/// # Errors
/// When the system gives no port, thread or randomness.
pub fn open(home: Home, place: Place, port: u16) -> io::Result<String> {
    let (events, _) = channel(BEHIND);
    let tells = events.clone();
    // Nobody may look just now.
    let tell = move |event| drop(tells.send(event));
    let shared = Shared { desk: Desk::new(home, place, tell), events };
    let files = party().route("/backend.js", get(|| async { script(BACKEND) }));
    let answers =
        Router::new().route("/call", post(call)).route("/events", get(follow)).with_state(shared);
    veilset_page::serve("veilset", port, files, answers)
}

/// Answers a call, `{"call": …, "args": …}`, with `{"answer": …}`, with bytes and the answer in a header, or with `{"refusal": …}`.
async fn call(State(shared): State<Shared>, body: Bytes) -> Response {
    let Ok(call) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let answering = move || {
        let name = call["call"].as_str().unwrap_or_default();
        shared.desk.call(name, &call["args"], Vec::new())
    };
    match spawn_blocking(answering).await {
        Ok(Ok(Answer { value, bytes })) if bytes.is_empty() => {
            veilset_page::json(&json!({ "answer": value }))
        }
        Ok(Ok(Answer { value, bytes })) => {
            let text = utf8_percent_encode(&value.to_string(), NON_ALPHANUMERIC).to_string();
            ([(ANSWER, text)], bytes).into_response()
        }
        Ok(Err(refusal)) => veilset_page::json(&json!({ "refusal": refusal.object() })),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// What happens, from now on.
async fn follow(
    State(shared): State<Shared>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let next = async |mut events: Receiver<Value>| loop {
        match events.recv().await {
            Ok(event) => return Some((Ok(Event::default().data(event.to_string())), events)),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    };
    Sse::new(stream::unfold(shared.events.subscribe(), next)).keep_alive(KeepAlive::default())
}
