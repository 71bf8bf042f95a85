//! A private lookup service: one party serves a list, many others ask whether an item is on it, and what its label says.
//!
//! The server never learns what was asked; a client learns of the items that it asked for, and how many there are in all.
//! The engine, [`OprfFilter`], is the one of contact discovery and of password checks: the server publishes once a
//! compact set of its masked items, and evaluates an oblivious pseudorandom function for each question (Kales,
//! Rechberger, Schneider, Senker and Weinert, "Mobile Private Contact Discovery at Scale", USENIX Security 2019, which
//! cites the line of work back to Jarecki and Liu 2009; the function is RFC 9497's).
//!
//! | stage | type |
//! |---|---|
//! | build once, change item by item | [`List`], in a file: [`ListFile`] |
//! | publish | [`OprfFilter`], an [`Engine`]: signed [`Manifest`], the set, its changes |
//! | serve many | [`LookupService`] on [`veilset_net::Listener::serve`]: keys, [`Quota`], [`Metrics`] |
//! | look up | [`Client`], with a [`Filter`] that it keeps, and what it has [`Seen`] |

mod change;
mod client;
mod disk;
mod encrypted;
mod engine;
mod error;
mod file;
mod filter;
mod list;
mod manifest;
mod metrics;
mod older;
mod oprf_filter;
mod quota;
mod seen;
mod service;
mod signed;
mod way;
mod wire;

pub use client::{Answer, Client, Fetched, Found, MAX_LIST};
pub use encrypted::Encrypted;
pub use engine::{About, Engine, open};
pub use error::{FileError, ListError, LookupError, Refusal};
pub use file::ListFile;
pub use filter::Filter;
pub use list::{Edit, Item, List};
pub use manifest::Manifest;
pub use metrics::{Metrics, serve_metrics};
pub use oprf_filter::OprfFilter;
pub use quota::{Charge, Quota};
pub use seen::{Contact, Seen};
pub use service::{LookupService, Told};
pub use veilset_protocols::oprf_filter::{MAX_LABEL, Sizing};
pub use way::Way;
pub use wire::MAX_ITEMS;
