//! The relay as a whole: its limits, and how it starts and stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use veilset_net::{Stop, allow_files};
use veilset_reach::source;

use crate::door::{self, Door};
use crate::hall::Hall;
use crate::{Certificates, Page, RelayError};

/// The pause after the system refused to accept a connection.
const BREATH: Duration = Duration::from_millis(100);

/// How long those who are told that the relay stops may take to hear it.
const PARTING: Duration = Duration::from_secs(3);

/// What callers can take of a relay.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Rooms in which somebody is, alone or with another.
    pub rooms: usize,
    /// Connections from one source: an IPv4 address, or an IPv6 network of 64 bits.
    pub connections_of_a_source: usize,
    /// Bytes that may go through a room, both ways together.
    pub bytes: Option<u64>,
    /// Bytes a second of one direction of a room.
    pub rate: Option<u64>,
    /// A room through which nothing goes for this long is closed.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rooms: 4096,
            connections_of_a_source: 256,
            bytes: None,
            rate: None,
            idle: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// Connections at once: two a room, and some that have not said yet what they want.
    pub(crate) fn connections(&self) -> usize {
        2 * self.rooms + 256
    }
}

/// How a relay serves.
#[derive(Debug, Clone)]
pub struct Options {
    /// What callers can take.
    pub limits: Limits,
    /// For TLS; without it callers speak plain HTTP, as behind a proxy that ends TLS.
    pub certificates: Option<Arc<Certificates>>,
    /// Whether every caller is a proxy, which names the source in its header `X-Forwarded-For`.
    pub behind_proxy: bool,
    /// The page for parties with only a browser, which is shown to whoever looks.
    pub page: Option<Arc<Page>>,
    /// Where metrics are shown.
    pub metrics: Option<SocketAddr>,
    /// Threads.
    pub threads: usize,
    /// How long a relay that stops lets those go on who are together.
    pub grace: Duration,
}

/// What happens at a relay. Nothing here is of one party.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// Metrics are shown at this address.
    Metrics(SocketAddr),
    /// Two have met.
    Met,
    /// They have parted.
    Parted {
        /// Bytes that went from one to the other, both ways together.
        bytes: u64,
        /// How long they were together.
        time: Duration,
        /// Why it ended.
        why: &'static str,
    },
}

/// An address at which parties meet.
#[derive(Debug)]
pub struct Relay {
    socket: std::net::TcpListener,
    addr: SocketAddr,
}

impl Relay {
    /// Opens `HOST:PORT`; port 0 stands for any free one.
    ///
    /// # Errors
    /// When it cannot be listened on.
    pub fn bind(addr: &str) -> Result<Self, RelayError> {
        let failed = |why| RelayError::Listen { addr: addr.to_owned(), why };
        let socket = std::net::TcpListener::bind(addr).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let addr = socket.local_addr().map_err(failed)?;
        Ok(Self { socket, addr })
    }

    /// The address that is listened on.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Brings callers together until it is stopped: those who are together then may go on for the grace of `options`, or until
    /// `now` is used as well. `note` is called from many threads, and must not block.
    ///
    /// # Errors
    /// When metrics cannot be shown, or the system gives no resources.
    ///
    /// # Panics
    /// When called inside an asynchronous runtime.
    pub fn serve(
        self,
        options: &Options,
        stop: &Stop,
        now: &Stop,
        note: impl Fn(Note) + Send + Sync + 'static,
    ) -> Result<(), RelayError> {
        allow_files();
        let runtime = Builder::new_multi_thread()
            .worker_threads(options.threads.max(1))
            .enable_io()
            .enable_time()
            .build()?;
        let hall = Arc::new(Hall::new(options.limits, Box::new(note), stop.clone()));
        let served = runtime.block_on(self.run(options, Arc::clone(&hall), stop, now));
        runtime.shutdown_background();
        served
    }

    async fn run(
        self,
        options: &Options,
        hall: Arc<Hall>,
        stop: &Stop,
        now: &Stop,
    ) -> Result<(), RelayError> {
        if let Some(addr) = options.metrics {
            let failed = |why| RelayError::Metrics { addr, why };
            let socket = TcpListener::bind(addr).await.map_err(failed)?;
            hall.note(Note::Metrics(socket.local_addr().map_err(failed)?));
            tokio::spawn(door::show_metrics(socket, Arc::clone(&hall)));
        }
        let acceptor = options.certificates.as_ref().map(|ours| TlsAcceptor::from(ours.config()));
        let door = Arc::new(Door {
            hall: Arc::clone(&hall),
            acceptor,
            page: options.page.clone(),
            behind_proxy: options.behind_proxy,
        });
        let socket = TcpListener::from_std(self.socket)?;
        let mut callers = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = stop.stopped() => break,
                Some(_) = callers.join_next() => {}
                accepted = socket.accept() => match accepted {
                    Ok((tcp, addr)) => {
                        // A proxy says later whom a connection counts for.
                        if let Some(mut connection) = hall.admit()
                            && (door.behind_proxy || connection.is_of(source(addr.ip())))
                        {
                            callers.spawn(Arc::clone(&door).answer(tcp, connection));
                        }
                    }
                    // The caller is gone already, or the system is short of something: neither ends the relay.
                    Err(_) => sleep(BREATH).await,
                },
            }
        }
        drop(socket);
        let mut parting = async || while callers.join_next().await.is_some() {};
        tokio::select! {
            biased;
            () = now.stopped() => {}
            _ = timeout(options.grace, parting()) => {}
        }
        hall.closing.stop();
        let _ = timeout(PARTING, parting()).await;
        Ok(())
    }
}
