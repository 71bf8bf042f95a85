//! Whether q and p = 2q + 1 are prime.

use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{NonZero, Odd, RandomMod, Uint};
use rand_core::CryptoRng;
use rayon::prelude::*;

/// Bases that are tried: a composite number passes with probability at most 4^-64 = 2^-128, however it was chosen (Rabin,
/// 1980).
const ROUNDS: usize = 64;

/// Whether 2^(n−1) = 1 modulo n, for an odd n > 1.
pub(super) fn passes_fermat<const LIMBS: usize>(n: &Odd<Uint<LIMBS>>) -> bool {
    let parameters = FixedMontyParams::new_vartime(*n);
    let one = FixedMontyForm::one(&parameters);
    let exponent = n.as_ref().wrapping_sub(&Uint::ONE);
    // Doubling is cheaper than the multiplications by powers that a window would take.
    let bits = (0..exponent.bits_vartime()).rev();
    let power = bits.fold(one, |power, bit| {
        let square = power.square();
        if exponent.bit_vartime(bit) { square.double() } else { square }
    });
    power == one
}

/// Whether n is prime, for an odd n > 3: Miller–Rabin with random bases. Never false for a prime.
pub(super) fn is_prime<const LIMBS: usize>(n: &Odd<Uint<LIMBS>>, rng: &mut dyn CryptoRng) -> bool {
    let parameters = FixedMontyParams::new_vartime(*n);
    let minus_one = n.as_ref().wrapping_sub(&Uint::ONE);
    let twos = minus_one.trailing_zeros_vartime();
    let odd = minus_one.shr_vartime(twos);
    // 2 to n − 2.
    let choices =
        NonZero::new(n.as_ref().wrapping_sub(&Uint::from(3u8))).into_option().expect("n > 3");
    let bases: Vec<_> = (0..ROUNDS)
        .map(|_| Uint::random_mod_vartime(rng, &choices).wrapping_add(&Uint::from(2u8)))
        .collect();
    let one = FixedMontyForm::one(&parameters);
    bases.par_iter().all(|base| {
        let power = FixedMontyForm::new(base, &parameters).pow_vartime(&odd);
        let mut squares = std::iter::successors(Some(power), |x| Some(x.square()));
        power == one || squares.by_ref().take(twos as usize).any(|x| x == one.neg())
    })
}

/// Whether p = 2q + 1 is prime, for a prime q > 3 and a p that 3 does not divide: proven by Pocklington's criterion, since
/// q > √p and 2² − 1 has no common divisor with p.
pub(super) fn is_safe_prime<const LIMBS: usize>(p: &Odd<Uint<LIMBS>>) -> bool {
    passes_fermat(p)
}
