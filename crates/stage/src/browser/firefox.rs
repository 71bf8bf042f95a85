//! Firefox, over WebDriver BiDi (W3C).

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

use super::wire::Wire;
use super::{Driver, find, quoted};

/// Names under which it is found.
const NAMES: [&str; 2] = ["firefox-esr", "firefox"];

/// What it says before the address of its socket.
const LISTENS: &str = "WebDriver BiDi listening on ";

pub(super) struct Firefox {
    wire: RefCell<Wire>,
}

impl Firefox {
    pub(super) fn start(folder: &Path, downloads: &Path) -> (Self, Child) {
        let profile = folder.join("profile");
        fs::create_dir_all(&profile).expect("a folder");
        fs::write(profile.join("user.js"), preferences(downloads)).expect("written");
        let mut child = Command::new(find("FIREFOX", &NAMES))
            .args(["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile"])
            .arg(profile)
            .env("TZ", "UTC")
            .env("HOME", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Firefox starts");
        let address = address(child.stderr.take().expect("piped"));
        let (mut socket, messages) = socket(&address);
        let send = move |text: String| socket.send(Message::text(text)).expect("the browser reads");
        let firefox = Self { wire: RefCell::new(Wire::new(send, messages, fault)) };
        firefox.call("session.new", json!({ "capabilities": {} }));
        firefox.call("session.subscribe", json!({ "events": ["log.entryAdded"] }));
        (firefox, child)
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.wire.borrow_mut().call(json!({ "method": method, "params": params }))
    }

    /// What an expression gives, in the protocol's own description of values.
    fn evaluate(&self, tab: &str, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "target": { "context": tab },
        });
        self.call("script.evaluate", params)
    }
}

impl Driver for Firefox {
    fn open(&self) -> String {
        let user = self.call("browser.createUserContext", json!({}));
        let params = json!({ "type": "tab", "userContext": user["userContext"] });
        let tab = self.call("browsingContext.create", params);
        tab["context"].as_str().expect("a tab").to_owned()
    }

    fn go(&self, tab: &str, address: &str) {
        let params = json!({ "context": tab, "url": address, "wait": "complete" });
        self.call("browsingContext.navigate", params);
    }

    fn eval(&self, tab: &str, expression: &str) -> Result<Value, String> {
        let text = format!("(async () => JSON.stringify((await ({expression})) ?? null))()");
        let answer = self.evaluate(tab, &text);
        match answer["result"]["value"].as_str() {
            Some(text) => Ok(serde_json::from_str(text).expect("JSON")),
            None => Err(answer.to_string()),
        }
    }

    fn choose(&self, tab: &str, selector: &str, file: &Path) {
        let found = self.evaluate(tab, &format!("document.querySelector({})", quoted(selector)));
        let element = json!({ "sharedId": found["result"]["sharedId"] });
        let params = json!({ "context": tab, "element": element, "files": [file] });
        self.call("input.setFiles", params);
    }

    fn size(&self, tab: &str, width: u32, height: u32) {
        let params = json!({ "context": tab, "viewport": { "width": width, "height": height } });
        self.call("browsingContext.setViewport", params);
    }

    fn faults(&self, tab: &str) -> Vec<String> {
        self.wire.borrow().faults(tab)
    }
}

/// What keeps it quiet, and where it puts downloads without a question.
fn preferences(downloads: &Path) -> String {
    let own = [
        ("browser.download.dir", json!(downloads)),
        ("browser.download.folderList", json!(2)),
        ("browser.download.always_ask_before_handling_new_types", json!(false)),
        ("browser.shell.checkDefaultBrowser", json!(false)),
        ("datareporting.policy.dataSubmissionEnabled", json!(false)),
        ("network.captive-portal-service.enabled", json!(false)),
        ("network.connectivity-service.enabled", json!(false)),
        ("network.proxy.type", json!(0)),
        ("intl.locale.requested", json!("en-GB")),
    ];
    own.iter().map(|(name, value)| format!("user_pref({}, {value});\n", quoted(name))).collect()
}

/// The address at which the browser takes commands, which it says on standard error; what it says later is read and dropped.
fn address(said: ChildStderr) -> String {
    let mut lines = BufReader::new(said).lines().map_while(Result::ok);
    let line = lines.find_map(|line| line.strip_prefix(LISTENS).map(str::to_owned));
    thread::spawn(move || lines.for_each(drop));
    line.expect("Firefox takes commands")
}

/// A socket to the browser, and what it writes. One end only sends and one only reads, each for itself.
fn socket(address: &str) -> (WebSocket<TcpStream>, Receiver<Value>) {
    let address = format!("{address}/session");
    let host = address.trim_start_matches("ws://").split('/').next().expect("a host");
    let stream = TcpStream::connect(host).expect("the browser listens");
    let (sends, _) = tungstenite::client(&address, stream).expect("a socket");
    let stream = sends.get_ref().try_clone().expect("a second handle");
    let mut reads = WebSocket::from_raw_socket(stream, Role::Client, None);
    let (heard, messages) = channel();
    thread::spawn(move || {
        // Until the browser, or the test, has ended.
        while let Ok(message) = reads.read() {
            let Ok(text) = message.into_text() else { return };
            let Ok(message) = serde_json::from_str(&text) else { return };
            if heard.send(message).is_err() {
                return;
            }
        }
    });
    (sends, messages)
}

/// Exceptions, and what the page reports as an error.
fn fault(event: &Value) -> Option<(String, String)> {
    let params = &event["params"];
    let wrong = event["method"] == "log.entryAdded" && params["level"] == "error";
    let tab = params["source"]["context"].as_str().unwrap_or_default().to_owned();
    wrong.then(|| (tab, params["text"].to_string()))
}
