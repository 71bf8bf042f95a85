//! A party in a browser: what a page loads as WebAssembly.
//!
//! `veilset-host` is the border to the page's scripts; its `veilset_begin` runs `main` in a worker. Here is nothing but the way from
//! the page's calls to a `Desk`.
#![cfg(target_family = "wasm")]

use std::sync::Arc;

use serde_json::{Value, json};
use veilset::party::Home;
use veilset_desk::{Desk, Place};
use veilset_host::page::{Call, next_call, tell, threads};
use veilset_host::thread;

/// Bytes of memory that lists and runs take at most: WebAssembly has 4 GiB.
const MEMORY: u64 = 3 << 30;

veilset_host::main!(main);

/// Answers the page for as long as it is there.
fn main() {
    let place = Place {
        threads: threads(),
        memory: Some(MEMORY),
        folder: Some("/".into()),
        has_files: false,
    };
    let desk = Desk::new(Home::new("party"), place, |event| tell(&event.to_string(), &[]));
    loop {
        let call = next_call();
        let desk = Arc::clone(&desk);
        let answer = move || answer(&desk, call);
        if let Err(why) = thread::spawn("veilset-call", answer) {
            veilset_host::page::log(&why.to_string());
        }
    }
}

/// Answers a call, `{"id": …, "call": …, "args": …}`, with `{"id": …, "answer": …}` or `{"id": …, "refusal": …}`.
fn answer(desk: &Arc<Desk>, Call { text, bytes }: Call) {
    let call: Value = serde_json::from_slice(&text).unwrap_or_default();
    let name = call["call"].as_str().unwrap_or_default();
    match desk.call(name, &call["args"], bytes) {
        Ok(answer) => {
            tell(&json!({ "id": call["id"], "answer": answer.value }).to_string(), &answer.bytes);
        }
        Err(refusal) => {
            tell(&json!({ "id": call["id"], "refusal": refusal.object() }).to_string(), &[]);
        }
    }
}
