//! That a key is well formed (Goldberg, Reyzin, Sagga, Baldimtsi: "Efficient noninteractive certification of RSA moduli and
//! beyond", ASIACRYPT 2019, section 3.2).
//!
//! Numbers ρ come from a hash of N; the proof has σ with σ^N = ρ modulo N for each. If N and φ(N) have a common divisor,
//! one of its primes r divides the number of N-th powers' cosets, so at most one ρ in r has such a σ. N has no divisor below
//! 2^16, so eight rounds leave 2^-128.
//!
//! **What this rules out.** With gcd(N, φ(N)) = 1 every number that [`PublicKey::decode`] takes for a ciphertext is an
//! encryption of exactly one plaintext, sums and products are what they are for honest keys, and N is no multiple
//! of a square. **What it does not:** that N has more than two primes, only larger than 2^16, or that φ(N) is smooth.
//! Such keys are read by others than their holder, whose loss that is; and their holder finds logarithms of randomness.
//! [`PublicKey::rerandomise`] hides the randomness of ciphertexts that `encrypt` made, since all of it lies in one cyclic
//! group. A holder that makes ciphertexts otherwise under a key that it chose so reads from what comes back by which numbers
//! they were multiplied. So protocols on these ciphertexts are for semi-honest holders; masks keep what those may see to the
//! result. CVE-2023-33241 took a signing key from those who multiplied under such an N.

use crypto_bigint::{BoxedUint, NonZero, Resize};
use rayon::prelude::*;
use veilset_simd::Kernel;
use veilset_simd::bignum::single::Montgomery;
use zeroize::Zeroizing;

use super::power::power;
use super::prime::{odd_primes, products};
use super::{KeyError, KeySize, PublicKey, SecretKey};

/// Rounds: 16 bits each.
pub(super) const ROUNDS: usize = 8;

/// N has no prime divisor below.
const LEAST_FACTOR: u32 = 1 << 16;

/// The proof for a key.
pub struct KeyProof(Vec<BoxedUint>);

impl KeyProof {
    /// For one's own key; `context` is what both sides know.
    #[must_use]
    pub fn new(key: &SecretKey, context: &[u8]) -> Self {
        let [p, q] = &key.halves;
        let n = key.public.n.as_ref();
        let roots = [p, q].map(|half| {
            let order = half.prime.wrapping_sub(BoxedUint::one());
            let order = Zeroizing::new(NonZero::new(order).expect("a prime"));
            Zeroizing::new(n.rem(&order).invert_mod(&order).expect("gcd(N, φ(N)) = 1"))
        });
        let challenges = challenges(key.public.size, n, context);
        let answer = |challenge: &BoxedUint| {
            let [x, y] = [(p, &roots[0]), (q, &roots[1])].map(|(half, root)| {
                let prime = Zeroizing::new(half.prime.to_nz().expect("a prime"));
                let base = half.modulus.residue(challenge.rem(&prime).as_words());
                let bits = half.prime.bits_precision();
                let power = power(&half.modulus, &base, root.as_words(), bits);
                BoxedUint::from_words(half.modulus.integer(&power))
            });
            (*key.primes.join(&p.modulus, &q.prime, &x, &y)).clone()
        };
        Self(challenges.par_iter().map(answer).collect())
    }

    /// Appends N and the proof, [`KeySize::key_len`] bytes.
    pub fn encode(&self, key: &PublicKey, out: &mut Vec<u8>) {
        out.extend_from_slice(&key.n.to_be_bytes());
        self.0.iter().for_each(|answer| out.extend_from_slice(&answer.to_be_bytes()));
    }

    /// The key that a peer sent with its proof.
    ///
    /// # Errors
    /// When it is not of that size, or not proven to be well formed.
    ///
    /// # Panics
    /// When `encoded` is not as long as an encoding.
    pub fn decode(size: KeySize, encoded: &[u8], context: &[u8]) -> Result<PublicKey, KeyError> {
        assert_eq!(encoded.len(), size.key_len(), "a key and its proof");
        let mut numbers = encoded.chunks(size.bits() as usize / 8).map(|bytes| {
            BoxedUint::from_be_slice(bytes, size.bits()).expect("as many bytes as bits")
        });
        let n = numbers.next().ok_or(KeyError::Shape { bits: size.bits() })?;
        let shape = KeyError::Shape { bits: size.bits() };
        let whole = n.bits_vartime() == size.bits();
        let n = n.into_odd().into_option().filter(|_| whole).ok_or(shape)?;
        let primes = odd_primes(LEAST_FACTOR);
        let divides = |(product, primes): &(_, &[u32])| {
            let rest = n.rem_limb(*product).0;
            primes.iter().any(|prime| rest.is_multiple_of(u64::from(*prime)))
        };
        if products(&primes).iter().any(divides) {
            return Err(KeyError::SmallFactor);
        }
        let answers: Vec<_> = numbers.collect();
        let modulus = Montgomery::new(Kernel::best(), n.as_words());
        let holds = |(answer, challenge): (&BoxedUint, &BoxedUint)| {
            let answer = modulus.residue(answer.as_words());
            let power = power(&modulus, &answer, n.as_words(), size.bits());
            modulus.integer(&power) == challenge.as_words()
        };
        let challenges = challenges(size, &n, context);
        match answers.par_iter().zip(&challenges).all(holds) {
            true => Ok(PublicKey::new(size, n)),
            false => Err(KeyError::Proof),
        }
    }
}

/// Numbers below N, each from 128 bits more than it has.
fn challenges(size: KeySize, n: &BoxedUint, context: &[u8]) -> Vec<BoxedUint> {
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 proof of a Paillier key");
    hasher.update(&n.to_be_bytes()).update(context);
    let mut bytes = hasher.finalize_xof();
    let modulus = NonZero::new(n.clone()).expect("a modulus");
    let challenge = |_| {
        let mut digest = vec![0; size.bits() as usize / 8 + 16];
        bytes.fill(&mut digest);
        BoxedUint::from_le_slice_vartime(&digest).rem_vartime(&modulus).resize(size.bits())
    };
    (0..ROUNDS).map(challenge).collect()
}
