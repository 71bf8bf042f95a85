//! Commands and answers: JSON messages, and what a browser tells between them.

use std::sync::mpsc::Receiver;

use serde_json::{Value, json};

use crate::PATIENCE;

/// Reads a fault from an event: the tab it is of, and what it says.
pub(super) type Fault = fn(&Value) -> Option<(String, String)>;

pub(super) struct Wire {
    /// Sends a message.
    send: Box<dyn FnMut(String)>,
    messages: Receiver<Value>,
    last: u64,
    fault: Fault,
    faults: Vec<(String, String)>,
}

impl Wire {
    pub(super) fn new(
        send: impl FnMut(String) + 'static,
        messages: Receiver<Value>,
        fault: Fault,
    ) -> Self {
        Self { send: Box::new(send), messages, last: 0, fault, faults: Vec::new() }
    }

    /// Gives a command, whose other members are in `command`, and waits for its result.
    pub(super) fn call(&mut self, mut command: Value) -> Value {
        self.last += 1;
        command["id"] = json!(self.last);
        (self.send)(command.to_string());
        loop {
            let mut message = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{command}: {message}");
                return message["result"].take();
            }
            self.faults.extend((self.fault)(&message));
        }
    }

    /// What went wrong in a tab so far.
    pub(super) fn faults(&self, tab: &str) -> Vec<String> {
        let own = self.faults.iter().filter(|(of, _)| of == tab);
        own.map(|(_, fault)| fault.clone()).collect()
    }
}
