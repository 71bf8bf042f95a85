//! An address that stays while those behind it change.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Passes callers on to whoever listens now, so that a caller can be told an address before anybody listens, or the same
/// one after a restart. It sends callers away while nobody was named.
pub struct Relay {
    /// Where it takes calls.
    pub address: String,
    target: Arc<Mutex<Option<String>>>,
}

impl Relay {
    /// Takes calls at a free port of this machine until the test program ends.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let target = Arc::new(Mutex::new(None::<String>));
        let named = Arc::clone(&target);
        thread::spawn(move || {
            for caller in listener.incoming().flatten() {
                let target = named.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // A caller whose target is not there is closed, and calls again.
                if let Some(server) = target.and_then(|target| TcpStream::connect(target).ok()) {
                    join(caller, server);
                }
            }
        });
        Self { address, target }
    }

    /// Passes later callers on to this address.
    pub fn to(&self, address: &str) {
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        *target = Some(address.to_owned());
    }
}

/// Copies both ways until either end closes its side.
fn join(caller: TcpStream, server: TcpStream) {
    let again = |stream: &TcpStream| stream.try_clone().expect("a handle");
    for (mut from, mut to) in [(again(&caller), again(&server)), (server, caller)] {
        thread::spawn(move || {
            // Whoever goes away in the middle is told to the other end as an end.
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
}
