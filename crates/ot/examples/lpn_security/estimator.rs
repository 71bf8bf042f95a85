//! Bits of security of dual LPN with regular noise against the attacks known in 2026.
//!
//! The instance: G has m rows and N columns over GF(q), the noise e has one non-zero value in each of t blocks of
//! β = N/t, and y = G·e is public. k = N − m is the dimension of the code that has G as its parity-check matrix. Sizes
//! are logarithms to base 2 of operations in GF(q); linear algebra is counted low where a fast algorithm may exist.

/// A dual-LPN instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance {
    /// m.
    pub(crate) syndrome: f64,
    /// N.
    pub(crate) length: f64,
    /// t.
    pub(crate) blocks: f64,
    /// log2 q.
    pub(crate) field_bits: f64,
    /// log2 of the number of values of noise: those of several syndromes whose noise is in the same places.
    pub(crate) value_bits: f64,
}

/// Bits that each attack costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits {
    /// [`Instance::information_set`].
    pub(crate) information_set: f64,
    /// [`Instance::statistical_decoding`].
    pub(crate) statistical_decoding: f64,
    /// [`Instance::algebraic`].
    pub(crate) algebraic: f64,
    /// [`Instance::hybrid`].
    pub(crate) hybrid: f64,
    /// [`Instance::subspace`] for a code of degree 2.
    pub(crate) subspace: f64,
}

impl Bits {
    pub(crate) fn least(&self) -> f64 {
        let published =
            [self.information_set, self.statistical_decoding, self.algebraic, self.hybrid];
        published.into_iter().fold(self.subspace, f64::min)
    }
}

/// The exponent of matrix multiplication that the algebraic attacks are counted with.
const OMEGA: f64 = 2.8;

/// The highest degree at which an algebraic system is looked at; the sums of signed terms are exact enough up to here.
const MAX_DEGREE: usize = 8;

impl Instance {
    pub(crate) fn bits(&self) -> Bits {
        Bits {
            information_set: self.information_set(),
            statistical_decoding: self.statistical_decoding(),
            algebraic: self.algebraic(),
            hybrid: self.hybrid(),
            subspace: self.subspace(2),
        }
    }

    /// Information-set decoding that makes use of regular noise (Esser–Santini, Crypto 2024, eprint 2023/1568): the
    /// permutation-based and the enumeration-based algorithm. A set of k + ℓ places, as many in each block, holds p
    /// noisy ones; halves of those p are listed and matched on ℓ syndromes. Values are counted for free, since p noisy
    /// columns and as many equations give them. With p = 0 and ℓ = 0 it is Prange's, and pooled Gauss
    /// (Esser–Kübler–May, Crypto 2017) with k places in each block at one rate. Over GF(2) the number of ones in each
    /// block adds t parity checks.
    pub(crate) fn information_set(&self) -> f64 {
        let dimension = self.dimension() - if self.field_bits > 1.0 { 0.0 } else { self.blocks };
        let half = self.blocks / 2.0;
        let mut least = f64::INFINITY;
        for p in (0..=32_u32).step_by(2).map(f64::from).take_while(|&p| p / 2.0 < half) {
            let places = dimension / self.blocks;
            let list_at = |places: f64| log2_choose(half, p / 2.0) + p / 2.0 * places.log2();
            let matched = list_at(places) / self.value_bits;
            for step in 0..=64_u32 {
                let more = if p > 0.0 { (matched * f64::from(step) / 32.0).floor() } else { 0.0 };
                let places = (dimension + more) / self.blocks;
                let share = places / self.block();
                if share >= 1.0 {
                    break;
                }
                let chance = 2.0 * log2_choose(half, p / 2.0)
                    + p * share.log2()
                    + (self.blocks - p) * (1.0 - share).log2();
                let list = list_at(places);
                let matches = 2.0 * list - more * self.value_bits;
                let solve = 2.0 * self.dimension().min(self.syndrome).log2();
                least = least.min(solve.max(list).max(matches) - chance.min(0.0));
                if p == 0.0 {
                    break;
                }
            }
        }
        least
    }

