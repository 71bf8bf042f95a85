//! Against Fan and Vercauteren's scheme in another library, and against arithmetic on plaintexts.

use chacha20::ChaCha20Rng;
use num_bigint::BigInt;
use rand_core::{Rng, SeedableRng};

use super::*;

const PLAIN: u32 = 25;

fn ring() -> Ring {
    Ring::with(12, PLAIN, &[44, 28], Some(37)).expect("secure")
}

fn wide_ring() -> Ring {
    Ring::with(13, PLAIN, &[50, 50, 40], Some(50)).expect("secure")
}

fn model(ring: &Ring) -> Model {
    Model { log_n: ring.parameters().log_n(), plain: (ring.parameters().t() as f64).log2() }
}

fn random(ring: &Ring, rng: &mut ChaCha20Rng) -> Vec<u64> {
    let t = ring.parameters().t();
    (0..ring.parameters().slots()).map(|_| rng.next_u64() % t).collect()
}

fn encrypt(ring: &Ring, key: &SecretKey, slots: &[u64], rng: &mut ChaCha20Rng) -> Ciphertext {
    let mut coefficients = slots.to_vec();
    ring.encode(&mut coefficients);
    let seeded = key.encrypt(ring, &coefficients, rng);
    let mut bytes = Vec::new();
    seeded.write(ring, &mut bytes);
    assert_eq!(bytes.len(), Seeded::len(ring));
    Seeded::read(ring, &bytes).expect("as written").expand(ring)
}

/// Down to one prime, over the wire, and decrypted.
fn slots(ring: &Ring, key: &SecretKey, ciphertext: &Ciphertext, noise: Noise) -> Vec<u64> {
    let (ciphertext, cut) = switched(ring, ciphertext, noise);
    let mut bytes = Vec::new();
    cut.write(ring, &ciphertext, &mut bytes);
    assert_eq!(bytes.len(), cut.len(ring.parameters().slots()));
    let read = cut.read(ring, &bytes, ciphertext.scale()).expect("as written");
    let mut coefficients = key.decrypt(ring, &read).to_vec();
    ring.decode(&mut coefficients);
    coefficients
}

fn switched(ring: &Ring, ciphertext: &Ciphertext, noise: Noise) -> (Ciphertext, Truncation) {
    let mut ciphertext = ciphertext.clone();
    let (mut noise, parts) = (noise, ciphertext.parts.len());
    while ciphertext.level() > 1 {
        noise = noise
            .switched((ring.parameters().primes()[ciphertext.level() - 1] as f64).log2(), parts);
        ring.switch_down(&mut ciphertext);
    }
    let bits = ring.parameters().primes()[0].ilog2() + 1;
    (ciphertext, Truncation::new(model(ring), noise, parts, bits))
}

/// m + t·e as integers.
fn phase(ring: &Ring, key: &SecretKey, ciphertext: &Ciphertext) -> Vec<BigInt> {
    let n = ring.parameters().slots();
    let mut rows = key.phase(ring, ciphertext).to_vec();
    let primes = &ring.primes[..ciphertext.level()];
    rows.chunks_exact_mut(n).zip(primes).for_each(|(row, prime)| prime.backward(row));
    let product: BigInt = primes.iter().map(|prime| BigInt::from(prime.modulus.p)).product();
    let weights: Vec<BigInt> = primes
        .iter()
        .map(|prime| {
            let p = BigInt::from(prime.modulus.p);
            let others = &product / &p;
            let inverse = (&others % &p).modpow(&(&p - 2), &p);
            others * inverse
        })
        .collect();
    let number = |at: usize| {
        let terms = weights.iter().enumerate().map(|(row, weight)| weight * rows[row * n + at]);
        let number = terms.sum::<BigInt>() % &product;
        if &number + &number > product { number - &product } else { number }
    };
    (0..n).map(number).collect()
}

fn log_deviation(numbers: &[BigInt]) -> f64 {
    let squares = numbers.iter().map(|number| number * number).sum::<BigInt>();
    let mean = squares / BigInt::from(numbers.len());
    let bits = mean.bits().saturating_sub(60);
    let top: u64 = (mean >> bits).try_into().expect("60 bits");
    ((top as f64).log2() + bits as f64) / 2.0
}

