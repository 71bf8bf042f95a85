//! Relays on loopback, and parties that go to them.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use veilset_net::{
    Comeback, Endpoint, Event, NetError, Options, Stop, TlsTransport, Traffic, establish,
};
use veilset_party::Identity;
use veilset_relay::{Limits, Note, Options as RelayOptions, Relay, RelayError};

/// Longer than anything takes on a busy machine, since no test waits for an end of it.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) const LIVELY: Options = Options {
    deadline: LONG,
    heartbeat: Duration::from_millis(50),
    silence: LONG,
    stop: Stop::NEVER,
    comeback: Comeback::NEVER,
    traffic: Traffic::UNSEEN,
};

/// A relay in a thread.
pub(crate) struct Running {
    pub(crate) addr: SocketAddr,
    pub(crate) notes: Receiver<Note>,
    stop: Stop,
    now: Stop,
    thread: Option<JoinHandle<Result<(), RelayError>>>,
}

impl Running {
    pub(crate) fn with(limits: Limits) -> Self {
        Self::at("127.0.0.1:0", |options| options.limits = limits)
    }

    pub(crate) fn at(addr: &str, change: impl FnOnce(&mut RelayOptions)) -> Self {
        let relay = Relay::bind(addr).expect("a free port");
        let addr = relay.local_addr();
        let (sender, notes) = channel();
        let (stop, now) = (Stop::new(), Stop::new());
        let mut options = RelayOptions {
            limits: Limits::default(),
            certificates: None,
            behind_proxy: false,
            metrics: None,
            page: None,
            threads: 2,
            grace: LONG,
        };
        change(&mut options);
        let ends = (stop.clone(), now.clone());
        let serve = move || {
            relay.serve(&options, &ends.0, &ends.1, move |note| {
                let _ = sender.send(note);
            })
        };
        Self { addr, notes, stop, now, thread: Some(thread::spawn(serve)) }
    }

    pub(crate) fn url(&self) -> String {
        format!("ws://{}", self.addr)
    }

    /// Begins to stop; those who are together go on.
    pub(crate) fn stop(&self) {
        self.stop.stop();
    }

    /// Stops at once.
    pub(crate) fn end(&mut self) {
        self.stop.stop();
        self.now.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic").expect("it served");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

pub(crate) type Met = Result<TlsTransport, NetError>;

/// Two parties, each of which is at this URL of a relay.
pub(crate) fn pair_at(urls: [&str; 2], options: &Options) -> [Met; 2] {
    let identities = [Identity::ephemeral(), Identity::ephemeral()];
    let keys = identities.each_ref().map(Identity::public_key);
    let [one, other] = identities;
    let meet = |identity: Identity, peer, url: &str| {
        let (endpoint, options) = (Endpoint::Via(url.to_owned()), options.clone());
        thread::spawn(move || establish(&identity, peer, &endpoint, &options, &|_| ()))
    };
    let there = [meet(one, keys[1], urls[0]), meet(other, keys[0], urls[1])];
    there.map(|there| there.join().expect("no panic"))
}

/// The same at one relay, where they meet.
pub(crate) fn pair(url: &str, options: &Options) -> [TlsTransport; 2] {
    pair_at([url, url], options).map(|met| met.expect("the other comes"))
}

/// Waits for a party's event.
pub(crate) fn wait_for(events: &Receiver<Event>, wanted: impl Fn(&Event) -> bool) {
    loop {
        match events.recv_timeout(LONG) {
            Ok(event) if wanted(&event) => return,
            Ok(_) => {}
            Err(why) => panic!("{why}"),
        }
    }
}
