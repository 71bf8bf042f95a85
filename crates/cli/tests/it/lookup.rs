//! A list that is served, and those who look items up in it: processes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use veilset_stage::{PATIENCE, Party, Relay, Running, code, stderr};

use crate::support::schema::Schema;
use crate::support::{ANY, json, party};

const LIST: &str =
    "email,source\nAnn@example.org,first\nben@example.org,second\ncarl@example.org,\n";

/// A service that runs.
struct Served {
    running: Running,
    address: String,
}

impl Served {
    /// Serves the list at any free port with further flags.
    fn start(party: &Party, flags: &[&str]) -> Self {
        let mut running = party.start(&[&["serve", "list.veil", "--listen", ANY], flags].concat());
        let address = running.address();
        Self { running, address }
    }

    /// Where it shows its counts, by what it said before it served.
    fn metrics(&self) -> String {
        let said = self.running.said().split_once("metrics at http://").expect("it shows counts");
        said.1.split('/').next().expect("an address").to_owned()
    }

    /// Waits until it says this.
    fn says(&mut self, words: &str) {
        self.running.line_with(words);
    }

    fn signal(&self, name: &str) {
        self.running.signal(name);
    }

    /// Ends it as the system does.
    fn end(self) -> Output {
        self.signal("TERM");
        self.running.output()
    }
}

/// The server, a client that it has pinned, and the list's file.
fn parties() -> (Party, Party) {
    parties_by("oprf-filter")
}

