//! What the page looks like: small, dark, and with errors at their fields.

use veilset_stage::{Browser, Tab};

use crate::support::{DAYS, cell, free, offered, open, pair, slots, start, web};

/// The contrast of two colours in luminance (WCAG 2.2, 1.4.3 and 1.4.11), as a function of a script.
const RATIO: &str = "((one, other) => { \
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number); \
    const light = (text) => { const f = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; \
        const [r, g, b] = rgb(text); return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); }; \
    const [a, b] = [light(one), light(other)]; \
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); })";

/// The colour of an element's ground, or of what is behind it.
const GROUND: &str = "((e) => { \
    while (/, 0\\)$/.test(getComputedStyle(e).backgroundColor)) e = e.parentElement; \
    return getComputedStyle(e).backgroundColor; })";

fn number(tab: &Tab<'_>, script: &str) -> f64 {
    tab.eval(script).as_f64().expect("a number")
}

/// The contrast of an element's text on what is behind it.
fn contrast(tab: &Tab<'_>, selector: &str) -> f64 {
    let element = format!("document.querySelector('{selector}')");
    number(tab, &format!("{RATIO}(getComputedStyle({element}).color, {GROUND}({element}))"))
}

/// The contrast of the grounds of two elements.
fn apart(tab: &Tab<'_>, one: &str, other: &str) -> f64 {
    let ground = |selector: &str| format!("{GROUND}(document.querySelector('{selector}'))");
    number(tab, &format!("{RATIO}({}, {})", ground(one), ground(other)))
}

/// The contrast of an element's inner edge to what is around it.
fn edge(tab: &Tab<'_>, selector: &str, around: &str) -> f64 {
    let shadow = format!(
        "getComputedStyle(document.querySelector('{selector}')).boxShadow.match(/rgb[^)]*\\)/)[0]"
    );
    let ground = format!("{GROUND}(document.querySelector('{around}'))");
    number(tab, &format!("{RATIO}({shadow}, {ground})"))
}

#[test]
fn it_fits_a_telephone_and_is_read_in_the_dark() {
    let browser = Browser::start();
    let (alice, _) = pair();
    alice.copy(&["examples/agree/alice.ics"]);
    let file = ["examples/agree/alice.ics", "--zone", "Europe/Berlin", "--length", "60m"];
    let (_running, address) = start(&alice, &[&file[..], &DAYS].concat());
    let tab = open(&browser, &address);
    offered(&tab, 23);
    for (width, dark) in [(1280, false), (360, false), (1280, true), (360, true)] {
        tab.size(width, 800);
        tab.dark(dark);
        let wide = tab.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().expect("a width") <= width.into(), "{width}: {wide}");
        for selector in [
            "h1",
            "header .quiet",
            "legend",
            "#week th",
            "#order .when",
            "#order .rank",
            "#start",
            "#week-help",
        ] {
            let contrast = contrast(&tab, selector);
            assert!(contrast >= 4.5, "{selector} at {width}, dark: {dark}: {contrast}");
        }
        // What is free, what is busy, and the page are told apart without a hue.
        let free = apart(&tab, "#week td.is-free", "#week td:not(.is-free):not(.none)");
        let busy = edge(&tab, "#week td:not(.is-free):not(.none)", "#free");
        let legend = apart(&tab, ".swatch.is-free", ".swatch:not(.is-free)");
        for (what, ratio) in [("free", free), ("busy", busy), ("legend", legend)] {
            assert!(ratio >= 3.0, "{what} at {width}, dark: {dark}: {ratio}");
        }
    }
    let ground = tab.eval("getComputedStyle(document.body).backgroundColor");
    assert_eq!(ground, "rgb(21, 24, 28)");
    // Narrow columns come in the order of the steps.
    let tops = tab.eval(
        "[...document.querySelectorAll('main section')].map((e) => e.getBoundingClientRect().top)",
    );
    let tops: Vec<f64> = tops
        .as_array()
        .expect("a list")
        .iter()
        .map(|top| top.as_f64().expect("a number"))
        .collect();
    assert!(tops.len() == 5 && tops.is_sorted(), "{tops:?}");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_mouse_paints_and_drags() {
    let browser = Browser::start();
    let (alice, _) = pair();
    let zone = ["--zone", "Europe/Berlin", "--hours", "09:00-12:00"];
    let (_running, address) = start(&alice, &[&zone[..], &DAYS].concat());
    let tab = open(&browser, &address);
    tab.drag(&cell("2027-03-29T09:30"), &cell("2027-03-30T11:00"));
    offered(&tab, 6);
    assert_eq!(free(&tab).len(), 8);
    tab.drag(&cell("2027-03-30T11:00"), &cell("2027-03-30T10:30"));
    offered(&tab, 4);
    let last = slots(&tab)[3].clone();
    tab.drag("#slot-3 .handle", "#slot-0 .handle");
    assert_eq!(slots(&tab)[0], last);
    assert!(tab.text("#order-count").contains("ordered by you"));
    tab.click("#reorder");
    tab.wait_for("document.querySelector('#reorder').hidden");
    assert_eq!(slots(&tab)[3], last);
    tab.fill("#prefer", "late");
    tab.wait_for("document.querySelector('#slot-0').textContent.includes('Tue 30 Mar')");
    tab.click("#uncorrect");
    offered(&tab, 0);
    assert_eq!(free(&tab), [""; 0]);
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn errors_are_where_they_belong_and_go_again() {
    let browser = Browser::start();
    let (alice, _) = pair();
    let (_running, address) = start(&alice, &[&["--zone", "Europe/Berlin"][..], &DAYS].concat());
    let tab = open(&browser, &address);
    let error = |field: &str| tab.text(&format!("#error-{field}"));
    tab.fill("#from", "19");
    tab.wait_for("document.querySelector('#error-hours').textContent");
    assert!(error("hours").contains("end before they begin"), "{}", error("hours"));
    assert_eq!(tab.eval("document.querySelector('#from').getAttribute('aria-invalid')"), "true");
    tab.fill("#from", "9:30");
    tab.wait_for("!document.querySelector('#error-hours').textContent");
    assert_eq!(tab.eval("document.querySelector('#from').value"), "09:30");
    tab.fill("#url", "webcal://calendar.example/mine.ics");
    tab.click("#fetch");
    tab.wait_for("document.querySelector('#error-calendar').textContent");
    assert!(error("calendar").contains("write https://"), "{}", error("calendar"));
    tab.fill("#url", &web("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"));
    tab.click("#fetch");
    tab.wait_for("document.querySelector('#source').textContent === '127.0.0.1: 0 events.'");
    assert_eq!(error("calendar"), "");
    tab.fill("#peer", "");
    tab.fill("#key", "veilset1nonsense");
    tab.click("#start");
    tab.wait_for("document.querySelector('#error-peer').textContent");
    let (_, carol) = pair();
    tab.fill("#key", &carol.key);
    tab.fill("#name", "carol");
    tab.click("#pin");
    tab.wait_for("document.querySelector('#peer').value === 'carol'");
    assert_eq!((tab.text("#peer-key"), error("peer")), (carol.key.clone(), String::new()));
    assert!(alice.read("home/peers").contains(&format!("carol {}", carol.key)));
    tab.click("#calls");
    tab.fill("#address", "nowhere");
    tab.click("#start");
    tab.wait_for("document.querySelector('#error-address').textContent");
    // What the browser itself reports are the refusals that were provoked.
    assert!(tab.faults().iter().all(|fault| fault.contains("422")), "{:?}", tab.faults());
}
