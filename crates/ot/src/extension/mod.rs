//! SoftSpokenOT: oblivious transfer extension from small-field VOLE (Roy, Crypto 2022, eprint 2022/192).
//!
//! The receiver of the extension grows ⌈128/k⌉ trees of 2^k seeds; the sender has them without the leaves that its
//! secret Δ names ([`tree`]). From the seeds both stretch columns of bits ([`columns`]); the receiver sends, for each
//! tree, what makes the vectors of choices of all trees one and the same, 128/k bits an OT. Read by rows, the receiver
//! then has v_j and the sender w_j = v_j + e_j·Δ, where e_j is the choice. Against a malicious receiver the sender
//! checks that the vectors are indeed one ([`check`]). Then each row is hashed ([`hash`]): the sender's blocks are
//! H(w_j) and H(w_j + Δ), and the receiver's H(v_j) is one of them.

mod check;
mod chosen;
mod columns;
mod correlated;
mod cost;
mod hash;
mod messages;
mod one_sided;
mod parameters;
mod products;
mod receiver;
mod sender;
mod stream;
#[cfg(test)]
mod tests;
mod tree;
mod word;

use columns::GROUP;
pub use cost::{WireCost, setup_bytes, transfer_bytes};
pub use hash::Hash;
pub(crate) use messages::{block, put_blocks};
pub use parameters::{DEFAULT_DEPTH, ExtensionParameters, MAX_DEPTH, Security};
pub use receiver::{ExtensionReceiver, RandomChoices};
pub use sender::ExtensionSender;
use veilset_simd::TILE;
pub use word::Word;

use crate::OtError;

/// Transfers whose rows are held at a time, and that one consistency check covers.
const BATCH: usize = 1 << 20;

/// Tiles that one setup can number: few enough blocks of each stream that all together pass for random.
const MAX_TILES: u64 = 1 << 38;

/// How many random transfers are extended before they are hashed: where nothing is checked, what the threads have in
/// their caches.
fn random_step(security: Security) -> usize {
    match security {
        Security::SemiHonest => rayon::current_num_threads() * GROUP * TILE,
        Security::Malicious => BATCH,
    }
}

/// The tiles that a batch has beyond its choices, to hide their hash.
fn additional_tiles(security: Security, count: usize) -> usize {
    usize::from(security == Security::Malicious && count > 0)
}

/// The number of the next tile; both parties count alike.
#[derive(Default)]
struct Numbering {
    next: u64,
    busy: bool,
}

impl Numbering {
    /// The number of the first of `count` tiles that are begun.
    fn take(&mut self, count: usize) -> Result<u64, OtError> {
        let first = self.next;
        let next = first.checked_add(count as u64).filter(|next| *next <= MAX_TILES);
        if self.busy {
            return Err(OtError::Spent);
        }
        self.next = next.ok_or(OtError::Spent)?;
        self.busy = true;
        Ok(first)
    }

    /// Those that were begun are complete. After an error they never are, and the setup is of no more use.
    fn done(&mut self) {
        self.busy = false;
    }
}
