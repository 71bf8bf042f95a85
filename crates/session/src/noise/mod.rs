//! Noise on numbers that no learner can subtract: by coins that both sides toss, where they are computed on shares, and on any other count by
//! dummies that both sides put on their lists.
//!
//! **Dummies.** For each side there is a block of m dummies, which both sides derive from the session. The side puts all of them on its list,
//! the other side each with probability 1/2, and a random element in the place of each that it leaves out, so that the lists' sizes
//! say nothing. Whoever sees the number of matches so sees its count with X more, X binomial with m trials of 1/2, of which it knows
//! nothing, and subtracts m/2; it also knows how many dummies of the other's block it put in, and subtracts these, too. A side that is
//! not to learn has its block as well: in some protocols the sender sees the number of matches.
//!
//! Sizes are public, so two lists are neighbours that differ in one key for another: then the count differs by one at most, and the
//! loss (ε, δ) is that of [`binomial`], exactly. It holds against a side that follows the protocol, whatever it does with what it sees.
//! One that leaves its dummies out sees the exact count; one that repeats an element sees more of it; and one that is told the other's
//! count, of which it tossed the coins, can take its noise away. The loss adds up over runs. By several keys a learner may see
//! matches row by row, where dummies differ from rows, and one row of a list can match several of the other, so there is no noise there.
//!
//! **Coins.** What is computed on shares has its noise there, too ([`RunInput::coins`](veilset_protocols::RunInput)): nobody knows a part of it.
//! A count and n sums are told, so each has noise of ε/(n + 1) and δ/(n + 1), which add up to ε and δ. By groups one key for another changes
//! these numbers of two groups, so each has half of that.

mod binomial;
mod dummies;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use veilset_protocols::{GroupSums, Outcome};

pub(crate) use dummies::{Blocks, with_dummies};

/// The bounds of ε and of δ.
const EPSILONS: [f64; 2] = [0.01, 20.0];
const DELTAS: [f64; 2] = [1e-15, 0.1];

/// The noise on a count: a learner's view becomes at most e^ε times as likely by one key of the other list for another, but for δ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    epsilon: f64,
    delta: f64,
    dummies: u32,
}

/// A text that is no [`Noise`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "epsilon=E,delta=D is needed, with E from {} to {} and D from {:e} to {}, such as epsilon=1,delta=1e-9",
    EPSILONS[0], EPSILONS[1], DELTAS[0], DELTAS[1]
)]
pub struct NoNoise;

impl Noise {
    /// The least noise with this loss.
    ///
    /// # Errors
    /// When a number is out of bounds.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self, NoNoise> {
        let within = |value: f64, [least, most]: [f64; 2]| (least..=most).contains(&value);
        if !(within(epsilon, EPSILONS) && within(delta, DELTAS)) {
            return Err(NoNoise);
        }
        let dummies = binomial::least_trials(epsilon, delta).ok_or(NoNoise)?;
        Ok(Self { epsilon, delta, dummies })
    }

    /// The noise of each of so many numbers that one key for another changes together; nothing where each would take more coins than a
    /// run tosses.
    #[must_use]
    pub fn shared_among(self, numbers: usize) -> Option<Self> {
        let (epsilon, delta) = (self.epsilon / numbers as f64, self.delta / numbers as f64);
        let dummies = binomial::least_trials(epsilon, delta)?;
        Some(Self { epsilon, delta, dummies })
    }

    /// The bound on the logarithm of what one key changes.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        self.epsilon
    }

    /// The probability for which that does not hold.
    #[must_use]
    pub fn delta(self) -> f64 {
        self.delta
    }

    /// Dummies of each side's block, or coins of each number; an even number.
    #[must_use]
    pub fn dummies(self) -> u32 {
        self.dummies
    }

    /// How far a count is off at most in 95 of 100 runs.
    #[must_use]
    pub fn error(self) -> u32 {
        binomial::spread(self.dummies, 0.95)
    }

    /// Whether a count with this noise tells no more than one with `other`.
    #[must_use]
    pub fn is_as_strong_as(self, other: Self) -> bool {
        self.epsilon <= other.epsilon && self.delta <= other.delta
    }

    /// What a learner makes of a count that it saw, where it put `own` dummies of the other's block in and the smaller list has so
    /// many keys.
    pub(crate) fn estimate(self, outcome: Outcome, own: u64, smaller: u64) -> Outcome {
        let expected = own + u64::from(self.dummies / 2);
        let count = |seen: u64| seen.saturating_sub(expected).min(smaller);
        match outcome {
            Outcome::Count(seen) => Outcome::Count(count(seen)),
            // The mean of a sum's noise is taken off.
            Outcome::Sums { count: seen, sums } => Outcome::Sums { count: count(seen), sums },
            Outcome::ByGroup(groups) => {
                let of = |GroupSums { count: seen, sums }| GroupSums { count: count(seen), sums };
                Outcome::ByGroup(groups.into_iter().map(|group| group.map(of)).collect())
            }
            outcome => outcome,
        }
    }
}

/// As [`FromStr`] reads it.
impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epsilon={},delta={:e}", self.epsilon, self.delta)
    }
}

impl FromStr for Noise {
    type Err = NoNoise;

    fn from_str(text: &str) -> Result<Self, NoNoise> {
        let (epsilon, delta) = text.split_once(',').ok_or(NoNoise)?;
        let number = |text: &str, name: &str| {
            let value = text.trim().strip_prefix(name)?.strip_prefix('=')?;
            value.parse().ok()
        };
        let (epsilon, delta) = (number(epsilon, "epsilon"), number(delta, "delta"));
        Self::new(epsilon.ok_or(NoNoise)?, delta.ok_or(NoNoise)?)
    }
}
