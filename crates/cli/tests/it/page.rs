//! A party on a page. With only a browser, it gets from a link to saved rows. The page's module is there after `scripts/page`, which says so where a
//! machine has no tools for it, or after `make page`; else there is nothing to test here.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::json;
use veilset_stage::{Browser, Party, Running, Tab, code, commands, root, stderr, stdout};

use crate::invite::inviting;
use crate::support::{ANY, PROGRAM, party};

/// The folder of the page, if it was made.
fn page() -> Option<PathBuf> {
    let folders = ["target/tests/page", "target/page"].map(|folder| root().join(folder));
    folders.into_iter().find(|folder| folder.join("veilset.wasm").exists())
}

/// A relay that shows the page, and its URL for programs.
fn relay(host: &Party, page: &Path) -> (Running, String) {
    let page = page.display().to_string();
    let mut relay = host.start(&["relay", "--listen", ANY, "--page", &page]);
    let line = relay.line_with("parties meet at");
    let address = line.split(" at ").nth(1).and_then(|rest| rest.split(' ').next());
    let url = format!("ws://{}", address.expect("an address"));
    (relay, url)
}

/// Waits for a button with this text, and names it.
fn button(tab: &Tab<'_>, text: &str) -> String {
    let button = format!(
        "[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === {text:?} && !one.disabled)"
    );
    tab.wait_for(&button);
    button
}

/// Presses the button with this text, once it is there.
fn press(tab: &Tab<'_>, text: &str) {
    let button = button(tab, text);
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

/// Of a list of `count` rows those that the other has, too.
fn shared(count: usize) -> String {
    let row = |row: usize| format!("Person {row},both{row}@example.com\n");
    ["Name,Mail\n".to_owned()].into_iter().chain((0..count).step_by(3).map(row)).collect()
}

/// Fills in the field with this label.
fn fill(tab: &Tab<'_>, label: &str, value: &str) {
    let id = tab.eval(&format!(
        "[...document.querySelectorAll('label')].find((one) => one.textContent === {label:?}).htmlFor"
    ));
    tab.fill(&format!("#{}", id.as_str().expect("a field")), value);
}

/// Accepts the invitation of `peer` in a tab.
fn accept(tab: &Tab<'_>, peer: &str) {
    press(tab, "Accept the invitation");
    sees(tab, &format!("Compare lists with {peer}"));
}

/// Chooses a list and starts the run.
fn start(tab: &Tab<'_>, list: &Path) {
    tab.wait_for("document.querySelector('input[type=file]')");
    tab.choose("input[type=file]", list);
    press(tab, "Start");
}

/// Saves the rows once they are there, and reads them.
fn saved(browser: &Browser, tab: &Tab<'_>, name: &str) -> String {
    press(tab, "Save the rows");
    let file = browser.downloads().join(name);
    tab.wait_for_file(&file);
    std::fs::read_to_string(&file).expect("saved")
}

/// A tab in which the clinic has accepted the shop's invitation, and begun with a list of its own. The shop has one, too.
fn partner<'a>(browser: &'a Browser, host: &Party, shop: &Party, url: &str) -> Tab<'a> {
    let offer = ["--me", "shop", "--operation", "intersect", "--key", "Mail:email"];
    let (inviting, link) = inviting(shop, &[&["clinic", "--via", url], &offer[..]].concat());
    let tab = browser.open(&link);
    accept(&tab, "shop");
    let invited = inviting.output();
    assert_eq!(code(&invited), 0, "{}", stderr(&invited));
    shop.file("customers.csv", &list("shop", 300, 3));
    host.file("patients.csv", &list("clinic", 240, 3));
    start(&tab, &host.path("patients.csv"));
    tab
}

fn a_partner_gets_from_a_link_to_its_rows(browser: &Browser) {
    let Some(folder) = page() else { return };
    let (host, shop) = (party(), party());
    let (_relay, url) = relay(&host, &folder);
    let tab = partner(browser, &host, &shop, &url);
    let run = shop.start(&["run", "clinic", "customers.csv", "--yes", "--output", "matches.csv"]);
    press(&tab, "I agree");
    let rows = saved(browser, &tab, "patients-result.csv");
    let ran = run.output();
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    assert_eq!((rows, shop.read("matches.csv")), (shared(240), shared(240)));
    assert_eq!(tab.faults(), Vec::<String>::new());
}

#[test]
fn a_partner_with_only_chromium_gets_from_a_link_to_its_rows() {
    a_partner_gets_from_a_link_to_its_rows(&Browser::start());
}

#[test]
fn a_partner_with_only_firefox_gets_from_a_link_to_its_rows() {
    a_partner_gets_from_a_link_to_its_rows(&Browser::firefox());
}

