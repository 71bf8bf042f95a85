//! The loss of binomial noise, exactly: sums over its distribution, in place of a bound on them.

use veilset_real::{exp, ln};

/// How much larger than the sum that it is a rounded sum may be: a thousand times what rounding of this many terms makes.
const MARGIN: f64 = 1.0 + 1e-6;

/// Coins of a number at most.
pub(super) const MOST_COINS: u32 = 1 << 26;

/// ln n!, by Stirling's series where its first omitted term, 1/(1680·n^7), is below 2^-53, and by the product before.
fn ln_factorial(n: u32) -> f64 {
    const EXACT: u32 = 100;
    if n < EXACT {
        return (2..=n).map(|k| ln(f64::from(k))).sum();
    }
    let x = f64::from(n);
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x + 0.5) * ln(x) - x + 0.5 * ln(std::f64::consts::TAU) + series
}

/// The probability of k heads of m coins.
fn probability(m: u32, k: u32) -> f64 {
    let choose = ln_factorial(m) - ln_factorial(k) - ln_factorial(m - k);
    exp(choose - f64::from(m) * std::f64::consts::LN_2)
}

/// The least δ for which the number X of heads of m coins hides one more or less up to ε: over all events the most of
/// P(X ∈ S) − e^ε·P(X + 1 ∈ S), and the same with the two exchanged, which the distribution's symmetry makes equal.
///
/// The event that has the most is where P(k) > e^ε·P(k − 1), which is where (m − k + 1) > e^ε·k, so up to some k; there
/// P(k) − e^ε·P(k − 1) = P(k)·(1 − e^ε·k/(m − k + 1)), a sum of positive terms that fall fast below the last.
pub(super) fn delta(m: u32, epsilon: f64) -> f64 {
    let ratio = exp(epsilon);
    let last = ((f64::from(m) + 1.0) / (1.0 + ratio)).ceil() as u32;
    let (mut k, mut at) = (last.min(m), probability(m, last.min(m)));
    let mut sum = 0.0;
    loop {
        let before = f64::from(k) / f64::from(m - k + 1);
        let term = at * (1.0 - ratio * before).max(0.0);
        sum += term;
        // What follows is below this term times the numbers of terms left, once terms fall.
        if k == 0 || (sum > 0.0 && at * f64::from(k) < sum * 1e-9) {
            return sum * MARGIN;
        }
        at *= before;
        k -= 1;
    }
}

/// About the fewest coins, an even number, with this loss: with two fewer it would be larger, or an even number below has it by the
/// grace of rounding to whole numbers alone. Nothing where more than [`MOST_COINS`] would be needed.
pub(super) fn least_trials(epsilon: f64, most: f64) -> Option<u32> {
    let holds = |half: u32| delta(2 * half, epsilon) <= most;
    let mut high = 1;
    while !holds(high) {
        high *= 2;
        if 2 * high > MOST_COINS {
            return None;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle }
    }
    Some(2 * high)
}

/// The least t for which the number of heads of an even number m of coins is within t of m/2 with this probability.
pub(super) fn spread(m: u32, wanted: f64) -> u32 {
    let mut within = probability(m, m / 2);
    let mut t = 0;
    while within < wanted && t < m / 2 {
        t += 1;
        within += 2.0 * probability(m, m / 2 + t);
    }
    t
}
