//! The facade: how a program ends that panics.

mod voice;
