//! The commutative weak pseudorandom function on the residues modulo a safe prime.

use std::sync::LazyLock;

use crypto_bigint::{CtLt, CtSelect, Uint};
use rand_core::CryptoRng;
use veilset_simd::Kernel;
use veilset_simd::bignum::batch::Exponent;
use zeroize::Zeroizing;

use super::{Modulus, Number, bytes, number};
use crate::tasks::{VALUES_A_TASK, refusing_tasks, tasks};
use crate::{CommutativePrf, Element, NotAnElement, PrimeField};

/// Not one of RFC 9380, which has curves alone.
pub(crate) const SUITE: &str = "ffdhe2048_XOF:BLAKE3_SIGNED_RO_";
pub(crate) const DST: &str = "VEILSET-V01-ffdhe2048_XOF:BLAKE3_SIGNED_RO_";

/// `F_k(x) = x^k` modulo the prime p of RFC 7919's ffdhe2048, up to the sign, for a uniform k of 256 bits: the group in
/// which Huberman, Franklin and Hogg (1999) drew private intersection. Weakly pseudorandom if decisional Diffie–Hellman with
/// exponents of that length is hard; the prime gives 103 to 112 bits of security, not 128. The key is wiped when dropped.
///
/// Residues modulo p up to the sign are a group of prime order (p − 1)/2, isomorphic to the squares since −1 is none, and each
/// has one encoding, the lesser of x and p − x. So a peer's number is an element if it is in range; of a square that
/// would take a symbol, which is ten times as dear as the power.
///
/// `H` is the residue of 2176 bits of BLAKE3, which is uniform but for 2^-128.
///
/// Refused are 0, 1 and the numbers above (p − 1)/2; all others have the order (p − 1)/2.
pub struct Ffdhe2048Prf(Zeroizing<Exponent>);

/// p, as different computations need it.
struct Prime {
    field: PrimeField<32>,
    modulus: Modulus,
}

static PRIME: LazyLock<Prime> = LazyLock::new(|| {
    let p = Uint::from_be_hex(super::PRIME);
    Prime {
        field: PrimeField::new(&p).expect("it is prime"),
        modulus: Modulus::new(p.as_words()).expect("it has 2048 bits"),
    }
});

impl CommutativePrf for Ffdhe2048Prf {
    type Point = [u8; 256];

    const LEN: usize = 256;

    fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut key = Zeroizing::new([0; 32]);
        rng.fill_bytes(key.as_mut_slice());
        Self(key)
    }

    fn hash_and_evaluate(&self, elements: &[Element]) -> Vec<[u8; 256]> {
        tasks::<VALUES_A_TASK, _, _>(elements, [0; 256], |elements, images| {
            self.power(Zeroizing::new(elements.iter().map(hash).collect()), images);
        })
    }

    fn evaluate(&self, points: &[[u8; 256]]) -> Result<Vec<[u8; 256]>, NotAnElement> {
        refusing_tasks::<VALUES_A_TASK, _, _>(points, [0; 256], |points, images| {
            let numbers: Vec<Number> = points.iter().map(number).collect();
            match numbers.iter().position(|number| !is_element(number)) {
                Some(refused) => Err(refused),
                None => {
                    self.power(Zeroizing::new(numbers), images);
                    Ok(())
                }
            }
        })
    }
}

impl Ffdhe2048Prf {
    fn power(&self, mut numbers: Zeroizing<Vec<Number>>, images: &mut [[u8; 256]]) {
        PRIME.modulus.power(Kernel::best(), &self.0, &mut numbers);
        images
            .iter_mut()
            .zip(numbers.iter())
            .for_each(|(image, number)| *image = bytes(&lesser(number)));
    }
}

/// H
fn hash(element: &Element) -> Number {
    static SHIFT: LazyLock<crate::Residue<32>> = LazyLock::new(|| {
        let all = PRIME.field.residue(&Uint::MAX);
        PRIME.field.add(&all, &PRIME.field.one())
    });
    let mut output = Zeroizing::new([0; 272]);
    blake3::Hasher::new_derive_key(DST).update(&element.0).finalize_xof().fill(&mut *output);
    let (low, high) = output.split_at(256);
    let field = &PRIME.field;
    let high = field.residue(&Uint::from_le_slice(&[high, &[0; 240]].concat()));
    let sum = field.add(&field.residue(&Uint::from_le_slice(low)), &field.mul(&high, &SHIFT));
    field.integer(&sum).to_words()
}

/// The lesser of x and p − x, in a time that tells neither.
fn lesser(number: &Number) -> Number {
    let opposite = PRIME.modulus.negative(number);
    let (one, other) = (Uint::from_words(*number), Uint::from_words(opposite));
    one.ct_select(&other, other.ct_lt(&one)).to_words()
}

fn is_element(number: &Number) -> bool {
    let integer = Uint::from_words(*number);
    // p is odd, so that half of it, rounded down, is (p − 1)/2.
    integer > Uint::ONE && integer <= PRIME.field.modulus().shr_vartime(1)
}
