//! Lines, each with the digest of the one before, and a signed head.

use memchr::memchr_iter;
use rayon::prelude::*;
use veilset_party::{Identity, PublicKey};

use super::Entry;
use crate::receipt::{from_hex, to_hex};

/// What stands before the digest in a line, and after it.
const BEFORE: &[u8] = b"{\"previous\":\"";
const AFTER: &[u8] = b"\",";

/// The digits of a digest.
const DIGITS: usize = 64;

/// The context of the head's signature.
const CONTEXT: &str = "veilset ledger head";

/// The last of a ledger's lines, as this party left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    lines: u64,
    digest: [u8; 32],
}

impl Head {
    pub(super) const NONE: Self = Self { lines: 0, digest: [0; 32] };

    /// A head that a party signed.
    pub(super) fn read(bytes: &[u8], key: PublicKey) -> Result<Self, &'static str> {
        const WRONG: &str = "its head does not have your signature";
        let text = std::str::from_utf8(bytes).map_err(|_| WRONG)?;
        let mut words = text.split_ascii_whitespace();
        let mut next = || words.next().ok_or(WRONG);
        let (lines, digest, signature) = (next()?, next()?, next()?);
        let lines = lines.parse().map_err(|_| WRONG)?;
        let digest = blake3::Hash::from_hex(digest).map_err(|_| WRONG)?;
        let head = Self { lines, digest: *digest.as_bytes() };
        let signature = from_hex(signature).ok_or(WRONG)?;
        key.signed(CONTEXT, &head.message(), &signature).then_some(head).ok_or(WRONG)
    }

    /// The file's bytes: the number of lines, the digest of the last, and the signature.
    pub(super) fn signed(self, identity: &Identity) -> Vec<u8> {
        let signature = identity.sign(CONTEXT, &self.message());
        let digest = blake3::Hash::from_bytes(self.digest);
        format!("{} {digest} {}\n", self.lines, to_hex(&signature)).into_bytes()
    }

    fn message(self) -> [u8; 40] {
        let mut message = [0; 40];
        message[..8].copy_from_slice(&self.lines.to_le_bytes());
        message[8..].copy_from_slice(&self.digest);
        message
    }
}

/// The lines of a ledger that is as this party left it.
pub(super) struct Chain {
    bytes: Vec<u8>,
    /// Behind them there may be a part of a line, which was not written to its end.
    whole: usize,
    last: Head,
    is_ahead: bool,
}

impl Chain {
    /// The lines in `bytes`, if they are those that `head` is the end of.
    ///
    /// A machine may stop between a line and its head: then there is one whole line more, or a part of one, which began no run.
    pub(super) fn read(bytes: Vec<u8>, head: Option<Head>) -> Result<Self, &'static str> {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<&[u8]> = lines(&bytes[..whole]).collect();
        let digests: Vec<[u8; 32]> =
            lines.par_iter().map(|line| *blake3::hash(line).as_bytes()).collect();
        let follows = |(place, line): (usize, &&[u8])| {
            let before = if place == 0 { &Head::NONE.digest } else { &digests[place - 1] };
            previous(line) == Some(blake3::Hash::from_bytes(*before).to_hex().as_bytes())
        };
        if !lines.par_iter().enumerate().all(follows) {
            return Err("a line does not follow the one before");
        }
        let head_of = |count: usize| match count.checked_sub(1) {
            Some(place) => Head { lines: count as u64, digest: digests[place] },
            None => Head::NONE,
        };
        let last = head_of(lines.len());
        let before = lines.len().checked_sub(1).map(head_of);
        let head = head.unwrap_or(Head::NONE);
        if head != last && Some(head) != before {
            return Err(if head.lines > last.lines {
                "lines are missing"
            } else {
                "lines are not yours"
            });
        }
        Ok(Self { bytes, whole, last, is_ahead: head != last })
    }

    /// What follows lines with this head, without the lines.
    #[cfg(test)]
    pub(super) fn after(last: Head) -> Self {
        Self { bytes: Vec::new(), whole: 0, last, is_ahead: false }
    }

    /// Whether there is no line.
    pub(super) fn is_empty(&self) -> bool {
        self.last == Head::NONE
    }

    /// The head of these lines.
    pub(super) fn head(&self) -> Head {
        self.last
    }

    /// Whether there is one line more than the head has.
    pub(super) fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// How many bytes the whole lines have.
    pub(super) fn whole(&self) -> usize {
        self.whole
    }

    /// The whole lines, without their ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines(&self.bytes[..self.whole])
    }

    /// The line of an entry behind these, with its end, and the head then.
    pub(super) fn followed_by(&self, entry: &Entry) -> (Vec<u8>, Head) {
        let digest = blake3::Hash::from_bytes(self.last.digest).to_hex();
        let entry = entry.written();
        let rest = entry.strip_prefix('{').unwrap_or(&entry);
        let mut line = [BEFORE, digest.as_bytes(), AFTER, rest.as_bytes()].concat();
        let head = Head { lines: self.last.lines + 1, digest: *blake3::hash(&line).as_bytes() };
        line.push(b'\n');
        (line, head)
    }
}

/// The lines, without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr_iter(b'\n', bytes).map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..end])
}

/// The digits of the digest of the line before, as a line has it.
fn previous(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(BEFORE)?.get(..DIGITS)
}
