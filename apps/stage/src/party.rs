//! A party: its folder and the processes that it runs.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use veilset::net::{Home, Identity, Peers};

use crate::PATIENCE;

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
        command
            .args(args)
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
    lines: BufReader<ChildStderr>,
    /// What was read of what it says.
    pub said: String,
}

impl Running {
    /// Starts a command whose output is piped.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, lines, said: String::new() }
    }

    /// Waits for a line that contains `part`, and returns it.
    pub fn line_with(&mut self, part: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("text");
            assert!(read > 0, "it ended without {part:?}: {}", self.said);
            self.said.push_str(&line);
            if line.contains(part) {
                return line.trim().to_owned();
            }
        }
    }

    /// Sends a signal such as `INT`.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for its end: the exit code, what it printed, and all it said.
    #[must_use]
    pub fn end(mut self) -> (Option<i32>, String, String) {
        let started = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            assert!(started.elapsed() < PATIENCE, "it does not end: {}", self.said);
            sleep(Duration::from_millis(20));
        }
        let mut printed = String::new();
        let mut stdout = self.child.stdout.take().expect("piped");
        stdout.read_to_string(&mut printed).expect("text");
        self.lines.read_to_string(&mut self.said).expect("text");
        let code = self.child.wait().expect("it ended").code();
        (code, printed, std::mem::take(&mut self.said))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
