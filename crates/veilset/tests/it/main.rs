//! The facade: what clusters cost, and how a program ends that panics.

mod clusters;
mod voice;
