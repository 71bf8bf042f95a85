//! Cuckoo hashing with a few functions, each with its own part of the table; with three, but for an experiment with four.
//!
//! `fhe` hashes by permutations (Arbitman, Naor and Segev, FOCS 2010; Pinkas, Schneider, Segev and Zohner, USENIX Security
//! 2015): an item x_L‖x_R lies in bin H_i(x_L) + x_R, and x_L alone is put there; two items in a bin that agree
//! in x_L are one. `circuit` puts whole elements into bins. A part of its own for each function says which function it was.

use veilset_real::{exp, exp2, ln, log2};

/// A table of bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CuckooTable {
    /// 3 or 4, or 1 for a single item.
    pub(crate) functions: usize,
    /// Bins of each function.
    pub(crate) each: usize,
}

impl CuckooTable {
    /// All bins.
    pub(crate) fn bins(self) -> usize {
        self.functions * self.each
    }

    /// A uniform word as a number below how many bins a function has.
    pub(crate) fn scaled(self, word: u64) -> usize {
        ((u128::from(word) * self.each as u128) >> 64) as usize
    }

    /// The bins where an item may lie, of the functions' values at x_L and of x_R, which is below how many bins a function has.
    pub(crate) fn places(self, hashes: &[u64], right: usize) -> impl Iterator<Item = usize> {
        let hashes = (0..self.functions).zip(hashes);
        hashes.map(move |(function, hash)| {
            function * self.each + (self.scaled(*hash) + right) % self.each
        })
    }
}

/// From so many items on the load for fewer serves too: at one load the bound falls when the table grows.
const ENOUGH: usize = 1 << 12;

