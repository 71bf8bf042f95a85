//! Lines, each with the digest of the one before, and a signed head over all.

use memchr::{memchr_iter, memrchr};
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

/// What the whole of a ledger's lines is, as this party left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    lines: u64,
    /// Of all lines with their ends: a pass over them at once is several times as fast as one line by line.
    digest: [u8; 32],
}

impl Head {
    const NONE: Self = Self { lines: 0, digest: [0; 32] };

    /// Of these whole lines, which are so many, and of what follows them.
    pub(super) fn of(bytes: &[u8], lines: u64, more: &[u8]) -> Self {
        if lines == 0 {
            return Self::NONE;
        }
        let digest = *blake3::Hasher::new().update_rayon(bytes).update(more).finalize().as_bytes();
        Self { lines, digest }
    }

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

    /// The file's bytes: the number of lines, their digest, and the signature.
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
    head: Head,
    is_ahead: bool,
}

impl Chain {
    /// The lines in `bytes`, if they are those that `head` is the head of.
    ///
    /// A machine may stop between a line and its head: then there is one whole line more, or a part of one, which began no run.
    pub(super) fn read(bytes: Vec<u8>, head: Option<Head>) -> Result<Self, &'static str> {
        let end = |bytes: &[u8]| memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let whole = end(&bytes);
        let count = memchr_iter(b'\n', &bytes[..whole]).count() as u64;
        let head = head.unwrap_or(Head::NONE);
        let is_ahead = count == head.lines + 1;
        let known = if is_ahead { end(&bytes[..whole - 1]) } else { whole };
        if Head::of(&bytes[..known], count - u64::from(is_ahead), b"") != head {
            return Err(Self::fault(&bytes[..whole], head.lines > count));
        }
        if !is_ahead {
            return Ok(Self { bytes, whole, head, is_ahead });
        }
        let before = digest(last_line(&bytes[..known]));
        if previous(last_line(&bytes[..whole])) != Some(before.as_bytes()) {
            return Err(BROKEN);
        }
        let head = Head::of(&bytes[..whole], count, b"");
        Ok(Self { bytes, whole, head, is_ahead })
    }

    /// What is wrong with lines that are not as they were left.
    fn fault(bytes: &[u8], are_missing: bool) -> &'static str {
        let mut before = digest(b"");
        for line in lines(bytes) {
            if previous(line) != Some(before.as_bytes()) {
                return BROKEN;
            }
            before = digest(line);
        }
        if are_missing { "lines are missing" } else { "lines are not yours" }
    }

    /// Whether there is no line.
    pub(super) fn is_empty(&self) -> bool {
        self.head == Head::NONE
    }

    /// The head of these lines.
    pub(super) fn head(&self) -> Head {
        self.head
    }

    /// Whether there is one line more than the head has.
    pub(super) fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// How many bytes the whole lines have.
    pub(super) fn whole(&self) -> usize {
        self.whole
    }

    /// The whole lines, without their ends; nothing where they are no text.
    pub(super) fn lines(&self) -> Option<impl Iterator<Item = &str>> {
        // Once for all lines.
        let text = std::str::from_utf8(&self.bytes[..self.whole]).ok()?;
        let mut start = 0;
        let ends = memchr_iter(b'\n', text.as_bytes());
        Some(ends.map(move |end| &text[std::mem::replace(&mut start, end + 1)..end]))
    }

    /// The line of an entry behind these, with its end, and the head then.
    pub(super) fn followed_by(&self, entry: &Entry) -> (Vec<u8>, Head) {
        let lines = &self.bytes[..self.whole];
        let line = line_after(last_line(lines), entry);
        let head = Head::of(lines, self.head.lines + 1, &line);
        (line, head)
    }
}

/// What is said of a line that was changed, or that is behind one that was.
const BROKEN: &str = "a line does not follow the one before";

/// The line of an entry behind this one, with its end.
pub(super) fn line_after(before: &[u8], entry: &Entry) -> Vec<u8> {
    let digest = digest(before);
    let entry = entry.written();
    let rest = entry.strip_prefix('{').unwrap_or(&entry);
    [BEFORE, digest.as_bytes(), AFTER, rest.as_bytes(), b"\n"].concat()
}

/// The digits of a line's digest; of no line, zeros.
fn digest(line: &[u8]) -> String {
    let digest = if line.is_empty() { [0; 32].into() } else { blake3::hash(line) };
    digest.to_hex().to_string()
}

/// The last line, without its end; nothing where there is none.
fn last_line(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    &bytes[memrchr(b'\n', bytes).map_or(0, |end| end + 1)..]
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
