//! An intersection by the outputs of an oblivious function, and the rows that open with it.
//!
//! The sender holds the function's key and has its outputs at its own elements, the receiver has them at its own. Outputs are two
//! ([`Outputs`]): a value, by which elements are compared, and a key, under which the row lies that belongs to the element.
//!
//! 1. The sender sends the values of its elements, truncated, sorted and coded.
//! 2. If it attaches rows, it sends them in the order of the values, each added to a pad that the element's key makes. All are of one
//!    width. The receiver opens those of the elements that it has.
//! 3. If both are to learn, the receiver sends a bit for each value of the sender's in the order in which they came, and if it
//!    attaches rows, for each value the row of its equal element, or zeros.
//!
//! **Security** of step 2: the key of an element that the receiver lacks is pseudorandom to it, and so is the pad: blocks of the
//! tweakable hash of the oblivious transfers under keys that each make one pad. A receiver opens no more rows than it evaluates
//! the function at elements, whatever it says later. In step 3 the receiver alone decides what it sends, of its own rows. What it does
//! in step 2 takes the same steps whatever matches: it opens each row, under some key where it has none, and copies it. Which memory
//! it copies to is what differs.

use rayon::prelude::*;
use veilset_channel::{Blob, Channel, ChannelExt, Tag};
use veilset_ot::Hash;
use zeroize::{Zeroize, Zeroizing};

use crate::kit::indication::{STEP, hear_bits, tell_bits};
use crate::kit::join::Join;
use crate::kit::membership::{Hits, NOBODY, VALUES_A_TASK};
use crate::kit::set_encoding::SetTerms;
use crate::kit::wire::{bits_bytes, chunks_of, frames, size, take_bits};
use crate::{Attached, Conclusion, Cost, Means, Outcome, ProtocolError, Reveal, Role, Run, Shape};

/// What a function gives of elements, in any order.
pub(crate) struct Outputs {
    /// Of each element the value by which it is compared.
    pub(crate) values: Zeroizing<Vec<u128>>,
    /// Of each element what its row lies under; empty where no rows do.
    pub(crate) keys: Zeroizing<Vec<u128>>,
    /// The place of each element among all.
    pub(crate) places: Zeroizing<Vec<u32>>,
}

impl Outputs {
    /// None yet, with room for those of so many elements.
    pub(crate) fn with_room(count: usize) -> Self {
        let room = || Zeroizing::new(Vec::with_capacity(count));
        Self { values: room(), keys: room(), places: Zeroizing::new(Vec::with_capacity(count)) }
    }

    /// The values in the order of the elements.
    pub(crate) fn values_in_order(&self) -> Zeroizing<Vec<u128>> {
        in_order(&self.values, &self.places)
    }
}

/// What belongs to elements with these places, in the order of the elements.
fn in_order(of_places: &[u128], places: &[u32]) -> Zeroizing<Vec<u128>> {
    let mut ordered = Zeroizing::new(vec![0; of_places.len()]);
    of_places.iter().zip(places).for_each(|(value, place)| ordered[*place as usize] = *value);
    ordered
}

/// Whether rows go under keys in a run: the sender's do, the receiver's do not.
pub(crate) fn needs_keys(run: &Run<'_>) -> bool {
    let attached = match run.side.role {
        Role::Sender => run.input.attached.shape(),
        Role::Receiver => run.input.peer_attached,
    };
    attached.width() > 0
}

