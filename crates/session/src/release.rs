//! How much of a result whoever learns it sees: what both sides' terms say of that, and what it withholds.

use std::fmt;

use veilset_protocols::{Gives, GroupSums, Operation, Outcome, Overlaps};

use crate::{Detail, Noise, SessionError};

/// How much of a result is released. But for noise, and for a least result where the protocol withholds, each side's program computes
/// the whole result first, so these rules bind readers of what it prints, and a peer that does not change its program.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Release {
    /// Of fewer matches nothing is released.
    pub least: Option<u64>,
    /// Nothing is released where more than so many per cent of the smaller list match.
    pub most_rate: Option<u8>,
    /// Numbers are rounded to the nearest multiple of this, halves up.
    pub round: Option<u64>,
    /// A count has this noise, and what a sum tells.
    pub noise: Option<Noise>,
}

/// Why a result was not released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// Fewer keys match than this.
    Fewer(u64),
    /// More than so many per cent of the smaller list match.
    Rate(u8),
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fewer(least) => write!(f, "fewer than {least} matches"),
            Self::Rate(most) => write!(f, "more than {most} % of the smaller list match"),
        }
    }
}

impl Withheld {
    /// What to say in the place of a result.
    #[must_use]
    pub fn sentence(self) -> String {
        format!("{self}: the result is withheld, as the terms have it; nothing was written")
    }
}

impl Release {
    /// Whether there is a rule.
    #[must_use]
    pub fn is_limited(self) -> bool {
        self != Self::default()
    }

    /// The least result, where the protocol [`withholds`](veilset_protocols::Spec::withholds) what is less from the programs of both
    /// sides.
    pub(crate) fn least_inside(self, withholds: bool) -> Option<u64> {
        self.least_result().filter(|_| withholds)
    }

    /// The least result; there is none where every number of matches is enough, noise or not.
    fn least_result(self) -> Option<u64> {
        self.least.filter(|least| *least > 0)
    }

    /// Whether there is a rule that a protocol on shares keeps by itself.
    #[must_use]
    pub fn is_for_shares(self) -> bool {
        self.least_result().is_some() || self.noise.is_some()
    }

    /// Whether both sides have to toss coins on shares: no dummies make the noise of a sum.
    #[must_use]
    pub fn needs_coins(self, operation: Operation) -> bool {
        self.noise.is_some() && operation == Operation::Sum
    }

    /// Whether dummies on both lists make the noise: that of a count which is not computed [on shares](veilset_protocols::Spec::on_shares),
    /// where both sides toss coins.
    pub(crate) fn has_dummies(self, on_shares: bool) -> bool {
        self.noise.is_some() && !on_shares
    }

    /// Whether there is a rule that a changed program need not keep to.
    pub(crate) fn binds_readers(self, withholds: bool) -> bool {
        let inside = self.least_inside(withholds).is_some();
        let least = if inside { None } else { self.least_result() };
        Self { noise: None, least, ..self }.is_limited()
    }

    /// Whether somebody sees how many keys match, so that a result can be withheld for that.
    #[must_use]
    pub fn is_counted(operation: Operation) -> bool {
        let gives = operation.spec().gives;
        !matches!(gives, Gives::Shares | Gives::OneRow) && operation != Operation::Lookup
    }

    /// Whether the result is of numbers alone, so that rounding hides something.
    #[must_use]
    pub fn is_of_numbers(operation: Operation) -> bool {
        operation.spec().gives == Gives::Numbers
    }

    /// Whether a result of this operation can be released so.
    ///
    /// # Errors
    /// When no side knows how many keys match, there is nothing to round, or rows match by several keys, which noise would not hide.
    pub fn check(self, operation: Operation, by_several: bool) -> Result<(), SessionError> {
        const MANY_NUMBERS: &str = "its result is several numbers, and each of them is told";
        const UNCOUNTED: &str = "no side sees how many keys match";
        let uncounted = !Self::is_counted(operation);
        let flags = [
            ("--least", self.least.is_some() && uncounted, UNCOUNTED),
            ("--least", self.least.is_some() && operation == Operation::Overlaps, MANY_NUMBERS),
            (
                "--most-rate",
                self.most_rate.is_some() && operation == Operation::Overlaps,
                MANY_NUMBERS,
            ),
            ("--most-rate", self.most_rate.is_some() && uncounted, UNCOUNTED),
            (
                "--round",
                self.round.is_some() && !Self::is_of_numbers(operation),
                "its result is not of numbers alone",
            ),
            (
                "--noise",
                self.noise.is_some() && !matches!(operation, Operation::Count | Operation::Sum),
                "only counts and sums have noise",
            ),
        ];
        let rows = [("--noise", self.noise.is_some() && by_several, NO_NOISY_ROWS)];
        match flags.into_iter().chain(rows).find(|(_, is_wrong, _)| *is_wrong) {
            Some((flag, _, why)) => Err(SessionError::Release { flag, operation, why }),
            None => Ok(()),
        }
    }

