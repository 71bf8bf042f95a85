//! What a call comes to.

use serde_json::{Value, json};
use veilset::invitation::InvitationError;

/// An answer: JSON, and bytes beside it.
#[derive(Debug, Default)]
pub struct Answer {
    /// What is answered.
    pub value: Value,
    /// What comes with it, such as a file.
    pub bytes: Vec<u8>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self { value, bytes: Vec::new() }
    }
}

/// Why there is no answer, and what to do.
#[derive(Debug)]
pub struct Refusal {
    message: String,
    next: Option<String>,
}

impl Refusal {
    /// What a user is told.
    pub(crate) fn of(message: impl Into<String>) -> Self {
        Self { message: message.into(), next: None }
    }

    /// With what to do.
    pub(crate) fn next(self, next: &str) -> Self {
        Self { next: Some(next.to_owned()), ..self }
    }

    /// As a page has it.
    #[must_use]
    pub fn object(&self) -> Value {
        json!({ "message": self.message, "next": self.next })
    }
}

impl<E: Into<veilset::Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::of(error.into().to_string())
    }
}

/// The refusal of an invitation.
pub(crate) fn uninvited(error: &InvitationError) -> Refusal {
    Refusal::of(error.to_string())
}

/// A text among arguments, if it is there.
pub(crate) fn text<'a>(args: &'a Value, name: &str) -> Option<&'a str> {
    args.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A text that must be there.
pub(crate) fn needed<'a>(args: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    text(args, name).ok_or_else(|| Refusal::of(format!("{name} is missing")))
}

/// Texts: one, several, or none.
pub(crate) fn texts(args: &Value, name: &str) -> Vec<String> {
    match args.get(name) {
        Some(Value::String(text)) if !text.is_empty() => vec![text.clone()],
        Some(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The number by which a list or a run is known.
pub(crate) fn number(args: &Value, name: &str) -> Result<u64, Refusal> {
    let number = args.get(name).and_then(Value::as_u64);
    number.ok_or_else(|| Refusal::of(format!("{name} is missing")))
}
