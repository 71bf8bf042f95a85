//! Request and response.

use veilset_crypto::Sec1;

use super::error::{Kind, OpenMinedError};
use super::wire::{ELEMENT, Fields, put_number, put_points};

/// A client's items under its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Whether the client wants to know which of them match, or how many.
    pub reveal: bool,
    /// The points.
    pub elements: Vec<Sec1>,
}

impl Request {
    /// The request that a client sent, of `most` items at most.
    ///
    /// # Errors
    /// When the bytes are no request, or it has more items. Its elements need not be points: [`Server::respond`](super::Server::respond)
    /// looks.
    pub fn decode(bytes: &[u8], most: usize) -> Result<Self, OpenMinedError> {
        let mut reveal = false;
        let mut elements = Vec::with_capacity((bytes.len() / ELEMENT).min(most));
        let mut fields = Fields::of(Kind::Request, bytes);
        let mut got = 0_usize;
        while let Some(field) = fields.next()? {
            match field.number {
                1 => reveal = field.as_number()? != 0,
                2 => {
                    let element = field.as_point()?;
                    got += 1;
                    if got <= most {
                        elements.push(element);
                    }
                }
                _ => {}
            }
        }
        if got > most {
            return Err(OpenMinedError::TooMany { got, most });
        }
        Ok(Self { reveal, elements })
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(1, u64::from(self.reveal), &mut out);
        put_points(2, &self.elements, &mut out);
        out
    }
}

/// A client's items under both keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The points: in the request's order, or sorted.
    pub elements: Vec<Sec1>,
}

impl Response {
    /// The response that a server sent to a request of so many items.
    ///
    /// # Errors
    /// When the bytes are no response, or it answers another number of items. Its elements need not be points:
    /// [`Client::matches`](super::Client::matches) looks.
    pub fn decode(bytes: &[u8], expected: usize) -> Result<Self, OpenMinedError> {
        let mut elements = Vec::with_capacity((bytes.len() / ELEMENT).min(expected));
        let mut fields = Fields::of(Kind::Response, bytes);
        let mut got = 0_usize;
        while let Some(field) = fields.next()? {
            if field.number != 1 {
                continue;
            }
            let element = field.as_point()?;
            got += 1;
            if got <= expected {
                elements.push(element);
            }
        }
        if got != expected {
            return Err(OpenMinedError::WrongCount { expected, got });
        }
        Ok(Self { elements })
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_points(1, &self.elements, &mut out);
        out
    }
}