fn parties_by(protocol: &str) -> (Party, Party) {
    let (server, client) = (party(), party());
    server.pin("client", &client);
    client.pin("server", &server);
    server.file("list.csv", LIST);
    let built = ["serve", "build", "list.csv", "--key", "email:email", "--label", "source"];
    let output = server.run(&[&built[..], &["--protocol", protocol, "-o", "list.veil"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    (server, client)
}

fn look_up(client: &Party, address: &str, args: &[&str]) -> Output {
    client.run(&[&["lookup"], args, &["--connect", address, "--peer", "server"]].concat())
}

fn answers(client: &Party, address: &str, items: &[&str]) -> String {
    let output = look_up(client, address, items);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// Asks until the exit code is the wanted one; returns what was said then.
fn until_code(client: &Party, address: &str, want: i32) -> String {
    until_said(client, address, |code, _| code == want)
}

/// Asks until the exit code and what is said are as wanted; returns what was said then.
fn until_said(client: &Party, address: &str, wanted: impl Fn(i32, &str) -> bool) -> String {
    let started = Instant::now();
    loop {
        let output = look_up(client, address, &["ben@example.org"]);
        let said = stderr(&output);
        if wanted(code(&output), &said) {
            return said;
        }
        assert!(started.elapsed() < PATIENCE, "{said}");
        thread::sleep(Duration::from_millis(200));
    }
}

/// Another client, which the server has pinned.
fn another_client(server: &Party, name: &str) -> Party {
    let client = party();
    server.pin(name, &client);
    client.pin("server", server);
    client
}

#[test]
fn a_name_that_is_gone_is_refused_after_a_signal_whatever_else_is_wrong() {
    let (server, client) = parties();
    let mallory = another_client(&server, "mallory");
    server.file("guests", "# who pays\nclient\n\nmallory  # until May\n");
    let flags = ["--allow-file", "guests", "--log", "requests.log"];
    let mut served = Served::start(&server, &flags);
    let address = served.address.clone();
    assert_eq!(answers(&mallory, &address, &["ben@example.org"]), "second\n");

    assert!(server.run(&["peer", "remove", "mallory"]).status.success());
    served.signal("HUP");
    // Whoever was let in before the change hears of that; later calls are a stranger's.
    let said = until_said(&mallory, &address, |code, said| code == 6 && said.contains("peer add"));
    assert!(said.contains("--allow"), "{said}");
    assert_eq!(answers(&client, &address, &["ben@example.org"]), "second\n", "the rest go on");

    // Pinned again under another key: the one of before stays out, the new one is let in.
    let other = party();
    other.pin("server", &server);
    server.pin("mallory", &other);
    served.signal("HUP");
    until_code(&other, &address, 0);
    assert_eq!(code(&look_up(&mallory, &address, &["ben@example.org"])), 6);

    // A line that names nobody shuts out nobody else, and the name that the file lost with it is out.
    server.file("guests", "client\nmalorie\n");
    served.signal("HUP");
    let said = until_code(&other, &address, 6);
    assert!(said.contains("--allow") && !said.contains("peer add"), "{said}");
    assert_eq!(answers(&client, &address, &["ben@example.org"]), "second\n");

    // A file that is not there says nothing of anybody.
    std::fs::remove_file(server.path("guests")).expect("own");
    served.signal("HUP");
    served.says("the server uses the set of keys that it had until this works");
    assert_eq!(answers(&client, &address, &["ben@example.org"]), "second\n");
    server.file("guests", "mallory\n");
    until_code(&other, &address, 0);
    let said = until_code(&client, &address, 6);
    assert!(said.contains("--allow"), "{said}");

    let output = served.end();
    assert_eq!(code(&output), 0);
    let said = stderr(&output);
    for line in [
        "Z mallory may not ask any more: no peer has that name (guests, line 4)",
        "Z mallory may ask now",
        "Z mallory may not ask any more: no entry has it any more",
        "Z warning: an entry lets nobody ask: no peer has that name (guests, line 2)",
        "Z sent mallory away: it may not ask",
    ] {
        assert!(said.lines().any(|said| said.contains(line)), "{line:?} in {said}");
    }
    assert!(said.lines().all(is_timed), "{said}");
    let log = server.read("requests.log");
    assert!(log.lines().any(|line| line.ends_with("Z mallory asked for 1: answered")), "{log}");
    assert!(log.lines().all(is_timed) && !log.contains("ben"), "{log}");
    assert!(!said.contains("asked for"), "requests are in the log alone: {said}");
}

/// Whether a line begins with a time in UTC, such as `2027-03-29T09:00:00Z`.
fn is_timed(line: &str) -> bool {
    let form = "dddd-dd-ddTdd:dd:ddZ ";
    let fits = |(c, form): (char, char)| if form == 'd' { c.is_ascii_digit() } else { c == form };
    line.len() > form.len() && line.chars().zip(form.chars()).all(fits)
}

#[test]
fn whoever_is_pinned_and_not_allowed_is_told_what_is_missing() {
    let (server, client) = parties();
    let pinned = another_client(&server, "pinned");
    let served = Served::start(&server, &["--allow", "client"]);
    let address = served.address.clone();
    assert_eq!(answers(&client, &address, &["ben@example.org"]), "second\n");
    let refused = look_up(&pinned, &address, &["ben@example.org"]);
    let said = stderr(&refused);
    assert_eq!(code(&refused), 6, "{said}");
    assert!(said.contains("--allow") && !said.contains("peer add"), "{said}");
    let output = served.end();
    assert_eq!(code(&output), 0);
    let said = stderr(&output);
    assert!(said.contains("sent pinned away"), "{said}");
    assert!(said.contains("Z client asked for 1: answered"), "{said}");
}

#[test]
fn lists_and_guests_that_others_may_change_are_not_served() {
    use std::os::unix::fs::PermissionsExt;

    let (server, _client) = parties();
    let allow = |name: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(server.path(name), permissions).expect("own");
    };
    std::fs::create_dir(server.path("pub")).expect("writable");
    std::fs::rename(server.path("list.veil"), server.path("pub/list.veil")).expect("own");
    server.file("guests", "client\n");
    let serve = ["serve", "pub/list.veil", "--listen", "127.0.0.1:0", "--quota", "5/hour"];
    let served = [&serve[..], &["--allow-file", "guests"]].concat();
    let add = ["serve", "add", "pub/list.veil", "x@example.org"];
    for mode in [0o777, 0o1777, 0o775] {
        allow("pub", mode);
        for args in [&served[..], &add] {
            let refused = server.run(args);
            let said = stderr(&refused);
            assert!(code(&refused) == 2 && said.contains("chmod go-w"), "{args:?}: {said}");
        }
        let left = std::fs::read_dir(server.path("pub")).expect("readable").count();
        assert_eq!(left, 1, "nothing but the list");
    }
    allow("pub", 0o755);
    allow("guests", 0o666);
    let refused = server.run(&served);
    assert!(code(&refused) == 2 && stderr(&refused).contains("guests"), "{}", stderr(&refused));
    allow("guests", 0o644);
    std::fs::create_dir(server.path("logs")).expect("writable");
    allow("logs", 0o777);
    let logged = [&served[..], &["--log", "logs/requests.log"]].concat();
    let refused = server.run(&logged);
    assert!(code(&refused) == 2 && stderr(&refused).contains("logs"), "{}", stderr(&refused));
    let left = std::fs::read_dir(server.path("logs")).expect("readable").count();
    assert_eq!(left, 0, "nothing was made");
    allow("logs", 0o755);
    server.file("logs/requests.log", "");
    allow("logs/requests.log", 0o666);
    let refused = server.run(&logged);
    let said = stderr(&refused);
    assert!(code(&refused) == 2 && said.contains("requests.log`"), "{said}");
    server.file("guests", "client\nnobody\n");
    let refused = server.run(&served);
    let said = stderr(&refused);
    assert!(code(&refused) == 2 && said.contains("guests, line 2"), "{said}");
}

#[test]
fn rows_between_which_another_character_stands_are_looked_up() {
    let (server, client) = parties();
    let served = Served::start(&server, &["--allow", "client"]);
    let address = served.address.clone();
    client.file("rows.csv", "n;e-mail\n1;x@example.org\n2;Ben@Example.org\n");
    let rows = ["--file", "rows.csv", "--key", "e-mail:email", "--delimiter", ";", "-o", "out.csv"];
    let output = look_up(&client, &address, &rows);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(client.read("out.csv"), "n;e-mail;veilset_label\n2;Ben@Example.org;second\n");
    assert_eq!(code(&served.end()), 0);
}

#[test]
fn encrypted_questions_need_nothing_that_is_kept() {
    let (server, client) = parties_by("fhe-lookup");
    let mut served = Served::start(&server, &["--allow", "client", "--quota", "20/hour"]);
    let address = served.address.clone();
    assert_eq!(answers(&client, &address, &["ANN@example.org "]), "first\n");
    let several = answers(&client, &address, &["ben@example.org", "x@example.org", ""]);
    assert_eq!(several, "ben@example.org\tsecond\nx@example.org\tnot listed\n\tno key\n");
    let add = ["serve", "add", "list.veil", "dora@example.org", "--label", "third"];
    assert_eq!(code(&server.run(&add)), 0);
    served.says("serving version 2,");
    let object = json(&look_up(&client, &address, &["dora@example.org", "--json"]));
    Schema::load().check("lookup", &object);
    assert_eq!((&object["protocol"], &object["list_version"]), (&"fhe-lookup".into(), &2.into()));
    assert_eq!(object["peer"]["key"], server.key);
    assert_eq!(object["result"]["entries"][0]["label"], "third");
    let received = object["bytes_received"].as_u64().expect("a number");
    assert!((10_000..3_000_000).contains(&received), "{received}");
    let small = look_up(&client, &address, &["ben@example.org", "--max-list", "1kB"]);
    assert_eq!(code(&small), 6, "{}", stderr(&small));
    // Each item counts, and each question.
    let many: Vec<String> = (0..20).map(|i| format!("{i}@example.org")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(code(&look_up(&client, &address, &many)), 6);
    assert_eq!(code(&served.end()), 0);

    let both = ["--budget", "10", "--protocol", "fhe-lookup", "--force", "-o", "list.veil"];
    let refused =
        server.run(&[&["serve", "build", "list.csv", "--key", "email"], &both[..]].concat());
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
}

#[test]
fn answers_changes_reload_and_the_end() {
    let (server, client) = parties();
    let mut served = Served::start(&server, &["--allow", "client", "--metrics", ANY]);
    let (address, metrics) = (served.address.clone(), served.metrics());

    assert_eq!(answers(&client, &address, &["ANN@example.org "]), "first\n");
    assert_eq!(answers(&client, &address, &["dora@example.org"]), "not listed\n");
    let several =
        answers(&client, &address, &["ben@example.org", "x@example.org", "carl@example.org"]);
    let want = "ben@example.org\tsecond\nx@example.org\tnot listed\ncarl@example.org\t\n";
    assert_eq!(several, want);

    let add = ["serve", "add", "list.veil", "dora@example.org", "--label", "third"];
    let output = server.run(&add);
    assert!(stderr(&output).contains("list.veil: version 2, 4 items"), "{}", stderr(&output));
    served.says("serving version 2,");
    assert_eq!(answers(&client, &address, &["dora@example.org"]), "third\n");
    assert!(server.run(&["serve", "remove", "list.veil", "ann@example.org"]).status.success());
    served.says("serving version 3,");
    assert_eq!(answers(&client, &address, &["ann@example.org"]), "not listed\n");

    // A broken file does not end the service, and a signal has it read again.
    let whole = std::fs::read(server.path("list.veil")).expect("readable");
    std::fs::write(server.path("list.veil"), b"veilset").expect("writable");
    served.says("the server uses the list that it had until this works");
    assert_eq!(answers(&client, &address, &["ben@example.org"]), "second\n");
    std::fs::write(server.path("list.veil"), whole).expect("writable");
    served.signal("HUP");
    let object = json(&look_up(&client, &address, &["dora@example.org", "--json"]));
    assert_eq!((&object["list_version"], &object["peer_distinct"]), (&3.into(), &3.into()));
    assert_eq!(object["fetched"], "nothing");
    assert_eq!(object["result"]["entries"][0]["label"], "third");
    let other_client = json(&look_up(&client, &address, &["x@example.org", "--json"]));
    for digest in ["list", "fingerprint"] {
        assert_eq!(object[digest].as_str().map(str::len), Some(64));
        assert_eq!(object[digest], other_client[digest], "of the list, not of what was asked");
    }

    client.file("rows.csv", "n,e-mail\n1,x@example.org\n2,Ben@Example.org\n3,\n");
    let rows = ["--file", "rows.csv", "--key", "e-mail:email", "-o", "out.csv"];
    assert_eq!(code(&look_up(&client, &address, &rows)), 0);
    assert_eq!(client.read("out.csv"), "n,e-mail,veilset_label\n2,Ben@Example.org,second\n");
    let listed = "{\"n\":\"2\",\"e-mail\":\"Ben@Example.org\",\"veilset_label\":\"second\"}\n";
    for name in ["out.ndjson", "out.parquet", "out.arrow"] {
        let rows = ["--file", "rows.csv", "--key", "e-mail:email", "-o", name];
        let output = look_up(&client, &address, &rows);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let again = ["--file", name, "--key", "veilset_label:email", "--json"];
        let again = json(&look_up(&client, &address, &again));
        assert_eq!((&again["rows"], &again["result"]["count"]), (&1.into(), &0.into()));
    }
    assert_eq!(client.read("out.ndjson"), listed);
    let other_preset = look_up(&client, &address, &["--file", "rows.csv", "--key", "e-mail"]);
    assert_eq!(code(&other_preset), 3, "{}", stderr(&other_preset));
    assert!(stderr(&other_preset).contains("raw/1") && stderr(&other_preset).contains("email/1"));

    // Somebody who is not allowed.
    let stranger = party();
    stranger.pin("server", &server);
    let refused = look_up(&stranger, &address, &["ben@example.org"]);
    assert_eq!(code(&refused), 6, "{}", stderr(&refused));

    for line in ["veilset_lookup_list_version 3", "veilset_lookup_strangers_total 1"] {
        until_scraped(&metrics, line);
    }

    let output = served.end();
    assert_eq!(code(&output), 0);
    let said = stderr(&output);
    assert!(said.ends_with("stopped\n"), "{said}");
    assert!(!said.contains("ben@"), "{said}");
    let gone = look_up(&client, &address, &["ben@example.org", "--deadline", "1s"]);
    assert_eq!(code(&gone), 4, "{}", stderr(&gone));
}

#[test]
fn two_labels_of_one_key_are_refused_with_both_places() {
    let server = party();
    let build = ["serve", "build", "list.csv", "--key", "email:email", "--label", "source"];
    let build = |text: &str| {
        server.file("list.csv", text);
        server.run(&[&build[..], &["-o", "list.veil"]].concat())
    };
    let refused = build("email,source\nann@b.c,one\nben@b.c,x\nANN@b.c,two\n");
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    for part in ["list.csv, line 4, column 2 (\"source\")", "another label in line 2"] {
        assert!(stderr(&refused).contains(part), "{}", stderr(&refused));
    }
    assert!(
        !stderr(&refused).contains("ann@") && !server.files().contains(&"list.veil".to_owned())
    );
    let same = build("email,source\nann@b.c,one\n,x\nANN@b.c,one\n");
    assert_eq!(code(&same), 0, "{}", stderr(&same));
}

#[test]
fn a_quota_outlives_a_restart() {
    let (server, client) = parties();
    let flags = ["--allow", "client", "--quota", "4/hour"];
    let served = Served::start(&server, &flags);
    answers(&client, &served.address, &["a@b.example", "b@b.example", "c@b.example"]);
    assert_eq!(code(&served.end()), 0);
    let served = Served::start(&server, &flags);
    let refused = look_up(&client, &served.address, &["a@b.example", "b@b.example"]);
    // Unless the hour ended in between.
    let kept = server.read("list.veil.used");
    assert!(code(&refused) == 6 || !kept.contains(" 3\n"), "{}", stderr(&refused));
    assert_eq!(code(&served.end()), 0);
}

#[test]
fn refusals_are_told_a_few_times_and_then_counted() {
    let (server, client) = parties();
    let pinned = another_client(&server, "pinned");
    let flags = ["--allow", "client", "--quota", "1/hour", "--log", "requests.log"];
    let served = Served::start(&server, &flags);
    let address = served.address.clone();
    for _ in 0..5 {
        let refused = look_up(&client, &address, &["a@b.example", "b@b.example"]);
        assert_eq!(code(&refused), 6, "{}", stderr(&refused));
        let refused = look_up(&pinned, &address, &["a@b.example"]);
        assert_eq!(code(&refused), 6, "{}", stderr(&refused));
    }
    let output = served.end();
    assert_eq!(code(&output), 0);
    let (said, log) = (stderr(&output), server.read("requests.log"));
    assert!(log.lines().all(is_timed) && said.lines().all(is_timed), "{log}{said}");
    let one_by_one = |text: &str, line: &str| text.lines().filter(|l| l.ends_with(line)).count();
    assert_eq!(one_by_one(&log, "Z client asked for 2: quota"), 3, "{log}");
    assert_eq!(one_by_one(&said, "Z sent pinned away: it may not ask"), 3, "{said}");
    // Five seconds may lie between the two that are left.
    let counted = |text: &str, (before, after): (&str, &str)| -> u64 {
        let counts = text.lines().filter_map(|l| l.split_once(before)?.1.split_once(after));
        counts.map(|(times, _)| times.parse::<u64>().expect("a number")).sum()
    };
    assert_eq!(counted(&log, ("client asked ", " times more: quota")), 2, "{log}");
    assert_eq!(counted(&said, ("sent pinned away ", " times more")), 2, "{said}");
}

/// Serves the list that is there behind an address, and looks something up with these flags.
fn served_to(server: &Party, client: &Party, at: &Relay, flags: &[&str]) -> (i32, String) {
    let served = Served::start(server, &["--allow", "client"]);
    at.to(&served.address);
    let output = look_up(client, &at.address, &[&["ben@example.org"], flags].concat());
    assert_eq!(code(&served.end()), 0);
    (code(&output), stderr(&output))
}

#[test]
fn a_list_that_goes_back_is_exchanged_or_long_is_refused() {
    let (server, client) = parties();
    let address = Relay::start();
    assert_eq!(served_to(&server, &client, &address, &[]).0, 0);
    let first = std::fs::read(server.path("list.veil")).expect("readable");
    assert!(server.run(&["serve", "add", "list.veil", "dora@example.org"]).status.success());
    assert_eq!(served_to(&server, &client, &address, &[]).0, 0);

    std::fs::write(server.path("list.veil"), first).expect("writable");
    let (code_back, why) = served_to(&server, &client, &address, &[]);
    assert!(code_back == 5 && why.contains("version 1") && why.contains("version 2"), "{why}");
    // What was fetched is lost, and still the version is known, at another address too.
    let mut removed = 0;
    for file in std::fs::read_dir(client.path("home")).expect("a folder") {
        let file = file.expect("readable");
        let name = file.file_name().into_string().expect("text");
        if name.starts_with("lookup-") && !name.contains(".seen") {
            std::fs::remove_file(file.path()).expect("own");
            removed += 1;
        }
    }
    assert_eq!(removed, 1);
    assert_eq!(served_to(&server, &client, &address, &[]).0, 5);
    assert_eq!(served_to(&server, &client, &Relay::start(), &["--new-list"]).0, 5);

    std::fs::remove_file(server.path("list.veil")).expect("own");
    let build = ["serve", "build", "list.csv", "--key", "email:email", "-o", "list.veil"];
    assert!(server.run(&build).status.success());
    let (code_other, why) = served_to(&server, &client, &address, &[]);
    assert!(code_other == 5 && why.contains("--new-list"), "{why}");
    // A server has several lists: the first that it has at a new address is taken, and said to be another.
    let elsewhere = Relay::start();
    let (code_first, why) = served_to(&server, &client, &elsewhere, &["-q"]);
    assert!(
        code_first == 0 && why.contains("another one") && why.contains(&address.address),
        "{why}"
    );
    let (code_second, why) = served_to(&server, &client, &elsewhere, &[]);
    assert!(code_second == 0 && !why.contains("another one"), "{why}");
    assert_eq!(served_to(&server, &client, &address, &[]).0, 5, "the place of the first list");
    let (code_long, why) =
        served_to(&server, &client, &address, &["--new-list", "--max-list", "10"]);
    assert!(code_long == 6 && why.contains("--max-list"), "{why}");
    assert_eq!(served_to(&server, &client, &address, &["--new-list"]).0, 0);
    assert_eq!(served_to(&server, &client, &address, &[]).0, 0);
}

#[test]
fn as_many_items_are_asked_for_as_are_given() {
    let (server, client) = parties();
    let served = Served::start(&server, &["--allow", "client", "--metrics", ANY]);
    let (address, metrics) = (served.address.clone(), served.metrics());
    let items = ["ben@example.org", " ", "BEN@example.org", "x@example.org"];
    let output = look_up(&client, &address, &items);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let want =
        "ben@example.org\tsecond\n \tno key\nBEN@example.org\tsecond\nx@example.org\tnot listed\n";
    assert_eq!(answers, want);
    assert!(stderr(&output).contains("1 of your items"), "{}", stderr(&output));
    until_scraped(&metrics, "veilset_lookup_items_total 4");
    assert_eq!(code(&served.end()), 0);
}

/// Waits until the page has this line: a caller is counted after it was told.
fn until_scraped(metrics: &str, line: &str) {
    let started = Instant::now();
    loop {
        let page = scraped(metrics);
        if page.lines().any(|other| other == line) {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{line} in {page}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn scraped(metrics: &str) -> String {
    let mut page = String::new();
    let mut scrape = TcpStream::connect(metrics).expect("metrics");
    scrape.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").expect("open");
    scrape.read_to_string(&mut page).expect("text");
    page
}

#[test]
fn wrong_lists_flags_and_items_say_what_to_do() {
    let (server, client) = parties();
    let again = ["serve", "build", "list.csv", "--key", "email:email", "-o", "list.veil"];
    let output = server.run(&again);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
    let output = server.run(&[&again[..], &["--force"]].concat());
    assert!(stderr(&output).contains("version 2, 3 items"), "{}", stderr(&output));
    for (args, hint) in [
        (&["serve", "list.csv", "--listen", "127.0.0.1:0", "--allow", "client"][..], "chmod 600"),
        (&["serve", "list.veil", "--listen", "127.0.0.1:0", "--allow", "nobody"], "nobody"),
        (&["serve", "list.veil", "--listen", "127.0.0.1:0"], "--allow"),
        (
            &[
                "serve",
                "list.veil",
                "--listen",
                "127.0.0.1:0",
                "--allow",
                "client",
                "--metrics",
                "0.0.0.0:1",
            ],
            "127.0.0.1:PORT",
        ),
        (&["serve", "add", "list.veil", " "], "never match"),
        (&["serve", "add", "list.veil"], "required"),
        (&["lookup", "--connect", "127.0.0.1:1", "--peer", "client"], "required"),
    ] {
        let output = server.run(args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(hint), "{args:?}: {}", stderr(&output));
    }
    assert_eq!(code(&client.run(&["lookup", "x", "--connect", "127.0.0.1:1", "--peer", "no"])), 2);
}
