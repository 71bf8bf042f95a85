//! The page over HTTP: who sees it, and what it says.

use serde_json::{Value, json};
use veilset_stage::{Browser, HttpAnswer, HttpClient, NOBODY, Party, Relay, Running};

use crate::support::{SCREEN, await_end, pair, serve};

/// An airline's screening with a page, towards `address`, and the page's address.
fn screening(airline: &Party, address: &str, flags: &[&str]) -> (Running, String) {
    let args = [&SCREEN[..], &["--connect", address, "--page"], flags].concat();
    let mut screening = Running::start(airline.command(&args));
    let line = screening.line_with("page: ");
    (screening, line.trim_start_matches("page: ").to_owned())
}

fn parties() -> (Party, Party) {
    let (authority, airline) = pair();
    authority.file("list.csv", "id\nB2\nX9\n");
    airline.file("manifest.csv", "seat,id\n1A,A1\n1B,B2\n1C,<b>C3</b>\n1D,B2\n");
    (authority, airline)
}

fn listed(rows: &Value) -> Vec<(u64, bool)> {
    let rows = rows["rows"].as_array().expect("rows");
    let row = |row: &Value| (row["row"].as_u64().expect("a number"), row["listed"] == true);
    rows.iter().map(row).collect()
}

fn assert_refused(answer: &HttpAnswer) {
    assert_eq!(answer.status, 403, "{}", answer.head);
    assert!(!answer.body.contains("A1") && !answer.head.contains("set-cookie"));
}

