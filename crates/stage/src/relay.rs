//! An address that stays while those behind it change.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Passes callers on to whoever listens now, so that a caller can be told an address before anybody listens, or the same
/// one after a restart. It sends callers away while nobody was named.
pub struct Relay {
    /// Where it takes calls.
    pub address: String,
    target: Arc<Mutex<Option<String>>>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Relay {
    /// Takes calls at a free port of this machine until the test program ends.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let target = Arc::new(Mutex::new(None::<String>));
        let named = Arc::clone(&target);
        let streams = Arc::<Mutex<Vec<TcpStream>>>::default();
        let joined = Arc::clone(&streams);
        thread::spawn(move || {
            for caller in listener.incoming().flatten() {
                let target = lock(&named).clone();
                // A caller whose target is not there is closed, and calls again.
                if let Some(server) = target.and_then(|target| TcpStream::connect(target).ok()) {
                    lock(&joined).extend([again(&caller), again(&server)]);
                    join(caller, server);
                }
            }
        });
        Self { address, target, streams }
    }

    /// Passes later callers on to this address.
    pub fn to(&self, address: &str) {
        *lock(&self.target) = Some(address.to_owned());
    }

    /// Cuts all connections that there are, as a network does that fails.
    pub fn cut(&self) {
        for stream in lock(&self.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn again(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a handle")
}

/// Copies both ways until either end closes its side.
fn join(caller: TcpStream, server: TcpStream) {
    for (mut from, mut to) in [(again(&caller), again(&server)), (server, caller)] {
        thread::spawn(move || {
            // Whoever goes away in the middle is told to the other end as an end.
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
}
