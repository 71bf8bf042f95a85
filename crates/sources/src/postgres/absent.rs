//! Databases, in a build that reaches none.

use std::io::Write;

use super::QueryError;

/// Refuses, for this build reaches no databases.
///
/// # Errors
/// Always.
pub fn query(_address: &str, _query: &str, _out: &mut dyn Write) -> Result<String, QueryError> {
    Err(QueryError::Absent)
}
