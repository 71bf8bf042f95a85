//! The side that asks.

mod brought;
mod connection;

use rand_core::CryptoRng;
use veilset_channel::{ChannelError, MAX_FRAME, Malformed, Reader, Transport, WireBytes};
use veilset_crypto::Element;
use veilset_crypto::oprf::{Blinding, Encoded, Output, Proof};
use veilset_party::PublicKey;
use veilset_protocols::fhe::AT_ONCE;
use veilset_protocols::oprf_filter::Mask;
use veilset_protocols::{Observer, Silent};

use zeroize::Zeroizing;

use self::brought::{Brought, Replies, asker};
use self::connection::ServiceConnection;
use crate::wire::{MAX_ITEMS, Request};
use crate::{Filter, LookupError, Manifest, Refusal, Way};

/// How often a client begins anew because the list was changed meanwhile.
const ATTEMPTS: u32 = 5;

/// What is known of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is not on the list.
    NotListed,
    /// It is, with this label if the list has labels.
    Listed(Option<String>),
}

impl Answer {
    /// Of a list with labels: the label that opens, if one does.
    pub(crate) fn labelled(label: Option<Vec<u8>>) -> Self {
        let label = label.and_then(|label| String::from_utf8(label).ok());
        label.map_or(Self::NotListed, |label| Self::Listed(Some(label)))
    }
}

/// What had to be fetched of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetched {
    /// Nothing: what was kept is the newest, or the list is not for fetching.
    Nothing,
    /// What changed.
    Changes,
    /// All of it.
    All,
}

/// The answers to a lookup, and the list that they are by.
pub struct Found {
    /// One for each element, in order.
    pub answers: Vec<Answer>,
    /// The list that was asked.
    pub manifest: Manifest,
    /// To keep for the next time, where anything was fetched of the list.
    pub filter: Option<Filter>,
    /// What had to be fetched of it.
    pub fetched: Fetched,
    /// What crossed the wire.
    pub wire: WireBytes,
}

/// The longest list that a client takes if nothing else is said: 2^26 items without labels have 256 MiB or less.
pub const MAX_LIST: u64 = 256 << 20;

/// A connection to a service.
pub struct Client<'a> {
    connection: ServiceConnection,
    peer: PublicKey,
    most: u64,
    observer: &'a dyn Observer,
}

/// What the server says of its list.
struct Greeting {
    manifest: Manifest,
    signed: Vec<u8>,
    /// Bytes of the changes since the version that this side has; beyond any list's length where they are not kept.
    changes: u64,
}

impl<'a> Client<'a> {
    /// Over a connection to the party with this key.
    #[must_use]
    pub fn new(transport: Box<dyn Transport>, peer: PublicKey) -> Self {
        Self {
            connection: ServiceConnection::new(transport),
            peer,
            most: MAX_LIST,
            observer: &Silent,
        }
    }

    /// Takes a published list of so many bytes at most, in place of [`MAX_LIST`].
    ///
    /// Memory is at most twenty times as much: a fingerprint takes 29 bits of the list at least and 16 bytes here, 4.4 times as
    /// much, and twice that while changes are applied; changes are shorter than the list, and take eight times their
    /// length as they come and as entries. Both as they are encoded, and their growing, are the rest.
    #[must_use]
    pub fn taking(mut self, most: u64) -> Self {
        self.most = most;
        self
    }

