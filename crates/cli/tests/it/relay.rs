//! Parties that reach a relay, and nothing else.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};
use veilset_stage::{Party, Running, code, root, stderr};

use crate::support::{ANY, json as object, party};

/// The relay's certificate, its key, and the authority that vouches for it.
fn pem(name: &str) -> String {
    root().join("crates/cli/tests/relay").join(name).display().to_string()
}

/// A relay that speaks TLS, at this address in the network of `host`.
fn relay(host: &Party, listen: &str, network: Option<&str>) -> Running {
    let (certificate, key) = (pem("relay.pem"), pem("relay.key"));
    let args = ["relay", "--listen", listen, "--certificate", &certificate, "--key", &key];
    Running::start(within(network, host.command(&args)))
}

/// The same command in a network of its own.
fn within(network: Option<&str>, command: Command) -> Command {
    let Some(network) = network else { return command };
    let mut inside = Command::new("ip");
    inside.args(["netns", "exec", network]).arg(command.get_program()).args(command.get_args());
    inside.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    inside.current_dir(command.get_current_dir().expect("a folder"));
    inside.stdin(std::process::Stdio::null());
    inside.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    inside
}

/// Three networks, of the relay and of two parties: each party reaches the relay, and not the other.
struct Networks([String; 3]);

impl Networks {
    /// Nothing where the system lets this user make none.
    fn make() -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Relaxed));
        let names = ["r", "a", "b"].map(|end| format!("veilset-{process}-{number}-{end}"));
        let networks = Self(names);
        let [relay, one, other] = &networks.0;
        let add =
            |name| ip(&["netns", "add", name]) && ip(&["-n", name, "link", "set", "lo", "up"]);
        let made = networks.0.iter().all(|name| add(name))
            && [(one, 1), (other, 2)].into_iter().all(|(party, number)| {
                let (near, far) = (format!("vs{number}"), format!("vs{number}p"));
                let at = |host: u8| format!("10.83.{number}.{host}/24");
                ip(&[
                    "-n", relay, "link", "add", &near, "type", "veth", "peer", "name", &far,
                    "netns", party,
                ]) && ip(&["-n", relay, "addr", "add", &at(1), "dev", &near])
                    && ip(&["-n", party, "addr", "add", &at(2), "dev", &far])
                    && ip(&["-n", relay, "link", "set", &near, "up"])
                    && ip(&["-n", party, "link", "set", &far, "up"])
            });
        made.then_some(networks)
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for name in &self.0 {
            ip(&["netns", "del", name]);
        }
    }
}

