//! How the receiver's elements are spread over polynomials, and how long numbers are.

use crypto_bigint::{BoxedUint, Uint};
use veilset_crypto::paillier::KeySize;
use veilset_poly::fields::PrimeField;
use veilset_structures::{bin_capacity, match_bits};

/// The key's size.
pub(super) const KEY: KeySize = KeySize::B2048;

/// Works of the parts in multiplications modulo N², measured with 2048 bits.
pub(super) const ENCRYPTION: u64 = 350;
pub(super) const DECRYPTION: u64 = 1500;
pub(super) const RERANDOMISATION: u64 = 450;

/// Bits of the digits by which scalars can be taken.
const WINDOWS: [u32; 3] = [3, 4, 6];

/// The largest primes below some powers of 2: the exponent, and how far below. A test looks at each.
pub(super) const FIELDS: [(u32, u64); 7] =
    [(48, 59), (60, 93), (72, 93), (84, 35), (96, 17), (108, 59), (120, 119)];

/// Bits beyond λ + log₂ n₁ + log₂ n₂ that the field has: false matches and an overfull bin together stay below 2^-40.
const SPARE_BITS: u32 = 2;

/// Bits of the bound on the overflow of bins.
const OVERFLOW_BITS: f64 = 42.0;

/// Statistical security.
const LAMBDA: u32 = 40;

/// All that follows from the sizes of the sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) bins: usize,
    /// Degree of the polynomials, whose leading coefficient is 1 and not sent.
    pub(super) degree: usize,
    /// Bits of the field's prime p.
    pub(super) bits: u32,
    /// 2^`bits` − p.
    below: u64,
    /// Bits of the multiple of p that hides all but the residue of a value.
    pub(super) mask: u32,
    /// Bits of a value with its mask.
    pub(super) width: u32,
    /// Values in a plaintext.
    pub(super) slots: usize,
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
        let longest = FIELDS[FIELDS.len() - 1];
        let (bits, below) = FIELDS.into_iter().find(|(bits, _)| *bits >= least).unwrap_or(longest);
        let mask = bits + log2_ceiling(degree + 2) + LAMBDA + log2_ceiling(sender);
        let width = bits + mask + 1;
        let slots = ((KEY.bits() - 1) / width) as usize;
        let uses = sender.div_ceil(bins) as u64;
        let work = |window: &u32| (1 << window) + uses * u64::from(bits.div_ceil(*window));
        let window = WINDOWS.into_iter().min_by_key(work).unwrap_or(WINDOWS[0]);
        Self { bins, degree, bits, below, mask, width, slots, window }
    }

    /// The coefficients that are sent.
    pub(super) fn coefficients(&self) -> usize {
        self.bins * self.degree
    }

    /// The ciphertexts in which the values of `sender` elements travel.
    pub(super) fn answers(&self, sender: usize) -> usize {
        sender.div_ceil(self.slots)
    }

    /// The work of the sender, which has so many elements, and of the receiver, in multiplications modulo N².
    pub(super) fn work(&self, sender: usize) -> [u64; 2] {
        let (coefficients, answers) = (self.coefficients() as u64, self.answers(sender) as u64);
        let digits = u64::from(self.bits.div_ceil(self.window));
        let value = (self.degree as u64 + u64::from(self.window)) * digits + u64::from(self.width);
        let tables = coefficients << self.window;
        let sender = tables + sender as u64 * value + answers * RERANDOMISATION;
        [sender, coefficients * ENCRYPTION + answers * DECRYPTION]
    }

    /// p.
    pub(super) fn prime(&self) -> u128 {
        (1 << self.bits) - u128::from(self.below)
    }

    /// Integers modulo p.
    pub(super) fn field(&self) -> PrimeField<2> {
        PrimeField::new(&Uint::from_u128(self.prime())).expect("a prime")
    }

    /// p as a long number.
    pub(super) fn modulus(&self) -> BoxedUint {
        BoxedUint::from(self.prime())
    }
}

fn log2_ceiling(count: usize) -> u32 {
    count.max(1).next_power_of_two().ilog2()
}
