//! A list in pieces, made block by block.

use std::collections::HashMap;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::{Element, ElementHasher, permutation};
use veilset_data::{DataError, Items, KeySet, KeySpec, Table, Values, Warning, WarningCode};
use veilset_session::hash_keys;
use zeroize::Zeroizing;

/// What a run reads of a list.
#[derive(Debug, Clone)]
pub struct ListColumns {
    /// The key's columns and presets.
    pub key: KeySpec,
    /// The columns of a sum.
    pub values: Vec<String>,
    /// The columns that a union sends beside the key's; `None` sends nothing.
    pub send: Option<Vec<String>>,
}

/// A block's keys, and what belongs to them.
struct Block {
    keys: KeySet,
    values: Option<Values>,
    items: Option<Items>,
}

impl ListColumns {
    fn read(&self, block: &Table) -> Result<Block, DataError> {
        let keys = KeySet::build(block, &self.key)?;
        let (mut values, mut items) = (None, None);
        match &self.send {
            Some(columns) => items = Some(Items::build(block, &keys, &self.key, columns)?),
            None if self.values.is_empty() => {}
            None => values = Some(Values::build(block, &keys, &self.values)?),
        }
        Ok(Block { keys, values, items })
    }
}

impl Block {
    fn warnings(&self) -> impl Iterator<Item = Warning> {
        let of_values = self.values.as_ref().map(Values::warnings).unwrap_or_default();
        of_values.into_iter().chain(self.keys.warnings())
    }
}

/// What must be known of all blocks before the first is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// Rows.
    pub rows: usize,
    /// Rows without a key because a key column is empty.
    pub null_rows: usize,
    /// Rows without a key because a key column holds a placeholder.
    pub placeholder_rows: usize,
    /// Rows without a key because a key column cannot be read by its preset.
    pub invalid_rows: usize,
    /// For each column of a sum its decimal places, and what the magnitudes of its numbers add up to in units of the last.
    pub columns: Vec<(u32, u128)>,
    /// Bytes of the longest row to send.
    pub width: usize,
    /// What a user should know of the rows; that of several blocks is about as many rows as they say together.
    pub warnings: Vec<Warning>,
}

/// Looks at a block.
///
/// # Errors
/// When a column is missing, or holds what it must not.
pub fn scan(block: Table, wanted: &ListColumns) -> Result<Scan, DataError> {
    let block = wanted.read(&block)?;
    let columns = block.values.as_ref().map_or_else(Vec::new, |values| {
        let all = values.columns().len();
        let magnitude = |column: usize| {
            let words = values.words().iter().skip(column).step_by(all);
            // The magnitudes of a column's numbers fit in an `i128`.
            words.map(|word| word.unsigned_abs()).sum()
        };
        (0..all).map(|column| (values.scale(column), magnitude(column))).collect()
    });
    // A block of one key says nothing about the list.
    let warnings = block.warnings().filter(|warning| warning.code != WarningCode::OneKey);
    Ok(Scan {
        rows: block.keys.rows(),
        null_rows: block.keys.null_rows(),
        placeholder_rows: block.keys.placeholder_rows(),
        invalid_rows: block.keys.invalid_rows(),
        columns,
        width: block.items.as_ref().map_or(0, Items::width),
        warnings: warnings.collect(),
    })
}

/// How a list falls into pieces.
#[derive(Clone, Copy)]
pub struct Slicing<'a> {
    /// What elements are keyed by, the same on both sides.
    pub session: &'a [u8; 32],
    /// This side's own secret, for random slices; without it, an element's piece is the same on both sides.
    pub secret: Option<&'a [u8; 32]>,
    /// Pieces: a power of two.
    pub pieces: u32,
    /// Decimal places of the units of each column of a sum, in all blocks.
    pub scales: &'a [u32],
    /// Bytes of a row to send, in all blocks.
    pub width: usize,
}

/// What of a block falls to a piece, or of all blocks.
#[derive(Default)]
pub struct Cut {
    /// The elements of distinct keys.
    pub elements: Zeroizing<Vec<Element>>,
    /// Numbers of the rows that carry any of them.
    pub rows: Vec<u32>,
    /// Which of the elements each of these rows carries.
    pub elements_of_rows: Vec<u32>,
    /// Numbers, element by element.
    pub words: Zeroizing<Vec<i128>>,
    /// Rows to send, element by element.
    pub items: Zeroizing<Vec<u8>>,
}