fn ip(args: &[&str]) -> bool {
    let done = Command::new("ip").args(args).stderr(std::process::Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

/// Two parties, each in its own network if there are some, and the URL at which each finds the relay.
struct Scene {
    ends: [Party; 2],
    urls: [String; 2],
    /// Where the system lets this user make none, all share this machine's.
    networks: Option<Networks>,
    host: Party,
    relay: Option<Running>,
    listen: String,
}

impl Scene {
    fn set() -> Self {
        let ends = [party(), party()];
        ends[0].pin("right", &ends[1]);
        ends[1].pin("left", &ends[0]);
        let host = party();
        let networks = Networks::make();
        let mut scene = Self {
            ends,
            urls: [String::new(), String::new()],
            networks,
            host,
            relay: None,
            listen: ANY.to_owned(),
        };
        match &scene.networks {
            Some(_) => {
                scene.listen = "0.0.0.0:7000".to_owned();
                scene.urls = [1, 2].map(|number| format!("wss://10.83.{number}.1:7000"));
                scene.open();
            }
            None => {
                scene.open();
                let relay = scene.relay.as_mut().expect("it is open");
                let line = relay.line_with("parties meet at");
                let address = line.split(" at ").nth(1).and_then(|rest| rest.split(' ').next());
                scene.listen = address.expect("an address").to_owned();
                scene.urls = [0, 1].map(|_| format!("wss://{}", scene.listen));
            }
        }
        scene
    }

    fn network(&self, place: usize) -> Option<&str> {
        self.networks.as_ref().map(|networks| networks.0[place].as_str())
    }

    /// Starts the relay, also again.
    fn open(&mut self) {
        self.relay = Some(relay(&self.host, &self.listen, self.network(0)));
    }

    /// Ends the relay as a fault does.
    fn kill(&mut self) {
        self.relay = None;
    }

    fn start(&self, end: usize, args: &[&str]) -> Running {
        let peer = ["right", "left"][end];
        let way = ["--via", &self.urls[end], "--peer", peer, "--deadline", "60s"];
        let mut command = self.ends[end].command(&[args, &way].concat());
        command.env("SSL_CERT_FILE", pem("authority.pem"));
        Running::start(within(self.network(end + 1), command))
    }

    /// Both sides to their ends.
    fn meet(&self, args: [&[&str]; 2]) -> [Output; 2] {
        let running = [0, 1].map(|end| self.start(end, args[end]));
        running.map(Running::output)
    }

    fn meet_json(&self, args: [&[&str]; 2]) -> [Value; 2] {
        self.meet([&[args[0], &["--json"]].concat(), &[args[1], &["--json"]].concat()])
            .map(|output| object(&output))
    }
}

fn list(numbers: std::ops::Range<u32>) -> String {
    let rows: String = numbers.map(|n| format!("user{n}@example.com,{n}\n")).collect();
    format!("email,amount\n{rows}")
}

/// The numbers in a column of a file; nothing for a cell without one.
fn numbers(csv: &str, column: usize) -> Vec<Option<u32>> {
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_bytes());
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    reader.records().map(|row| digits(&row.expect("a row")[column]).parse().ok()).collect()
}

#[test]
fn every_operation_is_exact_between_parties_that_reach_the_relay_alone() {
    let scene = Scene::set();
    let [left, right] = &scene.ends;
    left.file("list.csv", &list(0..300));
    right.file("list.csv", &list(200..600));
    let key = ["list.csv", "--key", "email:email"];
    let run = |operation: &'static str, more: [&[&'static str]; 2]| {
        let args = more.map(|more| [&[operation], &key[..], more].concat());
        scene.meet_json([&args[0], &args[1]])
    };
    run("intersect", [&["-o", "i.csv"], &["-o", "i.csv"]]);
    for end in [left, right] {
        let found: BTreeSet<_> = numbers(&end.read("i.csv"), 1).into_iter().flatten().collect();
        assert_eq!(found, (200..300).collect());
    }
    let [one, other] = run("count", [&[], &[]]);
    assert_eq!([&one["result"]["count"], &other["result"]["count"]], [100, 100]);
    assert_eq!(one["run"], other["run"]);
    let [one, other] = run("sum", [&["--value", "amount"], &[]]);
    let sum: u32 = (200..300).sum();
    assert_eq!(one["result"]["sum"], json!({ "amount": sum.to_string() }));
    assert_eq!(other["result"]["count"], 100);
    run("union", [&["-o", "u.csv"], &["-o", "u.csv"]]);
    let union: BTreeSet<_> = numbers(&left.read("u.csv"), 0).into_iter().flatten().collect();
    assert_eq!(union, (0..600).collect());
    let [one, _] = run("share", [&["-o", "s.csv"], &["-o", "s.csv"]]);
    assert_eq!(one["operation"], "share");
    run("align", [&["-o", "a.csv"], &["-o", "a.csv"]]);
    let lines = [left, right].map(|end| end.read("a.csv").lines().count());
    assert_eq!(lines, [601, 601], "a header and a row for each of the union");
    left.file("order.csv", "slot\nmon\ntue\nwed\n");
    right.file("order.csv", "slot\nfri\nwed\ntue\n");
    let agree: &[&str] = &["agree", "--list", "order.csv", "--key", "slot"];
    let [one, other] = scene.meet_json([agree, agree]);
    let slot = |result: &Value, slots: [&'static str; 3]| {
        slots[result["result"]["row"].as_u64().expect("a row") as usize]
    };
    let slots = (slot(&one, ["mon", "tue", "wed"]), slot(&other, ["fri", "wed", "tue"]));
    assert!(slots.0 == slots.1 && ["tue", "wed"].contains(&slots.0), "{slots:?}");
}

#[test]
fn lookups_go_over_the_relay() {
    let scene = Scene::set();
    let [server, _] = &scene.ends;
    server.file("list.csv", "email\nann@example.org\nben@example.org\n");
    let built = server.run(&["serve", "build", "list.csv", "--key", "email:email", "-o", "l.veil"]);
    assert_eq!(code(&built), 0, "{}", stderr(&built));
    let args = ["serve", "l.veil", "--allow", "right", "--via", &scene.urls[0]];
    let mut command = server.command(&args);
    command.env("SSL_CERT_FILE", pem("authority.pem"));
    let mut serving = Running::start(within(scene.network(1), command));
    serving.line_with("serving version 1");
    for (item, answer) in [("Ann@example.org", "listed"), ("eve@example.org", "not listed")] {
        let asked = scene.start(1, &["lookup", item]).output();
        assert_eq!(code(&asked), 0, "{}", stderr(&asked));
        let text = String::from_utf8_lossy(&asked.stdout);
        assert!(text.contains(answer), "{item}: {text}");
    }
}

