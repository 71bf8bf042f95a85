//! The channels to the other parties, and what crosses them.

use std::ops::Range;

use blake3::Hasher;
use veilset_channel::{
    Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Tag,
};
use veilset_crypto::elgamal::Ciphertext;

use super::{MultipartyError, PartyState};
use crate::ProtocolError;
use crate::catalogue::ks::algebra::EncryptedMultiset;
use crate::kit::exchange::cross;
use veilset_crypto::PrimeGroup;

/// As much of what one party tells another as one message takes.
type RoundChunk = Blob<{ Tag::MultipartyRound.byte() }>;

/// A channel to each other party.
pub(super) struct Channels<'a> {
    own: usize,
    channels: Vec<Option<&'a mut dyn Channel>>,
    /// All that was broadcast so far.
    heard: Hasher,
}

impl<'a> Channels<'a> {
    /// For `party`, counted from 1.
    pub(super) fn new(party: u16, channels: Vec<Option<&'a mut dyn Channel>>) -> Self {
        let heard = Hasher::new_derive_key("veilset v1 what all parties broadcast");
        Self { own: usize::from(party) - 1, channels, heard }
    }

    /// This party's place, from 0.
    pub(super) fn own(&self) -> usize {
        self.own
    }

    /// Opens a round.
    pub(super) fn phase(&mut self, name: &'static str) {
        self.channels.iter_mut().flatten().for_each(|channel| channel.phase(name));
    }

    /// Tells each party what is for it, and takes from each so many bytes; what is for this one stays here. All parties
    /// call this with the same lengths, in the same order.
    pub(super) fn swap(
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
    pub(super) fn broadcast(
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
    pub(super) fn compare(&mut self) -> Result<(), MultipartyError> {
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
pub(super) fn number(place: usize) -> u16 {
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

impl<G: PrimeGroup> PartyState<'_, '_, G> {
    pub(super) fn encoded(&self, ciphertexts: &[Ciphertext<G::Element>]) -> Vec<u8> {
        let mut encoded = Vec::with_capacity(self.ciphertexts_len(ciphertexts.len()));
        self.group.encode(ciphertexts.as_flattened(), &mut encoded);
        encoded
    }

    /// Without the leading coefficient, which is known to be 1.
    pub(super) fn encoded_low(&self, set: &EncryptedMultiset<G>) -> Vec<u8> {
        self.encoded(&set.coefficients()[..set.degree()])
    }

    /// What `party` sent.
    pub(super) fn decoded(
        &self,
        party: u16,
        encoded: &[u8],
    ) -> Result<Vec<Ciphertext<G::Element>>, MultipartyError> {
        let fault =
            PeerFault::Malformed { what: RoundChunk::TAG.name(), why: Malformed::NotAnElement };
        let source = |_| MultipartyError::Party { party, source: fault.into() };
        let elements = self.group.decode(encoded).map_err(source)?;
        Ok(elements.as_chunks().0.to_vec())
    }

    /// The monic polynomials that each party sent, in order.
    pub(super) fn decoded_low(
        &self,
        encoded: &[Vec<u8>],
    ) -> Result<Vec<EncryptedMultiset<G>>, MultipartyError> {
        let set = |(party, encoded): (u16, &Vec<u8>)| {
            Ok(EncryptedMultiset::monic(self.group, self.decoded(party, encoded)?))
        };
        (1..).zip(encoded).map(set).collect()
    }
}
