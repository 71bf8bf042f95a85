//! A party on a page. With only a browser, it gets from a link to saved rows. The page's module is there after `make page`, which says so where a machine
//! has no tools for it; then there is nothing to test here.

use std::path::PathBuf;

use serde_json::json;
use veilset_stage::{Browser, Party, Running, Tab, code, root, stderr, stdout};

use crate::invite::inviting;
use crate::support::{ANY, PROGRAM, party};

/// The folder of the page, if it was made.
fn page() -> Option<PathBuf> {
    let folder = root().join("target/page");
    folder.join("veilset.wasm").exists().then_some(folder)
}

/// A relay that shows the page, and its URL for programs.
fn relay(host: &Party, page: &std::path::Path) -> (Running, String) {
    let page = page.display().to_string();
    let mut relay = host.start(&["relay", "--listen", ANY, "--page", &page]);
    let line = relay.line_with("parties meet at");
    let address = line.split(" at ").nth(1).and_then(|rest| rest.split(' ').next());
    let url = format!("ws://{}", address.expect("an address"));
    (relay, url)
}

/// Presses the button with this text, once it is there.
fn press(tab: &Tab<'_>, text: &str) {
    let button = format!(
        "[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === {text:?} && !one.disabled)"
    );
    tab.wait_for(&format!("{button} !== undefined"));
    tab.eval(&format!("{button}.click()"));
}

/// Waits for a text on the page.
fn sees(tab: &Tab<'_>, text: &str) {
    tab.wait_for(&format!("document.body.textContent.includes({text:?})"));
}

/// Keys of two lists that share every third.
fn list(name: &str, count: usize, every: usize) -> String {
    let row = |row: usize| match row % every {
        0 => format!("Person {row},both{row}@example.com\n"),
        _ => format!("Person {row},{name}{row}@example.com\n"),
    };
    ["Name,Mail\n".to_owned()].into_iter().chain((0..count).map(row)).collect()
}

#[test]
fn a_partner_with_only_a_browser_gets_from_a_link_to_its_rows() {
    let Some(folder) = page() else { return };
    let (host, shop) = (party(), party());
    let (_relay, url) = relay(&host, &folder);
    shop.file("customers.csv", &list("shop", 300, 3));
    let offer = ["--me", "shop", "--operation", "intersect", "--key", "Mail:email"];
    let (inviting, link) = inviting(&shop, &[&["clinic", "--via", &url], &offer[..]].concat());
    let browser = Browser::start();
    let tab = browser.open(&link);
    press(&tab, "Accept the invitation");
    sees(&tab, "Compare lists with shop");
    let invited = inviting.output();
    assert_eq!(code(&invited), 0, "{}", stderr(&invited));
    host.file("patients.csv", &list("clinic", 240, 3));
    tab.choose("input[type=file]", &host.path("patients.csv"));
    press(&tab, "Start");
    let run = shop.start(&["run", "clinic", "customers.csv", "--yes", "--output", "matches.csv"]);
    press(&tab, "I agree");
    press(&tab, "Save the rows");
    let saved = browser.downloads().join("patients-result.csv");
    tab.wait_for_file(&saved);
    let ran = run.output();
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    let want: String = ["Name,Mail\n".to_owned()]
        .into_iter()
        .chain((0..240).step_by(3).map(|row| format!("Person {row},both{row}@example.com\n")))
        .collect();
    assert_eq!(std::fs::read_to_string(&saved).expect("saved"), want);
    assert_eq!(shop.read("matches.csv"), want);
    assert_eq!(tab.faults(), Vec::<String>::new());
}

/// The address of a console, which it prints.
fn console(party: &Party) -> (Running, String) {
    let mut command = party.shell(&format!("exec {PROGRAM} console > address.txt"));
    command.stdout(std::process::Stdio::null());
    let mut running = Running::start(command);
    running.line_with("open this address");
    let written = party.path("address.txt");
    // The line comes right behind the one that announces it.
    while std::fs::read_to_string(&written).map_or(true, |text| !text.ends_with('\n')) {
        std::thread::yield_now();
    }
    let address = party.read("address.txt").trim().to_owned();
    (running, address)
}

#[test]
fn a_console_shows_this_party_and_reads_lists_of_this_machine() {
    let (shop, acme) = (party(), party());
    shop.pin("acme", &acme);
    shop.file("customers.csv", "Mail\nann@example.org\nANN@example.org \n\n");
    let (running, address) = console(&shop);
    let browser = Browser::start();
    let tab = browser.open(&address);
    sees(&tab, "acme");
    let asked = |call: &str| {
        tab.eval(&format!(
            "import('./backend.js').then(({{ backend }}) => {call}).then((one) => one, (why) => why.message)"
        ))
    };
    let own = stdout(&shop.run(&["id"]));
    assert_eq!(asked("backend.call('me')")["key"], own.trim());
    let path = shop.path("customers.csv").display().to_string();
    let list = asked(&format!("backend.call('open', {{ path: {path:?} }})"));
    assert_eq!((&list["rows"], &list["suggestion"]), (&json!(2), &json!("Mail:email")));
    let number = &list["list"];
    let report =
        asked(&format!("backend.call('check', {{ list: {number}, keys: ['Mail:email'] }})"));
    assert_eq!((&report["distinct"], &report["duplicates"]), (&json!(1), &json!(1)));
    let refused = asked("backend.call('identity.export')");
    assert_eq!(refused, "the key of a program stays in its folder");
    assert_eq!(tab.faults(), Vec::<String>::new());
    running.signal("INT");
    assert_eq!(code(&running.output()), 0);
}
