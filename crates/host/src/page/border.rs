//! Imports and exports. Memory is shared; a place in it goes over as its address and its length.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::{ptr, slice};

use zeroize::Zeroize;

use super::{calls, socket, store};

/// What a block of memory begins at a multiple of, so that it serves as a stack.
const ALIGNMENT: usize = 64;

type Run = Box<dyn FnOnce() + Send>;

mod imported {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        pub(in crate::page) safe fn wall_clock() -> f64;
        pub(in crate::page) safe fn steady_clock() -> f64;
        pub(in crate::page) safe fn threads() -> u32;
        pub(in crate::page) fn random(bytes: *mut u8, length: usize);
        pub(in crate::page) fn log(text: *const u8, length: usize);
        pub(in crate::page) fn spawn(run: *mut u8);
        pub(in crate::page) fn tell(text: *const u8, length: usize, bytes: *const u8, count: usize);
        pub(in crate::page) fn open(
            socket: u32,
            url: *const u8,
            length: usize,
            name: *const u8,
            of: usize,
        );
        pub(in crate::page) fn send(socket: u32, bytes: *const u8, length: usize);
        pub(in crate::page) safe fn close(socket: u32);
        pub(in crate::page) fn keep(
            number: u32,
            name: *const u8,
            length: usize,
            bytes: *const u8,
            count: usize,
        );
        pub(in crate::page) fn forget(number: u32, name: *const u8, length: usize);
    }
}

pub(super) use imported::{close, steady_clock, wall_clock};

/// How many threads run at once here.
#[must_use]
pub fn threads() -> usize {
    (imported::threads() as usize).max(1)
}

/// Shows a line to whoever looks at the browser's console.
pub fn log(text: &str) {
    // SAFETY: the page copies the text before it returns.
    unsafe { imported::log(text.as_ptr(), text.len()) }
}

/// Runs something in another worker.
pub(crate) fn spawn(run: Run) {
    let run = Box::into_raw(Box::new(run));
    // SAFETY: the worker hands the address to `veilset_run`, once.
    unsafe { imported::spawn(run.cast()) }
}

/// See [`calls::tell`].
pub(super) fn tell(text: &str, bytes: &[u8]) {
    // SAFETY: the page copies both before it returns.
    unsafe { imported::tell(text.as_ptr(), text.len(), bytes.as_ptr(), bytes.len()) }
}

pub(super) fn open(socket: u32, url: &str, protocol: &str) {
    let [url, name] = [url, protocol].map(str::as_bytes);
    // SAFETY: the page copies both before it returns.
    unsafe { imported::open(socket, url.as_ptr(), url.len(), name.as_ptr(), name.len()) }
}

pub(super) fn send(socket: u32, bytes: &[u8]) {
    // SAFETY: the page copies them before it returns.
    unsafe { imported::send(socket, bytes.as_ptr(), bytes.len()) }
}

/// See [`store`].
pub(super) fn keep(number: u32, name: &str, bytes: Option<&[u8]>) {
    // SAFETY: the page copies both before it returns.
    match bytes {
        Some(bytes) => unsafe {
            imported::keep(number, name.as_ptr(), name.len(), bytes.as_ptr(), bytes.len());
        },
        None => unsafe { imported::forget(number, name.as_ptr(), name.len()) },
    }
}

/// Randomness for everything here, from the browser's generator, which cannot fail.
// SAFETY: no other function of the module has this name, which getrandom documents.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    bytes: *mut u8,
    length: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: getrandom gives a place that it owns; the page writes into it before it returns.
    unsafe { imported::random(bytes, length) };
    Ok(())
}

/// As [`__getrandom_v03_custom`], for an older release of getrandom.
// SAFETY: no other function of the module has this name, which getrandom documents.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_custom(bytes: *mut u8, length: usize) -> u32 {
    // SAFETY: getrandom gives a place that it owns; the page writes into it before it returns.
    unsafe { imported::random(bytes, length) };
    0
}

