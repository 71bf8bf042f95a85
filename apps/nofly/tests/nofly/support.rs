//! An authority and an airline as processes, and a browser as far as a page needs one.

use std::process::Output;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use veilset_stage::{HttpClient, PATIENCE, Party, Running};

/// An authority and an airline that have pinned each other under these names.
pub(crate) fn pair() -> (Party, Party) {
    Party::pair(env!("CARGO_BIN_EXE_nofly"), "authority", "airline")
}

/// A party that nobody knows.
pub(crate) fn party() -> Party {
    Party::new(env!("CARGO_BIN_EXE_nofly"))
}

/// The beginning of most screenings.
pub(crate) const SCREEN: [&str; 6] =
    ["screen", "manifest.csv", "--key", "id", "--peer", "authority"];

/// Starts `nofly serve` on `list.csv` with further flags.
pub(crate) fn serve(authority: &Party, peer: &str, flags: &[&str]) -> Running {
    let args = ["serve", "list.csv", "--key", "id", "--peer", peer, "--listen", "127.0.0.1:0"];
    authority.start(&[&args, flags].concat())
}

/// Runs `nofly screen` on `manifest.csv` with further flags.
pub(crate) fn screen(airline: &Party, address: &str, flags: &[&str]) -> Output {
    airline.run(&[&SCREEN[..], &["--deadline", "60s", "--connect", address], flags].concat())
}

/// Asks until the screening is over, and returns the last state.
pub(crate) fn await_end(client: &HttpClient) -> Value {
    let started = Instant::now();
    loop {
        let state = client.get("/state").json();
        if state["stage"] == "done" || state["stage"] == "failed" {
            return state;
        }
        assert!(started.elapsed() < PATIENCE, "{state}");
        sleep(Duration::from_millis(50));
    }
}