#[test]
fn a_tab_that_breaks_loses_nothing_but_the_run() {
    let Some(folder) = page() else { return };
    let browser = Browser::start();
    let (host, shop) = (party(), party());
    let (_relay, url) = relay(&host, &folder);
    let tab = partner(&browser, &host, &shop, &url);
    let run = shop.start(&["run", "clinic", "customers.csv", "--yes", "--deadline", "30s"]);
    button(&tab, "I agree");
    tab.go(&url.replace("ws://", "http://"));
    sees(&tab, "You agreed to find the entries that are on both lists");
    let ran = run.output();
    assert_eq!(code(&ran), 4, "{}", stderr(&ran));
}

/// A browser that has no room says so before anything is agreed on, and the link is good once there is some.
#[test]
fn a_full_store_is_said_and_takes_nothing_from_the_invitation() {
    let Some(folder) = page() else { return };
    let (host, shop) = (party(), party());
    let (_relay, url) = relay(&host, &folder);
    let browser = Browser::start();
    let offer = ["--me", "shop", "--operation", "intersect", "--key", "Mail:email"];
    let (inviting, link) = inviting(&shop, &[&["clinic", "--via", &url], &offer[..]].concat());
    let tab = browser.open(&link);
    button(&tab, "Accept the invitation");
    tab.quota(1);
    press(&tab, "Accept the invitation");
    sees(&tab, "the browser did not keep it; free space on its disk");
    tab.quota(1 << 30);
    accept(&tab, "shop");
    let invited = inviting.output();
    assert_eq!(code(&invited), 0, "{}", stderr(&invited));
}

#[test]
fn two_empty_lists_have_a_result_and_a_picture() {
    let Some(folder) = page() else { return };
    let (host, shop) = (party(), party());
    let (_relay, url) = relay(&host, &folder);
    let browser = Browser::start();
    let offer = ["--me", "shop", "--operation", "intersect", "--key", "Mail:email"];
    let (inviting, link) = inviting(&shop, &[&["clinic", "--via", &url], &offer[..]].concat());
    let tab = browser.open(&link);
    accept(&tab, "shop");
    assert_eq!(code(&inviting.output()), 0);
    shop.file("customers.csv", "Name,Mail\n");
    host.file("patients.csv", "Name,Mail\n");
    start(&tab, &host.path("patients.csv"));
    let run = shop.start(&["run", "clinic", "customers.csv", "--yes", "--output", "matches.csv"]);
    press(&tab, "I agree");
    let ran = run.output();
    assert_eq!((code(&ran), shop.read("matches.csv")), (0, "Name,Mail\n".to_owned()));
    sees(&tab, "Both lists are empty: the circles have no areas.");
    assert_eq!(tab.faults(), Vec::<String>::new());
}

/// The program ends after its deadline; the page waits longer, says so, and can be stopped.
#[test]
fn a_relay_that_ends_in_a_run_is_said_on_both_sides() {
    let Some(folder) = page() else { return };
    let (host, shop) = (party(), party());
    let (relay, url) = relay(&host, &folder);
    let browser = Browser::start();
    let tab = partner(&browser, &host, &shop, &url);
    let flags = ["--output", "matches.csv", "--yes", "--deadline", "5s"];
    let run = shop.start(&[&["run", "clinic", "customers.csv"][..], &flags].concat());
    button(&tab, "I agree");
    drop(relay);
    press(&tab, "I agree");
    let ran = run.output();
    assert_eq!(code(&ran), 4, "{}", stderr(&ran));
    assert!(stderr(&ran).contains("the relay went away"), "{}", stderr(&ran));
    assert!(!shop.path("matches.csv").exists());
    sees(&tab, "the relay went away; the run goes on if the peer comes back within 5 min");
    press(&tab, "Stop");
}

#[test]
fn two_browsers_meet_at_the_relay_that_shows_the_page() {
    let Some(folder) = page() else { return };
    let host = party();
    let (_relay, url) = relay(&host, &folder);
    let address = url.replace("ws://", "http://");
    host.file("customers.csv", &list("shop", 300, 3));
    host.file("patients.csv", &list("clinic", 240, 3));
    let (one, other) = (Browser::start(), Browser::firefox());
    let shop = one.open(&address);
    press(&shop, "Invite somebody");
    sees(&shop, "What may they call you?");
    for (label, value) in [
        ("What do you call them?", "clinic"),
        ("What may they call you?", "shop"),
        ("Where you meet", &url),
        ("Result", "intersect"),
        ("Your column with it", "Mail"),
    ] {
        fill(&shop, label, value);
    }
    shop.eval("document.querySelector('input[type=radio][value=both]').click()");
    press(&shop, "Make the link");
    shop.wait_for("document.querySelector('.copied .key')");
    let link = shop.text(".copied .key");
    let clinic = other.open(&link);
    accept(&clinic, "shop");
    sees(&shop, "Compare lists with clinic");
    for (tab, list) in [(&shop, "customers.csv"), (&clinic, "patients.csv")] {
        start(tab, &host.path(list));
    }
    for tab in [&shop, &clinic] {
        press(tab, "I agree");
    }
    assert_eq!(saved(&one, &shop, "customers-result.csv"), shared(240));
    assert_eq!(saved(&other, &clinic, "patients-result.csv"), shared(240));
    for tab in [&shop, &clinic] {
        assert_eq!(tab.faults(), Vec::<String>::new());
    }
}

