//! Why a file of PAIR's is refused, and a step of it.

use super::{CIPHER_KEY_DAYS, Kind, LEAST_DIFFERENCE, LEAST_USERS, SALT_DAYS};

/// A text is not the Base64 of 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the Base64 (RFC 4648) of 32 bytes, which has 44 characters, the last of them =")]
pub struct NotBase64;

/// A file has no key of PAIR's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFileError {
    /// It is something else.
    #[error(
        "it is no key of PAIR's: `veilset pair key` makes one, and with --import one of a partner's"
    )]
    Other,
    /// Its day is no time.
    #[error("the time at which it was made cannot be read: it is written as 2026-11-28T08:30:00Z")]
    Made,
    /// Its bytes cannot be read.
    #[error("the key in it is {0}")]
    Base64(#[from] NotBase64),
    /// It is no number from 1 to ℓ − 1.
    #[error(
        "the key in it is no scalar of ristretto255: a number from 1 to below the group's order, little-endian"
    )]
    NotAScalar,
    /// A step needs a key of another kind.
    #[error("it has {found}, and this needs {wanted}")]
    Kind {
        /// What it has.
        found: Kind,
        /// What is needed.
        wanted: &'static str,
    },
}

/// A rule of PAIR's that a step would break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A list is too short.
    #[error(
        "the list has {found} identifiers, and PAIR wants at least {LEAST_USERS} in each list: with fewer a rate tells of single people; \
         match a larger list"
    )]
    Small {
        /// How many it has.
        found: usize,
    },
    /// A key is too old.
    #[error(
        "{kind} is {days} days old, and PAIR takes {} days at most: make a new one with `veilset pair key {}`, and send the lists anew",
        most_days(*kind), kind.name()
    )]
    Old {
        /// Which.
        kind: Kind,
        /// Its age.
        days: u64,
    },
    /// A key is from the future.
    #[error("{kind} was made after today: set this machine's clock, or ask who made the key")]
    Early {
        /// Which.
        kind: Kind,
    },
    /// A list is nearly one that was matched before.
    #[error(
        "{whose} list differs in {difference} identifiers from one that was matched before, and PAIR forbids fewer than {LEAST_DIFFERENCE}: \
         two such rates tell of single people; match it when more has changed"
    )]
    Close {
        /// Whose list.
        whose: &'static str,
        /// In how many identifiers it differs.
        difference: usize,
    },
}

fn most_days(kind: Kind) -> u64 {
    if kind == Kind::Ks { SALT_DAYS } else { CIPHER_KEY_DAYS }
}
