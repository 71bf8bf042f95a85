//! A sheet of a workbook (`.xlsx`) as CSV.

use std::io::BufReader;

use calamine::{
    Cell, DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx, open_workbook_from_rs,
};
use chrono::NaiveDate;

use super::claims::fits;
use super::store::{BlockReader, Store};
use super::unpack::split;
use super::workbook::check;
use crate::DataError;
use crate::caught::caught;
use crate::error::{Place, Spot};
use crate::quote::write_record;
use crate::spill::{Depot, Landing};

type Workbook = Xlsx<BufReader<BlockReader>>;

/// The rows of the one sheet that has any, or of the one that `name` names, as CSV.
///
/// Numbers are as Excel has them, dates and times ISO 8601, formulas what they came to.
pub(super) fn convert(name: &str, store: Store, depot: &mut Depot<'_>) -> Result<Store, DataError> {
    let damaged = || DataError::Damaged { file: name.to_owned() };
    let blocks = store.blocks();
    let checked = caught(|| check(&blocks, depot.piece()));
    if !checked.ok_or_else(damaged)?.map_err(|unfit| unfit.of(name.to_owned()))? {
        let kind = "a zip archive, or a spreadsheet other than .xlsx";
        let advice = "save it as .xlsx or CSV, or unpack it";
        return Err(DataError::NotCsv { file: name.to_owned(), kind, advice });
    }
    let open = || open_workbook_from_rs(BufReader::new(blocks.reader())).ok();
    let mut workbook: Workbook = caught(open).flatten().ok_or_else(damaged)?;
    let sheet = choose(name, &mut workbook)?;
    let cells = caught(|| workbook.worksheet_cells_reader(&sheet).ok());
    let mut cells = cells.flatten().ok_or_else(damaged)?;
    let out = Landing::new();
    let mut rows = Rows { name, depot, out, row: 0, cells: Vec::new(), bytes: 0, columns: None };
    while let Some(cell) = caught(|| cells.next_cell().ok()).flatten().ok_or_else(damaged)? {
        rows.add(&cell)?;
    }
    rows.end_row()?;
    Ok(rows.out.end(rows.depot))
}

/// The sheet that is asked for, else the only visible one with a cell that is not empty.
fn choose(name: &str, workbook: &mut Workbook) -> Result<String, DataError> {
    let sheets = workbook.sheets_metadata().iter();
    let sheets = sheets.filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let sheets: Vec<_> = sheets.map(|sheet| (sheet.name.clone(), sheet.visible)).collect();
    let fail = |what: String| Err(DataError::Sheet { file: split(name).0.to_owned(), what });
    let quoted = |names: &[String]| {
        names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    };
    if let Some(wanted) = split(name).1 {
        let names: Vec<String> = sheets.into_iter().map(|(name, _)| name).collect();
        return if names.iter().any(|name| name == wanted) {
            Ok(wanted.to_owned())
        } else {
            fail(format!("has no sheet {wanted:?}, but {}", quoted(&names)))
        };
    }
    let mut filled = Vec::new();
    for (sheet, visible) in sheets {
        let has_cells = visible == SheetVisible::Visible
            && caught(|| has_cells(workbook, &sheet)) != Some(false);
        filled.extend(has_cells.then_some(sheet));
    }
    match filled.as_slice() {
        [] => Err(DataError::Empty { file: name.to_owned() }),
        [sheet] => Ok(sheet.clone()),
        several => fail(format!("has several sheets with rows: {}", quoted(several))),
    }
}

/// Whether a cell of the sheet has a text; so, too, where it cannot be read, which is said when it is.
fn has_cells(workbook: &mut Workbook, sheet: &str) -> bool {
    let Ok(mut cells) = workbook.worksheet_cells_reader(sheet) else { return true };
    loop {
        match cells.next_cell() {
            Ok(Some(cell)) if text(cell.get_value()).is_none() => {}
            Ok(None) => return false,
            Ok(Some(_)) | Err(_) => return true,
        }
    }
}

/// Excel's last row and column, from 0.
const LAST: (u32, u32) = (1_048_575, 16_383);