/// How many bins for `items` items let so many functions, three or four, find a place for each but with probability 2^-`bits`; 1
/// for a single item, which one function serves.
pub(crate) fn least_bins(functions: usize, items: usize, bits: f64) -> usize {
    if items < 2 {
        return 1;
    }
    let few = items.min(ENOUGH);
    let logs = logarithms(few);
    // Beyond 16 items a bin and 64 more a single obstruction is far below any bound that is asked for.
    let (mut low, mut high) = (few, 16 * few + exp2(bits / 3.0) as usize + 64);
    while low < high {
        let middle = usize::midpoint(low, high);
        if log_failure(functions, &logs, middle) <= -bits {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let bins = (high as u64 * items as u64).div_ceil(few as u64);
    usize::try_from(bins).unwrap_or(usize::MAX)
}

/// ln 1 to ln `most`, behind a number that nobody asks for.
fn logarithms(most: usize) -> Vec<f64> {
    (0..=most).map(|number| ln(number.max(1) as f64)).collect()
}

/// log₂ of a bound on the probability that so many items find no places in `bins` bins of d functions, as `logs` has [`logarithms`] of.
///
/// By Hall's theorem there are then k of them with at most k − 1 bins together; of a smallest such set the bins are k − 1,
/// some of each part, and each holds places of two of its items or more. There are C(items, k)·C(bins, k−1) choices of items
/// and bins, a_1 to a_d of the parts. The items' places are all there with probability (d^d·a_1⋯a_d/bins^d)^k, at most
/// ((k − 1)/bins)^(dk). That each bin has two or more has, of a part with k places, the probability k!/(bins/d)^k times the
/// coefficient of x^k in (e^x − 1 − x)^a; a coefficient is at most the value at any x over x^k. So another bound is
/// (k!)^d·(bins/d)^(−dk)·x^(−dk)·(e^x − 1 − x)^(k−1). The smaller one counts.
fn log_failure(functions: usize, logs: &[f64], bins: usize) -> f64 {
    /// A bound of which one term is larger says nothing.
    const LARGE: f64 = 600.0;
    // Near the best for large k, where x·(e^x − 1) is d times e^x − 1 − x.
    let x = if functions == 3 { 2.15 } else { 3.59 };
    let (items, m, d) = (logs.len() - 1, bins as f64, functions as f64);
    if items <= functions {
        return f64::NEG_INFINITY;
    }
    let (all, part) = (ln(m), ln(m / d) + ln(x));
    let value = ln(exp(x) - 1.0 - x);
    // ln of C(n, k)·C(m, k−1), and of k!, from k = d on.
    let choose = |of: usize, count: usize| -> f64 {
        (0..count).map(|place| ln((of - place) as f64) - ln((place + 1) as f64)).sum()
    };
    let mut ways = choose(items, functions) + choose(bins, functions - 1);
    let mut factorial: f64 = (1..=functions).map(|factor| ln(factor as f64)).sum();
    let mut sum = 0.0;
    for k in functions + 1..=items {
        let free = (bins + 2 - k) as f64;
        ways += logs[items - k + 1] - logs[k] + ln(free) - logs[k - 1];
        factorial += logs[k];
        let k_f = k as f64;
        let there = d * k_f * (logs[k - 1] - all);
        let twice = d * (factorial - k_f * part) + (k_f - 1.0) * value;
        sum += exp((ways + there.min(twice)).min(LARGE));
    }
    if sum > 0.0 { log2(sum) } else { f64::NEG_INFINITY }
}

/// For each bin the item that lies there, where `places` has the bins of each item; nothing if there are no places for all.
///
/// An item that finds its bins taken moves others along a shortest path to a free bin, so that places are found whenever
/// there are some.
pub(crate) fn insert(table: CuckooTable, places: &[Vec<usize>]) -> Option<Vec<Option<u32>>> {
    let mut bins: Vec<Option<u32>> = vec![None; table.bins()];
    let mut seen = vec![usize::MAX; table.bins()];
    // Bins in the order in which they were reached, each with the place in this list of the bin before it.
    let mut reached: Vec<(usize, Option<usize>)> = Vec::new();
    for item in 0..places.len() {
        if let Some(free) = places[item].iter().find(|bin| bins[**bin].is_none()) {
            bins[*free] = u32::try_from(item).ok();
            continue;
        }
        reached.clear();
        let mut visit = |from: Option<usize>, next: usize, reached: &mut Vec<_>| {
            for bin in &places[next] {
                if seen[*bin] != item {
                    seen[*bin] = item;
                    reached.push((*bin, from));
                }
            }
        };
        visit(None, item, &mut reached);
        let mut at = 0;
        loop {
            let (bin, _) = *reached.get(at)?;
            let Some(other) = bins[bin] else { break };
            visit(Some(at), other as usize, &mut reached);
            at += 1;
        }
        let (mut free, mut before) = reached[at];
        while let Some(previous) = before {
            let (bin, earlier) = reached[previous];
            bins[free] = bins[bin];
            (free, before) = (bin, earlier);
        }
        bins[free] = u32::try_from(item).ok();
    }
    Some(bins)
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};

    use super::*;

    fn places(table: CuckooTable, count: usize, rng: &mut ChaCha20Rng) -> Vec<Vec<usize>> {
        let word = |rng: &mut ChaCha20Rng| [(); 4].map(|()| rng.next_u64());
        let place = |rng: &mut ChaCha20Rng| {
            let right = table.scaled(rng.next_u64());
            table.places(&word(rng), right).collect()
        };
        (0..count).map(|_| place(rng)).collect()
    }

    #[test]
    fn tables_have_the_size_that_the_bound_asks_for() {
        let bits = 42.0;
        for functions in [3, 4] {
            for items in [2, 4, 10, 100, 1000, 1024, 5535, 8192, 11_041, 1 << 20] {
                let bins = least_bins(functions, items, bits);
                if (functions + 1..=ENOUGH).contains(&items) {
                    let bound = |bins| log_failure(functions, &logarithms(items), bins);
                    assert!(bound(bins) <= -bits && bound(bins - 1) > -bits);
                }
                assert!(bins >= items, "{items}: {bins}");
            }
            assert_eq!(least_bins(functions, 1, bits), 1);
            // At one load the bound falls with the size.
            let load = least_bins(functions, ENOUGH, bits) as f64 / ENOUGH as f64;
            let bound = |log: u32| {
                let bins = (load * f64::from(1 << log)) as usize;
                log_failure(functions, &logarithms(1 << log), bins)
            };
            assert!((12..18).all(|log| bound(log + 1) < bound(log) + 0.01));
        }
    }

    #[test]
    fn the_bound_is_one() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        for table in [CuckooTable { functions: 3, each: 3 }, CuckooTable { functions: 4, each: 2 }]
        {
            let runs = 20_000;
            let full = (0..runs).filter(|_| insert(table, &places(table, 6, &mut rng)).is_none());
            let measured = (full.count() as f64 / f64::from(runs)).log2();
            let bound = log_failure(table.functions, &logarithms(6), table.bins());
            assert!(measured <= bound, "{measured} {bound}");
        }
    }

    #[test]
    fn each_item_lies_in_one_of_its_bins() {
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        let count = 1000;
        // Close to the most that three functions can fill, 91.8 %.
        let table = CuckooTable { functions: 3, each: 375 };
        let places = places(table, count, &mut rng);
        let bins = insert(table, &places).expect("there are places");
        let mut found = vec![0; count];
        for (bin, item) in bins.iter().enumerate() {
            if let Some(item) = item {
                found[*item as usize] += 1;
                assert!(places[*item as usize].contains(&bin));
            }
        }
        assert!(found.iter().all(|times| *times == 1));
        let one = CuckooTable { functions: 1, each: 2 };
        assert_eq!(insert(one, &[vec![1], vec![1]]), None);
    }
}
