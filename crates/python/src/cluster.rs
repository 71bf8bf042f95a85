//! What drivers and workers of a cluster are made of; all data crosses as bytes, which a cluster can carry.

use std::time::SystemTime;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use veilset::cluster::{self, Cut, ListColumns, Merged, Slicing};
use veilset::data::{KeySpec, Scratch, Table, Warning};
use veilset::json;
use veilset::policy::Policy;

use crate::attend::{Caller, attend};
use crate::bytes::{elements, fixed, of_elements, of_integers, of_words, words};
use crate::error::Failure;
use crate::list::List;
use crate::order;
use crate::party::Party;
use crate::peer::{Others, Way};
use crate::stop::Stop;
use crate::stream::Batches;

/// The connection between two drivers.
#[pyclass(frozen, module = "veilset", name = "Link")]
pub(crate) struct DriverConnection {
    connection: cluster::DriverConnection,
    #[pyo3(get)]
    connecting: bool,
    /// How long the peer may take to send its terms, and then to consent, in seconds.
    #[pyo3(get)]
    deadline: f64,
}

#[pymethods]
impl DriverConnection {
    /// Meets the peer's driver.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        party: &Bound<'_, Party>,
        way: Way,
        caller: Caller,
        stop: &Bound<'_, Stop>,
    ) -> PyResult<Self> {
        let (party, stop) = (party.get(), stop.get());
        let (connecting, deadline) = (way.connects(), way.deadline()?.as_secs_f64());
        attend(py, &caller, stop, |reporter| {
            // Nothing that a cluster does is checked against rules, or in the ledger.
            if Policy::of_home(party.at())?.is_some() {
                return Err(Failure::Ungoverned);
            }
            let connection = Others::find(party, &way, stop)?.connection(reporter)?;
            Ok(Self { connection, connecting, deadline })
        })
    }

    /// What both ends of this connection have, and no other connection.
    #[getter]
    fn session<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.connection.session())
    }

    /// The same for the values under a further key.
    fn session_of<'py>(&self, py: Python<'py>, key: u32) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.connection.session_of(key))
    }

    /// An id of the run for records, the same on both sides.
    #[getter]
    fn run(&self) -> String {
        self.connection.run()
    }

    /// The peer's key, which it proved.
    #[getter]
    fn peer(&self) -> String {
        self.connection.peer().to_string()
    }

    /// Sends a message.
    fn send(&self, py: Python<'_>, message: PyBackedBytes) -> Result<(), Failure> {
        if message.len() > cluster::MAX_MESSAGE {
            let most = cluster::MAX_MESSAGE;
            return Err(Failure::Argument(format!("a message has at most {most} bytes")));
        }
        py.detach(|| Ok(self.connection.send(message.to_vec())?))
    }

    /// Waits for the next message.
    fn receive<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failure> {
        let message = py.detach(|| self.connection.receive())?;
        Ok(PyBytes::new(py, &message))
    }

    /// Says that no more comes, and waits a while until the peer has everything.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.connection.close());
    }
}

/// The presets of a key with their versions, as terms have them.
#[pyfunction]
pub(crate) fn presets(key: &str) -> Result<String, Failure> {
    Ok(key.parse::<KeySpec>()?.canonical())
}

/// The code and text of what to say where no key of sets of these sizes matches, if anything.
#[pyfunction]
pub(crate) fn no_match(distinct: u64, peer_distinct: u64) -> Option<(&'static str, String)> {
    let warning = veilset::no_match(&[distinct, peer_distinct])?;
    Some((warning.code.name(), warning.text))
}

/// The column that a condition on rows compares.
#[pyfunction]
pub(crate) fn condition_column(text: &str) -> Result<String, Failure> {
    Ok(order::condition(text)?.column().to_owned())
}

/// A size such as `500MB` in bytes.
#[pyfunction]
pub(crate) fn memory(text: &str) -> Result<u64, Failure> {
    order::bytes(text)
}

/// What every report begins with: the version of its form, that of the program, and the time.
#[pyfunction]
pub(crate) fn heading() -> String {
    json::versioned(serde_json::json!({ "time": json::time(SystemTime::now()) })).to_string()
}

/// Bits of the values of a whole run over sets of these sizes.
#[pyfunction]
pub(crate) fn value_bits(sender: u64, receiver: u64) -> u32 {
    cluster::value_bits(sender, receiver)
}

/// The most elements that a piece of an intersection can have.
#[pyfunction]
pub(crate) fn capacity(count: u64, pieces: u32) -> u64 {
    cluster::capacity(count, pieces)
}

/// A key with its presets, and whether placeholders are keys.
#[derive(FromPyObject)]
pub(crate) struct Key(String, bool);

