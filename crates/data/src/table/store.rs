//! A file's bytes, in memory or in a temporary file.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::DataError;
use crate::spill::Spill;

/// A file's bytes as they were read.
pub(crate) enum Store {
    Memory(Vec<u8>),
    Spilled(Arc<Spill>),
}

impl Store {
    /// The first bytes, as many as tell a format.
    pub(super) fn beginning(&self) -> Result<Vec<u8>, DataError> {
        const ENOUGH: usize = 1 << 12;
        match self {
            Self::Memory(bytes) => Ok(bytes[..bytes.len().min(ENOUGH)].to_vec()),
            Self::Spilled(spill) => {
                let mut bytes = vec![0; ENOUGH.min(spill.len() as usize)];
                spill.read(0, &mut bytes).map_err(|why| spill.failure(why))?;
                Ok(bytes)
            }
        }
    }

    pub(super) fn blocks(self) -> Blocks {
        match self {
            Self::Memory(bytes) => Blocks::Memory(Bytes::from(bytes)),
            Self::Spilled(spill) => Blocks::Spilled(spill),
        }
    }
}

/// The bytes of a binary file, of which a pass reads what it needs.
#[derive(Clone)]
pub(super) enum Blocks {
    Memory(Bytes),
    Spilled(Arc<Spill>),
}

impl Blocks {
    /// Bytes of memory that they take.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::Spilled(_) => 0,
        }
    }

    pub(super) fn reader(&self) -> BlockReader {
        BlockReader { blocks: self.clone(), at: 0 }
    }
}

impl Length for Blocks {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Spilled(spill) => spill.len(),
        }
    }
}

impl ChunkReader for Blocks {
    type T = io::BufReader<BlockReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(io::BufReader::new(BlockReader { blocks: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.len());
        if end.is_none() {
            return Err(ParquetError::EOF("a page lies behind the file's end".to_owned()));
        }
        match self {
            Self::Memory(bytes) => Ok(bytes.slice(start as usize..start as usize + length)),
            Self::Spilled(spill) => {
                let mut bytes = vec![0; length];
                spill.read(start, &mut bytes)?;
                Ok(bytes.into())
            }
        }
    }
}

/// A place in such bytes.
pub(super) struct BlockReader {
    blocks: Blocks,
    at: u64,
}

impl Read for BlockReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.blocks.len().saturating_sub(self.at);
        let count = left.min(into.len() as u64) as usize;
        match &self.blocks {
            Blocks::Memory(bytes) => {
                let start = self.blocks.len().min(self.at) as usize;
                into[..count].copy_from_slice(&bytes[start..start + count]);
            }
            Blocks::Spilled(spill) => spill.read(self.at, &mut into[..count])?,
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for BlockReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(offset) => (self.blocks.len(), offset),
            SeekFrom::Current(offset) => (self.at, offset),
        };
        let at = base.checked_add_signed(offset);
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
