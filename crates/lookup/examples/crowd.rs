//! Measures a service: how long a list takes to build and how large it is, and what many clients at once get.
//!
//! `cargo run --release -p veilset-lookup --example crowd -- CLIENTS ITEMS LOOKUPS`
#![allow(clippy::print_stdout, reason = "this is what a measurement is for")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::Element;
use veilset_lookup::{
    Answer, Client, Filter, Item, List, ListFile, LookupService, OprfFilter, Quota, Sizing,
};
use veilset_net::{Callers, Limits, Listener, Options, Stop, connect};
use veilset_party::{Identity, PublicKey};

/// Bytes of a client's stack: a lookup of one item needs little.
const STACK: usize = 512 * 1024;

fn element(number: u64) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

fn argument(place: usize, default: u64) -> u64 {
    std::env::args().nth(place).map_or(default, |text| text.parse().expect("a number"))
}

fn main() {
    let (clients, items, lookups) = (argument(1, 1000), argument(2, 1 << 16), argument(3, 3));
    let list = build(items);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    list.write(&path, false).expect("writable");
    let identity = Identity::ephemeral();
    let engine = OprfFilter::new(ListFile::read(&path).expect("whole"), &identity);
    println!("{items} items: {} bytes published", engine.manifest().length());

    let parties: Vec<Identity> = (0..clients).map(|_| Identity::ephemeral()).collect();
    let allowed = parties.iter().map(Identity::public_key).collect();
    let callers = Callers { allowed, known: Vec::new() };
    let limits = Limits::default();
    let service =
        LookupService::new(Arc::new(engine), callers, Quota::unlimited(), limits.threads, |_| ());
    let service = Arc::new(service.expect("the system gives threads"));
    let listener = Listener::bind("127.0.0.1:0").expect("a free port");
    let (addr, key) = (listener.local_addr().to_string(), identity.public_key());
    let (stop, serving) = (Stop::new(), Arc::clone(&service));
    let stopping = stop.clone();
    let server = thread::spawn(move || listener.serve(&identity, serving, &limits, &stopping));

    let filter = fetch(&parties[0], &key, &addr);
    crowd(&parties, &key, &addr, &filter, lookups);
    stop.stop();
    server.join().expect("no panic").expect("it was stopped");
    print!("{}", service.metrics().render(&service.engine().about()));
}

fn build(items: u64) -> List {
    let started = Instant::now();
    let make = |_: &[u8; 32]| {
        (0..items).map(|i| Item { element: element(i), label: String::new() }).collect()
    };
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let list = List::build(None, "raw/1".to_owned(), false, Sizing::EachLookup, make, &mut rng);
    println!("built in {:.2} s", started.elapsed().as_secs_f64());
    list.expect("a list")
}

fn client(party: &Identity, key: &PublicKey, addr: &str) -> Client<'static> {
    let options = Options { deadline: Duration::from_secs(120), ..Options::default() };
    let transport = connect(party, key, addr, &options, &|_| ()).expect("it listens");
    Client::new(Box::new(transport), *key)
}

fn fetch(party: &Identity, key: &PublicKey, addr: &str) -> Filter {
    let started = Instant::now();
    let mut client = client(party, key, addr);
    let (filter, _) = client.fetch(None).expect("it answers").expect("nothing was there before");
    client.close();
    println!("fetched in {:.3} s", started.elapsed().as_secs_f64());
    filter
}

/// All connect, then all ask, one item at a time.
fn crowd(parties: &[Identity], key: &PublicKey, addr: &str, filter: &Filter, lookups: u64) {
    let (errors, waited) = (AtomicU64::new(0), AtomicU64::new(0));
    let all_here = Barrier::new(parties.len());
    let started = Instant::now();
    thread::scope(|scope| {
        for (number, party) in (0u64..).zip(parties) {
            let (errors, waited, all_here) = (&errors, &waited, &all_here);
            let ask = move || {
                let mut client = client(party, key, addr);
                all_here.wait();
                let mut rng = ChaCha20Rng::from_seed([2; 32]);
                for lookup in 0..lookups {
                    let asked = Instant::now();
                    let asked_for = [element(number * lookups + lookup)];
                    let outputs = client.ask(filter.manifest(), &asked_for, &mut rng);
                    waited.fetch_add(asked.elapsed().as_micros() as u64, Relaxed);
                    // All are listed but those beyond the list's end.
                    let listed = number * lookups + lookup < filter.manifest().count;
                    let answer =
                        outputs.ok().and_then(|outputs| Some(filter.find(outputs.first()?)));
                    let right = match answer {
                        Some(Answer::Listed(_)) => listed,
                        Some(Answer::NotListed) => !listed,
                        None => false,
                    };
                    errors.fetch_add(u64::from(!right), Relaxed);
                }
                client.close();
            };
            let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, ask);
            started.expect("the system gives threads");
        }
    });
    let count = parties.len() as u64 * lookups;
    println!(
        "{} clients at once, {count} lookups: {} errors, {:.1} s in all, {:.1} ms for each on average",
        parties.len(),
        errors.load(Relaxed),
        started.elapsed().as_secs_f64(),
        waited.load(Relaxed) as f64 / 1e3 / count as f64,
    );
}
