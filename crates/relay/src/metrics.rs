//! What a relay tells whoever watches it, in the Prometheus text format.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts since the relay started, and how many there are now. Nothing here is of one party.
#[derive(Default)]
pub(crate) struct Metrics {
    pub(crate) connections: AtomicU64,
    pub(crate) waiting: AtomicU64,
    pub(crate) pairs: AtomicU64,
    pub(crate) met: AtomicU64,
    pub(crate) bytes: AtomicU64,
    refused: [AtomicU64; Refused::ALL.len()],
}

/// Why a caller was turned away, or a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Its source has as many connections as it may.
    Source,
    /// There are as many connections or rooms as may be.
    Full,
    /// As many wait in its room as may.
    Crowded,
    /// It did not say in time what it wants.
    Slow,
    /// It said something else.
    Malformed,
    /// Nothing came for too long.
    Idle,
    /// More went through its room than may.
    Spent,
}

impl Refused {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Source, "source"),
        (Self::Full, "full"),
        (Self::Crowded, "crowded"),
        (Self::Slow, "slow"),
        (Self::Malformed, "malformed"),
        (Self::Idle, "idle"),
        (Self::Spent, "spent"),
    ];
}

impl Metrics {
    pub(crate) fn refuse(&self, why: Refused) {
        self.refused[why as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        for (name, kind, help, value) in [
            ("connections", "gauge", "Connections now.", &self.connections),
            ("waiting", "gauge", "Parties that wait for another.", &self.waiting),
            ("pairs", "gauge", "Pairs of parties that are connected.", &self.pairs),
            ("met_total", "counter", "Pairs that have met.", &self.met),
            ("bytes_total", "counter", "Bytes that were handed on.", &self.bytes),
        ] {
            let value = value.load(Relaxed);
            let _ = write!(
                text,
                "# HELP veilset_relay_{name} {help}\n# TYPE veilset_relay_{name} {kind}\nveilset_relay_{name} {value}\n"
            );
        }
        text.push_str(
            "# HELP veilset_relay_refused_total Callers turned away and connections ended, by why.\n# TYPE veilset_relay_refused_total counter\n",
        );
        for ((_, name), count) in Refused::ALL.iter().zip(&self.refused) {
            let count = count.load(Relaxed);
            let _ = writeln!(text, "veilset_relay_refused_total{{why=\"{name}\"}} {count}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_has_a_line_of_its_own() {
        let metrics = Metrics::default();
        for (place, (why, name)) in Refused::ALL.into_iter().enumerate() {
            assert_eq!(why as usize, place, "{name}");
            metrics.refuse(why);
        }
        metrics.met.store(7, Relaxed);
        let text = metrics.render();
        assert!(text.contains("\nveilset_relay_met_total 7\n"), "{text}");
        assert_eq!(text.matches("\"} 1\n").count(), Refused::ALL.len(), "{text}");
    }
}
