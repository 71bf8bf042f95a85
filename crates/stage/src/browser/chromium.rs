//! Chromium, over the Chrome DevTools Protocol.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use super::wire::Wire;
use super::{Driver, find, quoted};

/// Names under which it is found.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser reads commands at descriptor 3 and answers at 4; a shell puts the pipes that a child can have there.
const START: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";

/// What keeps it quiet, and the same on every machine. Its sandbox needs rights that a test may lack, and it sees no pages
/// but the ones under test.
const FLAGS: [&str; 9] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--lang=en-GB",
];

pub(super) struct Chromium {
    wire: RefCell<Wire>,
    downloads: PathBuf,
}

impl Chromium {
    pub(super) fn start(folder: &Path, downloads: PathBuf) -> (Self, Child) {
        let profile = format!("--user-data-dir={}", folder.join("profile").display());
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(find("CHROMIUM", &NAMES))
            .args(FLAGS)
            .arg(profile)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut commands = child.stdin.take().expect("piped");
        let messages = messages(child.stdout.take().expect("piped"));
        let send = move |text: String| {
            commands.write_all(format!("{text}\0").as_bytes()).expect("the browser reads");
        };
        (Self { wire: RefCell::new(Wire::new(send, messages, fault)), downloads }, child)
    }

    pub(super) fn call(&self, tab: &str, method: &str, params: Value) -> Value {
        let command = json!({ "method": method, "params": params, "sessionId": tab });
        self.wire.borrow_mut().call(command)
    }

    /// Asks the browser, not a tab of it.
    fn ask(&self, method: &str, params: Value) -> Value {
        self.wire.borrow_mut().call(json!({ "method": method, "params": params }))
    }
}

impl Driver for Chromium {
    fn open(&self) -> String {
        let context = self.ask("Target.createBrowserContext", json!({}));
        let context = &context["browserContextId"];
        let downloads = json!({
            "behavior": "allow", "browserContextId": context, "downloadPath": self.downloads,
        });
        self.ask("Browser.setDownloadBehavior", downloads);
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = self.ask("Target.createTarget", target);
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.ask("Target.attachToTarget", attach);
        let tab = session["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "DOM"] {
            self.call(&tab, &format!("{domain}.enable"), json!({}));
        }
        tab
    }

    fn go(&self, tab: &str, address: &str) {
        self.call(tab, "Page.navigate", json!({ "url": address }));
    }

    fn eval(&self, tab: &str, expression: &str) -> Result<Value, String> {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call(tab, "Runtime.evaluate", params);
        let exception = &answer["exceptionDetails"];
        if exception.is_null() {
            Ok(answer["result"]["value"].take())
        } else {
            Err(exception.to_string())
        }
    }

    fn choose(&self, tab: &str, selector: &str, file: &Path) {
        let expression = format!("document.querySelector({})", quoted(selector));
        let found = self.call(tab, "Runtime.evaluate", json!({ "expression": expression }));
        let object = &found["result"]["objectId"];
        self.call(tab, "DOM.setFileInputFiles", json!({ "files": [file], "objectId": object }));
    }

    fn size(&self, tab: &str, width: u32, height: u32) {
        let params = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call(tab, "Emulation.setDeviceMetricsOverride", params);
    }

    fn faults(&self, tab: &str) -> Vec<String> {
        self.wire.borrow().faults(tab)
    }

    fn chromium(&self) -> Option<&Chromium> {
        Some(self)
    }
}

/// What the browser writes: messages with a zero byte after each.
fn messages(answers: ChildStdout) -> Receiver<Value> {
    let (heard, messages) = channel();
    thread::spawn(move || {
        for message in BufReader::new(answers).split(0) {
            let message = message.ok().and_then(|text| serde_json::from_slice(&text).ok());
            // The browser, or the test, has ended.
            let Some(message) = message else { return };
            if heard.send(message).is_err() {
                return;
            }
        }
    });
    messages
}

/// Exceptions, and what the browser itself reports.
fn fault(event: &Value) -> Option<(String, String)> {
    let params = &event["params"];
    let fault = match event["method"].as_str()? {
        "Runtime.exceptionThrown" => params["exceptionDetails"].to_string(),
        "Log.entryAdded" if params["entry"]["level"] == "error" => {
            format!("{} {}", params["entry"]["text"], params["entry"]["url"])
        }
        _ => return None,
    };
    Some((event["sessionId"].as_str().unwrap_or_default().to_owned(), fault))
}
