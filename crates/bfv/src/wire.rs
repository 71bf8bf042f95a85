//! Keys and ciphertexts as bytes, each of a length that the parameters give.

use veilset_real::{exp2, log2};

use crate::ciphertext::Ciphertext;
use crate::keys::{RelinearisationKey, Seed, Seeded};
use crate::modulus::Modulus;
use crate::noise::{Model, Noise};
use crate::ring::Ring;

/// Why bytes are refused. No honest peer sends such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Of another length than what the parameters give.
    #[error("another length than the parameters give")]
    Length,
    /// A residue that is not below its prime, or a bit set after the last.
    #[error("a residue is out of range")]
    Range,
}

impl Seeded {
    /// Bytes of a fresh ciphertext.
    #[must_use]
    pub fn len(ring: &Ring) -> usize {
        bytes(ring, ring.levels())
    }

    /// Appends the bytes.
    pub fn write(&self, ring: &Ring, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.seed);
        for (modulus, row) in ring.moduli().iter().zip(self.rows.chunks_exact(ring.n())) {
            pack(row, width(*modulus), out);
        }
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// When that is no ciphertext under these parameters.
    pub fn read(ring: &Ring, bytes: &[u8]) -> Result<Self, WireError> {
        Self::read_rows(ring, bytes, ring.levels())
    }

    fn read_rows(ring: &Ring, input: &[u8], count: usize) -> Result<Self, WireError> {
        if input.len() != bytes(ring, count) {
            return Err(WireError::Length);
        }
        let (seed, rows) = input.split_at(size_of::<Seed>());
        let seed = seed.try_into().map_err(|_| WireError::Length)?;
        Ok(Self { seed, rows: read_rows(ring, rows, count)? })
    }
}

impl RelinearisationKey {
    /// Bytes of a key.
    #[must_use]
    pub fn len(ring: &Ring) -> usize {
        ring.levels() * bytes(ring, ring.primes.len())
    }

    /// Appends the bytes.
    pub fn write(&self, ring: &Ring, out: &mut Vec<u8>) {
        self.digits.iter().for_each(|digit| digit.write(ring, out));
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// When that is no key under these parameters.
    pub fn read(ring: &Ring, input: &[u8]) -> Result<Self, WireError> {
        if input.len() != Self::len(ring) {
            return Err(WireError::Length);
        }
        let digits = input.chunks_exact(bytes(ring, ring.primes.len()));
        let digits = digits.map(|digit| Seeded::read_rows(ring, digit, ring.primes.len()));
        Ok(Self::new(ring, digits.collect::<Result<_, _>>()?))
    }
}

impl Ciphertext {
    /// Bytes of a whole ciphertext of so many primes and parts.
    #[must_use]
    pub fn len(ring: &Ring, level: usize, parts: usize) -> usize {
        parts * rows_len(ring, level)
    }

    /// Appends the bytes of the whole ciphertext.
    pub fn write(&self, ring: &Ring, out: &mut Vec<u8>) {
        for part in &self.parts {
            for (modulus, row) in ring.moduli().iter().zip(part.chunks_exact(ring.n())) {
                pack(row, width(*modulus), out);
            }
        }
    }

    /// Reads what [`write`](Self::write) wrote of a ciphertext of this scale.
    ///
    /// # Errors
    /// When that is no ciphertext of so many primes and parts.
    pub fn read(
        ring: &Ring,
        input: &[u8],
        level: usize,
        parts: usize,
        scale: u64,
    ) -> Result<Self, WireError> {
        if input.len() != Self::len(ring, level, parts) {
            return Err(WireError::Length);
        }
        let parts = input.chunks_exact(rows_len(ring, level));
        let parts = parts.map(|part| read_rows(ring, part, level)).collect::<Result<_, _>>()?;
        Ok(Self { parts, level, scale })
    }
}

/// How many bits of the coefficients of each part of a ciphertext of one prime travel.
///
/// As Fan and Vercauteren write a ciphertext, its plaintext lies in the top bits, and low bits of the parts are noise.
/// What is cut off part i is noise times s^i, of variance 1, 2n/3 and 2·(2n/3)².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// Bits cut off each part.
    dropped: [u32; 3],
    parts: usize,
    bits: u32,
}

impl Truncation {
    /// For ciphertexts of `parts` parts and this noise under a prime of `bits` bits. Nothing is cut where noise leaves no
    /// room.
    #[must_use]
    pub fn new(model: Model, noise: Noise, parts: usize, bits: u32) -> Self {
        // What is free above the noise is shared by the parts evenly, as variances.
        let spare = f64::from(bits) - noise.modulus_bits();
        let free = (exp2(2.0 * spare) - 1.0) / parts as f64;
        if free < f64::MIN_POSITIVE {
            return Self { dropped: [0; 3], parts, bits };
        }
        let share = log2(free) / 2.0 + noise.log_deviation();
        let second = f64::from(1 << model.log_n) * 2.0 / 3.0;
        let dropped = [1.0, second, 2.0 * second * second].map(|variance| {
            let room = share - model.plain + log2(12.0 / variance) / 2.0;
            if room >= 1.0 { (room as u32).min(bits - 1) } else { 0 }
        });
        Self { dropped, parts, bits }
    }

