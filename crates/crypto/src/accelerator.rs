//! Something beside this processor that multiplies many points of Curve25519.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Point;

/// A device that takes whole batches. Its results are those of this processor, byte for byte.
pub trait Accelerator: Send + Sync {
    /// As people know it.
    fn name(&self) -> &str;

    /// Points with which a call keeps it busy.
    fn batch(&self) -> usize;

    /// Replaces each point by its product with a scalar: X25519, where the neutral element becomes 0. False if the device
    /// failed; points may have changed then.
    fn multiply(&self, scalar: &[u8; 32], points: &mut [Point]) -> bool;

    /// Puts the products of a scalar with where Elligator 2 takes numbers, big-endian. False if the device failed.
    fn map_and_multiply(
        &self,
        scalar: &[u8; 32],
        uniform: &[[u8; 48]],
        points: &mut [Point],
    ) -> bool;
}

/// Values of a batch from which it is worth the way to a device.
const LEAST: usize = 1 << 12;

static CHOSEN: OnceLock<Box<dyn Accelerator>> = OnceLock::new();

/// What is asked for a device once this process did much work without one.
struct Later {
    after: u64,
    ask: fn(),
    /// Values so far.
    done: AtomicU64,
}

static LATER: OnceLock<Later> = OnceLock::new();

/// Has this device take the large batches of this process from now on. False if another one does.
pub fn accelerate(device: Box<dyn Accelerator>) -> bool {
    CHOSEN.set(device).is_ok()
}

/// The device that takes large batches, if there is one.
#[must_use]
pub fn accelerator() -> Option<&'static dyn Accelerator> {
    CHOSEN.get().map(AsRef::as_ref)
}

/// Calls `ask` once, when the large batches without a device had `after` values: it may then find one and have it
/// [accelerate], without keeping the caller. So a small run never waits for a device to open.
pub fn accelerate_after(after: u64, ask: fn()) {
    let _ = LATER.set(Later { after, ask, done: AtomicU64::new(0) });
}

/// The device for so many values.
pub(crate) fn accelerator_for(values: usize) -> Option<&'static dyn Accelerator> {
    if values < LEAST {
        return None;
    }
    let device = accelerator();
    if let (None, Some(later)) = (device, LATER.get()) {
        let before = later.done.fetch_add(values as u64, Ordering::Relaxed);
        if (before..before + values as u64).contains(&later.after) {
            (later.ask)();
        }
    }
    device
}
