//! Two people, their programs and their pages.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use veilset_stage::{Browser, Party, Running, Tab};

/// Alice and Bob, who have pinned each other.
pub(crate) fn pair() -> (Party, Party) {
    Party::pair(env!("CARGO_BIN_EXE_appoint"), "alice", "bob")
}

/// The days of the example calendars.
pub(crate) const DAYS: [&str; 2] = ["--between", "2027-03-29..2027-03-30"];

/// Starts the program; returns its page's address, too.
pub(crate) fn start(party: &Party, flags: &[&str]) -> (Running, String) {
    let mut running = party.start(flags);
    let line = running.line_with("page: ");
    (running, line.trim_start_matches("page: ").to_owned())
}

/// Opens a page and waits until it is drawn.
pub(crate) fn open<'a>(browser: &'a Browser, address: &str) -> Tab<'a> {
    let tab = browser.open(address);
    drawn(&tab);
    tab
}

/// Waits until the week is drawn.
pub(crate) fn drawn(tab: &Tab<'_>) {
    tab.wait_for("document.querySelector('#week tbody td')");
}

/// The slots of the list, the best first, as the page writes them.
pub(crate) fn slots(tab: &Tab<'_>) -> Vec<String> {
    let words =
        tab.eval("[...document.querySelectorAll('#order .when')].map((e) => e.textContent)");
    let words = words.as_array().expect("a list").iter();
    words.map(|word| word.as_str().expect("text").to_owned()).collect()
}

/// Waits until the list has so many slots.
pub(crate) fn offered(tab: &Tab<'_>, count: usize) {
    tab.wait_for(&format!("document.querySelectorAll('#order li').length === {count}"));
}

/// The selector of the cell that begins when clocks show this.
pub(crate) fn cell(clock: &str) -> String {
    format!("td[data-clock=\"{clock}\"]")
}

/// The starts of the cells that are free.
pub(crate) fn free(tab: &Tab<'_>) -> Vec<String> {
    let clocks =
        tab.eval("[...document.querySelectorAll('#week td.is-free')].map((e) => e.dataset.clock)");
    let clocks = clocks.as_array().expect("a list").iter();
    clocks.map(|clock| clock.as_str().expect("text").to_owned()).collect()
}

/// A web server that gives one answer, to one caller; returns its address.
pub(crate) fn web(body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let answer = format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    thread::spawn(move || {
        let (mut caller, _) = listener.accept().expect("a caller");
        let mut request = [0; 4096];
        let got = caller.read(&mut request).expect("a request");
        assert!(got > 0);
        caller.write_all(answer.as_bytes()).expect("it reads");
    });
    format!("http://{address}")
}
