//! Something beside this processor that multiplies many points of Curve25519.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

use zeroize::Zeroizing;

use crate::{Element, Point};

/// A device that takes whole batches. Its results are those of this processor, byte for byte.
pub trait Accelerator: Send + Sync {
    /// As people know it.
    fn name(&self) -> &str;

    /// Values of a batch.
    fn batch(&self) -> usize;

    /// Batches that keep it busy while they are all underway.
    fn batches(&self) -> usize;

    /// Has it multiply points by a scalar, meanwhile: X25519, where the neutral element becomes 0. The products come when they are
    /// there, and none if the device failed; it waits for nothing that the caller's thread or pool does.
    fn multiply(&self, scalar: &[u8; 32], points: Arc<Vec<Point>>) -> Receiver<Vec<Point>>;

    /// As [`multiply`](Self::multiply), of where elements are mapped: by [`expansion`](crate::kernel::expansion) and Elligator 2.
    fn map_and_multiply(
        &self,
        scalar: &[u8; 32],
        elements: Arc<Zeroizing<Vec<Element>>>,
    ) -> Receiver<Vec<Point>>;
}

/// What is being computed while the caller goes on, or at the latest when it asks.
pub struct Underway<'a, T>(Box<dyn FnOnce() -> T + 'a>);

impl<'a, T> Underway<'a, T> {
    /// What `finish` waits for or computes.
    pub fn new(finish: impl FnOnce() -> T + 'a) -> Self {
        Self(Box::new(finish))
    }

    /// The result.
    #[must_use]
    pub fn finish(self) -> T {
        (self.0)()
    }
}

/// Has `take` get what is started one after the other, in this order, with so many underway.
pub(crate) fn in_order<'a, T: 'a>(
    starts: impl Iterator<Item = Underway<'a, T>>,
    ahead: usize,
    mut take: impl FnMut(T),
) {
    let mut underway = VecDeque::new();
    for started in starts {
        underway.push_back(started);
        if underway.len() > ahead {
            underway.pop_front().map(Underway::finish).into_iter().for_each(&mut take);
        }
    }
    underway.into_iter().map(Underway::finish).for_each(take);
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
