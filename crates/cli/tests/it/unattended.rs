//! Runs that nobody watches: tries, limits, one run of a file at a time, lines for a log, and the examples for timers.

use std::fs;
use std::process::Command;

use serde_json::Value;
use veilset_stage::{NOBODY, Party, Running, code, root, stderr, stdout};
use yaml_rust2::{Yaml, YamlLoader};

use crate::support::{ANY, PROGRAM, pair, party, relay};

const LIST: &str = "id\n1\n2\n3\n";
const COUNT: [&str; 4] = ["count", "list.csv", "--key", "id"];

fn parties() -> (Party, Party) {
    let (left, right) = pair();
    left.file("list.csv", LIST);
    right.file("list.csv", LIST);
    (left, right)
}

fn starts(party: &Party, more: &[&str]) -> Running {
    party.start(&[&COUNT[..], more].concat())
}

#[test]
fn a_run_is_tried_again_as_often_as_its_flag_says() {
    let (left, right) = parties();
    let absent = ["--connect", NOBODY, "--peer", "right", "--deadline", "1s", "--retry", "2"];
    let output = left.run(&[&COUNT[..], &absent].concat());
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    let said = stderr(&output);
    let tries = ["; trying again in 1.0 s", "; trying for the last time in 2.0 s", "error: "];
    let places: Vec<_> = tries.iter().map(|part| said.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{said}");

    // What no later try mends is the end.
    let mut waiting = starts(&left, &["--listen", ANY, "--peer", "right", "--retry", "5"]);
    let address = waiting.address();
    let differs = ["--connect", &address, "--peer", "left", "--learn", "peer", "--retry", "5"];
    assert_eq!(code(&right.run(&[&COUNT[..], &differs].concat())), 3);
    assert_eq!(code(&waiting.output()), 3);

    let port = ["--listen", &address];
    let flags = ["--peer", "right", "--retry", "5", "--deadline", "2s"];
    let mut waiting = starts(&left, &[&port[..], &flags].concat());
    waiting.line_with("trying again");
    let met = starts(&right, &["--connect", &address, "--peer", "left", "--deadline", "60s"]);
    assert_eq!(stdout(&waiting.output()), "3\n");
    assert_eq!(stdout(&met.output()), "3\n");
}

#[test]
fn a_time_limit_ends_whatever_goes_on() {
    let (left, _right) = parties();
    let output = left.run(
        &[&COUNT[..], &["--listen", ANY, "--peer", "right", "--retry", "9", "--time-limit", "1s"]]
            .concat(),
    );
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("longer than --time-limit allows (1.0 s); nothing was written"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_file_runs_once_at_a_time() {
    let (left, right) = parties();
    let file = |party: &Party, way: &str| {
        let text = format!("operation = \"count\"\nlist = \"list.csv\"\nkey = \"id\"\n{way}\n");
        party.file("exchange.toml", &text);
    };
    file(&left, "peer = \"right\"\nlisten = \"127.0.0.1:0\"\njson = true");
    let run = ["exchange", "exchange.toml"];
    let mut first = left.start(&run);
    let address = first.address();
    let second = left.run(&run);
    assert_eq!(code(&second), 4, "{}", stderr(&second));
    assert!(
        stderr(&second).contains("exchange.toml goes on: this one did nothing"),
        "{}",
        stderr(&second)
    );
    assert_eq!(code(&left.run(&["exchange", "--print", "exchange.toml"])), 0);
    file(&right, &format!("peer = \"left\"\nconnect = \"{address}\""));
    assert_eq!(code(&right.run(&run)), 0);
    assert_eq!(code(&first.output()), 0);
}

#[test]
fn lines_for_a_log_have_the_time_and_the_run_of_both() {
    let (left, right) = parties();
    let listen = ["--listen", ANY, "--peer", "right", "--log-format", "text", "--json"];
    let mut waiting = starts(&left, &listen);
    let address = waiting.address();
    let theirs = ["--connect", &address, "--peer", "left", "--log-format", "json"];
    let met = right.run(&[&COUNT[..], &theirs].concat());
    let waited = waiting.output();
    let object: Value = serde_json::from_slice(&waited.stdout).expect("an object");
    let run = object["run"].as_str().expect("an identifier");
    let said = stderr(&waited);
    for line in said.lines() {
        let (time, rest) = line.split_once(' ').expect("a time");
        assert!(time.len() == 20 && time.ends_with('Z') && rest.starts_with("run="), "{line}");
    }
    assert!(said.contains(" run=- waiting for right"), "{said}");
    assert!(said.contains(&format!(" run={run} You learn")), "{said}");
    let said = stderr(&met);
    let objects: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(objects[0]["run"].is_null() && objects[0]["level"] == "info", "{said}");
    let of_run = objects.iter().filter(|object| object["run"] == run);
    assert!(of_run.count() > 2, "{said}");
    let refused =
        [&COUNT[..], &["--peer", "left", "--connect", "x", "--log-format", "json"]].concat();
    let refused: Value = serde_json::from_str(&stderr(&right.run(&refused))).expect("an object");
    assert_eq!(refused["level"], "error");
}

fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples/unattended").join(name)).expect("it is there")
}

#[test]
fn the_example_of_an_exchange_runs() {
    let (you, acme) = (party(), party());
    you.pin("acme", &acme);
    acme.pin("you", &you);
    let (_relay, url) = relay(&party());
    for (own, peer) in [(&you, "acme"), (&acme, "you")] {
        let rows: String = (0..12).map(|row| format!("p{row}@example.org\n")).collect();
        own.file("customers.csv", &format!("email\n{rows}"));
        let text = example("acme.toml").replace("wss://relay.example", &url);
        let text = text.replace("/var/lib/veilset/", "").replace("\"acme\"", &format!("{peer:?}"));
        own.file("acme.toml", &text);
    }
    let other = acme.start(&["exchange", "acme.toml"]);
    let output = you.run(&["exchange", "acme.toml"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(code(&other.output()), 0);
    let results = you.files().into_iter().filter(|name| name.starts_with("matches-20"));
    assert_eq!(results.count(), 1);
}

/// The values of all settings of this name, wherever they stand.
fn under<'a>(yaml: &'a Yaml, name: &str) -> Vec<&'a Yaml> {
    match yaml {
        Yaml::Hash(hash) => hash
            .iter()
            .flat_map(|(key, value)| {
                let own = (key.as_str() == Some(name)).then_some(value);
                own.into_iter().chain(under(value, name))
            })
            .collect(),
        Yaml::Array(values) => values.iter().flat_map(|value| under(value, name)).collect(),
        _ => Vec::new(),
    }
}

/// Starts a command of an example: one that finds its flags right misses the file of the exchange, or is a relay.
fn is_understood(words: &[&str]) {
    let here = party();
    let words: Vec<&str> = words
        .iter()
        .map(|word| match *word {
            "0.0.0.0:7000" | "0.0.0.0:443" | "127.0.0.1:9100" => ANY,
            word => word,
        })
        .collect();
    if words[0] == "relay" && !words.contains(&"--certificate") {
        here.start(&words).line_with("parties meet at");
        return;
    }
    let output = here.run(&words);
    assert_eq!(code(&output), 2, "{words:?}: {}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("cannot read /etc/veilset") || said.contains("chain.pem"), "{said}");
}

#[test]
fn the_examples_for_containers_are_read_and_understood() {
    for (file, lists) in [("compose.yaml", "command"), ("kubernetes.yaml", "args")] {
        let documents = YamlLoader::load_from_str(&example(file)).expect("YAML");
        let commands: Vec<Vec<&str>> = documents
            .iter()
            .flat_map(|document| under(document, lists))
            .map(|command| {
                let words = command.as_vec().expect("words").iter();
                words.map(|word| word.as_str().expect("a text")).collect()
            })
            .collect();
        assert!(!commands.is_empty(), "{file}");
        commands.iter().for_each(|words| is_understood(words));
        for variable in example(file).split(|c: char| !(c.is_ascii_uppercase() || c == '_')) {
            let known = ["VEILSET_HOME", "VEILSET_LOG_FORMAT"];
            assert!(!variable.starts_with("VEILSET_") || known.contains(&variable), "{variable}");
        }
    }
    let kubernetes = YamlLoader::load_from_str(&example("kubernetes.yaml")).expect("YAML");
    let codes: Vec<i64> = under(&kubernetes[0], "onExitCodes")[0]["values"]
        .as_vec()
        .expect("codes")
        .iter()
        .filter_map(Yaml::as_i64)
        .collect();
    let service = example("veilset-exchange@.service");
    let listed: Vec<String> = codes.iter().map(i64::to_string).collect();
    assert!(service.contains(&format!("RestartPreventExitStatus={}", listed.join(" "))));
    assert!(codes.iter().all(|code| *code != 4));
}

#[test]
fn the_examples_for_systemd_are_read_and_understood() {
    for name in ["veilset-exchange@.service", "veilset-relay.service"] {
        let text = example(name);
        let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/veilset "));
        let line = line.expect("a command").replace("%i", "acme");
        let line = line.replace("${CREDENTIALS_DIRECTORY}", "/nowhere");
        is_understood(&line.split(' ').collect::<Vec<_>>());
    }
    // The system's own reader, where there is one.
    let verify = Command::new("systemd-analyze").arg("--version").output();
    if !verify.is_ok_and(|output| output.status.success()) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["veilset-exchange@.service", "veilset-exchange@.timer", "veilset-relay.service"] {
        let text = example(name).replace("/usr/bin/veilset", PROGRAM);
        let name = name.replace("@.", "@acme.");
        fs::write(folder.path().join(&name), text).expect("writable");
        let path = folder.path().join(&name);
        let mut verify = Command::new("systemd-analyze");
        let verified = verify.arg("verify").arg("--recursive-errors=no").arg(&path).output();
        let said = stderr(&verified.expect("it starts"));
        let own: Vec<&str> = said.lines().filter(|line| line.contains(&name)).collect();
        assert!(own.is_empty(), "{said}");
    }
}
