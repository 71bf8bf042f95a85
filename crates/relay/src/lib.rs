//! A meeting point for two parties of which neither can be reached.
//!
//! Both go out to it, over a WebSocket, and name a room that nobody else can name ([`veilset_reach::wire`] has the messages). The relay
//! brings them together and hands bytes from one to the other. It is not trusted: what they send is encrypted and authenticated from
//! end to end, so that it sees addresses, times and sizes, and can lose or hold back what it is given, but neither read nor change it.
//!
//! All that callers can take is bounded by [`Limits`].

mod certificates;
mod door;
mod error;
mod hall;
mod metrics;
mod page;
mod room;
mod server;

pub use certificates::Certificates;
pub use error::RelayError;
pub use page::Page;
pub use server::{Limits, Note, Options, Relay};
