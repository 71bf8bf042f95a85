//! Thrift's compact protocol, in which Parquet has its headers and its footer.
//!
//! The library that decodes them reads a field that it knows whatever type the file gives it. So that both read the same,
//! the reader here refuses what no writer makes: a field of another type, or one that does not ascend.

use bytes::Bytes;

/// Reads from the front; none where the bytes end, or are something else.
pub(super) struct Compact(pub(super) Bytes);

/// How deep structures lie within one another.
const DEEPEST: u32 = 8;

/// The types of fields.
pub(super) mod kind {
    pub(in super::super) const TRUE: u8 = 1;
    pub(in super::super) const FALSE: u8 = 2;
    pub(in super::super) const BYTE: u8 = 3;
    pub(in super::super) const I16: u8 = 4;
    pub(in super::super) const I32: u8 = 5;
    pub(in super::super) const I64: u8 = 6;
    pub(in super::super) const DOUBLE: u8 = 7;
    pub(in super::super) const BINARY: u8 = 8;
    pub(in super::super) const LIST: u8 = 9;
    pub(in super::super) const SET: u8 = 10;
    pub(in super::super) const STRUCT: u8 = 12;
}

impl Compact {
    /// Calls `read` with the number and the type of each field of a structure; those from 1 on have the types `known`.
    pub(super) fn fields(
        &mut self,
        known: &[u8],
        mut read: impl FnMut(&mut Self, i16, u8) -> Option<()>,
    ) -> Option<()> {
        let mut last = 0_i16;
        loop {
            let (step, kind) = match self.byte()? {
                0 => return Some(()),
                byte => (byte >> 4, byte & 15),
            };
            let field = match step {
                0 => i16::try_from(self.number()?).ok()?,
                _ => last.checked_add(step.into())?,
            };
            let place = usize::try_from(field).ok()?.checked_sub(1)?;
            if field <= last || known.get(place).is_some_and(|known| *known != kind) {
                return None;
            }
            read(self, field, kind)?;
            last = field;
        }
    }

    /// Passes a field of this type.
    pub(super) fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => Some(()),
            kind::BYTE => self.pass(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.pass(8),
            kind::BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            kind::LIST | kind::SET => self.skip_list(depth),
            kind::STRUCT if depth < DEEPEST => {
                self.fields(&[], |reader, _, kind| reader.skip(kind, depth + 1))
            }
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: u32) -> Option<()> {
        let (length, kind) = self.list()?;
        match kind {
            _ if depth >= DEEPEST => None,
            // The library takes a truth in a list for no byte, others for one.
            kind::TRUE | kind::FALSE => None,
            kind => (0..length).try_for_each(|_| self.skip(kind, depth + 1)),
        }
    }

    /// The length of a list, and the type of its elements.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let length = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        Some((length, head & 15))
    }

    /// A number of 32 bits that is not below zero.
    pub(super) fn size(&mut self) -> Option<u64> {
        let number = i32::try_from(self.number()?).ok()?;
        u64::try_from(number).ok()
    }

    /// A number whose lowest bit is its sign.
    pub(super) fn number(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(7 * place)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.0.first().copied()?;
        self.pass(1)?;
        Some(byte)
    }

    pub(super) fn pass(&mut self, length: u64) -> Option<()> {
        let length = usize::try_from(length).ok().filter(|length| *length <= self.0.len())?;
        self.0 = self.0.slice(length..);
        Some(())
    }
}
