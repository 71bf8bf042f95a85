//! Our time beside that of the published package, in one run: each step of a client and a server with so many items each.
//!
//! ```text
//! cargo run --release -p veilset-tongues --example openmined_speed [ITEMS] [PYTHON]
//! ```
//!
//! PYTHON is an interpreter that has the package `openmined.psi`. Ours is measured on one thread, as theirs has one, and on all.

use std::process::Command;
use std::time::Instant;

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use veilset_crypto::P256Prp;
use veilset_tongues::openmined::{
    Client, OpenMinedError, Plan, Request, Response, Server, Setup, Structure,
};

const STRUCTURES: [(&str, Structure); 3] =
    [("raw", Structure::Raw), ("gcs", Structure::Gcs), ("bloom", Structure::Bloom)];

const THEIRS: &str = r#"
import sys, time
import private_set_intersection.python as psi
n = int(sys.argv[1])
server_items = [f"user{i}@example.com" for i in range(n)]
client_items = [f"user{i}@example.com" for i in range(n // 2, n // 2 + n)]
def timed(what, call):
    started = time.perf_counter()
    result = call()
    print(f"{'theirs':10} {what:22} {time.perf_counter() - started:9.3f} s", flush=True)
    return result
server, client = psi.server.CreateWithNewKey(True), psi.client.CreateWithNewKey(True)
request = timed("request", lambda: client.CreateRequest(client_items))
response = timed("response", lambda: server.ProcessRequest(request))
for name in ["RAW", "GCS", "BLOOM_FILTER"]:
    kind = psi.DataStructure[name]
    setup = timed("setup " + name, lambda: server.CreateSetupMessage(1e-6, n, server_items, kind))
    found = timed("intersection " + name, lambda: client.GetIntersection(setup, response))
    most = 2 if name == "BLOOM_FILTER" else 0
    assert 0 <= len(found) - (n - n // 2) <= most, len(found)
"#;

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Protocol(#[from] OpenMinedError),
    #[error(transparent)]
    Threads(#[from] ThreadPoolBuildError),
    #[error("{0}")]
    Other(&'static str),
}

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let items = words.next().map_or(Ok(100_000), |word| word.parse());
    let items: usize = items.map_err(|_| Failure::Other("ITEMS is a number"))?;
    for threads in [1, 0] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let who = if threads == 1 { "one thread" } else { "all cores" };
        pool.install(|| ours(who, items))?;
    }
    let Some(python) = words.next() else { return Ok(()) };
    let ran = Command::new(python).args(["-c", THEIRS, &items.to_string()]).status();
    if ran.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    Err(Failure::Other("the interpreter has no package openmined.psi"))
}

fn ours(who: &str, items: usize) -> Result<(), Failure> {
    let item = |number: usize| format!("user{number}@example.com");
    let server_items: Vec<_> = (0..items).map(item).collect();
    let client_items: Vec<_> = (items / 2..items / 2 + items).map(item).collect();
    let key = |byte| P256Prp::new(&[byte; 32]).ok_or(Failure::Other("a key"));
    let (server, client) = (Server::new(key(7)?, true), Client::new(key(9)?, true));
    let request = timed(who, "request", || Ok(client.request(&client_items)?.encode()))?;
    let response = timed(who, "response", || {
        Ok(server.respond(&Request::decode(&request, items)?)?.encode())
    })?;
    for (name, structure) in STRUCTURES {
        let plan = Plan { structure, client_items: items, false_positives: 1e-6 };
        let setup = timed(who, &format!("setup {name}"), || {
            Ok(server.setup(&server_items, &plan)?.encode())
        })?;
        let found = timed(who, &format!("intersection {name}"), || {
            let response = Response::decode(&response, items)?;
            client.matches(&Setup::decode(&setup)?, &response, items)
        })?;
        let most = items - items / 2 + if structure == Structure::Bloom { 2 } else { 0 };
        if !(items - items / 2..=most).contains(&found.len()) {
            return Err(Failure::Other("another intersection than the lists have"));
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example says what it measured")]
fn timed<T>(
    who: &str,
    what: &str,
    call: impl FnOnce() -> Result<T, OpenMinedError>,
) -> Result<T, OpenMinedError> {
    let started = Instant::now();
    let result = call()?;
    println!("{who:10} {what:22} {:9.3} s", started.elapsed().as_secs_f64());
    Ok(result)
}
