//! How the receiver's elements are spread over polynomials, and how long numbers are.

use veilset_crypto::paillier::KeySize;
use veilset_structures::{bin_capacity, match_bits};

use crate::kit::paillier::packing::Slots;
use crate::kit::paillier::{DECRYPTION, ENCRYPTION, RERANDOMISATION};

/// The key's size.
pub(crate) const KEY: KeySize = KeySize::B2048;

/// Bits of the digits by which scalars can be taken.
const WINDOWS: [u32; 3] = [3, 4, 6];

/// Bits beyond λ + log₂ n₁ + log₂ n₂ that the field has: false matches and an overfull bin together stay below 2^-40.
const SPARE_BITS: u32 = 2;

/// Bits of the bound on the overflow of bins.
const OVERFLOW_BITS: f64 = 42.0;

/// All that follows from the sizes of the sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) bins: usize,
    /// Degree of the polynomials, whose leading coefficient is 1 and not sent.
    pub(super) degree: usize,
    /// How values lie in plaintexts.
    pub(super) slots: Slots,
    /// Bits of a digit of a scalar.
    pub(super) window: u32,
}

impl Layout {
    /// All of the receiver's elements in one polynomial, as the paper begins.
    pub(super) fn whole(sender: usize, receiver: usize) -> Self {
        Self::of(1, sender, receiver)
    }

    /// As many bins as make the least work (section 3.4 of the paper). Both sides find the same: work is counted in integers, and
    /// capacities by the four operations that every machine rounds alike.
    pub(super) fn binned(sender: usize, receiver: usize) -> Self {
        let loads = std::iter::successors(Some(1), |load| Some(2 * load));
        let loads = loads.take_while(|load| *load < 2 * receiver);
        let layouts = loads.map(|load| Self::of(receiver.div_ceil(load), sender, receiver));
        layouts
            .min_by_key(|layout| layout.work(sender).iter().sum::<u64>())
            .unwrap_or_else(|| Self::whole(sender, receiver))
    }

    fn of(bins: usize, sender: usize, receiver: usize) -> Self {
        let degree = bin_capacity(receiver, bins, OVERFLOW_BITS).max(1);
        let least = match_bits(sender, receiver) + SPARE_BITS;
        let slots = Slots::new(KEY, least, degree, sender);
        let uses = sender.div_ceil(bins) as u64;
        let work = |window: &u32| (1 << window) + uses * u64::from(slots.bits.div_ceil(*window));
        let window = WINDOWS.into_iter().min_by_key(work).unwrap_or(WINDOWS[0]);
        Self { bins, degree, slots, window }
    }

    /// The coefficients that are sent.
    pub(super) fn coefficients(&self) -> usize {
        self.bins * self.degree
    }

    /// The ciphertexts in which the values of `sender` elements travel.
    pub(super) fn answers(&self, sender: usize) -> usize {
        sender.div_ceil(self.slots.count)
    }

    /// The work of the sender, which has so many elements, and of the receiver, in multiplications modulo N².
    pub(super) fn work(&self, sender: usize) -> [u64; 2] {
        let (coefficients, answers) = (self.coefficients() as u64, self.answers(sender) as u64);
        let digits = u64::from(self.slots.bits.div_ceil(self.window));
        let value =
            (self.degree as u64 + u64::from(self.window)) * digits + u64::from(self.slots.width);
        let tables = coefficients << self.window;
        let sender = tables + sender as u64 * value + answers * RERANDOMISATION;
        [sender, coefficients * ENCRYPTION + answers * DECRYPTION]
    }
}
