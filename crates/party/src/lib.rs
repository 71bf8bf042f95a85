//! A party's own key and the keys of its peers, kept on disk.
//!
//! A party is an Ed25519 key ([`Identity`]); it sends its [`PublicKey`] to the other party as one line, who pins it
//! ([`Peers`]). Both lie in one directory ([`Home`]), which nobody else may change ([`guard`]).

mod error;
#[cfg(not(target_family = "wasm"))]
pub mod guard;
#[cfg(target_family = "wasm")]
pub mod guard {
    //! Files that the browser keeps, which nobody else may change.

    pub use crate::home::read_trusted;
}
mod home;
mod identity;
mod key;
mod pair;
mod peers;
mod succession;
mod words;

pub use error::StoreError;
pub use home::{Held, Home, Lock, Staged, Stored};
pub use identity::{HandshakeSigner, Identity, Replaced, Replacement, Signer};
pub use key::{KeyError, PublicKey};
pub use pair::PairSecret;
pub use peers::{Added, Peer, Peers};
pub use succession::{PeerKeys, Succession};
pub use words::words;
