//! How a product of two lengths is divided into smaller ones.

use super::Multiplication;
use super::ntt::Cyclic;

/// Products of a scalar and an element that one call of [`Module::scale`](crate::Module::scale) gets at most: enough to
/// fill any lanes, and few enough that the products of two polynomials of 100 coefficients occupy several cores.
pub(crate) const BATCH: usize = 1 << 10;

/// How many coefficients the factors have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Lengths {
    pub(crate) plain: usize,
    pub(crate) poly: usize,
}

/// What is done with a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Each coefficient of one factor times each of the other.
    Leaf,
    /// A cyclic product in the transform's domain.
    Transform(Cyclic),
    /// Smaller products.
    Split(Split),
}

/// How factors are taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Split {
    /// The plain factor is cut there, and the other multiplied by both parts.
    Plain(usize),
    /// The same with the other factor.
    Poly(usize),
    /// Three products of parts of that length.
    Karatsuba(usize),
    /// Five products of parts of that length.
    Toom3(usize),
    /// Seven products of parts of that length.
    Toom4(usize),
}

impl Lengths {
    pub(crate) const fn new(plain: usize, poly: usize) -> Self {
        Self { plain, poly }
    }

    pub(crate) fn shorter(self) -> usize {
        self.plain.min(self.poly)
    }

    pub(crate) fn longer(self) -> usize {
        self.plain.max(self.poly)
    }

    /// Coefficients of the product.
    pub(crate) fn product(self) -> usize {
        if self.shorter() == 0 { 0 } else { self.plain + self.poly - 1 }
    }

    /// Products of a schoolbook multiplication.
    pub(crate) const fn pairs(self) -> usize {
        self.plain * self.poly
    }

    /// The longer factor in halves.
    fn cut(self) -> Split {
        let half = self.longer().div_ceil(2);
        if self.plain >= self.poly { Split::Plain(half) } else { Split::Poly(half) }
    }

    /// Both factors at half of the longer; if the shorter does not reach as far, only the longer.
    fn halves(self) -> Split {
        let half = self.longer().div_ceil(2);
        if self.shorter() > half { Split::Karatsuba(half) } else { self.cut() }
    }

    /// Both factors at thirds of the longer; if the shorter does not reach into the last third, in halves.
    fn thirds(self) -> Split {
        let third = self.longer().div_ceil(3);
        if self.shorter() > 2 * third { Split::Toom3(third) } else { self.halves() }
    }

    /// Both factors at quarters of the longer; if the shorter does not reach into the last quarter, in thirds.
    fn quarters(self) -> Split {
        let quarter = self.longer().div_ceil(4);
        if self.shorter() > 3 * quarter { Split::Toom4(quarter) } else { self.thirds() }
    }
}

impl Split {
    /// The lengths of the products into which one of those lengths is split: all alike but for the last.
    pub(crate) fn parts(self, lengths: Lengths) -> Vec<Lengths> {
        let mut parts = vec![self.largest(lengths); self.count() - 1];
        parts.push(self.last(lengths));
        parts
    }

    fn count(self) -> usize {
        match self {
            Self::Plain(_) | Self::Poly(_) => 2,
            Self::Karatsuba(_) => 3,
            Self::Toom3(_) => 5,
            Self::Toom4(_) => 7,
        }
    }

    /// The lengths of all parts but the last, which is no larger.
    fn largest(self, lengths: Lengths) -> Lengths {
        match self {
            Self::Plain(at) => Lengths::new(at, lengths.poly),
            Self::Poly(at) => Lengths::new(lengths.plain, at),
            Self::Karatsuba(len) | Self::Toom3(len) | Self::Toom4(len) => Lengths::new(len, len),
        }
    }

    fn last(self, lengths: Lengths) -> Lengths {
        let Lengths { plain, poly } = lengths;
        match self {
            Self::Plain(at) => Lengths::new(plain - at, poly),
            Self::Poly(at) => Lengths::new(plain, poly - at),
            Self::Karatsuba(half) => Lengths::new(plain - half, poly - half),
            Self::Toom3(third) => Lengths::new(plain - 2 * third, poly - 2 * third),
            Self::Toom4(quarter) => Lengths::new(plain - 3 * quarter, poly - 3 * quarter),
        }
    }
}

impl Multiplication {
    /// What multiplies those lengths and all its parts: Toom-3 in place of transforms where it takes no more products.
    pub(crate) fn resolve(self, lengths: Lengths) -> Self {
        match self {
            Self::Ntt { cutoff } => {
                let toom = Self::Toom3 { cutoff };
                let transforms = Cyclic::cheapest(lengths).scalings();
                let fewer = toom.products(lengths).is_some_and(|products| products <= transforms);
                if fewer { toom } else { self }
            }
            _ => self,
        }
    }

    /// The step of what is [resolved](Self::resolve) for those lengths.
    pub(crate) fn step(self, lengths: Lengths) -> Step {
        if let Self::Ntt { .. } = self {
            return if lengths.longer() >= 2 * lengths.shorter() {
                Step::Split(lengths.cut())
            } else {
                Step::Transform(Cyclic::cheapest(lengths))
            };
        }
        match self.split(lengths) {
            Some(split) => Step::Split(split),
            None if lengths.pairs() <= BATCH => Step::Leaf,
            None => Step::Split(lengths.cut()),
        }
    }

    /// The products in all leaves; `None` if there are transforms.
    pub(crate) fn products(self, lengths: Lengths) -> Option<usize> {
        if let Self::Ntt { .. } = self {
            return None;
        }
        let Some(split) = self.split(lengths) else {
            return Some(lengths.pairs());
        };
        let (largest, last) = (split.largest(lengths), split.last(lengths));
        let products = self.products(largest)?;
        let of_last = if last == largest { products } else { self.products(last)? };
        Some(products * (split.count() - 1) + of_last)
    }

    /// How factors of those lengths are split; `None` if each coefficient is multiplied by each.
    fn split(self, lengths: Lengths) -> Option<Split> {
        let (cutoff, split) = match self {
            Self::Karatsuba { cutoff } => (cutoff, lengths.halves()),
            Self::Toom3 { cutoff } => (cutoff, lengths.thirds()),
            Self::Toom4 { cutoff } => (cutoff, lengths.quarters()),
            Self::Schoolbook | Self::Ntt { .. } => return None,
        };
        // The leaves of halves or quarters of k coefficients, k a power of two, have one, too.
        let binary = !matches!(self, Self::Toom3 { .. });
        let odd = binary && cutoff > 1 && lengths.plain == lengths.poly + 1;
        let split = if odd { Split::Plain(lengths.poly) } else { split };
        (lengths.shorter() > cutoff.max(1)).then_some(split)
    }
}
