//! Lookups in a list that somebody serves.

use std::path::PathBuf;

use pyo3::prelude::*;
use veilset::data::{Destination, KeySpec, LABEL_COLUMN};
use veilset::lookup::{LookedUp, LookupInput, Server, Takes, Visitor, look_up};
use veilset::net::Options;
use veilset::{Input, json, units};

use crate::attend::{Caller, Reporter, attend};
use crate::error::Failure;
use crate::list::List;
use crate::order::{delimiter, destination, scratch};
use crate::party::Party;
use crate::peer::Way;
use crate::stop::Stop;
use crate::stream::Batches;

/// The attributes of a question about items or a list.
#[derive(FromPyObject)]
pub(crate) struct Inquiry {
    items: Vec<String>,
    key: String,
    keep_placeholders: bool,
    new_list: bool,
    max_list: String,
    delimiter: Option<String>,
    max_memory: Option<String>,
    scratch: Option<PathBuf>,
    output: Option<String>,
    force: bool,
}

/// What a lookup found.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Answers {
    found: LookedUp,
    peer: String,
    items: Vec<String>,
}

#[pymethods]
impl Answers {
    /// What the command line prints with ``--json``.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| json::of_lookup(&self.found, &self.peer, &self.items).to_string())
    }

    /// How many rows or items are listed.
    fn count(&self) -> usize {
        self.found.listed().count()
    }

    /// What is to be known of the rows that were looked up: code, text, rows.
    fn warnings(&self) -> Vec<(&'static str, String, Option<usize>)> {
        let warnings = self.found.warnings().into_iter();
        warnings.map(|warning| (warning.code.name(), warning.text, warning.rows)).collect()
    }

    /// Who learned what.
    fn learned(&self) -> String {
        self.found.learned(&self.peer)
    }

    /// The numbers of the rows that are listed.
    fn rows(&self, py: Python<'_>) -> Option<Batches> {
        py.detach(|| Some(Batches::of_rows(self.found.listed().map(|(row, _)| row))))
    }

    /// The rows of the list that are listed.
    fn own_rows(&self, py: Python<'_>) -> Result<Option<Batches>, Failure> {
        py.detach(|| {
            let table = self.found.input.table();
            let taken = table.take(self.found.listed().map(|(row, _)| row))?;
            Ok(Some(Batches::new(table.schema(), taken)))
        })
    }

    /// Their labels; nothing if the list has none.
    fn beside(&self, py: Python<'_>) -> Option<Batches> {
        let labels = || self.found.listed().map(|(_, label)| label);
        let labelled = self.found.manifest.labelled();
        py.detach(|| labelled.then(|| Batches::of_text([(LABEL_COLUMN, labels())])))
    }
}

/// Asks the service that the way leads to.
#[pyfunction]
pub(crate) fn lookup(
    py: Python<'_>,
    party: &Bound<'_, Party>,
    way: Way,
    inquiry: Inquiry,
    list: Option<List>,
    caller: Caller,
    stop: &Bound<'_, Stop>,
) -> PyResult<Answers> {
    let (party, stop) = (party.get(), stop.get());
    attend(py, &caller, stop, |reporter| {
        let endpoint = way.ends().to_service(&way.one()?)?;
        let takes = inquiry.takes()?;
        let destination = inquiry.destination(list.as_ref())?;
        let options = Options { deadline: way.deadline()?, ..stop.options() };
        let peer = party.peer(&way.one()?.name)?;
        let sought = inquiry.sought(list, destination.clone(), reporter)?;
        let (identity, tell) = (party.identity()?, |event| reporter.tell(&event));
        let visitor = Visitor {
            home: party.at(),
            identity: &identity,
            options: &options,
            events: &tell,
            observer: reporter,
        };
        let server = Server { peer: &peer, endpoint: &endpoint };
        let found = look_up(&visitor, server, sought, takes)?;
        if let Some(destination) = &destination {
            let scratch = scratch(inquiry.scratch.as_ref(), None)?;
            veilset::deliver(destination, &scratch, &|_, _| false, &|to| found.write(to))?;
        }
        Ok(Answers { found, peer: peer.name, items: inquiry.items })
    })
}

impl Inquiry {
    fn takes(&self) -> Result<Takes, Failure> {
        let most = units::bytes(&self.max_list).map_err(Failure::Argument)?;
        let max_memory = self.max_memory.as_deref().map(units::bytes).transpose();
        Ok(Takes { most, new_list: self.new_list }.within(max_memory.map_err(Failure::Argument)?))
    }

    fn destination(&self, list: Option<&List>) -> Result<Option<Destination>, Failure> {
        let Some(output) = &self.output else { return Ok(None) };
        let Some(list) = list else {
            return Err(Failure::Argument("output= is for the rows of a table".to_owned()));
        };
        let destination = destination(output, self.force)?;
        destination.check(&list.source())?;
        Ok(Some(destination))
    }

    fn sought(
        &self,
        list: Option<List>,
        destination: Option<Destination>,
        reporter: &Reporter,
    ) -> Result<LookupInput, Failure> {
        let Some(list) = list else { return Ok(LookupInput::Items(self.items.clone())) };
        let spec = self.key.parse::<KeySpec>()?.keeping_placeholders(self.keep_placeholders);
        let delimiter = delimiter(self.delimiter.as_deref())?;
        let scratch = scratch(self.scratch.as_ref(), self.max_memory.as_deref())?;
        let input = Input::of(list.table(delimiter, &scratch, |line| reporter.say(line))?, &spec)?;
        if let Some(destination) = &destination {
            destination.prepare(input.table())?;
        }
        Ok(LookupInput::List(Box::new(input), destination))
    }
}
