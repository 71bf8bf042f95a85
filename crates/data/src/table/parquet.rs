//! A Parquet file as it was; what is asked for is decoded each time.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::{io, iter};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, IntervalUnit, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection, RowSelectionPolicy,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::claims::Unfit;
use super::cost::{A_COLUMN, Costs};
use super::guard::{Caught, Decoded};
use super::lists::{BLOCK, Weights};
use super::pages::Room;
use super::readings::Readings;
use super::store::{Blocks, Store};
use super::stretch::Rows;
use super::{footer, messages, pages};
use crate::DataError;
use crate::caught::{caught, panicked};
use crate::parquet_writer::{self, ParquetWriter};
use crate::spill::Depot;
use crate::types::{as_read, part_kinds};

/// Rows of a group in a temporary file, and bytes, which are a part of what may be decoded at once: what is written is in memory
/// until a group is complete.
const GROUP_ROWS: usize = 1 << 16;
const FEWEST_BYTES: u64 = 1 << 23;
const MOST_BYTES: u64 = 1 << 26;
const GROUP_PART: u64 = 8;

/// Costs the file's size where it stays in memory.
pub(super) struct ParquetFile {
    blocks: Blocks,
    metadata: ArrowReaderMetadata,
    at_once: AtOnce,
    /// The most bytes that rows take which are decoded at once.
    most: u64,
    /// The columns of which rows have none or several values.
    with_lists: Vec<usize>,
    /// What rows of lists take in each group, once that has been asked for; none where they cannot be decoded.
    lists: OnceLock<Option<HashMap<usize, Weights>>>,
}

/// How many rows are decoded at once: of those that follow one another, and of those that lie anywhere.
#[derive(Clone, Copy)]
struct AtOnce {
    follow: usize,
    anywhere: usize,
    /// How many threads may do so with those that follow one another.
    decoders: usize,
}

impl AtOnce {
    fn within(costs: &Costs, most: u64) -> Result<Self, Unfit> {
        let anywhere = costs.rows_at_once(most, false)?;
        let follow = costs.rows_at_once(most, true)?;
        Ok(Self { follow, anywhere, decoders: costs.decoders(follow as u64, most) })
    }
}

impl ParquetFile {
    /// Opens a file that messages call `name`, none of whose pages may take more than `most` bytes when it is decoded.
    pub(super) fn open(name: &str, store: Store, most: u64) -> Result<Self, DataError> {
        let room = Room { page: most, rows: most };
        Self::open_within(name, store, room, |costs| AtOnce::within(costs, most))
    }

    /// The leaves that can be read as two types, after a look at all their values.
    pub(super) fn readings(&self) -> Result<Option<Readings>, ArrowError> {
        let described = self.metadata.parquet_schema();
        let Some(mut readings) = Readings::of(described, self.schema()) else { return Ok(None) };
        let (other, columns) = (self.typed(readings.others())?, readings.columns());
        let all = Rows::Stretch(0..self.rows());
        for (rows, others) in self.batches(&all, &columns)?.zip(other.batches(&all, &columns)?) {
            readings.look(rows?.columns(), others?.columns());
        }
        Ok(Some(readings))
    }

    /// The same file, whose columns are read in the types of `schema`.
    pub(super) fn typed(&self, schema: SchemaRef) -> Result<Self, ArrowError> {
        let metadata = typed(self.metadata.metadata(), schema)?;
        let (blocks, with_lists) = (self.blocks.clone(), self.with_lists.clone());
        Ok(Self { blocks, metadata, with_lists, lists: OnceLock::new(), ..*self })
    }

    /// Opens a file of which so many rows are decoded at once as `at_once` says.
    fn open_within(
        name: &str,
        store: Store,
        room: Room,
        at_once: impl FnOnce(&Costs) -> Result<AtOnce, Unfit>,
    ) -> Result<Self, DataError> {
        let most = room.page;
        let blocks = store.blocks();
        footer::check(&blocks, most).map_err(|unfit| unfit.of(name.to_owned()))?;
        let opened = caught(|| {
            let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let plain = Arc::clone(ArrowReaderMetadata::load(&blocks, plain)?.metadata());
            if let Err(unfit) = messages::check_hint(&plain) {
                return Ok(Err(unfit));
            }
            let metadata = ArrowReaderMetadata::try_new(plain, ArrowReaderOptions::default())?;
            let schema = as_read(metadata.schema());
            typed(metadata.metadata(), schema).map(Ok)
        });
        let file = name.to_owned();
        match opened {
            None => Err(DataError::Damaged { file }),
            Some(Err(error)) => Err(undecodable(file, error)),
            Some(Ok(Err(unfit))) => Err(unfit.of(file)),
            Some(Ok(Ok(metadata))) if has_lzo(metadata.metadata()) => {
                let what = "a column is compressed with LZO".to_owned();
                Err(DataError::Unsupported { file, what })
            }
            Some(Ok(Ok(metadata))) => {
                let checked = caught(|| pages::check(&blocks, &metadata, room));
                let at_once =
                    checked.unwrap_or(Err(Unfit::Damaged)).and_then(|costs| at_once(&costs));
                let at_once = at_once.map_err(|unfit| unfit.of(file))?;
                let (with_lists, lists) = (with_lists(&metadata), OnceLock::new());
                Ok(Self { blocks, metadata, at_once, most: room.rows, with_lists, lists })
            }
        }
    }

