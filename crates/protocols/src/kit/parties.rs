//! The channels to the other parties of a run, and what crosses them.
//!
//! **Order.** Where all exchange something, any two exchange in chunks, in the order of the pairs (1,2), (1,3), …, (2,3), …: of all
//! pairs that are not done the first one always can go on, so nobody waits for ever behind bounded queues.

use std::ops::Range;

use blake3::Hasher;
use rand_core::CryptoRng;
use veilset_channel::{Blob, Channel, ChannelExt, Chunks, MAX_BODY, Tag};

use crate::kit::exchange::cross;
use crate::{Means, MultipartyError, Observer, ProtocolError};

/// As much of what one party tells another as one message takes.
pub(crate) type RoundChunk = Blob<{ Tag::MultipartyRound.byte() }>;

/// A channel to each other party.
pub(crate) struct Channels<'a> {
    own: usize,
    channels: Vec<Option<&'a mut dyn Channel>>,
    /// All that was broadcast so far.
    heard: Hasher,
}

impl<'a> Channels<'a> {
    /// For the party in this place.
    pub(crate) fn new(own: usize, channels: Vec<Option<&'a mut dyn Channel>>) -> Self {
        let heard = Hasher::new_derive_key("veilset v1 what all parties broadcast");
        Self { own, channels, heard }
    }

    /// This party's place, from 0.
    pub(crate) fn own(&self) -> usize {
        self.own
    }

    /// Opens a round.
    pub(crate) fn phase(&mut self, name: &'static str) {
        self.channels.iter_mut().flatten().for_each(|channel| channel.phase(name));
    }

    /// Does something with another party.
    pub(crate) fn with<T>(
        &mut self,
        other: usize,
        act: impl FnOnce(&mut dyn Channel) -> Result<T, ProtocolError>,
    ) -> Result<T, MultipartyError> {
        let channel = self.channels[other].as_deref_mut().expect("a channel to each other party");
        act(channel).map_err(MultipartyError::run_of(number(other)))
    }

    /// Tells each party what is for it, and takes from each so many bytes; what is for this one stays here. All parties
    /// call this with the same lengths, in the same order.
    pub(crate) fn swap(
        &mut self,
        outgoing: Vec<&[u8]>,
        lens: &[usize],
    ) -> Result<Vec<Vec<u8>>, MultipartyError> {
        let mut incoming = Vec::with_capacity(lens.len());
        for (place, (outgoing, len)) in outgoing.into_iter().zip(lens).enumerate() {
            let taken = match &mut self.channels[place] {
                None => Ok(outgoing.to_vec()),
                Some(channel) => swap_with(&mut **channel, outgoing, *len),
            };
            incoming.push(taken.map_err(MultipartyError::run_of(number(place)))?);
        }
        Ok(incoming)
    }

    /// Tells all the same, and takes what each tells all.
    pub(crate) fn broadcast(
        &mut self,
        own: Vec<u8>,
        lens: &[usize],
    ) -> Result<Vec<Vec<u8>>, MultipartyError> {
        let all = self.swap(vec![&own; lens.len()], lens)?;
        for told in &all {
            self.heard.update(&(told.len() as u64).to_le_bytes()).update(told);
        }
        Ok(all)
    }

    /// Makes sure that all heard the same so far.
    pub(crate) fn compare(&mut self) -> Result<(), MultipartyError> {
        let own = self.heard.finalize();
        let lens = vec![own.as_bytes().len(); self.channels.len()];
        let all = self.swap(vec![own.as_bytes(); lens.len()], &lens)?;
        match all.iter().position(|digest| digest != own.as_bytes()) {
            Some(place) => Err(MultipartyError::Unequal { party: number(place) }),
            None => Ok(()),
        }
    }
}

/// The number of the party in a place.
pub(crate) fn number(place: usize) -> u16 {
    u16::try_from(place + 1).expect("few parties")
}

fn swap_with(
    channel: &mut dyn Channel,
    outgoing: &[u8],
    len: usize,
) -> Result<Vec<u8>, ProtocolError> {
    let mut incoming = Vec::with_capacity(len);
    let chunks = |len| Chunks::new(len, MAX_BODY);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        Ok(channel.put::<RoundChunk>(&Blob(outgoing[range].to_vec()))?)
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        incoming.extend_from_slice(&channel.take::<RoundChunk>(&range.len())?.0);
        Ok(())
    };
    cross(channel, chunks(outgoing.len()), chunks(len), put, take)?;
    Ok(incoming)
}

/// What a party runs protocols of two with, each with another party.
pub(crate) struct PairMeans<'a> {
    pub(crate) channels: Channels<'a>,
    pub(crate) session: &'a [u8; 32],
    pub(crate) rng: &'a mut dyn CryptoRng,
    pub(crate) observer: &'a dyn Observer,
}

impl PairMeans<'_> {
    /// Runs a protocol of two with the party in the place `other`, in a session that these two alone have.
    pub(crate) fn with<T>(
        &mut self,
        other: usize,
        act: impl FnOnce(&mut Means<'_>) -> Result<T, ProtocolError>,
    ) -> Result<T, MultipartyError> {
        let own = self.channels.own();
        let mut session = Hasher::new_derive_key("veilset v1 session of two among several parties");
        let pair = [own.min(other), own.max(other)].map(|place| number(place).to_le_bytes());
        session.update(self.session).update(pair.as_flattened());
        let session = session.finalize();
        self.channels.with(other, |channel| {
            let (rng, observer) = (&mut *self.rng, self.observer);
            act(&mut Means { session: session.as_bytes(), channel, rng, observer })
        })
    }
}

/// The pairs of so many parties in rounds, in each of which every party has one other at most: each party stands at a corner of a
/// regular polygon, which turns by one corner between rounds, and one is in the middle where their number is even.
pub(crate) fn pairings(parties: usize) -> Vec<Vec<(usize, usize)>> {
    // An odd number of corners; the one in the middle, if any, has the last place.
    let corners = parties - 1 + parties % 2;
    let round = |turn: usize| {
        let opposite = (1..=corners / 2).map(move |step| {
            let (one, other) = ((turn + step) % corners, (turn + corners - step) % corners);
            (one.min(other), one.max(other))
        });
        let middle = (corners < parties).then_some((turn, corners));
        opposite.chain(middle).collect()
    };
    (0..corners).map(round).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_two_meet_once_and_nobody_twice_at_a_time() {
        for parties in 2..=20 {
            let rounds = pairings(parties);
            let mut met = BTreeSet::new();
            for round in &rounds {
                let mut busy = BTreeSet::new();
                for (low, high) in round {
                    assert!(low < high && *high < parties);
                    assert!(busy.insert(low) && busy.insert(high), "{parties}: {round:?}");
                    assert!(met.insert((*low, *high)), "{parties}: {round:?}");
                }
            }
            assert_eq!(met.len(), parties * (parties - 1) / 2);
            assert!(rounds.len() <= parties);
        }
    }
}
