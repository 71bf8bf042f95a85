//! Rows of a PostgreSQL database, as CSV.

use std::io;

#[cfg(not(feature = "postgres"))]
mod absent;
#[cfg(feature = "postgres")]
mod passfile;
#[cfg(feature = "postgres")]
mod rows;

#[cfg(not(feature = "postgres"))]
pub use absent::query;
#[cfg(feature = "postgres")]
pub use rows::query;

/// Why there are no rows. None of these holds more of an address than its host, nor anything of the rows.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The program was built without what reaches databases.
    #[error(
        "this build reaches no databases: build it with the feature `postgres`, or save the answer as a file"
    )]
    Absent,
    /// The address does not parse.
    #[error(
        "this is no address of a database; write postgresql://USER@HOST:PORT/DATABASE, and behind it, if you need it, \
         ?sslmode=disable, prefer or require"
    )]
    Address,
    /// The address holds a password.
    #[error(
        "the address holds a password, which other users of this machine can see; leave it out, and give it in \
         PGPASSWORD or ~/.pgpass"
    )]
    Password,
    /// An address without a query.
    #[error("a database needs a query: --query 'select … from …'")]
    NoQuery,
    /// A query without an address.
    #[error(
        "--query is for a database: give its address, postgresql://USER@HOST/DATABASE, in place of a file"
    )]
    NotADatabase,
    /// The server was not reached, or broke off.
    #[error(
        "cannot reach the database at {host}: {why}; check the address, and whether the server takes connections"
    )]
    Unreachable {
        /// The host.
        host: String,
        /// What the system says.
        why: String,
    },
    /// The server refused the user.
    #[error(
        "the database at {host} refuses the login: {why}; check the user, and PGPASSWORD or ~/.pgpass"
    )]
    Refused {
        /// The host.
        host: String,
        /// What the server says.
        why: String,
    },
    /// The server did not take or complete the query.
    #[error("the database at {host} says: {why}; correct the query in --query")]
    Query {
        /// The host.
        host: String,
        /// What the server says.
        why: String,
    },
    /// The rows came, and could not be kept.
    #[error("the rows cannot be kept: {0}")]
    Unkept(io::Error),
}

impl QueryError {
    /// Whether the network is at fault, and neither the address nor the query.
    #[must_use]
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}

/// Whether `text` is meant to be the address of a PostgreSQL database.
#[must_use]
pub fn is_database(text: &str) -> bool {
    ["postgresql://", "postgres://"].iter().any(|scheme| text.starts_with(scheme))
}
