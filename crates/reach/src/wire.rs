//! What a relay and those who meet at it say to each other.
//!
//! Each opens a WebSocket (RFC 6455) with the subprotocol [`SUBPROTOCOL`] and sends one binary message first: a byte for its
//! [`Side`], and the 32 bytes of a [`Room`]. The relay answers with [`WAITING`], and with [`MET`] once somebody of the other side is
//! there. From then on it hands each binary message to the other, as it is; an empty one ends that direction. The relay closes
//! with one of the [codes](Closing).

/// The version of all this.
pub const SUBPROTOCOL: &str = "relay.veilset.1";

/// The relay's first message: the other side is not there yet.
pub const WAITING: &[u8] = &[0];

/// The other side is there.
pub const MET: &[u8] = &[1];

/// The most bytes of a message.
pub const LONGEST: usize = 64 << 10;

/// Where two meet. Nobody else can name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Room(pub [u8; 32]);

/// Which of the two somebody is: a relay brings a first together with a second, never two of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// One of them.
    First,
    /// The other.
    Second,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// The first message of who comes.
#[must_use]
pub fn greeting(room: &Room, side: Side) -> [u8; 33] {
    let mut greeting = [0; 33];
    greeting[0] = side as u8;
    greeting[1..].copy_from_slice(&room.0);
    greeting
}

/// What such a message says; nothing where it is none.
#[must_use]
pub fn greeted(message: &[u8]) -> Option<(Room, Side)> {
    let [side, room @ ..] = message else { return None };
    let side = match side {
        0 => Side::First,
        1 => Side::Second,
        _ => return None,
    };
    Some((Room(room.try_into().ok()?), side))
}

/// Why a relay closes a connection: a code of RFC 6455, section 7.4.2, for private use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Closing {
    /// The other end went away.
    Left = 4000,
    /// Too many wait in this room.
    Crowded = 4001,
    /// As many rooms are open as may be.
    Full = 4002,
    /// Nothing came for too long.
    Idle = 4003,
    /// More went through this room than may.
    Spent = 4004,
    /// A message was none of these.
    Malformed = 4005,
    /// The relay stops.
    Stopping = 4006,
}

impl Closing {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Left,
        Self::Crowded,
        Self::Full,
        Self::Idle,
        Self::Spent,
        Self::Malformed,
        Self::Stopping,
    ];

    /// Its code.
    #[must_use]
    pub fn code(self) -> u16 {
        self as u16
    }

    /// The one with this code.
    #[must_use]
    pub fn of(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|closing| closing.code() == code)
    }

    /// What a user is told.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Left => "the other end went away",
            Self::Crowded => "too many connections wait at the relay for the same peer",
            Self::Full => "the relay has no room for more",
            Self::Idle => "the relay heard nothing for too long",
            Self::Spent => "the relay lets no more bytes through for this run",
            Self::Malformed => "the relay understood a message otherwise",
            Self::Stopping => "the relay stops",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_understood_and_nothing_else_is() {
        let room = Room([7; 32]);
        for side in [Side::First, Side::Second] {
            let said = greeting(&room, side);
            assert_eq!(greeted(&said), Some((room, side)));
            assert_eq!(greeted(&said[..32]), None);
            assert_eq!(greeted(&[&said[..], &[0]].concat()), None);
        }
        assert_eq!(greeted(&[]), None);
        assert_eq!(greeted(&[2; 33]), None);
    }

    #[test]
    fn a_code_is_of_one_closing() {
        for closing in Closing::ALL {
            assert_eq!(Closing::of(closing.code()), Some(closing));
        }
        assert_eq!(Closing::of(1000), None);
    }
}
