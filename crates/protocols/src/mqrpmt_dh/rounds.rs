//! The local steps of the figure.

/// Step 3: `e_i = 1` iff the i-th query is in the (sorted) set.
pub(super) fn indication(queries: &[u128], set: &[u128]) -> Vec<bool> {
    queries.iter().map(|query| set.binary_search(query).is_ok()).collect()
}

/// The Hamming weight of `e`: how many elements both have.
pub(super) fn weight(e: &[bool]) -> u64 {
    e.iter().filter(|bit| **bit).count() as u64
}