    /// Statistical decoding over a large field (Liu–Wang–Yang–Yu, eprint 2022/712): as many parity checks of weight
    /// k + 1 as tell whether they all miss the noise; with the improvement that first fixes some of the k.
    pub(crate) fn statistical_decoding(&self) -> f64 {
        let saved = (self.information_set() / self.field_bits).floor();
        let dimension = (self.dimension() - saved).max(1.0);
        let mut misses = 0.0;
        let mut place = 0.0;
        while place < self.blocks {
            misses += ((self.length - place) / (self.length - dimension - 1.0 - place)).log2();
            place += 1.0;
        }
        (dimension + 1.0).log2() + 2.0 * misses
    }

    /// The algebraic attack of Briaud and Øygarden (Eurocrypt 2023, eprint 2023/176) in its hybrid form over a large
    /// field: μ places of each of f blocks are guessed free of noise, then the products of two places of a block, which
    /// are zero, and the parity checks are solved at the degree where the Hilbert series turns negative.
    pub(crate) fn algebraic(&self) -> f64 {
        let (k, beta, t) = (self.dimension(), self.block(), self.blocks);
        let checks = (self.syndrome - t).max(0.0);
        let guesses = (0..200_u32).map(|step| (beta * f64::from(step) / 200.0).floor());
        let guesses: Vec<f64> = guesses.collect();
        let mut least = f64::INFINITY;
        for f in steps(t) {
            for &mu in &guesses {
                let monomials = power(power(one(), beta - mu - 1.0, f), beta - 1.0, t - f);
                let equations = power(monomials, -1.0, checks);
                let with_values = power(monomials, -1.0, 1.0 - t);
                let mut rest = 0.0;
                let Some(degree) = (2..=MAX_DEGREE).find(|&degree| {
                    rest += equations[degree];
                    rest < 1.0
                }) else {
                    continue;
                };
                let size: f64 = with_values[1..=degree].iter().sum();
                let unknowns = (k + 1.0 - f * mu).max(1.0);
                let guess = -f * (1.0 - mu / beta).log2();
                least = least.min(guess + (3.0 * unknowns).log2() + 2.0 * size.log2());
            }
        }
        least
    }

    /// The hybrid attack of Wang et al. (Asiacrypt 2025, eprint 2025/1284, theorem 1) over a large field: u or, in f
    /// blocks, u + 1 places of each of t − g blocks are guessed free of noise, the place of the noise in the other g
    /// blocks is tried, and the products of two places of a block, which are zero, are solved by linearization.
    pub(crate) fn hybrid(&self) -> f64 {
        let (beta, t) = (self.block(), self.blocks);
        let mut least = f64::INFINITY;
        for g in (0..48_u32).map(f64::from).take_while(|&g| g < t) {
            if g * beta.log2() > least {
                break;
            }
            // From the least u that can do at all.
            let first = first_that(beta, |u| self.hybrid_suffices(t - g, u, g));
            for u in (0..64_u32).map(|more| first + f64::from(more)).take_while(|&u| u < beta - 1.0)
            {
                let f = first_that(t - g, |f| self.hybrid_suffices(f, u, g));
                least = self.hybrid_at(f, u, g).min(least);
            }
        }
        least
    }

    /// Whether that choice leaves equations enough, or no unknowns.
    fn hybrid_suffices(&self, f: f64, u: f64, g: f64) -> bool {
        let (free, terms) = self.hybrid_unknowns(f, u, g);
        let (blocks, left) = (self.blocks - g, self.block() - u);
        let products =
            (blocks - f) * left * (left - 1.0) / 2.0 + f * (left - 1.0) * (left - 2.0) / 2.0;
        free <= 0.0 || products - free * (free + 1.0) / 2.0 >= 2.5 * terms
    }

    /// Unknowns outside of the g blocks, and terms left when products of these are gone.
    fn hybrid_unknowns(&self, f: f64, u: f64, g: f64) -> (f64, f64) {
        let free = (self.dimension() - f - (self.blocks - g) * u - g * self.block()).max(0.0);
        (free, free + 2.0 * g + g * free + g * (g - 1.0) / 2.0)
    }

