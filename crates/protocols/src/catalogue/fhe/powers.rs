//! Which powers of a value travel, and how the others come of them.
//!
//! A polynomial of degree (L + 1)·(H + 1) − 1 is evaluated as Paterson and Stockmeyer do (SIAM J. Comput. 2, 1973): from the low
//! powers x, …, x^L and the high ones x^(L+1), x^(2(L+1)), …, x^(H(L+1)). Either all of these travel, or so many that each is one
//! of them or a product of two: the postage-stamp problem with two stamps on an envelope (Cong et al., CCS 2021, section 4.3).
//!
//! With windows of ℓ bits (Chen, Laine and Rindal, CCS 2017, section 4.3) there are no high powers, and x^(i·2^(ℓj)) travels for
//! 1 ≤ i < 2^ℓ. Another exponent has two digits or more to the base 2^ℓ that are not 0; half of them make one factor and half the other, so
//! a power is as many products deep as the logarithm of how many such digits it has. Where x alone travels, x^e is the product of
//! the powers for both halves of e.

use super::variant::Windowing;

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

/// All degrees up to this are tried where there are no high powers, and the one that needs no partitions.
const MOST_LOW: usize = 255;

/// The powers of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Powers {
    /// L.
    pub(crate) low: usize,
    /// H.
    pub(crate) high: usize,
    sent: Sent,
}

/// Which powers travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    All,
    /// So many stamps for low powers and for high ones.
    Stamps(usize, usize),
    /// Of windows of so many bits.
    Windows(u32),
    First,
}

/// Where a power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PowerSource {
    /// It travels, in this place.
    Sent(usize),
    /// It is the product of those in these places of its own list, which come before it.
    Product(usize, usize),
}

impl Powers {
    /// All that are tried for bins of `most` items.
    pub(crate) fn tried(windowing: Windowing, most: usize) -> Vec<Self> {
        let linear = |sent| {
            let lows = (1..=MOST_LOW.min(most)).chain((most > MOST_LOW).then_some(most));
            lows.map(move |low| Self { low, high: 0, sent }).collect()
        };
        match windowing {
            Windowing::Stamps => {
                let fitting = Self::tried_with_stamps().map(|powers| powers.within(most));
                fitting.filter(|powers| powers.fits(most)).collect()
            }
            Windowing::All => TRIED.into_iter().map(|low| Self::all(low.min(most), 0)).collect(),
            Windowing::Base(bits) => linear(Sent::Windows(bits)),
            Windowing::First => linear(Sent::First),
        }
    }

    fn tried_with_stamps() -> impl Iterator<Item = Self> {
        let highs = || [0].into_iter().chain(TRIED);
        let sent =
            TRIED.into_iter().flat_map(move |low| highs().map(move |high| Self::all(low, high)));
        let reaches: [usize; MOST_STAMPS + 1] = std::array::from_fn(|count| reach(stamps(count)));
        let counts =
            (1..=MOST_STAMPS).flat_map(|low| (0..=MOST_STAMPS).map(move |high| (low, high)));
        let stamped = counts.map(move |(low, high)| Self {
            low: reaches[low],
            high: reaches[high],
            sent: Sent::Stamps(low, high),
        });
        sent.chain(stamped)
    }

    /// With no more low powers than polynomials of degree `most` need, where all travel.
    fn within(self, most: usize) -> Self {
        let low = if self.sent == Sent::All { self.low.min(most) } else { self.low };
        Self { low, ..self }
    }

    /// Whether polynomials of degree `most` leave no more than a row over.
    fn fits(self, most: usize) -> bool {
        self.high == 0 || self.degree() < most + self.low + 1
    }

    /// Where all travel.
    pub(crate) fn all(low: usize, high: usize) -> Self {
        Self { low, high, sent: Sent::All }
    }

    /// The degree of the polynomials.
    pub(crate) fn degree(self) -> usize {
        (self.low + 1) * (self.high + 1) - 1
    }

    /// Whether products are needed.
    pub(crate) fn computed(self) -> bool {
        self.depth() > 0
    }

    /// Products, one after the other, of the deepest power.
    pub(crate) fn depth(self) -> u32 {
        match self.sent {
            Sent::All => 0,
            Sent::Stamps(..) => 1,
            Sent::Windows(_) | Sent::First => {
                (1..=self.low).map(|exponent| self.depth_of(exponent)).max().unwrap_or(0)
            }
        }
    }

