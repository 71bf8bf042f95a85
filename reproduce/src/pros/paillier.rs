//! Paillier's encryption as section 4.2 has it, "following the original description": g^m·r^N modulo N² with any g and a fresh r
//! for each encryption, and decryption modulo the squares of both primes or modulo N². The kernels multiply as for
//! [`veilset_crypto::paillier`], so that the two can be compared.
//!
//! **Insecure**: keys may have 32 bits, and times depend on secrets. It is here to be measured.

use crypto_bigint::{
    BoxedUint, ConcatenatingMul, ConcatenatingSquare, Gcd, Lcm, NonZero, Odd, RandomBits, RandomMod,
};
use rand_core::CryptoRng;
use veilset_simd::Kernel;
use veilset_simd::bignum::single::{Montgomery, Residue};

/// An encryption.
pub(super) type Ciphertext = Residue;

/// Arithmetic modulo an odd number.
struct Modulus {
    number: NonZero<BoxedUint>,
    products: Montgomery,
}

impl Modulus {
    fn new(number: BoxedUint) -> Self {
        let products = Montgomery::new(Kernel::best(), words(&number));
        Self { number: nonzero(number), products }
    }

    fn residue(&self, number: &BoxedUint) -> Residue {
        self.products.residue(words(&number.rem_vartime(&self.number)))
    }

    fn integer(&self, residue: &Residue) -> BoxedUint {
        BoxedUint::from_words(self.products.integer(residue))
    }

    /// By digits of two bits, or of five where the exponent is long.
    fn power(&self, base: &Residue, exponent: &BoxedUint) -> Residue {
        let products = &self.products;
        let bits = exponent.bits_vartime();
        let window = if bits <= 64 { 2 } else { 5 };
        let mut powers = vec![products.one().clone()];
        for place in 1..1 << window {
            powers.push(products.multiply(&powers[place - 1], base));
        }
        let digit = |place: u32| {
            let bits = (0..window).map(|bit| exponent.bit_vartime(place * window + bit));
            bits.rev().fold(0, |digit, bit| digit << 1 | usize::from(bit))
        };
        let mut places = (0..bits.div_ceil(window)).rev();
        let first = places.next().map_or(0, digit);
        places.fold(powers[first].clone(), |power, place| {
            let square = |power: Residue, _| products.multiply(&power, &power);
            products.multiply(&(0..window).fold(power, square), &powers[digit(place)])
        })
    }
}

/// N, and all that is constant in an encryption.
pub(super) struct PublicKey {
    n: NonZero<BoxedUint>,
    square: Modulus,
    g: Residue,
    /// 1/g, for numbers below 0.
    inverse: Residue,
}

impl PublicKey {
    /// g^`plain`·r^N.
    pub(super) fn encrypt(&self, plain: &BoxedUint, rng: &mut dyn CryptoRng) -> Ciphertext {
        self.encryption(&self.g, plain, rng)
    }

    /// The same of −`plain`.
    pub(super) fn encrypt_negative(
        &self,
        plain: &BoxedUint,
        rng: &mut dyn CryptoRng,
    ) -> Ciphertext {
        self.encryption(&self.inverse, plain, rng)
    }

    fn encryption(&self, g: &Residue, plain: &BoxedUint, rng: &mut dyn CryptoRng) -> Ciphertext {
        let r = self.square.residue(&self.unit(rng));
        self.add(&self.square.power(g, plain), &self.square.power(&r, &self.n))
    }

    /// A random number without a common divisor with N; of a key beyond 64 bits nobody draws another.
    fn unit(&self, rng: &mut dyn CryptoRng) -> BoxedUint {
        loop {
            let r = self.random(rng);
            if self.n.bits_vartime() > 64 || self.n.as_ref().gcd(&r).is_one().to_bool() {
                return r;
            }
        }
    }

    /// Of the sum of two numbers.
    pub(super) fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Ciphertext {
        self.square.products.multiply(a, b)
    }

