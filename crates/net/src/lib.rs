//! TCP with mutual TLS 1.3 between pinned identities.
//!
//! A party is an Ed25519 key, its [`Identity`](veilset_party::Identity). A connection exists only between two parties that
//! expect each other: both present their key in the TLS handshake as a raw public key (RFC 7250), both prove that they hold
//! it, and each compares it with the one key that it pinned. There are no certificates, no authorities and no names to trust.
//!
//! [`establish`] waits for the peer, whichever side starts first, and returns a [`TlsTransport`]; what crosses it goes on over another
//! connection when one is lost. Everything here
//! blocks (a [`Service`]'s clients are served by [`Listener::serve`], many at once); the asynchronous machinery runs on a thread of its own, so that heartbeats flow while the caller computes.
//! Call it from an ordinary thread, never from inside an asynchronous runtime.

mod address;
mod comeback;
mod connect;
mod connection;
mod crowd;
mod endpoint;
mod error;
mod handshake;
mod introduction;
mod listen;
mod message;
mod meter;
mod service;
pub mod signals;
mod signer;
mod stop;
mod tally;
mod tls;
mod wire;

pub use connect::connect;
pub use connection::{Messages, TlsTransport};
pub use endpoint::{Comeback, Endpoint, Event, Options, Stranger, establish};
pub use error::{Class, NetError};
pub use introduction::{Code, Introduced, Introduction, MOST_SAID, Role, SECRET_BITS};
pub use listen::Listener;
pub use message::{receive_message, send_message};
pub use service::{
    Callers, Entrance, Farewell, Limits, Note, Parting, Response, Service, allow_files,
};
pub use stop::Stop;
