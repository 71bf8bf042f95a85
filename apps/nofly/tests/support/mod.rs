//! An authority and an airline as processes, and a browser as far as a page needs one.
#![allow(dead_code, reason = "each suite uses its own part")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use veilset::net::{Home, Identity, Peers};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A party: its folder, which holds its identity and its files.
pub(crate) struct Party {
    folder: TempDir,
    pub(crate) key: String,
}

impl Party {
    /// A party with a fresh identity.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let identity =
            Identity::create(&Home::new(folder.path().join("home"))).expect("an identity");
        Self { folder, key: identity.public_key().to_string() }
    }

    /// An authority and an airline that have pinned each other under these names.
    pub(crate) fn pair() -> (Self, Self) {
        let (authority, airline) = (Self::new(), Self::new());
        authority.pin("airline", &airline);
        airline.pin("authority", &authority);
        (authority, airline)
    }

    /// Pins another party.
    pub(crate) fn pin(&self, name: &str, other: &Self) {
        let mut peers = Peers::load(&Home::new(self.path("home")), None).expect("a list of peers");
        peers.add(name, other.key.parse().expect("a key"), false).expect("it is new");
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

    /// Names of the files in this party's folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> = names
            .map(|file| file.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command, in this party's folder, not started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nofly"));
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
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("it starts")
    }

    /// Starts `nofly serve` on `list.csv` with further flags.
    pub(crate) fn serve(&self, peer: &str, flags: &[&str]) -> Running {
        let args = ["serve", "list.csv", "--key", "id", "--peer", peer, "--listen", "127.0.0.1:0"];
        Running::start(self.command(&[&args, flags].concat()))
    }

    /// Runs `nofly screen` on `manifest.csv` with further flags.
    pub(crate) fn screen(&self, address: &str, flags: &[&str]) -> Output {
        self.run(&[&SCREEN[..], &["--deadline", "60s", "--connect", address], flags].concat())
    }
}

/// The beginning of most screenings.
pub(crate) const SCREEN: [&str; 6] =
    ["screen", "manifest.csv", "--key", "id", "--peer", "authority"];

/// A process that goes on, with what it says.
pub(crate) struct Running {
    child: Child,
    lines: BufReader<ChildStderr>,
    pub(crate) said: String,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, lines, said: String::new() }
    }

    /// Waits for a line that contains `part`, and returns it.
    pub(crate) fn line_with(&mut self, part: &str) -> String {
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

    /// The address at which a server answers.
    pub(crate) fn address(&mut self) -> String {
        let line = self.line_with("answering");
        let address = line.split(" at ").nth(1).and_then(|rest| rest.split(',').next());
        address.expect("an address").to_owned()
    }

    /// Sends a signal such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits for its end: the exit code, what it printed, and all it said.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        let started = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            if started.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("it does not end: {}", self.said);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut printed = String::new();
        let mut stdout = self.child.stdout.take().expect("piped");
        stdout.read_to_string(&mut printed).expect("text");
        self.lines.read_to_string(&mut self.said).expect("text");
        (self.child.wait().expect("it ended").code(), printed, self.said)
    }
}

/// A loopback address that is free now.
pub(crate) fn free_address() -> String {
    let probe = TcpListener::bind("127.0.0.1:0").expect("a free port");
    probe.local_addr().expect("an address").to_string()
}

/// What a process said on standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a process printed.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The exit code.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("it was not killed")
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// An answer over HTTP.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.head);
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// A browser at one host: its cookie, if it has one.
pub(crate) struct Browser {
    pub(crate) host: String,
    pub(crate) cookie: String,
}

impl Browser {
    /// Opens a page's address; returns the browser and the path that it opened.
    pub(crate) fn open(address: &str) -> (Self, String) {
        let rest = address.strip_prefix("http://").expect("HTTP");
        let (host, path) = rest.split_once('/').expect("a path");
        let path = format!("/{path}");
        let mut browser = Self { host: host.to_owned(), cookie: String::new() };
        let answer = browser.ask("GET", &path, &[]);
        assert_eq!(answer.status, 200, "{}", answer.head);
        let set = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = set.and_then(|set| set.split(';').next()).expect("a cookie");
        browser.cookie = cookie.to_owned();
        (browser, path)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    /// Closes the page as its button does.
    pub(crate) fn close(&self) -> Answer {
        self.ask("POST", "/close", &[&format!("Origin: http://{}", self.host)])
    }

    /// Asks until the screening is over, and returns the last state.
    pub(crate) fn await_end(&self) -> Value {
        let started = Instant::now();
        loop {
            let state = self.get("/state").json();
            if state["stage"] == "done" || state["stage"] == "failed" {
                return state;
            }
            assert!(started.elapsed() < PATIENCE, "{state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// One request; `headers` replace the host's where they name it.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[&str]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            request.push_str(&format!("Host: {}\r\n", self.host));
        }
        if !self.cookie.is_empty() {
            request.push_str(&format!("Cookie: {}\r\n", self.cookie));
        }
        headers.iter().for_each(|header| request.push_str(&format!("{header}\r\n")));
        request.push_str("Content-Length: 0\r\n\r\n");
        let mut stream = TcpStream::connect(&self.host).expect("the page is there");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers in text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Answer { status: status.expect("a status"), head: head.to_owned(), body: body.to_owned() }
    }
}
