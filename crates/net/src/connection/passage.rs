//! What of a run has crossed, over whichever of its connections: what the peer may lack is kept until the peer says that it is there.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use veilset_channel::{Malformed, PeerFault};

/// The most bytes of frames that the peer may lack: what a fast link over a long way has on it (40 MB/s at 100 ms).
const WINDOW: usize = 4 << 20;

/// The most such frames.
const FRAMES: usize = 512;

/// The peer is told of what came after so many bytes, or frames, and when nothing else is sent.
const TELLING: (usize, u64) = (WINDOW / 8, FRAMES as u64 / 8);

/// The bit of a length by which it is no length, and says how many frames came.
const TAKEN: u32 = 1 << 31;

/// The frames of a run in each direction, numbered from 0.
pub(crate) struct Passage {
    /// Whether the run may go on over another connection; nothing is kept otherwise, and the peer is told nothing.
    lasting: bool,
    state: Mutex<State>,
    /// There is room, or something to tell.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// What the peer may lack, the oldest first.
    kept: VecDeque<Vec<u8>>,
    kept_bytes: usize,
    /// How many frames the peer has for sure.
    taken: u64,
    /// How many were written.
    sent: u64,
    /// How many frames came.
    received: u64,
    /// Of how many of them the peer was told.
    told: u64,
    /// The bytes of the others.
    untold_bytes: usize,
}

impl State {
    fn has_room(&self) -> bool {
        self.kept.len() < FRAMES && self.kept_bytes < WINDOW
    }

    /// The peer has so many frames, which are between those that it had and those that were written.
    fn taken(&mut self, count: u64) -> Result<(), PeerFault> {
        if !(self.taken..=self.sent).contains(&count) {
            return Err(PeerFault::Malformed {
                what: "receipt of frames",
                why: Malformed::OutOfRange,
            });
        }
        let gone = usize::try_from(count - self.taken).expect("no more than are kept");
        self.kept_bytes -= self.kept.drain(..gone).map(|frame| frame.len()).sum::<usize>();
        self.taken = count;
        Ok(())
    }
}

impl Passage {
    pub(crate) fn new(lasting: bool) -> Self {
        Self { lasting, state: Mutex::default(), changed: Notify::new() }
    }

    /// Nothing here is ever half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many frames came.
    pub(crate) fn received(&self) -> u64 {
        self.state().received
    }

