//! A run of which only the price is asked.

use veilset_protocols::{Operation, Role, Shape, Side, Spec};

use crate::plan::{plan, switches};
use crate::{Calibration, Estimate, Link, SessionError, Wanted};

/// A run of which only the price is asked.
#[derive(Debug, Clone, Copy)]
pub struct PlannedRun {
    /// What to compute, and what the protocol must be.
    pub wanted: Wanted,
    /// This side's number of distinct keys.
    pub rows: u64,
    /// The peer's number of distinct keys.
    pub peer_rows: u64,
    /// Value columns of a sum or of shares.
    pub values: usize,
    /// Bytes of the longest row that a union sends, or of a label.
    pub row_bytes: usize,
    /// The network between the two parties.
    pub link: Link,
    /// Threads of either side.
    pub threads: usize,
}

/// What each protocol that fits would cost.
pub struct Prices {
    /// What is computed.
    pub operation: Operation,
    /// Threads of either side.
    pub threads: usize,
    /// First what `auto` takes, then the others, the fastest first.
    pub plans: Vec<Estimate>,
    /// What `auto` takes at equal sizes, each from the smallest power of two on.
    pub switches: Vec<(u64, &'static Spec)>,
    shape: Shape,
    side: Side,
}

impl PlannedRun {
    /// Measures this machine for some milliseconds and prices every protocol that fits.
    ///
    /// # Errors
    /// When no protocol fits, or none takes so many keys.
    pub fn price(&self) -> Result<Prices, SessionError> {
        self.wanted.check(None)?;
        let (side, shape) = (self.side(), self.shape());
        let machine = Calibration::measure()?;
        let Self { wanted, link, threads, .. } = *self;
        let plans = plan(wanted, shape, &machine, link, threads);
        let most = plans.iter().map(|plan| plan.spec().max_elements).max();
        match most {
            Some(most) if self.rows.max(self.peer_rows) > most => {
                Err(SessionError::TooManyKeys { most })
            }
            _ => {
                let switches = switches(wanted, shape, &machine, link, threads);
                let operation = wanted.operation;
                Ok(Prices { operation, threads, plans, switches, shape, side })
            }
        }
    }

    /// Which side of the figure this one is, and who learns: the owner of values sends them, and else whoever learns is the receiver.
    #[must_use]
    pub fn side(&self) -> Side {
        let Wanted { operation, learn, .. } = self.wanted;
        let owns = operation.spec().has_values();
        let role = if owns || !learn.includes_me() { Role::Sender } else { Role::Receiver };
        Side { role, reveal: learn.reveal() }
    }

    /// The sizes of the run, with the choices that are asked for.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let Side { role, reveal } = self.side();
        let (sender, receiver) = match role {
            Role::Receiver => (self.peer_rows, self.rows),
            Role::Sender => (self.rows, self.peer_rows),
        };
        let spec = self.wanted.operation.spec();
        let attached = |role| spec.attached(role, self.values, self.row_bytes);
        let (attached, returned) = (attached(Role::Sender), attached(Role::Receiver));
        let choices = self.wanted.choices;
        Shape { sender, receiver, reveal, attached, returned, per_row: 1, choices }
    }
}

impl Prices {
    /// Bytes that this side and the peer send.
    #[must_use]
    pub fn bytes(&self, plan: &Estimate) -> (f64, f64) {
        let (sender, receiver) = (plan.cost.sender.bytes_sent, plan.cost.receiver.bytes_sent);
        match self.side.role {
            Role::Sender => (sender, receiver),
            Role::Receiver => (receiver, sender),
        }
    }

    /// Bytes that later runs need not send again: the published set of lookups.
    #[must_use]
    pub fn kept(&self, plan: &Estimate) -> f64 {
        plan.kept(self.shape)
    }

    /// "You learn: …. The peer learns: …."
    #[must_use]
    pub fn learned(&self, plan: &Estimate) -> String {
        plan.learned(self.side, "The peer")
    }

    /// What leaks beyond that, in sentences.
    #[must_use]
    pub fn leaks(&self, plan: &Estimate) -> Vec<&'static str> {
        plan.spec().leaks_of(self.side.reveal).collect()
    }
}
