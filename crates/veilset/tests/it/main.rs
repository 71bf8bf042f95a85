//! The facade: matching by several keys, and how a program ends that panics.

mod linkage;
mod voice;
