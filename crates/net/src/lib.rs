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
mod clock;
mod comeback;
mod connect;
mod connection;
#[cfg(not(target_family = "wasm"))]
mod crowd;
mod endpoint;
mod error;
mod handshake;
mod introduction;
#[cfg(not(target_family = "wasm"))]
mod listen;
mod message;
mod meter;
#[cfg(any(target_family = "wasm", test))]
mod provider;
#[cfg(not(target_family = "wasm"))]
mod returns;
mod runtime;
#[cfg(not(target_family = "wasm"))]
mod service;
#[cfg(not(target_family = "wasm"))]
pub mod signals;
mod signer;
mod stop;
#[cfg(not(target_family = "wasm"))]
mod tally;
mod tls;
mod wire;

#[cfg(not(target_family = "wasm"))]
pub use connect::connect;
pub use connection::{Messages, TlsTransport};
pub use endpoint::{Comeback, Endpoint, Event, Options, Stranger, establish};
pub use error::{Class, NetError};
pub use introduction::{Code, Introduced, Introduction, MOST_SAID, Role, SECRET_BITS};
#[cfg(not(target_family = "wasm"))]
pub use listen::Listener;
pub use message::{receive_message, send_message};
pub use meter::Traffic;
#[cfg(not(target_family = "wasm"))]
pub use service::{
    Callers, Entrance, Farewell, Limits, Note, Parting, Response, Service, allow_files,
};
pub use stop::Stop;
