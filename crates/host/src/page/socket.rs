//! WebSockets of the browser.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::border;

/// The most bytes that wait in the browser to be sent.
const UNSENT: usize = 1 << 20;

/// The most bytes that messages take which came and nobody took. A browser cannot be told to take no more, so whoever sends more
/// ends the socket; a peer that goes by the rules is never further ahead than a sixteenth of it.
const UNTAKEN: usize = 64 << 20;

/// What a message takes beside its bytes, at most: its place in the queue, and in the allocator.
const BESIDE: usize = 64;

/// How a socket ended: a code of RFC 6455, section 7.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed(pub u16);

impl Closed {
    /// Nobody said why.
    const NO_WORD: Self = Self(1006);
    /// More came than may.
    const TOO_MUCH: Self = Self(1009);
}

#[derive(Default)]
struct State {
    is_open: bool,
    came: VecDeque<Vec<u8>>,
    came_bytes: usize,
    unsent: usize,
    closed: Option<Closed>,
    /// Who waits for a message, or for the socket to open.
    reader: Option<Waker>,
    /// Who waits for room.
    writer: Option<Waker>,
}

impl State {
    fn wake(&mut self) {
        self.reader.take().into_iter().chain(self.writer.take()).for_each(Waker::wake);
    }
}

type Shared = Arc<Mutex<State>>;

static OPEN: Mutex<Numbered> = Mutex::new(Numbered { next: 0, sockets: BTreeMap::new() });

struct Numbered {
    next: u32,
    sockets: BTreeMap<u32, Shared>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes the state of a socket, if somebody still has it, and wakes who waits for that.
fn change(socket: u32, change: impl FnOnce(&mut State)) {
    let found = locked(&OPEN).sockets.get(&socket).cloned();
    if let Some(state) = found {
        let mut state = locked(&state);
        change(&mut state);
        state.wake();
    }
}

pub(super) fn opened(socket: u32) {
    change(socket, |state| state.is_open = true);
}

pub(super) fn arrived(socket: u32, message: Vec<u8>) {
    change(socket, |state| {
        state.came_bytes += BESIDE + message.len();
        if state.came_bytes > UNTAKEN {
            state.closed.get_or_insert(Closed::TOO_MUCH);
            border::close(socket);
        } else {
            state.came.push_back(message);
        }
    });
}

pub(super) fn left(socket: u32, count: usize) {
    change(socket, |state| state.unsent = state.unsent.saturating_sub(count));
}

pub(super) fn closed(socket: u32, code: u32) {
    let code = u16::try_from(code).map_or(Closed::NO_WORD, Closed);
    change(socket, |state| {
        state.closed.get_or_insert(code);
    });
}

/// A WebSocket. Dropping it closes it.
pub struct Socket {
    number: u32,
    state: Shared,
}

impl Socket {
    /// Opens one to this URL with this subprotocol.
    #[must_use]
    pub fn open(url: &str, protocol: &str) -> Self {
        let state = Shared::default();
        let number = {
            let mut open = locked(&OPEN);
            open.next += 1;
            let number = open.next;
            open.sockets.insert(number, Arc::clone(&state));
            number
        };
        border::open(number, url, protocol);
        Self { number, state }
    }

    /// Waits until it is open.
    pub fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        let mut state = locked(&self.state);
        match state.closed {
            Some(closed) => Poll::Ready(Err(closed)),
            None if state.is_open => Poll::Ready(Ok(())),
            None => {
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Waits for the next message; how it ended, once all that came before was taken.
    pub fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Result<Vec<u8>, Closed>> {
        let mut state = locked(&self.state);
        if let Some(message) = state.came.pop_front() {
            state.came_bytes -= BESIDE + message.len();
            return Poll::Ready(Ok(message));
        }
        match state.closed {
            Some(closed) => Poll::Ready(Err(closed)),
            None => {
                state.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Waits until there is room to send.
    pub fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        let mut state = locked(&self.state);
        match state.closed {
            Some(closed) => Poll::Ready(Err(closed)),
            None if state.unsent <= UNSENT => Poll::Ready(Ok(())),
            None => {
                state.writer = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &[u8]) {
        locked(&self.state).unsent += message.len();
        border::send(self.number, message);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        locked(&OPEN).sockets.remove(&self.number);
        border::close(self.number);
    }
}
