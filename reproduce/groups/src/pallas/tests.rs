//! Against the curve of another library.

use chacha20::ChaCha20Rng;
use ff::{Field, PrimeField};
use pasta_curves::group::{Group, GroupEncoding};
use pasta_curves::pallas::{Point, Scalar};
use rand_core::{Rng, SeedableRng};

use super::*;

const GROUP: Pallas = Pallas;

/// What the other library takes the elements for.
fn theirs(elements: &[PallasPoint]) -> Vec<Point> {
    let mut encoded = Vec::new();
    GROUP.encode(elements, &mut encoded);
    let point = |bytes| Point::from_bytes(bytes).into_option().expect("an encoding");
    encoded.as_chunks().0.iter().map(point).collect()
}

fn ours(points: &[Point]) -> Vec<PallasPoint> {
    let encoded: Vec<u8> = points.iter().flat_map(GroupEncoding::to_bytes).collect();
    GROUP.decode(&encoded).expect("encodings")
}

/// 0, 1, −1, digits at their edges, and uniform ones.
fn scalars(count: usize, seed: u8) -> Vec<Scalar> {
    let rng = &mut ChaCha20Rng::from_seed([seed; 32]);
    let nibbles = |byte: u8| Scalar::from_repr(std::array::from_fn(|i| [byte, 0x3f][i / 31]));
    let mut scalars = vec![Scalar::ZERO, Scalar::ONE, -Scalar::ONE, -Scalar::from(2), 8.into()];
    scalars.extend([0x77, 0x78, 0x87, 0x88, 0xff].map(|byte| nibbles(byte).expect("below q")));
    scalars.extend((0..count).map(|_| GROUP.random(rng)));
    scalars
}

fn points(count: usize, seed: u8) -> Vec<Point> {
    scalars(count, seed).iter().map(|scalar| Point::generator() * scalar).collect()
}

#[test]
fn encodings_are_those_of_the_pasta_curves() {
    let points = points(200, 1);
    let elements = ours(&points);
    assert_eq!(theirs(&elements), points);
    assert_eq!(
        theirs(&[GROUP.generator(), GROUP.identity()])[..],
        [Point::generator(), Point::identity()]
    );
    let identity: Vec<bool> = points.iter().map(|point| point.is_identity().into()).collect();
    assert_eq!(GROUP.are_identity(&elements), identity);
}

#[test]
fn sums_have_no_exceptions() {
    let all = points(5, 2);
    for left in &all {
        let elements = ours(&all);
        let mut sums = ours(&vec![*left; all.len()]);
        let mut differences = sums.clone();
        GROUP.add(&mut sums, &elements);
        GROUP.subtract(&mut differences, &elements);
        assert!(theirs(&sums).into_iter().eq(all.iter().map(|right| left + right)));
        assert!(theirs(&differences).into_iter().eq(all.iter().map(|right| left - right)));
    }
    let (mut doubled, mut negated) = (ours(&all), ours(&all));
    GROUP.double(&mut doubled);
    GROUP.negate(&mut negated);
    assert!(theirs(&doubled).into_iter().eq(all.iter().map(Group::double)));
    assert!(theirs(&negated).into_iter().eq(all.iter().map(|point| -point)));
}

#[test]
fn products_are_those_of_the_pasta_curves() {
    let scalars = scalars(70, 3);
    let points: Vec<_> = points(70, 4).into_iter().rev().collect();
    let expected: Vec<_> = points.iter().zip(&scalars).map(|(p, s)| p * s).collect();
    let mut products = ours(&points);
    GROUP.multiply(&scalars, &mut products);
    assert_eq!(theirs(&products), expected);
    let mut products = ours(&points);
    GROUP.multiply_all(&scalars[9], &mut products);
    assert!(theirs(&products).into_iter().eq(points.iter().map(|point| point * scalars[9])));
    for terms in [1, 8, 80] {
        let sums = GROUP.sums_of_products(&scalars, &ours(&points), terms);
        let sum = |terms: &[Point]| terms.iter().sum::<Point>();
        assert!(theirs(&sums).into_iter().eq(expected.chunks(terms).map(sum)), "{terms}");
    }
}

#[test]
fn bases_multiply_alike() {
    let scalars = scalars(30, 5);
    let expected = |point: Point| scalars.iter().map(|s| point * s).collect::<Vec<_>>();
    assert_eq!(theirs(&GROUP.multiply_generator(&scalars)), expected(Point::generator()));
    for point in [Point::generator() * scalars[20], Point::identity()] {
        let base = GROUP.base(&ours(&[point])[0]);
        assert_eq!(theirs(&GROUP.multiply_base(&base, &scalars)), expected(point));
    }
}

#[test]
fn what_the_pasta_curves_refuse_is_refused() {
    let rng = &mut ChaCha20Rng::from_seed([6; 32]);
    let mut cases = vec![[0xff; 32], [0; 32], GROUP_PRIME];
    // 0 with a sign; the prime and 1 for 1; numbers of which half are coordinates.
    cases.push(std::array::from_fn(|index| [0, 0x80][index / 31]));
    cases.push(std::array::from_fn(|index| GROUP_PRIME[index] + u8::from(index == 0)));
    cases.extend((0..100).map(|_| {
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        bytes[31] &= 0xbf;
        bytes
    }));
    let mut refused = 0;
    for case in &cases {
        let valid = bool::from(Point::from_bytes(case).is_some());
        assert_eq!(GROUP.decode(case).is_ok(), valid, "{case:02x?}");
        refused += usize::from(!valid);
    }
    assert!((30..80).contains(&refused), "{refused}");
    let generator = Point::generator().to_bytes();
    let error = GROUP.decode(&[generator, generator, [0xff; 32]].concat()).err();
    assert_eq!(error, Some(NotAnElement { index: 2 }));
}

/// The field's prime, least byte first.
const GROUP_PRIME: [u8; 32] = {
    let mut bytes = [0; 32];
    let low = 0x2246_98fc_094c_f91b_992d_30ed_0000_0001_u128.to_le_bytes();
    let mut index = 0;
    while index < 16 {
        bytes[index] = low[index];
        index += 1;
    }
    bytes[31] = 0x40;
    bytes
};
