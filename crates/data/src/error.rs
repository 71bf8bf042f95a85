//! What can be wrong with a user's data. No error holds a value from it.

use std::fmt;
use std::io;

use crate::SinkError;

/// Where in a file something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(crate) file: String,
    pub(crate) spot: Spot,
    /// From 0, with its name where the header has one.
    pub(crate) column: Option<(usize, Option<String>)>,
}

/// A line of text, or a row where there are no lines; from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// A line of a text file.
    Line(u64),
    /// A row below the header.
    Row(u64),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

impl Place {
    /// The file's name.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where in the file.
    #[must_use]
    pub fn spot(&self) -> Spot {
        self.spot
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.file, self.spot)?;
        match &self.column {
            Some((index, Some(name))) => write!(f, ", column {} ({name:?})", index + 1),
            Some((index, None)) => write!(f, ", column {}", index + 1),
            None => Ok(()),
        }
    }
}

/// What is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The input could not be read.
    #[error("cannot read {file}: {}", reading(why))]
    Read {
        /// The file's name.
        file: String,
        /// What the system said.
        why: io::Error,
    },
    /// The temporary file of a list that does not fit in memory failed.
    #[error(
        "cannot keep the list in a temporary file in {folder}: {why}; give another folder with --scratch, or raise --max-memory"
    )]
    Scratch {
        /// Its folder.
        folder: String,
        /// What the system said.
        why: io::Error,
    },
    /// The disk has too little room for a list that does not fit in memory.
    #[error(
        "the list needs {} MB of disk in {folder}, and {} MB are free: make room, give another folder with --scratch, or \
         raise --max-memory", needed.div_ceil(1_000_000), free / 1_000_000
    )]
    NoRoom {
        /// The folder for temporary files.
        folder: String,
        /// Bytes that the list takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The byte between fields cannot stand there.
    #[error(
        "the delimiter must be one ASCII character other than a double quote or a line end; \
         name it with --delimiter"
    )]
    Delimiter,
    /// The input holds nothing at all.
    #[error("{file} is empty; a header line with the columns' names is needed")]
    Empty {
        /// The file's name.
        file: String,
    },
    /// The input is something that is not read.
    #[error("{file} is {kind}, not CSV; {advice} and give that file")]
    NotCsv {
        /// The file's name.
        file: String,
        /// What it looks like.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The input is JSON, but not an object a line.
    #[error(
        "{file} is {what}; write one object a line: in pandas with to_json(…, orient=\"records\", lines=True), elsewhere with \
         jq -c '.[]'"
    )]
    NotLines {
        /// The file's name.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// What a compressed file holds is compressed again.
    #[error("{file} is compressed twice; unpack it once and give that file")]
    PackedTwice {
        /// The file's name.
        file: String,
    },
    /// A workbook has not the one sheet that is wanted.
    #[error("{file} {what}; name one behind the file: FILE.xlsx#SHEET")]
    Sheet {
        /// The workbook's name.
        file: String,
        /// Which sheets it has.
        what: String,
    },
    /// A workbook, which this build does not read.
    #[error(
        "{file} is a workbook, and this build reads none: build it with the feature `excel`, or save the sheet as CSV"
    )]
    NoWorkbooks {
        /// The workbook's name.
        file: String,
    },
    /// A row of a sheet has a cell in a column that its header lacks.
    #[error(
        "{place}: a cell lies outside of the header's columns; name its column in the header, or clear it"
    )]
    OutsideHeader {
        /// The row.
        place: Place,
    },
    /// Some bytes are no text.
    #[error(
        "{place}: {what}; save the file as CSV (UTF-8), or convert it, for example with iconv -t UTF-8"
    )]
    NotText {
        /// Where.
        place: Place,
        /// What stands there.
        what: &'static str,
    },
    /// A row has another number of fields than the header.
    #[error(
        "{place}: the number of fields is {got}, and in the header {expected}; \
         quote fields that contain the delimiter, or give another with --delimiter"
    )]
    Width {
        /// Where the row begins.
        place: Place,
        /// Fields in the header.
        expected: usize,
        /// Fields in the row.
        got: usize,
    },
    /// A quoted field never ends.
    #[error("{place}: a quoted field opens here and never closes; close its quote")]
    OpenQuote {
        /// Where it opens.
        place: Place,
    },
    /// A quoted field goes on after its end.
    #[error(
        "{place}: text follows the end of a quoted field; \
         double the quotes inside it, or close it where it should end"
    )]
    TextAfterQuote {
        /// Where the text is.
        place: Place,
    },
    /// A row or a line is longer than what is held of a list in a temporary file.
    #[error(
        "{place}: a row begins here and goes on for more than 64 MiB, the most for a list on disk; \
         close its quote or end its line, or raise --max-memory"
    )]
    TooLong {
        /// Where it begins.
        place: Place,
    },
    /// A line ends with CR alone, in text whose lines end otherwise.
    #[error(
        "{place}: a carriage return (CR) alone ends this line and no other; quote the field that holds it, or end the line \
         as the others"
    )]
    LoneReturn {
        /// Where it is.
        place: Place,
    },
    /// A record batch has other columns than the schema.
    #[error("{file} has a record batch with other columns than its schema; make them the same")]
    OtherColumns {
        /// The table's name.
        file: String,
    },
    /// Values cannot be decoded.
    #[error(
        "{file} cannot be decoded: it is damaged or cut short; write it again, or copy it again"
    )]
    Damaged {
        /// The file's name.
        file: String,
    },
    /// A piece of a file that is decoded at once takes too much memory.
    #[error(
        "{file} has a part that takes {} MB or more at once when it is decoded, and there is less room: raise --max-memory, or \
         write the file in smaller row groups, pages or batches", bytes.div_ceil(1_000_000)
    )]
    TooLarge {
        /// The file's name.
        file: String,
        /// Bytes that the part takes at least.
        bytes: u64,
    },
    /// A file is compressed so that unpacking it takes too much memory.
    #[error(
        "{file} was compressed with a window (zstd --long) of more than {} MB, and unpacking takes as much memory: raise \
         --max-memory, up to 2200MB, or compress it without --long", most >> 20
    )]
    Window {
        /// The file's name.
        file: String,
        /// Bytes that the window may have.
        most: u64,
    },
    /// A column's values are no text, and nothing that has one text.
    #[error(
        "{file}, column {column:?}: {kind} has no text, and keys, values and text files need one; \
         convert the column, leave it out, or write the result to a .parquet or .arrow file"
    )]
    NoText {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
        /// Its type.
        kind: String,
    },
    /// A table's types have no place in the format of the result.
    #[error(
        "{file} cannot be written as {format}: {why}; leave the column out, or give -o a name that ends in .arrow or .arrows"
    )]
    NoPlace {
        /// The table's name.
        file: String,
        /// The result's format.
        format: &'static str,
        /// What the writer says of the types.
        why: io::Error,
    },
    /// A column of JSON objects or arrays was chosen as a key.
    #[error(
        "{place}: a JSON object or array cannot be a key; choose a column of strings or numbers"
    )]
    NestedKey {
        /// Where the first is.
        place: Place,
    },
    /// A line is no JSON object.
    #[error("{place}, byte {byte}: {what}; correct the line: it must be one JSON object, in UTF-8")]
    Json {
        /// The line.
        place: Place,
        /// Where in the line, from 1.
        byte: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// A file uses a part of its format that is not read.
    #[error("{file} cannot be read: {what}; write it with another compression, or as Arrow or CSV")]
    Unsupported {
        /// The file's name.
        file: String,
        /// What is not read.
        what: String,
    },
    /// A column has values that no type has all of.
    #[error(
        "{file}, column {column:?} has {what}, and no type has both; leave it out of the file, or write it as text"
    )]
    NoType {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
        /// What it has.
        what: &'static str,
    },
    /// A file's name says another format than its bytes.
    #[error("{file} is not {named}, as its name says; check what wrote it, or rename it")]
    OtherFormat {
        /// The file's name.
        file: String,
        /// What its name says.
        named: &'static str,
    },
    /// Files that are read together have different columns.
    #[error("{file} differs from {other}: {what}; give files of the same columns together")]
    FilesDiffer {
        /// The file's name.
        file: String,
        /// The first file's name.
        other: String,
        /// What is different.
        what: String,
    },
    /// A folder or a pattern stands for no file.
    #[error("{place}: no file is there; check the name of the folder, or the pattern")]
    NoFiles {
        /// The folder or the pattern.
        place: String,
    },
    /// A pattern of files' names cannot be read.
    #[error("{pattern:?} is not a pattern of file names; use * for any characters, ? for one")]
    Pattern {
        /// The pattern.
        pattern: String,
    },
    /// A column of floating-point numbers was chosen as a key.
    #[error(
        "{file}, column {column:?}: floating-point numbers cannot be keys, because one number has several texts; \
         convert the column to whole numbers or text"
    )]
    FloatKey {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
    },
    /// A column does not exist.
    #[error("{file} has no column {column:?}; {hint}")]
    NoColumn {
        /// The file's name.
        file: String,
        /// The column that was asked for.
        column: String,
        /// The closest names, or all.
        hint: String,
    },
    /// A column's name occurs twice.
    #[error("{file} has {times} columns named {column:?}; give each a name of its own")]
    TwiceNamed {
        /// The file's name.
        file: String,
        /// The name.
        column: String,
        /// How often it occurs.
        times: usize,
    },
    /// A key cannot be read.
    #[error("--key {text:?}: {why}")]
    KeySpec {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A key makes several values of a row where each row has one key.
    #[error(
        "each row has one key here, and ~deletion, ~transposition, ~year and ~minhash make several: they are for intersect; the other generators make one"
    )]
    SeveralMade,
    /// A key has a generator where presets alone make keys.
    #[error(
        "presets alone make the keys of lists that are served, looked up or agreed on: leave out ~ and the generator after it"
    )]
    Generated,
    /// Generators make more values than there is room for.
    #[error(
        "{file}: the generators of the key make more than {most} values of its rows, and there is room for no more: raise \
         --max-memory, or give fewer columns ~deletion, ~transposition or ~minhash"
    )]
    TooManyMade {
        /// The file's name.
        file: String,
        /// How many values there is room for.
        most: usize,
    },
    /// A column was chosen twice, or once by `--key` and once more.
    #[error("{flag} {column:?}: the column is chosen already; name it once")]
    ChosenTwice {
        /// The flag that chose it again.
        flag: &'static str,
        /// The column's name.
        column: String,
    },
    /// A cell of a value column is no decimal number.
    #[error("{place}: {what}; correct the cell, or give another column with {flag}")]
    NotANumber {
        /// The flag that chose the column.
        flag: &'static str,
        /// Where.
        place: Box<Place>,
        /// What stands there, and what should.
        what: &'static str,
    },
    /// A cell has no place in the order of the value to which a condition compares it.
    #[error("{place}: {what}; correct the cell, or compare it with = or != in --where")]
    Unordered {
        /// Where.
        place: Place,
        /// What stands there.
        what: &'static str,
    },
    /// The sums of a column might not fit.
    #[error(
        "{file}, column {column:?}: the amounts add up to more than 2^127 - 1 units of its last \
         decimal place ({scale} digits after the point); write fewer digits after the point, or \
         larger units"
    )]
    SumTooLarge {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
        /// The most digits after a point in the column.
        scale: u32,
    },
    /// The squares of a column, or their sum, might not fit.
    #[error(
        "{file}, column {column:?}: the squares of its amounts for --stats have more than 30 digits after the point, or add up to more \
         than 2^127 - 1 units; write fewer than its {scale} digits after the point, or larger units"
    )]
    SquaresTooLarge {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
        /// The most digits after a point in the column.
        scale: u32,
    },
    /// Values are to be multiplied by more than one column.
    #[error(
        "{file}: the values are multiplied by one column of the other side, not by each of {factors}; run again for the others"
    )]
    ManyFactors {
        /// The file's name.
        file: String,
        /// What they are multiplied by.
        factors: String,
    },
    /// A side gives values and a factor.
    #[error(
        "{column}: the side that gives values gives no factor; behind the * of a value stands the other side's"
    )]
    FactorOfOwner {
        /// The factor.
        column: String,
    },
    /// Squares are asked for of a product.
    #[error(
        "{column}: there is no variance of products with the other side's column; leave out --stats"
    )]
    SquareOfProduct {
        /// The product.
        column: String,
    },
    /// A number of a factor is too large.
    #[error(
        "{file}, column {column:?}: a factor takes 56 bits at most, in units of the column's last decimal place ({scale} digits after the \
         point); write fewer digits after the point, or larger units"
    )]
    FactorTooLarge {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
        /// The most digits after a point in the column.
        scale: u32,
    },
    /// The sum of products might not fit.
    #[error(
        "{file}, column {column:?}: the sum of the products might not fit in 2^127 - 1 units of its last decimal place, as large as the \
         other side's factors can be; write fewer digits after the point, or larger units"
    )]
    ProductsTooLarge {
        /// The file's name.
        file: String,
        /// The product.
        column: String,
    },
    /// The noise on the sum of a column might not fit beside it.
    #[error(
        "{file}, column {column:?}: the sum with its noise might not fit in 2^127 - 1 units of its last decimal place ({scale} digits \
         after the point); write fewer digits after the point, or larger units"
    )]
    NoiseTooLarge {
        /// The file's name.
        file: String,
        /// The column's name.
        column: String,
        /// The most digits after a point in the column.
        scale: u32,
    },
    /// A key is in two groups.
    #[error(
        "{place}: its key is in another group than in {before}; a key can be in one group, so choose other columns with \
         --by, or make them part of the key on both sides"
    )]
    TwoGroups {
        /// Where.
        place: Place,
        /// Where the key stands before that.
        before: Spot,
    },
    /// The names of groups are longer than what a peer takes.
    #[error(
        "{file}: the cells in {columns} are long, and the peer gets those of each group; choose columns with shorter ones with --by"
    )]
    LongGroups {
        /// The file's name.
        file: String,
        /// The columns of groups.
        columns: String,
    },
    /// There are more groups than a run takes.
    #[error(
        "{file}: there are more than {most} groups by {columns}; choose columns with fewer different cells with --by, or say \
         more with --groups, on both sides, up to 1024, or up to 64 where the other side owns the values"
    )]
    ManyGroups {
        /// The file's name.
        file: String,
        /// The columns of groups.
        columns: String,
        /// How many there can be.
        most: usize,
    },
    /// A row's chosen columns, or its label, are more than what is sent.
    #[error(
        "{place}: the chosen columns take more than {most} bytes; \
         choose fewer with --send or --label, or shorten the row's cells"
    )]
    ItemTooLong {
        /// Where the row begins.
        place: Place,
        /// What is sent at most for a row.
        most: usize,
    },
    /// The rows of one key have more to send than goes with a key.
    #[error(
        "{place}: this row is number {rows} of its key, and together they take more than the {most} bytes that go with a key; choose \
         fewer columns with --send, or leave out such keys with --most-per-key, which both sides give"
    )]
    RowsTooLong {
        /// Where the row begins with which they are too long.
        place: Place,
        /// How many rows of its key there are up to it.
        rows: usize,
        /// What is sent at most for a key.
        most: usize,
    },
    /// Rows of one key have different labels.
    #[error(
        "{place}: the key of this row has another label in {first}; give each key one label, such as one cell with all of them"
    )]
    TwoLabels {
        /// The later of them.
        place: Place,
        /// Where the first is.
        first: Spot,
    },
    /// A row's chosen columns hold what no list of text can.
    #[error(
        "{place}: a cell has a zero byte, which a text file cannot hold; remove it, or send other columns"
    )]
    ZeroByte {
        /// The row.
        place: Place,
    },
    /// A column that the output adds exists, or two of its columns would have one name.
    #[error("{what} has a column {column:?}, and {why}; rename it there")]
    NameTaken {
        /// Whose column it is.
        what: String,
        /// Its name.
        column: String,
        /// What else has the name.
        why: &'static str,
    },
    /// A line of a calendar cannot be read.
    #[error("{place}: {what}; correct the line, or export the calendar again")]
    Calendar {
        /// Where.
        place: Place,
        /// What stands there.
        what: &'static str,
    },
    /// A line of a file of preferences is no rule.
    #[error("{place}: {what}; correct the line, or put # before it")]
    Preference {
        /// Where.
        place: Place,
        /// What stands there.
        what: &'static str,
    },
    /// More free slots than can be compared.
    #[error(
        "{count} slots are free, and at most {most} can be compared: search fewer days or hours, or a longer --step"
    )]
    TooManySlots {
        /// How many are free.
        count: usize,
        /// How many may be.
        most: usize,
    },
    /// More rows than a run can index.
    #[error("{file} has more than 4294967294 rows; split it")]
    TooManyRows {
        /// The file's name.
        file: String,
    },
    /// The output exists.
    #[error("{file} exists; give another name with -o, or --force to overwrite it")]
    Exists {
        /// The file's name.
        file: String,
    },
    /// The output is a folder, a device or a pipe.
    #[error("{file} is not an ordinary file; give a file's name with -o, or - for standard output")]
    NotAFile {
        /// The file's name.
        file: String,
    },
    /// The output is the input.
    #[error("{file} is the input; give another name with -o")]
    OutputIsInput {
        /// The file's name.
        file: String,
    },
    /// The output's name ends like no format that rows are written in.
    #[error(
        "{file}: the name's ending is none of .csv, .tsv, .txt, .ndjson, .jsonl, .parquet, .arrow, .feather and .arrows; \
         give another name with -o; without an ending it is CSV"
    )]
    NoFormat {
        /// The file's name.
        file: String,
    },
    /// The disk has too little room for what the result may take.
    #[error(
        "{file}: the result may take {} MB, and {} MB are free there: make room, give a place on another disk with -o, or \
         write the rows to standard output", needed.div_ceil(1_000_000), free / 1_000_000
    )]
    NoRoomForResult {
        /// The file's name.
        file: String,
        /// Bytes that it may take.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The output could not be written; nothing was left behind.
    #[error("cannot write {file}: {}; nothing was written", writing(why))]
    Write {
        /// The file's name.
        file: String,
        /// What the system said.
        why: io::Error,
    },
    /// A place beyond this machine does not take the output.
    #[error(transparent)]
    Sink(SinkError),
}

/// Why reading failed and what to do, as far as the system's word tells.
fn reading(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::NotFound => "there is no such file; check its name and folder".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied; make it readable for your user, or copy it to where it is"
                .to_owned()
        }
        io::ErrorKind::IsADirectory => "it is a folder; give a file in it".to_owned(),
        _ => why.to_string(),
    }
}

/// Why writing failed and what to do, as far as the system's word tells.
fn writing(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "its folder does not exist; make it, or give another name with -o".to_owned()
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "its folder does not let you make files; give another name with -o".to_owned()
        }
        io::ErrorKind::StorageFull => {
            "the disk is full; make room, or give another name with -o".to_owned()
        }
        _ => why.to_string(),
    }
}
