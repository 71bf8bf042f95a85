//! The random oracles, separated by purpose, session, instance and branch.

use blake3::{Hasher, OutputReader};
use subtle::Choice;
use veilset_channel::Message;
use zeroize::{Zeroize, Zeroizing};

use super::Session;
use crate::Block;

/// Bytes of a digest of the transcript.
const DIGEST: usize = 32;

/// `H_0, H_1`: what hides the receiver's message, by instance and branch.
pub(super) struct Masks(Hasher);

impl Masks {
    /// The masks of one session; `context` names the construction.
    pub(super) fn new(context: &str, session: &Session) -> Self {
        let mut hasher = Hasher::new_derive_key(context);
        hasher.update(session);
        Self(hasher)
    }

    /// The first `N` bytes of `H_branch` for `instance` at `input`, whose length the construction fixes.
    pub(super) fn at<const N: usize>(
        &self,
        instance: usize,
        branch: Choice,
        input: [&[u8]; 2],
    ) -> [u8; N] {
        let mut bytes = [0; N];
        let mut reader = query(&self.0, instance, branch, input);
        reader.fill(&mut bytes);
        reader.zeroize();
        bytes
    }
}

/// All messages of both sides so far.
pub(super) struct Transcript(Hasher);

impl Transcript {
    /// The transcript of one session, empty; `context` names the construction.
    pub(super) fn new(context: &str, session: &Session, count: usize) -> Self {
        let mut hasher = Hasher::new_derive_key(context);
        hasher.update(session).update(&number(count));
        Self(hasher)
    }

    /// Adds one message; its length follows from the count, so no two transcripts read alike.
    pub(super) fn absorb<M: Message>(&mut self, message: &M) {
        let mut body = Vec::new();
        message.encode(&mut body);
        self.0.update(&body);
    }

    /// The key derivation for a complete transcript; `context` names the construction.
    pub(super) fn keys(self, context: &str) -> Keys {
        let mut hasher = Hasher::new_derive_key(context);
        hasher.update(self.0.finalize().as_bytes() as &[u8; DIGEST]);
        Keys(hasher)
    }
}

/// From agreed secrets to blocks.
pub(super) struct Keys(Hasher);

impl Keys {
    /// Both blocks of `instance`, for the sender.
    pub(super) fn pair(&self, instance: usize, secrets: &[[u8; 32]; 2]) -> [Block; 2] {
        let [first, second] = secrets;
        [
            self.block(instance, Choice::from(0), first),
            self.block(instance, Choice::from(1), second),
        ]
    }

    /// The block of `instance` and `branch`, from the 32 bytes agreed there.
    pub(super) fn block(&self, instance: usize, branch: Choice, secret: &[u8; 32]) -> Block {
        let mut bytes = Zeroizing::new([0; 16]);
        let mut reader = query(&self.0, instance, branch, [secret, &[]]);
        reader.fill(bytes.as_mut_slice());
        reader.zeroize();
        Block::from_le_bytes(*bytes)
    }
}

fn query(oracle: &Hasher, instance: usize, branch: Choice, input: [&[u8]; 2]) -> OutputReader {
    let mut hasher = oracle.clone();
    hasher.update(&number(instance)).update(&[branch.unwrap_u8()]);
    for part in input {
        hasher.update(part);
    }
    let reader = hasher.finalize_xof();
    hasher.zeroize();
    reader
}

fn number(value: usize) -> [u8; 8] {
    (value as u64).to_le_bytes()
}
