//! Measurements: whole protocols with both parties on this machine, the curve operations under them, and whether the
//! time of those depends on secrets.
//!
//! Machines are noisy, so what counts is a ratio within one run: every protocol's processor time is set against the
//! same number of X25519 operations of the reference library, timed before and after it.

mod case;
mod curve;
mod offline;
pub mod process;
mod several;
mod shaped;
mod timing;
mod welch;

pub use case::{BenchError, Case, Measurement, Net, Sizes};
pub use curve::{CurveCost, curve, operations, reference_seconds};
pub use offline::{CpuSplit, PreparedSender};
pub use several::{SeveralCase, SeveralMeasurement};
pub use shaped::{Shaped, shaped_pair};
pub use timing::{TIMING_THRESHOLD, Timing, timing};
