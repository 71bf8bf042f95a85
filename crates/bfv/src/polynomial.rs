//! Polynomials over the residues modulo t, of the degrees that are evaluated under encryption.

use crate::ring::Ring;

impl Ring {
    /// a·b modulo t, of residues.
    #[must_use]
    pub fn multiply_plain(&self, a: u64, b: u64) -> u64 {
        self.plain.modulus.multiply(a, b)
    }

    /// a/b modulo t, of residues of which b is not 0.
    #[must_use]
    pub fn divide_plain(&self, a: u64, b: u64) -> u64 {
        self.plain.modulus.multiply(a, self.plain.modulus.invert(b))
    }

    /// The coefficients, the constant one first, of the polynomial of leading coefficient 1 with these roots.
    #[must_use]
    pub fn vanishing(&self, roots: &[u64]) -> Vec<u64> {
        let mut poly = Vec::with_capacity(roots.len() + 1);
        poly.push(1);
        roots.iter().for_each(|root| self.add_root(&mut poly, *root));
        poly
    }

    /// For each column of values, one a point, the coefficients of the polynomial of least degree that has them at the
    /// points, which are all different; as many coefficients as points.
    ///
    /// Lagrange's form, point by point: of P through the first ones and V that vanishes there come (x − p)·P + y/V'(p)·V and
    /// (x − p)·V, where V' is the derivative of what vanishes at all points.
    #[must_use]
    pub fn interpolate(&self, points: &[u64], columns: &[Vec<u64>]) -> Vec<Vec<u64>> {
        if columns.is_empty() {
            return Vec::new();
        }
        let modulus = self.plain.modulus;
        let slopes = self.slopes(points);
        let mut vanishing = vec![1];
        let mut polys = vec![Vec::with_capacity(points.len()); columns.len()];
        for (at, (point, weight)) in points.iter().zip(self.inverses(&slopes)).enumerate() {
            for (poly, values) in polys.iter_mut().zip(columns) {
                self.add_root(poly, *point);
                let share = modulus.factor(modulus.multiply(weight, values[at]));
                for (sum, coefficient) in poly.iter_mut().zip(&vanishing) {
                    *sum = modulus.add(*sum, modulus.times(*coefficient, share));
                }
            }
            self.add_root(&mut vanishing, *point);
        }
        polys
    }

    /// (x − root)·P: each coefficient takes the one below it, less the root times itself.
    fn add_root(&self, poly: &mut Vec<u64>, root: u64) {
        let modulus = self.plain.modulus;
        let root = modulus.factor(modulus.subtract(0, root));
        poly.push(0);
        for at in (0..poly.len()).rev() {
            let below = if at > 0 { poly[at - 1] } else { 0 };
            poly[at] = modulus.add(below, modulus.times(poly[at], root));
        }
    }

    /// The derivative, at each point, of the polynomial that vanishes at all.
    fn slopes(&self, points: &[u64]) -> Vec<u64> {
        let modulus = self.plain.modulus;
        let vanishing = self.vanishing(points);
        let derivative = (1..).zip(&vanishing[1..]).map(|(power, c)| modulus.multiply(power, *c));
        let derivative: Vec<u64> = derivative.collect();
        let slope = |point: &u64| {
            let point = modulus.factor(*point);
            let step = |sum, c: &u64| modulus.add(modulus.times(sum, point), *c);
            derivative.iter().rev().fold(0, step)
        };
        points.iter().map(slope).collect()
    }

    /// 1/a for each of these, of which none is 0, with one inversion (Montgomery, Math. Comp. 48, 1987).
    fn inverses(&self, values: &[u64]) -> Vec<u64> {
        let modulus = self.plain.modulus;
        let mut product = 1;
        let before = values.iter().map(|value| {
            let before = product;
            product = modulus.multiply(product, *value);
            before
        });
        let mut inverses: Vec<u64> = before.collect();
        let mut inverse = modulus.invert(product);
        for (before, value) in inverses.iter_mut().zip(values).rev() {
            *before = modulus.multiply(*before, inverse);
            inverse = modulus.multiply(inverse, *value);
        }
        inverses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(poly: &[u64], at: u64, t: u64) -> u64 {
        let step = |sum: u128, c: &u64| (sum * u128::from(at) + u128::from(*c)) % u128::from(t);
        poly.iter().rev().fold(0, step) as u64
    }

    #[test]
    fn polynomials_vanish_at_their_roots_alone() {
        let ring = Ring::with(12, 34, &[50], None).expect("secure");
        let t = ring.parameters().t();
        let roots: Vec<u64> = (1..30).map(|x| x * x * 1_234_567_891 % t).collect();
        let vanishing = ring.vanishing(&roots);
        assert_eq!((vanishing.len(), vanishing.last()), (30, Some(&1)));
        for at in roots.iter().copied().chain([3, t - 1]) {
            let product = roots.iter().fold(1_u128, |product, root| {
                product * u128::from((at + t - root) % t) % u128::from(t)
            });
            assert_eq!(u128::from(value(&vanishing, at, t)), product);
        }
    }

    #[test]
    fn interpolated_polynomials_have_their_values() {
        let ring = Ring::with(12, 34, &[50], None).expect("secure");
        let t = ring.parameters().t();
        for count in [0, 1, 2, 37] {
            let points: Vec<u64> = (0..count).map(|x| x * x * 987_654_321 % t).collect();
            let column = |by: u64| points.iter().map(|x| (x ^ by) % t).collect::<Vec<_>>();
            let columns = [column(5), column(1 << 30), vec![0; points.len()]];
            let polys = ring.interpolate(&points, &columns);
            for (poly, values) in polys.iter().zip(&columns) {
                assert_eq!(poly.len(), points.len());
                let at: Vec<u64> = points.iter().map(|point| value(poly, *point, t)).collect();
                assert_eq!(at, *values);
            }
        }
    }
}
