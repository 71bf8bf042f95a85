//! What crosses the wire, beside the set.

use veilset_channel::{
    Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Tag,
};

use super::suite::Residues;
use crate::ProtocolError;

/// The first message of the key agreement.
pub(super) type FirstMessage = Blob<{ Tag::KeyAgreement.byte() }>;

/// Coefficients of the polynomial, lowest degree first.
pub(super) type Coefficients = Blob<{ Tag::Polynomial.byte() }>;

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
        channel.put::<Coefficients>(&Blob(encoded.as_flattened().to_vec()))?;
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
    PeerFault::Malformed { what: Coefficients::TAG.name(), why: Malformed::OutOfRange }
}
