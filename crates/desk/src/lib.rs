//! What a page asks of a party, and what it is told: one set of calls, whether the party is a program on this machine or a module
//! in the browser.
//!
//! A call has a name and arguments in JSON, and some have bytes beside them. It is answered once; what happens meanwhile is told as
//! events. `docs/notes/page.md` lists both.

mod answer;
mod invitations;
mod lists;
mod past;
mod peers;
mod runs;
mod state;

use std::sync::Arc;

use serde_json::{Value, json};

pub use answer::{Answer, Refusal};
pub use state::{Desk, Place};

impl Desk {
    /// Answers a call. Some take long: each call has a thread of its own.
    ///
    /// # Errors
    /// What a user is told.
    pub fn call(
        self: &Arc<Self>,
        name: &str,
        args: &Value,
        bytes: Vec<u8>,
    ) -> Result<Answer, Refusal> {
        match name {
            "me" => self.me(),
            "accept" => self.accept(args),
            "invite" => self.invite(args),
            "withdraw" => Ok(self.withdraw()),
            "peers" => self.peers(),
            "forget" => self.forget(args),
            "open" => self.open(args, bytes),
            "check" => self.check(args),
            "run" => self.run(args),
            "consent" => self.consent(args),
            "stop" => self.stop(args),
            "save" => self.save(args),
            "history" => self.history(),
            "budgets" => self.budgets(),
            "identity.export" => self.export(),
            "identity.import" => self.import(&bytes),
            _ => Err(Refusal::of(format!("nobody knows the call {name:?}"))),
        }
    }

    fn me(&self) -> Result<Answer, Refusal> {
        let (identity, _) = self.identity()?;
        Ok(json!({
            "key": identity.public_key().to_string(),
            "version": env!("CARGO_PKG_VERSION"),
            "threads": self.place.threads,
        })
        .into())
    }
}
