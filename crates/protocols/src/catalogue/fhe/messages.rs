//! What crosses the wire, beside points: queries and answers, in frames.

use veilset_bfv::{RelinearisationKey, Ring, Seeded, WireError};
use veilset_channel::{
    Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Tag,
};

use super::evaluation::Query;
use super::parameters::FheParameters;
use crate::ProtocolError;

/// A piece of a query.
type QueryPiece = Blob<{ Tag::EncryptedPowers.byte() }>;

/// A piece of an answer.
type AnswerPiece = Blob<{ Tag::EncryptedAnswers.byte() }>;

/// Sends a query: the keys that the parameters ask for, then the powers.
pub(crate) fn put_query(
    channel: &mut dyn Channel,
    ring: &Ring,
    query: &Query,
) -> Result<(), ProtocolError> {
    write_query(ring, query, |bytes| {
        let mut pieces = bytes.chunks(MAX_BODY);
        pieces.try_for_each(|piece| channel.put::<QueryPiece>(&Blob(piece.to_vec())))
    })?;
    Ok(())
}

/// Gives the parts of a query to `put`, one after the other.
pub(crate) fn write_query<E>(
    ring: &Ring,
    query: &Query,
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut bytes = Vec::new();
    if let Some(key) = &query.relinearisation {
        key.write(ring, &mut bytes);
        put(&bytes)?;
    }
    for seeded in query.public.iter().chain(&query.powers) {
        bytes.clear();
        seeded.write(ring, &mut bytes);
        put(&bytes)?;
    }
    Ok(())
}

/// Takes a query of what the parameters say.
pub(crate) fn take_query(
    channel: &mut dyn Channel,
    parameters: &FheParameters,
    ring: &Ring,
) -> Result<Query, ProtocolError> {
    read_query(parameters, ring, |len| take::<{ Tag::EncryptedPowers.byte() }>(channel, len))
}

/// A query of what the parameters say, of parts that `take` has with their numbers of bytes.
pub(crate) fn read_query<E: From<PeerFault>>(
    parameters: &FheParameters,
    ring: &Ring,
    mut take: impl FnMut(usize) -> Result<Vec<u8>, E>,
) -> Result<Query, E> {
    let relinearisation = match parameters.special {
        None => None,
        Some(_) => {
            let bytes = take(RelinearisationKey::len(ring))?;
            Some(RelinearisationKey::read(ring, &bytes).map_err(refused::<QueryPiece>)?)
        }
    };
    let mut seeded = || -> Result<Seeded, E> {
        let bytes = take(Seeded::len(ring))?;
        Ok(Seeded::read(ring, &bytes).map_err(refused::<QueryPiece>)?)
    };
    let public = parameters.flood.map(|_| seeded()).transpose()?;
    let count = parameters.locations * parameters.powers.sent_count();
    let powers = (0..count).map(|_| seeded()).collect::<Result<_, _>>()?;
    Ok(Query { relinearisation, public, powers })
}

/// Sends the answers.
pub(crate) fn put_answers(
    channel: &mut dyn Channel,
    answers: &[Vec<u8>],
) -> Result<(), ProtocolError> {
    for answer in answers {
        let mut pieces = answer.chunks(MAX_BODY);
        pieces.try_for_each(|piece| channel.put::<AnswerPiece>(&Blob(piece.to_vec())))?;
    }
    Ok(())
}

/// Takes as many answers as the parameters say.
pub(crate) fn take_answers(
    channel: &mut dyn Channel,
    parameters: &FheParameters,
) -> Result<Vec<Vec<u8>>, ProtocolError> {
    let len = parameters.answer_bytes();
    (0..parameters.answers())
        .map(|_| take::<{ Tag::EncryptedAnswers.byte() }>(channel, len))
        .collect()
}

fn take<const TAG: u8>(channel: &mut dyn Channel, len: usize) -> Result<Vec<u8>, ProtocolError> {
    let mut all = Vec::with_capacity(len);
    for range in Chunks::new(len, MAX_BODY).ranges() {
        all.extend(channel.take::<Blob<TAG>>(&range.len())?.0);
    }
    Ok(all)
}

/// What a peer is blamed for whose bytes are no ciphertexts.
pub(crate) fn refused<M: Message>(error: WireError) -> PeerFault {
    let why = match error {
        WireError::Length => Malformed::TooShort,
        WireError::Range => Malformed::OutOfRange,
    };
    PeerFault::Malformed { what: M::TAG.name(), why }
}

/// As [`refused`], of an answer.
pub(crate) fn refused_answer(error: WireError) -> PeerFault {
    refused::<AnswerPiece>(error)
}
