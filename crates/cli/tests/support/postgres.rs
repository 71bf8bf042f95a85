//! A PostgreSQL server of the test's own.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::free_address;

/// A server with a superuser `ann`, whose password is `open:sesame`; it ends with this value.
pub(crate) struct Postgres {
    server: Child,
    port: String,
    _folder: TempDir,
}

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

        let address = free_address();
        let port = address.rsplit(':').next().expect("a port").to_owned();
        let mut command = server("postgres");
        command.arg("-D").arg(&data).args(["-p", &port, "-c", "listen_addresses=127.0.0.1"]);
        command.args(["-c", "fsync=off", "-c", "unix_socket_directories="]);
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut postgres = Self { server: server.expect("it starts"), port, _folder: folder };
        postgres.wait();
        postgres
    }

    /// The address of its database for `user`.
    pub(crate) fn address(&self, user: &str) -> String {
        format!("postgresql://{user}@127.0.0.1:{}/postgres", self.port)
    }

    pub(crate) fn port(&self) -> &str {
        &self.port
    }

    /// Has the server's own client run statements.
    pub(crate) fn run(&self, statements: &str) {
        let output = self.client(statements);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn client(&self, statements: &str) -> std::process::Output {
        let mut psql = Command::new(find("psql"));
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statements, &self.address("ann")]);
        psql.env("PGPASSWORD", "open:sesame").output().expect("psql starts")
    }

    fn wait(&mut self) {
        let started = Instant::now();
        while !self.client("select 1").status.success() {
            let ended = self.server.try_wait().expect("a child");
            assert!(ended.is_none(), "the server ended: {ended:?}");
            assert!(started.elapsed() < Duration::from_secs(60), "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
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
