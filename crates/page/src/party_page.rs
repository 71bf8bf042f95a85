//! The page of a party: its files, whoever answers its calls.

use axum::Router;
use axum::routing::get;

use crate::{html, script, style};

macro_rules! scripts {
    ($router:expr, $($name:literal)*) => {
        $router$(.route(
            concat!("/", $name),
            get(|| async { script(include_str!(concat!("party/", $name))) }),
        ))*
    };
}

/// The page of a party, without `backend.js`, by which it reaches whoever answers.
pub fn party() -> Router {
    let page = Router::new()
        .route("/", get(|| async { html(include_str!("party/index.html")) }))
        .route("/party.css", get(|| async { style(include_str!("party/party.css")) }))
        .route("/pictures.css", get(|| async { style(include_str!("party/pictures.css")) }));
    scripts!(page,
        "ask.js" "dom.js" "exchange.js" "main.js" "party.js" "spec.js" "svg.js" "upset.js" "venn.js" "words.js"
        "views/about.js" "views/accept.js" "views/columns.js" "views/compare.js" "views/dirt.js"
        "views/history.js" "views/identity.js" "views/invite.js" "views/list.js" "views/order.js"
        "views/peers.js" "views/result.js" "views/run.js" "views/several.js" "views/terms.js"
    )
}
