//! The rules that PAIR has its clean rooms obey ("Data Clean Room (DCR)", 8 and 10).

use std::fmt;
use std::time::{Duration, SystemTime};

use super::{Kind, Refusal};

/// The fewest identifiers of a list.
pub const LEAST_USERS: usize = 1000;

/// The fewest identifiers in which a list differs from one that was matched before, unless it is the same.
pub const LEAST_DIFFERENCE: usize = 50;

/// The largest rate that is told, in per cent.
pub const MOST_RATE: u8 = 85;

/// How long Ks is used, in days.
pub const SALT_DAYS: u64 = 30;

/// How long Kp and Ka are used, in days.
pub const CIPHER_KEY_DAYS: u64 = 180;

const DAY: Duration = Duration::from_secs(86_400);

/// Whether a list is long enough.
///
/// # Errors
/// [`Refusal::Small`].
pub fn check_size(found: usize) -> Result<(), Refusal> {
    if found < LEAST_USERS { Err(Refusal::Small { found }) } else { Ok(()) }
}

/// Whether a key that was made then may still be used now. Clocks may differ by a day.
///
/// # Errors
/// [`Refusal::Old`] or [`Refusal::Early`].
pub fn check_age(kind: Kind, made: SystemTime, now: SystemTime) -> Result<(), Refusal> {
    let Ok(age) = now.duration_since(made) else {
        let ahead = made.duration_since(now).unwrap_or_default();
        return if ahead > DAY { Err(Refusal::Early { kind }) } else { Ok(()) };
    };
    let days = age.as_secs() / DAY.as_secs();
    let most = if kind == Kind::Ks { SALT_DAYS } else { CIPHER_KEY_DAYS };
    if age > DAY * most as u32 { Err(Refusal::Old { kind, days }) } else { Ok(()) }
}

/// The part of a list that matched, as a client may hear of it: whole per cents, rounded down, and none above [`MOST_RATE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// So many per cent.
    Percent(u8),
    /// More than [`MOST_RATE`].
    Above,
}

impl Rate {
    /// That of `matched` of `all`.
    ///
    /// # Panics
    /// When more matched than there are.
    #[must_use]
    pub fn of(matched: usize, all: usize) -> Self {
        assert!(matched <= all, "a part");
        let (matched, all) = (matched as u128, all.max(1) as u128);
        if 100 * matched > u128::from(MOST_RATE) * all {
            return Self::Above;
        }
        u8::try_from(100 * matched / all).map_or(Self::Above, Self::Percent)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Above => write!(f, ">{MOST_RATE}%"),
        }
    }
}
