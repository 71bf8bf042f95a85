//! Pairs of parties, and a proxy that can alter and count.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use veilset_net::{Event, Listener, NetError, Options, Stop, TlsTransport, connect};
use veilset_party::{Identity, PublicKey};

/// Longer than anything takes on a busy machine, since no test waits for an end of it.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Many heartbeats, and no end by silence.
pub(crate) const LIVELY: Options = Options {
    deadline: LONG,
    heartbeat: Duration::from_millis(20),
    silence: LONG,
    stop: Stop::NEVER,
};

/// An address of this machine where nobody listens: no system gives this port away.
pub(crate) const NOBODY: &str = "127.0.0.1:1";

pub(crate) type Established = Result<TlsTransport, NetError>;

/// A party that listens on loopback, in a thread.
pub(crate) struct Waiting {
    pub(crate) addr: SocketAddr,
    pub(crate) key: PublicKey,
    pub(crate) events: Events,
    thread: thread::JoinHandle<Established>,
}

impl Waiting {
    pub(crate) fn for_peer(peer: PublicKey, options: Options) -> Self {
        Self::by(Identity::ephemeral(), peer, options)
    }

    /// With this identity.
    pub(crate) fn by(identity: Identity, peer: PublicKey, options: Options) -> Self {
        let listener = Listener::bind("127.0.0.1:0").expect("a free port");
        let (addr, key, events) = (listener.local_addr(), identity.public_key(), Events::default());
        let log = events.clone();
        let thread = thread::spawn(move || {
            listener.accept(&identity, &peer, &options, &|event| log.push(event))
        });
        Self { addr, key, events, thread }
    }

    pub(crate) fn result(self) -> Established {
        self.thread.join().expect("no panic")
    }
}

/// What a party told its user.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<Event>>>);

impl Events {
    pub(crate) fn push(&self, event: Event) {
        self.0.lock().expect("no panic").push(event);
    }

    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().expect("no panic").clone()
    }

    /// Waits until an event is there.
    pub(crate) fn wait_for(&self, wanted: impl Fn(&Event) -> bool) {
        self.wait_for_all(1, wanted);
    }

    /// Waits until `count` events are there: an end of a connection is seen before its event is told.
    pub(crate) fn wait_for_all(&self, count: usize, wanted: impl Fn(&Event) -> bool) {
        let end = Instant::now() + LONG;
        while self.all().iter().filter(|event| wanted(event)).count() < count {
            assert!(Instant::now() < end, "only {:?}", self.all());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

pub(crate) fn call(identity: &Identity, peer: &PublicKey, addr: SocketAddr) -> Established {
    connect(identity, peer, &addr.to_string(), &LIVELY, &|_| ())
}

/// The one that listened and the one that connected.
pub(crate) fn pair() -> (TlsTransport, TlsTransport) {
    let caller = Identity::ephemeral();
    let waiting = Waiting::for_peer(caller.public_key(), LIVELY);
    let connected = call(&caller, &waiting.key, waiting.addr).expect("it listens");
    (waiting.result().expect("the peer came"), connected)
}

/// As [`pair`], with a proxy between them.
pub(crate) fn pair_through_proxy() -> (TlsTransport, TlsTransport, Proxy) {
    let caller = Identity::ephemeral();
    let waiting = Waiting::for_peer(caller.public_key(), LIVELY);
    let proxy = Proxy::to(waiting.addr);
    let connected = call(&caller, &waiting.key, proxy.addr).expect("it listens");
    (waiting.result().expect("the peer came"), connected, proxy)
}

/// Forwards one connection.
pub(crate) struct Proxy {
    pub(crate) addr: SocketAddr,
    control: Arc<Control>,
}

#[derive(Default)]
struct Control {
    alter: AtomicBool,
    from_caller: AtomicU64,
    to_caller: AtomicU64,
}

impl Proxy {
    fn to(target: SocketAddr) -> Self {
        Self::behind(TcpListener::bind("127.0.0.1:0").expect("a free port"), target)
    }

    /// Takes the call at this listener.
    pub(crate) fn behind(listener: TcpListener, target: SocketAddr) -> Self {
        let addr = listener.local_addr().expect("bound");
        let control = Arc::new(Control::default());
        let shared = Arc::clone(&control);
        thread::spawn(move || {
            let (caller, _) = listener.accept().expect("a caller");
            let server = TcpStream::connect(target).expect("it listens");
            let (caller2, server2) = (clone(&caller), clone(&server));
            let back = Arc::clone(&shared);
            thread::spawn(move || pump(server2, caller2, &back.to_caller, |_| ()));
            pump(caller, server, &shared.from_caller, |bytes| {
                if shared.alter.swap(false, SeqCst) {
                    *bytes.last_mut().expect("not empty") ^= 1;
                }
            });
        });
        Self { addr, control }
    }

    /// Flips a bit in what the caller sends next.
    pub(crate) fn alter(&self) {
        self.control.alter.store(true, SeqCst);
    }

    /// Bytes from the caller and to it.
    pub(crate) fn forwarded(&self) -> (u64, u64) {
        (self.control.from_caller.load(SeqCst), self.control.to_caller.load(SeqCst))
    }
}

fn clone(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a handle")
}

fn pump(mut from: TcpStream, mut to: TcpStream, count: &AtomicU64, touch: impl Fn(&mut [u8])) {
    let mut buffer = [0; 16384];
    while let Ok(got @ 1..) = from.read(&mut buffer) {
        let bytes = &mut buffer[..got];
        touch(bytes);
        count.fetch_add(got as u64, SeqCst);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
