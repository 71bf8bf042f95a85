//! Light words of an expand-convolute code that linear algebra finds, as a test of regular noise.
//!
//! Row i of the expander has a one at place i of the first half and one in each of seven regions of the second. Of the
//! first half a share α is chosen and of each region a share τ, in J intervals in all: about α·τ^7·m rows have all their
//! ones in them. Read from its last place on, a sum of rows times the convolution is zero as long as the convolution's state
//! is, 28 elements. So 28·J linear equations make it zero below each interval, and 28·J + 1 of these rows have a sum that
//! is zero outside the intervals.
//!
//! Regular noise always meets a word that covers a block. So each interval lies over the border of two blocks, and covers
//! a share x of either: all noise is missed with probability Π (1 − x) over 2·J blocks. A word with few noisy places
//! in it serves as well. With two words on the same intervals a table of ratios finds one noisy place; with more words two
//! are found by sorting, since modulo what is seen their columns are parallel. Three and more cost more work than they gain.

/// Regions of the expander.
const REGIONS: f64 = 7.0;

/// Elements of the convolution's state.
const STATE: f64 = 28.0;

/// What is attacked, and with what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attack {
    /// m.
    pub(crate) rows: f64,
    /// t, a multiple of 4.
    pub(crate) blocks: f64,
    /// Noisy places that may lie in a word.
    pub(crate) hits: u32,
    /// How many times as many rows as are expected lie in the intervals. Searching for good ends of the intervals finds 1.4 to
    /// 1.5 times as many, and rows whose ones outside of them cancel are some more.
    pub(crate) luck: f64,
}

/// Intervals of one length in the first half of the noise and of one in the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comb {
    /// Of either half.
    pub(crate) intervals: [usize; 2],
    /// The share of a block that an interval of either half covers on each side of a border.
    pub(crate) shares: [f64; 2],
    /// −log2 of the probability that no more noise than is allowed lies in the intervals.
    pub(crate) bits: f64,
}

impl Attack {
    /// The intervals that regular noise is likeliest to miss; none if no intervals have enough rows.
    pub(crate) fn best(&self) -> Option<Comb> {
        // As many as lie over disjoint pairs of blocks.
        let most = (self.blocks / 4.0) as usize;
        let seconds = (REGIONS as usize..most).step_by(REGIONS as usize).chain([most]);
        let pairs = seconds.flat_map(|second| (1..=most).map(move |first| [first, second]));
        let combs = pairs.filter_map(|intervals| self.comb(intervals));
        combs.min_by(|a, b| a.bits.total_cmp(&b.bits))
    }

    /// The best lengths for so many intervals: where a longer interval costs as much as it gains, in either half.
    fn comb(&self, intervals: [usize; 2]) -> Option<Comb> {
        let [first, second] = intervals.map(|count| count as f64);
        let needed = STATE * (first + second) + 1.0;
        let wanted = (needed / (self.luck * self.rows)).ln();
        // α and τ, for blocks covered all over.
        let [most_first, most_second] = [first, second].map(|count| 4.0 * count / self.blocks);
        let shares = |price: f64| {
            let share = |odds: f64| odds / (1.0 + odds);
            [share(price / (2.0 * first)), share(REGIONS * price / (2.0 * second))]
        };
        let found = |price: f64| {
            let [x, z] = shares(price);
            (most_first * x).ln() + REGIONS * (most_second * z).ln()
        };
        let (mut low, mut high) = (1e-6_f64.ln(), 1e6_f64.ln());
        if found(high.exp()) < wanted {
            return None;
        }
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if found(middle.exp()) < wanted { low = middle } else { high = middle }
        }
        let price = high.exp();
        let shares = shares(price);
        let missed = |count: f64, share: f64| -2.0 * count * (1.0 - share).log2();
        let none = missed(first, shares[0]) + missed(second, shares[1]);
        // The sum over all blocks of the odds of a hit.
        let odds = (1.0 + REGIONS) * price;
        let (sum, _) = (0..self.hits).fold((1.0, 1.0), |(sum, term), hit| {
            let term = term * odds / f64::from(hit + 1);
            (sum + term, term)
        });
        Some(Comb { intervals, shares, bits: none - sum.log2() })
    }
}
