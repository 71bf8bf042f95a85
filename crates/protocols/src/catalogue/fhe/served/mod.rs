//! A list that is asked by many and changes: items that its owner masked, and questions about them.
//!
//! The caller brings F, any oblivious function: its outputs are the fingerprints. What the sides learn follows as for a run: at
//! points that a client did not ask F for, the polynomials' roots and labels are random to it. As a fingerprint that gets
//! another label keeps its pad, labels must be sealed so that two of one item are independent random strings to who does not
//! have F there.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::sync::Arc;

use rand_core::CryptoRng;
use veilset_bfv::Ring;
use veilset_channel::{Malformed, PeerFault};
use zeroize::Zeroizing;

use super::MAX_ELEMENTS;
use super::database::{BinContents, Bins, enter, sealed, shares_a_part, spread};
use super::evaluation::{Polynomials, Prepared};
use super::items::{HashedItem, items_of_fingerprints};
use super::labels::open;
use super::messages::{read_query, refused_answer, write_query};
use super::parameters::{FheParameters, FheSizes};
use super::query::{ItemMatches, PendingQuery, ask};
use super::variant::Variant;
use crate::ProtocolError;

/// Items that one question asks for at most: as many as have room in one ciphertext where a list is large.
pub const AT_ONCE: usize = 256;

/// What server and clients compute of a list: the room for items, and bytes of a label, if there are any.
///
/// # Errors
/// When there are none, for sizes beyond reason.
pub fn served_parameters(capacity: u64, label: usize) -> Result<FheParameters, ProtocolError> {
    if capacity > MAX_ELEMENTS {
        return Err(ProtocolError::NoParameters);
    }
    let sizes = FheSizes { sender: capacity.max(1) as usize, receiver: AT_ONCE, slack: 0 };
    FheParameters::best_with_labels(sizes, Variant::default(), label)
        .ok_or(ProtocolError::NoParameters)
}

/// Whether [`Served::new`] finds places for all of these fingerprints. Of as many as there is room for it does not with
/// probability 2^-42, or 2^-9 where they have labels; of half as many hardly ever.
///
/// # Errors
/// When the parameters describe no ring.
pub fn has_places(
    parameters: &FheParameters,
    list: &[u8; 32],
    fingerprints: &[u128],
) -> Result<bool, ProtocolError> {
    let ring = parameters.ring()?;
    let items = items_of_fingerprints(parameters, ring.parameters().t(), list, fingerprints);
    Ok(spread(parameters, &items).is_some())
}

/// A list that is ready to be asked. A change makes another, which shares what stays as it is.
pub struct Served {
    prepared: Prepared,
    entries: Entries,
    bins: Bins,
}

/// What is listed, in an order that changes keep.
#[derive(Clone)]
struct Entries {
    list: [u8; 32],
    fingerprints: Vec<u128>,
    /// Labels, one after the other.
    labels: Vec<u8>,
    /// Of fingerprints that are listed, their places above.
    places: HashMap<u128, u32>,
    /// Places that nothing stands at.
    free: Vec<u32>,
}

/// A fingerprint and the bytes of its label.
pub type Entry<'a> = (u128, &'a [u8]);