    /// Tells how far it is: of the list in bytes, of what is asked in items.
    #[must_use]
    pub fn telling(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Asks what there is, fetches what the list has that `kept` has not, then looks up the elements that `elements` makes
    /// once it knows the list, on the threads of the caller's rayon pool. `accept` has seen what the server says of its list
    /// before anything is fetched or asked.
    ///
    /// The connection is closed before the first answer is known to this side, so that nothing which depends on an answer
    /// takes time that the server could measure.
    ///
    /// # Errors
    /// With what `accept` or `elements` says, or when the server refuses, breaks the protocol, or goes away.
    pub fn look_up<E: From<LookupError>>(
        &mut self,
        kept: Option<Filter>,
        accept: impl FnMut(&Manifest) -> Result<(), E>,
        elements: impl FnMut(&Manifest) -> Result<Vec<Element>, E>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Found, E> {
        let brought = self.bring(kept, accept, elements, rng)?;
        let wire = self.close();
        Ok(Found {
            answers: brought.answers(),
            manifest: brought.manifest,
            filter: brought.filter,
            fetched: brought.fetched,
            wire,
        })
    }

    /// The newest version of the list, and what had to be fetched; `None` when `kept` is the newest, or the list is for questions.
    ///
    /// # Errors
    /// [`Refusal::Moved`] when it changed meanwhile; else as [`Client::look_up`].
    pub fn fetch(
        &mut self,
        kept: Option<&Filter>,
    ) -> Result<Option<(Filter, Fetched)>, LookupError> {
        let greeting = self.greet(kept)?;
        self.fetch_by(kept, greeting)
    }

    /// The function's outputs on elements of the list's session, for [`Filter::find`]. That tells by its time, and so by
    /// when the next request comes, what it found: ask for everything before.
    ///
    /// # Errors
    /// [`Refusal::Moved`] when the list has another key meanwhile; else as [`Client::look_up`].
    pub fn ask(
        &mut self,
        manifest: &Manifest,
        elements: &[Element],
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<Output>, LookupError> {
        self.observer.begin("asking", elements.len() as u64);
        let mut outputs = Vec::with_capacity(elements.len());
        for elements in elements.chunks(MAX_ITEMS) {
            outputs.extend(self.ask_some(manifest, elements, rng)?);
            self.observer.advance(elements.len() as u64);
        }
        Ok(outputs)
    }

    /// Says goodbye, and returns what crossed the wire.
    pub fn close(&mut self) -> WireBytes {
        self.connection.close()
    }

    /// All that needs the server.
    fn bring<E: From<LookupError>>(
        &mut self,
        mut kept: Option<Filter>,
        mut accept: impl FnMut(&Manifest) -> Result<(), E>,
        mut elements: impl FnMut(&Manifest) -> Result<Vec<Element>, E>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Brought, E> {
        let mut fetched = Fetched::Nothing;
        for _ in 0..ATTEMPTS {
            let greeting = self.greet(kept.as_ref())?;
            let manifest = greeting.manifest.clone();
            accept(&manifest)?;
            match self.fetch_by(kept.as_ref(), greeting) {
                Ok(None) => {}
                Ok(Some((filter, more))) => (kept, fetched) = (Some(filter), more),
                Err(LookupError::Refused(Refusal::Moved)) => continue,
                Err(error) => return Err(error.into()),
            }
            match self.ask_all(&manifest, &elements(&manifest)?, rng) {
                Ok((outputs, replies)) => {
                    let filter = kept.filter(|_| manifest.way() == Way::Filter);
                    return Ok(Brought { manifest, filter, fetched, outputs, replies });
                }
                Err(LookupError::Refused(Refusal::Moved)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(LookupError::Restless(ATTEMPTS).into())
    }

    /// The function's outputs, and of a list for questions what the server replies to them.
    fn ask_all(
        &mut self,
        manifest: &Manifest,
        elements: &[Element],
        rng: &mut dyn CryptoRng,
    ) -> Result<(Vec<Output>, Option<Replies>), LookupError> {
        let outputs = self.ask(manifest, elements, rng)?;
        if manifest.way() == Way::Filter {
            return Ok((outputs, None));
        }
        let fingerprints = outputs.iter().map(|output| Mask::of(output).fingerprint(u128::BITS));
        let fingerprints = Zeroizing::new(fingerprints.collect::<Vec<u128>>());
        let (asker, parameters) = asker(manifest, self.most)?;
        // Behind the byte that says that it is one.
        let answers = usize::try_from(parameters.all_answers_bytes()).unwrap_or(usize::MAX - 1);
        let longest = 1 + answers;
        let mut replies = Vec::new();
        self.observer.begin("asking under encryption", elements.len() as u64);
        for fingerprints in fingerprints.chunks(AT_ONCE) {
            let (question, bytes) = asker.ask(fingerprints, rng).map_err(LookupError::Question)?;
            let request = Request::Question {
                key: *manifest.key.as_bytes(),
                parameters: parameters.digest(),
                question: bytes,
            };
            let answer = self.connection.ask(&request, longest)?;
            replies.push(asker.read(question, &answer).map_err(ChannelError::from)?);
            self.observer.advance(fingerprints.len() as u64);
        }
        Ok((outputs, Some((asker, replies))))
    }

    fn greet(&mut self, kept: Option<&Filter>) -> Result<Greeting, LookupError> {
        let (list, version) =
            kept.map_or(([0; 32], 0), |filter| (filter.manifest().list, filter.manifest().version));
        let greeting = self.connection.ask(&Request::Greet { list, version }, MAX_FRAME)?;
        let (changes, signed) = greeting.split_first_chunk().ok_or(bad_manifest())?;
        let manifest = Manifest::open(signed, &self.peer)
            .map_err(|why| LookupError::Malformed { what: "manifest", why })?
            .ok_or(LookupError::Check("test of its signature"))?;
        let (changes, signed) = (u64::from_le_bytes(*changes), signed.to_vec());
        if manifest.way() == Way::Filter && manifest.length > self.most {
            return Err(LookupError::TooLong { length: manifest.length, most: self.most });
        }
        Ok(Greeting { manifest, signed, changes })
    }

    fn fetch_by(
        &mut self,
        kept: Option<&Filter>,
        greeting: Greeting,
    ) -> Result<Option<(Filter, Fetched)>, LookupError> {
        let Greeting { manifest, signed, changes } = greeting;
        if manifest.way() == Way::Encrypted {
            return Ok(None);
        }
        let Some(kept) = kept.filter(|kept| kept.manifest().list == manifest.list) else {
            return self.fetch_all(manifest, signed).map(Some);
        };
        let ours = kept.manifest();
        manifest.check_after(ours.version, *ours == manifest)?;
        if *ours == manifest {
            return Ok(None);
        }
        let follows = ours.key == manifest.key && ours.format == manifest.format;
        if !follows || changes >= manifest.length {
            return self.fetch_all(manifest, signed).map(Some);
        }
        let (since, version) = (ours.version, manifest.version);
        let chunk = |offset| Request::Changes { since, version, offset };
        let changes = self.connection.fetch(changes, chunk, self.observer)?;
        Ok(Some((kept.change(manifest, signed, &changes)?, Fetched::Changes)))
    }

    fn ask_some(
        &mut self,
        manifest: &Manifest,
        elements: &[Element],
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<Output>, LookupError> {
        const BROKEN: LookupError =
            LookupError::Check("proof that its answers are under the list's key");
        let inputs: Vec<&[u8]> = elements.iter().map(|element| &element.0[..]).collect();
        // Nobody knows an element that maps to the neutral one.
        let blinding = Blinding::new(&inputs, rng).map_err(|_| BROKEN)?;
        let blinded = blinding.blinded().to_vec();
        let body = self
            .connection
            .ask(&Request::Ask { key: *manifest.key.as_bytes(), blinded }, MAX_FRAME)?;
        let (evaluated, proof) = answer(&body, elements.len())
            .map_err(|why| LookupError::Malformed { what: "answer", why })?;
        blinding.finalize(&inputs, &manifest.key, evaluated, &proof).map_err(|_| BROKEN)
    }

    fn fetch_all(
        &mut self,
        manifest: Manifest,
        signed: Vec<u8>,
    ) -> Result<(Filter, Fetched), LookupError> {
        let version = manifest.version;
        let chunk = |offset| Request::Chunk { version, offset };
        let published = self.connection.fetch(manifest.length, chunk, self.observer)?;
        Ok((Filter::new(manifest, signed, &published)?, Fetched::All))
    }
}

fn answer(body: &[u8], count: usize) -> Result<(&[Encoded], Proof), Malformed> {
    Reader::parse(body, |reader| {
        let (evaluated, _) = reader.bytes(32 * count)?.as_chunks();
        let proof = Proof::from_bytes(&reader.array()?).ok_or(Malformed::OutOfRange)?;
        Ok((evaluated, proof))
    })
}

fn bad_manifest() -> LookupError {
    LookupError::Malformed { what: "manifest", why: Malformed::TooShort }
}

#[cfg(test)]
mod tests;
