//! Key after key: how many values each side has left under the next.
//!
//! Each tier is an intersection of its own, over the values of the rows that matched by no key before. Both sides learn each
//! result, so both know what drops out, and each tells how many values it has left. A peer that changes its program can keep
//! rows in that have matched, and so learn which of their other values match, as it would where all keys are matched at once.

use veilset_channel::{Blob, Channel, ChannelExt, Malformed, Message, Reader, Tag};

use crate::{Pipe, SessionError};

/// The name of this stage in errors.
pub(crate) const STEP: &str = "next key";

/// So many values are left under a key.
pub(crate) struct TierSize(pub(crate) u64);

/// A digest of what all of several parties said that they have left.
pub(crate) type TierRoll = Blob<{ Tag::TierRoll.byte() }>;

impl Message for TierSize {
    const TAG: Tag = Tag::TierSize;
    /// The most that there can be.
    type Context = u64;

    fn max_len(_: &u64) -> usize {
        8
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, most: &u64) -> Result<Self, Malformed> {
        let size = reader.u64()?;
        if size <= *most { Ok(Self(size)) } else { Err(Malformed::OutOfRange) }
    }
}

/// Tells the peer how many values this side has left under a key, and hears how many the peer has, of `most` in its terms.
pub(crate) fn swap_sizes(pipe: &mut Pipe, own: usize, most: u64) -> Result<usize, SessionError> {
    pipe.channel.phase(STEP);
    pipe.channel.put(&TierSize(own as u64)).map_err(SessionError::at(STEP))?;
    let theirs = pipe.channel.take::<TierSize>(&most).map_err(SessionError::at(STEP))?;
    // The terms were checked for what this machine can index.
    Ok(usize::try_from(theirs.0).unwrap_or(usize::MAX))
}

/// The session of a tier of a session.
#[must_use]
pub fn session_of(session: &[u8; 32], tier: u32) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 tier of a session");
    hasher.update(session).update(&tier.to_le_bytes());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use veilset_channel::memory_pair;

    use super::*;

    #[test]
    fn a_peer_has_no_more_left_than_it_said_at_first() {
        for (said, most, heard) in [(7, 7, Some(7)), (0, 7, Some(0)), (8, 7, None)] {
            let (left, right) = memory_pair();
            let mut peer = Pipe::new(Box::new(right), [0; 32]);
            peer.channel.put(&TierSize(said)).expect("there is room");
            let mut pipe = Pipe::new(Box::new(left), [0; 32]);
            assert_eq!(swap_sizes(&mut pipe, 3, most).ok(), heard);
        }
    }

    #[test]
    fn each_tier_has_a_session_of_its_own() {
        let sessions = [0, 1, 2].map(|tier| session_of(&[1; 32], tier));
        assert!(sessions[0] != sessions[1] && sessions[1] != sessions[2] && sessions[0] != [1; 32]);
        assert_ne!(session_of(&[2; 32], 0), sessions[0]);
    }
}
