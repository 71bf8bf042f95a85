//! The clock.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
use std::time::SystemTime;

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