#[test]
fn three_parties_meet_at_one_relay() {
    let scene = Scene::set();
    let host = &scene.host;
    let [left, right] = &scene.ends;
    host.pin("left", left);
    host.pin("right", right);
    left.pin("host", host);
    right.pin("host", host);
    let lists = [list(0..40), list(20..60), list(30..50)];
    for (end, list) in [left, right, host].into_iter().zip(&lists) {
        end.file("list.csv", list);
    }
    // The third is where the relay is.
    let here = match scene.networks {
        Some(_) => "wss://10.83.1.1:7000".to_owned(),
        None => scene.urls[0].clone(),
    };
    let start = |end: &Party, others: [&str; 2], url: &str, network: usize| {
        let args = [
            "intersect",
            "list.csv",
            "--key",
            "email:email",
            "--peer",
            others[0],
            "--peer",
            others[1],
            "--via",
            url,
            "--deadline",
            "60s",
            "--no-input",
            "-o",
            "out.csv",
        ];
        let mut command = end.command(&args);
        command.env("SSL_CERT_FILE", pem("authority.pem"));
        Running::start(within(scene.network(network), command))
    };
    let running = [
        start(left, ["right", "host"], &scene.urls[0], 1),
        start(right, ["left", "host"], &scene.urls[1], 2),
        start(host, ["left", "right"], &here, 0),
    ];
    for (running, end) in running.into_iter().zip([left, right, host]) {
        let output = running.output();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let found: Vec<_> = numbers(&end.read("out.csv"), 1).into_iter().flatten().collect();
        assert_eq!(found, (30..40).collect::<Vec<_>>());
    }
}

#[test]
fn a_run_goes_on_when_the_relay_comes_back_and_ends_when_it_does_not() {
    let mut scene = Scene::set();
    scene.ends[0].file("list.csv", &list(0..100_000));
    scene.ends[1].file("list.csv", &list(50_000..150_000));
    let slow: &[&str] = &[
        "intersect",
        "list.csv",
        "--key",
        "email:email",
        "--protocol",
        "dh",
        "--threads",
        "1",
        "--yes",
        "-o",
        "out.csv",
    ];
    let mut running = [scene.start(0, slow), scene.start(1, slow)];
    for end in &mut running {
        end.line_with("has 100");
    }
    scene.kill();
    for end in &mut running {
        end.line_with("the run goes on if the peer comes back");
    }
    scene.open();
    for (running, end) in running.into_iter().zip(&scene.ends) {
        let output = running.output();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains("the peer is back"), "{}", stderr(&output));
        let found = numbers(&end.read("out.csv"), 1);
        assert!(found.into_iter().eq((50_000..100_000).map(Some)));
    }

    let impatient = [slow, &["--force", "--deadline", "2s"]].concat();
    let started = [0, 1].map(|end| {
        let url = &scene.urls[end];
        let way = ["--via", url, "--peer", ["right", "left"][end]];
        let mut command = scene.ends[end].command(&[&impatient[..], &way].concat());
        command.env("SSL_CERT_FILE", pem("authority.pem"));
        Running::start(within(scene.network(end + 1), command))
    });
    let mut running = started;
    for end in &mut running {
        end.line_with("has 100");
    }
    scene.kill();
    for end in running {
        let output = end.output();
        assert_eq!(code(&output), 4, "{}", stderr(&output));
        // Whether the other consented before the relay went, or not.
        let said = stderr(&output);
        let ended = ["did not come back within 2 s", "did not consent to the terms within 2 s"];
        assert!(ended.iter().any(|why| said.contains(why)), "{said}");
    }
}

