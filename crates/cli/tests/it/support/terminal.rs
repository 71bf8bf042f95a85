//! A program at a terminal of its own.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use veilset_stage::{PATIENCE, Party};

use super::PROGRAM;

/// A shell's line that runs at a terminal, which also controls it.
pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    /// All that was shown until now.
    pub(crate) screen: String,
}

impl Terminal {
    /// Runs `line` in the party's folder; `veilset` in it is the program.
    pub(crate) fn run(party: &Party, line: &str) -> Self {
        let line = line.replace("veilset ", &format!("{PROGRAM} "));
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
        Self { child, keys, shown, screen: String::new() }
    }

    /// Presses these keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("it runs");
    }

    /// Waits until this is shown, after all that was waited for before.
    pub(crate) fn until(&mut self, text: &str) {
        let (started, before) = (Instant::now(), self.screen.len());
        while !self.screen[before..].contains(text) {
            assert!(started.elapsed() < PATIENCE, "{text:?} is not shown: {}", self.screen);
            assert!(self.show(), "it ended without {text:?}: {}", self.screen);
        }
    }

    /// Waits until more is shown; whether the program goes on.
    fn show(&mut self) -> bool {
        match self.shown.recv_timeout(PATIENCE) {
            Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => panic!("it goes on: {}", self.screen),
        }
        true
    }

    /// Waits until the program shows that it waits for `peer`; returns where.
    pub(crate) fn address(&mut self, peer: &str) -> String {
        self.until(&format!("waiting for {peer} at 127.0.0.1:"));
        while !self.rest_of_wait().contains(',') {
            assert!(self.show(), "it ended: {}", self.screen);
        }
        self.rest_of_wait().split(',').next().unwrap_or_default().to_owned()
    }

    /// What is shown from the address on at which the program waits.
    fn rest_of_wait(&self) -> &str {
        let start = self.screen.rfind(" at 127.0.0.1:").expect("it waits");
        &self.screen[start + " at ".len()..]
    }

    /// Waits until the program ends by itself; its exit code, and all that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        while self.show() {}
        // What showed it is gone, and so is the program.
        let status = self.child.wait().expect("a child");
        (status.code(), std::mem::take(&mut self.screen))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
