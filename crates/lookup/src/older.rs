//! Versions that were served before, for those who are fetching them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Engine;
use crate::service::fresh_rng;

/// How long a version stays that nobody asks for: a client that fetches asks for the next chunk as soon as one is there, and
/// whoever takes no answer for ten seconds loses its connection.
const UNUSED: Duration = Duration::from_secs(10);

/// The most versions that stay: so much memory may whoever fetches slowly, and the operator's changes, take together.
const MOST: usize = 4;

/// The versions before the newest, the latest first.
#[derive(Default)]
pub(crate) struct Older(Mutex<Vec<Version>>);

struct Version {
    engine: Arc<dyn Engine>,
    asked: Instant,
}

impl Older {
    /// Keeps a version that was replaced just now.
    pub(crate) fn keep(&self, engine: Arc<dyn Engine>, now: Instant) {
        let mut versions = self.versions();
        versions.insert(0, Version { engine, asked: now });
        versions.truncate(MOST);
    }

    /// The answer of the version that the request is about, if it is still there.
    pub(crate) fn answer(&self, request: &[u8], now: Instant) -> Option<Vec<u8>> {
        self.versions().iter_mut().find_map(|version| {
            let answer = version.engine.answer(request, &mut fresh_rng()).ok()?;
            version.asked = now;
            Some(answer)
        })
    }

    /// Lets go of those that nobody asks for.
    pub(crate) fn forget(&self, now: Instant) {
        self.versions().retain(|version| now.duration_since(version.asked) < UNUSED);
    }

    fn versions(&self) -> MutexGuard<'_, Vec<Version>> {
        // Each change is one step, so none is half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use rand_core::CryptoRng;
    use veilset_channel::Malformed;

    use super::*;
    use crate::{About, Refusal};

    /// Answers requests for its own number.
    struct Numbered(u8);

    impl Engine for Numbered {
        fn about(&self) -> About {
            About { protocol: "numbered", version: self.0.into(), items: 0 }
        }

        fn longest(&self) -> usize {
            1
        }

        fn items(&self, _request: &[u8]) -> Result<u64, Malformed> {
            Ok(0)
        }

        fn answer(&self, request: &[u8], _rng: &mut dyn CryptoRng) -> Result<Vec<u8>, Refusal> {
            if request == [self.0] { Ok(vec![self.0; 3]) } else { Err(Refusal::Moved) }
        }
    }

    #[test]
    fn a_version_stays_while_it_is_asked_for() {
        let (older, start) = (Older::default(), Instant::now());
        for number in 0..6 {
            older.keep(Arc::new(Numbered(number)), start);
        }
        let there = |now: Instant| -> Vec<u8> {
            older.forget(now);
            older.versions().iter().map(|version| version.engine.about().version as u8).collect()
        };
        assert_eq!(there(start + UNUSED / 2), [5, 4, 3, 2], "the latest, so many at most");
        assert_eq!(older.answer(&[3], start + UNUSED / 2), Some(vec![3; 3]));
        assert_eq!(older.answer(&[1], start + UNUSED / 2), None);
        assert_eq!(there(start + UNUSED), [3]);
        assert_eq!(older.answer(&[3], start + UNUSED), Some(vec![3; 3]));
        assert_eq!(there(start + UNUSED * 3 / 2), [3]);
        assert_eq!(there(start + UNUSED * 2), Vec::<u8>::new());
    }
}