#[test]
fn computes_what_plaintexts_give() {
    for (ring, seed) in [(ring(), 1), (wide_ring(), 2)] {
        let t = u128::from(ring.parameters().t());
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        let key = SecretKey::generate(&ring, &mut rng);
        let [a, b, c, p] = [(); 4].map(|()| random(&ring, &mut rng));
        let encrypted = [&a, &b, &c].map(|slots| encrypt(&ring, &key, slots, &mut rng));
        let fresh = model(&ring).fresh();
        assert!(slots(&ring, &key, &encrypted[0], fresh) == a);

        let mut coefficients = p.clone();
        ring.encode(&mut coefficients);
        let plain = ring.prepare(&coefficients, ring.levels());
        let mut sum = ring.inner(&[&encrypted[0], &encrypted[1]], &[&plain, &plain]);
        ring.add(&mut sum, &encrypted[2]);
        ring.add_plain(&mut sum, &plain);
        let each = |at: usize, value: u128| -> u64 {
            let [a, b, c, p] = [&a, &b, &c, &p].map(|slots| u128::from(slots[at]));
            (match value {
                0 => (a + b) * p + c + p,
                _ => a * b + b * c,
            } % t) as u64
        };
        let expected: Vec<u64> = (0..a.len()).map(|at| each(at, 0)).collect();
        assert!(slots(&ring, &key, &sum, fresh.times_plain(2)) == expected);

        let [x, y, z] = &encrypted;
        let mut product = ring.products(&[(x, y), (y, z)]);
        let expected: Vec<u64> = (0..a.len()).map(|at| each(at, 1)).collect();
        let noise = fresh.times(fresh, 2);
        assert!(slots(&ring, &key, &product, noise) == expected);
        let mut bytes = Vec::new();
        product.write(&ring, &mut bytes);
        let levels = ring.levels();
        let whole = Ciphertext::read(&ring, &bytes, levels, 3, 1).expect("as written");
        assert!(slots(&ring, &key, &whole, noise) == expected);
        let short = Ciphertext::read(&ring, &bytes[1..], levels, 3, 1);
        assert_eq!(short.err(), Some(WireError::Length));

        let relinearisation = key.relinearisation(&ring, &mut rng);
        let mut bytes = Vec::new();
        relinearisation.write(&ring, &mut bytes);
        let relinearisation = RelinearisationKey::read(&ring, &bytes).expect("as written");
        ring.relinearise(&mut product, &relinearisation);
        assert_eq!(product.parts.len(), 2);
        assert!(slots(&ring, &key, &product, noise) == expected);
    }
}

#[test]
fn noise_is_what_the_model_says() {
    let ring = wide_ring();
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    let key = SecretKey::generate(&ring, &mut rng);
    let relinearisation = key.relinearisation(&ring, &mut rng);
    let values = random(&ring, &mut rng);
    let x = encrypt(&ring, &key, &values, &mut rng);
    let y = encrypt(&ring, &key, &random(&ring, &mut rng), &mut rng);
    let fresh = model(&ring).fresh();
    let check = |ciphertext: &Ciphertext, noise: Noise, what: &str| {
        let measured = log_deviation(&phase(&ring, &key, ciphertext));
        let claimed = noise.log_deviation();
        // The model counts twice the variance for products.
        assert!((-0.1..0.7).contains(&(claimed - measured)), "{what}: {claimed} {measured}");
    };
    check(&x, fresh, "fresh");
    let plain = ring.prepare(&random(&ring, &mut rng), 3);
    check(&ring.inner(&[&x, &y], &[&plain, &plain]), fresh.times_plain(2), "plain");
    check(&ring.products(&[(&x, &x)]), fresh.times(fresh, 1), "square");
    let mut product = ring.products(&[(&x, &y)]);
    check(&product, fresh.times(fresh, 1), "product");
    ring.relinearise(&mut product, &relinearisation);
    check(&product, fresh.times(fresh, 1).relinearised(3, 0), "relinearised");
    ring.switch_down(&mut product);
    check(&product, fresh.times(fresh, 1).switched(40.0, 2), "switched");
    let mut third = ring.products(&[(&x, &y)]);
    ring.switch_down(&mut third);
    ring.switch_down(&mut third);
    check(&third, model(&ring).rounding(3), "rounded, three parts");
    let mut fresh_rounded = x;
    ring.relinearise(&mut fresh_rounded, &relinearisation);
    ring.switch_down(&mut fresh_rounded);
    check(&fresh_rounded, model(&ring).rounding(2), "rounded, two parts");
}