    /// The hybrid attack with one choice of f, u and g that suffices.
    fn hybrid_at(&self, f: f64, u: f64, g: f64) -> f64 {
        let (m, beta) = (self.syndrome, self.block());
        let (blocks, left, tried) = (self.blocks - g, beta - u, g * beta);
        let (free, terms) = self.hybrid_unknowns(f, u, g);
        let unknowns = free + tried;
        let guess = f * (beta / (left - 1.0)).log2() + (blocks - f) * (beta / left).log2();
        let rest = (m - (m / beta).floor() * (left - 1.0)).max(1.0);
        let once = [
            m.log2() + rest.log2() + (unknowns + rest).log2(),
            OMEGA * (unknowns * (unknowns + 3.0) / 2.0).max(1.0).log2(),
        ];
        let columns = free + 2.0 * tried + tried * free + tried * (tried - 1.0) / 2.0;
        let rows = (2.5 * terms).max(1.0).log2();
        let each =
            [OMEGA * rows, rows + columns.max(1.0).log2()].map(|bits| bits + g * beta.log2());
        guess + once.into_iter().chain(each).map(f64::exp2).sum::<f64>().log2()
    }

    /// Decoding through the bits of the field, which holds GF(2), for a code with sparse parity checks whose elements
    /// are polynomials in X of this degree at most; with degree 0 it is binary.
    ///
    /// Words of the rows' span with all elements in the span of 1, X, …, X^(s−1) meet s + `degree` linear conditions over
    /// GF(2) for each parity check, and s·N bits make them up. Each bit of the results is a syndrome of a vector with
    /// symbols of s bits in the noisy places. Combinations of these vectors, as many as values have bits, span words
    /// down to some weight (Gilbert–Varshamov); an information set free of their noise is guessed. With so few places
    /// that the weight is 0, elimination does (Metzner–Kapturowski 1990). The work for each guess is not counted.
    pub(crate) fn subspace(&self, degree: u32) -> f64 {
        let mut least = f64::INFINITY;
        // All of a small field's words too, where it has several syndromes.
        let most = self.field_bits.min(self.value_bits - 1.0) as u32;
        for s in (degree + 1..=most).map(f64::from) {
            let conditions = (s + f64::from(degree)).min(self.field_bits);
            let words = self.length * s - self.dimension() * conditions;
            let share = words / (self.length * s);
            let redundancy = s * self.blocks - self.value_bits;
            let symbols = (s.exp2() - 1.0).log2();
            let mut weight = 0.0;
            while log2_choose(self.blocks, weight) + weight * symbols < redundancy {
                weight += 1.0;
            }
            least = least.min(-weight * share.log2());
        }
        least
    }

    /// k.
    fn dimension(&self) -> f64 {
        self.length - self.syndrome
    }

    /// β.
    fn block(&self) -> f64 {
        (self.length / self.blocks).floor()
    }
}

/// The least whole number below `end` that `does`, if every larger one does as well; else `end`.
fn first_that(end: f64, does: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, end);
    while low < high {
        let middle = f64::floor((low + high) / 2.0);
        if does(middle) { high = middle } else { low = middle + 1.0 }
    }
    low
}

/// 0 to `most` in at most two hundred steps, both ends included.
fn steps(most: f64) -> impl Iterator<Item = f64> {
    let width = (most / 200.0).ceil().max(1.0);
    (0..=200_u32)
        .map(move |step| f64::from(step) * width)
        .filter(move |&step| step < most)
        .chain([most])
}

/// log2 of the binomial coefficient, for a real `n`.
fn log2_choose(n: f64, k: f64) -> f64 {
    let mut sum = 0.0;
    let mut i = 0.0;
    while i < k {
        sum += ((n - i) / (i + 1.0)).log2();
        i += 1.0;
    }
    sum
}

/// A power series up to [`MAX_DEGREE`].
type Series = [f64; MAX_DEGREE + 1];

fn one() -> Series {
    std::array::from_fn(|degree| if degree == 0 { 1.0 } else { 0.0 })
}

/// `series`·(1 + `a`·z)^`exponent`.
fn power(series: Series, a: f64, exponent: f64) -> Series {
    let mut binomial = one();
    for degree in 1..=MAX_DEGREE {
        let i = degree as f64;
        binomial[degree] = binomial[degree - 1] * a * (exponent - i + 1.0) / i;
    }
    std::array::from_fn(|degree| (0..=degree).map(|i| series[i] * binomial[degree - i]).sum())
}
