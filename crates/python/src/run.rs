//! Runs, between two machines and in this process.

use std::thread;

use pyo3::prelude::*;
use veilset::data::{Destination, ID_COLUMN};
use veilset::net::Options;
use veilset::policy::{ReceiptError, SignedReceipt};
use veilset::registry::Silent;
use veilset::tongues::admap::{COLUMNS, Mapped, Mapping};
use veilset::{Connection, Done, Input, Job, JoinedRows, Resources, json};

use crate::attend::{Answer, Caller, Reporter, attend};
use crate::error::Failure;
use crate::list::List;
use crate::order::Order;
use crate::party::Party;
use crate::peer::{Others, Way};
use crate::stop::Stop;
use crate::stream::Batches;

/// A complete run, and the list that it was about.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Run {
    done: Done,
    input: Input,
    /// The result in ADMAP's form, where it is to have that.
    mapping: Option<Mapping>,
}

#[pymethods]
impl Run {
    /// What the command line prints with ``--json``.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| json::of_run(&self.done, &self.input).to_string())
    }

    /// The numbers of the rows that match, or of those that a join has, each once for each row that it matches; nothing if the result
    /// is something else.
    fn rows(&self, py: Python<'_>) -> Result<Option<Batches>, Failure> {
        py.detach(|| {
            if let Some(joined) = self.done.joined_rows(&self.input)? {
                return Ok(Some(Batches::of_rows(joined.rows.into_iter())));
            }
            Ok(self.done.rows(&self.input).map(Batches::of_rows))
        })
    }

    /// The rows of the list that stand in the result: those that match, or all; nothing if it has none of them.
    fn own_rows(&self, py: Python<'_>) -> Result<Option<Batches>, Failure> {
        py.detach(|| {
            let table = self.input.table();
            if let Some(mut joined) = self.done.joined_rows(&self.input)? {
                joined.rows.dedup();
                let taken = table.take(joined.rows.into_iter())?;
                return Ok(Some(Batches::new(table.schema(), taken)));
            }
            let taken = match (self.done.rows(&self.input), self.done.received()) {
                (Some(rows), _) => table.take(rows)?,
                (None, Some(_)) => table.take(0..table.rows())?,
                (None, None) => return Ok(None),
            };
            Ok(Some(Batches::new(table.schema(), taken)))
        })
    }

    /// The columns beside these rows, as text: their labels, or the keys by which they match and what the peer sent; nothing if there
    /// is none.
    fn beside(&self, py: Python<'_>) -> Result<Option<Batches>, Failure> {
        py.detach(|| {
            if let Some(JoinedRows { names, columns, .. }) = self.done.joined_rows(&self.input)? {
                let cells = columns.iter().map(|cells| cells.iter().map(Option::as_deref));
                let columns = names.iter().map(String::as_str).zip(cells);
                return Ok((!names.is_empty()).then(|| Batches::of_text(columns)));
            }
            let Some((column, texts)) = self.done.beside(&self.input) else { return Ok(None) };
            Ok(Some(Batches::of_text([(column, texts.iter().map(|text| Some(&**text)))])))
        })
    }

    /// The rows of a union that the peer alone has, as text.
    fn received(&self, py: Python<'_>) -> Option<Batches> {
        py.detach(|| {
            let (names, rows) = self.done.received_rows(&self.input)?;
            let cells = |column: usize| rows.iter().map(move |row| Some(row[column].as_str()));
            Some(Batches::of_text(names.iter().enumerate().map(|(i, name)| (&**name, cells(i)))))
        })
    }

    /// The identifiers of an alignment: one for each row, and those that the peer alone has.
    fn identifiers(&self, py: Python<'_>) -> Option<(Batches, Batches)> {
        py.detach(|| {
            let (own, others) = self.done.identifiers(&self.input)?;
            let own = own.iter().map(Option::as_deref);
            let others = others.iter().map(|id| Some(id.as_str()));
            Some((Batches::of_text([(ID_COLUMN, own)]), Batches::of_text([(ID_COLUMN, others)])))
        })
    }

    /// The table of ADMAP, as text, where the result is to have that form.
    fn mapping(&self, py: Python<'_>) -> Option<Batches> {
        let Mapping { space, rows } = self.mapping.as_ref()?;
        py.detach(|| {
            let cells = |column: usize| {
                rows.iter().map(move |Mapped { key_value, id }| {
                    Some([key_value, id, space][column].as_str())
                })
            };
            let columns = COLUMNS.iter().enumerate();
            Some(Batches::of_text(columns.map(|(place, name)| (*name, cells(place)))))
        })
    }

    /// What both sides signed, as the file of a receipt; nothing where the way to the peer has no keys.
    fn receipt(&self) -> Option<String> {
        let receipt = self.done.report.receipt.as_ref()?;
        String::from_utf8(SignedReceipt::of(receipt).to_bytes()).ok()
    }

    /// This side's shares.
    fn shares(&self, py: Python<'_>) -> Option<Batches> {
        py.detach(|| self.done.shares(&self.input).map(|shares| Batches::of_shares(&shares)))
    }
}

