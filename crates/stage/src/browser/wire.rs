//! Commands and answers: JSON with a zero byte after each message.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::PATIENCE;

pub(super) struct Wire {
    commands: ChildStdin,
    messages: Receiver<Value>,
    last: u64,
    /// What went wrong in pages: exceptions, and what the browser itself reports, with the session.
    pub(super) faults: Vec<(String, String)>,
}

impl Wire {
    pub(super) fn new(commands: ChildStdin, answers: ChildStdout) -> Self {
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
        Self { commands, messages, last: 0, faults: Vec::new() }
    }

    /// Gives a command and waits for its answer.
    pub(super) fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let text = format!("{command}\0");
        self.commands.write_all(text.as_bytes()).expect("the browser reads");
        loop {
            let mut message = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let fault = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => params["exceptionDetails"].to_string(),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                format!("{} {}", params["entry"]["text"], params["entry"]["url"])
            }
            _ => return,
        };
        let session = event["sessionId"].as_str().unwrap_or_default();
        self.faults.push((session.to_owned(), fault));
    }
}
