//! A PostgreSQL server of the test's own.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use veilset_stage::PATIENCE;

use super::ANY;

/// How often a server is started at another port before the test fails.
const TRIES: usize = 5;

/// A server with a superuser `ann`, whose password is `open:sesame`; it ends with this value.
pub(crate) struct Postgres {
    /// It ends before its folder goes.
    _process: Process,
    port: String,
    _folder: TempDir,
}

/// The server's process; ended with this value.
struct Process(Child);

impl Postgres {
    /// Makes a cluster and waits until its server answers.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        fs::write(folder.path().join("password"), "open:sesame\n").expect("writable");
        give(folder.path());
        let mut initdb = server("initdb");
        initdb.args(["--username=ann", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]);
        initdb.arg("--pwfile").arg(folder.path().join("password")).arg("-D").arg(&data);
        let made = initdb.output().expect("initdb starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

        // The server takes no port 0, so somebody else may have the port that was free a moment ago.
        for _ in 0..TRIES {
            let port = free_port();
            if let Some(process) = Process::start(&data, &port) {
                return Self { _process: process, port, _folder: folder };
            }
        }
        panic!("the server ended {TRIES} times")
    }

    /// The address of its database for `user`.
    pub(crate) fn address(&self, user: &str) -> String {
        address(&self.port, user)
    }

    pub(crate) fn port(&self) -> &str {
        &self.port
    }

    /// Has the server's own client run statements.
    pub(crate) fn run(&self, statements: &str) {
        let output = client(&self.port, statements);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Process {
    /// A server of the cluster in `data`, at this port, once it answers; none where it ends.
    fn start(data: &Path, port: &str) -> Option<Self> {
        let mut command = server("postgres");
        command.arg("-D").arg(data).args(["-p", port, "-c", "listen_addresses=127.0.0.1"]);
        command.args(["-c", "fsync=off", "-c", "unix_socket_directories="]);
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut process = Self(server.expect("it starts"));
        let started = Instant::now();
        while !client(port, "select 1").status.success() {
            if process.0.try_wait().expect("a child").is_some() {
                return None;
            }
            assert!(started.elapsed() < PATIENCE, "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(process)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn address(port: &str, user: &str) -> String {
    format!("postgresql://{user}@127.0.0.1:{port}/postgres")
}

/// What the server's own client makes of statements of `ann`'s.
fn client(port: &str, statements: &str) -> Output {
    let mut psql = Command::new(find("psql"));
    psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statements, &address(port, "ann")]);
    psql.env("PGPASSWORD", "open:sesame").output().expect("psql starts")
}

/// A port that is free now.
fn free_port() -> String {
    let probe = TcpListener::bind(ANY).expect("a free port");
    probe.local_addr().expect("an address").port().to_string()
}

/// A program of the server; as root, in the name of the user `postgres`, for it refuses root.
fn server(name: &str) -> Command {
    let program = find(name);
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--reset-env", "--"]);
    command.arg(program).current_dir("/");
    command
}

/// Where a program of PostgreSQL is: Debian keeps those of the server out of the way.
fn find(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = debian.chain(std::env::split_paths(&path)).map(|folder| folder.join(name));
    programs
        .find(|program| program.exists())
        .expect("PostgreSQL is needed: scripts/postgres installs it")
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id starts");
    id.stdout == b"0\n"
}

/// Makes the folder that of the user who runs the server.
fn give(folder: &Path) {
    if !is_root() {
        return;
    }
    let id = |flag| {
        let id = Command::new("id").args([flag, "postgres"]).output().expect("id starts");
        String::from_utf8(id.stdout).expect("text").trim().parse::<u32>().expect("a number")
    };
    chown(folder, Some(id("-u")), Some(id("-g"))).expect("root may");
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("root may");
}