#[test]
fn a_special_prime_may_be_smaller_than_the_others() {
    for (special, excess) in [(40, 10), (22, 28)] {
        let ring = Ring::with(13, PLAIN, &[50, 50, 40], Some(special)).expect("secure");
        let mut rng = ChaCha20Rng::from_seed([7; 32]);
        let key = SecretKey::generate(&ring, &mut rng);
        let relinearisation = key.relinearisation(&ring, &mut rng);
        let [a, b] = [(); 2].map(|()| random(&ring, &mut rng));
        let [x, y] = [&a, &b].map(|slots| encrypt(&ring, &key, slots, &mut rng));
        let mut product = ring.products(&[(&x, &y)]);
        ring.relinearise(&mut product, &relinearisation);
        let fresh = model(&ring).fresh();
        let noise = fresh.times(fresh, 1).relinearised(3, excess);
        let claimed = noise.log_deviation() - log_deviation(&phase(&ring, &key, &product));
        assert!((-0.1..0.7).contains(&claimed), "{special}: {claimed} bits more than measured");
        let t = u128::from(ring.parameters().t());
        let expected = a.iter().zip(&b).map(|(a, b)| u128::from(*a) * u128::from(*b) % t);
        let found = slots(&ring, &key, &product, noise);
        assert!(found.into_iter().map(u128::from).eq(expected), "{special}");
    }
}

/// The correlation of the errors with those that a guess of the sender's plaintext predicts, in standard deviations.
fn correlation(errors: &[BigInt], predicted: &[BigInt]) -> f64 {
    let [scale_e, scale_p] = [errors, predicted].map(log_deviation);
    let product: BigInt = errors.iter().zip(predicted).map(|(a, b)| a * b).sum();
    let bits = product.bits().saturating_sub(60);
    let top: i64 = (product >> bits).try_into().expect("61 bits");
    let log = (top.unsigned_abs() as f64).log2() + bits as f64;
    let count = (errors.len() as f64).log2() / 2.0;
    (log - scale_e - scale_p - count).exp2()
}

#[test]
fn flooding_hides_what_was_computed() {
    let ring = wide_ring();
    let n = ring.parameters().slots();
    let mut rng = ChaCha20Rng::from_seed([4; 32]);
    let key = SecretKey::generate(&ring, &mut rng);
    let public = key.encrypt(&ring, &vec![0; n], &mut rng).expand(&ring);
    let public = PublicKey::new(public);
    let x = encrypt(&ring, &key, &random(&ring, &mut rng), &mut rng);
    // Two databases; one has nothing in common with the query, one all: its result is zero.
    let databases = [random(&ring, &mut rng), vec![0; n]];
    let noise = model(&ring).fresh().times_plain(1);
    let bits = flood_bits(noise, n as f64);
    let t = BigInt::from(ring.parameters().t());
    let errors = |flood: bool, coefficients: &[u64], rng: &mut ChaCha20Rng| -> Vec<BigInt> {
        let plain = ring.prepare(coefficients, ring.levels());
        let mut result = ring.inner(&[&x], &[&plain]);
        if flood {
            ring.flood(&mut result, &public, bits, rng);
        }
        phase(&ring, &key, &result).into_iter().map(|phase| phase / &t).collect()
    };
    // What the receiver can compute, who knows its own errors and guesses the database.
    let predicted = errors(false, &databases[0], &mut rng);
    for (flood, visible) in [(false, true), (true, false)] {
        let [matching, other] =
            databases.each_ref().map(|database| errors(flood, database, &mut rng));
        let apart = (log_deviation(&matching) - log_deviation(&other)).abs();
        assert_eq!(apart > 0.1, visible, "deviations are {apart} bits apart");
        let z = correlation(&matching, &predicted);
        assert_eq!(z > 6.0, visible, "a guess correlates by {z} deviations");
    }
    assert!(noise.flooded(bits).modulus_bits() < 140.0, "the modulus has room");
}

