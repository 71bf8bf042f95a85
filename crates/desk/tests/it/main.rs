//! Two desks, as two pages use them, over a relay.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use veilset::net::Stop;
use veilset::party::Home;
use veilset::relay::{Limits, Options, Relay};
use veilset_desk::{Answer, Desk, Place, Refusal};

/// How long anything may take before a test gives up: longer than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page with its desk.
struct Page {
    desk: Arc<Desk>,
    events: Mutex<Receiver<Value>>,
    _home: TempDir,
}

impl Page {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let (tell, events) = channel();
        let place = Place { threads: 2, memory: None, folder: None, has_files: false };
        let tell = move |event| drop(tell.send(event));
        let desk = Desk::new(Home::new(home.path().join("home")), place, tell);
        Self { desk, events: Mutex::new(events), _home: home }
    }

    fn ask(&self, call: &str, args: Value) -> Value {
        self.asked(call, &args, Vec::new()).expect(call).value
    }

    fn asked(&self, call: &str, args: &Value, bytes: Vec<u8>) -> Result<Answer, Refusal> {
        self.desk.call(call, args, bytes)
    }

    fn refused(&self, call: &str, args: Value) -> String {
        let refusal = self.asked(call, &args, Vec::new()).expect_err(call);
        refusal.object()["message"].as_str().expect("a text").to_owned()
    }

    /// The next event of this name.
    fn event(&self, name: &str) -> Value {
        let events = self.events.lock().expect("no panic");
        loop {
            let event = events.recv_timeout(PATIENCE).expect(name);
            assert!(name == "failed" || event["event"] != "failed", "{event}");
            if event["event"] == name {
                return event;
            }
        }
    }

    fn open(&self, name: &str, text: &str) -> Value {
        let opened = self.asked("open", &json!({ "name": name }), text.as_bytes().to_vec());
        opened.expect("a list").value
    }
}