/// Cuts into pieces what the rows of a block have for which `takes_part` holds.
///
/// # Errors
/// As [`scan`], or when a sum could overflow.
pub fn cut(
    block: Table,
    wanted: &ListColumns,
    slicing: &Slicing<'_>,
    takes_part: impl Fn(usize) -> bool,
) -> Result<Vec<Cut>, DataError> {
    let file = block.name();
    let mut block = wanted.read(&block)?;
    let hasher = ElementHasher::new(slicing.session, &wanted.key.canonical());
    let elements = hash_keys(block.keys.take_digests(), &hasher);
    let keys: Vec<Option<usize>> = (0..block.keys.rows())
        .map(|row| block.keys.key_of(row).filter(|_| takes_part(row)))
        .collect();
    let mut carried = vec![false; elements.len()];
    keys.iter().flatten().for_each(|key| carried[*key] = true);
    let mut cuts: Vec<Cut> = (0..slicing.pieces).map(|_| Cut::default()).collect();
    let mut places = vec![(0, 0); elements.len()];
    for (key, element) in elements.iter().enumerate().filter(|(key, _)| carried[*key]) {
        let piece = slicing.piece(element);
        let cut = &mut cuts[piece];
        places[key] = (piece, cut.elements.len() as u32);
        cut.elements.push(*element);
        slicing.attach(cut, &block, key).ok_or_else(|| DataError::SumTooLarge {
            file: file.to_owned(),
            column: wanted.values.join(", "),
            scale: slicing.scales.iter().copied().max().unwrap_or(0),
        })?;
    }
    for (row, key) in keys.into_iter().enumerate().filter_map(|(row, key)| Some((row, key?))) {
        let (piece, place) = places[key];
        // A table has fewer than 2^32 rows.
        cuts[piece].rows.push(row as u32);
        cuts[piece].elements_of_rows.push(place);
    }
    Ok(cuts)
}

impl Slicing<'_> {
    fn piece(&self, element: &Element) -> usize {
        let digest = match self.secret {
            Some(secret) => *blake3::keyed_hash(secret, &element.0).as_bytes(),
            None => element.0,
        };
        let [.., a, b, c, d] = digest;
        (u32::from_le_bytes([a, b, c, d]) % self.pieces) as usize
    }

    /// What belongs to a key, in units and widths of all blocks; `None` if a number does not fit.
    fn attach(&self, cut: &mut Cut, block: &Block, key: usize) -> Option<()> {
        if let Some(values) = &block.values {
            let all = self.scales.len();
            let words = values.words().get(key * all..(key + 1) * all)?;
            for (column, word) in words.iter().enumerate() {
                let more = self.scales[column].checked_sub(values.scale(column))?;
                cut.words.push(word.checked_mul(10i128.checked_pow(more)?)?);
            }
        }
        if let Some(items) = &block.items {
            let item = items.bytes().get(key * items.width()..(key + 1) * items.width())?;
            cut.items.extend_from_slice(item);
            cut.items.resize(cut.elements.len() * self.width, 0);
        }
        Some(())
    }
}

/// A piece of all blocks.
pub struct Merged {
    /// Its elements, rows to send and numbers.
    pub cut: Cut,
    /// Where each block's elements are among them.
    pub places: Vec<Vec<u32>>,
}

/// Makes one piece of what each block has of it, with `columns` numbers and `width` bytes for each element: the numbers of an
/// element add up, of its rows to send the first counts. Random slices come in a random order, made from `order`.
///
/// # Panics
/// When a cut has other numbers or bytes than that.
#[must_use]
pub fn merge(cuts: &[Cut], columns: usize, width: usize, order: Option<[u8; 32]>) -> Merged {
    let mut seen: HashMap<Element, u32> = HashMap::new();
    let mut all = Cut::default();
    let mut places = Vec::with_capacity(cuts.len());
    for cut in cuts {
        let mut places_of_cut = Vec::with_capacity(cut.elements.len());
        for (index, element) in cut.elements.iter().enumerate() {
            let words = &cut.words[index * columns..(index + 1) * columns];
            let next = all.elements.len() as u32;
            let place = *seen.entry(*element).or_insert(next);
            if place == next {
                all.elements.push(*element);
                all.words.extend_from_slice(words);
                all.items.extend_from_slice(&cut.items[index * width..(index + 1) * width]);
            } else {
                let sums = &mut all.words[place as usize * columns..];
                // All magnitudes together fit: the scan of all blocks says so.
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
            }
            places_of_cut.push(place);
        }
        places.push(places_of_cut);
    }
    match order {
        None => Merged { cut: all, places },
        Some(seed) => shuffled(&all, places, columns, width, seed),
    }
}

fn shuffled(
    all: &Cut,
    mut places: Vec<Vec<u32>>,
    columns: usize,
    width: usize,
    seed: [u8; 32],
) -> Merged {
    let order = permutation(all.elements.len(), &mut ChaCha20Rng::from_seed(seed));
    let mut cut = Cut::default();
    let mut back = vec![0; order.len()];
    for (to, from) in (0..).zip(order.iter().map(|from| *from as usize)) {
        back[from] = to;
        cut.elements.push(all.elements[from]);
        cut.words.extend_from_slice(&all.words[from * columns..(from + 1) * columns]);
        cut.items.extend_from_slice(&all.items[from * width..(from + 1) * width]);
    }
    places.iter_mut().flatten().for_each(|place| *place = back[*place as usize]);
    Merged { cut, places }
}

/// Values by piece, without the bits that say which, each with its place among all.
#[must_use]
pub fn split(values: &[u128], pieces: u32) -> Vec<(Vec<u128>, Vec<u32>)> {
    let mut split: Vec<(Vec<u128>, Vec<u32>)> = (0..pieces).map(|_| Default::default()).collect();
    for (place, value) in (0u32..).zip(values) {
        let (of_piece, places) = &mut split[(value % u128::from(pieces)) as usize];
        of_piece.push(value / u128::from(pieces));
        places.push(place);
    }
    split
}

#[cfg(test)]
mod tests;
