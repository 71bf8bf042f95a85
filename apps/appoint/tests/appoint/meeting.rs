//! Two programs, two browsers, one slot.

use std::fs;

use veilset::data::calendar::Calendar;
use veilset_stage::{Browser, Relay, Tab, root};

use crate::support::{DAYS, cell, offered, open, pair, slots, start};

/// Starts the side that listens, and has callers of `there` passed on to it.
fn listen(tab: &Tab<'_>, there: &Relay) {
    tab.click("#start");
    tab.wait_for("document.querySelector('#run-note').textContent.includes('waiting for bob')");
    let note = tab.text("#run-note");
    there.to(note.rsplit(" at ").next().expect("an address"));
}

fn done(tab: &Tab<'_>) {
    tab.wait_for(
        "((e) => !e.hidden && e.textContent === 'Search again')(document.querySelector('#start'))",
    );
}

/// The slot that both lists have with the smallest sum of places, then the smallest larger place.
fn best(one: &[String], other: &[String]) -> Option<String> {
    let place = |slot: &String| other.iter().position(|theirs| theirs == slot);
    let pairs = one.iter().enumerate().filter_map(|(mine, slot)| Some((mine, place(slot)?, slot)));
    let best = pairs.min_by_key(|(mine, theirs, _)| (mine + theirs, *mine.max(theirs)));
    best.map(|(_, _, slot)| slot.clone())
}

/// A slot as clocks in Berlin show it, from those in London.
fn an_hour_later(slot: &str) -> String {
    let (day, hours) = slot.split_once(", ").expect("a day");
    let later = |time: &str| {
        let (hour, minute) = time.split_once(':').expect("a time");
        format!("{:02}:{minute}", hour.parse::<u32>().expect("an hour") + 1)
    };
    let hours: Vec<String> = hours.split('–').map(later).collect();
    format!("{day}, {}", hours.join("–"))
}

#[test]
fn a_file_and_a_painted_week_agree_on_one_slot() {
    let browser = Browser::start();
    let (alice, bob) = pair();
    let there = Relay::start();
    let common = [&DAYS[..], &["--length", "60m"]].concat();
    let flags = ["--zone", "Europe/Berlin", "--prefer", "mornings", "--listen", "127.0.0.1:0"];
    let (_alice, address) = start(&alice, &[&common[..], &flags].concat());
    let hers = open(&browser, &address);
    let flags = ["--zone", "Europe/London", "--prefer", "late", "--connect", &there.address];
    let (_bob, address) = start(&bob, &[&common[..], &flags].concat());
    let his = open(&browser, &address);

    hers.choose("#file", &root().join("examples/agree/alice.ics"));
    offered(&hers, 23);
    assert_eq!(hers.text("#source"), "alice.ics: 5 events.");
    his.drag(&cell("2027-03-30T10:00"), &cell("2027-03-30T12:00"));
    offered(&his, 4);

    listen(&hers, &there);
    his.click("#start");
    for tab in [&hers, &his] {
        done(tab);
        assert_eq!(tab.text("#slot-day"), "Tuesday 30 March 2027");
    }
    // Of his four, from 11:30 down to 10:00, she has the last as number 10 and the one before as number 11; both add up to
    // 14, and the larger place is smaller in the former.
    assert_eq!(
        (hers.text("#slot-time"), hers.text("#slot-zone")),
        ("11:00 – 12:00".into(), "Europe/Berlin".into())
    );
    assert_eq!(
        (his.text("#slot-time"), his.text("#slot-zone")),
        ("10:00 – 11:00".into(), "Europe/London".into())
    );
    assert_eq!(hers.text("#run-note"), "Number 10 of your 23 slots; bob offered 4.");
    assert_eq!(his.text("#run-note"), "Number 4 of your 4 slots; alice offered 23.");
    assert_eq!(
        hers.text("#told"),
        "bob learned this slot, that it is number 10 in your order, and that you offered 23 slots."
    );
    // A naive search over both lists, his on her clock, finds the same.
    let theirs: Vec<String> = slots(&his).iter().map(|slot| an_hour_later(slot)).collect();
    assert_eq!(best(&slots(&hers), &theirs).as_deref(), Some("Tue 30 Mar, 11:00–12:00"));

    // The slot is marked where it is: two cells of the week, one line of the list, and in words.
    for (tab, marked) in [
        (&hers, ["2027-03-30T11:00", "2027-03-30T11:30"]),
        (&his, ["2027-03-30T10:00", "2027-03-30T10:30"]),
    ] {
        let cells = tab
            .eval("[...document.querySelectorAll('#week td.agreed')].map((e) => e.dataset.clock)");
        assert_eq!(cells, serde_json::json!(marked));
        let spoken = tab.eval("document.querySelector('#week td.agreed').ariaLabel");
        assert!(spoken.as_str().is_some_and(|said| said.ends_with(", agreed")), "{spoken}");
        let mark = tab.eval(
            "getComputedStyle(document.querySelector('#week td.agreed'), '::before').content",
        );
        assert_eq!(mark, "\"✓\"");
        assert_eq!(tab.eval("document.querySelectorAll('#order li.agreed').length"), 1);
        let fits =
            "((e) => e.scrollWidth <= e.clientWidth)(document.querySelector('#order li.agreed'))";
        assert_eq!(tab.eval(fits), true);
        let line = tab.text("#order li.agreed");
        assert!(line.contains("agreed") && line.contains(&marked[0][11..]), "{line}");
    }

    hers.click("#save");
    let saved = browser.downloads().join("meeting.ics");
    hers.wait_for_file(&saved);
    let text = fs::read_to_string(saved).expect("text");
    for line in ["DTSTART:20270330T090000Z\r\n", "DTEND:20270330T100000Z\r\n"] {
        assert!(text.contains(line), "{text}");
    }
    let read = Calendar::parse("meeting.ics".to_owned(), text.into_bytes());
    assert_eq!(read.expect("a calendar").events(), 1);
    for tab in [&hers, &his] {
        assert_eq!(tab.faults(), [""; 0]);
    }
}

