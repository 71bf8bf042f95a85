//! The footer of a Parquet file: its length, and how many columns within one another it says that there are.
//!
//! The library reserves room for as many as that, and reads them one within the other on its stack.

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
    Compact(bytes(start, length as usize)?).schema().ok_or(Unfit::Damaged)
}

/// The types of the first fields of `FileMetaData`, and of those of `SchemaElement`, in parquet.thrift.
const FILE: [u8; 2] = [kind::I32, kind::LIST];
const ELEMENT: [u8; 10] = {
    use kind::{BINARY, I32, STRUCT};
    [I32, I32, I32, BINARY, I32, I32, I32, I32, I32, STRUCT]
};

impl Compact {
    /// A `FileMetaData` up to its schema, the only one that is read.
    fn schema(&mut self) -> Option<()> {
        let mut schema = None;
        self.fields(&FILE, |reader, field, kind| {
            if field != 2 {
                return reader.skip(kind, 0);
            }
            schema = reader.elements();
            None
        });
        schema
    }

    /// The elements of a schema, each in front of those within it: as many as are announced, and not too deep.
    fn elements(&mut self) -> Option<()> {
        let (count, kind) = self.list()?;
        // Those to come within each element that this one lies in, and in all.
        let (mut within, mut awaited) = (Vec::<u64>::new(), 1_u64);
        for left in (0..count).rev() {
            let children = if kind == kind::STRUCT { self.children()? } else { return None };
            awaited = awaited.checked_sub(1)?.checked_add(children)?;
            if awaited > left || within.len() > DEEPEST {
                return None;
            }
            if children > 0 {
                within.push(children);
                continue;
            }
            while let Some(last) = within.last_mut() {
                *last -= 1;
                if *last > 0 {
                    break;
                }
                within.pop();
            }
        }
        Some(())
    }

    /// How many elements lie within this one.
    fn children(&mut self) -> Option<u64> {
        let mut children = 0;
        self.fields(&ELEMENT, |reader, field, kind| {
            if field == 5 {
                children = reader.size()?;
                return Some(());
            }
            reader.skip(kind, 0)
        })?;
        Some(children)
    }
}
