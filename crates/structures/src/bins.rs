//! Bins of one size that hold items thrown into them at random.

use crate::okvs::at_most_in_a_cluster;

/// How many items fit each of `bins` bins, so that `items` at random overflow one with probability at most 2^-`bits`.
///
/// # Panics
/// When there are no bins.
#[must_use]
pub fn bin_capacity(items: usize, bins: usize, bits: f64) -> usize {
    assert!(bins > 0, "there is a bin");
    at_most_in_a_cluster(items, bins, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ over bins of Pr[load > capacity], term by term.
    fn overflow(items: usize, bins: usize, capacity: usize) -> f64 {
        let chance = 1.0 / bins as f64;
        let mut term = (1.0 - chance).powi(i32::try_from(items).expect("small"));
        let mut tail = 0.0;
        for load in 0..=items {
            if load > capacity {
                tail += term;
            }
            term *= (items - load) as f64 / (load + 1) as f64 * chance / (1.0 - chance);
        }
        tail * bins as f64
    }

    #[test]
    fn capacities_are_the_least_that_the_bound_allows_or_hardly_more() {
        for (items, bins) in [(100, 10), (4096, 512), (4096, 4096), (60_000, 7_000), (3, 100)] {
            let capacity = bin_capacity(items, bins, 40.0);
            let bits = -overflow(items, bins, capacity).log2();
            assert!(bits >= 40.0, "{items} in {bins}: {capacity} gives {bits}");
            let before = -overflow(items, bins, capacity.saturating_sub(2)).log2();
            assert!(before < 40.0, "{items} in {bins}: {capacity} is more than it takes");
        }
    }

    #[test]
    fn one_bin_holds_all_and_no_bin_more() {
        assert_eq!(bin_capacity(1000, 1, 40.0), 1000);
        assert_eq!(bin_capacity(0, 5, 40.0), 0);
        assert_eq!(bin_capacity(2, 5, 40.0), 2);
    }
}
