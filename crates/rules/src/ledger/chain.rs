//! Lines, each with the digest of the one before, and a signed head over all.

use std::io::{self, BufRead, BufReader, Read, Seek};

use blake3::Hasher;
use memchr::{memchr_iter, memrchr};
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

/// What the whole of a ledger's lines is, as this party left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    lines: u64,
    /// Of all lines with their ends: a pass over them at once is several times as fast as one line by line.
    digest: [u8; 32],
}

impl Head {
    const NONE: Self = Self { lines: 0, digest: [0; 32] };

    /// Of so many lines, which `digest` has taken in.
    pub(super) fn of(digest: &Hasher, lines: u64) -> Self {
        if lines == 0 { Self::NONE } else { Self { lines, digest: *digest.finalize().as_bytes() } }
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

/// Why lines cannot be relied on.
pub(super) enum Fault {
    /// They cannot be read.
    Read(io::Error),
    /// They are not as they were left.
    Changed(&'static str),
}

impl From<io::Error> for Fault {
    fn from(why: io::Error) -> Self {
        Self::Read(why)
    }
}

/// The end of a ledger that is as this party left it.
pub(super) struct Chain {
    /// Has taken in all lines but the last.
    digest: Hasher,
    /// The last two lines with their ends, the last last; empty where there are fewer.
    last: [Vec<u8>; 2],
    lines: u64,
    /// Behind them there may be a part of a line, which was not written to its end.
    whole: u64,
    head: Head,
    is_ahead: bool,
}

impl Chain {
    /// The end of the lines in `file`, if they are those that `head` is the head of, and what `found` finds in each line, in order.
    ///
    /// A machine may stop between a line and its head: then there is one whole line more, or a part of one, which began no run.
    pub(super) fn read<T: Send, I: IntoIterator<Item = T>>(
        mut file: impl Read + Seek + Send,
        head: Option<Head>,
        found: impl Fn(&[u8]) -> I + Send + Sync,
    ) -> Result<(Self, Vec<T>), Fault> {
        let mut chain = Self {
            digest: Hasher::new(),
            last: Default::default(),
            lines: 0,
            whole: 0,
            head: Head::NONE,
            is_ahead: false,
        };
        let mut all = Vec::new();
        for_each_piece(&mut file, |piece| {
            let lines: Vec<&[u8]> = lines(piece).collect();
            chain.take(piece, &lines);
            all.par_extend(lines.into_par_iter().flat_map_iter(&found));
        })?;
        let head = head.unwrap_or(Head::NONE);
        chain.head = chain.head_with(b"");
        chain.is_ahead = chain.head != head;
        if chain.is_ahead && !chain.is_one_ahead_of(head) {
            file.rewind()?;
            return Err(chain.fault(file, head));
        }
        Ok((chain, all))
    }

    /// Takes in a piece of whole lines.
    fn take(&mut self, piece: &[u8], lines: &[&[u8]]) {
        let [.., last] = lines else { return };
        let [before, old] = &mut self.last;
        self.digest.update(old).update_rayon(&piece[..piece.len() - last.len()]);
        *before = match lines {
            [.., before, _] => before.to_vec(),
            _ => std::mem::take(old),
        };
        *old = last.to_vec();
        self.lines += lines.len() as u64;
        self.whole += piece.len() as u64;
    }

    /// The head of these lines and one more, or no more.
    fn head_with(&self, line: &[u8]) -> Head {
        let lines = self.lines + u64::from(!line.is_empty());
        Head::of(self.digest.clone().update(&self.last[1]).update(line), lines)
    }

    /// Whether there is one line more than `head` has, which follows those.
    fn is_one_ahead_of(&self, head: Head) -> bool {
        let [before, last] = &self.last;
        self.lines.checked_sub(1).is_some_and(|lines| Head::of(&self.digest, lines) == head)
            && previous(last) == Some(digest(before).as_bytes())
    }

    /// What is wrong with lines that are not as they were left.
    fn fault(&self, file: impl Read, head: Head) -> Fault {
        let mut before = digest(b"");
        for line in BufReader::new(file.take(self.whole)).split(b'\n') {
            let line = match line {
                Ok(line) => line,
                Err(why) => return Fault::Read(why),
            };
            if previous(&line) != Some(before.as_bytes()) {
                return Fault::Changed(BROKEN);
            }
            before = digest(&line);
        }
        let are_missing = head.lines > self.lines;
        Fault::Changed(if are_missing { "lines are missing" } else { "lines are not yours" })
    }

    /// Whether there is no line.
    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
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
    pub(super) fn whole(&self) -> u64 {
        self.whole
    }

    /// The line of an entry behind these, with its end, and the head then.
    pub(super) fn followed_by(&self, entry: &Entry) -> (Vec<u8>, Head) {
        let line = line_after(&self.last[1], entry);
        let head = self.head_with(&line);
        (line, head)
    }
}

/// Calls `take` with piece after piece of a file, each of whole lines, while the next is read; a part of a line at the end is in none.
pub(super) fn for_each_piece(
    mut file: impl Read + Send,
    mut take: impl FnMut(&[u8]) + Send,
) -> io::Result<()> {
    /// A piece stays in the processor's memory while it is looked through.
    const PIECE: u64 = 1 << 22;
    let mut read = |bytes: &mut Vec<u8>| (&mut file).take(PIECE).read_to_end(bytes);
    let (mut bytes, mut next) = (Vec::new(), Vec::new());
    let mut more = read(&mut bytes)?;
    while more > 0 {
        let whole = memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
        next.clear();
        next.extend_from_slice(&bytes[whole..]);
        let (reading, ()) = rayon::join(|| read(&mut next), || take(&bytes[..whole]));
        more = reading?;
        std::mem::swap(&mut bytes, &mut next);
    }
    Ok(())
}

/// What is said of a line that was changed, or that is behind one that was.
const BROKEN: &str = "a line does not follow the one before";

/// The line of an entry behind this one, both with their ends.
pub(super) fn line_after(before: &[u8], entry: &Entry) -> Vec<u8> {
    let digest = digest(before);
    let entry = entry.written();
    let rest = entry.strip_prefix('{').unwrap_or(&entry);
    [BEFORE, digest.as_bytes(), AFTER, rest.as_bytes(), b"\n"].concat()
}

/// The digits of the digest of a line without its end; of no line, zeros.
fn digest(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let digest = if line.is_empty() { [0; 32].into() } else { blake3::hash(line) };
    digest.to_hex().to_string()
}

/// The lines, with their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr_iter(b'\n', bytes).map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..=end])
}

/// The digits of the digest of the line before, as a line has it.
fn previous(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(BEFORE)?.get(..DIGITS)
}