    /// Products, one after the other, of a low power of which some travel.
    fn depth_of(self, exponent: usize) -> u32 {
        let factors = match self.sent {
            Sent::Windows(bits) => digits(exponent, bits).filter(|digit| *digit > 0).count(),
            _ => exponent,
        };
        log2_up(factors)
    }

    /// How many products are this deep; with stamps all are.
    pub(crate) fn products(self, depth: u32) -> usize {
        match self.sent {
            Sent::All => 0,
            Sent::Stamps(low, high) => self.low + self.high - low - high,
            Sent::Windows(_) | Sent::First => {
                (1..=self.low).filter(|exponent| self.depth_of(*exponent) == depth).count()
            }
        }
    }

    /// How many travel.
    pub(crate) fn sent_count(self) -> usize {
        match self.sent {
            Sent::All => self.low + self.high,
            Sent::Stamps(low, high) => low + high,
            Sent::Windows(bits) => windows(self.low, bits).count(),
            Sent::First => 1,
        }
    }

    /// The exponents of those that travel: low ones, then high ones.
    pub(crate) fn sent(self) -> Vec<usize> {
        let high = |k: usize| k * (self.low + 1);
        match self.sent {
            Sent::All => (1..=self.low).chain((1..=self.high).map(high)).collect(),
            Sent::Stamps(low, count) => {
                let highs = stamps(count).iter().map(|k| high(*k));
                stamps(low).iter().copied().chain(highs).collect()
            }
            Sent::Windows(bits) => windows(self.low, bits).collect(),
            Sent::First => vec![1],
        }
    }

    /// Where each low power comes from, and each high one.
    pub(crate) fn sources(self) -> [Vec<PowerSource>; 2] {
        match self.sent {
            Sent::All => [
                (0..self.low).map(PowerSource::Sent).collect(),
                (self.low..self.low + self.high).map(PowerSource::Sent).collect(),
            ],
            Sent::Stamps(low, high) => {
                [sources(stamps(low), self.low, 0), sources(stamps(high), self.high, low)]
            }
            Sent::Windows(bits) => {
                let sent = self.sent();
                let source = |exponent| match sent.iter().position(|sent| *sent == exponent) {
                    Some(place) => PowerSource::Sent(place),
                    None => product(exponent, lower_digits(exponent, bits)),
                };
                [(1..=self.low).map(source).collect(), Vec::new()]
            }
            Sent::First => {
                let source = |exponent| match exponent {
                    1 => PowerSource::Sent(0),
                    _ => product(exponent, exponent / 2),
                };
                [(1..=self.low).map(source).collect(), Vec::new()]
            }
        }
    }

    /// What stands for them in a digest of parameters.
    pub(crate) fn text(self) -> String {
        let Self { low, high, sent } = self;
        let stamps = match sent {
            Sent::All => "None".to_owned(),
            Sent::Stamps(low, high) => format!("Some(({low}, {high}))"),
            other => format!("{other:?}"),
        };
        format!("Powers {{ low: {low}, high: {high}, stamps: {stamps} }}")
    }
}

/// For each power its products, one after the other, where its list has these sources.
pub(crate) fn depths(sources: &[PowerSource]) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(sources.len());
    for source in sources {
        depths.push(match *source {
            PowerSource::Sent(_) => 0,
            PowerSource::Product(one, other) => 1 + depths[one].max(depths[other]),
        });
    }
    depths
}

/// The least whole number that is no less than the logarithm.
fn log2_up(number: usize) -> u32 {
    number.next_power_of_two().ilog2()
}

/// The product for x^exponent of which one factor is x^part.
fn product(exponent: usize, part: usize) -> PowerSource {
    PowerSource::Product(part - 1, exponent - part - 1)
}

/// The digits to the base 2^bits, the last one first.
fn digits(exponent: usize, bits: u32) -> impl Iterator<Item = usize> {
    let places = (0..usize::BITS).step_by(bits.max(1) as usize);
    places.map(move |place| exponent >> place & ((1 << bits) - 1))
}

/// The exponent of the lower half of the digits that are not 0.
fn lower_digits(exponent: usize, bits: u32) -> usize {
    let set = digits(exponent, bits).enumerate().filter(|(_, digit)| *digit > 0);
    let set: Vec<usize> = set.map(|(place, digit)| digit << (place as u32 * bits)).collect();
    set[..set.len() / 2].iter().sum()
}

