//! What the tests of programs play on: parties as processes ([`Party`], [`Running`]), an address that stays ([`Relay`]), a
//! page's caller over HTTP ([`HttpClient`]), and a page in a browser ([`Browser`], [`Tab`]).
//!
//! Everything here panics, with what was seen, where a test should fail.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

mod browser;
mod client;
mod party;
mod relay;

pub use browser::{Browser, Key, Tab};
pub use client::{HttpAnswer, HttpClient};
pub use party::{Party, Running};
pub use relay::Relay;

/// How long anything may take before a test gives up: longer than it takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A loopback address at which nobody listens: no system gives this port away.
pub const NOBODY: &str = "127.0.0.1:1";

/// What a process said on standard error.
#[must_use]
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a process printed.
#[must_use]
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The exit code.
#[must_use]
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("it was not killed")
}

/// The root of the repository.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The commands of `program` in the fenced blocks of a page of the documentation.
#[must_use]
pub fn commands(page: &str, program: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).expect("the page is there");
    let lines = text.split("```").skip(1).step_by(2).flat_map(str::lines);
    let of_program = |line: &&str| line.split(' ').next() == Some(program);
    lines.filter(of_program).map(str::to_owned).collect()
}
