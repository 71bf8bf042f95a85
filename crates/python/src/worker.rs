//! A worker of a cluster: it meets one of the peer's for each piece.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use veilset::cluster::{self, Matched, PieceShape, Ticket};
use veilset::net::Options;
use veilset::party::{KeyError, StoreError};
use veilset::registry::{Reveal, Role, Side};

use crate::bytes::{bits, elements, fixed, of_bits, of_integers, of_words, words};
use crate::error::Failure;

/// How long a worker waits for the peer's.
const DEADLINE: Duration = Duration::from_secs(30);

/// A worker: a port, and a key that lives as long.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Worker(cluster::Worker);

/// Whom to meet, and over what.
#[derive(FromPyObject)]
pub(crate) struct Rendezvous {
    peer: String,
    connect: Option<String>,
    ticket: PyBackedBytes,
    threads: usize,
    max_memory: Option<u64>,
}

impl Rendezvous {
    fn read(self) -> PyResult<cluster::Rendezvous> {
        let key = self.peer.parse().map_err(|error: KeyError| StoreError::Key(error));
        Ok(cluster::Rendezvous {
            peer: key.map_err(Failure::from)?,
            connect: self.connect,
            ticket: Ticket(fixed(&self.ticket)?),
            threads: self.threads,
            max_memory: self.max_memory,
            options: Options { deadline: DEADLINE, ..Options::default() },
        })
    }
}

/// This side's keys in all pieces of an intersection, the peer's, and the number of pieces.
#[derive(FromPyObject)]
pub(crate) struct Sizes(u64, u64, u32);

/// How many values there are, and of how many bits each.
#[derive(FromPyObject)]
pub(crate) struct Values(usize, u32);

#[pymethods]
impl Worker {
    /// Listens on `host`, at the first free port of a range.
    #[new]
    #[pyo3(signature = (host="0.0.0.0", first=0, last=0))]
    fn new(host: &str, first: u16, last: u16) -> Result<Self, Failure> {
        Ok(Self(cluster::Worker::bind(host, first..=last)?))
    }

    #[getter]
    fn port(&self) -> u16 {
        self.0.local_addr().port()
    }

    #[getter]
    fn key(&self) -> String {
        self.0.public_key().to_string()
    }

    /// Which of these elements the peer's piece has too, as numbers (nothing if this side does not learn it), and whether the
    /// peer's elements were distinct.
    #[pyo3(signature = (meeting, own, sizes, *, receiver, both))]
    fn intersect<'py>(
        &self,
        py: Python<'py>,
        meeting: Rendezvous,
        own: &[u8],
        sizes: Sizes,
        receiver: bool,
        both: bool,
    ) -> PyResult<(Option<Bound<'py, PyBytes>>, bool)> {
        let meeting = meeting.read()?;
        let own = elements(own)?;
        let Sizes(count, peer_count, pieces) = sizes;
        let side = Side {
            role: if receiver { Role::Receiver } else { Role::Sender },
            reveal: if both { Reveal::Both } else { Reveal::Receiver },
        };
        let shape = PieceShape { side, count, peer_count, pieces };
        let found = py.detach(|| self.0.intersect(&meeting, &shape, &own));
        Ok(match found.map_err(Failure::from)? {
            Matched::Nothing => (None, true),
            Matched::Places(places) => (Some(of_integers(py, &places)), true),
            Matched::Fault => (None, false),
        })
    }

    /// The values of the peer's elements under both parties' keys.
    fn exchange<'py>(
        &self,
        py: Python<'py>,
        meeting: Rendezvous,
        secret: &[u8],
        own: &[u8],
        shape: Values,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (meeting, secret, own) = (meeting.read()?, fixed(secret)?, elements(own)?);
        let Values(count, bits) = shape;
        let values = py.detach(|| self.0.exchange(&meeting, secret, &own, count, bits));
        Ok(of_words(py, values.map_err(Failure::from)?.into_iter()))
    }

    /// Tells the peer a piece of the values of its own elements.
    fn tell(&self, py: Python<'_>, meeting: Rendezvous, values: &[u8], bits: u32) -> PyResult<()> {
        let (meeting, values) = (meeting.read()?, words(values)?);
        Ok(py.detach(|| self.0.tell(&meeting, values, bits)).map_err(Failure::from)?)
    }

    /// Hears a piece of values, and says which of the queries are among them, and whether none is asked for twice.
    fn hear<'py>(
        &self,
        py: Python<'py>,
        meeting: Rendezvous,
        shape: Values,
        queries: &[u8],
    ) -> PyResult<(Bound<'py, PyBytes>, bool)> {
        let (meeting, queries) = (meeting.read()?, words(queries)?);
        let Values(count, bits) = shape;
        let found = py.detach(|| self.0.hear(&meeting, count, bits, &queries));
        let (found, distinct) = found.map_err(Failure::from)?;
        Ok((of_bits(py, &found), distinct))
    }

    /// Gives the peer masked numbers by its bits; the masks' sums.
    fn give_sums<'py>(
        &self,
        py: Python<'py>,
        meeting: Rendezvous,
        numbers: &[u8],
        columns: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (meeting, numbers) = (meeting.read()?, words(numbers)?);
        let sums = py.detach(|| self.0.give_sums(&meeting, &numbers, columns));
        Ok(of_words(py, sums.map_err(Failure::from)?.into_iter()))
    }

    /// Takes the masked sums over the elements whose bits are set.
    fn take_sums<'py>(
        &self,
        py: Python<'py>,
        meeting: Rendezvous,
        chosen: &[u8],
        columns: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (meeting, chosen) = (meeting.read()?, bits(chosen));
        let sums = py.detach(|| self.0.take_sums(&meeting, &chosen, columns));
        Ok(of_words(py, sums.map_err(Failure::from)?.into_iter()))
    }

    /// Gives the peer rows by its bits.
    fn give_items(
        &self,
        py: Python<'_>,
        meeting: Rendezvous,
        items: PyBackedBytes,
        width: usize,
    ) -> PyResult<()> {
        let meeting = meeting.read()?;
        Ok(py.detach(|| self.0.give_items(&meeting, &items, width)).map_err(Failure::from)?)
    }

    /// Takes the rows whose bits are not set.
    fn take_items<'py>(
        &self,
        py: Python<'py>,
        meeting: Rendezvous,
        chosen: &[u8],
        width: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (meeting, chosen) = (meeting.read()?, bits(chosen));
        let items = py.detach(|| self.0.take_items(&meeting, &chosen, width));
        Ok(PyBytes::new(py, &items.map_err(Failure::from)?))
    }
}
