//! Rows that follow one another: what a thread reads in one go.

use std::ops::Range;

use super::segment::Segment;
use super::{Fields, Table};
use crate::DataError;
use crate::rounds::{in_rounds, threads};

/// Rows of a stretch: as many as take a thread some ten milliseconds, beside which the page of Parquet that two stretches both decode is
/// little, and what is made of them a few megabytes.
const STRETCH: usize = 1 << 17;

/// Rows of a file, by its own numbers.
#[derive(Clone)]
pub(super) enum Rows<'a> {
    /// Those that follow one another.
    Stretch(Range<usize>),
    /// Those of these numbers, which rise.
    These(&'a [usize]),
}

impl<'a> Rows<'a> {
    pub(super) fn numbers(&self) -> Box<dyn Iterator<Item = usize> + 'a> {
        match self {
            Self::Stretch(range) => Box::new(range.clone()),
            Self::These(rows) => Box::new(rows.iter().copied()),
        }
    }

    /// Whether no row lies between two of them.
    pub(super) fn follow(&self) -> bool {
        match self {
            Self::Stretch(_) => true,
            Self::These(rows) => rows.windows(2).all(|pair| pair[0] + 1 == pair[1]),
        }
    }

    /// Those of them that lie in `range`.
    pub(super) fn within(&self, range: &Range<usize>) -> Self {
        match self {
            Self::Stretch(rows) => {
                let (start, end) = (rows.start.max(range.start), rows.end.min(range.end));
                Self::Stretch(start..end.max(start))
            }
            Self::These(rows) => {
                let place = |row: usize| rows.partition_point(|other| *other < row);
                Self::These(&rows[place(range.start)..place(range.end)])
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Stretch(range) => range.is_empty(),
            Self::These(rows) => rows.is_empty(),
        }
    }
}

impl Table {
    /// Reads all rows on the threads of rayon's current pool. For each stretch of rows `start`, which gets how many it
    /// has at most, makes something to which `visit` adds row after row, with its number and its fields in `columns`; `take` gets what came of some stretches, in the order of rows.
    ///
    /// # Errors
    /// That of `take`, or the first by the order of rows that `visit` gives or decoding does; what was made before is taken first.
    pub(crate) fn by_stretches<T: Send>(
        &self,
        columns: &[usize],
        start: impl Fn(usize) -> T + Sync,
        visit: impl Fn(&mut T, usize, &Fields<'_>) -> Result<(), DataError> + Sync,
        mut take: impl FnMut(Vec<T>) -> Result<(), DataError> + Send,
    ) -> Result<(), DataError> {
        self.check_text(columns)?;
        let make = |(segment, range): (&Segment, Range<usize>)| {
            let mut made = start(range.len());
            let visit = &mut |row, fields: &Fields<'_>| visit(&mut made, row, fields);
            let read = segment.visit(&Rows::Stretch(range), &self.header, columns, visit);
            (made, read)
        };
        in_rounds(self.stretches(), self.at_once(), make, |round| {
            let mut whole = Vec::with_capacity(round.len());
            for (made, read) in round {
                whole.push(made);
                if read.is_err() {
                    take(whole)?;
                    return read;
                }
            }
            take(whole)
        })
    }

    /// All rows, cut where a file ends, and a group of rows in it.
    fn stretches(&self) -> impl Iterator<Item = (&Segment, Range<usize>)> {
        self.segments.iter().flat_map(|segment| {
            let cut = |part: Range<usize>| {
                let end = part.end;
                part.step_by(STRETCH)
                    .map(move |start| start..start.saturating_add(STRETCH).min(end))
            };
            segment.body.parts().flat_map(cut).map(move |range| (segment, range))
        })
    }

    /// How many stretches are read in a round: two for each thread, so that a thread seldom waits for another, or as many as may be
    /// decoded at once.
    fn at_once(&self) -> usize {
        let threads = threads();
        let most = self.segments.iter().map(|segment| segment.body.decoders()).min();
        most.filter(|most| *most < threads).unwrap_or(2 * threads)
    }
}
