//! Elements under a key of either side.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Channel, ChannelExt, Malformed, Message, Reader, Tag};
use veilset_crypto::{CommutativePrf, Curve25519Prf, Element};

use crate::ProtocolError;
use crate::exchange::{not_an_element, value};
use crate::wire::{Points, chunks_of, point_chunks};

type Point = <Curve25519Prf as CommutativePrf>::Point;

/// Bits of a digest that is compared: 2^-128 is the chance of each pair to match falsely.
const BITS: u32 = 128;

/// Bytes of an answer: a point and a digest.
const LEN: usize = Curve25519Prf::LEN + BITS as usize / 8;

/// Answers: F_l(H(b)) and a digest of F_l(F_k(H(a))) for each pair. Context: how many.
struct Answers(Vec<(Point, u128)>);

impl Message for Answers {
    const TAG: Tag = Tag { byte: 13, name: "answers about pairs" };
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count * LEN
    }

    fn encode(&self, out: &mut Vec<u8>) {
        for (point, digest) in &self.0 {
            out.extend_from_slice(point.as_ref());
            out.extend_from_slice(&digest.to_le_bytes());
        }
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let answer = |reader: &mut Reader<'_>| {
            let point = reader.bytes(Curve25519Prf::LEN)?;
            let point = Point::try_from(point).map_err(|_| Malformed::TooShort)?;
            let digest = reader.bytes(LEN - Curve25519Prf::LEN)?;
            let digest = digest.try_into().map_err(|_| Malformed::TooShort)?;
            Ok((point, u128::from_le_bytes(digest)))
        };
        (0..*count).map(|_| answer(reader)).collect::<Result<_, _>>().map(Self)
    }
}

pub(super) struct Asker {
    prf: Curve25519Prf,
    offered: usize,
}

impl Asker {
    pub(super) fn start(rng: &mut dyn CryptoRng) -> Self {
        Self { prf: Curve25519Prf::generate(rng), offered: 0 }
    }
}

impl super::Asker for Asker {
    fn offer(
        &mut self,
        channel: &mut dyn Channel,
        elements: &[Element],
        _rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        for range in point_chunks::<Curve25519Prf>(elements.len()).ranges() {
            channel.put(&Points(self.prf.hash_and_evaluate(&elements[range])))?;
        }
        self.offered += elements.len();
        Ok(())
    }

    fn learn(
        &mut self,
        channel: &mut dyn Channel,
        offered: &[usize],
    ) -> Result<Vec<bool>, ProtocolError> {
        assert!(offered.iter().all(|number| *number < self.offered), "offers that were made");
        let mut equal = Vec::with_capacity(offered.len());
        for range in chunks_of(offered.len(), LEN).ranges() {
            let (points, digests): (Vec<_>, Vec<_>) =
                channel.take::<Answers>(&range.len())?.0.into_iter().unzip();
            let points = self.prf.evaluate(&points).map_err(not_an_element)?;
            let pairs = points.iter().zip(digests);
            equal.extend(pairs.map(|(point, digest)| value(point, BITS) == digest));
        }
        Ok(equal)
    }
}

#[derive(Default)]
pub(super) struct Answerer {
    offers: Vec<Point>,
}

impl super::Answerer for Answerer {
    fn take_offer(&mut self, channel: &mut dyn Channel, count: usize) -> Result<(), ProtocolError> {
        for range in point_chunks::<Curve25519Prf>(count).ranges() {
            self.offers.extend(channel.take::<Points<Point>>(&range.len())?.0);
        }
        Ok(())
    }

    fn answer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[(usize, Element)],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        for range in chunks_of(pairs.len(), LEN).ranges() {
            let keys: Vec<_> = range.clone().map(|_| Curve25519Prf::generate(rng)).collect();
            let answer = |((offer, element), key): (&(usize, Element), &Curve25519Prf)| {
                let own = key.hash_and_evaluate(std::slice::from_ref(element))[0];
                let both = key.evaluate(&self.offers[*offer..=*offer]).map_err(not_an_element)?;
                Ok((own, value(&both[0], BITS)))
            };
            let answers = pairs[range].par_iter().zip(&keys).map(answer);
            channel.put(&Answers(answers.collect::<Result<_, ProtocolError>>()?))?;
        }
        Ok(())
    }
}
