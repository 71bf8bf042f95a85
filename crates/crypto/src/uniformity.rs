//! How far counts are from what they should be.

/// Pearson's χ² of the counts against these shares, divided by what it exceeds with probability below 2^-20: its mean, six
/// standard deviations, and 12 more for the heavy tail with few degrees of freedom.
pub(crate) fn distance(counts: &[u32], shares: &[f64]) -> f64 {
    assert_eq!(counts.len(), shares.len());
    let total = f64::from(counts.iter().sum::<u32>());
    let freedom = counts.len() as f64 - 1.0;
    let term = |(count, share): (&u32, &f64)| {
        let expected = total * share;
        (f64::from(*count) - expected).powi(2) / expected
    };
    let chi: f64 = counts.iter().zip(shares).map(term).sum();
    chi / (freedom + 6.0 * (2.0 * freedom).sqrt() + 12.0)
}

/// The largest distance of the bits and of the bytes at all places below `bits` from uniform ones.
pub(crate) fn of_bits_and_bytes<'a>(
    values: impl Iterator<Item = &'a [u8]> + Clone,
    bits: usize,
) -> f64 {
    let bit = |bit: usize| {
        let mut counts = [0; 2];
        values.clone().for_each(|value| counts[usize::from(value[bit / 8] >> (bit % 8) & 1)] += 1);
        distance(&counts, &[0.5; 2])
    };
    let byte = |byte: usize| {
        let mut counts = [0; 256];
        values.clone().for_each(|value| counts[usize::from(value[byte])] += 1);
        distance(&counts, &[1.0 / 256.0; 256])
    };
    (0..bits).map(bit).chain((0..bits / 8).map(byte)).fold(0.0, f64::max)
}
