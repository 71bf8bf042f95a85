//! How wide a truncated value must be.

/// The whole run may go wrong with probability 2^-λ.
pub(crate) const LAMBDA: u32 = 40;

/// Bits of a truncated pseudorandom value when a set of `n1` values is matched against one of `n2`:
/// λ + ⌈log2 n1⌉ + ⌈log2 n2⌉ with λ = 40, at most 128.
///
/// Two values of different elements are independent and uniform, so `t` bits of them agree with probability 2^-t. A
/// run compares at most `n1 · n2` such pairs, and by the union bound some pair agrees with probability at most
/// `n1 · n2 · 2^-t`, which is at most 2^-λ for this `t`. That is the failure of the whole run, not of one
/// comparison. Equal elements always agree, so nothing else can go wrong. The cap is reached where ⌈log2 n1⌉ +
/// ⌈log2 n2⌉ exceeds 88, beyond 2^44 elements on each side.
#[must_use]
pub fn match_bits(n1: usize, n2: usize) -> u32 {
    (LAMBDA + ceil_log2(n1) + ceil_log2(n2)).min(u128::BITS)
}

/// How seldom a filter may answer one of `queries` queries wrongly, as a power of one half, so that the whole run goes
/// wrong with at most 2^-λ: λ + ⌈log2 queries⌉, by the union bound over the queries.
#[must_use]
pub fn query_bits(queries: usize) -> u32 {
    LAMBDA + ceil_log2(queries)
}

/// ⌈log2 n⌉, and 0 for an empty set.
fn ceil_log2(n: usize) -> u32 {
    usize::BITS - n.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_union_bound_holds_and_is_not_wasteful() {
        let sizes = [2, 3, 4, 5, 1000, 1 << 16, (1 << 16) + 1, 1 << 20];
        for n1 in sizes {
            for n2 in sizes {
                let failure = n1 as f64 * n2 as f64 / f64::from(match_bits(n1, n2)).exp2();
                assert!(failure <= (-40f64).exp2(), "{n1} {n2}");
                assert!(failure > (-42f64).exp2(), "{n1} {n2}");
            }
        }
        assert_eq!(match_bits(1 << 16, 1 << 16), 72);
    }

    #[test]
    fn small_and_huge_sets_have_a_width() {
        assert_eq!([match_bits(0, 0), match_bits(1, 1), match_bits(0, 2)], [40, 40, 41]);
        assert_eq!(match_bits(usize::MAX, usize::MAX), 128);
    }
}
