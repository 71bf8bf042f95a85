//! Which v may give primes q = v·2^t + 1 and p = 2q + 1, as far as small divisors tell.

use crypto_bigint::{Limb, NonZero, Uint};

/// Primes below are tried as divisors. Of the candidates 0.83/ln² 2^21 = 0.4 % are left (Mertens' theorem for two
/// residues a prime), and sieving takes about as long as it saves.
const LIMIT: u32 = 1 << 21;

/// Candidates of a run: for 1024 bits about 0.7 of them are hits, since a hit is 1 in ln² 2^1023 / 2.64 = 190,000.
pub(super) const WINDOW: u32 = 1 << 17;

/// The odd primes below [`LIMIT`] in groups whose products fit a word, so that a long number is divided once a group.
pub(super) struct Sieve {
    groups: Vec<(NonZero<Limb>, Vec<u32>)>,
}

impl Sieve {
    pub(super) fn new() -> Self {
        let mut groups = Vec::new();
        let (mut product, mut group) = (1u64, Vec::new());
        for prime in odd_primes() {
            match product.checked_mul(prime.into()) {
                Some(larger) => product = larger,
                None => {
                    groups.push((word(product), std::mem::take(&mut group)));
                    product = prime.into();
                }
            }
            group.push(prime);
        }
        groups.push((word(product), group));
        Self { groups }
    }

    /// The k < [`WINDOW`] for which neither q nor p has a divisor below [`LIMIT`], where v = `start` + k; both q and p
    /// are larger than that.
    pub(super) fn survivors<const LIMBS: usize>(
        &self,
        start: &Uint<LIMBS>,
        log_size: u32,
    ) -> Vec<u32> {
        let mut composite = vec![false; WINDOW as usize];
        for (product, primes) in &self.groups {
            let rest = start.rem_limb(*product).0;
            for &prime in primes {
                // q = 0 for v = −2^-t, and p = 0 for v = −3·2^-(t+1).
                let half = |x: u32| (x + (x & 1) * prime) / 2;
                let q = (0..log_size).fold(prime - 1, |x, _| half(x));
                let p = u64::from(half(q)) * 3 % u64::from(prime);
                let rest = (rest % u64::from(prime)) as u32;
                for root in [q, p as u32] {
                    let first = (root + prime - rest) % prime;
                    let multiples = composite.iter_mut().skip(first as usize);
                    multiples.step_by(prime as usize).for_each(|struck| *struck = true);
                }
            }
        }
        (0..WINDOW).zip(composite).filter_map(|(k, struck)| (!struck).then_some(k)).collect()
    }
}

fn word(product: u64) -> NonZero<Limb> {
    NonZero::new(Limb(product)).into_option().expect("a product of primes")
}

/// The odd primes below [`LIMIT`] (Eratosthenes).
fn odd_primes() -> impl Iterator<Item = u32> {
    // Place i stands for 2i + 1.
    let mut composite = vec![false; (LIMIT / 2) as usize];
    for place in (1..).take_while(|place| place * place * 4 < LIMIT as usize) {
        if !composite[place] {
            let multiples = composite.iter_mut().skip(2 * place * (place + 1));
            multiples.step_by(2 * place + 1).for_each(|struck| *struck = true);
        }
    }
    (0..LIMIT / 2).zip(composite).skip(1).filter_map(|(i, struck)| (!struck).then_some(2 * i + 1))
}
