//! Who waits in which room.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use veilset_net::Stop;
use veilset_reach::wire::{Closing, Room, Side};

use crate::metrics::{Metrics, Refused};
use crate::room::Guest;
use crate::server::{Limits, Note};

/// How many may wait in one room on one side: as many runs of one pair of parties as begin at once.
const SEATS: usize = 64;

/// What all connections share.
pub(crate) struct Hall {
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    /// Used when nobody may come in any more.
    pub(crate) stop: Stop,
    /// Used when those who are together have to part.
    pub(crate) closing: Stop,
    note: Box<dyn Fn(Note) + Send + Sync>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rooms: HashMap<Room, [Vec<Seat>; 2]>,
    /// How many connections each source has; none has 0.
    of_source: HashMap<IpAddr, usize>,
    connections: usize,
    seats: usize,
    pairs: usize,
    next: u64,
}

/// Somebody who waits.
struct Seat {
    number: u64,
    partner: oneshot::Sender<Guest>,
}

/// What a guest finds in its room.
pub(crate) enum Entrance {
    /// Nobody of the other side: it waits.
    Waits(Guest, Waiting),
    /// Somebody of the other side has it now.
    Met,
    /// There is no place.
    Refused(Guest, Closing),
}

/// A seat, which is given up when this goes.
pub(crate) struct Waiting {
    pub(crate) partner: oneshot::Receiver<Guest>,
    hall: Arc<Hall>,
    room: Room,
    side: Side,
    number: u64,
}

impl Hall {
    pub(crate) fn new(limits: Limits, note: Box<dyn Fn(Note) + Send + Sync>, stop: Stop) -> Self {
        Self {
            limits,
            metrics: Metrics::default(),
            stop,
            closing: Stop::new(),
            note,
            state: Mutex::default(),
        }
    }

    pub(crate) fn note(&self, note: Note) {
        (self.note)(note);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection more, unless there are as many as may be.
    pub(crate) fn admit(self: &Arc<Self>) -> Option<Connection> {
        let mut state = self.state();
        if state.connections >= self.limits.connections() {
            self.metrics.refuse(Refused::Full);
            return None;
        }
        state.connections += 1;
        self.metrics.connections.store(state.connections as u64, Relaxed);
        Some(Connection { hall: Arc::clone(self), source: None })
    }

    /// A seat in the room for a guest, or somebody of the other side who has it from now on.
    pub(crate) fn enter(self: &Arc<Self>, room: Room, side: Side, guest: Guest) -> Entrance {
        let mut guest = guest;
        let mut state = self.state();
        let other = side.other() as usize;
        // The last who came: an earlier one may have gone away without a word.
        while let Some(seat) = state.rooms.get_mut(&room).and_then(|seats| seats[other].pop()) {
            state.left(&self.metrics, &room);
            match seat.partner.send(guest) {
                Ok(()) => return Entrance::Met,
                Err(back) => guest = back,
            }
        }
        if state.seats + state.pairs >= self.limits.rooms {
            self.metrics.refuse(Refused::Full);
            return Entrance::Refused(guest, Closing::Full);
        }
        let number = state.next;
        let seats = &mut state.rooms.entry(room).or_default()[side as usize];
        if seats.len() >= SEATS {
            self.metrics.refuse(Refused::Crowded);
            return Entrance::Refused(guest, Closing::Crowded);
        }
        let (sender, partner) = oneshot::channel();
        seats.push(Seat { number, partner: sender });
        state.next += 1;
        state.seats += 1;
        self.metrics.waiting.store(state.seats as u64, Relaxed);
        drop(state);
        Entrance::Waits(guest, Waiting { partner, hall: Arc::clone(self), room, side, number })
    }

    /// Counts two that are together, until this goes.
    pub(crate) fn pair(self: &Arc<Self>) -> Pair {
        let mut state = self.state();
        state.pairs += 1;
        self.metrics.pairs.store(state.pairs as u64, Relaxed);
        self.metrics.met.fetch_add(1, Relaxed);
        drop(state);
        Pair(Arc::clone(self))
    }
}

impl State {
    /// A seat in this room is free.
    fn left(&mut self, metrics: &Metrics, room: &Room) {
        self.seats -= 1;
        metrics.waiting.store(self.seats as u64, Relaxed);
        if self.rooms.get(room).is_some_and(|seats| seats.iter().all(Vec::is_empty)) {
            self.rooms.remove(room);
        }
    }
}

impl Waiting {
    /// Gives the seat up; somebody may have come in the last moment.
    pub(crate) fn leave(mut self) -> Option<Guest> {
        self.give_up();
        self.partner.try_recv().ok()
    }

    fn give_up(&mut self) {
        let mut state = self.hall.state();
        let Some(seats) = state.rooms.get_mut(&self.room) else { return };
        let seats = &mut seats[self.side as usize];
        let Some(place) = seats.iter().position(|seat| seat.number == self.number) else { return };
        seats.remove(place);
        state.left(&self.hall.metrics, &self.room);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// Two that are together.
pub(crate) struct Pair(Arc<Hall>);

impl Drop for Pair {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.pairs -= 1;
        self.0.metrics.pairs.store(state.pairs as u64, Relaxed);
    }
}

/// A connection, until this goes.
pub(crate) struct Connection {
    hall: Arc<Hall>,
    source: Option<IpAddr>,
}

impl Connection {
    /// Whether its source may have one more connection; then it has.
    pub(crate) fn is_of(&mut self, source: IpAddr) -> bool {
        let mut state = self.hall.state();
        let count = state.of_source.entry(source).or_default();
        if *count >= self.hall.limits.connections_of_a_source {
            self.hall.metrics.refuse(Refused::Source);
            return false;
        }
        *count += 1;
        drop(state);
        self.source = Some(source);
        true
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut state = self.hall.state();
        state.connections -= 1;
        self.hall.metrics.connections.store(state.connections as u64, Relaxed);
        let Some(source) = self.source else { return };
        if let Some(count) = state.of_source.get_mut(&source) {
            *count -= 1;
            if *count == 0 {
                state.of_source.remove(&source);
            }
        }
    }
}