/// A browser and two programs at one relay: how much each two lists share, as a picture.
#[test]
fn a_page_and_two_programs_see_what_their_lists_share() {
    let Some(folder) = page() else { return };
    let (host, shop, bank) = (party(), party(), party());
    let (_relay, url) = relay(&host, &folder);
    let browser = Browser::start();
    let tab = browser.open(&url.replace("ws://", "http://"));
    for (name, inviter) in [("shop", &shop), ("bank", &bank)] {
        let offer = ["clinic", "--via", &url, "--me", name, "--operation", "count"];
        let (inviting, link) = inviting(inviter, &[&offer[..], &["--key", "Mail:email"]].concat());
        tab.go(&link);
        accept(&tab, name);
        let invited = inviting.output();
        assert_eq!(code(&invited), 0, "{}", stderr(&invited));
    }
    shop.pin("bank", &bank);
    bank.pin("shop", &shop);
    shop.file("list.csv", &list("shop", 300, 3));
    bank.file("list.csv", &list("bank", 90, 3));
    host.file("patients.csv", &list("clinic", 240, 3));
    let program = |party: &Party, other: &str| {
        let peers = ["--peer", "clinic", "--peer", other, "--via", &url, "--yes"];
        party.start(&[&["overlaps", "list.csv", "--key", "Mail:email"], &peers[..]].concat())
    };
    let programs = [program(&shop, "bank"), program(&bank, "shop")];
    tab.go(&url.replace("ws://", "http://"));
    sees(&tab, "Three parties or more");
    press(&tab, "Start with these");
    sees(&tab, "Tick two partners or more");
    for name in ["shop", "bank"] {
        tab.eval(&format!("document.querySelector('input[type=checkbox][value={name}]').click()"));
    }
    press(&tab, "Start with these");
    sees(&tab, "What you want to find out");
    tab.choose("input[type=file]", &host.path("patients.csv"));
    sees(&tab, "shop and bank learn which of their own entries are on all lists");
    fill(&tab, "Result", "overlaps");
    sees(&tab, "shop and bank learn how many entries each two lists share");
    press(&tab, "Start");
    press(&tab, "I agree");
    sees(&tab, "entries are on all 3 lists");
    assert_eq!(tab.text(".answer .big"), "30");
    let lines =
        "[...document.querySelectorAll('.twin tbody tr')].map((row) => row.lastChild.textContent)";
    let mut lines: Vec<String> =
        serde_json::from_value(tab.eval(lines)).expect("a line for each group");
    lines.sort();
    assert_eq!(lines, ["30", "30", "30", "80"]);
    sees(&tab, " and you have signed the receipt");
    for program in programs {
        let ran = program.output();
        assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    }
    assert_eq!(tab.faults(), Vec::<String>::new());
}

fn many_calls_at_once_are_answered(browser: &Browser) {
    let Some(folder) = page() else { return };
    let host = party();
    let (_relay, url) = relay(&host, &folder);
    let tab = browser.open(&url.replace("ws://", "http://"));
    let answered = tab.eval(
        "import('./backend.js').then(({ backend }) => Promise.all(Array.from({ length: 24 }, () => backend.call('peers'))))",
    );
    assert_eq!(answered.as_array().map(Vec::len), Some(24));
    assert_eq!(tab.faults(), Vec::<String>::new());
}

#[test]
fn many_calls_at_once_are_answered_in_chromium() {
    many_calls_at_once_are_answered(&Browser::start());
}

#[test]
fn many_calls_at_once_are_answered_in_firefox() {
    many_calls_at_once_are_answered(&Browser::firefox());
}

#[test]
fn a_console_whose_port_is_taken_says_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let refused = party().run(&["console", "--port", &port]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    let said = format!("port {port} of this machine is not free");
    assert!(stderr(&refused).contains(&said), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("give another, or none for any free one"));
    assert_eq!(stdout(&refused), "");
}

/// The address of a console, which the command on its page of the documentation prints.
fn console(party: &Party) -> (Running, String) {
    let commands = commands("docs/use/console.md", "veilset");
    let [command] = commands.as_slice() else { panic!("one command") };
    let command = command.replacen("veilset", PROGRAM, 1);
    let mut command = party.shell(&format!("exec {command} > address.txt"));
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
