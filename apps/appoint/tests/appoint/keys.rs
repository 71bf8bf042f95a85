//! The whole page without a mouse.

use veilset_stage::{Browser, Key, Tab};

use crate::support::{free, offered, open, pair, slots, start};

const TAB: Key = Key::new("Tab");
const DOWN: Key = Key::new("ArrowDown");
const RIGHT: Key = Key::new("ArrowRight");
const UP: Key = Key::new("ArrowUp");
const SPACE: Key = Key::new(" ");
const ENTER: Key = Key::new("Enter");

/// Presses Tab until the focus is on an element, which is then seen to have it.
fn go_to(tab: &Tab<'_>, selector: &str) {
    for _ in 0..60 {
        tab.press(TAB);
        if tab.eval(&format!("document.activeElement.matches('{selector}')")) == true {
            let ring = tab.eval(
                "(() => { const s = getComputedStyle(document.activeElement); \
                 return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0; })()",
            );
            assert_eq!(ring, true, "{selector} has the focus, and nobody sees it");
            return;
        }
    }
    panic!("Tab never comes to {selector}");
}

#[test]
fn everything_is_done_with_keys() {
    let browser = Browser::start();
    let (alice, _) = pair();
    let flags = [
        "--between",
        "2027-03-29..2027-04-09",
        "--zone",
        "Europe/Berlin",
        "--listen",
        "127.0.0.1:0",
    ];
    let (running, address) = start(&alice, &flags);
    let tab = open(&browser, &address);
    assert_eq!(slots(&tab), [""; 0]);

    // 9:00 by space, then down to 10:00 and right to Tuesday with shift.
    go_to(&tab, "#week td");
    tab.press(SPACE);
    tab.press(DOWN.shift());
    tab.press(DOWN.shift());
    tab.press(RIGHT.shift());
    let days = ["2027-03-29T", "2027-03-30T"];
    let hours = ["09:00", "09:30", "10:00"];
    let painted: Vec<String> =
        hours.iter().flat_map(|hour| days.map(|day| format!("{day}{hour}"))).collect();
    assert_eq!(free(&tab), painted);
    offered(&tab, 4);
    let spoken = tab.eval("document.activeElement.getAttribute('aria-label')");
    assert_eq!(spoken, "Tuesday 30 March 10:00, free, corrected");
    // One step back takes Tuesday off again.
    tab.press(Key::new("ArrowLeft").shift());
    offered(&tab, 2);
    assert_eq!(free(&tab).len(), 3);
    tab.press(RIGHT.shift());
    offered(&tab, 4);
    assert_eq!(tab.text("#week-title"), "Mon 29 Mar – Fri 2 Apr");
    let grid = tab.eval(
        "[document.querySelector('#week').getAttribute('role'), \
         document.querySelectorAll('#week td[tabindex=\"0\"]').length, \
         document.querySelectorAll('#week td[aria-selected=\"true\"]').length]",
    );
    assert_eq!(grid, serde_json::json!(["grid", 1, 6]));

    // The third slot becomes the first.
    let rule = ["Mon 29 Mar, 09:00–10:00", "Mon 29 Mar, 09:30–10:30"];
    let rule = [rule, ["Tue 30 Mar, 09:00–10:00", "Tue 30 Mar, 09:30–10:30"]].concat();
    assert_eq!(slots(&tab), rule);
    go_to(&tab, "#order");
    tab.press(DOWN);
    tab.press(DOWN);
    tab.press(UP.alt());
    tab.press(UP.alt());
    assert_eq!(slots(&tab), [rule[2], rule[0], rule[1], rule[3]]);
    assert_eq!(tab.text("#moved"), "Tue 30 Mar, 09:00–10:00 is now number 1 of 4");
    let active = tab.eval("document.getElementById('order').getAttribute('aria-activedescendant')");
    assert_eq!(active, "slot-0");

    // The list stays as it was put when there is more time.
    tab.eval("document.querySelector('#week td[tabindex=\"0\"]').focus()");
    tab.press(DOWN);
    tab.press(SPACE);
    offered(&tab, 5);
    assert_eq!(slots(&tab)[..3], [rule[2], rule[0], rule[1]]);

    go_to(&tab, "#start");
    tab.press(ENTER);
    tab.wait_for("document.querySelector('#run-note').textContent.includes('waiting for bob')");
    assert_eq!(tab.text("#spoken"), "Waiting for bob…");
    tab.wait_for("document.activeElement.id === 'cancel'");
    tab.press(ENTER);
    tab.wait_for("document.querySelector('#run-words').textContent === 'Cancelled'");
    tab.wait_for("document.activeElement.id === 'start'");
    // The port is free again, and another search may begin.
    tab.press(ENTER);
    tab.wait_for("document.querySelector('#run-note').textContent.includes('waiting for bob')");
    // The page moves the focus there, and must not do so once it is on its way elsewhere.
    tab.wait_for("document.activeElement.id === 'cancel'");
    go_to(&tab, "#close");
    tab.press(ENTER);
    assert_eq!(running.end().0, Some(0));
    assert_eq!(tab.faults(), [""; 0]);
}
