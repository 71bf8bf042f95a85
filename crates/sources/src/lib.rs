//! Lists from beyond this machine: a small file from the web ([`fetch`]), the rows that a database answers ([`query`]),
//! and the objects of a store in the cloud ([`objects`]), which take results, too ([`NewObject`]).
//!
//! Each is a feature (`web`, `postgres`, `objects`); without it the same functions refuse, and say what to build.
//! Everything here blocks; the asynchronous machinery stays inside.

mod object;
mod postgres;
mod web;

pub use object::{Arrival, NewObject, ObjectError, is_object, objects};
pub use postgres::{QueryError, is_database, query};
pub use web::{FetchError, fetch, is_url};
