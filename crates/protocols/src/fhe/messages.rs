//! What crosses the wire, beside points: queries and answers, in frames.

use veilset_bfv::{RelinearisationKey, Ring, Seeded, WireError};
use veilset_channel::{
    Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault, Reader, Tag,
};

use super::evaluation::Query;
use super::parameters::Parameters;
use crate::ProtocolError;

/// A piece of a query. Context: its bytes.
struct QueryPiece(Vec<u8>);

impl Message for QueryPiece {
    const TAG: Tag = Tag { byte: 16, name: "encrypted powers" };
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

/// A piece of an answer. Context: its bytes.
struct AnswerPiece(Vec<u8>);

impl Message for AnswerPiece {
    const TAG: Tag = Tag { byte: 17, name: "encrypted answers" };
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

/// Sends a query: the keys that the parameters ask for, then the powers.
pub(crate) fn put_query(
    channel: &mut dyn Channel,
    ring: &Ring,
    query: &Query,
) -> Result<(), ProtocolError> {
    write_query(ring, query, |bytes| {
        let mut pieces = bytes.chunks(MAX_BODY);
        pieces.try_for_each(|piece| channel.put(&QueryPiece(piece.to_vec())))
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
    parameters: &Parameters,
    ring: &Ring,
) -> Result<Query, ProtocolError> {
    read_query(parameters, ring, |len| take::<QueryPiece>(channel, len, |piece| piece.0))
}

/// A query of what the parameters say, of parts that `take` has with their numbers of bytes.
pub(crate) fn read_query<E: From<PeerFault>>(
    parameters: &Parameters,
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
        answer.chunks(MAX_BODY).try_for_each(|piece| channel.put(&AnswerPiece(piece.to_vec())))?;
    }
    Ok(())
}

/// Takes as many answers as the parameters say.
pub(crate) fn take_answers(
    channel: &mut dyn Channel,
    parameters: &Parameters,
) -> Result<Vec<Vec<u8>>, ProtocolError> {
    let len = parameters.answer_bytes();
    (0..parameters.answers()).map(|_| take::<AnswerPiece>(channel, len, |piece| piece.0)).collect()
}

fn take<M: Message<Context = usize>>(
    channel: &mut dyn Channel,
    len: usize,
    bytes: impl Fn(M) -> Vec<u8>,
) -> Result<Vec<u8>, ProtocolError> {
    let mut all = Vec::with_capacity(len);
    for range in Chunks::new(len, MAX_BODY).ranges() {
        all.extend(bytes(channel.take::<M>(&range.len())?));
    }
    Ok(all)
}

/// What a peer is blamed for whose bytes are no ciphertexts.
pub(crate) fn refused<M: Message>(error: WireError) -> PeerFault {
    let why = match error {
        WireError::Length => Malformed::TooShort,
        WireError::Range => Malformed::OutOfRange,
    };
    PeerFault::Malformed { what: M::TAG.name, why }
}

/// As [`refused`], of an answer.
pub(crate) fn refused_answer(error: WireError) -> PeerFault {
    refused::<AnswerPiece>(error)
}
