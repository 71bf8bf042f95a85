//! The server's list: its key, its masked items, and what changed last.

use std::collections::HashSet;

use rand_core::CryptoRng;
use veilset_crypto::Element;
use veilset_crypto::oprf::SecretKey;
use veilset_protocols::fhe::{has_places, served_parameters};
use veilset_protocols::oprf_filter::{
    Entries, Entry, EntryFormat, MAX_LABEL, Mask, Sizing, longest_in, seal_for,
};

use crate::change::Change;
use crate::manifest::{MAX_PRESETS, is_presets};
use crate::{ListError, Way};

/// Items whose outputs are in memory at once.
const ITEMS_AT_ONCE: usize = 1 << 14;

/// Keys that are tried until encrypted questions find all items: each fails with probability 2^-9 at most.
const KEYS: usize = 5;

/// The fewest items that a list is made for, so that a small one can grow.
const LEAST_CAPACITY: u64 = 1 << 10;

/// An item by its element, and its label.
#[derive(Clone)]
pub struct Item {
    /// The element of the normalised key, in the list's session: [`List::session`].
    pub element: Element,
    /// The label; not looked at where the list has none.
    pub label: String,
}

/// What a change of a list did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Edit {
    /// Items that were not there, or had another label.
    pub changed: usize,
    /// Items that were there as they should be, or were not there to be removed.
    pub unchanged: usize,
}

/// A list with its secret key.
pub struct List {
    pub(crate) key: SecretKey,
    pub(crate) id: [u8; 32],
    pub(crate) version: u64,
    pub(crate) presets: String,
    /// How many items the fingerprints are wide enough for.
    pub(crate) capacity: u64,
    pub(crate) entries: Entries,
    /// The latest, of which each makes a version.
    pub(crate) changes: Vec<Change>,
}

impl List {
    /// The session of elements of the list `id`, for [`veilset_crypto::ElementHasher`]: each list has its own.
    #[must_use]
    pub fn session(&self) -> &[u8; 32] {
        &self.id
    }

