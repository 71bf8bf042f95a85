//! Encrypted multisets against plain ones: a count for each letter of a small alphabet.

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_crypto::Ristretto255;
use veilset_paper_groups::Pallas;

use super::*;

/// Letters, each a random scalar; the last one is in no multiset.
const LETTERS: usize = 6;

/// More than any count.
const MOST: usize = 12;

type Counts = [usize; LETTERS];

struct Case<G: PrimeGroup> {
    group: G,
    key: SecretKey<G>,
    letters: Vec<G::Scalar>,
    rng: ChaCha20Rng,
}

impl<G: PrimeGroup> Case<G> {
    fn new(group: G, seed: u8) -> Self {
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        let key = SecretKey::generate(&group, &mut rng);
        let letters = (0..LETTERS).map(|_| group.random(&mut rng)).collect();
        Self { group, key, letters, rng }
    }

    fn random(&mut self, most: u32) -> Counts {
        let mut counts = [0; LETTERS];
        counts[..LETTERS - 1].fill_with(|| (self.rng.next_u32() % (most + 1)) as usize);
        counts
    }

    fn roots(&self, counts: &Counts) -> Vec<G::Scalar> {
        let repeat = |(letter, count): (&G::Scalar, &usize)| vec![letter.clone(); *count];
        self.letters.iter().zip(counts).flat_map(repeat).collect()
    }

    fn encrypted(&mut self, counts: &Counts) -> EncryptedMultiset<G> {
        let (public, roots) = (self.key.public(&self.group), self.roots(counts));
        let set = EncryptedMultiset::encrypt(&self.group, &public, &roots, &mut self.rng);
        set.expect("a large group")
    }

    fn union(&mut self, set: &EncryptedMultiset<G>, counts: &Counts) -> EncryptedMultiset<G> {
        let (public, roots) = (self.key.public(&self.group), self.roots(counts));
        set.union(&self.group, &public, &roots, &mut self.rng).expect("a large group")
    }

    fn intersection(&mut self, sets: &[&EncryptedMultiset<G>]) -> EncryptedMultiset<G> {
        let public = self.key.public(&self.group);
        let set = EncryptedMultiset::intersection(&self.group, &public, sets, &mut self.rng);
        set.expect("a large group")
    }

    fn reduction(&mut self, set: &EncryptedMultiset<G>, times: usize) -> EncryptedMultiset<G> {
        let public = self.key.public(&self.group);
        set.reduction(&self.group, &public, times, &mut self.rng).expect("a large group")
    }

    fn counts(&self, set: &EncryptedMultiset<G>) -> Vec<usize> {
        let revealed = set.reveal(&self.group, &self.key);
        assert!(!revealed.is_zero(&self.group));
        revealed.multiplicities(&self.group, &self.letters, MOST).expect("a large group")
    }
}

fn each(one: &Counts, two: &Counts, count: fn(usize, usize) -> usize) -> Counts {
    std::array::from_fn(|letter| count(one[letter], two[letter]))
}

fn operations_are_those_of_plain_multisets<G: PrimeGroup>(mut case: Case<G>, rounds: usize) {
    for _ in 0..rounds {
        let [a, b, c] = [0; 3].map(|_| case.random(3));
        let [f, g, h] = [&a, &b, &c].map(|counts| case.encrypted(counts));
        assert_eq!(case.counts(&f), a);
        let sum = each(&a, &b, |a, b| a + b);
        let union = case.union(&f, &b);
        assert_eq!(union.degree(), sum.iter().sum());
        assert_eq!(case.counts(&union), sum);
        let common = case.intersection(&[&f, &g]);
        assert_eq!(common.degree(), a.iter().sum::<usize>() + b.iter().sum::<usize>());
        assert_eq!(case.counts(&common), each(&a, &b, usize::min));
        let all = case.intersection(&[&f, &g, &h]);
        assert_eq!(case.counts(&all), each(&each(&a, &b, usize::min), &c, usize::min));
        for times in [0, 1, 2, 5] {
            let reduced = case.reduction(&f, times);
            assert_eq!(case.counts(&reduced), a.map(|count| count.saturating_sub(times)));
        }
        // One operation on another's result: what is at least twice in both together, and in the third.
        let twice = case.reduction(&union, 1);
        let twice = case.intersection(&[&twice, &h]);
        assert_eq!(case.counts(&twice), each(&sum.map(|n| n.saturating_sub(1)), &c, usize::min));
        let more = case.union(&common, &c);
        assert_eq!(case.counts(&more), each(&each(&a, &b, usize::min), &c, |a, b| a + b));
    }
}