    /// Waits until there may be room, or something to tell.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(crate) fn has_room(&self) -> bool {
        self.state().has_room()
    }

    /// How many frames the peer has, and how many came: what grows as the run goes on.
    pub(crate) fn progress(&self) -> (u64, u64) {
        let state = self.state();
        (state.taken, state.received)
    }

    /// Whether the peer lacks nothing.
    pub(crate) fn is_settled(&self) -> bool {
        self.state().kept.is_empty()
    }

    /// One more frame, which is to be sent.
    pub(crate) fn keep(&self, frame: Vec<u8>) {
        let mut state = self.state();
        state.kept_bytes += frame.len();
        state.kept.push_back(frame);
    }

    /// Writes the frame of this number into `buffer`, or the first later one that the peer may lack; the number of the next
    /// after it, and `None` where there is none.
    pub(crate) fn write(&self, number: u64, buffer: &mut Vec<u8>) -> Option<u64> {
        let mut state = self.state();
        let number = number.max(state.taken);
        let place = usize::try_from(number - state.taken).expect("no more than are kept");
        let frame = state.kept.get(place)?;
        let length = u32::try_from(frame.len()).expect("MAX_FRAME fits");
        buffer.clear();
        buffer.extend_from_slice(&length.to_le_bytes());
        buffer.extend_from_slice(frame);
        state.sent = state.sent.max(number + 1);
        if !self.lasting {
            state.taken(number + 1).expect("it was kept");
        }
        Some(number + 1)
    }

    /// A frame of so many bytes came, and is with whoever takes it.
    pub(crate) fn arrived(&self, bytes: usize) {
        let mut state = self.state();
        state.received += 1;
        state.untold_bytes += bytes;
        if self.lasting && is_due(&state) {
            self.changed.notify_one();
        }
    }

    /// What tells the peer how many frames came, if it is time for that.
    pub(crate) fn due_word(&self) -> Option<[u8; 4]> {
        if is_due(&self.state()) { self.word() } else { None }
    }

    /// What tells the peer how many frames came, if it does not know.
    pub(crate) fn word(&self) -> Option<[u8; 4]> {
        let mut state = self.state();
        // All ones say something else; the peer hears of the next frame.
        if !self.lasting || state.told == state.received || low(state.received) == TAKEN - 1 {
            return None;
        }
        (state.told, state.untold_bytes) = (state.received, 0);
        Some((TAKEN | low(state.received)).to_le_bytes())
    }

    /// Whether a length is none, and the peer says by it what it has.
    pub(crate) fn is_word(&self, length: u32) -> bool {
        self.lasting && length & TAKEN != 0
    }

    /// What the peer says that it has.
    ///
    /// # Errors
    /// When it cannot have that.
    pub(crate) fn heard(&self, word: u32) -> Result<(), PeerFault> {
        let mut state = self.state();
        let more = low(u64::from(word).wrapping_sub(state.taken));
        let (count, was_full) = (state.taken + u64::from(more), !state.has_room());
        state.taken(count)?;
        if was_full && state.has_room() {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// The peer is back, and has so many frames; it knows how many came here.
    ///
    /// # Errors
    /// When it cannot have so many.
    pub(crate) fn resume(&self, taken: u64) -> Result<(), PeerFault> {
        let mut state = self.state();
        (state.told, state.untold_bytes) = (state.received, 0);
        state.taken(taken)
    }
}

fn is_due(state: &State) -> bool {
    state.untold_bytes >= TELLING.0 || state.received - state.told >= TELLING.1
}

/// A number of frames as far as a word tells it.
fn low(count: u64) -> u32 {
    (count & u64::from(TAKEN - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(passage: &Passage) -> Option<u32> {
        passage.word().map(u32::from_le_bytes)
    }

    #[test]
    fn what_the_peer_has_is_kept_no_longer_and_never_written_again() {
        let (here, there) = (Passage::new(true), Passage::new(true));
        let mut buffer = Vec::new();
        for byte in 0..4 {
            here.keep(vec![byte; 2]);
        }
        assert_eq!(here.write(0, &mut buffer), Some(1));
        assert_eq!(buffer, [2, 0, 0, 0, 0, 0]);
        assert_eq!(here.write(1, &mut buffer), Some(2));
        there.arrived(2);
        there.arrived(2);
        assert_eq!(there.due_word(), None, "so little can wait");
        here.heard(word(&there).expect("news")).expect("it can have two");
        assert_eq!(word(&there), None);
        assert_eq!(here.write(1, &mut buffer), Some(3), "number 1 is there");
        assert_eq!(buffer[4..], [2, 2]);
        here.resume(3).expect("it can have three");
        assert_eq!((here.write(0, &mut buffer), here.write(4, &mut buffer)), (Some(4), None));
        assert!(!here.is_settled());
        here.resume(4).expect("it can have all");
        assert!(here.is_settled());
    }

    #[test]
    fn a_peer_cannot_have_what_was_not_sent_nor_lose_what_it_had() {
        let here = Passage::new(true);
        let mut buffer = Vec::new();
        for number in 0..4 {
            here.keep(vec![1]);
            if number < 3 {
                here.write(number, &mut buffer).expect("it is there");
            }
        }
        here.heard(TAKEN | 2).expect("two of three");
        assert!(here.heard(TAKEN | 4).is_err(), "the last was not written");
        assert!(here.heard(TAKEN | 1).is_err());
        assert!(here.resume(1).is_err());
        assert!(here.resume(u64::MAX).is_err());
        here.resume(2).expect("as it said before");
    }

    #[test]
    fn a_word_that_turned_over_is_understood() {
        let here = Passage::new(true);
        let far = u64::from(TAKEN) * 3 - 1;
        (here.state().taken, here.state().sent) = (far, far + 2);
        here.keep(vec![1]);
        here.keep(vec![2]);
        here.heard(TAKEN | 1).expect("both");
        assert_eq!(here.state().taken, far + 2);
    }

    #[test]
    fn there_is_room_for_a_window_alone() {
        let here = Passage::new(true);
        while here.has_room() {
            here.keep(vec![0; 100_000]);
        }
        assert!((WINDOW..WINDOW + 100_000).contains(&here.state().kept_bytes));
        let here = Passage::new(true);
        let kept = std::iter::from_fn(|| here.has_room().then(|| here.keep(vec![0]))).count();
        assert_eq!(kept, FRAMES);
    }

    #[test]
    fn a_run_over_one_connection_keeps_nothing() {
        let here = Passage::new(false);
        here.keep(vec![1]);
        let mut buffer = Vec::new();
        assert_eq!(here.write(0, &mut buffer), Some(1));
        assert!(here.is_settled());
        here.arrived(WINDOW);
        assert_eq!((here.due_word(), here.is_word(TAKEN | 1)), (None, false));
    }
}
