//! Requests and answers: a message each.

use veilset_channel::{MAX_FRAME, Malformed, Reader};
use veilset_crypto::oprf::Encoded;

use crate::Refusal;

/// The most items that one request asks for.
pub const MAX_ITEMS: usize = 1024;

/// Bytes of the published list, or of changes, that one answer carries: a frame.
pub(crate) const CHUNK: usize = 120 * 1024;

const _: () = assert!(CHUNK < MAX_FRAME && MAX_ITEMS * 32 + 64 < MAX_FRAME);

/// Bytes of a request before an encrypted question.
pub(crate) const QUESTION_HEAD: usize = 2 + 32 + 16;

/// What comes before each request: the version of these messages.
const WIRE: u8 = 1;

/// The first byte of an answer that is one; refusals have others.
const ANSWER: u8 = 0;

/// A client's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// The manifest, and how to get from a version that the client has to the newest.
    Greet { list: [u8; 32], version: u64 },
    /// A chunk of the published list.
    Chunk { version: u64, offset: u64 },
    /// A chunk of the changes from one version to another.
    Changes { since: u64, version: u64, offset: u64 },
    /// An encrypted question to a list under this key, made with the parameters of this digest.
    Question { key: Encoded, parameters: [u8; 16], question: Vec<u8> },
    /// The function under this key on blinded items.
    Ask { key: Encoded, blinded: Vec<Encoded> },
}

impl Request {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![WIRE];
        match self {
            Self::Greet { list, version } => {
                out.push(0);
                out.extend_from_slice(list);
                out.extend_from_slice(&version.to_le_bytes());
            }
            Self::Chunk { version, offset } => {
                out.push(1);
                out.extend_from_slice(&version.to_le_bytes());
                out.extend_from_slice(&offset.to_le_bytes());
            }
            Self::Changes { since, version, offset } => {
                out.push(2);
                out.extend_from_slice(&since.to_le_bytes());
                out.extend_from_slice(&version.to_le_bytes());
                out.extend_from_slice(&offset.to_le_bytes());
            }
            Self::Question { key, parameters, question } => {
                out.push(4);
                out.extend_from_slice(key);
                out.extend_from_slice(parameters);
                out.extend_from_slice(question);
            }
            Self::Ask { key, blinded } => {
                out.push(3);
                out.extend_from_slice(key);
                out.extend_from_slice(blinded.as_flattened());
            }
        }
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        Reader::parse(bytes, |reader| match (reader.u8()?, reader.u8()?) {
            (WIRE, 0) => Ok(Self::Greet { list: reader.array()?, version: reader.u64()? }),
            (WIRE, 1) => Ok(Self::Chunk { version: reader.u64()?, offset: reader.u64()? }),
            (WIRE, 2) => Ok(Self::Changes {
                since: reader.u64()?,
                version: reader.u64()?,
                offset: reader.u64()?,
            }),
            (WIRE, 3) => {
                let key = reader.array()?;
                let (blinded, rest) = reader.rest().as_chunks();
                if !rest.is_empty() {
                    return Err(Malformed::LeftOver);
                }
                match blinded.len() {
                    1..=MAX_ITEMS => Ok(Self::Ask { key, blinded: blinded.to_vec() }),
                    _ => Err(Malformed::OutOfRange),
                }
            }
            (WIRE, 4) => {
                let (key, parameters) = (reader.array()?, reader.array()?);
                Ok(Self::Question { key, parameters, question: reader.rest().to_vec() })
            }
            _ => Err(Malformed::OutOfRange),
        })
    }
}

/// An answer, or why there is none.
pub(crate) fn message(answer: Result<Vec<u8>, Refusal>) -> Vec<u8> {
    match answer {
        Ok(body) => {
            let mut message = Vec::with_capacity(1 + body.len());
            message.push(ANSWER);
            message.extend_from_slice(&body);
            message
        }
        Err(refusal) => refusal_message(refusal),
    }
}

pub(crate) fn refusal_message(refusal: Refusal) -> Vec<u8> {
    match refusal {
        Refusal::Quota(seconds) => [&[1], &seconds.to_le_bytes()[..]].concat(),
        Refusal::Moved => vec![2],
        Refusal::Malformed => vec![3],
        Refusal::Stopping => vec![4],
        Refusal::Full => vec![5],
        Refusal::Forbidden => vec![6],
        Refusal::Release => vec![7],
    }
}

/// The body of an answer, or the refusal, in a message.
pub(crate) fn open(message: &[u8]) -> Result<Result<&[u8], Refusal>, Malformed> {
    let (first, body) = message.split_first().ok_or(Malformed::TooShort)?;
    let refusal = match (first, body) {
        (&ANSWER, body) => return Ok(Ok(body)),
        (1, body) => Refusal::Quota(Reader::parse(body, |r| r.array().map(u32::from_le_bytes))?),
        (2, []) => Refusal::Moved,
        (3, []) => Refusal::Malformed,
        (4, []) => Refusal::Stopping,
        (5, []) => Refusal::Full,
        (6, []) => Refusal::Forbidden,
        (7, []) => Refusal::Release,
        _ => return Err(Malformed::OutOfRange),
    };
    Ok(Err(refusal))
}
