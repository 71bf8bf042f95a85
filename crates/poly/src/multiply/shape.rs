//! How a product of two lengths is divided into smaller ones.

use super::Multiplication;
use super::ntt::Cyclic;

/// Products of a scalar and an element that one call of [`Module::scale`](crate::Module::scale) gets at most: enough to
/// fill any lanes, and few enough that the products of two polynomials of 100 coefficients occupy several cores.
pub(crate) const BATCH: usize = 1 << 10;

/// How many coefficients the factors have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
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
}

impl Shape {
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
}

impl Split {
    /// The shapes of the products into which one of that shape is split: all alike but for the last.
    pub(crate) fn parts(self, shape: Shape) -> Vec<Shape> {
        let mut parts = vec![self.largest(shape); self.count() - 1];
        parts.push(self.last(shape));
        parts
    }

    fn count(self) -> usize {
        match self {
            Self::Plain(_) | Self::Poly(_) => 2,
            Self::Karatsuba(_) => 3,
            Self::Toom3(_) => 5,
        }
    }

    /// The shape of all parts but the last, which is no larger.
    fn largest(self, shape: Shape) -> Shape {
        match self {
            Self::Plain(at) => Shape::new(at, shape.poly),
            Self::Poly(at) => Shape::new(shape.plain, at),
            Self::Karatsuba(len) | Self::Toom3(len) => Shape::new(len, len),
        }
    }

    fn last(self, shape: Shape) -> Shape {
        let Shape { plain, poly } = shape;
        match self {
            Self::Plain(at) => Shape::new(plain - at, poly),
            Self::Poly(at) => Shape::new(plain, poly - at),
            Self::Karatsuba(half) => Shape::new(plain - half, poly - half),
            Self::Toom3(third) => Shape::new(plain - 2 * third, poly - 2 * third),
        }
    }
}

impl Multiplication {
    /// What multiplies that shape and all its parts: Toom-3 in place of transforms where it takes no more products.
    pub(crate) fn resolve(self, shape: Shape) -> Self {
        match self {
            Self::Ntt { cutoff } => {
                let toom = Self::Toom3 { cutoff };
                let transforms = Cyclic::cheapest(shape).scalings();
                let fewer = toom.products(shape).is_some_and(|products| products <= transforms);
                if fewer { toom } else { self }
            }
            _ => self,
        }
    }

    /// The step of what is [resolved](Self::resolve) for that shape.
    pub(crate) fn step(self, shape: Shape) -> Step {
        if let Self::Ntt { .. } = self {
            return if shape.longer() >= 2 * shape.shorter() {
                Step::Split(shape.cut())
            } else {
                Step::Transform(Cyclic::cheapest(shape))
            };
        }
        match self.split(shape) {
            Some(split) => Step::Split(split),
            None if shape.pairs() <= BATCH => Step::Leaf,
            None => Step::Split(shape.cut()),
        }
    }

    /// The products in all leaves; `None` if there are transforms.
    pub(crate) fn products(self, shape: Shape) -> Option<usize> {
        if let Self::Ntt { .. } = self {
            return None;
        }
        let Some(split) = self.split(shape) else {
            return Some(shape.pairs());
        };
        let (largest, last) = (split.largest(shape), split.last(shape));
        let products = self.products(largest)?;
        let of_last = if last == largest { products } else { self.products(last)? };
        Some(products * (split.count() - 1) + of_last)
    }

    /// How a shape is split; `None` if each coefficient is multiplied by each.
    fn split(self, shape: Shape) -> Option<Split> {
        match self {
            Self::Karatsuba { cutoff } if shape.shorter() > cutoff.max(1) => Some(shape.halves()),
            Self::Toom3 { cutoff } if shape.shorter() > cutoff.max(1) => Some(shape.thirds()),
            _ => None,
        }
    }
}