    /// Of a multiple of a number.
    pub(super) fn scale(&self, ciphertext: &Ciphertext, factor: &BoxedUint) -> Ciphertext {
        self.square.power(ciphertext, factor)
    }

    /// A uniform plaintext.
    pub(super) fn random(&self, rng: &mut dyn CryptoRng) -> BoxedUint {
        BoxedUint::random_mod_vartime(rng, &self.n)
    }

    pub(super) fn encode(&self, ciphertext: &Ciphertext) -> Vec<u8> {
        self.square.integer(ciphertext).to_be_bytes().into_vec()
    }

    /// What [`encode`](Self::encode) made.
    pub(super) fn decode(&self, bytes: &[u8]) -> Ciphertext {
        self.square.residue(&BoxedUint::from_be_slice_vartime(bytes))
    }
}

/// What opens a ciphertext modulo a divisor d of N: λ with (1 + N)^λ·r^(λ·N) = 1 + λ·N modulo d², and 1/L(g^λ) for the
/// L(x) = (x − 1)/d.
struct Opening {
    divisor: NonZero<BoxedUint>,
    square: Modulus,
    exponent: BoxedUint,
    factor: BoxedUint,
}

impl Opening {
    /// `None` if the order of g is no multiple of d.
    fn new(divisor: &BoxedUint, exponent: BoxedUint, g: &BoxedUint) -> Option<Self> {
        let square = Modulus::new(divisor.concatenating_square());
        let divisor = nonzero(divisor.clone());
        let mut opening = Self { divisor, square, exponent, factor: BoxedUint::one() };
        let odd = Odd::new(opening.divisor.as_ref().clone()).into_option()?;
        opening.factor = opening.open(g).invert_odd_mod_vartime(&odd).into_option()?;
        Some(opening)
    }

    fn open(&self, ciphertext: &BoxedUint) -> BoxedUint {
        let power = self.square.power(&self.square.residue(ciphertext), &self.exponent);
        let above = self.square.integer(&power).wrapping_sub(BoxedUint::one());
        let quotient = above.wrapping_div_vartime(&self.divisor);
        quotient.concatenating_mul(&self.factor).rem_vartime(&self.divisor)
    }
}

/// A key of which all constants are computed when it is made.
pub(super) struct SecretKey {
    public: PublicKey,
    whole: Opening,
    /// Modulo p and q.
    halves: [Opening; 2],
    /// 1/q modulo p.
    inverse: BoxedUint,
}

impl SecretKey {
    /// A key of `bits` bits, a multiple of 32.
    pub(super) fn generate(bits: u32, rng: &mut dyn CryptoRng) -> Self {
        loop {
            let [p, q] = [0; 2].map(|_| prime(bits / 2, rng));
            if let Some(key) = Self::of_primes(&p, &q, rng) {
                return key;
            }
        }
    }

    /// `None` if they are the same, or the random g does not suit.
    fn of_primes(p: &BoxedUint, q: &BoxedUint, rng: &mut dyn CryptoRng) -> Option<Self> {
        let n = p.concatenating_mul(q);
        let square = Modulus::new(n.concatenating_square());
        let g = BoxedUint::random_mod_vartime(rng, &square.number);
        let odd = |number: &BoxedUint| Odd::new(number.clone()).into_option();
        let inverse = g.invert_odd_mod_vartime(&odd(&square.number)?).into_option()?;
        let [below_p, below_q] = [p, q].map(|prime| prime.wrapping_sub(BoxedUint::one()));
        let whole = Opening::new(&n, below_p.lcm_vartime(&below_q), &g)?;
        let halves = [Opening::new(p, below_p, &g)?, Opening::new(q, below_q, &g)?];
        let (g, powers) = (square.residue(&g), square.residue(&inverse));
        let inverse = q.invert_odd_mod_vartime(&odd(p)?).into_option()?;
        let public = PublicKey { n: nonzero(n), square, g, inverse: powers };
        Some(Self { public, whole, halves, inverse })
    }