/// Fan and Vercauteren's form of what is computed here: each ciphertext divided by t, its plaintext by −Q.
#[test]
fn another_library_reads_our_ciphertexts() {
    use fhe::bfv::{BfvParametersBuilder, Ciphertext as Theirs, Encoding, SecretKey as TheirKey};
    use fhe_math::rq::{Poly, Representation, traits::TryConvertFrom};
    use fhe_traits::{DeserializeParametrized, FheDecoder, FheDecrypter};

    let ring = wide_ring();
    let (t, n) = (ring.parameters().t(), ring.parameters().slots());
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    let secret = crate::sample::ternary(n, &mut rng);
    let key = SecretKey { s: ring.rows(&secret, 0..ring.primes.len()).into() };
    let theirs = BfvParametersBuilder::new()
        .set_degree(n)
        .set_plaintext_modulus(t)
        .set_moduli(ring.parameters().primes())
        .build_arc()
        .expect("parameters");
    // Their key as it is stored: a list of zigzag numbers.
    let mut stored = vec![0x0a, 0x80 | (n & 0x7f) as u8, (n >> 7) as u8];
    stored.extend(secret.iter().map(|x| [1, 0, 2][(x + 1) as usize]));
    let their_key = TheirKey::from_bytes(&stored, &theirs).expect("a key");
    let context = theirs.context_at_level(0).expect("a context");

    let [a, b] = [(); 2].map(|()| random(&ring, &mut rng));
    let [x, y] = [&a, &b].map(|slots| encrypt(&ring, &key, slots, &mut rng));
    let product: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a * b % t).collect();
    for (ciphertext, slots) in [(&x, &a), (&ring.products(&[(&x, &y)]), &product)] {
        let poly = |part: &Vec<u64>| {
            let mut rows = part.clone();
            for (row, prime) in rows.chunks_exact_mut(n).zip(&ring.primes) {
                prime.backward(row);
                let inverse = prime.modulus.invert(t);
                row.iter_mut().for_each(|x| *x = prime.modulus.multiply(*x, inverse));
            }
            let mut poly = Poly::try_convert_from(rows, context, false, Representation::PowerBasis)
                .expect("residues");
            poly.change_representation(Representation::Ntt);
            poly
        };
        let parts = ciphertext.parts.iter().map(poly).collect();
        let plaintext = their_key
            .try_decrypt(&Theirs::new(parts, &theirs).expect("a ciphertext"))
            .expect("decrypts");
        let mut found = Vec::<u64>::try_decode(&plaintext, Encoding::poly()).expect("decodes");
        let plain = ring.plain.modulus;
        let q = ring.parameters().primes().iter().fold(1, |q, p| plain.multiply(q, p % t));
        found.iter_mut().for_each(|x| *x = plain.multiply(*x, plain.subtract(0, q)));
        ring.decode(&mut found);
        assert!(found == *slots);
    }
}

#[test]
fn bytes_that_are_no_ciphertext_are_refused() {
    let ring = ring();
    let mut rng = ChaCha20Rng::from_seed([6; 32]);
    let key = SecretKey::generate(&ring, &mut rng);
    let mut bytes = Vec::new();
    key.encrypt(&ring, &random(&ring, &mut rng), &mut rng).write(&ring, &mut bytes);
    let read = |bytes: &[u8]| Seeded::read(&ring, bytes).err();
    assert_eq!(read(&bytes[1..]), Some(WireError::Length));
    assert_eq!(read(&[&bytes[..], &[0]].concat()), Some(WireError::Length));
    // 44 ones are more than any prime of 44 bits.
    bytes[32..38].fill(0xff);
    assert_eq!(read(&bytes), Some(WireError::Range));
    let cut = Truncation::new(model(&ring), model(&ring).rounding(2), 2, 44);
    let len = cut.len(ring.parameters().slots());
    assert!(len < 2 * 4096 * 44 / 8, "something is cut off");
    assert_eq!(cut.read(&ring, &vec![0; len - 1], 1).err(), Some(WireError::Length));
    assert_eq!(cut.read(&ring, &vec![0xff; len], 1).err(), Some(WireError::Range));
    let short = RelinearisationKey::read(&ring, &bytes).err();
    assert_eq!(short, Some(WireError::Length));
}