    /// Whether Parquet has a place for columns of these types, whatever their values are.
    pub(super) fn takes(schema: &SchemaRef) -> bool {
        schema.fields().iter().all(|field| has_place(field.data_type()))
            && parquet_writer::takes(schema)
    }

    /// These batches of `file` in the temporary file.
    pub(super) fn spilled(
        file: &str,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, DataError>>,
        depot: &mut Depot<'_>,
    ) -> Result<Self, DataError> {
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::None);
        let group = (depot.piece() / GROUP_PART).clamp(FEWEST_BYTES, MOST_BYTES);
        let out = depot.writer()?;
        let failure = |error: ParquetError| match error {
            ParquetError::External(why) if why.is::<io::Error>() => {
                depot.failure(why.downcast::<io::Error>().map_or_else(io::Error::other, |why| *why))
            }
            _ => DataError::Damaged { file: file.to_owned() },
        };
        let writer = ParquetWriter::new(out, schema, properties, group as usize);
        let mut writer = writer.map_err(failure)?;
        for batch in batches {
            writer.write(&batch?).map_err(failure)?;
        }
        let out = writer.finish().map_err(failure)?;
        // Its pages are this program's own, and its rows were in memory before.
        let room = Room { page: u64::MAX, rows: depot.piece() };
        let store = Store::Spilled(Arc::new(depot.kept(out)));
        Self::open_within(file, store, room, |costs| {
            let one = AtOnce { follow: 1, anywhere: 1, decoders: 1 };
            Ok(AtOnce::within(costs, room.rows).unwrap_or(one))
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub(super) fn rows(&self) -> usize {
        // A file that counts its rows below zero has none.
        usize::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    pub(super) fn memory(&self) -> usize {
        self.blocks.memory() + self.metadata.metadata().memory_size()
    }

    /// The numbers of each group's rows.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let groups = self.metadata.metadata().row_groups().iter();
        groups.scan(0_usize, |next, group| {
            let first = *next;
            *next = next.saturating_add(usize::try_from(group.num_rows()).unwrap_or(0));
            Some(first..*next)
        })
    }

    /// How many threads may decode rows that follow one another, so that all they take fits.
    pub(super) fn decoders(&self) -> usize {
        self.at_once.decoders
    }

    /// The rows with these numbers, of `columns` alone.
    pub(super) fn batches<'a>(
        &self,
        rows: &Rows<'a>,
        columns: &[usize],
    ) -> Result<impl Iterator<Item = Result<RecordBatch, ArrowError>> + use<'_, 'a>, ArrowError>
    {
        let mut decoded = columns.to_vec();
        decoded.sort_unstable();
        decoded.dedup();
        // The reader gives columns in the file's order, each once.
        let places: Vec<usize> =
            columns.iter().map(|column| decoded.partition_point(|other| other < column)).collect();

        let groups = self.groups(rows);
        let at_once = self.rows_at_once(rows, &groups, &decoded)?;
        let batches = groups.into_iter().flat_map(move |group| -> Decoded {
            match self.reader(&decoded, at_once, &group) {
                Ok(reader) => Box::new(Caught::new(reader)),
                Err(error) => Box::new(iter::once(Err(error))),
            }
        });
        Ok(batches.map(move |batch| batch?.project(&places)))
    }

    /// The groups that have any of the wanted rows.
    fn groups<'a>(&self, rows: &Rows<'a>) -> Vec<Group<'a>> {
        let group = |(number, all): (usize, Range<usize>)| {
            let wanted = rows.within(&all);
            (!wanted.is_empty()).then_some(Group { number, all, wanted })
        };
        self.parts().enumerate().filter_map(group).collect()
    }

    /// Decodes the wanted rows of a group, of these columns and so many at once. No batch has rows of two groups: the library
    /// would make one dictionary of theirs, or write its texts out.
    fn reader(
        &self,
        columns: &[usize],
        at_once: usize,
        group: &Group<'_>,
    ) -> Result<ParquetRecordBatchReader, ArrowError> {
        let (blocks, metadata) = (self.blocks.clone(), self.metadata.clone());
        let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(blocks, metadata)
            .with_projection(mask)
            .with_batch_size(at_once)
            .with_row_groups(vec![group.number]);
        if let Some(selection) = group.selection() {
            // By a mask the library decodes what lies between these rows, too, and all at once.
            builder = builder
                .with_row_selection(selection)
                .with_row_selection_policy(RowSelectionPolicy::Selectors);
        }
        Ok(caught(|| builder.build()).ok_or_else(panicked)??)
    }

    /// How many of the wanted rows, which are in these groups, are decoded at once of these columns.
    fn rows_at_once(
        &self,
        rows: &Rows<'_>,
        groups: &[Group<'_>],
        columns: &[usize],
    ) -> Result<usize, ArrowError> {
        let at_once = if rows.follow() { self.at_once.follow } else { self.at_once.anywhere };
        if !columns.iter().any(|column| self.with_lists.contains(column)) {
            return Ok(at_once);
        }
        let lists = self.lists.get_or_init(|| self.weigh());
        let lists = lists.as_ref().ok_or_else(panicked)?;
        let most = self.most.min(A_COLUMN);
        Ok(groups.iter().fold(at_once, |at_once, group| {
            let wanted = match group.wanted {
                Rows::These(wanted) => Some(wanted),
                Rows::Stretch(_) => None,
            };
            lists[&group.number].rows_at_once(group.all.start, wanted, at_once, most)
        }))
    }

    /// What the rows of lists take, by the numbers of groups that have any; row by row where a block is too much for the
    /// library.
    fn weigh(&self) -> Option<HashMap<usize, Weights>> {
        let blocks = [BLOCK.min(self.at_once.follow), 1];
        let weights = |group: Group<'_>| {
            let weights = blocks.into_iter().find_map(|rows| {
                let reader = self.reader(&self.with_lists, rows, &group).ok()?;
                Weights::of(rows, Caught::new(reader)).ok()
            });
            Some((group.number, weights?))
        };
        self.groups(&Rows::Stretch(0..self.rows())).into_iter().map(weights).collect()
    }
}