    fn widths(&self) -> impl Iterator<Item = (u32, u32)> {
        let bits = self.bits;
        self.dropped.into_iter().take(self.parts).map(move |dropped| (dropped, bits - dropped))
    }

    /// Bytes of a ciphertext of `n` coefficients a part.
    #[must_use]
    pub fn len(&self, n: usize) -> usize {
        self.widths().map(|(_, kept)| packed(n, kept)).sum()
    }

    /// Appends what is kept of a ciphertext.
    ///
    /// # Panics
    /// When it has more than one prime, or other parts.
    pub fn write(&self, ring: &Ring, ciphertext: &Ciphertext, out: &mut Vec<u8>) {
        assert_eq!((ciphertext.level, ciphertext.parts.len()), (1, self.parts), "as agreed");
        let prime = &ring.primes[0];
        let modulus = prime.modulus;
        let inverse = modulus.factor(modulus.invert(modulus.reduce(ring.plain.modulus.p)));
        for ((dropped, kept), part) in self.widths().zip(&ciphertext.parts) {
            let mut row = part.clone();
            prime.backward(&mut row);
            row.iter_mut().for_each(|x| *x = modulus.times(*x, inverse) >> dropped);
            pack(&row, kept, out);
        }
    }

    /// Reads what [`write`](Self::write) wrote of a ciphertext of this scale.
    ///
    /// # Errors
    /// When that is no ciphertext under these parameters.
    pub fn read(&self, ring: &Ring, input: &[u8], scale: u64) -> Result<Ciphertext, WireError> {
        if input.len() != self.len(ring.n()) {
            return Err(WireError::Length);
        }
        let prime = &ring.primes[0];
        let modulus = prime.modulus;
        let t = modulus.factor(modulus.reduce(ring.plain.modulus.p));
        let mut rest = input;
        let mut parts = Vec::with_capacity(self.parts);
        for (dropped, kept) in self.widths() {
            let (packed, more) = rest.split_at(packed(ring.n(), kept));
            rest = more;
            let mut row = Vec::with_capacity(ring.n());
            unpack(packed, kept, (modulus.p - 1) >> dropped, ring.n(), &mut row)?;
            // The middle of what was cut off.
            let middle = (1 << dropped) >> 1;
            row.iter_mut().for_each(|x| *x = modulus.times((*x << dropped) + middle, t));
            prime.forward(&mut row);
            parts.push(row);
        }
        Ok(Ciphertext { parts, level: 1, scale })
    }
}

/// Bytes of a seeded ciphertext of the first `count` primes.
fn bytes(ring: &Ring, count: usize) -> usize {
    size_of::<Seed>() + rows_len(ring, count)
}

/// Bytes of a polynomial's values modulo the first `count` primes.
fn rows_len(ring: &Ring, count: usize) -> usize {
    let rows = ring.primes[..count].iter().map(|prime| packed(ring.n(), width(prime.modulus)));
    rows.sum()
}

/// Reads such values, of as many bytes as they have.
fn read_rows(ring: &Ring, mut input: &[u8], count: usize) -> Result<Vec<u64>, WireError> {
    let mut rows = Vec::with_capacity(count * ring.n());
    for modulus in &ring.moduli()[..count] {
        let (row, more) = input.split_at(packed(ring.n(), width(*modulus)));
        unpack(row, width(*modulus), modulus.p - 1, ring.n(), &mut rows)?;
        input = more;
    }
    Ok(rows)
}

/// Bits of a residue.
fn width(modulus: Modulus) -> u32 {
    u64::BITS - modulus.p.leading_zeros()
}

/// Bytes of `count` numbers of `width` bits.
fn packed(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Appends numbers of `width` bits, up to 60, one after the other, low bits first.
fn pack(numbers: &[u64], width: u32, out: &mut Vec<u8>) {
    let (mut pending, mut bits) = (0_u128, 0);
    for number in numbers {
        pending |= u128::from(*number) << bits;
        bits += width;
        while bits >= 8 {
            out.push(pending as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push(pending as u8);
    }
}

/// Reads `count` numbers of `width` bits, none above `most`.
fn unpack(
    input: &[u8],
    width: u32,
    most: u64,
    count: usize,
    numbers: &mut Vec<u64>,
) -> Result<(), WireError> {
    let (mut pending, mut bits) = (0_u128, 0);
    let mut bytes = input.iter();
    for _ in 0..count {
        while bits < width {
            let byte = bytes.next().ok_or(WireError::Length)?;
            pending |= u128::from(*byte) << bits;
            bits += 8;
        }
        let number = (pending & ((1 << width) - 1)) as u64;
        if number > most {
            return Err(WireError::Range);
        }
        numbers.push(number);
        pending >>= width;
        bits -= width;
    }
    if pending == 0 { Ok(()) } else { Err(WireError::Range) }
}
