//! What a room keeps of lists that it matched, to notice one that is nearly another: 64 bits of each entry under all three keys.
//!
//! Entries under all three keys look random, and say nothing to whoever lacks a key. Under other keys all entries are others, so what is
//! older than Ks may be is dropped.

use std::cmp::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Encrypted, LEAST_DIFFERENCE, Refusal, SALT_DAYS};

/// What a record begins with.
const FORMAT: &[u8; 16] = b"veilset-pair-1\r\n";

/// Bytes before the entries of a list: whose it is, when it was matched, and how many entries it has.
const HEAD: usize = 1 + 8 + 8;

/// A file is no record of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no record of lists that were matched: restore it, or remove it to begin anew")]
pub struct NotARecord;

/// Which of the two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// This room's.
    Ours,
    /// The other room's.
    Theirs,
}

impl List {
    fn whose(self) -> &'static str {
        match self {
            Self::Ours => "your",
            Self::Theirs => "the other room's",
        }
    }
}

/// The lists that were matched with one other room.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    lists: Vec<Sighting>,
}

#[derive(Debug, PartialEq, Eq)]
struct Sighting {
    list: List,
    /// Seconds from 1970 on.
    when: u64,
    /// Ascending.
    entries: Vec<u64>,
}

impl Seen {
    /// Notes a list that is about to be matched, unless it is noted already.
    ///
    /// # Errors
    /// [`Refusal::Close`] when it differs from one before in a few entries.
    pub fn note(
        &mut self,
        list: List,
        entries: &[Encrypted],
        now: SystemTime,
    ) -> Result<(), Refusal> {
        let when = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let oldest = when.saturating_sub(Duration::from_secs(SALT_DAYS * 86_400).as_secs());
        self.lists.retain(|before| before.when >= oldest);
        let mut entries: Vec<u64> = entries.iter().map(first_bits).collect();
        entries.sort_unstable();
        entries.dedup();
        for before in self.lists.iter().filter(|before| before.list == list) {
            match difference(&before.entries, &entries) {
                0 => return Ok(()),
                difference if difference < LEAST_DIFFERENCE => {
                    return Err(Refusal::Close { whose: list.whose(), difference });
                }
                _ => {}
            }
        }
        self.lists.push(Sighting { list, when, entries });
        Ok(())
    }

    /// The record in a file's bytes.
    ///
    /// # Errors
    /// When they are something else.
    pub fn read(bytes: &[u8]) -> Result<Self, NotARecord> {
        let mut rest = bytes.strip_prefix(FORMAT).ok_or(NotARecord)?;
        let mut lists = Vec::new();
        while !rest.is_empty() {
            let (head, after) = rest.split_at_checked(HEAD).ok_or(NotARecord)?;
            let list = match head[0] {
                0 => List::Ours,
                1 => List::Theirs,
                _ => return Err(NotARecord),
            };
            let (when, count) = (number(&head[1..9]), number(&head[9..]));
            let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(8));
            let (entries, after) =
                after.split_at_checked(length.ok_or(NotARecord)?).ok_or(NotARecord)?;
            let entries: Vec<u64> = entries.chunks_exact(8).map(number).collect();
            if !entries.is_sorted_by(|one, next| one < next) {
                return Err(NotARecord);
            }
            lists.push(Sighting { list, when, entries });
            rest = after;
        }
        Ok(Self { lists })
    }

    /// The file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORMAT.to_vec();
        for Sighting { list, when, entries } in &self.lists {
            bytes.push(u8::from(*list == List::Theirs));
            bytes.extend(when.to_le_bytes());
            bytes.extend((entries.len() as u64).to_le_bytes());
            entries.iter().for_each(|entry| bytes.extend(entry.to_le_bytes()));
        }
        bytes
    }
}

/// The number in eight bytes, little-endian.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn first_bits(entry: &Encrypted) -> u64 {
    number(&entry[..8])
}

/// In how many entries two ascending lists differ.
fn difference(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right, mut common) = (one.iter().peekable(), other.iter().peekable(), 0);
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        match a.cmp(b) {
            Ordering::Less => drop(left.next()),
            Ordering::Greater => drop(right.next()),
            Ordering::Equal => {
                common += 1;
                left.next();
                right.next();
            }
        }
    }
    one.len() + other.len() - 2 * common
}
