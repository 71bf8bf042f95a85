//! Pairs of parties, and a proxy that can alter and count.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use veilset_net::{
    Comeback, Endpoint, Event, Listener, NetError, Options, Stop, TlsTransport, Traffic, connect,
    establish,
};
use veilset_party::{Identity, PublicKey};

/// Longer than anything takes on a busy machine, since no test waits for an end of it.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Many heartbeats, and no end by silence.
pub(crate) const LIVELY: Options = Options {
    deadline: LONG,
    heartbeat: Duration::from_millis(20),
    silence: LONG,
    stop: Stop::NEVER,
    comeback: Comeback::NEVER,
    traffic: Traffic::UNSEEN,
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
            listener.accept(&identity, peer, &options, &|event| log.push(event))
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

    /// The same options, with what is told of lost connections here.
    pub(crate) fn heard(&self, options: Options) -> Options {
        let log = self.clone();
        Options { comeback: Comeback::told(move |event| log.push(event)), ..options }
    }

    /// Where the party listens, once it does.
    pub(crate) fn address(&self) -> SocketAddr {
        self.wait_for(|event| matches!(event, Event::Listening(_)));
        let address = self.all().into_iter().find_map(|event| match event {
            Event::Listening(address) => Some(address),
            _ => None,
        });
        address.expect("it was told")
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

/// Two ends that come back if their connection is lost, the one that listened first, with a proxy between them.
pub(crate) fn lasting_pair(options: &Options) -> (Lasting, Lasting, Proxy) {
    let (left, right) = (Identity::ephemeral(), Identity::ephemeral());
    let (left_key, right_key) = (left.public_key(), right.public_key());
    let (listening, options) = (Events::default(), options.clone());
    let waiting = {
        let (events, told, options) = (listening.clone(), Events::default(), options.clone());
        let endpoint = Endpoint::Listen("127.0.0.1:0".to_owned());
        let options = told.heard(options);
        thread::spawn(move || {
            let way = establish(&left, right_key, &endpoint, &options, &|event| events.push(event));
            Lasting { way: way.expect("the peer came"), told }
        })
    };
    let addr = listening.address();
    let proxy = Proxy::to(addr);
    let told = Events::default();
    let endpoint = Endpoint::Connect(proxy.addr.to_string());
    let way = establish(&right, left_key, &endpoint, &told.heard(options), &|_| ());
    let right = Lasting { way: way.expect("it listens"), told };
    (waiting.join().expect("no panic"), right, proxy)
}

/// An end that comes back.
pub(crate) struct Lasting {
    pub(crate) way: TlsTransport,
    /// What its user was told since.
    pub(crate) told: Events,
}

/// Forwards connections.
pub(crate) struct Proxy {
    pub(crate) addr: SocketAddr,
    control: Arc<Control>,
}

#[derive(Default)]
struct Control {
    alter: AtomicBool,
    closed: AtomicBool,
    from_caller: AtomicU64,
    to_caller: AtomicU64,
    /// The connections that there are.
    forwarded: Mutex<Vec<Forwarded>>,
    target: Mutex<Option<SocketAddr>>,
}

struct Forwarded {
    ends: [TcpStream; 2],
    /// Whether what is sent over it is lost.
    loses: Arc<AtomicBool>,
}

impl Control {
    fn cut(&self) {
        for Forwarded { ends, .. } in self.forwarded.lock().expect("no panic").drain(..) {
            ends.iter().for_each(|end| drop(end.shutdown(Shutdown::Both)));
        }
    }
}

impl Proxy {
    pub(crate) fn to(target: SocketAddr) -> Self {
        Self::behind(TcpListener::bind("127.0.0.1:0").expect("a free port"), target)
    }

    /// Takes calls at this listener.
    pub(crate) fn behind(listener: TcpListener, target: SocketAddr) -> Self {
        let addr = listener.local_addr().expect("bound");
        let control = Arc::new(Control::default());
        let shared = Arc::clone(&control);
        *control.target.lock().expect("no panic") = Some(target);
        thread::spawn(move || {
            for caller in listener.incoming().flatten() {
                if shared.closed.load(SeqCst) {
                    continue;
                }
                // A caller whose target is not there is closed, and calls again.
                let target = *shared.target.lock().expect("no panic");
                if let Some(Ok(server)) = target.map(TcpStream::connect) {
                    forward(caller, server, &shared);
                }
            }
        });
        Self { addr, control }
    }

    /// Forwards later callers to another target.
    pub(crate) fn send_to(&self, target: SocketAddr) {
        *self.control.target.lock().expect("no panic") = Some(target);
    }

    /// Flips a bit in what the caller sends next.
    pub(crate) fn alter(&self) {
        self.control.alter.store(true, SeqCst);
    }

    /// Loses all that is sent until the connections are cut.
    pub(crate) fn lose(&self) {
        let forwarded = self.control.forwarded.lock().expect("no panic");
        forwarded.iter().for_each(|one| one.loses.store(true, SeqCst));
    }

    /// Cuts the connections, and forwards those that follow.
    pub(crate) fn cut(&self) {
        self.control.cut();
    }

    /// Cuts the connections, and turns callers away.
    pub(crate) fn close(&self) {
        self.control.closed.store(true, SeqCst);
        self.control.cut();
    }

    /// Forwards callers again.
    pub(crate) fn open(&self) {
        self.control.closed.store(false, SeqCst);
    }

    /// Bytes from the caller and to it.
    pub(crate) fn forwarded(&self) -> (u64, u64) {
        (self.control.from_caller.load(SeqCst), self.control.to_caller.load(SeqCst))
    }
}

fn clone(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a handle")
}

fn forward(caller: TcpStream, server: TcpStream, control: &Arc<Control>) {
    let loses = Arc::new(AtomicBool::new(false));
    let forwarded = Forwarded { ends: [clone(&caller), clone(&server)], loses: Arc::clone(&loses) };
    control.forwarded.lock().expect("no panic").push(forwarded);
    for (from, to, to_caller) in [(clone(&caller), clone(&server), false), (server, caller, true)] {
        let (control, loses) = (Arc::clone(control), Arc::clone(&loses));
        thread::spawn(move || pump(from, to, &control, &loses, to_caller));
    }
}

fn pump(
    mut from: TcpStream,
    mut to: TcpStream,
    control: &Control,
    loses: &AtomicBool,
    to_caller: bool,
) {
    let count = if to_caller { &control.to_caller } else { &control.from_caller };
    let mut buffer = [0; 16384];
    while let Ok(got @ 1..) = from.read(&mut buffer) {
        let bytes = &mut buffer[..got];
        if !to_caller && control.alter.swap(false, SeqCst) {
            *bytes.last_mut().expect("not empty") ^= 1;
        }
        if loses.load(SeqCst) {
            continue;
        }
        count.fetch_add(got as u64, SeqCst);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
