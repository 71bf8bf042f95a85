//! Arithmetic modulo a prime below 2^60, in a time that does not depend on the residues.

/// Primes have at most so many bits: 256 products of residues fit into 128 bits, and four times a prime into 64.
pub(crate) const MOST_BITS: u32 = 60;

/// A prime and what reduces modulo it.
#[derive(Clone, Copy)]
pub(crate) struct Modulus {
    pub(crate) p: u64,
    /// floor(2^64/p).
    inverse: u64,
    /// 2^64 modulo p.
    shift: Factor,
}

/// A residue and floor(residue·2^64/p): products with it take no division (Shoup).
#[derive(Clone, Copy, Default)]
pub(crate) struct Factor {
    value: u64,
    quotient: u64,
}

impl Modulus {
    pub(crate) fn new(p: u64) -> Self {
        let inverse = ((1_u128 << 64) / u128::from(p)) as u64;
        let shift = ((1_u128 << 64) % u128::from(p)) as u64;
        Self { p, inverse, shift: factor(shift, p) }
    }

    pub(crate) fn factor(self, value: u64) -> Factor {
        factor(value, self.p)
    }

    /// x modulo p.
    #[inline(always)]
    pub(crate) fn reduce(self, x: u64) -> u64 {
        let quotient = high(x, self.inverse);
        less(x.wrapping_sub(quotient.wrapping_mul(self.p)), self.p)
    }

    /// x modulo p.
    #[inline(always)]
    pub(crate) fn reduce_wide(self, x: u128) -> u64 {
        let (top, low) = ((x >> 64) as u64, x as u64);
        let quotient = high(low, self.inverse);
        let low = low.wrapping_sub(quotient.wrapping_mul(self.p));
        self.tidy(self.shift.times(top, self.p) + low)
    }

    /// x modulo p, of an x below 4p.
    #[inline(always)]
    pub(crate) fn tidy(self, x: u64) -> u64 {
        less(less(x, 2 * self.p), self.p)
    }

    #[inline(always)]
    pub(crate) fn add(self, a: u64, b: u64) -> u64 {
        less(a + b, self.p)
    }

    #[inline(always)]
    pub(crate) fn subtract(self, a: u64, b: u64) -> u64 {
        less(a + self.p - b, self.p)
    }

    #[inline(always)]
    pub(crate) fn multiply(self, a: u64, b: u64) -> u64 {
        self.reduce_wide(u128::from(a) * u128::from(b))
    }

    /// a·factor modulo p, of any a.
    #[inline(always)]
    pub(crate) fn times(self, a: u64, factor: Factor) -> u64 {
        less(factor.times(a, self.p), self.p)
    }

    /// The residue of a signed number.
    #[inline(always)]
    pub(crate) fn signed(self, x: i64) -> u64 {
        let size = self.reduce(x.unsigned_abs());
        let opposite = less(self.p - size, self.p);
        // All ones for a negative number.
        let sign = (x >> 63).cast_unsigned();
        size ^ ((size ^ opposite) & sign)
    }

    /// The number of least size with this residue.
    #[inline(always)]
    pub(crate) fn centred(self, residue: u64) -> i64 {
        let above = u64::from(residue > self.p / 2).wrapping_neg();
        residue.wrapping_sub(self.p & above).cast_signed()
    }

    /// base^exponent, in a time that depends on the exponent.
    pub(crate) fn power(self, base: u64, exponent: u64) -> u64 {
        (0..u64::BITS).rev().fold(1, |power, bit| {
            let square = self.multiply(power, power);
            if exponent >> bit & 1 == 1 { self.multiply(square, base) } else { square }
        })
    }

    /// 1/a, of a residue that is not 0.
    pub(crate) fn invert(self, a: u64) -> u64 {
        self.power(a, self.p - 2)
    }
}

impl Factor {
    /// A number below 2p with the residue of a·factor.
    #[inline(always)]
    pub(crate) fn times(self, a: u64, p: u64) -> u64 {
        let quotient = high(a, self.quotient);
        a.wrapping_mul(self.value).wrapping_sub(quotient.wrapping_mul(p))
    }
}

fn factor(value: u64, p: u64) -> Factor {
    Factor { value, quotient: ((u128::from(value) << 64) / u128::from(p)) as u64 }
}

#[inline(always)]
fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// x less p, if it is at least that.
#[inline(always)]
pub(crate) fn less(x: u64, p: u64) -> u64 {
    x.min(x.wrapping_sub(p))
}

/// Bases that tell primes from all other numbers below 3.3·10^24 (Sorenson, Webster: "Strong pseudoprimes to twelve
/// prime bases", 2017).
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// By Miller and Rabin's test, of an odd number above 37.
fn is_prime(number: u64) -> bool {
    if BASES.iter().any(|base| number.is_multiple_of(*base)) {
        return false;
    }
    let modulus = Modulus::new(number);
    let zeros = (number - 1).trailing_zeros();
    BASES.into_iter().all(|base| {
        let mut x = modulus.power(base, (number - 1) >> zeros);
        let one = x == 1;
        let minus_one = (0..zeros).any(|_| {
            let found = x == number - 1;
            x = modulus.multiply(x, x);
            found
        });
        one || minus_one
    })
}

/// The largest primes of exactly `bits` bits that are 1 more than a multiple of 2^`log`, the largest first.
pub(crate) fn primes(bits: u32, log: u32) -> impl Iterator<Item = u64> {
    let last = (1_u64 << bits) - (1 << log) + 1;
    let candidates = (0..).map_while(move |index: u64| last.checked_sub(index << log));
    candidates.take_while(move |candidate| candidate >> (bits - 1) == 1).filter(|p| is_prime(*p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_those_of_division() {
        for p in primes(60, 14).take(2).chain(primes(30, 13).take(2)) {
            let modulus = Modulus::new(p);
            let numbers = [0, 1, p - 1, p / 2, p / 2 + 1, 12_345_678_901_234_567 % p];
            for a in numbers {
                for b in numbers {
                    let wide = u128::from(a) * u128::from(b);
                    assert_eq!(modulus.multiply(a, b), (wide % u128::from(p)) as u64);
                    assert_eq!(modulus.times(a, modulus.factor(b)), modulus.multiply(a, b));
                    assert_eq!(modulus.add(a, modulus.subtract(b, a)), b);
                }
                assert_eq!(modulus.signed(modulus.centred(a)), a);
                assert!(modulus.centred(a).unsigned_abs() <= p / 2);
            }
            for wide in [u128::MAX, u128::MAX - 1, 1 << 127, u128::from(u64::MAX)] {
                assert_eq!(u128::from(modulus.reduce_wide(wide)), wide % u128::from(p));
            }
            assert_eq!(modulus.reduce(u64::MAX), u64::MAX % p);
            assert_eq!(modulus.signed(i64::MIN), p - (1 << 63) % p);
            assert_eq!(modulus.multiply(modulus.invert(7), 7), 1);
        }
    }

    #[test]
    fn primes_are_those_that_division_finds() {
        let naive =
            |number: u64| (2..).take_while(|d| d * d <= number).all(|d| !number.is_multiple_of(d));
        let expected: Vec<u64> = (0..)
            .map(|index| (1 << 20) - (index << 12) + 1)
            .take(128)
            .filter(|p| *p < 1 << 20 && naive(*p))
            .collect();
        assert_eq!(primes(20, 12).collect::<Vec<_>>(), expected);
    }
}