impl Served {
    /// The list with this name, of entries with different fingerprints.
    ///
    /// # Errors
    /// [`ProtocolError::Overfull`] when an item finds no place.
    pub fn new<'a>(
        parameters: FheParameters,
        list: [u8; 32],
        entries: impl Iterator<Item = Entry<'a>>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        let (mut fingerprints, mut labels) = (Vec::new(), Vec::new());
        for (fingerprint, label) in entries {
            fingerprints.push(fingerprint);
            labels.extend_from_slice(label);
        }
        let places =
            (0..).zip(&fingerprints).map(|(place, fingerprint)| (*fingerprint, place)).collect();
        let entries = Entries { list, fingerprints, labels, places, free: Vec::new() };
        let ring = parameters.ring()?;
        let t = ring.parameters().t();
        let items = items_of_fingerprints(&parameters, t, &list, &entries.fingerprints);
        let bins = spread(&parameters, &items).ok_or(ProtocolError::Overfull)?;
        drop(items);
        let all: Vec<usize> = (0..parameters.locations * parameters.partitions).collect();
        let partitions = entries.prepare(&parameters, &ring, &bins, &all, rng);
        Ok(Self { prepared: Prepared { parameters, ring, partitions }, entries, bins })
    }

    /// The list without the first and with the second entries: what they fall into is interpolated anew, and nothing else.
    ///
    /// # Errors
    /// [`ProtocolError::Overfull`] when an item finds no place beside the others; [`Served::new`] may still find places for all.
    pub fn changed(
        &self,
        removed: &[u128],
        added: &[Entry<'_>],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        let Prepared { parameters, ring, .. } = &self.prepared;
        let (mut entries, mut bins) = (self.entries.clone(), self.bins.clone());
        let mut touched = BTreeSet::new();
        let t = ring.parameters().t();
        let gone = items_of_fingerprints(parameters, t, &entries.list, removed);
        for (fingerprint, item) in removed.iter().zip(gone.iter()) {
            let Some(index) = entries.remove(fingerprint) else { continue };
            for bin in &item.places {
                let partition = leave(&mut bins[*bin], index);
                touched.insert(parameters.partition(*bin, partition));
            }
        }
        for entry in added {
            let index = entries.add(*entry);
            let come = items_of_fingerprints(parameters, t, &entries.list, &[entry.0]);
            for bin in &come[0].places {
                let there: Vec<u32> = bins[*bin].concat();
                let fingerprints: Vec<u128> =
                    there.iter().map(|index| entries.fingerprints[*index as usize]).collect();
                let items = items_of_fingerprints(parameters, t, &entries.list, &fingerprints);
                let shares = |other: &u32| {
                    let place = there.iter().position(|index| index == other);
                    place.is_some_and(|place| shares_a_part(&come[0], &items[place]))
                };
                let partition = enter(parameters, &mut bins[*bin], index, shares);
                let partition = partition.ok_or(ProtocolError::Overfull)?;
                touched.insert(parameters.partition(*bin, partition));
            }
        }
        let touched: Vec<usize> = touched.into_iter().collect();
        let renewed = entries.prepare(parameters, ring, &bins, &touched, rng);
        let mut partitions = self.prepared.partitions.clone();
        touched.iter().zip(renewed).for_each(|(index, new)| partitions[*index] = new);
        let prepared =
            Prepared { parameters: parameters.clone(), ring: parameters.ring()?, partitions };
        Ok(Self { prepared, entries, bins })
    }

    /// What it was made with.
    #[must_use]
    pub fn parameters(&self) -> &FheParameters {
        &self.prepared.parameters
    }

    /// The answer to a question of as many bytes as the parameters say.
    ///
    /// # Errors
    /// When it is none.
    pub fn answer(&self, question: &[u8], rng: &mut dyn CryptoRng) -> Result<Vec<u8>, PeerFault> {
        let Prepared { parameters, ring, .. } = &self.prepared;
        let mut rest = question;
        let query = read_query(parameters, ring, |len| {
            let (part, more) = rest.split_at_checked(len).ok_or_else(not_as_long)?;
            rest = more;
            Ok::<_, PeerFault>(part.to_vec())
        })?;
        if !rest.is_empty() {
            return Err(not_as_long());
        }
        Ok(self.prepared.answer(query, rng).concat())
    }
}

impl Entries {
    /// Takes a fingerprint out, and returns its place.
    fn remove(&mut self, fingerprint: &u128) -> Option<u32> {
        let place = self.places.remove(fingerprint)?;
        self.free.push(place);
        Some(place)
    }

    /// Puts an entry in, and returns its place.
    fn add(&mut self, entry: Entry<'_>) -> u32 {
        let (fingerprint, label) = entry;
        let place = self.free.pop().unwrap_or_else(|| {
            self.fingerprints.push(0);
            self.labels.extend(std::iter::repeat_n(0, label.len()));
            u32::try_from(self.fingerprints.len() - 1).expect("a list has fewer than 2^32 items")
        });
        let index = place as usize;
        self.fingerprints[index] = fingerprint;
        self.labels[index * label.len()..][..label.len()].copy_from_slice(label);
        self.places.insert(fingerprint, place);
        place
    }