/// The sender's part.
pub(crate) fn send(
    run: &mut Run<'_>,
    set: SetTerms,
    outputs: Outputs,
) -> Result<Conclusion, ProtocolError> {
    let Run { side, input, means } = run;
    let Outputs { mut values, keys, places } = outputs;
    truncate(&mut values, set.bits());
    // Step 1.
    if !side.learns() && keys.is_empty() {
        drop(places);
        set.put(means.channel, std::mem::take(&mut *values), means.rng)?;
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    let mut order = set.put_ordered(means.channel, &mut values)?;
    drop(values);
    order.par_iter_mut().for_each(|place| *place = places[*place as usize]);
    let keys = in_order(&keys, &places);
    drop(places);
    // Step 2.
    if let Some((width, bytes)) = attached(input.attached) {
        let row = |place: usize| &bytes[order[place] as usize * width..][..width];
        put_sealed(means, &order, &keys, width, row)?;
    }
    // Step 3.
    let width = input.peer_attached.width();
    if !side.learns() || width == 0 {
        return hear_bits(*side, means, order);
    }
    means.channel.phase(STEP);
    let e = take_bits(means.channel, order.len())?;
    let mut rows = Vec::new();
    means.observer.begin(ROWS, order.len() as u64);
    for range in chunks_of(order.len(), width).ranges() {
        let Blob(bytes) = means.channel.take::<Rows>(&(range.len() * width))?;
        let told = bytes.chunks_exact(width).zip(&e[range.clone()]).filter(|(_, e)| **e);
        told.for_each(|(row, _)| rows.extend_from_slice(row));
        means.observer.advance(range.len() as u64);
    }
    Ok(Box::new(move || {
        let told = order.iter().zip(&e).filter_map(|(index, e)| e.then_some(*index));
        Ok(Outcome::listed(told.zip(rows.chunks_exact(width)).collect(), width))
    }))
}

/// The receiver's part.
pub(crate) fn receive(
    run: &mut Run<'_>,
    set: SetTerms,
    outputs: Outputs,
) -> Result<Conclusion, ProtocolError> {
    let Run { side, input, means } = run;
    let Outputs { values, keys, places } = outputs;
    let keys = in_order(&keys, &places);
    // Step 1.
    let hits =
        compared(means.channel, set, Outputs { values, keys: Zeroizing::default(), places })?;
    let returned = attached(input.attached).filter(|_| side.tells());
    let width = input.peer_attached.width();
    // Step 2.
    let opened = match width {
        0 => None,
        width => Some(take_sealed(means, &hits.askers, &keys, width)?),
    };
    // Step 3.
    tell_bits(*side, means, &hits.taken())?;
    if let Some((width, bytes)) = returned {
        let asked = &hits.askers;
        means.observer.begin(ROWS, asked.len() as u64);
        let nothing = vec![0; width];
        let row = |asker: u32| bytes.chunks_exact(width).nth(asker as usize).unwrap_or(&nothing);
        for range in chunks_of(asked.len(), width).ranges() {
            let mut body = Vec::with_capacity(range.len() * width);
            asked[range.clone()].iter().for_each(|asker| body.extend_from_slice(row(*asker)));
            means.channel.put::<Rows>(&Blob(body))?;
            means.observer.advance(range.len() as u64);
        }
    }
    Ok(Box::new(move || {
        hits.fault()?;
        Ok(match opened {
            Some(opened) => opened.outcome(),
            None => Outcome::Matched(hits.indices()),
        })
    }))
}

/// Step 1 of the receiver: whether the sender has each of its elements, by the same steps whatever matches.
pub(crate) fn compared(
    channel: &mut dyn Channel,
    set: SetTerms,
    outputs: Outputs,
) -> Result<Hits, ProtocolError> {
    let Outputs { mut values, places, .. } = outputs;
    truncate(&mut values, set.bits());
    let mut join = Join::new(values, set.bits(), &places, set.count);
    drop(places);
    set.take_in_blocks(channel, |theirs| join.add(theirs))?;
    Ok(join.hits())
}

/// The width of rows that are attached, and all of their bytes.
fn attached(attached: Attached<'_>) -> Option<(usize, &[u8])> {
    Some(attached.items()).filter(|(width, _)| *width > 0)
}

/// What an observer hears while the sender's rows go, which are of the set's phase.
const SEALED: &str = "sealed rows";

/// What an observer hears while the receiver's rows go, which are of the phase of its bits.
const ROWS: &str = "rows of matches";

/// Rows, one after the other.
type Rows = Blob<{ Tag::Rows.byte() }>;

/// Rows under pads, one after the other.
type SealedRows = Blob<{ Tag::SealedRows.byte() }>;

/// What makes pads of keys in this session.
fn pads(session: &[u8; 32]) -> Hash {
    Hash::new(&blake3::derive_key("veilset v1 rows of matches", session))
}

/// Adds to each of the rows of this many bytes the pad of its key; the first stands in this place.
fn add_pads(hash: &Hash, first: usize, keys: Zeroizing<Vec<u128>>, width: usize, rows: &mut [u8]) {
    let mut pads = Zeroizing::new(vec![0; rows.len()]);
    hash.pads(first as u64, keys, width, &mut pads);
    rows.iter_mut().zip(&*pads).for_each(|(byte, pad)| *byte ^= pad);
}

/// Rows that one task seals or opens.
const ROWS_A_TASK: usize = 256;

/// Sends the row in each place under the key of its element.
fn put_sealed<'r>(
    means: &mut Means<'_>,
    order: &[u32],
    keys: &[u128],
    width: usize,
    row: impl Fn(usize) -> &'r [u8] + Sync,
) -> Result<(), ProtocolError> {
    let hash = pads(means.session);
    means.observer.begin(SEALED, order.len() as u64);
    for range in chunks_of(order.len(), width).ranges() {
        let mut body = vec![0; range.len() * width];
        let tasks = body.par_chunks_mut(ROWS_A_TASK * width).enumerate();
        tasks.for_each(|(task, rows)| {
            let first = range.start + task * ROWS_A_TASK;
            let places = first..first + rows.len() / width;
            rows.chunks_exact_mut(width)
                .zip(places.clone())
                .for_each(|(to, place)| to.copy_from_slice(row(place)));
            let keys = order[places].iter().map(|index| keys[*index as usize]);
            add_pads(&hash, first, Zeroizing::new(keys.collect()), width, rows);
        });
        means.channel.put::<SealedRows>(&Blob(body))?;
        means.observer.advance(range.len() as u64);
    }
    Ok(())
}

