//! The footer of a Parquet file: its length, how many columns within one another it says that there are, and how much of
//! anything else.
//!
//! The library reserves room for as many as that, reads columns one within the other on its stack, and has all names that a
//! column lies within beside each.

use parquet::file::reader::{ChunkReader, Length};

use super::claims::{Unfit, fits};
use super::store::Blocks;
use super::thrift::{Compact, kind};

/// What ends a file, behind the footer's length; a locked one ends otherwise.
const MAGIC: &[u8] = b"PAR1";

/// How deep columns lie within one another.
const DEEPEST: usize = 128;

/// Refuses a footer of more than `most` bytes, or with a schema that cannot be.
pub(super) fn check(blocks: &Blocks, most: u64) -> Result<(), Unfit> {
    let bytes = |start, length| blocks.get_bytes(start, length).map_err(|_| Unfit::Damaged);
    let end = blocks.len().checked_sub(8).ok_or(Unfit::Damaged)?;
    let length = bytes(end, 4)?.as_ref().try_into().map_or(0, u32::from_le_bytes);
    if bytes(end + 4, 4)? != MAGIC {
        // The library says what it is.
        return Ok(());
    }
    let start = end.checked_sub(length.into()).ok_or(Unfit::Damaged)?;
    fits(length.into(), most)?;
    let made = Compact(bytes(start, length as usize)?).footer().ok_or(Unfit::Damaged)?;
    fits(made.saturating_add(length.into()), most)
}

/// The types of the fields of `FileMetaData`, and of the first ones of `SchemaElement`, in parquet.thrift.
const FILE: [u8; 7] = {
    use kind::{BINARY, I32, I64, LIST};
    [I32, LIST, I64, LIST, LIST, BINARY, LIST]
};
const ELEMENT: [u8; 10] = {
    use kind::{BINARY, I32, STRUCT};
    [I32, I32, I32, BINARY, I32, I32, I32, I32, I32, STRUCT]
};

/// What is in a list: the least bytes of an element as it stands in the footer, and how many the library makes of it.
struct Listed {
    least: u64,
    made: u64,
}

const COLUMN: Listed = Listed { least: 8, made: 400 };
const GROUP: Listed = Listed { least: 7, made: 160 };
/// What a group of rows has of a column.
const CHUNK: Listed = Listed { least: 25, made: 800 };
const PAIR: Listed = Listed { least: 3, made: 48 };
const ORDER: Listed = Listed { least: 3, made: 8 };

/// What a name in the path of a column takes beside its bytes.
const NAME: u64 = 48;

impl Compact {
    /// A `FileMetaData`, the schema in front of all other lists; says how many bytes the library makes of it.
    fn footer(&mut self) -> Option<u64> {
        let mut schema = None;
        let mut made = 0_u64;
        self.fields(&FILE, |reader, field, kind| {
            let listed = match field {
                2 => {
                    let (bytes, columns) = reader.elements()?;
                    (made, schema) = (bytes, Some(columns));
                    return Some(());
                }
                4 => GROUP,
                5 => PAIR,
                7 => ORDER,
                _ => return reader.skip(kind, 0),
            };
            let count = reader.count(&listed)?;
            made = made.saturating_add(count.saturating_mul(listed.made));
            if field == 4 {
                // Room is made for all columns of a group before any is read.
                let there = reader.0.len() as u64 / CHUNK.least;
                let chunks = schema?.max(count.saturating_mul(schema?).min(there));
                made = made.saturating_add(chunks.saturating_mul(CHUNK.made));
            }
            reader.skip(kind, 0)
        })?;
        schema.map(|_| made)
    }

    /// How many elements are in the list that comes, none where the rest is too short for them.
    fn count(&self, listed: &Listed) -> Option<u64> {
        let mut list = Compact(self.0.clone());
        let count = list.list()?.0;
        (count <= list.0.len() as u64 / listed.least).then_some(count)
    }

    /// The elements of a schema, each in front of those within it: as many as are announced, and not too deep. Says how many
    /// bytes are made of them, and how many have none within.
    fn elements(&mut self) -> Option<(u64, u64)> {
        let mut made = self.count(&COLUMN)?.saturating_mul(COLUMN.made);
        let (count, kind) = self.list()?;
        // Those to come within each element that this one lies in, and what the names up to there take; those to come in all.
        let (mut within, mut awaited) = (Vec::<(u64, u64)>::new(), 1_u64);
        let mut leaves = 0;
        for left in (0..count).rev() {
            let (name, children) =
                if kind == kind::STRUCT { self.element()? } else { return None };
            awaited = awaited.checked_sub(1)?.checked_add(children)?;
            if awaited > left || within.len() > DEEPEST {
                return None;
            }
            let path = within.last().map_or(0, |(_, path)| *path) + name + NAME;
            if children > 0 {
                within.push((children, path));
                continue;
            }
            // The library has a copy of all names for each.
            made = made.saturating_add(path);
            leaves += 1;
            while let Some((last, _)) = within.last_mut() {
                *last -= 1;
                if *last > 0 {
                    break;
                }
                within.pop();
            }
        }
        Some((made, leaves))
    }

    /// The length of an element's name, and how many elements lie within it.
    fn element(&mut self) -> Option<(u64, u64)> {
        let (mut name, mut children) = (0, 0);
        self.fields(&ELEMENT, |reader, field, kind| match field {
            4 => {
                name = reader.varint()?;
                reader.pass(name)
            }
            5 => {
                children = reader.size()?;
                Some(())
            }
            _ => reader.skip(kind, 0),
        })?;
        Some((name, children))
    }
}