/// A group of rows in a file.
struct Group<'a> {
    number: usize,
    /// The file's numbers of its rows.
    all: Range<usize>,
    /// Those of the wanted ones.
    wanted: Rows<'a>,
}

impl Group<'_> {
    /// The wanted rows by the group's own numbers; none stands for all.
    fn selection(&self) -> Option<RowSelection> {
        let first = self.all.start;
        match &self.wanted {
            Rows::Stretch(range) if *range == self.all => None,
            Rows::Stretch(range) => {
                let run = range.start - first..range.end - first;
                Some(RowSelection::from_consecutive_ranges(iter::once(run), self.all.len()))
            }
            Rows::These(rows) => {
                let runs = rows.chunk_by(|a, b| a + 1 == *b);
                let runs = runs.map(|run| run[0] - first..run[0] - first + run.len());
                Some(RowSelection::from_consecutive_ranges(runs, self.all.len()))
            }
        }
    }
}

/// What says that columns are read in the types of `schema`.
fn typed(
    metadata: &Arc<ParquetMetaData>,
    schema: SchemaRef,
) -> Result<ArrowReaderMetadata, ParquetError> {
    let options = ArrowReaderOptions::new().with_schema(schema);
    ArrowReaderMetadata::try_new(Arc::clone(metadata), options)
}

/// The columns of which rows have none or several values.
fn with_lists(metadata: &ArrowReaderMetadata) -> Vec<usize> {
    let schema = metadata.parquet_schema();
    let leaves = (0..schema.num_columns()).filter(|leaf| schema.column(*leaf).max_rep_level() > 0);
    let mut columns: Vec<usize> = leaves.map(|leaf| schema.get_column_root_idx(leaf)).collect();
    columns.dedup();
    columns
}

fn has_lzo(metadata: &ParquetMetaData) -> bool {
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    columns.any(|column| column.compression() == Compression::LZO)
}

/// What the decoder says of values may show them; what it cannot do, it says of the format.
fn undecodable(file: String, error: ParquetError) -> DataError {
    match error {
        ParquetError::NYI(what) => DataError::Unsupported { file, what },
        ParquetError::General(what) if what.starts_with("Disabled feature") => {
            DataError::Unsupported { file, what }
        }
        _ => DataError::Damaged { file },
    }
}

/// Whether values of this type can be written, and read again: there are no unions, intervals have months or days, and dictionaries
/// values without parts.
fn has_place(kind: &DataType) -> bool {
    match kind {
        DataType::Union(..)
        | DataType::Interval(IntervalUnit::MonthDayNano)
        | DataType::RunEndEncoded(..) => false,
        DataType::Dictionary(_, values) if !part_kinds(values).is_empty() => false,
        kind => part_kinds(kind).iter().all(has_place),
    }
}
