//! Two parties as two processes.
#![allow(dead_code, reason = "each suite uses its own part")]

pub(crate) mod bucket;
#[cfg(unix)]
pub(crate) mod postgres;
pub(crate) mod schema;
#[cfg(target_os = "linux")]
pub(crate) mod terminal;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A party: its folder, which holds its identity and its files.
pub(crate) struct Party {
    folder: TempDir,
    pub(crate) key: String,
}

impl Party {
    /// A party with a fresh identity.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut party = Self { folder, key: String::new() };
        let output = party.run(&["id"]);
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).expect("text");
        party.key = text.lines().last().expect("a line").to_owned();
        party
    }

    /// Two parties that have pinned each other as `left` and `right`.
    pub(crate) fn pair() -> (Self, Self) {
        let (left, right) = (Self::new(), Self::new());
        assert!(left.run(&["peer", "add", "right", &right.key]).status.success());
        assert!(right.run(&["peer", "add", "left", &left.key]).status.success());
        (left, right)
    }

    /// Where `name` is in this party's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("writable");
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("readable")
    }

    /// The command, in this party's folder, not started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veilset"));
        command.args(args);
        self.here(command)
    }

    /// A line for the shell, in this party's folder, not started.
    pub(crate) fn shell(&self, line: &str) -> Command {
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
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("it starts")
    }

    /// Starts a command.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().expect("it starts")
    }

    /// Names of the files in this party's folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).expect("a folder");
        names
            .map(|file| file.expect("readable").file_name().to_string_lossy().into_owned())
            .collect()
    }
}

/// A loopback address that is free now.
pub(crate) fn free_address() -> String {
    let probe = TcpListener::bind("127.0.0.1:0").expect("a free port");
    probe.local_addr().expect("an address").to_string()
}

/// Runs `args` on both sides, the left one listening; returns both ends.
pub(crate) fn meet(left: (&Party, &[&str]), right: (&Party, &[&str])) -> (Output, Output) {
    let address = free_address();
    let listen = [left.1, &["--listen", &address, "--peer", "right", "--deadline", "60s"]].concat();
    let connect =
        [right.1, &["--connect", &address, "--peer", "left", "--deadline", "60s"]].concat();
    let listening = left.0.start(&listen);
    let connected = right.0.run(&connect);
    (listening.wait_with_output().expect("it ends"), connected)
}

/// Waits for a process to end, at most `limit`.
pub(crate) fn wait(mut child: Child, limit: Duration) -> Output {
    let started = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if started.elapsed() >= limit {
            let _ = child.kill();
            panic!("still running after {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it ended")
}

/// What a process said on standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON object that a process printed.
pub(crate) fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The exit code.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("it was not killed")
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