#[test]
fn different_terms_and_no_common_slot_are_said() {
    let browser = Browser::start();
    let (alice, bob) = pair();
    let there = Relay::start();
    let common = [&DAYS[..], &["--zone", "UTC"]].concat();
    let (_alice, address) = start(&alice, &[&common[..], &["--listen", "127.0.0.1:0"]].concat());
    let hers = open(&browser, &address);
    let flags = ["--connect", &there.address, "--length", "30m"];
    let (_bob, address) = start(&bob, &[&common[..], &flags].concat());
    let his = open(&browser, &address);
    hers.drag(&cell("2027-03-29T09:00"), &cell("2027-03-29T10:30"));
    offered(&hers, 3);
    his.drag(&cell("2027-03-30T09:00"), &cell("2027-03-30T09:30"));
    offered(&his, 2);
    listen(&hers, &there);
    his.click("#start");
    for (tab, terms) in [
        (&hers, "You say 60m, the other side says 30m."),
        (&his, "You say 30m, the other side says 60m."),
    ] {
        done(tab);
        assert_eq!(tab.text("#error-length"), terms);
        let invalid = "document.querySelector('#length').getAttribute('aria-invalid')";
        assert_eq!(tab.eval(invalid), "true");
        let said = tab.text("#error-run");
        assert!(said.contains("do not say the same") && !said.contains("--"), "{said}");
    }
    his.fill("#length", "60m");
    offered(&his, 1);
    his.click("#start");
    his.wait_for("document.querySelector('#run-words').textContent === 'Waiting for alice…'");
    listen(&hers, &there);
    for tab in [&hers, &his] {
        tab.wait_for(
            "document.querySelector('#run-words').textContent === 'No time is free for both'",
        );
        assert_eq!(
            (tab.text("#error-run"), tab.text("#error-length")),
            (String::new(), String::new())
        );
        assert_eq!(tab.eval("document.querySelector('#result').hidden"), true);
    }
    assert_eq!(
        hers.text("#told"),
        "bob learned that no slot is free for both, and that you offered 3 slots."
    );

    // Who cancels ends the other's wait, too, or leaves it waiting if nobody came yet.
    listen(&hers, &there);
    hers.click("#cancel");
    hers.wait_for("document.querySelector('#run-words').textContent === 'Cancelled'");
}
