//! The clock, and how long people are told to wait.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
use std::time::{Duration, SystemTime};

#[cfg(target_family = "wasm")]
pub use self::of_page::Instant;

/// What the clock on the wall says.
#[must_use]
pub fn now() -> SystemTime {
    #[cfg(not(target_family = "wasm"))]
    return SystemTime::now();
    #[cfg(target_family = "wasm")]
    return SystemTime::UNIX_EPOCH + crate::page::wall_clock();
}

/// A wait as people say it, in the largest unit that it is a whole number of.
#[must_use]
pub fn show_wait(longest: Duration) -> String {
    match longest.as_secs() {
        0 => format!("{} ms", longest.as_millis()),
        seconds if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        seconds if seconds > 60 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

#[cfg(target_family = "wasm")]
mod of_page {
    use std::ops::{Add, AddAssign, Sub};
    use std::time::Duration;

    use crate::page;

    /// A moment of the page's clock, which never goes back; as [`std::time::Instant`], which has no clock here.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        #[must_use]
        pub fn now() -> Self {
            Self(page::steady_clock())
        }

        /// How long ago it was.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Self::now().duration_since(*self)
        }

        /// From an earlier moment to this one; nothing if that was later.
        #[must_use]
        pub fn duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// As [`duration_since`](Self::duration_since).
        #[must_use]
        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.duration_since(earlier)
        }

        /// So much later, if there is such a moment.
        #[must_use]
        pub fn checked_add(&self, more: Duration) -> Option<Self> {
            self.0.checked_add(more).map(Self)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, more: Duration) -> Self {
            Self(self.0 + more)
        }
    }

    impl AddAssign<Duration> for Instant {
        fn add_assign(&mut self, more: Duration) {
            self.0 += more;
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            self.duration_since(earlier)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_in_whole_units() {
        let cases = [
            (500, "500 ms"),
            (2_000, "2 s"),
            (60_000, "60 s"),
            (90_000, "90 s"),
            (600_000, "10 min"),
            (3_600_000, "1 h"),
            (86_400_000, "24 h"),
        ];
        for (milliseconds, said) in cases {
            assert_eq!(show_wait(Duration::from_millis(milliseconds)), said);
        }
    }
}
