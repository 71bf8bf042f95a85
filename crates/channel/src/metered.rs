//! What a run costs, by named phase.

use std::time::Duration;

use veilset_host::time::Instant;

use crate::{Channel, ChannelError, Tag, WireBytes};

/// The traffic and time of one phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseCost {
    /// The phase's name in the figure.
    pub name: &'static str,
    /// Bytes sent, headers included.
    pub bytes_sent: u64,
    /// Bytes received, headers included.
    pub bytes_received: u64,
    /// Frames sent.
    pub frames_sent: u64,
    /// Frames received.
    pub frames_received: u64,
    /// Time from the phase's start to the next one's.
    pub time: Duration,
}

/// The phases of a run so far, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    /// One entry a phase.
    pub phases: Vec<PhaseCost>,
}

impl Costs {
    /// Bytes sent in all phases.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.phases.iter().map(|phase| phase.bytes_sent).sum()
    }

    /// Bytes received in all phases.
    #[must_use]
    pub fn bytes_received(&self) -> u64 {
        self.phases.iter().map(|phase| phase.bytes_received).sum()
    }

    /// Frames in both directions.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.phases.iter().map(|phase| phase.frames_sent + phase.frames_received).sum()
    }

    /// Rounds: the phases in which anything moved. Messages that cross in one phase do not wait for one another,
    /// so they share a round.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        let moved = |phase: &&PhaseCost| phase.frames_sent + phase.frames_received > 0;
        self.phases.iter().filter(moved).count() as u64
    }
}

/// Counts what passes through a channel.
pub struct Metered<C> {
    inner: C,
    costs: Costs,
    /// The place of the phase that runs now.
    now: usize,
    since: Instant,
}

impl<C: Channel> Metered<C> {
    /// Starts counting in a phase called `first`.
    pub fn new(inner: C, first: &'static str) -> Self {
        let mut metered = Self { inner, costs: Costs::default(), now: 0, since: Instant::now() };
        metered.open(first);
        metered
    }

    /// The costs so far.
    pub fn costs(&mut self) -> &Costs {
        self.stop_the_clock();
        &self.costs
    }

    /// The name of the phase that runs now.
    pub fn current(&self) -> &'static str {
        self.costs.phases.get(self.now).map_or("", |phase| phase.name)
    }

    /// The channel below.
    pub fn inner(&mut self) -> &mut C {
        &mut self.inner
    }

    fn open(&mut self, name: &'static str) {
        self.stop_the_clock();
        self.now = self.costs.phases.len();
        self.costs.phases.push(PhaseCost {
            name,
            bytes_sent: 0,
            bytes_received: 0,
            frames_sent: 0,
            frames_received: 0,
            time: Duration::ZERO,
        });
    }

    fn stop_the_clock(&mut self) {
        let now = Instant::now();
        if let Some(phase) = self.costs.phases.get_mut(self.now) {
            phase.time += now - self.since;
        }
        self.since = now;
    }

    fn phase_now(&mut self) -> &mut PhaseCost {
        &mut self.costs.phases[self.now]
    }
}

impl<C: Channel> Channel for Metered<C> {
    fn send(&mut self, tag: Tag, frame: Vec<u8>) -> Result<(), ChannelError> {
        let length = frame.len() as u64;
        self.inner.send(tag, frame)?;
        let phase = self.phase_now();
        phase.bytes_sent += length;
        phase.frames_sent += 1;
        Ok(())
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<Vec<u8>, ChannelError> {
        let frame = self.inner.recv(tag, max)?;
        let phase = self.phase_now();
        phase.bytes_received += frame.len() as u64;
        phase.frames_received += 1;
        Ok(frame)
    }

    fn phase(&mut self, name: &'static str) {
        self.inner.phase(name);
        self.open(name);
    }

    fn resume(&mut self, name: &'static str) {
        self.inner.resume(name);
        match self.costs.phases.iter().rposition(|phase| phase.name == name) {
            Some(place) => {
                self.stop_the_clock();
                self.now = place;
            }
            None => self.open(name),
        }
    }

    fn wire_bytes(&self) -> Option<WireBytes> {
        self.inner.wire_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Framed, HEADER, memory_pair};

    #[test]
    fn counts_bytes_frames_and_rounds_by_phase() {
        const TAG: Tag = Tag::SortedSet;
        let (left, right) = memory_pair();
        let mut left = Metered::new(Framed::new(left), "start");
        let mut right = Framed::new(right);
        left.phase("ask");
        left.send(TAG, vec![0; HEADER + 10]).expect("open");
        left.phase("answer");
        right.send(TAG, vec![0; HEADER + 3]).expect("open");
        left.recv(TAG, 3).expect("sent");
        let costs = left.costs();
        assert_eq!((costs.bytes_sent(), costs.bytes_received()), (15, 8));
        assert_eq!((costs.frames(), costs.rounds()), (2, 2));
        let names: Vec<_> = costs.phases.iter().map(|phase| phase.name).collect();
        assert_eq!(names, ["start", "ask", "answer"]);
        assert_eq!(left.current(), "answer");
    }

    #[test]
    fn a_resumed_phase_is_one_round() {
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Metered::new(Framed::new(left), "first"), Framed::new(right));
        let tag = Tag::GroupElements;
        for _ in 0..3 {
            left.resume("out");
            left.send(tag, vec![0; HEADER + 1]).expect("open");
            left.resume("work");
            right.recv(tag, 1).expect("sent");
        }
        assert_eq!(left.current(), "work");
        let costs = left.costs();
        let names: Vec<_> = costs.phases.iter().map(|phase| phase.name).collect();
        assert_eq!(names, ["first", "out", "work"]);
        assert_eq!((costs.rounds(), costs.phases[1].frames_sent), (1, 3));
    }
}