    /// The noise of each of so many numbers that one key for another changes together, if they have any.
    ///
    /// # Errors
    /// When each would take more coins than a run tosses.
    pub fn noise_of_each(
        self,
        operation: Operation,
        numbers: usize,
    ) -> Result<Option<Noise>, SessionError> {
        let why = "the numbers that share it are too many for this epsilon and delta; give larger ones, or fewer columns";
        let shared = self.noise.map(|noise| {
            let many = SessionError::Release { flag: "--noise", operation, why };
            noise.shared_among(numbers).ok_or(many)
        });
        shared.transpose()
    }

    /// As both sides must say it.
    pub(crate) fn details(self) -> impl Iterator<Item = Detail> {
        let said = [
            ("least result (--least)", self.least.map(|least| least.to_string())),
            ("greatest match rate (--most-rate)", self.most_rate.map(|most| format!("{most} %"))),
            ("rounding (--round)", self.round.map(|round| round.to_string())),
            // Both compute how many dummies that takes, and so compare it.
            (
                "noise (--noise)",
                self.noise.map(|noise| format!("{noise} ({} dummies)", noise.dummies())),
            ),
        ];
        said.into_iter()
            .filter_map(|(name, value)| Some(Detail { name: name.to_owned(), value: value? }))
    }

    /// What whoever learns should know of these rules, in sentences that follow others.
    /// Each number that is told has this noise, sums beside a count or not, some of them of products.
    pub(crate) fn sentences(self, of_each: Option<Noise>, sums: Option<bool>) -> String {
        let Self { least, most_rate, round, noise } = self;
        let alone = "whoever learns learns only that.";
        [
            least.map(|least| format!(" If fewer than {least} keys match, {alone}")),
            most_rate.map(|most| {
                format!(" If more than {most} % of the smaller list match, {alone}")
            }),
            round.map(|round| format!(" Numbers are rounded to multiples of {round}.")),
            noise.zip(of_each).map(|(noise, of_each)| {
                let Noised { factor, delta, .. } = Noised::of(noise);
                let Noised { error, .. } = Noised::of(of_each);
                let sums = match sums {
                    None => "",
                    Some(false) => ", a sum by as many times the range of its values",
                    Some(true) => {
                        ", a sum by as many times the range of its values, one of products by as many times what the largest value and any factor \
                         of as many bytes make"
                    }
                };
                format!(
                    " The count has noise: it is off by at most {error} in 95 of 100 runs{sums}, and any result becomes at most {factor} times \
                     as likely by one key of the other list for another, but for {delta}."
                )
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// What withholds a result of so many matches between lists the smaller of which has so many keys.
    #[must_use]
    pub fn withholds(self, matches: u64, smaller: u64) -> Option<Withheld> {
        let is_above =
            |most: &u8| u128::from(matches) * 100 > u128::from(*most) * u128::from(smaller);
        let fewer = self.least.filter(|least| matches < *least).map(Withheld::Fewer);
        fewer.or_else(|| self.most_rate.filter(is_above).map(Withheld::Rate))
    }

    /// The same result with its numbers rounded; sums count in units of 10^-scale, of their column's.
    pub(crate) fn rounded(self, outcome: Outcome, scales: &[u32]) -> Outcome {
        let Some(round) = self.round else { return outcome };
        let count = |count: u64| (count.saturating_add(round / 2)) / round * round;
        let rounded_sums = |sums: &[i128]| -> Vec<i128> {
            sums.iter().zip(scales).map(|(sum, scale)| nearest(*sum, round, *scale)).collect()
        };
        match outcome {
            Outcome::Count(matches) => Outcome::Count(count(matches)),
            Outcome::Overlaps(Overlaps { pairs, common }) => {
                let pairs = pairs.into_iter().map(|(of, both)| (of, count(both))).collect();
                Outcome::Overlaps(Overlaps { pairs, common: count(common) })
            }
            Outcome::Sums { count: matches, sums } => {
                Outcome::Sums { count: count(matches), sums: rounded_sums(&sums) }
            }
            Outcome::ByGroup(groups) => {
                let of_group = |group: GroupSums| GroupSums {
                    count: count(group.count),
                    sums: rounded_sums(&group.sums),
                };
                let groups = groups.into_iter().map(|group| group.map(of_group));
                Outcome::ByGroup(groups.collect())
            }
            other => other,
        }
    }
}

/// Why a count by several keys has none.
const NO_NOISY_ROWS: &str = "by several keys a row can match several rows, or whoever learns sees by which keys, which noise would not hide; give one --key";

/// What noise does, as texts have it.
struct Noised {
    error: u32,
    factor: String,
    delta: String,
}

impl Noised {
    fn of(noise: Noise) -> Self {
        let (factor, delta) = (veilset_real::exp(noise.epsilon()), noise.delta());
        Self { error: noise.error(), factor: format!("{factor:.2}"), delta: format!("{delta:e}") }
    }
}

/// The multiple of `round` that is nearest to a sum of this scale; 0 where no other that there is room for is.
fn nearest(sum: i128, round: u64, scale: u32) -> i128 {
    let unit = 10i128.checked_pow(scale).and_then(|one| one.checked_mul(round.into()));
    let rounded =
        unit.and_then(|unit| sum.checked_add(unit / 2).map(|above| above.div_euclid(unit) * unit));
    rounded.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_withheld_below_the_least_and_above_the_rate_alone() {
        let release = Release { least: Some(50), most_rate: Some(85), ..Release::default() };
        for (matches, smaller, withheld) in [
            (0, 0, Some(Withheld::Fewer(50))),
            (49, 1000, Some(Withheld::Fewer(50))),
            (50, 1000, None),
            (85, 100, None),
            (86, 100, Some(Withheld::Rate(85))),
            (u64::MAX, u64::MAX, Some(Withheld::Rate(85))),
        ] {
            assert_eq!(release.withholds(matches, smaller), withheld, "{matches} of {smaller}");
        }
        assert_eq!(Release::default().withholds(0, 0), None);
    }

    #[test]
    fn a_least_result_of_zero_withholds_nothing() {
        let noise = Noise::new(1.0, 1e-9).ok();
        for release in [Release::default(), Release { noise, ..Release::default() }] {
            let zero = Release { least: Some(0), ..release };
            assert_eq!(zero.least_inside(true), None);
            assert_eq!(zero.is_for_shares(), release.noise.is_some());
            assert!(!zero.binds_readers(true) && !zero.binds_readers(false));
            let one = Release { least: Some(1), ..release };
            assert_eq!((one.least_inside(true), one.least_inside(false)), (Some(1), None));
            assert!(one.is_for_shares() && one.binds_readers(false));
        }
    }

    #[test]
    fn numbers_become_the_nearest_multiples() {
        let release = Release { round: Some(10), ..Release::default() };
        for (count, rounded) in
            [(0, 0), (4, 0), (5, 10), (14, 10), (15, 20), (u64::MAX, u64::MAX / 10 * 10)]
        {
            assert_eq!(release.rounded(Outcome::Count(count), &[]), Outcome::Count(rounded));
        }
        // 12.34, -5.00, -5.01 and what is too large to have a multiple near it.
        let sums = Outcome::Sums { count: 26, sums: vec![1234, -500, -501, i128::MAX] };
        let rounded = Outcome::Sums { count: 30, sums: vec![1000, 0, -1000, 0] };
        assert_eq!(release.rounded(sums, &[2, 2, 2, 0]), rounded);
        assert_eq!(nearest(1, u64::MAX, 38), 0);
    }

    #[test]
    fn rules_are_for_results_that_they_mean_something_for() {
        let least = Release { least: Some(2), ..Release::default() };
        let round = Release { round: Some(2), ..Release::default() };
        assert!(
            least.check(Operation::Union, true).is_ok()
                && round.check(Operation::Sum, false).is_ok()
        );
        let noise = Release { noise: Noise::new(1.0, 1e-9).ok(), ..Release::default() };
        assert!(noise.check(Operation::Count, false).is_ok());
        assert!(noise.check(Operation::Count, true).is_err());
        assert!(noise.check(Operation::Sum, false).is_ok());
        for (release, operation) in [
            (noise, Operation::Share),
            (noise, Operation::Union),
            (least, Operation::Share),
            (least, Operation::Agree),
            (round, Operation::Intersect),
        ] {
            let refused = release.check(operation, false);
            assert!(matches!(refused, Err(SessionError::Release { .. })), "{operation}");
        }
    }
}