/// A code, what it says of rows, and of how many.
type Warned = (&'static str, String, usize);

type Scanned = (usize, usize, usize, usize, Vec<(u32, u128)>, usize, Vec<Warned>);

fn spec(key: Key) -> Result<KeySpec, Failure> {
    let Key(key, keep_placeholders) = key;
    Ok(key.parse::<KeySpec>()?.keeping_placeholders(keep_placeholders))
}

/// Looks at a block: its rows, those without a key because it is empty, a placeholder or unreadable, for each value column
/// its decimal places and the sum of magnitudes, the length of the longest row to send, and what is to be known of it.
#[pyfunction]
pub(crate) fn scan(
    py: Python<'_>,
    block: List,
    key: Key,
    values: Vec<String>,
    send: Option<Vec<String>>,
) -> Result<Scanned, Failure> {
    let wanted = ListColumns { key: spec(key)?, values, send };
    let scan = py.detach(|| Ok::<_, Failure>(cluster::scan(read(block)?, &wanted)?))?;
    let warned = |warning: Warning| {
        let (_, what) = warning.text.split_once(": ").unwrap_or_default();
        (warning.code.name(), what.to_owned(), warning.rows.unwrap_or_default())
    };
    Ok((
        scan.rows,
        scan.null_rows,
        scan.placeholder_rows,
        scan.invalid_rows,
        scan.columns,
        scan.width,
        scan.warnings.into_iter().map(warned).collect(),
    ))
}

/// A block, which is in memory.
fn read(block: List) -> Result<Table, Failure> {
    block.table(None, &Scratch::default(), drop)
}

/// The elements of a piece, rows that carry them, which each carries, numbers and rows to send.
type Part<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// How a list falls into pieces.
#[derive(FromPyObject)]
pub(crate) struct Slices {
    session: PyBackedBytes,
    secret: Option<PyBackedBytes>,
    pieces: u32,
    scales: Vec<u32>,
    width: usize,
}

/// Cuts a block into pieces; `left` has a byte for each row, 0 for one that takes no part.
#[pyfunction]
#[pyo3(signature = (block, key, values, send, slices, left))]
pub(crate) fn cut<'py>(
    py: Python<'py>,
    block: List,
    key: Key,
    values: Vec<String>,
    send: Option<Vec<String>>,
    slices: Slices,
    left: Option<PyBackedBytes>,
) -> PyResult<Vec<Part<'py>>> {
    if !slices.pieces.is_power_of_two() {
        return Err(PyValueError::new_err("pieces is a power of two"));
    }
    let wanted = ListColumns { key: spec(key)?, values, send };
    let session = fixed(&slices.session)?;
    let secret = slices.secret.as_deref().map(fixed).transpose()?;
    let cuts = py.detach(|| {
        let slicing = Slicing {
            session: &session,
            secret: secret.as_ref(),
            pieces: slices.pieces,
            scales: &slices.scales,
            width: slices.width,
        };
        let takes_part = |row: usize| left.as_ref().is_none_or(|left| left.get(row) != Some(&0));
        Ok::<_, Failure>(cluster::cut(read(block)?, &wanted, &slicing, takes_part)?)
    })?;
    let part = |cut: &Cut| {
        (
            of_elements(py, &cut.elements),
            of_integers(py, &cut.rows),
            of_integers(py, &cut.elements_of_rows),
            of_words(py, cut.words.iter().map(|word| *word as u128)),
            PyBytes::new(py, &cut.items),
        )
    };
    Ok(cuts.iter().map(part).collect())
}

/// The elements of a piece of all blocks, their numbers and rows to send, and where each block's elements are among them.
type Piece<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>);

/// Makes one piece of the elements, numbers and rows to send that each block has of it; `order` shuffles it.
#[pyfunction]
#[pyo3(signature = (parts, columns, width, order))]
pub(crate) fn merge<'py>(
    py: Python<'py>,
    parts: Vec<(PyBackedBytes, PyBackedBytes, PyBackedBytes)>,
    columns: usize,
    width: usize,
    order: Option<PyBackedBytes>,
) -> PyResult<Piece<'py>> {
    let order = order.as_deref().map(fixed).transpose()?;
    let cut = |(own, numbers, items): &(PyBackedBytes, PyBackedBytes, PyBackedBytes)| {
        let own = elements(own)?;
        let numbers: Vec<i128> = words(numbers)?.iter().map(|word| *word as i128).collect();
        if numbers.len() != own.len() * columns || items.len() != own.len() * width {
            return Err(PyValueError::new_err("parts of other columns or another width"));
        }
        let (numbers, items) = (numbers.into(), items.to_vec().into());
        Ok(Cut { elements: own, words: numbers, items, ..Cut::default() })
    };
    let parts = parts.iter().map(cut).collect::<PyResult<Vec<_>>>()?;
    let Merged { cut, places } = py.detach(|| cluster::merge(&parts, columns, width, order));
    Ok((
        of_elements(py, &cut.elements),
        of_words(py, cut.words.iter().map(|word| *word as u128)),
        PyBytes::new(py, &cut.items),
        places.iter().map(|places| of_integers(py, places)).collect(),
    ))
}

/// Values by piece, without the bits that say which, each with its place among all.
#[pyfunction]
pub(crate) fn split<'py>(
    py: Python<'py>,
    values: &[u8],
    pieces: u32,
) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
    if !pieces.is_power_of_two() {
        return Err(PyValueError::new_err("pieces is a power of two"));
    }
    let split = cluster::split(&words(values)?, pieces);
    let of_piece = |(values, places): &(Vec<u128>, Vec<u32>)| {
        (of_words(py, values.iter().copied()), of_integers(py, places))
    };
    Ok(split.iter().map(of_piece).collect())
}

/// The rows in items that the peer sent, as text.
#[pyfunction]
pub(crate) fn rows_of_items(
    items: &[u8],
    width: usize,
    columns: Vec<String>,
) -> Result<Batches, Failure> {
    let rows = cluster::rows_of_items(items, width, columns.len())?;
    let cells = |column: usize| rows.iter().map(move |row| Some(row[column].as_str()));
    Ok(Batches::of_text(columns.iter().enumerate().map(|(i, name)| (&**name, cells(i)))))
}