/// A relay that lives as long as this.
struct Served {
    url: String,
    stop: Stop,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

fn relay() -> Served {
    let relay = Relay::bind("127.0.0.1:0").expect("a free port");
    let url = format!("ws://{}", relay.local_addr());
    let stop = Stop::new();
    let options = Options {
        limits: Limits::default(),
        certificates: None,
        behind_proxy: false,
        page: None,
        metrics: None,
        threads: 1,
        grace: Duration::ZERO,
    };
    let stopped = stop.clone();
    thread::spawn(move || relay.serve(&options, &stopped, &stopped.clone(), |_| ()));
    Served { url, stop }
}

/// Two pages that know each other, by an invitation to this operation.
fn introduced(relay: &Served, operation: &str) -> (Page, Page) {
    let (shop, clinic) = (Page::new(), Page::new());
    introduce(relay, [("shop", &shop), ("clinic", &clinic)], operation);
    (shop, clinic)
}

/// The first of two pages of these names invites the second.
fn introduce(relay: &Served, [host, guest]: [(&str, &Page); 2], operation: &str) {
    thread::scope(|scope| {
        let args = json!({
            "name": guest.0, "via": relay.url, "me": host.0, "operation": operation,
            "key": "Mail:email", "learn": "both",
        });
        let inviting = scope.spawn(|| host.1.ask("invite", args));
        let link = host.1.event("code")["link"].as_str().expect("a link").to_owned();
        let accepted = guest.1.ask("accept", json!({ "link": link }));
        let invited = inviting.join().expect("no panic");
        assert_eq!(accepted["peer"]["words"], invited["peer"]["words"]);
        assert_eq!(accepted["peer"]["name"], host.0);
        assert_eq!(accepted["agreement"]["operation"], operation);
        let via = accepted["agreement"]["via"].as_str().expect("a relay");
        assert_eq!(via, relay.url);
    });
}

const SHOP: &str =
    "Mail,Since\nann@example.com,2019\nBEN@example.com ,2020\neve@example.com,2021\n";
const CLINIC: &str =
    "Name,Mail\nBen,ben@example.com\nCat,cat@example.com\nEve,eve@example.com\nNo,\n";

/// Runs it on both sides, and returns what each was told at the end.
fn run(shop: &Page, clinic: &Page, operation: &str) -> [Value; 2] {
    let begin = |page: &Page, peer: &str, name: &str, text: &str| {
        let list = page.open(name, text);
        assert_eq!(list["suggestion"], "Mail:email");
        let args = json!({
            "list": list["list"], "peers": [peer], "keys": ["Mail:email"], "operation": operation,
        });
        page.ask("run", args);
    };
    begin(shop, "clinic", "shop.csv", SHOP);
    begin(clinic, "shop", "clinic.csv", CLINIC);
    for page in [shop, clinic] {
        let terms = page.event("terms");
        assert_eq!(terms["briefing"]["operation"], operation);
        let price = &terms["briefing"]["price"];
        assert!(
            price["seconds"].as_f64() > Some(0.0) && price["sent"].as_u64() > Some(0),
            "{price}"
        );
        page.ask("consent", json!({ "run": terms["run"], "yes": true }));
    }
    [shop, clinic].map(|page| {
        let told = page.event("progress");
        assert!(told["sent"].as_u64() > Some(0) && told["received"].as_u64() > Some(0), "{told}");
        page.event("done")
    })
}

#[test]
fn two_pages_get_from_an_invitation_to_rows_and_receipts() {
    let relay = relay();
    let (shop, clinic) = introduced(&relay, "intersect");
    let [at_shop, at_clinic] = run(&shop, &clinic, "intersect");
    assert_eq!(at_shop["counts"], json!({ "own": 3, "peer": 3, "common": 2 }));
    assert_eq!((&at_clinic["rows"], &at_clinic["report"]["empty"]), (&json!(2), &json!(1)));
    let save = |page: &Page, done: &Value, what: &str| {
        let args = json!({ "run": done["run"], "what": what });
        page.asked("save", &args, Vec::new()).expect(what)
    };
    let rows = save(&clinic, &at_clinic, "rows");
    assert_eq!(rows.value["name"], "clinic-result.csv");
    let text = String::from_utf8(rows.bytes).expect("text");
    assert_eq!(text, "Name,Mail\nBen,ben@example.com\nEve,eve@example.com\n");
    // Both signed the same.
    let receipts = [(&shop, &at_shop), (&clinic, &at_clinic)].map(|(page, done)| {
        let receipt = save(page, done, "receipt").bytes;
        let receipt: Value = serde_json::from_slice(&receipt).expect("JSON");
        let history = page.ask("history", json!({}));
        let entry = &history["entries"][0];
        assert_eq!((&entry["ending"], &entry["signed"]), (&json!("complete"), &json!(true)));
        assert_eq!(entry["run"], done["report"]["run"]);
        receipt["statement"].clone()
    });
    assert_eq!(receipts[0], receipts[1]);
    let again = json!({ "run": at_shop["report"]["run"], "what": "receipt" });
    assert!(!shop.asked("save", &again, Vec::new()).expect("kept").bytes.is_empty());
}

const SCHOOL: &str = "Mail\nben@example.com\ndan@example.com\n";

/// What two lists have in common, and all three; then some learn which, and one does not.
#[test]
fn three_pages_see_what_their_lists_share() {
    let relay = relay();
    let pages = [(); 3].map(|()| Page::new());
    let named = ["shop", "clinic", "school"];
    for (host, guest) in [(0, 1), (0, 2), (1, 2)] {
        let both = [host, guest].map(|at: usize| (named[at], &pages[at]));
        introduce(&relay, both, "count");
    }
    let run = |more: [Value; 3]| {
        for (own, (page, more)) in pages.iter().zip(more).enumerate() {
            let list = page.open("list.csv", [SHOP, CLINIC, SCHOOL][own])["list"].clone();
            let peers = named.iter().filter(|other| **other != named[own]);
            let mut args = json!({
                "list": list, "peers": peers.collect::<Vec<_>>(), "keys": ["Mail:email"],
            });
            let more = more.as_object().expect("an object").clone();
            args.as_object_mut().expect("an object").extend(more);
            page.ask("run", args);
        }
        for page in &pages {
            let terms = page.event("terms");
            assert_eq!(terms["briefing"]["peers"].as_array().map(Vec::len), Some(2));
            page.ask("consent", json!({ "run": terms["run"], "yes": true }));
        }
        pages.each_ref().map(|page| page.event("done"))
    };
    let overlaps = [(); 3].map(|()| json!({ "operation": "overlaps" }));
    for (own, done) in run(overlaps).into_iter().enumerate() {
        let sets = done["counts"]["sets"].as_array().expect("lists");
        let name = |place: &Value| {
            let name = sets[place.as_u64().expect("a place") as usize]["name"].as_str();
            named.iter().position(|known| Some(*known) == name).unwrap_or(own)
        };
        let shared = done["counts"]["shared"].as_array().expect("groups").iter();
        let shared: BTreeMap<Vec<usize>, u64> = shared
            .map(|group| {
                let of = group["of"].as_array().expect("places").iter().map(name);
                let mut of: Vec<usize> = of.collect();
                of.sort_unstable();
                (of, group["count"].as_u64().expect("a number"))
            })
            .collect();
        let expected = [(vec![0, 1], 2), (vec![0, 2], 1), (vec![1, 2], 1), (vec![0, 1, 2], 1)];
        assert_eq!(shared, BTreeMap::from(expected));
    }
    let seats = [["me", "school"], ["shop", "school"], ["shop", "me"]];
    let some = seats.map(|learners| json!({ "operation": "intersect", "learners": learners }));
    let [shop, clinic, school] = run(some);
    assert_eq!((&shop["rows"], &school["rows"]), (&json!(1), &json!(1)));
    let all = json!([{ "of": [0, 1, 2], "count": 1 }]);
    assert_eq!((&shop["counts"]["shared"], &clinic["counts"]), (&all, &Value::Null));
    assert_eq!((&clinic["rows"], &clinic["report"]["learn"]), (&Value::Null, &json!("peer")));

    let list = pages[0].open("list.csv", SHOP)["list"].clone();
    let with = |more: &[&str]| {
        let args = json!({
            "list": list, "peers": ["clinic", "school"], "keys": ["Mail:email"], "operation": "union",
        });
        let seats = json!({ "operation": "count", "learners": more });
        let mut args = args.as_object().expect("an object").clone();
        if !more.is_empty() {
            args.extend(seats.as_object().expect("an object").clone());
        }
        pages[0].refused("run", Value::Object(args))
    };
    assert!(with(&[]).contains("they compute intersect, count and overlaps"));
    assert!(with(&["zoe"]).contains("zoe is none of the parties"));
}

#[test]
fn a_no_ends_both_and_says_so() {
    let relay = relay();
    let (shop, clinic) = introduced(&relay, "count");
    for (page, peer, text) in [(&shop, "clinic", SHOP), (&clinic, "shop", CLINIC)] {
        let list = page.open("list.csv", text)["list"].clone();
        let args =
            json!({ "list": list, "peers": [peer], "keys": ["Mail:email"], "operation": "count" });
        page.ask("run", args);
    }
    let terms = shop.event("terms");
    let asked = clinic.event("terms");
    shop.ask("consent", json!({ "run": terms["run"], "yes": false }));
    shop.ask("stop", json!({ "run": terms["run"] }));
    let said = shop.event("failed");
    assert!(said["message"].as_str().expect("a text").contains("you said no"), "{said}");
    let heard = clinic.event("failed");
    assert_eq!(heard["run"], asked["run"]);
    let text = heard["message"].as_str().expect("a text");
    assert!(text.contains("declined"), "{text}");
}

#[test]
fn a_list_shows_its_columns_and_its_dirt() {
    let page = Page::new();
    let list = page.open("clinic.csv", CLINIC);
    let looks: BTreeMap<&str, &Value> = list["columns"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| (column["name"].as_str().expect("a name"), &column["looks_like"]))
        .collect();
    assert_eq!(looks["Mail"], "email");
    let report = page.ask("check", json!({ "list": list["list"], "keys": ["Mail:email"] }));
    assert_eq!((&report["rows"], &report["empty"]), (&json!(4), &json!(1)));
    for (call, args, said) in [
        ("check", json!({ "list": list["list"], "keys": ["Post:email"] }), "Post"),
        ("check", json!({ "list": 99, "keys": ["Mail:email"] }), "gone"),
        ("open", json!({ "path": "/etc/passwd" }), "nobody gave it"),
        ("accept", json!({ "link": "7KQ2-9FM4-TX3H" }), "without its relay"),
        ("accept", json!({ "link": "https://relay.example/" }), "lost its part"),
        ("run", json!({ "list": list["list"], "peers": ["zoe"] }), "zoe"),
        ("run", json!({ "list": list["list"] }), "nobody is named"),
        ("consent", json!({ "run": 5, "yes": true }), "gone"),
        ("fly", json!({}), "fly"),
    ] {
        let message = page.refused(call, args);
        assert!(message.contains(said), "{call}: {message}");
    }
}

#[test]
fn a_desk_keeps_the_lists_that_were_opened_last() {
    let page = Page::new();
    let numbers: Vec<Value> =
        (0..4).map(|_| page.open("clinic.csv", CLINIC)["list"].clone()).collect();
    let check = |list: &Value| json!({ "list": list, "keys": ["Mail:email"] });
    assert!(page.refused("check", check(&numbers[0])).contains("gone"));
    for kept in &numbers[1..] {
        assert_eq!(page.ask("check", check(kept))["rows"], 4);
    }
}

#[test]
fn a_key_moves_to_another_browser_before_it_is_used_there() {
    let (one, other) = (Page::new(), Page::new());
    let key = one.ask("me", json!({}))["key"].clone();
    assert_ne!(other.ask("me", json!({}))["key"], key);
    let saved = one.asked("identity.export", &json!({}), Vec::new()).expect("there");
    let taken = other.asked("identity.import", &json!({}), saved.bytes).expect("a key");
    assert_eq!(taken.value["key"], key);
    assert_eq!(other.ask("me", json!({}))["key"], key);
    assert!(other.asked("identity.import", &json!({}), b"no key".to_vec()).is_err());
    assert_eq!(other.ask("me", json!({}))["key"], key);
}
