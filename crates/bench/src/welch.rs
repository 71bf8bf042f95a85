//! Welch's t of two classes of measurements, over several croppings.

use crate::timing::Sample;

/// How many of a thousand measurements a cropping keeps, the fastest ones.
const KEPT: [usize; 8] = [1000, 999, 990, 950, 900, 800, 700, 500];

/// Measurements of a class, at least, for its mean to be close to normal.
const LEAST: u64 = 30;

/// The variance of what is lost by rounding to whole nanoseconds.
const ROUNDING: f64 = 1.0 / 12.0;

/// The largest |t| over the croppings; 0 where a class is too small for any.
pub(crate) fn largest_t(samples: &[Sample]) -> f64 {
    let mut times: Vec<u64> = samples.iter().map(|sample| sample.time).collect();
    times.sort_unstable();
    KEPT.iter().map(|kept| cropped_t(samples, cut(&times, *kept)).abs()).fold(0.0, f64::max)
}

/// The slowest of the fastest `kept` thousandths of ascending `times`.
fn cut(times: &[u64], kept: usize) -> u64 {
    let count = (times.len() * kept).div_ceil(1000);
    times.get(count.saturating_sub(1)).copied().unwrap_or(0)
}

/// The t of the measurements that are no slower than `cut`; 0 where a class is too small.
fn cropped_t(samples: &[Sample], cut: u64) -> f64 {
    let class = |fixed| {
        let of_class = samples.iter().filter(move |s| s.fixed == fixed && s.time <= cut);
        Moments::of(of_class.map(|sample| sample.time as f64))
    };
    let (fixed, random) = (class(true), class(false));
    if fixed.count.min(random.count) < LEAST { 0.0 } else { welch(&fixed, &random) }
}

/// The difference of two means in units of its standard error.
fn welch(left: &Moments, right: &Moments) -> f64 {
    (left.mean - right.mean) / (left.squared_error() + right.squared_error()).sqrt()
}

/// Count, mean and spread of some values.
#[derive(Default)]
struct Moments {
    count: u64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Welford's recurrence: one pass, without cancellation.
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut moments = Self::default();
        for value in values {
            moments.count += 1;
            let distance = value - moments.mean;
            moments.mean += distance / moments.count as f64;
            moments.squares += distance * (value - moments.mean);
        }
        moments
    }

    /// The mean's squared standard error, of two values or more.
    fn squared_error(&self) -> f64 {
        let variance = self.squares / (self.count as f64 - 1.0);
        variance.max(ROUNDING) / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        Moments::of(values.iter().copied())
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9
    }

    fn samples(fixed: bool, times: impl Iterator<Item = u64>) -> Vec<Sample> {
        times.map(|time| Sample { fixed, time }).collect()
    }

    #[test]
    fn t_is_what_it_is_by_hand() {
        // Means 3 and 6, variances 5/2 and 10, five of each: -3 / √(1/2 + 2) = -6/√10.
        let (ones, twos) = (moments(&[1., 2., 3., 4., 5.]), moments(&[2., 4., 6., 8., 10.]));
        assert!(close(welch(&ones, &twos), -1.897_366_596_101_027_6));
        assert!(close(welch(&twos, &ones), 1.897_366_596_101_027_6));
        // Unequal sizes: means 2 and 7, variances 1 and 20/3, three and four: -5 / √(1/3 + 5/3) = -5/√2.
        let (few, more) = (moments(&[1., 2., 3.]), moments(&[4., 6., 8., 10.]));
        assert!(close(welch(&few, &more), -3.535_533_905_932_737_8));
        assert!(close(welch(&ones, &ones), 0.0));
    }

    #[test]
    fn a_great_offset_costs_no_digits() {
        let (left, right) = (moments(&[1e9 + 1., 1e9 + 2., 1e9 + 3.]), moments(&[1e9 + 2.; 3]));
        assert!(close(left.mean, 1e9 + 2.0) && close(left.squares, 2.0));
        assert!(close(welch(&left, &right), 0.0));
    }

    #[test]
    fn equal_times_have_the_clocks_rounding_as_spread() {
        // -1 / √(2 · 1/12 / 50) = -√300.
        let classes = [samples(true, [7; 50].into_iter()), samples(false, [8; 50].into_iter())];
        assert!(close(
            largest_t(&classes.into_iter().flatten().collect::<Vec<_>>()),
            300f64.sqrt()
        ));
    }

    #[test]
    fn a_cut_keeps_the_fastest() {
        let times: Vec<u64> = (1..=1000).collect();
        assert_eq!(KEPT.map(|kept| cut(&times, kept)), KEPT.map(|kept| kept as u64));
        assert_eq!((cut(&[4, 5, 9], 1000), cut(&[4, 5, 9], 500), cut(&[], 500)), (9, 5, 0));
    }

    #[test]
    fn interrupts_do_not_hide_a_difference() {
        let steps = |first: u64| (0..100).map(move |step| first + 2 * (step % 2));
        let interrupts = || (0..10).map(|step| 1_000_000 + 100_000 * step);
        let mut all = samples(true, steps(100).chain(interrupts()));
        all.extend(samples(false, steps(110).chain(interrupts())));
        assert!(cropped_t(&all, u64::MAX).abs() < 0.001);
        // Without them: means 10 apart, variances 100/99, a hundred each: -10 / √(2/99) = -√4950.
        assert!(close(cropped_t(&all, 112), -(4950f64.sqrt())));
        assert!(largest_t(&all) > 70.0);
    }

    #[test]
    fn the_same_times_in_both_classes_show_nothing() {
        let times = || (0..500).map(|step| 100 + step * step % 97);
        let mut all = samples(true, times());
        all.extend(samples(false, times()));
        assert!(largest_t(&all) < 1e-6);
    }

    #[test]
    fn a_class_of_a_few_shows_nothing() {
        let mut all = samples(true, [1; 29].into_iter());
        all.extend(samples(false, [1000; 500].into_iter()));
        assert!(close(largest_t(&all), 0.0) && close(largest_t(&[]), 0.0));
    }
}
