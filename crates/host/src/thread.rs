//! Threads.

use std::io;

/// Runs something on a thread of its own, which has this name where threads have names.
///
/// # Errors
/// When the system gives no thread.
pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    #[cfg(not(target_family = "wasm"))]
    return std::thread::Builder::new().name(name.to_owned()).spawn(run).map(drop);
    #[cfg(target_family = "wasm")]
    {
        let _ = name;
        crate::page::spawn(Box::new(run));
        Ok(())
    }
}