/// The rows that opened.
struct Opened {
    /// The element of each.
    elements: Vec<u32>,
    width: usize,
    rows: Vec<u8>,
}

/// Spreads places over all keys: 2^32 over the golden ratio.
const SPREAD: usize = 0x9e37_79b9;

/// Opens the row in each place for the element that asks for it, if any; the steps are the same for any other.
fn take_sealed(
    means: &mut Means<'_>,
    asked: &[u32],
    keys: &[u128],
    width: usize,
) -> Result<Opened, ProtocolError> {
    let hash = pads(means.session);
    let most = asked.len().min(keys.len());
    // What does not open is written behind what did, and over that what comes next. All of the memory is touched first: a page that
    // is there already takes as long for the one as for the other.
    let mut elements = vec![NOBODY; most + 1];
    let mut rows = vec![0xff; (most + 1) * width];
    let mut opened = 0;
    means.observer.begin(SEALED, asked.len() as u64);
    for range in chunks_of(asked.len(), width).ranges() {
        let Blob(mut body) = means.channel.take::<SealedRows>(&(range.len() * width))?;
        let tasks = body.par_chunks_mut(ROWS_A_TASK * width).enumerate();
        tasks.for_each(|(task, rows)| {
            let first = range.start + task * ROWS_A_TASK;
            let asked = &asked[first..first + rows.len() / width];
            // Some key as far away where nobody asks.
            let other = |place: usize| place.wrapping_mul(SPREAD) % keys.len();
            let keys = (first..).zip(asked).map(|(place, asker)| {
                let other = other(place);
                keys[if *asker == NOBODY { other } else { *asker as usize }]
            });
            add_pads(&hash, first, Zeroizing::new(keys.collect()), width, rows);
        });
        for (row, asker) in body.chunks_exact(width).zip(&asked[range.clone()]) {
            let place = opened.min(most);
            elements[place] = *asker;
            rows[place * width..][..width].copy_from_slice(row);
            opened += usize::from((*asker as usize) < keys.len());
        }
        body.zeroize();
        means.observer.advance(range.len() as u64);
    }
    elements.truncate(opened.min(most));
    Ok(Opened { elements, width, rows })
}

impl Opened {
    fn outcome(self) -> Outcome {
        let Self { elements, width, rows } = self;
        Outcome::listed(elements.into_iter().zip(rows.chunks_exact(width)).collect(), width)
    }
}

fn truncate(values: &mut [u128], bits: u32) {
    let mask = u128::MAX >> (u128::BITS - bits);
    values.par_iter_mut().with_min_len(VALUES_A_TASK).for_each(|value| *value &= mask);
}

/// Bytes of `count` rows of `width` bytes on the wire.
fn rows_bytes(count: u64, width: usize) -> f64 {
    if width == 0 {
        return 0.0;
    }
    let count = size(count);
    count as f64 * width as f64 + frames(chunks_of(count, width).count())
}

/// What a row takes, sealed or opened, in passes for 16 bytes of it.
const PASSES_A_BLOCK: f64 = 0.1;

/// Adds what a comparison costs to what the function did, whose values go as `set` has them.
pub(crate) fn and_comparison(function: Cost, shape: &Shape, set: SetTerms) -> Cost {
    let Cost { mut sender, mut receiver, mut rounds, waits } = function;
    let (there, back) = (shape.attached.width(), shape.returned.width());
    let bytes = set.bytes() + rows_bytes(shape.sender, there);
    sender.bytes_sent += bytes;
    sender.in_turn += bytes;
    let passes = PASSES_A_BLOCK * shape.sender as f64 * there.div_ceil(16) as f64;
    sender.passes += passes;
    receiver.passes += passes;
    let matches = shape.sender.min(shape.receiver) as f64;
    let keys = |count: u64| if there > 0 { 16.0 * count as f64 } else { 0.0 };
    // What goes, and what opened, again in the order of the elements.
    sender.memory += keys(shape.sender) + shape.sender as f64 * there as f64;
    receiver.memory += keys(shape.receiver) + matches * 2.0 * there as f64;
    rounds += 1;
    if shape.reveal == Reveal::Both {
        receiver.bytes_sent += bits_bytes(shape.sender) + rows_bytes(shape.sender, back);
        sender.memory += matches * 2.0 * back as f64;
        receiver.memory += shape.receiver as f64 * back as f64;
        rounds += 1;
    }
    Cost { sender, receiver, rounds, waits }
}
