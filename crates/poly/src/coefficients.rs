//! Sums of polynomials, coefficient by coefficient.

use veilset_crypto::Field;
use zeroize::{Zeroize, Zeroizing};

use crate::Module;

/// Coefficients that wipe themselves.
pub(crate) type Wiped<T> = Zeroizing<Vec<T>>;

/// Adds x^`at`·`poly` to `into`, which has at least `at` coefficients and becomes as long as the sum.
pub(crate) fn add_at<M: Module>(
    module: &M,
    into: &mut Wiped<M::Element>,
    at: usize,
    poly: &[M::Element],
) {
    let both = (into.len() - at).min(poly.len());
    module.add(&mut into[at..at + both], &poly[..both]);
    reserve(into, at + poly.len());
    into.extend_from_slice(&poly[both..]);
}

/// Makes room for `len` coefficients; a vector that grew by itself would leave a copy behind.
fn reserve<T: Clone + Zeroize>(coefficients: &mut Wiped<T>, len: usize) {
    if coefficients.capacity() < len {
        let mut longer = Wiped::new(Vec::with_capacity(len));
        longer.extend_from_slice(coefficients);
        *coefficients = longer;
    }
}

/// All parts one after the other, in memory that is got once: a vector that grew would leave copies of them behind.
pub fn concatenate<T: Clone + Zeroize>(parts: &[Wiped<T>]) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        all.extend_from_slice(part);
    }
    all
}

/// The sum of two polynomials of which the first is not shorter.
pub(crate) fn sum<M: Module>(
    module: &M,
    long: &[M::Element],
    short: &[M::Element],
) -> Wiped<M::Element> {
    let mut sum = Wiped::new(long.to_vec());
    module.add(&mut sum[..short.len()], short);
    sum
}

/// `len` coefficients of `poly`, from the lowest, zeros where it has none.
pub(crate) fn padded<M: Module>(module: &M, poly: &[M::Element], len: usize) -> Wiped<M::Element> {
    let mut padded = Wiped::new(Vec::with_capacity(len));
    padded.extend_from_slice(&poly[..poly.len().min(len)]);
    padded.resize(len, module.zero());
    padded
}

/// 1, x, x^2, …, `count` of them.
pub(crate) fn powers<F: Field>(field: &F, x: &F::Element, count: usize) -> Vec<F::Element> {
    let mut powers = Vec::with_capacity(count);
    let mut power = field.one();
    for _ in 0..count {
        powers.push(power.clone());
        power = field.mul(&power, x);
    }
    powers
}
