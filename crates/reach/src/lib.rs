//! Ways to a peer: a TCP connection, one through a proxy, one over a relay.
//!
//! None of them is trusted: what goes over a [`Way`] is encrypted and authenticated by whoever uses it.

mod proxy;
mod relayed;
mod room;
mod source;
mod url;
mod way;
pub mod wire;

pub use proxy::{Proxies, ReachError};
pub use relayed::Relayed;
pub use room::{JoinError, join};
pub use source::source;
pub use url::RelayUrl;
pub use way::Way;
