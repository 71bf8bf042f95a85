//! PSI as OpenMined publishes it (OpenMined/PSI 2.0, Python's `openmined.psi`, also in C++, Go, Rust and JavaScript).
//!
//! A client learns which of its items a server has as well, or how many. H maps an item to a point of P-256, and s and c are the
//! keys of server and client.
//!
//! 1. *Setup*, server to client: all s·H(y) for the server's items y, in a [`Structure`].
//! 2. *Request*, client to server: all c·H(x) for the client's items x, and whether it wants to know which match.
//! 3. *Response*, server to client: all s·c·H(x), in the request's order, or sorted if the client is to learn the number alone.
//! 4. The client takes c off each and looks s·H(x) up in the setup.
//!
//! ```
//! use veilset_crypto::P256Prp;
//! use veilset_tongues::openmined::{Client, Plan, Request, Response, Server, Setup, Structure};
//!
//! # fn main() -> Result<(), veilset_tongues::openmined::OpenMinedError> {
//! // Keys are random; these are for the example.
//! let key = |byte| P256Prp::new(&[byte; 32]).expect("in range");
//! let (server, client) = (Server::new(key(1), true), Client::new(key(2), true));
//! let plan = Plan { structure: Structure::Raw, client_items: 2, false_positives: 1e-9 };
//! let setup = server.setup(&["ann", "ben"], &plan)?.encode();
//! let request = client.request(&["ben", "eve"])?.encode();
//! let response = server.respond(&Request::decode(&request, 2)?)?.encode();
//! let found = client.matches(&Setup::decode(&setup)?, &Response::decode(&response, 2)?, 2)?;
//! assert_eq!(found, [0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Security
//!
//! Against semi-honest parties, by decisional Diffie–Hellman on P-256 with H as a random oracle.
//!
//! # What each side gets beside the result
//!
//! * The server learns how many items the client has, and nothing of the result. Nobody proves to it that they are a list of anybody's:
//!   a client that cheats asks for every item that it can think of, and the response answers all.
//! * The client learns how many items the server has: exactly of [`Structure::Raw`], nearly of the others. With the structure it keeps
//!   s·H(y), so what it learns grows with each response under the same s, and two setups under one s show it which items came and went.
//! * A server that cheats answers with other points, or another setup, and so makes items match or not as it likes. With `reveal` off it
//!   is the server alone who hides which items match: by sorting.
//! * A client that asks twice under one c shows the server which items came and went. A [`Client`] is for one request.
//! * [`Structure::Gcs`] and [`Structure::Bloom`] have false positives: items that match and are not the server's. A Bloom filter has
//!   more than asked for: one request in seventy has one, since its functions share places (`bloom.rs` has the sum).
//! * H tries x-coordinates until one belongs to a point, so its time tells how often: about one bit of an item, to whoever can measure
//!   a single one here. Items are mapped in tasks of many.
//!
//! No terms are agreed on but `reveal`, which a server compares; nothing is said of how items are normalised, so a difference is no
//! error, and nothing matches. Nothing is signed or bound to a connection.
//!
//! # Beyond the original
//!
//! Its messages are those of OpenMined's code, byte for byte. What a peer sends is checked more strictly: points alone are taken, all
//! counts are those that the receiver expects, answers that are equal are refused, and a set's values must rise and end below their range.
//! Keys 1 and n − 1 are refused, and so are false-positive rates for which the original's arithmetic overflows. The client's items are
//! shuffled.

mod bloom;
mod client;
mod error;
mod gcs;
mod hash;
mod messages;
mod server;
mod setup;
#[cfg(test)]
mod tests;
mod wire;

pub use client::Client;
pub use error::{Kind, OpenMinedError, Why};
pub use messages::{Request, Response};
pub use server::{Plan, Server, Structure};
pub use setup::Setup;
pub use veilset_crypto::Sec1;

/// The most bytes of a message: what protocol buffers allow.
pub const MAX_MESSAGE: usize = i32::MAX as usize;

/// The most items of a request or of a setup with all points: so many that the message stays short enough.
pub const MAX_ITEMS: usize = MAX_MESSAGE / 36;