/// The rows as they come, a line for each, so that lines have the numbers of rows unless a cell has several.
struct Rows<'a, 'b, 'c> {
    name: &'a str,
    depot: &'b mut Depot<'c>,
    out: Landing,
    /// The row that comes, from 0.
    row: u32,
    /// Its cells, by column.
    cells: Vec<Option<String>>,
    /// Bytes of text in them, which may be one text again and again.
    bytes: u64,
    /// The first column and their number, which the first row that is not blank has.
    columns: Option<(usize, usize)>,
}

impl Rows<'_, '_, '_> {
    fn add(&mut self, cell: &Cell<DataRef<'_>>) -> Result<(), DataError> {
        let (row, column) = cell.get_position();
        let Some(text) = text(cell.get_value()) else { return Ok(()) };
        if row < self.row || row > LAST.0 || column > LAST.1 {
            return Err(DataError::Damaged { file: self.name.to_owned() });
        }
        while self.row < row {
            self.end_row()?;
        }
        let column = column as usize;
        self.bytes += text.len() as u64;
        // Quotes are doubled in the line.
        let fit = fits(3 * self.bytes, self.depot.piece());
        fit.map_err(|unfit| unfit.of(self.name.to_owned()))?;
        if self.cells.len() <= column {
            self.cells.resize(column + 1, None);
        }
        self.cells[column] = Some(text);
        Ok(())
    }

    /// Writes the row that came.
    fn end_row(&mut self) -> Result<(), DataError> {
        let mut line = Vec::new();
        let from = self.cells.iter().position(Option::is_some);
        if let Some(from) = from {
            let (first, width) = *self.columns.get_or_insert((from, self.cells.len() - from));
            if from < first || self.cells.len() > first + width {
                let spot = Spot::Line(u64::from(self.row) + 1);
                let place = Place { file: self.name.to_owned(), spot, column: None };
                return Err(DataError::OutsideHeader { place });
            }
            let text = |column: usize| self.cells.get(column).and_then(Option::as_deref);
            let fields = (first..first + width).map(|column| text(column).unwrap_or_default());
            // Writing to memory does not fail.
            let _ = write_record(&mut line, fields, b',');
        }
        line.push(b'\n');
        self.out.add(&line, self.depot)?;
        self.cells.clear();
        self.bytes = 0;
        self.row += 1;
        Ok(())
    }
}

/// A cell's text; none of an empty one.
fn text(value: &DataRef<'_>) -> Option<String> {
    let text = match value {
        DataRef::Empty => return None,
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => shown(*number),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(moment) if moment.is_duration() => clock(moment.as_f64()),
        DataRef::DateTime(moment) => date(moment),
        DataRef::Error(error) => error.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

/// The least number with more digits before its point than Excel shows.
const LONG: f64 = 1e15;

/// From here on, a whole number may stand for others beside it: 2^53.
const INEXACT: f64 = 9_007_199_254_740_992.0;

/// A number as Excel has it, in 15 digits and without an exponent. A longer one has all its digits, up to where these are no longer
/// what somebody wrote; from there on it has an exponent, of which a run warns in a key.
fn shown(number: f64) -> String {
    if number.abs() >= INEXACT {
        return format!("{number:E}").replacen('E', "E+", 1);
    }
    if number.abs() >= LONG {
        return number.to_string();
    }
    let rounded = format!("{number:.14e}").parse().unwrap_or(number);
    f64::to_string(&rounded)
}

/// A date, a time of day or both; a number that is no date as a number.
fn date(moment: &ExcelDateTime) -> String {
    let value = moment.as_f64();
    if !(0.0..2_958_466.0).contains(&value) {
        return shown(value);
    }
    if value < 1.0 {
        return clock(value);
    }
    let (year, month, day, ..) = moment.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    match milliseconds(value.fract()) {
        0 => date,
        // The next day, but for what is lost in the number.
        DAY => {
            let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
            date.and_then(|date| date.succ_opt()).map_or(shown(value), |date| date.to_string())
        }
        _ => format!("{date}T{}", clock(value.fract())),
    }
}

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

fn milliseconds(days: f64) -> u64 {
    (days * DAY as f64).round() as u64
}

/// Days as `HH:MM:SS`, and as many digits of a fraction of a second as it needs.
fn clock(days: f64) -> String {
    let all = milliseconds(days.abs());
    let (seconds, fraction) = (all / 1000, all % 1000);
    let sign = if days < 0.0 { "-" } else { "" };
    let whole = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match fraction {
        0 => whole,
        _ => format!("{whole}.{fraction:03}").trim_end_matches('0').to_owned(),
    }
}
