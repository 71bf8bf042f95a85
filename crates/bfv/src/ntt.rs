//! Number-theoretic transforms modulo x^n + 1: from a polynomial to its values at the 2n-th roots of unity that are
//! no n-th ones, and back (Longa and Naehrig, "Speeding up the number theoretic transform", CANS 2016).

use crate::modulus::{Factor, Modulus, less};

/// Transforms modulo one prime.
pub(crate) struct Ntt {
    pub(crate) modulus: Modulus,
    /// The root's powers, their exponents' bits reversed.
    forward: Vec<Factor>,
    /// Their inverses.
    backward: Vec<Factor>,
    /// 1/n.
    scale: Factor,
}

impl Ntt {
    /// Of 2^`log_n` coefficients modulo a prime that is 1 more than a multiple of 2^(`log_n` + 1).
    pub(crate) fn new(p: u64, log_n: u32) -> Self {
        let modulus = Modulus::new(p);
        let n = 1 << log_n;
        let root = root(modulus, log_n + 1);
        let table = |root| {
            let mut powers = vec![Factor::default(); n];
            let mut power = 1;
            for exponent in 0..n {
                let place = exponent.reverse_bits() >> (usize::BITS - log_n);
                powers[place] = modulus.factor(power);
                power = modulus.multiply(power, root);
            }
            powers
        };
        Self {
            modulus,
            forward: table(root),
            backward: table(modulus.invert(root)),
            scale: modulus.factor(modulus.invert(n as u64)),
        }
    }

    /// Coefficients below p become values below p, in an order of their own.
    pub(crate) fn forward(&self, x: &mut [u64]) {
        let (p, twice) = (self.modulus.p, 2 * self.modulus.p);
        let mut blocks = 1;
        while blocks < x.len() {
            let size = x.len() / blocks;
            let roots = &self.forward[blocks..2 * blocks];
            for (block, root) in x.chunks_exact_mut(size).zip(roots) {
                let (low, high) = block.split_at_mut(size / 2);
                for (a, b) in low.iter_mut().zip(high) {
                    // Below 4p before and after.
                    let u = less(*a, twice);
                    let v = root.times(*b, p);
                    (*a, *b) = (u + v, u + twice - v);
                }
            }
            blocks *= 2;
        }
        x.iter_mut().for_each(|x| *x = self.modulus.tidy(*x));
    }

    /// Undoes [`forward`](Self::forward).
    pub(crate) fn backward(&self, x: &mut [u64]) {
        let (p, twice) = (self.modulus.p, 2 * self.modulus.p);
        let mut blocks = x.len() / 2;
        while blocks > 0 {
            let size = x.len() / blocks;
            let roots = &self.backward[blocks..2 * blocks];
            for (block, root) in x.chunks_exact_mut(size).zip(roots) {
                let (low, high) = block.split_at_mut(size / 2);
                for (a, b) in low.iter_mut().zip(high) {
                    // Below 2p before and after.
                    let (u, v) = (*a, *b);
                    (*a, *b) = (less(u + v, twice), root.times(u + twice - v, p));
                }
            }
            blocks /= 2;
        }
        x.iter_mut().for_each(|x| *x = self.modulus.times(*x, self.scale));
    }
}

/// An element of order 2^`log`.
fn root(modulus: Modulus, log: u32) -> u64 {
    let roots = (2..modulus.p).map(|base| modulus.power(base, (modulus.p - 1) >> log));
    // Its half-order power is −1 if and only if the base is no square.
    let mut roots = roots.filter(|root| modulus.power(*root, 1 << (log - 1)) == modulus.p - 1);
    roots.next().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulus::primes;

    #[test]
    fn products_are_those_of_the_schoolbook() {
        let log_n = 5;
        let n = 1 << log_n;
        for p in primes(60, log_n + 1).take(1).chain(primes(20, log_n + 1).take(1)) {
            let ntt = Ntt::new(p, log_n);
            let number = |index: u64, by: u64| index.wrapping_mul(by).wrapping_add(by >> 7) % p;
            let a: Vec<u64> = (0..n).map(|index| number(index, 0x9e37_79b9_7f4a_7c15)).collect();
            let b: Vec<u64> = (0..n).map(|index| number(index, 0xc2b2_ae3d_27d4_eb4f)).collect();
            let mut expected = vec![0; n as usize];
            for (i, a) in a.iter().enumerate() {
                for (j, b) in b.iter().enumerate() {
                    let product = (u128::from(*a) * u128::from(*b) % u128::from(p)) as u64;
                    let place = &mut expected[(i + j) % n as usize];
                    let term = if i + j < n as usize { product } else { (p - product) % p };
                    *place = (*place + term) % p;
                }
            }
            let (mut x, mut y) = (a.clone(), b);
            ntt.forward(&mut x);
            ntt.forward(&mut y);
            let mut product: Vec<u64> =
                x.iter().zip(&y).map(|(x, y)| ntt.modulus.multiply(*x, *y)).collect();
            ntt.backward(&mut product);
            assert_eq!(product, expected);
            ntt.backward(&mut x);
            assert_eq!(x, a);
        }
    }
}
