//! On how many threads lists are read.

use rayon::ThreadPoolBuilder;
use veilset_session::pool;

use crate::Error;

/// Does `work`, such as reading a list, on this many threads.
///
/// # Errors
/// When they cannot be started.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    Ok(pool(threads)?.install(work))
}

/// What this program does outside of [`on_threads`] and of runs is done on this many threads; without it, on all cores. Only the first call
/// counts, and only where no list was read before.
pub fn limit_threads(threads: usize) {
    // It fails where the threads are there already.
    ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap_or(());
}
