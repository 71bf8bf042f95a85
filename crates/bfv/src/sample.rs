//! Secrets, errors and uniform polynomials.

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use zeroize::Zeroizing;

use crate::modulus::Modulus;

/// The standard deviation of an [`error`]: that of a centred binomial distribution of 42 coins, √10.5; the standard asks
/// for at least 8/√(2π) = 3.19.
pub(crate) const DEVIATION: f64 = 3.24;

/// Coefficients of −1, 0 and 1, uniform.
pub(crate) fn ternary(n: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<i64>> {
    let mut secret = Zeroizing::new(Vec::with_capacity(n));
    let mut bytes = Zeroizing::new([0; 64]);
    while secret.len() < n {
        rng.fill_bytes(bytes.as_mut_slice());
        // 255 is refused, so that all remainders are as likely.
        let digits = bytes.iter().filter(|byte| **byte < 255).map(|byte| i64::from(byte % 3) - 1);
        let missing = n - secret.len();
        secret.extend(digits.take(missing));
    }
    secret
}

/// Coefficients of a centred binomial distribution: 21 coins less 21 coins.
pub(crate) fn error(n: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<i64>> {
    const COINS: u32 = (1 << 21) - 1;
    let mut bytes = Zeroizing::new(vec![0; 8 * n]);
    rng.fill_bytes(&mut bytes);
    let (words, _) = bytes.as_chunks::<8>();
    let coefficient = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        let ones = |coins: u64| (coins as u32 & COINS).count_ones();
        i64::from(ones(word)) - i64::from(ones(word >> 32))
    };
    Zeroizing::new(words.iter().map(coefficient).collect())
}

/// Uniform numbers from −2^`bits` to 2^`bits` − 1, as residues: a row for each modulus.
pub(crate) fn wide(
    n: usize,
    bits: u32,
    moduli: &[Modulus],
    rng: &mut dyn CryptoRng,
) -> Zeroizing<Vec<u64>> {
    let words = (bits + 1).div_ceil(64) as usize;
    let mask = u64::MAX >> (64 * words as u32 - (bits + 1));
    let mut rows = Zeroizing::new(vec![0; n * moduli.len()]);
    let mut bytes = Zeroizing::new(vec![0; 8 * words]);
    let offsets: Vec<u64> =
        moduli.iter().map(|modulus| modulus.power(2, u64::from(bits))).collect();
    for at in 0..n {
        rng.fill_bytes(&mut bytes);
        let (number, _) = bytes.as_chunks::<8>();
        for ((index, modulus), offset) in moduli.iter().enumerate().zip(&offsets) {
            let first = u64::from_le_bytes(number[0]) & mask;
            let residue = number[1..].iter().fold(modulus.reduce(first), |rest, word| {
                modulus.reduce_wide(u128::from(rest) << 64 | u128::from(u64::from_le_bytes(*word)))
            });
            rows[index * n + at] = modulus.subtract(residue, *offset);
        }
    }
    rows
}

/// Uniform residues from a public seed: a row for each modulus.
pub(crate) fn uniform(n: usize, moduli: &[Modulus], seed: &[u8; 32]) -> Vec<u64> {
    let mut rng = ChaCha20Rng::from_seed(*seed);
    let mut rows = Vec::with_capacity(n * moduli.len());
    for modulus in moduli {
        let mask = u64::MAX >> modulus.p.leading_zeros();
        let end = rows.len() + n;
        while rows.len() < end {
            let word = rng.next_u64() & mask;
            if word < modulus.p {
                rows.push(word);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(numbers: &[i64]) -> (f64, f64) {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<i64>() as f64 / count;
        let square = numbers.iter().map(|x| (x * x) as f64).sum::<f64>() / count;
        (mean, square - mean * mean)
    }

    #[test]
    fn distributions_have_their_moments() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let n = 1 << 16;
        let (mean, variance) = moments(&ternary(n, &mut rng));
        assert!(mean.abs() < 0.02 && (variance - 2.0 / 3.0).abs() < 0.02, "{mean} {variance}");
        let (mean, variance) = moments(&error(n, &mut rng));
        assert!(mean.abs() < 0.1 && (variance - DEVIATION * DEVIATION).abs() < 0.4);
        let moduli = [Modulus::new(97), Modulus::new((1 << 31) - 1)];
        let rows = wide(n, 5, &moduli, &mut rng);
        let numbers: Vec<i64> = rows[n..].iter().map(|x| moduli[1].centred(*x)).collect();
        assert!(numbers.iter().all(|x| (-32..32).contains(x)));
        assert!(numbers.iter().zip(&rows[..n]).all(|(x, row)| moduli[0].signed(*x) == *row));
        let (mean, variance) = moments(&numbers);
        assert!((mean + 0.5).abs() < 0.5 && (variance - 64.0 * 64.0 / 12.0).abs() < 10.0);
    }

    #[test]
    fn uniform_polynomials_fill_their_range() {
        let moduli = [Modulus::new(97)];
        let row = uniform(97 * 1000, &moduli, &[2; 32]);
        let mut counts = [0_u32; 97];
        row.iter().for_each(|residue| counts[*residue as usize] += 1);
        assert!(counts.iter().all(|count| (800..1200).contains(count)));
        assert!(row == uniform(97 * 1000, &moduli, &[2; 32]));
    }
}