    /// Masks the items that `items` makes once it knows the list's session, under a new key: on the threads of the
    /// caller's rayon pool. The list can grow to twice as many.
    ///
    /// With a list before, this is its next version, and what clients keep of it is of no more use to them: outputs under
    /// the old key and the new have nothing to do with each other.
    ///
    /// # Errors
    /// When a label is longer than [`MAX_LABEL`], an item is there twice, the presets are too long, the fingerprints would be
    /// too wide, or there is no way to ask so many items.
    pub fn build(
        before: Option<&Self>,
        presets: String,
        labelled: bool,
        sizing: Sizing,
        items: impl FnOnce(&[u8; 32]) -> Vec<Item>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ListError> {
        if !is_presets(&presets) {
            return Err(ListError::Presets { most: MAX_PRESETS });
        }
        let (mut id, mut version) = ([0; 32], 1);
        match before {
            Some(before) => (id, version) = (before.id, before.version + 1),
            None => rng.fill_bytes(&mut id),
        }
        let items = items(&id);
        let capacity = (2 * items.len() as u64).max(LEAST_CAPACITY).next_power_of_two();
        let longest = items.iter().map(|item| item.label.len()).max().unwrap_or(0);
        let seal = if labelled { seal_for(longest.min(MAX_LABEL)) } else { 0 };
        let format = EntryFormat { bits: sizing.bits(capacity).ok_or(ListError::Budget)?, seal };
        check_items(format, &items)?;
        if sizing == Sizing::Encrypted {
            served_parameters(capacity, format.seal).map_err(|_| ListError::Places)?;
        }
        let under = |key| {
            let masked = mask(&key, &items, |mask, item| entry(format, mask, item));
            (key, Entries::new(format, masked))
        };
        let mut tried = (0..KEYS).map(|_| under(SecretKey::generate(rng)));
        let found = tried.find(|(_, entries)| can_be_asked(&id, capacity, entries));
        let (key, entries) = found.ok_or(ListError::Places)?;
        Ok(Self { key, id, version, presets, capacity, entries, changes: Vec::new() })
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many items there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The versioned presets of the key's columns.
    #[must_use]
    pub fn presets(&self) -> &str {
        &self.presets
    }

    /// Whether items have labels.
    #[must_use]
    pub fn labelled(&self) -> bool {
        self.entries.format().seal > 0
    }

    /// Puts items in, and the labels of those that are there in place of their old ones; a new version if anything
    /// changes.
    ///
    /// # Errors
    /// When a label does not fit, an item is there twice, or the list is full or has no place for one; nothing changes then.
    pub fn add(&mut self, items: &[Item]) -> Result<Edit, ListError> {
        let format = self.entries.format();
        check_items(format, items)?;
        let steps = mask(&self.key, items, |mask, item| {
            let new = entry(format, mask, item);
            let old = self.entry_of(mask);
            (old.as_ref() != Some(&new)).then_some((old, new))
        });
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        let mut edit = Edit::default();
        for step in steps {
            match step {
                Some((old, new)) => {
                    removed.extend(old);
                    added.push(new);
                    edit.changed += 1;
                }
                None => edit.unchanged += 1,
            }
        }
        let got = (self.count() + added.len() - removed.len()) as u64;
        if got > self.capacity {
            return Err(ListError::Full { most: self.capacity, got });
        }
        self.step(removed, added)?;
        Ok(edit)
    }

    /// Takes items out; a new version if any was there. Labels are not looked at.
    ///
    /// # Errors
    /// [`ListError::Places`], as good as never.
    pub fn remove(&mut self, elements: &[Element]) -> Result<Edit, ListError> {
        let of = |element: &Element| Item { element: *element, label: String::new() };
        let items: Vec<Item> = elements.iter().map(of).collect();
        let found: Vec<_> = mask(&self.key, &items, |mask, _| self.entry_of(mask));
        let removed: Vec<Entry> = found.into_iter().flatten().collect();
        let edit = Edit { changed: removed.len(), unchanged: elements.len() - removed.len() };
        self.step(removed, Vec::new())?;
        Ok(edit)
    }

    /// The entry of an item that is there.
    fn entry_of(&self, mask: &Mask) -> Option<Entry> {
        let EntryFormat { bits, seal } = self.entries.format();
        let fingerprint = mask.fingerprint(bits);
        let mut seals = self.entries.seals_of(fingerprint);
        let own = seals.find(|sealed| seal == 0 || mask.open(sealed).is_some());
        own.map(|sealed| (fingerprint, sealed.to_vec()))
    }

    fn step(&mut self, mut removed: Vec<Entry>, mut added: Vec<Entry>) -> Result<(), ListError> {
        for entries in [&mut removed, &mut added] {
            // In an order that says nothing, and each once.
            entries.sort_unstable();
            entries.dedup();
        }
        if removed.is_empty() && added.is_empty() {
            return Ok(());
        }
        let change = Change { version: self.version + 1, removed, added };
        let entries = self
            .entries
            .apply(&change.removed, &change.added)
            .expect("what is removed was found, and what is added was not");
        if !can_be_asked(&self.id, self.capacity, &entries) {
            return Err(ListError::Places);
        }
        (self.version, self.entries) = (change.version, entries);
        self.changes.push(change);
        Ok(())
    }
}

/// Whether questions find these entries: where the list is for questions, their places must have room.
fn can_be_asked(list: &[u8; 32], capacity: u64, entries: &Entries) -> bool {
    let format = entries.format();
    if Way::of(format) == Way::Filter {
        return true;
    }
    let fingerprints: Vec<u128> = entries.iter().map(|(fingerprint, _)| fingerprint).collect();
    let parameters = served_parameters(capacity, format.seal);
    parameters.is_ok_and(|parameters| has_places(&parameters, list, &fingerprints).unwrap_or(false))
}

fn entry(format: EntryFormat, mask: &Mask, item: &Item) -> Entry {
    (mask.fingerprint(format.bits), mask.seal(item.label.as_bytes(), format.seal))
}

fn check_items(format: EntryFormat, items: &[Item]) -> Result<(), ListError> {
    let mut before = HashSet::with_capacity(items.len());
    if let Some(index) = items.iter().position(|item| !before.insert(item.element)) {
        return Err(ListError::Twice { index });
    }
    let most = longest_in(format.seal).min(MAX_LABEL);
    let long = items.iter().position(|item| format.seal > 0 && item.label.len() > most);
    match long {
        Some(index) => Err(ListError::Label { index, got: items[index].label.len(), most }),
        None => Ok(()),
    }
}

/// What `make` makes of each item and its mask, in order.
fn mask<T>(key: &SecretKey, items: &[Item], make: impl Fn(&Mask, &Item) -> T) -> Vec<T> {
    let mut made = Vec::with_capacity(items.len());
    for items in items.chunks(ITEMS_AT_ONCE) {
        let elements: Vec<Element> = items.iter().map(|item| item.element).collect();
        let outputs = key.evaluate(&elements);
        made.extend(outputs.iter().zip(items).map(|(output, item)| make(&Mask::of(output), item)));
    }
    made
}