/// The exponents i·2^(bits·j) for 1 ≤ i < 2^bits, up to `most`.
fn windows(most: usize, bits: u32) -> impl Iterator<Item = usize> {
    (1..=most)
        .filter(move |exponent| digits(*exponent, bits).filter(|digit| *digit > 0).count() == 1)
}

fn stamps(count: usize) -> &'static [usize] {
    count.checked_sub(1).map_or(&[], |index| STAMPS[index])
}

/// The end of the run from 1 on that sums of one or two cover.
fn reach(stamps: &[usize]) -> usize {
    (1..).take_while(|value| source(stamps, *value, 0).is_some()).count()
}

/// Where the power for this sum comes from, if those that travel begin in the place `offset`.
fn source(stamps: &[usize], value: usize, offset: usize) -> Option<PowerSource> {
    let place = |wanted: usize| stamps.iter().position(|stamp| *stamp == wanted);
    if let Some(place) = place(value) {
        return Some(PowerSource::Sent(offset + place));
    }
    let smaller = stamps.iter().filter(|stamp| **stamp < value);
    let mut pairs = smaller.filter(|stamp| place(value - **stamp).is_some());
    pairs.next().map(|stamp| product(value, *stamp))
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

    fn windowings() -> impl Iterator<Item = Windowing> {
        let bases = (1..=5).map(Windowing::Base);
        [Windowing::Stamps, Windowing::All, Windowing::First].into_iter().chain(bases)
    }

    #[test]
    fn every_power_comes_from_what_travels() {
        let tried = windowings().flat_map(|windowing| Powers::tried(windowing, 300));
        for powers in tried {
            let sent = powers.sent();
            assert_eq!(sent.len(), powers.sent_count());
            let step = powers.low + 1;
            let [low, high] = powers.sources().map(|sources| {
                let mut exponents: Vec<usize> = Vec::new();
                for source in &sources {
                    exponents.push(match *source {
                        PowerSource::Sent(place) => sent[place],
                        PowerSource::Product(one, other) => exponents[one] + exponents[other],
                    });
                }
                let depths = depths(&sources);
                (exponents, depths)
            });
            assert_eq!(low.0, (1..=powers.low).collect::<Vec<_>>());
            assert_eq!(high.0, (1..=powers.high).map(|k| k * step).collect::<Vec<_>>());
            let depths: Vec<u32> = low.1.into_iter().chain(high.1).collect();
            let deepest = depths.iter().copied().max().unwrap_or(0);
            assert!(deepest <= powers.depth(), "{powers:?}: {deepest}");
            let products = |depth: u32| depths.iter().filter(|own| **own == depth).count();
            assert!((1..=powers.depth()).all(|depth| powers.products(depth) == products(depth)));
        }
    }

    #[test]
    fn windows_are_those_of_the_talk_and_as_deep() {
        for bits in 1..=5_u32 {
            for most in [1, 2, 3, 7, 8, 15, 31, 63, 100, 127, 255] {
                let powers = Powers { low: most, high: 0, sent: Sent::Windows(bits) };
                let base = 1_usize << bits;
                let mut expected: Vec<usize> = (0..8 / bits + 1)
                    .flat_map(|j| (1..base).map(move |i| i * base.pow(j)))
                    .filter(|exponent| *exponent <= most)
                    .collect();
                expected.sort_unstable();
                assert_eq!(powers.sent(), expected, "{bits} {most}");
                // log log B − log ℓ, rounded up.
                let places = (most as f64 + 1.0).log2() / f64::from(bits);
                let depth = places.ceil().log2().ceil() as u32;
                assert!(powers.depth() <= depth, "{bits} {most}: {} {depth}", powers.depth());
                // Where the largest exponent has no digit but largest ones, it is that.
                if (most + 1).is_power_of_two() && (most + 1).ilog2() % bits == 0 {
                    assert_eq!(powers.depth(), depth, "{bits} {most}");
                }
            }
        }
        let first = |low| Powers { low, high: 0, sent: Sent::First }.depth();
        assert_eq!([1, 2, 3, 4, 5, 255].map(first), [0, 1, 2, 2, 3, 8]);
    }

    #[test]
    fn a_digest_of_parameters_has_the_text_that_it_always_had() {
        let all = Powers::all(3, 2).text();
        assert_eq!(all, "Powers { low: 3, high: 2, stamps: None }");
        let stamped = Powers { low: 4, high: 2, sent: Sent::Stamps(2, 1) }.text();
        assert_eq!(stamped, "Powers { low: 4, high: 2, stamps: Some((2, 1)) }");
    }
}
