//! The programs against the scalar twin of this processor's kernels: compiled for this machine, and on a device if there is one.
#![allow(clippy::print_stdout, reason = "a test that is skipped says why")]

mod device;
mod inputs;
mod pool;
mod source;
mod twin;
