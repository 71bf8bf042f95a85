//! Suites over the registry, and over the workspace itself.

mod conformance;
mod costs;
mod cuts;
mod faults;
mod imposed;
mod several;
mod withheld;
mod workspace;
