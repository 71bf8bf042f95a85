//! An end that this side's user wants.

use std::future::pending;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use tokio::sync::watch;
use veilset_host::time::Instant;

/// Ends a wait for the peer, or the connection that came of it, from another thread. Its clones are one.
#[derive(Debug, Clone)]
pub struct Stop(Option<Arc<watch::Sender<bool>>>);

impl Stop {
    /// For a wait, or a connection, that nobody on this side ends.
    pub const NEVER: Self = Self(None);

    /// One that has not been used.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "NEVER is as good a default")]
    pub fn new() -> Self {
        Self(Some(Arc::new(watch::Sender::new(false))))
    }

    /// Ends whatever was begun with it, and what will be.
    pub fn stop(&self) {
        if let Some(sender) = &self.0 {
            sender.send_replace(true);
        }
    }

    /// Whether it was used.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.as_ref().is_some_and(|sender| *sender.borrow())
    }

    /// Waits until the connections that it ended have told their peers, for so long at most.
    pub fn settle(&self, longest: Duration) {
        const PAUSE: Duration = Duration::from_millis(5);
        let Some(sender) = &self.0 else { return };
        let started = Instant::now();
        while sender.receiver_count() > 0 && started.elapsed() < longest {
            sleep(PAUSE);
        }
    }

    /// Something that [`settle`](Self::settle) waits for until it is dropped.
    pub(crate) fn hold(&self) -> Option<impl Send + use<>> {
        self.0.as_ref().map(|sender| sender.subscribe())
    }

    /// Waits until it is used.
    pub async fn stopped(&self) {
        match &self.0 {
            // The sender is here, so this ends for no other reason.
            Some(sender) => drop(sender.subscribe().wait_for(|stopped| *stopped).await),
            None => pending().await,
        }
    }
}