#[test]
fn three_parties_end_when_their_relay_does() {
    let parties = [party(), party(), party()];
    let names = ["one", "two", "three"];
    for (own, party) in parties.iter().enumerate() {
        // Enough to be in the middle of it when one of them stands still.
        party.file("list.csv", &list(0..500));
        for (other, name) in names.iter().enumerate().filter(|(other, _)| *other != own) {
            party.pin(name, &parties[other]);
        }
    }
    let (relay, url) = crate::support::relay(&parties[0]);
    let mut running: Vec<Running> = (0..3)
        .map(|own| {
            let with = names.iter().enumerate().filter(|(other, _)| *other != own);
            let with = with.flat_map(|(_, name)| ["--peer", *name]);
            let run =
                ["intersect", "list.csv", "--key", "email:email", "--via", &url, "-o", "out.csv"];
            parties[own].start(&run.into_iter().chain(with).collect::<Vec<_>>())
        })
        .collect();
    // It holds the others up, who have met it.
    running[2].line_with("has 500");
    running[2].signal("STOP");
    let stopped = running.pop().expect("three");
    drop(relay);
    for output in running.into_iter().map(Running::output) {
        assert_eq!(code(&output), 4, "{}", stderr(&output));
        assert!(stderr(&output).contains("the relay went away"), "{}", stderr(&output));
    }
    drop(stopped);
}

#[test]
fn a_relay_that_nobody_vouches_for_gets_nothing() {
    let scene = Scene::set();
    let url = &scene.urls[0];
    let args = ["count", "list.csv", "--key", "email:email", "--peer", "right", "--via", url];
    scene.ends[0].file("list.csv", &list(0..3));
    let output = Running::start(within(scene.network(1), scene.ends[0].command(&args))).output();
    assert_eq!(code(&output), 6, "{}", stderr(&output));
    assert!(stderr(&output).contains("SSL_CERT_FILE"), "{}", stderr(&output));
}

#[test]
fn what_a_relay_cannot_be_is_said() {
    let host = party();
    let (certificate, authority) = (pem("relay.pem"), pem("authority.pem"));
    for (args, said) in [
        (&["--listen", "127.0.0.1"][..], "cannot listen on 127.0.0.1"),
        (&["--listen", ANY, "--certificate", &certificate, "--key", &authority], "authority.pem"),
        (&["--listen", ANY, "--certificate", "no.pem", "--key", "no.key"], "no.pem"),
        (
            &["--listen", ANY, "--certificate", &authority, "--key", &pem("relay.key")],
            "not the key",
        ),
        (&["--listen", ANY, "--page", "no-page"], "make page"),
    ] {
        let output = host.run(&[&["relay"], args].concat());
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
        assert!(!stderr(&output).contains("parties meet"), "{}", stderr(&output));
    }
    let (left, _) = (party(), party());
    left.file("list.csv", &list(0..3));
    let count = ["count", "list.csv", "--key", "email:email", "--peer", &host.key];
    for (via, said) in
        [("relay.example", "wss://HOST"), ("ws://relay.example", "wss://relay.example")]
    {
        let output = left.run(&[&count[..], &["--via", via]].concat());
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

/// A company's proxy, which connects to `target` whatever it is asked for; what it was asked comes out.
fn proxy(target: String) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    let (sender, asked) = channel();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut lines = BufReader::new(&client);
            let mut line = String::new();
            lines.read_line(&mut line).expect("readable");
            let _ = sender.send(line.trim().to_owned());
            while line != "\r\n" {
                line.clear();
                lines.read_line(&mut line).expect("readable");
            }
            let server = TcpStream::connect(&target).expect("it listens");
            (&client).write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("open");
            for (mut from, mut to) in [(&client, &server), (&server, &client)]
                .map(|(from, to)| (from.try_clone(), to.try_clone()))
                .map(|(from, to)| (from.expect("a handle"), to.expect("a handle")))
            {
                thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    (address, asked)
}

#[test]
fn a_peer_is_reached_through_a_companys_proxy() {
    let (left, right) = crate::support::pair();
    for end in [&left, &right] {
        end.file("list.csv", &list(0..3));
    }
    let count = ["count", "list.csv", "--key", "email:email"];
    let mut listening = left.start(&[&count[..], &["--listen", ANY, "--peer", "right"]].concat());
    let (address, asked) = proxy(listening.address());
    let way = ["--connect", "peer.example:7000", "--peer", "left", "--deadline", "60s"];
    let mut command = right.command(&[&count[..], &way].concat());
    command.env("HTTPS_PROXY", format!("http://{address}")).env("NO_PROXY", "other.example");
    let connected = command.output().expect("it starts");
    assert_eq!(code(&connected), 0, "{}", stderr(&connected));
    assert_eq!(asked.recv().expect("asked"), "CONNECT peer.example:7000 HTTP/1.1");
    let said = stderr(&connected);
    assert!(said.contains("connected to peer.example:7000"), "{said}");
    assert_eq!(code(&listening.output()), 0);
}
