//! What the system tells a program that runs for long: signals, heard on a thread of their own.

use std::io;
use std::thread;

use tokio::runtime::{Builder, Runtime};

/// What a user or the system wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Read what is served again.
    Reload,
    /// Stop; the exit code of a program that a signal ended is 128 more than the signal's number.
    Stop(u8),
}

/// The exit code of an interrupted program.
const INTERRUPTED: u8 = 128 + 2;

/// Calls `heard` with the exit code at every signal that asks the program to end, instead of what the system does at it.
/// A hangup stays what it is: it ends a program whose terminal goes, unless that was started with it ignored.
///
/// # Errors
/// When the system refuses.
pub fn ends(heard: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    begin(false, move |wish| match wish {
        Wish::Stop(code) => heard(code),
        Wish::Reload => {}
    })
}

/// Calls `heard` at every signal from now on, instead of what the system does at it.
///
/// # Errors
/// When the system refuses.
pub fn listen(heard: impl Fn(Wish) + Send + 'static) -> io::Result<()> {
    begin(true, heard)
}

fn begin(hangups: bool, heard: impl Fn(Wish) + Send + 'static) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let ears = Ears::open(&runtime, hangups)?;
    let listening = move || runtime.block_on(ears.hear(&heard));
    thread::Builder::new().name("veilset-signals".to_owned()).spawn(listening).map(drop)
}

#[cfg(unix)]
struct Ears {
    hangup: Option<tokio::signal::unix::Signal>,
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ears {
    fn open(runtime: &Runtime, hangups: bool) -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let _inside = runtime.enter();
        Ok(Self {
            hangup: hangups.then(|| signal(SignalKind::hangup())).transpose()?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn hear(mut self, heard: &dyn Fn(Wish)) {
        const TERMINATED: u8 = 128 + 15;
        loop {
            tokio::select! {
                () = next(&mut self.hangup) => heard(Wish::Reload),
                _ = self.interrupt.recv() => heard(Wish::Stop(INTERRUPTED)),
                _ = self.terminate.recv() => heard(Wish::Stop(TERMINATED)),
            }
        }
    }
}

/// The next signal of a kind, if it is listened for.
#[cfg(unix)]
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

#[cfg(not(unix))]
struct Ears;

#[cfg(not(unix))]
impl Ears {
    fn open(_runtime: &Runtime, _hangups: bool) -> io::Result<Self> {
        Ok(Self)
    }

    async fn hear(self, heard: &dyn Fn(Wish)) {
        while tokio::signal::ctrl_c().await.is_ok() {
            heard(Wish::Stop(INTERRUPTED));
        }
    }
}
