//! How two parties talk: frames, tags, bounded messages, and what they cost.
//!
//! Three layers, each a few lines:
//!
//! * a [`Transport`] moves opaque frames of at most [`MAX_FRAME`] bytes, in order, with a bounded queue
//!   (memory here, TLS in `veilset-net`);
//! * a [`Channel`] gives each frame a tag and a sequence number and refuses any other than the expected one
//!   ([`Framed`]); [`Metered`] counts what passes;
//! * a [`Message`] is parsed with what the receiver already knows: its length comes from the agreement, never from
//!   the peer, and nothing may be left over.
//!
//! A fault is either the network's or the peer's, and the type says which: [`NetworkFault`], [`PeerFault`].
//!
//! ```
//! use veilset_channel::{Blob, ChannelExt, Framed, Tag, memory_pair};
//!
//! type Coin = Blob<{ Tag::Coin.byte() }>;
//!
//! let (left, right) = memory_pair();
//! let (mut left, mut right) = (Framed::new(left), Framed::new(right));
//! left.put::<Coin>(&Blob(vec![1, 2, 3]))?;
//! assert_eq!(right.take::<Coin>(&3)?.0, [1, 2, 3]);
//! // The receiver knows the length: any other is the peer's fault.
//! left.put::<Coin>(&Blob(vec![4, 5]))?;
//! assert!(right.take::<Coin>(&3).is_err());
//! # Ok::<(), veilset_channel::ChannelError>(())
//! ```

mod blob;
mod chunks;
mod codec;
mod error;
mod faulty;
mod framed;
mod memory;
mod metered;
mod replay;
mod tag;
mod transport;

pub use blob::{Blob, Signal};
pub use chunks::Chunks;
pub use codec::{Malformed, Message, Reader};
pub use error::{Abort, ChannelError, NetworkFault, PeerFault};
pub use faulty::{Fault, Faulty};
pub use framed::{Channel, ChannelExt, Framed, HEADER, MAX_BODY};
pub use memory::{MemoryTransport, memory_pair};
pub use metered::{Costs, Metered, PhaseCost};
pub use replay::{Recording, Replay, Transcript};
pub use tag::Tag;
pub use transport::{MAX_FRAME, QUEUED_FRAMES, Transport, WireBytes};
