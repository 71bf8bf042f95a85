//! Who sees the page.

use veilset_stage::{HttpAnswer, HttpClient};

use crate::support::{pair, start};

/// What anybody on this machine may have: it is the same for all.
const FILES: [&str; 15] = [
    "/",
    "/base.css",
    "/gate.js",
    "/page.css",
    "/week.css",
    "/order.css",
    "/main.js",
    "/dom.js",
    "/time.js",
    "/meeting.js",
    "/calendar.js",
    "/week.js",
    "/order.js",
    "/other.js",
    "/run.js",
];

fn assert_refused(answer: &HttpAnswer) {
    assert_eq!(answer.status, 403, "{}", answer.head);
    assert!(!answer.body.contains("veilset1") && !answer.head.contains("set-cookie"));
}

/// The header of a cookie with a page's secret, under every name that it might have.
fn cookies(secret: &str, host: &str) -> String {
    let port = host.rsplit(':').next().expect("a port");
    format!("Cookie: appoint_{port}={secret}; x-veilset-page={secret}; secret={secret}")
}

#[test]
fn one_browser_sees_the_page_and_ends_the_program() {
    let (alice, _) = pair();
    let (running, address) = start(&alice, &[]);
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let host = address.split('/').nth(2).expect("a host").to_owned();
    let stranger = HttpClient { host, secret: String::new() };
    for path in ["/setup", "/events", "/meeting.ics", "/setup?token=00"] {
        assert_refused(&stranger.get(path));
    }
    assert_refused(&stranger.post("/enter", ""));
    let (client, token) = HttpClient::open(&address);
    let second = HttpClient { host: client.host.clone(), secret: token };
    assert_refused(&second.post("/enter", ""));
    assert_refused(&second.get("/setup"));
    assert_refused(&client.ask("GET", "/setup", &["Host: rebound.example"], ""));
    assert_refused(&client.ask("GET", "/", &["Host: rebound.example"], ""));
    // A browser would send a cookie to every port of this machine: none opens anything.
    for secret in [&client.secret, &second.secret] {
        let cookies = cookies(secret, &client.host);
        assert_refused(&stranger.ask("GET", "/setup", &[&cookies], ""));
        let origin = format!("Origin: http://{}", client.host);
        assert_refused(&stranger.ask("POST", "/enter", &[&cookies, &origin], ""));
        assert_refused(&stranger.ask("POST", "/close", &[&cookies, &origin], ""));
    }
    for path in ["/close", "/run", "/times", "/calendar", "/calendar/fetch", "/pin", "/cancel"] {
        assert_refused(&client.ask("POST", path, &[], ""));
        assert_refused(&client.ask("POST", path, &["Origin: http://127.0.0.1:1"], ""));
        assert_refused(&stranger.post(path, ""));
    }

    let answers = ["/setup", "/meeting.ics", "/nothing"];
    for path in FILES.into_iter().chain(answers) {
        let HttpAnswer { head, status, body } = client.get(path);
        let missing = ["/meeting.ics", "/nothing"].contains(&path);
        assert_eq!(status, if missing { 404 } else { 200 }, "{path}");
        assert!(!head.contains("set-cookie"), "{path}: {head}");
        if FILES.contains(&path) {
            let same = stranger.get(path);
            assert_eq!((same.status, same.body), (200, body.clone()), "{path}");
        }
        for part in ["default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-store"] {
            assert!(head.contains(part), "{path} lacks {part}: {head}");
        }
        for outside in ["src=\"http", "href=\"http", "@import", "url(", " style=", " onclick="] {
            assert!(!body.contains(outside), "{path}: {outside}");
        }
    }
    let setup = client.get("/setup").json();
    assert_eq!(setup["own"], alice.key.as_str());
    assert_eq!(setup["peers"][0]["name"], "bob");

    assert_eq!(client.post("/close", "").status, 204);
    let (code, printed, said) = running.end();
    assert_eq!((code, printed.as_str()), (Some(0), ""), "{said}");
}

#[test]
fn the_script_finds_every_element_that_it_looks_for() {
    let (alice, _) = pair();
    let (_running, address) = start(&alice, &[]);
    let (client, _) = HttpClient::open(&address);
    let page = client.get("/").body;
    for path in FILES.iter().filter(|path| path.ends_with(".js")) {
        let script = client.get(path).body;
        let names = [" at(\"", "(at(\"", "!at(\"", "say(\""];
        for part in names.iter().flat_map(|name| script.split(name).skip(1)) {
            let id = part.split('"').next().expect("a name");
            assert!(page.contains(&format!(" id=\"{id}\"")), "{path} looks for {id}");
        }
    }
}

#[test]
fn flags_fill_the_page_and_wrong_ones_end_the_program() {
    let (alice, _) = pair();
    alice.copy(&["examples/agree/alice.ics", "examples/agree/likes.txt"]);
    let flags = "examples/agree/alice.ics --between 2027-03-29..2027-03-30 --length 45m,20m --step 15m \
        --hours 08:00-24:00 --zone Europe/London --weekends --prefer examples/agree/likes.txt \
        --scheme minimum-of-ranks --connect bob.example:7000 --peer bob --deadline 2s --port 0";
    let (_running, address) = start(&alice, &flags.split_whitespace().collect::<Vec<_>>());
    let (client, _) = HttpClient::open(&address);
    let setup = client.get("/setup").json();
    let presets = &setup["presets"];
    let expected = [
        ("first", "2027-03-29"),
        ("last", "2027-03-30"),
        ("from", "08:00"),
        ("to", "24:00"),
        ("zone", "Europe/London"),
        ("scheme", "minimum-of-ranks"),
        ("prefer", "rules"),
        ("peer", "bob"),
        ("address", "bob.example:7000"),
    ];
    for (field, value) in expected {
        assert_eq!(presets[field], value, "{presets}");
    }
    assert_eq!((&presets["length"], &presets["step"]), (&"45m,20m".into(), &15.into()));
    assert_eq!((&presets["weekends"], &presets["waits"]), (&true.into(), &false.into()));
    assert!(presets["rules"].as_str().is_some_and(|rules| rules.contains("tue 10:00-12:00")));
    assert_eq!(setup["calendar"]["events"], 5);

    for (wrong, said) in [
        (vec!["nowhere.ics"], "there is no such file"),
        (vec!["ftp://calendar.example/secret"], "https:// or http://"),
        (vec!["--zone", "Mars"], "time zone of the IANA database"),
        (vec!["--step", "7m"], "whole number of steps"),
        (vec!["--prefer", "evenings"], "neither mornings"),
        (vec!["--protocol", "dh"], "3pr-dh"),
    ] {
        let output = alice.run(&wrong);
        assert_eq!(veilset_stage::code(&output), 2);
        let text = veilset_stage::stderr(&output);
        assert!(text.contains(said) && !text.contains("secret"), "{text}");
    }
}
