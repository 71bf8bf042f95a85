//! A program at a terminal of its own.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Party, wait};

/// How long anything on it may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A shell's line that runs at a terminal, which also controls it.
pub(crate) struct Terminal {
    child: Option<Child>,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    /// All that was shown until now.
    pub(crate) screen: String,
}

impl Terminal {
    /// Runs `line` in the party's folder; `veilset` in it is the program.
    pub(crate) fn run(party: &Party, line: &str) -> Self {
        let line = line.replace("veilset ", concat!(env!("CARGO_BIN_EXE_veilset"), " "));
        let mut child = party
            .shell(&format!("exec script --quiet --return --command '{line}' /dev/null"))
            .env_remove("COLUMNS")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        let keys = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        let (show, shown) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if show.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child: Some(child), keys, shown, screen: String::new() }
    }

    /// Presses these keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("it runs");
    }

    /// Waits until this is shown, after all that was waited for before.
    pub(crate) fn until(&mut self, text: &str) {
        let (started, before) = (Instant::now(), self.screen.len());
        while !self.screen[before..].contains(text) {
            let left = LIMIT.saturating_sub(started.elapsed());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(why) => panic!("{text:?} is not shown ({why}): {}", self.screen),
            }
        }
    }

    /// Waits until the program ends by itself; its exit code, and all that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        loop {
            match self.shown.recv_timeout(LIMIT) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it goes on: {}", self.screen),
            }
        }
        let Output { status, .. } = wait(self.child.take().expect("it ran"), LIMIT);
        (status.code(), self.screen.clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