    /// The polynomials of these partitions, from the items that lie there and no others.
    fn prepare(
        &self,
        parameters: &FheParameters,
        ring: &Ring,
        bins: &Bins,
        partitions: &[usize],
        rng: &mut dyn CryptoRng,
    ) -> Vec<Arc<Polynomials>> {
        let mut numbers = HashMap::new();
        let mut members: Vec<u32> = Vec::new();
        let mut own: Bins = vec![vec![Vec::new(); parameters.partitions]; bins.len()];
        for (partition, bin) in partitions.iter().flat_map(|index| parameters.bins_of(*index)) {
            let number = |member: &u32| {
                *numbers.entry(*member).or_insert_with(|| {
                    members.push(*member);
                    members.len() as u32 - 1
                })
            };
            own[bin][partition] = bins[bin][partition].iter().map(number).collect();
        }
        let fingerprints: Vec<u128> =
            members.iter().map(|member| self.fingerprints[*member as usize]).collect();
        let items =
            items_of_fingerprints(parameters, ring.parameters().t(), &self.list, &fingerprints);
        let place = |index: usize| members[index] as usize;
        let labels = sealed(parameters, &items, place, &self.labels);
        let contents = BinContents { parameters, ring, items: &items, labels: &labels, bins: &own };
        contents.prepare(partitions, rng)
    }
}

/// Takes an item out of its bin, and returns the partition that it was in.
fn leave(bin: &mut [Vec<u32>], index: u32) -> usize {
    let is_in = |members: &Vec<u32>| members.contains(&index);
    let partition = bin.iter().position(is_in).expect("an item lies in its bins");
    bin[partition].retain(|member| *member != index);
    partition
}

/// Asks questions about a list.
pub struct Asker {
    parameters: FheParameters,
    ring: Ring,
    list: [u8; 32],
}

/// A question about items, and what is needed to read the answer.
pub struct Question {
    items: Zeroizing<Vec<HashedItem>>,
    asked: PendingQuery,
}

/// What the answer to a question says.
pub struct Reply {
    items: Zeroizing<Vec<HashedItem>>,
    found: ItemMatches,
}

impl Asker {
    /// Of the list with this name.
    ///
    /// # Errors
    /// When the parameters describe no ring.
    pub fn new(parameters: FheParameters, list: [u8; 32]) -> Result<Self, ProtocolError> {
        Ok(Self { ring: parameters.ring()?, parameters, list })
    }

    /// Asks for items by their fingerprints, [`AT_ONCE`] of them at most; the question tells nothing of them, nor how many they
    /// are.
    ///
    /// # Errors
    /// When they find no places, which happens to at most one of 2^42 questions.
    pub fn ask(
        &self,
        fingerprints: &[u128],
        rng: &mut dyn CryptoRng,
    ) -> Result<(Question, Vec<u8>), ProtocolError> {
        let Self { parameters, ring, list } = self;
        let items = items_of_fingerprints(parameters, ring.parameters().t(), list, fingerprints);
        let (asked, query) = ask(parameters, ring, &items, rng)?;
        let room = usize::try_from(parameters.query_bytes()).unwrap_or(usize::MAX);
        let mut question = Vec::with_capacity(room);
        let Ok(()) = write_query(ring, &query, |part| {
            question.extend_from_slice(part);
            Ok::<_, Infallible>(())
        });
        Ok((Question { items, asked }, question))
    }

    /// Reads the answer, in a time that does not depend on what it says.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(&self, question: Question, answer: &[u8]) -> Result<Reply, PeerFault> {
        let (Self { parameters, ring, .. }, Question { items, asked }) = (self, question);
        if answer.len() as u64 != parameters.all_answers_bytes() {
            return Err(not_as_long());
        }
        let answers: Vec<Vec<u8>> =
            answer.chunks(parameters.answer_bytes()).map(<[u8]>::to_vec).collect();
        let found = asked.found(parameters, ring, &answers, items.len()).map_err(refused_answer)?;
        Ok(Reply { items, found })
    }

    /// For each item of a reply its label, if it is listed.
    #[must_use]
    pub fn labels(&self, reply: &Reply) -> Vec<Option<Vec<u8>>> {
        let words = self.parameters.words();
        let label = |(index, item): (usize, &HashedItem)| {
            let own = || &reply.found.labels[index * words..][..words];
            reply.found.matches[index].then(|| open(&self.parameters, item, own()))
        };
        reply.items.iter().enumerate().map(label).collect()
    }
}

fn not_as_long() -> PeerFault {
    PeerFault::Malformed { what: "question or answer", why: Malformed::OutOfRange }
}

#[cfg(test)]
mod tests;
