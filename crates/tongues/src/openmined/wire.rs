//! Protocol buffers, as far as three flat messages need them.
//!
//! A reader of our own takes 100 lines, knows no recursion, and makes nothing longer than the message: derived decoders make a vector
//! for each element, and take fields of the wrong length.

use veilset_crypto::Sec1;

use super::error::{Kind, OpenMinedError, Why};

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of a type that these messages do not use.
    Other,
}

/// A field, and where it starts in the message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) value: Value<'a>,
    pub(super) at: usize,
    kind: Kind,
    /// Where the value's bytes start in the message.
    inner: usize,
}

impl<'a> Field<'a> {
    pub(super) fn refused(&self, why: Why) -> OpenMinedError {
        OpenMinedError::Malformed { kind: self.kind, at: self.at, why }
    }

    pub(super) fn as_number(&self) -> Result<u64, OpenMinedError> {
        let Value::Number(number) = self.value else { return Err(self.wrong_type()) };
        Ok(number)
    }

    pub(super) fn as_bytes(&self) -> Result<&'a [u8], OpenMinedError> {
        let Value::Bytes(bytes) = self.value else { return Err(self.wrong_type()) };
        Ok(bytes)
    }

    pub(super) fn as_point(&self) -> Result<Sec1, OpenMinedError> {
        let bytes = self.as_bytes()?;
        bytes.try_into().map_err(|_| self.refused(Why::WrongLength(bytes.len())))
    }

    /// The fields of the message that it holds.
    pub(super) fn as_fields(&self) -> Result<Fields<'a>, OpenMinedError> {
        Ok(Fields { kind: self.kind, rest: self.as_bytes()?, at: self.inner })
    }

    fn wrong_type(&self) -> OpenMinedError {
        self.refused(Why::WrongType(self.number))
    }
}

/// The fields of a message, in order.
pub(super) struct Fields<'a> {
    kind: Kind,
    rest: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn of(kind: Kind, message: &'a [u8]) -> Self {
        Self { kind, rest: message, at: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>, OpenMinedError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let at = self.at;
        let field = self.field(at);
        field.map(Some).map_err(|why| OpenMinedError::Malformed { kind: self.kind, at, why })
    }

    fn field(&mut self, at: usize) -> Result<Field<'a>, Why> {
        let tag = u32::try_from(self.number()?).map_err(|_| Why::NoField)?;
        let number = tag >> 3;
        if number == 0 {
            return Err(Why::NoField);
        }
        let mut inner = self.at;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Other)?,
            2 => {
                let length = usize::try_from(self.number()?).map_err(|_| Why::Truncated)?;
                inner = self.at;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Other)?,
            _ => return Err(Why::NoField),
        };
        Ok(Field { number, value, at, kind: self.kind, inner })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Why> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Why::Truncated)?;
        self.rest = rest;
        self.at += length;
        Ok(taken)
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> Result<u64, Why> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.take(1)? else { return Err(Why::Truncated) };
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Why::LongNumber);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Why::LongNumber)
    }
}

/// Bytes of a point as an element.
pub(super) const ELEMENT: usize = 2 + 33;

/// Appends a number that is not 0, which is what an absent field means.
pub(super) fn put_number(field: u8, number: u64, out: &mut Vec<u8>) {
    if number != 0 {
        out.push(field << 3);
        put_varint(number, out);
    }
}

/// Appends bytes that are not empty.
pub(super) fn put_bytes(field: u8, bytes: &[u8], out: &mut Vec<u8>) {
    if !bytes.is_empty() {
        put_header(field, bytes.len(), out);
        out.extend_from_slice(bytes);
    }
}

/// Appends what stands before a value of so many bytes.
pub(super) fn put_header(field: u8, length: usize, out: &mut Vec<u8>) {
    out.push(field << 3 | 2);
    put_varint(length as u64, out);
}

/// Appends points as repeated elements.
pub(super) fn put_points(field: u8, points: &[Sec1], out: &mut Vec<u8>) {
    out.reserve(points.len() * ELEMENT);
    for point in points {
        put_header(field, point.len(), out);
        out.extend_from_slice(point);
    }
}

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
