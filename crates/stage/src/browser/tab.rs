//! One page, and what a person does with it.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chromium::Chromium;
use super::{Driver, quoted};
use crate::PATIENCE;

/// The pause between two looks at a page.
const LOOK: Duration = Duration::from_millis(25);

/// A page in a browser.
pub struct Tab<'a> {
    driver: &'a dyn Driver,
    name: String,
}

/// A key with those that are held.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    name: &'static str,
    held: u8,
}

impl Key {
    /// A key by the name that a page sees, such as `ArrowDown`, `Tab` or ` `.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, held: 0 }
    }

    /// With Alt held.
    #[must_use]
    pub const fn alt(self) -> Self {
        Self { held: self.held | 1, ..self }
    }

    /// With Shift held.
    #[must_use]
    pub const fn shift(self) -> Self {
        Self { held: self.held | 8, ..self }
    }

    /// What a page sees as `code`, the number of the key, and the text that it types.
    fn details(self) -> (&'static str, u32, &'static str) {
        match self.name {
            " " => ("Space", 32, " "),
            "Enter" => ("Enter", 13, "\r"),
            "Tab" => ("Tab", 9, ""),
            "Escape" => ("Escape", 27, ""),
            "End" => ("End", 35, ""),
            "Home" => ("Home", 36, ""),
            "ArrowLeft" => ("ArrowLeft", 37, ""),
            "ArrowUp" => ("ArrowUp", 38, ""),
            "ArrowRight" => ("ArrowRight", 39, ""),
            "ArrowDown" => ("ArrowDown", 40, ""),
            other => panic!("no key {other:?} is known here"),
        }
    }
}

impl<'a> Tab<'a> {
    pub(super) fn open(driver: &'a dyn Driver, address: &str) -> Self {
        let tab = Self { driver, name: driver.open() };
        tab.size(1280, 900);
        tab.go(address);
        tab
    }

    /// Goes to an address, which is loaded again if it is there already.
    pub fn go(&self, address: &str) {
        self.driver.go(&self.name, address);
        self.wait_for("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    /// Asks Chromium for what other browsers are not asked for here.
    fn call(&self, method: &str, params: Value) -> Value {
        let chromium: Option<&Chromium> = self.driver.chromium();
        chromium.expect("only Chromium does this here").call(&self.name, method, params)
    }

    /// The value of an expression, awaited if it is a promise.
    pub fn eval(&self, expression: &str) -> Value {
        let value = self.driver.eval(&self.name, expression);
        value.unwrap_or_else(|thrown| panic!("{expression}: {thrown}"))
    }

    /// What an element says.
    #[must_use]
    pub fn text(&self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({}).innerText", quoted(selector)));
        text.as_str().expect("text").to_owned()
    }

    /// Waits until an expression is true.
    pub fn wait_for(&self, expression: &str) {
        let started = Instant::now();
        while self.eval(&format!("Boolean({expression})")) != true {
            if started.elapsed() > PATIENCE {
                panic!("never: {expression}; {}", self.seen());
            }
            sleep(LOOK);
        }
    }

    /// The cookies that the page has, those that scripts do not see among them.
    #[must_use]
    pub fn cookies(&self) -> Value {
        self.call("Network.getCookies", json!({}))["cookies"].take()
    }

    /// What went wrong in the page so far.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.driver.faults(&self.name)
    }

    /// What a failure tells of the page.
    fn seen(&self) -> String {
        format!("faults: {:?}; {}", self.faults(), self.text("body"))
    }

    /// The middle of an element, after it was brought into view.
    fn middle(&self, selector: &str) -> [f64; 2] {
        let at = self.eval(&format!(
            "(() => {{ const e = document.querySelector({}); \
             e.scrollIntoView({{ block: 'nearest', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); \
             return [r.left + r.width / 2, r.top + r.height / 2]; }})()",
            quoted(selector)
        ));
        let number = |index: usize| at[index].as_f64().expect("a number");
        [number(0), number(1)]
    }

    fn mouse(&self, kind: &str, [x, y]: [f64; 2]) {
        let buttons = u8::from(kind != "mouseReleased");
        let params = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1,
        });
        self.call("Input.dispatchMouseEvent", params);
    }

    /// Presses and releases the mouse on an element.
    pub fn click(&self, selector: &str) {
        let at = self.middle(selector);
        self.mouse("mousePressed", at);
        self.mouse("mouseReleased", at);
    }

    /// Presses the mouse on an element and releases it on another, which is in view at the same time.
    pub fn drag(&self, from: &str, to: &str) {
        self.middle(to);
        let (start, end) = (self.middle(from), self.middle(to));
        self.mouse("mousePressed", start);
        for step in 1..=8 {
            let part = |from: f64, to: f64| from + (to - from) * f64::from(step) / 8.0;
            self.mouse("mouseMoved", [part(start[0], end[0]), part(start[1], end[1])]);
        }
        self.mouse("mouseReleased", end);
    }

    /// Presses and releases a key.
    pub fn press(&self, key: Key) {
        let (code, number, text) = key.details();
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({
                "type": kind, "key": key.name, "code": code, "modifiers": key.held,
                "windowsVirtualKeyCode": number,
            });
            if kind == "keyDown" && !text.is_empty() {
                params["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Types a text where the focus is.
    pub fn type_in(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Sets the value of a field, as somebody who fills it in.
    pub fn fill(&self, selector: &str, value: &str) {
        self.eval(&format!(
            "(() => {{ const e = document.querySelector({}); e.focus(); e.value = {}; \
             e.dispatchEvent(new Event('input', {{ bubbles: true }})); \
             e.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()",
            quoted(selector),
            quoted(value)
        ));
    }

    /// Chooses a file in a field for files.
    pub fn choose(&self, selector: &str, file: &Path) {
        // A browser takes no path with `..` in it.
        let file = file.canonicalize().expect("the file is there");
        self.driver.choose(&self.name, selector, &file);
    }

    /// Makes the page this wide and high, in pixels.
    pub fn size(&self, width: u32, height: u32) {
        self.driver.size(&self.name, width, height);
    }

    /// Whether the user likes dark pages.
    pub fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Lets the browser's store have no more than this many bytes of what the host's pages keep.
    pub fn quota(&self, bytes: u64) {
        let origin = self.eval("location.origin");
        self.call(
            "Storage.overrideQuotaForOrigin",
            json!({ "origin": origin, "quotaSize": bytes }),
        );
    }

    /// Waits until a file is there, as after a download.
    pub fn wait_for_file(&self, path: &Path) {
        let started = Instant::now();
        // A browser keeps the name with an empty file, which the whole one replaces.
        while !path.metadata().is_ok_and(|file| file.len() > 0) {
            if started.elapsed() > PATIENCE {
                let folder = path.parent().and_then(|folder| folder.read_dir().ok());
                let there: Vec<_> = folder.into_iter().flatten().flatten().collect();
                panic!("never: {}; {there:?}; {}", path.display(), self.seen());
            }
            sleep(LOOK);
        }
    }
}
