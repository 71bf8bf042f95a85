//! Which powers of a value travel, and how the others come of them.
//!
//! A polynomial of degree (L + 1)·(H + 1) − 1 is evaluated as Paterson and Stockmeyer do (SIAM J. Comput. 2, 1973): from the low
//! powers x, …, x^L and the high ones x^(L+1), x^(2(L+1)), …, x^(H(L+1)). Either all of these travel, or so many that each is one
//! of them or a product of two: the postage-stamp problem with two stamps on an envelope (Cong et al., CCS 2021, section 4.3).

/// For each number of stamps a set whose sums of one or two cover the longest run 1, 2, …: extremal bases (Challis, "Two new
/// techniques for computing extremal h-bases A_k", Comput. J. 36, 1993).
const STAMPS: [&[usize]; 9] = [
    &[1],
    &[1, 2],
    &[1, 3, 4],
    &[1, 3, 5, 6],
    &[1, 3, 5, 7, 8],
    &[1, 2, 5, 8, 9, 10],
    &[1, 2, 5, 8, 11, 12, 13],
    &[1, 2, 5, 8, 11, 14, 15, 16],
    &[1, 3, 4, 9, 11, 16, 17, 19, 20],
];

/// Numbers of low and high powers that are tried where all travel.
const TRIED: [usize; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48];

/// Numbers of stamps for high powers that are tried; 0 for none.
const MOST_STAMPS: usize = STAMPS.len();

/// The powers of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Powers {
    /// L.
    pub(crate) low: usize,
    /// H.
    pub(crate) high: usize,
    /// Stamps for low powers and for high ones, or nothing where all powers travel.
    stamps: Option<(usize, usize)>,
}

/// Where a power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PowerSource {
    /// It travels, in this place.
    Sent(usize),
    /// It is the product of these two that travel.
    Product(usize, usize),
}

impl Powers {
    /// All that are tried.
    pub(crate) fn tried() -> impl Iterator<Item = Self> {
        let highs = || [0].into_iter().chain(TRIED);
        let sent =
            TRIED.into_iter().flat_map(move |low| highs().map(move |high| Self::all(low, high)));
        let reaches: [usize; MOST_STAMPS + 1] = std::array::from_fn(|count| reach(stamps(count)));
        let counts =
            (1..=MOST_STAMPS).flat_map(|low| (0..=MOST_STAMPS).map(move |high| (low, high)));
        let stamped = counts.map(move |(low, high)| Self {
            low: reaches[low],
            high: reaches[high],
            stamps: Some((low, high)),
        });
        sent.chain(stamped)
    }

    /// With no more low powers than polynomials of degree `most` need, where all travel.
    pub(crate) fn within(self, most: usize) -> Self {
        let low = if self.stamps.is_some() { self.low } else { self.low.min(most) };
        Self { low, ..self }
    }

    /// Whether polynomials of degree `most` leave no more than a row over.
    pub(crate) fn fits(self, most: usize) -> bool {
        self.high == 0 || self.degree() < most + self.low + 1
    }

    /// Where all travel.
    pub(crate) fn all(low: usize, high: usize) -> Self {
        Self { low, high, stamps: None }
    }

    /// The degree of the polynomials.
    pub(crate) fn degree(self) -> usize {
        (self.low + 1) * (self.high + 1) - 1
    }

    /// Whether products are needed.
    pub(crate) fn computed(self) -> bool {
        self.stamps.is_some()
    }

    /// How many travel.
    pub(crate) fn sent_count(self) -> usize {
        self.stamps.map_or(self.low + self.high, |(low, high)| low + high)
    }

    /// The exponents of those that travel: low ones, then high ones.
    pub(crate) fn sent(self) -> Vec<usize> {
        let high = |k: usize| k * (self.low + 1);
        match self.stamps {
            None => (1..=self.low).chain((1..=self.high).map(high)).collect(),
            Some((low, count)) => {
                let highs = stamps(count).iter().map(|k| high(*k));
                stamps(low).iter().copied().chain(highs).collect()
            }
        }
    }

    /// Where each low power comes from, and each high one.
    pub(crate) fn sources(self) -> [Vec<PowerSource>; 2] {
        match self.stamps {
            None => [
                (0..self.low).map(PowerSource::Sent).collect(),
                (self.low..self.low + self.high).map(PowerSource::Sent).collect(),
            ],
            Some((low, high)) => {
                [sources(stamps(low), self.low, 0), sources(stamps(high), self.high, low)]
            }
        }
    }
}

fn stamps(count: usize) -> &'static [usize] {
    count.checked_sub(1).map_or(&[], |index| STAMPS[index])
}

/// The end of the run from 1 on that sums of one or two cover.
fn reach(stamps: &[usize]) -> usize {
    (1..).take_while(|value| source(stamps, *value, 0).is_some()).count()
}

fn source(stamps: &[usize], value: usize, offset: usize) -> Option<PowerSource> {
    let place = |wanted: usize| stamps.iter().position(|stamp| *stamp == wanted);
    if let Some(place) = place(value) {
        return Some(PowerSource::Sent(offset + place));
    }
    let pairs = stamps.iter().enumerate().filter(|(_, stamp)| **stamp < value);
    let mut pairs = pairs.filter_map(|(one, stamp)| Some((one, place(value - stamp)?)));
    pairs.next().map(|(one, other)| PowerSource::Product(offset + one, offset + other))
}

fn sources(stamps: &[usize], most: usize, offset: usize) -> Vec<PowerSource> {
    (1..=most).filter_map(|value| source(stamps, value, offset)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest run of any set of so many stamps, by trying all that begin with 1 and rise to what was reached and one
    /// more.
    fn longest(stamps: &mut Vec<usize>, count: usize) -> usize {
        let reached = reach(stamps);
        if stamps.len() == count {
            return reached;
        }
        let first = stamps.last().map_or(1, |last| last + 1);
        let mut best = 0;
        for next in first..=reached + 1 {
            stamps.push(next);
            best = best.max(longest(stamps, count));
            stamps.pop();
        }
        best
    }

    #[test]
    fn stamps_reach_as_far_as_any() {
        let reaches: Vec<usize> = STAMPS.iter().map(|stamps| reach(stamps)).collect();
        // OEIS A001212.
        assert_eq!(reaches, [2, 4, 8, 12, 16, 20, 26, 32, 40]);
        for count in 1..=6 {
            assert_eq!(longest(&mut Vec::new(), count), reaches[count - 1]);
        }
    }

    #[test]
    fn every_power_comes_from_what_travels() {
        for powers in Powers::tried() {
            let sent = powers.sent();
            assert_eq!(sent.len(), powers.sent_count());
            let exponent = |source: &PowerSource| match *source {
                PowerSource::Sent(place) => sent[place],
                PowerSource::Product(one, other) => sent[one] + sent[other],
            };
            let [low, high] =
                powers.sources().map(|sources| sources.iter().map(exponent).collect::<Vec<_>>());
            assert_eq!(low, (1..=powers.low).collect::<Vec<_>>());
            let step = powers.low + 1;
            assert_eq!(high, (1..=powers.high).map(|k| k * step).collect::<Vec<_>>());
        }
    }
}
