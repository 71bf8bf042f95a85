//! Where a run's randomness comes from.

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use zeroize::Zeroize;

use crate::SessionError;

/// A generator for one run, seeded by the system.
///
/// # Errors
/// When the system gives no randomness.
pub fn fresh_rng() -> Result<ChaCha20Rng, SessionError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(SessionError::Randomness)?;
    let rng = ChaCha20Rng::from_seed(seed);
    seed.zeroize();
    Ok(rng)
}