/// Meets the peer, agrees with it, and runs.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    party: &Bound<'_, Party>,
    way: Way,
    order: Order,
    list: List,
    caller: Caller,
    stop: &Bound<'_, Stop>,
) -> PyResult<Run> {
    let (party, stop) = (party.get(), stop.get());
    attend(py, &caller, stop, |reporter| {
        order.job(way.names()?)?;
        let others = Others::find(party, &way, stop)?;
        let destination = order.destination(&list.source())?;
        let job = order.governed(party, &others)?;
        let input = order.input(list, reporter)?;
        job.check_list(&input)?;
        if let Some(destination) = &destination {
            order.prepare(destination, &input)?;
        }
        let to = destination.as_ref();
        let done = take_part(&order, job, others.meet(reporter)?, &input, to, reporter)?;
        let mapping = order.mapping(&done, &input)?;
        if let Some(destination) = &destination {
            order.deliver(destination, &|to| match &mapping {
                Some(mapping) => mapping.write(&input, to),
                None => done.write(&input, to),
            })?;
        }
        Ok(Run { done, input, mapping })
    })
}

/// Verifies that both parties signed the receipt in this file.
#[pyfunction]
pub(crate) fn verify_receipt(file: &[u8]) -> PyResult<()> {
    let verified = SignedReceipt::read(file).and_then(|receipt| receipt.verify());
    Ok(verified.map_err(|why| match why {
        ReceiptError::Malformed(_) => Failure::Argument(why.to_string()),
        ReceiptError::Unsigned(_) | ReceiptError::Wrong(_) => Failure::Unverified(why.to_string()),
    })?)
}

/// What one of two parties in this process wants, and its list.
#[derive(FromPyObject)]
pub(crate) struct LocalParty(Order, List);

/// Runs both sides in this process, over TLS on loopback; the first of them is `a`, whose run tells how far it is.
#[pyfunction]
pub(crate) fn run_local(
    py: Python<'_>,
    a: LocalParty,
    b: LocalParty,
    caller: Caller,
    stop: &Bound<'_, Stop>,
) -> PyResult<(Run, Run)> {
    let stop = stop.get();
    let (LocalParty(order_a, a), LocalParty(order_b, b)) = (a, b);
    attend(py, &caller, stop, |reporter| {
        let jobs = (order_a.job(vec!["b".to_owned()])?, order_b.job(vec!["a".to_owned()])?);
        let inputs = (order_a.input(a, reporter)?, order_b.input(b, reporter)?);
        let options: Options = stop.options();
        let (here, there) = Connection::pair(&options)?;
        let (a, b) = thread::scope(|scope| {
            let other = scope.spawn(|| {
                let ready = jobs.1.offer(there, &inputs.1)?;
                let resources = Resources { threads: order_b.threads(), observer: &Silent };
                Ok::<_, Failure>(ready.run(&inputs.1, &resources)?)
            });
            let here = take_part(&order_a, jobs.0, here, &inputs.0, None, reporter);
            (here, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        // The side that found the reason says it; the other only hears of an end.
        let run = |done, input| Run { done, input, mapping: None };
        Ok((run(a?, inputs.0), run(b?, inputs.1)))
    })
}

pub(crate) fn take_part(
    order: &Order,
    job: Job,
    connection: Connection,
    input: &Input,
    destination: Option<&Destination>,
    reporter: &Reporter,
) -> Result<Done, Failure> {
    let mut ready = job.offer(connection, input)?;
    if let Some(destination) = destination {
        ready = ready.prepare(input, destination)?;
    }
    match reporter.confirm(ready.briefing(), &input.warnings()) {
        Answer::Nobody => {}
        Answer::Yes => ready.accept(),
        Answer::No => {
            ready.decline();
            return Err(Failure::Declined);
        }
    }
    Ok(ready.run(input, &Resources { threads: order.threads(), observer: reporter })?)
}
