//! What an operating system gives a program, or a page in a browser in its place.
//!
//! On every system but WebAssembly this is the standard library's [clock](time) and [threads](thread). In a browser there is no system:
//! the page's scripts give both, and sockets, a store and randomness besides. They call the functions of `page`, which are the
//! module's border, and nothing else of this program.
//!
//! A thread in a browser is a worker, which may block; so everything above this crate is the same blocking code everywhere.

#[cfg(target_family = "wasm")]
pub mod page;
#[cfg(any(target_family = "wasm", test))]
pub mod task;
pub mod thread;
pub mod time;

/// Names the function that a page's module runs, in a worker of its own.
#[cfg(target_family = "wasm")]
#[macro_export]
macro_rules! main {
    ($main:path) => {
        /// Begins the program.
        #[unsafe(no_mangle)]
        extern "C" fn veilset_begin() {
            $crate::page::begin($main);
        }
    };
}