fn layout(length: usize) -> Option<Layout> {
    Layout::from_size_align(length.max(1), ALIGNMENT).ok()
}

/// Memory for the page to write into, all zeros; 0 where there is none.
#[unsafe(no_mangle)]
extern "C" fn veilset_take(length: usize) -> *mut u8 {
    // SAFETY: the layout has a size.
    layout(length).map_or(ptr::null_mut(), |layout| unsafe { alloc_zeroed(layout) })
}

/// Gives back what [`veilset_take`] gave for the same length.
///
/// # Safety
/// Nobody uses it any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn veilset_give(place: *mut u8, length: usize) {
    if let Some(layout) = layout(length) {
        // SAFETY: by the caller's promise.
        unsafe { dealloc(place, layout) }
    }
}

/// Runs what [`spawn`] was given, in a worker of its own.
///
/// # Safety
/// The address is that of a call of `spawn`, for the first time.
#[unsafe(no_mangle)]
unsafe extern "C" fn veilset_run(run: *mut u8) {
    // SAFETY: by the caller's promise.
    let run = unsafe { Box::from_raw(run.cast::<Run>()) };
    run();
}

/// What the page wrote; copied, wiped, and given back.
///
/// # Safety
/// [`veilset_take`] gave the place for this length, and nobody else uses it.
unsafe fn taken(place: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: by the caller's promise.
    let written = unsafe { slice::from_raw_parts_mut(place, length) };
    let bytes = written.to_vec();
    written.zeroize();
    // SAFETY: by the caller's promise.
    unsafe { veilset_give(place, length) };
    bytes
}

/// Somebody who looks at the page wants something: a text, and bytes beside it.
///
/// # Safety
/// Both places are from [`veilset_take`], and nobody else uses them.
#[unsafe(no_mangle)]
unsafe extern "C" fn veilset_call(text: *mut u8, length: usize, bytes: *mut u8, count: usize) {
    // SAFETY: by the caller's promise.
    let (text, bytes) = unsafe { (taken(text, length), taken(bytes, count)) };
    calls::arrived(text, bytes);
}

/// A socket is open.
#[unsafe(no_mangle)]
extern "C" fn veilset_opened(socket: u32) {
    socket::opened(socket);
}

/// A message came.
///
/// # Safety
/// The place is from [`veilset_take`], and nobody else uses it.
#[unsafe(no_mangle)]
unsafe extern "C" fn veilset_arrived(socket: u32, bytes: *mut u8, length: usize) {
    // SAFETY: by the caller's promise.
    socket::arrived(socket, unsafe { taken(bytes, length) });
}

/// So many bytes that were to be sent have left the browser.
#[unsafe(no_mangle)]
extern "C" fn veilset_left(socket: u32, count: usize) {
    socket::left(socket, count);
}

/// A socket is closed, with this code.
#[unsafe(no_mangle)]
extern "C" fn veilset_closed(socket: u32, code: u32) {
    socket::closed(socket, code);
}

/// A change of the store is as safe as the browser makes it; or it failed.
#[unsafe(no_mangle)]
extern "C" fn veilset_kept(number: u32, well: u32) {
    store::kept(number, well != 0);
}

/// A file of the store, before anything else runs.
///
/// # Safety
/// Both places are from [`veilset_take`], and nobody else uses them.
#[unsafe(no_mangle)]
unsafe extern "C" fn veilset_stored(name: *mut u8, length: usize, bytes: *mut u8, count: usize) {
    // SAFETY: by the caller's promise.
    let (name, bytes) = unsafe { (taken(name, length), taken(bytes, count)) };
    store::stored(String::from_utf8_lossy(&name).into_owned(), bytes);
}

/// Begins the program, once the store is there: [`crate::main!`] says what it is.
pub fn begin(main: fn()) {
    std::panic::set_hook(Box::new(|panic| log(&panic.to_string())));
    spawn(Box::new(main));
}
