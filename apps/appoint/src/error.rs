//! Why the program ends, and why the page shows an error beside one of its fields.

use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};
use veilset::data::DataError;
use veilset::exit_code;
use veilset::meeting::{Difference, Said, differences};
use veilset::net::NetError;
use veilset::party::StoreError;

/// Why the program ends before its user closed the page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// From the facade.
    #[error(transparent)]
    Facade(#[from] veilset::Error),
    /// The page cannot be shown.
    #[error(
        "cannot open a page on this machine: {0}; give another port with --port, or leave it out"
    )]
    Page(io::Error),
    /// The manual or the completions cannot be written.
    #[error("cannot write the manual into {}: {why}", folder.display())]
    Reference {
        /// The folder they were to be in.
        folder: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// There is no browser to start.
    #[error("cannot start a browser: {0}; leave out --open, and copy the address into one")]
    Open(io::Error),
}

impl Failure {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Facade(error) => error.exit_code(),
            Self::Page(_) | Self::Open(_) | Self::Reference { .. } => exit_code::INPUT,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Facade(error.into())
    }
}

/// What is wrong with a field, in words for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The field's place on the page.
    pub(crate) field: &'static str,
    pub(crate) why: String,
    /// Further fields, each with what is wrong with it.
    marks: Vec<(&'static str, String)>,
}

impl Refusal {
    pub(crate) fn new(field: &'static str, why: impl ToString) -> Self {
        Self { field, why: why.to_string(), marks: Vec::new() }
    }

    /// What the two sides do not say alike: at its field, as far as the page has one.
    fn of_differences(differences: Vec<Difference>) -> Self {
        let mut why =
            "You two do not say the same. Agree on it, and search again together.".to_owned();
        let mut marks = Vec::new();
        for Difference { said, name, mine, theirs } in differences {
            let field = said.map(|said| match said {
                Said::Length => "length",
                Said::Dates => "dates",
                Said::Step => "step",
                Said::Scheme => "scheme",
            });
            match field {
                Some(field) => {
                    marks.push((field, format!("You say {mine}, the other side says {theirs}.")));
                }
                None => {
                    why.push_str(&format!(" Here {name} is {mine}, on the other side {theirs}."));
                }
            }
        }
        Self { field: "run", why, marks }
    }

    /// For the page.
    pub(crate) fn json(&self) -> Value {
        let mark = |(field, why): &(&str, String)| json!({ "field": field, "error": why });
        let marks: Vec<Value> = self.marks.iter().map(mark).collect();
        json!({ "field": self.field, "error": self.why, "marks": marks })
    }
}

/// An error of a calendar or of preferences.
impl From<DataError> for Refusal {
    fn from(error: DataError) -> Self {
        let field = match &error {
            DataError::Preference { .. } => "prefer",
            DataError::TooManySlots { .. } => "dates",
            _ => "calendar",
        };
        Self::new(field, error)
    }
}

/// An error of a run.
impl From<veilset::Error> for Refusal {
    fn from(error: veilset::Error) -> Self {
        let differences = differences(&error);
        if !differences.is_empty() {
            return Self::of_differences(differences);
        }
        let field = match &error {
            veilset::Error::Data(_) | veilset::Error::Fetch(_) => "calendar",
            veilset::Error::Net(
                NetError::Address { .. } | NetError::Relay { .. } | NetError::Listen { .. },
            ) => "address",
            veilset::Error::Store(_) | veilset::Error::Net(NetError::OwnKey) => "peer",
            _ => "run",
        };
        Self::new(field, error)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::new("peer", error)
    }
}
