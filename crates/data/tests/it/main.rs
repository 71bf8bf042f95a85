//! Files to tables and back: every format, honest and damaged.

mod damaged;
mod formats;
mod inputs;
mod readings;
mod results;
mod stretches;
mod support;
mod typed;