#[test]
fn one_browser_sees_the_screening_and_ends_it() {
    let (authority, airline) = parties();
    let relay = Relay::start();
    let (screening, page) = screening(&airline, &relay.address, &[]);
    assert!(page.starts_with("http://127.0.0.1:"), "{page}");
    let host = page.split('/').nth(2).expect("a host").to_owned();
    let stranger = HttpClient { host, secret: String::new() };
    for path in ["/state", "/rows", "/state?token=00"] {
        assert_refused(&stranger.get(path));
    }

    let (browser, token) = HttpClient::open(&page);
    let second = HttpClient { host: browser.host.clone(), secret: token };
    assert_refused(&second.post("/enter", ""));
    assert_refused(&second.get("/state"));
    let cookie = format!("Cookie: x-veilset-page={0}; secret={0}", browser.secret);
    assert_refused(&stranger.ask("GET", "/rows", &[&cookie], ""));
    assert_refused(&browser.ask("GET", "/rows", &["Host: rebound.example"], ""));
    assert_refused(&browser.ask("POST", "/close", &[], ""));
    assert_refused(&browser.ask("POST", "/close", &["Origin: http://127.0.0.1:1"], ""));

    let waiting = browser.get("/state").json();
    assert_eq!(waiting["stage"], "waiting");
    assert_eq!((&waiting["manifest"], &waiting["rows"]), (&"manifest.csv".into(), &4.into()));
    assert_eq!((&waiting["result"], &waiting["steps"]), (&Value::Null, &json!([])));
    let rows = browser.get("/rows").json();
    assert_eq!(rows["columns"], json!(["seat", "id"]));
    assert_eq!(rows["rows"][2]["cells"], json!(["1C", "<b>C3</b>"]));
    assert_eq!(listed(&rows), [(1, false), (2, false), (3, false), (4, false)]);

    let mut server = serve(&authority, "airline", &[]);
    relay.to(&server.address());
    let done = await_end(&browser);
    assert_eq!(done["stage"], "done", "{done}");
    assert_eq!(done["result"]["result"], json!({ "count": 1, "rows": 2 }));
    assert_eq!(done["briefing"]["peer_distinct"], 2);
    let learned = done["briefing"]["learned"].as_str().expect("a sentence");
    assert!(learned.contains("You learn: which of your rows match"), "{learned}");
    let steps = done["steps"].as_array().expect("steps");
    assert!(steps.iter().all(|step| step["name"].is_string() && step["total"].is_u64()), "{done}");
    let modules = done["result"]["modules"].as_array().expect("sub-modules");
    assert_eq!(modules[0]["name"], "agreement");
    assert!(modules.iter().all(|module| module["seconds"].is_f64() && module["sent"].is_u64()));
    let rows = browser.get("/rows").json();
    assert_eq!((&rows["total"], &rows["listed"]), (&4.into(), &2.into()));
    assert_eq!(listed(&rows), [(1, false), (2, true), (3, false), (4, true)]);

    assert_eq!(browser.post("/close", "").status, 204);
    let (code, printed, said) = screening.end();
    assert_eq!((code, printed.as_str()), (Some(0), "seat,id\n1B,B2\n1D,B2\n"), "{said}");
    server.signal("INT");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn every_answer_forbids_what_the_page_does_not_need() {
    let (_, airline) = parties();
    let (screening, page) = screening(&airline, NOBODY, &[]);
    let (browser, _) = HttpClient::open(&page);
    for path in ["/", "/base.css", "/gate.js", "/page.css", "/page.js", "/state", "/nothing"] {
        let HttpAnswer { head, status, .. } = browser.get(path);
        assert_eq!(status, if path == "/nothing" { 404 } else { 200 });
        assert!(!head.contains("set-cookie"), "{path}: {head}");
        for part in ["default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-store"] {
            assert!(head.contains(part), "{path} lacks {part}: {head}");
        }
    }
    let html = browser.get("/").body;
    assert!(!html.contains("http") && !html.contains(" style=") && !html.contains(" onclick="));
    let script = browser.get("/page.js").body;
    let parts = script.split("at(\"").skip(1).map(|rest| rest.split('"').next().expect("a name"));
    for id in parts {
        assert!(html.contains(&format!(" id=\"{id}\"")), "the script looks for {id}");
    }
    screening.signal("TERM");
    assert_eq!(screening.end().0, None, "a signal ends a screening without a result");
}

#[test]
fn hits_come_first_and_nothing_is_cut_on_a_telephone() {
    let (authority, airline) = pair();
    let header = "id,family name,given name,seat,booking,from,to,remarks\n";
    let row = |n: usize| {
        format!(
            "P{n},Featherstonehaugh,Wilhelmina,{n}A,BK{n:08},Amsterdam,Buenos Aires,wheelchair and a very long remark\n"
        )
    };
    airline.file("manifest.csv", &format!("{header}{}", (0..60).map(row).collect::<String>()));
    authority.file("list.csv", "id\nP40\nP57\nX9\n");
    let mut server = serve(&authority, "airline", &[]);
    let (_screening, page) = screening(&airline, &server.address(), &[]);
    let browser = Browser::start();
    let tab = browser.open(&page);
    tab.wait_for("document.querySelector('#verdict').className === 'listed'");
    tab.wait_for("document.querySelectorAll('#rows tr').length === 2");
    let rows = "[...document.querySelectorAll('#rows .row-number')].map((e) => e.textContent)";
    assert_eq!(tab.eval(rows), json!(["41", "58"]), "what was screened for is there at once");
    assert_eq!(tab.eval("document.querySelector('#cost').open"), false);
    let order = "[...document.querySelectorAll('main > *')].map((e) => e.id || 'verdict')";
    assert_eq!(tab.eval(order), json!(["verdict", "manifest", "cost"]));
    tab.click("#cost summary");
    tab.wait_for("document.querySelector('#cost').open");
    for (width, dark) in [(360, false), (360, true), (480, false)] {
        tab.size(width, 800);
        tab.dark(dark);
        let beyond = "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && \
            !e.closest('thead, .unseen') && e.getBoundingClientRect().right > innerWidth + 1).length";
        assert_eq!(tab.eval(beyond), 0, "{width}");
        let cut = "[document.documentElement, ...document.querySelectorAll('.scroll')]\
            .filter((e) => e.scrollWidth > e.clientWidth).length";
        assert_eq!(tab.eval(cut), 0, "{width}");
    }
    let first = tab.eval("document.querySelector('#rows tr').innerText");
    let first = first.as_str().expect("text");
    assert!(first.contains("Buenos Aires") && first.contains("on the list"), "{first}");
    tab.click("#all");
    tab.wait_for("document.querySelectorAll('#rows tr').length === 60");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_tab_keeps_what_opened_it_and_no_other_gets_in() {
    let (_, airline) = parties();
    let (_screening, page) = screening(&airline, NOBODY, &[]);
    let browser = Browser::start();
    let tab = browser.open(&page);
    tab.wait_for("document.querySelectorAll('#rows tr').length === 4");
    assert_eq!(tab.eval("[location.hash, location.search, document.cookie]"), json!(["", "", ""]));
    // As when somebody loads it again.
    tab.go(page.split('#').next().expect("an address"));
    tab.wait_for("document.querySelectorAll('#rows tr').length === 4");
    assert_eq!(tab.cookies(), json!([]));
    let second = browser.open(&page);
    second.wait_for("document.querySelector('#refused')");
    assert!(second.text("#refused").contains("once, in one tab"));
    assert!(!second.text("body").contains("A1"));
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn an_interrupt_after_the_result_is_no_failure() {
    let (authority, airline) = parties();
    let mut server = serve(&authority, "airline", &[]);
    let (screening, page) = screening(&airline, &server.address(), &["--json", "--quiet"]);
    let (browser, _) = HttpClient::open(&page);
    assert_eq!(await_end(&browser)["stage"], "done");
    screening.signal("INT");
    let (code, printed, said) = screening.end();
    assert_eq!(code, Some(0), "{said}");
    let object: Value = serde_json::from_str(&printed).expect("one object");
    assert_eq!(object["result"]["count"], 1);
    server.signal("INT");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_failure_is_shown_before_the_end() {
    let (_, airline) = parties();
    let (screening, page) = screening(&airline, NOBODY, &["--deadline", "2s"]);
    let (browser, _) = HttpClient::open(&page);
    let failed = await_end(&browser);
    assert_eq!(failed["stage"], "failed");
    assert!(failed["error"].as_str().is_some_and(|why| why.contains("127.0.0.1")), "{failed}");
    assert_eq!(screening.end().0, Some(4));
}

#[test]
fn the_page_says_what_is_withheld() {
    let (authority, airline) = parties();
    for party in [&authority, &airline] {
        party.file("home/policy.toml", "least = 3\n");
    }
    let mut server = serve(&authority, "airline", &[]);
    let (_screening, page) = screening(&airline, &server.address(), &[]);
    let browser = Browser::start();
    let tab = browser.open(&page);
    tab.wait_for("document.querySelector('#verdict').className === 'failed'");
    assert_eq!(tab.text("#verdict"), "Withheld: fewer than 3 matches");
    tab.wait_for("document.querySelectorAll('#rows tr').length === 4");
    assert!(
        tab.text("#learned").contains("If fewer than 3 keys match"),
        "{}",
        tab.text("#learned")
    );
    assert_eq!(tab.faults(), [""; 0]);
}