#[test]
fn on_ristretto255_operations_are_those_of_plain_multisets() {
    operations_are_those_of_plain_multisets(Case::new(Ristretto255, 1), 6);
}

#[test]
fn on_pallas_operations_are_those_of_plain_multisets() {
    operations_are_those_of_plain_multisets(Case::new(Pallas, 2), 2);
}

#[test]
fn empty_multisets_have_nothing_in_common() {
    let mut case = Case::new(Ristretto255, 3);
    let (none, some) = ([0; LETTERS], [1, 2, 0, 0, 0, 0]);
    let [empty, full] = [&none, &some].map(|counts| case.encrypted(counts));
    assert_eq!(empty.degree(), 0);
    for set in [case.intersection(&[&empty, &full]), case.intersection(&[&empty, &empty])] {
        assert_eq!(case.counts(&set), none);
    }
    let (union, reduced) = (case.union(&empty, &some), case.reduction(&empty, 3));
    assert_eq!(case.counts(&union), some);
    assert_eq!(case.counts(&reduced), none);
}

/// 0 is a single root of x³ − x, and a root of its second derivative, 6x.
#[test]
fn a_single_root_that_a_higher_derivative_shares_is_reduced_too() {
    let mut case = Case::new(Ristretto255, 4);
    let field = case.group.field();
    let (zero, one) = (field.zero(), field.one());
    case.letters = vec![zero, one, field.neg(&one), field.element(7)];
    let counts = [1, 1, 1, 0, 0, 0];
    let set = case.encrypted(&counts);
    assert_eq!(case.counts(&set), [1, 1, 1, 0]);
    for times in [1, 2, 3] {
        let reduced = case.reduction(&set, times);
        assert_eq!(case.counts(&reduced), [0; 4], "{times}");
    }
    // The two polynomials alone would keep it.
    let second = derivative(&Ciphertexts(&case.group), set.coefficients());
    let second = EncryptedMultiset::new(derivative(&Ciphertexts(&case.group), &second));
    let published = case.intersection(&[&set, &second]);
    assert_eq!(case.counts(&published), [1, 0, 0, 0]);
}

/// With S as documented θ takes every value: of two operands of degrees 1 and 2 without common roots, drawn over and
/// over in a field of 11 elements, each polynomial of degree 3 comes up equally often when all masks are gone through.
#[test]
fn masks_of_these_degrees_make_every_result_equally_likely() {
    const Q: usize = 11;
    let degrees = [1, 2];
    let len = masked_len(degrees.into_iter());
    assert_eq!(len, 4);
    assert_eq!(masked_len([5, 3, 5].into_iter()), 11);
    assert_eq!(masked_len([4].into_iter()), 5);
    // x − 2 and (x − 3)(x − 4).
    let operands: [Vec<usize>; 2] = [vec![Q - 2, 1], vec![12 % Q, Q - 7, 1]];
    let masks = degrees.map(|degree| len - degree);
    let mut seen = vec![0u32; Q.pow(4)];
    for number in 0..Q.pow((masks[0] + masks[1]) as u32) {
        let digit = |place: usize| number / Q.pow(place as u32) % Q;
        let mut sum = [0; 4];
        for (operand, first, count) in
            [(&operands[0], 0, masks[0]), (&operands[1], masks[0], masks[1])]
        {
            for place in 0..count {
                for (degree, coefficient) in operand.iter().enumerate() {
                    let term = digit(first + place) * coefficient;
                    sum[place + degree] = (sum[place + degree] + term) % Q;
                }
            }
        }
        seen[sum.iter().fold(0, |index, digit| index * Q + digit)] += 1;
    }
    assert!(seen.iter().all(|count| *count == Q as u32));
}

#[test]
fn equal_operations_do_not_look_equal() {
    let mut case = Case::new(Ristretto255, 5);
    let counts = [1, 1, 2, 0, 0, 0];
    let set = case.encrypted(&counts);
    let mut seen = Vec::new();
    for _ in 0..2 {
        let union = case.union(&set, &counts);
        let common = case.intersection(&[&set, &set]);
        for result in [union, common] {
            let mut encoded = Vec::new();
            case.group.encode(result.coefficients().as_flattened(), &mut encoded);
            seen.extend(encoded.as_chunks::<32>().0.to_vec());
        }
    }
    let all = seen.len();
    assert_eq!(all, 4 * 2 * 9);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), all);
}
