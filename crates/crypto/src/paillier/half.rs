//! Arithmetic modulo one of the two primes and its square.

use crypto_bigint::{BoxedUint, ConcatenatingMul, ConcatenatingSquare, NonZero};
use veilset_simd::Kernel;
use veilset_simd::bignum::single::{Montgomery, Residue};
use zeroize::Zeroizing;

use super::power::{FixedBase, power};

/// A prime p of N = p·q.
pub(super) struct Half {
    pub(super) prime: Zeroizing<BoxedUint>,
    /// Modulo p.
    pub(super) modulus: Montgomery,
    /// p², and modulo p².
    pub(super) square: Zeroizing<BoxedUint>,
    pub(super) square_modulus: Montgomery,
    /// 2^(64·words of p²) modulo p².
    shift: Zeroizing<Residue>,
    /// p − 1.
    exponent: Zeroizing<BoxedUint>,
    /// 1/p modulo 2^(bits of p).
    inverse: Zeroizing<BoxedUint>,
    /// 1/L((1 + N)^(p−1) mod p²) modulo p, where L(x) = (x − 1)/p.
    factor: Zeroizing<Residue>,
}

impl Half {
    pub(super) fn new(prime: &BoxedUint, other: &BoxedUint) -> Self {
        let bits = prime.bits_precision();
        let modulus = Montgomery::new(Kernel::best(), prime.as_words());
        let square = prime.concatenating_square();
        let square_modulus = Montgomery::new(Kernel::best(), square.as_words());
        // 2^(64·words − 1), twice.
        let mut top = vec![0; square.as_words().len()];
        top[square.as_words().len() - 1] = 1 << 63;
        let (top, two) = (square_modulus.residue(&top), square_modulus.residue(&[2]));
        let shift = square_modulus.multiply(&top, &two);
        let exponent = prime.wrapping_sub(BoxedUint::one());
        // (1 + N)^(p−1) = 1 + (p − 1)·p·q modulo p², so L of it is −q modulo p, and its inverse is (−q)^(p−2).
        let minus_one = modulus.residue(exponent.as_words());
        let minus_q = modulus.multiply(&minus_one, &modulus.residue(other.as_words()));
        let fermat = Zeroizing::new(prime.wrapping_sub(BoxedUint::from(2u8)));
        let factor = power(&modulus, &minus_q, fermat.as_words(), bits);
        Self {
            inverse: Zeroizing::new(prime.invert_mod2k(bits).0),
            prime: Zeroizing::new(prime.clone()),
            modulus,
            square: Zeroizing::new(square),
            square_modulus,
            shift: Zeroizing::new(shift),
            exponent: Zeroizing::new(exponent),
            factor: Zeroizing::new(factor),
        }
    }

    pub(super) fn base(&self, h: &[u64], bits: u32) -> FixedBase {
        FixedBase::new(&self.square_modulus, &self.reduce(h), bits)
    }

    /// A number of twice the words of p², modulo p².
    pub(super) fn reduce(&self, words: &[u64]) -> Zeroizing<Residue> {
        let modulus = &self.square_modulus;
        let (low, high) = words.split_at(modulus.words().len());
        let high = Zeroizing::new(modulus.multiply(&modulus.residue(high), &self.shift));
        let integer =
            |residue: &Residue| Zeroizing::new(BoxedUint::from_words(modulus.integer(residue)));
        let low = Zeroizing::new(modulus.residue(low));
        let sum = integer(&low).add_mod(&integer(&high), &nonzero(&self.square));
        Zeroizing::new(modulus.residue(Zeroizing::new(sum).as_words()))
    }

    /// m modulo p, where the ciphertext has those words.
    pub(super) fn decrypt(&self, ciphertext: &[u64]) -> Zeroizing<BoxedUint> {
        let (words, bits) = (self.modulus.words().len(), self.prime.bits_precision());
        let ciphertext = self.reduce(ciphertext);
        let power = power(&self.square_modulus, &ciphertext, self.exponent.as_words(), bits);
        let power = Zeroizing::new(self.square_modulus.integer(&Zeroizing::new(power)));
        // An exact quotient below p is the product with the inverse modulo a power of 2.
        let low = Zeroizing::new(BoxedUint::from_words(power[..words].iter().copied()));
        let low = Zeroizing::new(low.wrapping_sub(BoxedUint::one()));
        let quotient = Zeroizing::new(low.wrapping_mul(&*self.inverse));
        let quotient = Zeroizing::new(self.modulus.residue(quotient.as_words()));
        let plain = Zeroizing::new(self.modulus.multiply(&quotient, &self.factor));
        Zeroizing::new(BoxedUint::from_words(self.modulus.integer(&plain)))
    }
}

/// Puts residues of two moduli together (Garner).
pub(super) struct Join {
    /// 1/b modulo a.
    inverse: Zeroizing<Residue>,
}

impl Join {
    /// Of moduli `a`, with its arithmetic, and `b` of the same length.
    pub(super) fn new(a: &Montgomery, b: &BoxedUint) -> Self {
        let odd = BoxedUint::from_words(a.words().iter().copied()).into_odd();
        let odd = Zeroizing::new(odd.expect("an odd modulus"));
        let b = Zeroizing::new(BoxedUint::from_words(a.integer(&a.residue(b.as_words()))));
        let inverse = Zeroizing::new(b.invert_odd_mod(&odd).expect("coprime moduli"));
        Self { inverse: Zeroizing::new(a.residue(inverse.as_words())) }
    }

    /// The number below a·b that is x modulo a and y modulo b.
    pub(super) fn join(
        &self,
        a: &Montgomery,
        b: &BoxedUint,
        x: &BoxedUint,
        y: &BoxedUint,
    ) -> Zeroizing<BoxedUint> {
        let reduced = Zeroizing::new(a.integer(&Zeroizing::new(a.residue(y.as_words()))));
        let reduced = Zeroizing::new(BoxedUint::from_words(reduced.iter().copied()));
        let modulus = Zeroizing::new(BoxedUint::from_words(a.words().iter().copied()));
        let difference = Zeroizing::new(x.sub_mod(&reduced, &nonzero(&modulus)));
        let difference = Zeroizing::new(a.residue(difference.as_words()));
        let steps = Zeroizing::new(a.integer(&a.multiply(&difference, &self.inverse)));
        let mut sum = BoxedUint::from_words(steps.iter().copied()).concatenating_mul(b);
        sum.wrapping_add_assign(y);
        Zeroizing::new(sum)
    }
}

fn nonzero(number: &BoxedUint) -> Zeroizing<NonZero<BoxedUint>> {
    Zeroizing::new(number.to_nz().expect("a modulus"))
}
