//! A party: its folder and the processes that it runs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use veilset::party::{Home, Identity, Peers};

use crate::{PATIENCE, stderr, stdout};

/// How often an end is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// A party: its folder, which holds its identity and its files.
pub struct Party {
    program: &'static str,
    folder: TempDir,
    /// Its public key.
    pub key: String,
}

impl Party {
    /// A party with a fresh identity that runs the program at this path.
    #[must_use]
    pub fn new(program: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let identity =
            Identity::create(&Home::new(folder.path().join("home"))).expect("an identity");
        Self { program, folder, key: identity.public_key().to_string() }
    }

    /// Two parties that have pinned each other under these names.
    #[must_use]
    pub fn pair(program: &'static str, one: &str, other: &str) -> (Self, Self) {
        let (first, second) = (Self::new(program), Self::new(program));
        first.pin(other, &second);
        second.pin(one, &first);
        (first, second)
    }

    /// Pins another party.
    pub fn pin(&self, name: &str, other: &Self) {
        let mut peers = Peers::load(&Home::new(self.path("home")), None).expect("a list of peers");
        peers.add(name, other.key.parse().expect("a key"), false).expect("it is new");
    }

    /// Where `name` is in this party's folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("writable");
    }

    /// Copies these files of the repository to the same place in this party's folder.
    pub fn copy(&self, paths: &[&str]) {
        for path in paths {
            let to = self.path(path);
            fs::create_dir_all(to.parent().expect("a folder")).expect("writable");
            fs::copy(crate::root().join(path), to).expect("it is there");
        }
    }

    /// Reads a file.
    #[must_use]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("readable")
    }

    /// Names of the files in this party's folder, sorted.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> = names
            .map(|file| file.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command, in this party's folder, not started.
    #[must_use]
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.args(args);
        self.here(command)
    }

    /// A line for the shell, in this party's folder, not started.
    #[must_use]
    pub fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        self.here(command)
    }

    fn here(&self, mut command: Command) -> Command {
        command
            .current_dir(self.folder.path())
            .env("VEILSET_HOME", self.path("home"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("it starts")
    }

    /// Starts a command.
    #[must_use]
    pub fn start(&self, args: &[&str]) -> Running {
        Running::start(self.command(args))
    }
}

/// A process that goes on, with what it says. It is ended when this goes.
pub struct Running {
    child: Child,
    /// What it says, line by line, until it says no more.
    lines: Receiver<String>,
    /// All that it prints, once it prints no more.
    printed: Receiver<Vec<u8>>,
    /// What was read of what it says.
    said: String,
}

impl Running {
    /// Starts a command. What it says and prints is read where that is piped, so that it never waits for a reader.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("it starts");
        let (say, lines) = channel();
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || {
                let mut stderr = BufReader::new(stderr);
                let mut line = Vec::new();
                while stderr.read_until(b'\n', &mut line).expect("readable") > 0 {
                    // Nobody listens any more once a test has failed.
                    let _ = say.send(String::from_utf8_lossy(&line).into_owned());
                    line.clear();
                }
            });
        }
        let (print, printed) = channel();
        if let Some(mut stdout) = child.stdout.take() {
            thread::spawn(move || {
                let mut all = Vec::new();
                stdout.read_to_end(&mut all).expect("readable");
                let _ = print.send(all);
            });
        }
        Self { child, lines, printed, said: String::new() }
    }

    /// What was read of what it says.
    #[must_use]
    pub fn said(&self) -> &str {
        &self.said
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes all of its standard input, which is piped.
    pub fn feed(&mut self, text: &str) {
        let mut stdin = self.child.stdin.take().expect("piped");
        stdin.write_all(text.as_bytes()).expect("it reads");
    }

    /// Waits for a line that contains `part`, and returns it.
    pub fn line_with(&mut self, part: &str) -> String {
        loop {
            let line = self.next_line();
            let line = line.unwrap_or_else(|| panic!("it ended without {part:?}: {}", self.said));
            if line.contains(part) {
                return line.trim().to_owned();
            }
        }
    }

    /// Waits until it says where it listens, as a wait for a peer or a service begins; returns that address.
    pub fn address(&mut self) -> String {
        let line = self.line_with(" at 127.0.0.1:");
        let address = line.split(" at ").find(|part| part.starts_with("127.0.0.1:"));
        let address = address.and_then(|rest| rest.split(',').next());
        address.expect("an address").to_owned()
    }

    fn next_line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.said.push_str(&line);
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("it goes on: {}", self.said),
        }
    }

    /// Sends a signal such as `INT`.
    pub fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for its end.
    #[must_use]
    pub fn output(mut self) -> Output {
        while self.next_line().is_some() {}
        let stdout = match self.printed.recv_timeout(PATIENCE) {
            Ok(printed) => printed,
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
            Err(RecvTimeoutError::Timeout) => panic!("it goes on: {}", self.said),
        };
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => break status,
                // It says and prints no more, or that goes elsewhere.
                None => sleep(LOOK),
            }
            assert!(started.elapsed() < PATIENCE, "it does not end: {}", self.said);
        };
        Output { status, stdout, stderr: std::mem::take(&mut self.said).into_bytes() }
    }

    /// Waits for its end: the exit code, what it printed, and all it said.
    #[must_use]
    pub fn end(self) -> (Option<i32>, String, String) {
        let output = self.output();
        (output.status.code(), stdout(&output), stderr(&output))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
