//! Requests and answers on a connection to a service.

use veilset_channel::{MAX_FRAME, Malformed, Transport, WireBytes};
use veilset_net::{receive_message, send_message};
use veilset_protocols::Observer;

use crate::wire::{CHUNK, Request, open};
use crate::{LookupError, Refusal};

/// Requests that are under way at once while a list is fetched: enough for a frame to fly while the next is made.
pub(crate) const AHEAD: u64 = 4;

/// A connection to a service.
pub(crate) struct ServiceConnection(Box<dyn Transport>);

impl ServiceConnection {
    pub(crate) fn new(transport: Box<dyn Transport>) -> Self {
        Self(transport)
    }

    /// Says goodbye, and returns what crossed the wire.
    pub(crate) fn close(&mut self) -> WireBytes {
        let bytes = self.0.wire_bytes().unwrap_or_default();
        self.0.close();
        bytes
    }

    /// The answer to a request, in a message of at most `longest` bytes.
    ///
    /// # Errors
    /// When the server refuses, or says what is no answer, or the connection fails.
    pub(crate) fn ask(
        &mut self,
        request: &Request,
        longest: usize,
    ) -> Result<Vec<u8>, LookupError> {
        self.send(request)?;
        self.receive(longest)?.map_err(LookupError::Refused)
    }

    /// So many bytes in chunks, with some requests ahead. Memory grows with what arrives.
    ///
    /// # Errors
    /// As [`ServiceConnection::ask`].
    pub(crate) fn fetch(
        &mut self,
        length: u64,
        request: impl Fn(u64) -> Request,
        observer: &dyn Observer,
    ) -> Result<Vec<u8>, LookupError> {
        observer.begin("fetching the list", length);
        let chunks = length.div_ceil(CHUNK as u64);
        let offset = |chunk: u64| chunk * CHUNK as u64;
        let (mut bytes, mut sent) = (Vec::new(), 0);
        for chunk in 0..chunks {
            while sent < chunks.min(chunk + AHEAD) {
                self.send(&request(offset(sent)))?;
                sent += 1;
            }
            let wanted = (length - offset(chunk)).min(CHUNK as u64) as usize;
            match self.receive(MAX_FRAME)? {
                Ok(body) if body.len() == wanted => {
                    bytes.extend_from_slice(&body);
                    observer.advance(wanted as u64);
                }
                Ok(_) => {
                    return Err(LookupError::Malformed {
                        what: "part of the list",
                        why: Malformed::OutOfRange,
                    });
                }
                Err(refusal) => return Err(self.skip(refusal, sent - chunk - 1)),
            }
        }
        Ok(bytes)
    }

    /// After a refusal with which the connection goes on, what was asked for before is answered too: so many frames.
    fn skip(&mut self, refusal: Refusal, more: u64) -> LookupError {
        if refusal == Refusal::Moved {
            for _ in 0..more {
                match self.receive(MAX_FRAME) {
                    Ok(Ok(_) | Err(Refusal::Moved)) => {}
                    Ok(Err(other)) => return LookupError::Refused(other),
                    Err(error) => return error,
                }
            }
        }
        LookupError::Refused(refusal)
    }

    /// A server that goes says why before: that is told, and not that nothing can be sent any more.
    fn send(&mut self, request: &Request) -> Result<(), LookupError> {
        let sent = send_message(&mut *self.0, &request.encode());
        let Err(error) = sent else { return Ok(()) };
        for _ in 0..=AHEAD {
            match self.receive(MAX_FRAME) {
                Ok(Ok(_) | Err(Refusal::Moved)) => {}
                Ok(Err(refusal)) => return Err(LookupError::Refused(refusal)),
                Err(_) => break,
            }
        }
        Err(error.into())
    }

    fn receive(&mut self, longest: usize) -> Result<Result<Vec<u8>, Refusal>, LookupError> {
        let message = receive_message(&mut *self.0, longest)?;
        let body = open(&message).map_err(|why| LookupError::Malformed { what: "answer", why })?;
        Ok(body.map(<[u8]>::to_vec))
    }
}
