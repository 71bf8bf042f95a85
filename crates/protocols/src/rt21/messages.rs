//! What crosses the wire, beside the set.

use veilset_channel::{
    Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Reader, Tag,
};

use super::suite::Residues;
use crate::ProtocolError;

/// The first message of the key agreement. Context: its bytes.
pub(super) struct FirstMessage(pub(super) Vec<u8>);

impl Message for FirstMessage {
    const TAG: Tag = Tag { byte: 14, name: "first message of the key agreement" };
    type Context = usize;

    fn max_len(bytes: &usize) -> usize {
        *bytes
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, bytes: &usize) -> Result<Self, Malformed> {
        reader.bytes(*bytes).map(|bytes| Self(bytes.to_vec()))
    }
}

/// Coefficients of the polynomial, lowest degree first. Context: their bytes.
pub(super) struct Coefficients(pub(super) Vec<u8>);

impl Message for Coefficients {
    const TAG: Tag = Tag { byte: 15, name: "polynomial" };
    type Context = usize;

    fn max_len(bytes: &usize) -> usize {
        *bytes
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, bytes: &usize) -> Result<Self, Malformed> {
        reader.bytes(*bytes).map(|bytes| Self(bytes.to_vec()))
    }
}

/// The frames in which `count` coefficients of `len` bytes travel.
pub(super) fn coefficient_chunks(len: usize, count: usize) -> Chunks {
    Chunks::new(count, MAX_BODY / len)
}

pub(super) fn put_coefficients<F: Residues<LEN>, const LEN: usize>(
    channel: &mut dyn Channel,
    field: &F,
    poly: &[F::Element],
) -> Result<(), ProtocolError> {
    for range in coefficient_chunks(LEN, poly.len()).ranges() {
        let encoded: Vec<_> = poly[range].iter().map(|element| field.encode(element)).collect();
        channel.put(&Coefficients(encoded.as_flattened().to_vec()))?;
    }
    Ok(())
}

/// Takes a polynomial of `count` coefficients, each below the modulus.
pub(super) fn take_coefficients<F: Residues<LEN>, const LEN: usize>(
    channel: &mut dyn Channel,
    field: &F,
    count: usize,
) -> Result<Vec<F::Element>, ProtocolError> {
    let mut poly = Vec::new();
    for range in coefficient_chunks(LEN, count).ranges() {
        let encoded = channel.take::<Coefficients>(&(LEN * range.len()))?.0;
        let decoded = encoded.as_chunks().0.iter().map(|bytes| field.decode(bytes));
        poly.extend(decoded.collect::<Option<Vec<_>>>().ok_or_else(out_of_range)?);
    }
    Ok(poly)
}

fn out_of_range() -> PeerFault {
    PeerFault::Malformed { what: Coefficients::TAG.name, why: Malformed::OutOfRange }
}