    pub(super) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Modulo both squares, put together by the Chinese remainder theorem.
    pub(super) fn decrypt(&self, ciphertext: &Ciphertext) -> BoxedUint {
        let ciphertext = self.public.square.integer(ciphertext);
        let [p, q] = &self.halves;
        let [x, y] = [p.open(&ciphertext), q.open(&ciphertext)];
        let difference = x.sub_mod(&y.rem_vartime(&p.divisor), &p.divisor);
        let steps = difference.concatenating_mul(&self.inverse).rem_vartime(&p.divisor);
        let mut plain = steps.concatenating_mul(q.divisor.as_ref());
        plain.wrapping_add_assign(&y);
        plain
    }

    /// Modulo N².
    pub(super) fn decrypt_whole(&self, ciphertext: &Ciphertext) -> BoxedUint {
        self.whole.open(&self.public.square.integer(ciphertext))
    }
}

/// The next prime after a random number, of exactly `bits` bits.
fn prime(bits: u32, rng: &mut dyn CryptoRng) -> BoxedUint {
    loop {
        let mut candidate = BoxedUint::random_bits(rng, bits);
        // Two bits at the top, so that N has twice as many, and one at the bottom.
        for bit in [bits - 1, bits - 2, 0] {
            candidate.as_mut_words()[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        while !is_prime(&candidate) {
            candidate.wrapping_add_assign(BoxedUint::from(2u8));
        }
        if candidate.bits_vartime() == bits {
            return candidate;
        }
    }
}

/// By division and Fermat's test; of a number that only looks prime, decryption would be wrong.
fn is_prime(number: &BoxedUint) -> bool {
    let divides =
        |divisor: &u64| number.rem_vartime(&nonzero(BoxedUint::from(*divisor))).is_zero().to_bool();
    if (3..1 << 12).step_by(2).any(|divisor| divides(&divisor)) {
        return false;
    }
    let modulus = Modulus::new(number.clone());
    let power = modulus
        .power(&modulus.residue(&BoxedUint::from(2u8)), &number.wrapping_sub(BoxedUint::one()));
    modulus.integer(&power).is_one().to_bool()
}

/// The words up to the highest that is not 0.
fn words(number: &BoxedUint) -> &[u64] {
    let words = number.as_words();
    &words[..words.iter().rposition(|word| *word > 0).map_or(0, |last| last + 1)]
}

fn nonzero(number: BoxedUint) -> NonZero<BoxedUint> {
    NonZero::new(number).expect("a modulus or divisor")
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn keys_of_any_length_open_what_they_encrypt() {
        let rng = &mut ChaCha20Rng::from_seed([20; 32]);
        for bits in [32, 64, 96, 128, 160, 256, 512] {
            let key = SecretKey::generate(bits, rng);
            let public = key.public();
            assert_eq!(public.n.bits_vartime(), bits);
            let number = |number: u32| BoxedUint::from(number);
            let sum = public.add(
                &public.scale(&public.encrypt(&number(70), rng), &number(300)),
                &public.encrypt_negative(&number(1001), rng),
            );
            let sum = public.decode(&public.encode(&sum));
            for opened in [key.decrypt(&sum), key.decrypt_whole(&sum)] {
                assert_eq!(words(&opened), [70 * 300 - 1001], "{bits}");
            }
        }
    }

    #[test]
    fn the_shortest_keys_open_whatever_is_drawn() {
        let rng = &mut ChaCha20Rng::from_seed([22; 32]);
        let key = SecretKey::generate(32, rng);
        for number in 1..=60_000u32 {
            let ciphertext = key.public().encrypt(&BoxedUint::from(number), rng);
            assert_eq!(words(&key.decrypt(&ciphertext)), [u64::from(number)]);
        }
    }

    #[test]
    fn a_prime_of_sixteen_bits_has_no_divisor() {
        let rng = &mut ChaCha20Rng::from_seed([21; 32]);
        for _ in 0..50 {
            let prime = words(&prime(16, rng))[0];
            assert!((2..256).all(|divisor| !prime.is_multiple_of(divisor)) && prime >= 3 << 14);
        }
    }
}
