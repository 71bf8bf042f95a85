//! Polynomials over the residues modulo t, of the degrees that are evaluated under encryption.

use crate::ring::Ring;

impl Ring {
    /// a·b modulo t, of residues.
    #[must_use]
    pub fn multiply_plain(&self, a: u64, b: u64) -> u64 {
        self.plain.modulus.multiply(a, b)
    }

    /// The coefficients, the constant one first, of the polynomial of leading coefficient 1 with these roots.
    #[must_use]
    pub fn vanishing(&self, roots: &[u64]) -> Vec<u64> {
        let modulus = self.plain.modulus;
        let mut poly = Vec::with_capacity(roots.len() + 1);
        poly.push(1);
        for root in roots {
            // (x − r)·P: each coefficient takes the one below it, less r times itself.
            let root = modulus.factor(modulus.subtract(0, *root));
            poly.push(0);
            for at in (0..poly.len()).rev() {
                let below = if at > 0 { poly[at - 1] } else { 0 };
                poly[at] = modulus.add(below, modulus.times(poly[at], root));
            }
        }
        poly
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
}
