//! Ways to a peer: a TCP connection, one through a proxy, one over a relay.
//!
//! None of them is trusted: what goes over a [`Way`] is encrypted and authenticated by whoever uses it.

#[cfg(target_family = "wasm")]
mod browser;
mod error;
#[cfg(not(target_family = "wasm"))]
mod proxy;
#[cfg(not(target_family = "wasm"))]
mod relayed;
#[cfg(not(target_family = "wasm"))]
mod room;
mod source;
mod url;
#[cfg(not(target_family = "wasm"))]
mod way;
pub mod wire;

#[cfg(target_family = "wasm")]
pub use browser::{Proxies, ReachError, Relayed, Way, join};
pub use error::JoinError;
#[cfg(not(target_family = "wasm"))]
pub use proxy::{Proxies, ReachError};
#[cfg(not(target_family = "wasm"))]
pub use relayed::Relayed;
#[cfg(not(target_family = "wasm"))]
pub use room::join;
pub use source::source;
pub use url::RelayUrl;
#[cfg(not(target_family = "wasm"))]
pub use way::Way;
