//! Every kernel against curve25519-dalek, and the vectors of RFC 9496.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::traits::Identity;
use curve25519_dalek::{RistrettoPoint, Scalar as DalekScalar};
use proptest::prelude::*;

use super::constants::{
    D, INVERSE_ROOT_OF_A_MINUS_D, ONE_MINUS_D_SQUARED, ORDER_8, ROOT_OF_AD_MINUS_1,
    ROOT_OF_MINUS_1, SQUARE_OF_D_MINUS_1, TWICE_D,
};
use super::*;
use crate::curve25519::field::Field;
use crate::curve25519::{Work, canonical, powers};
use crate::vector::Vector;

fn unhex<const N: usize>(hex: &str) -> [u8; N] {
    let digit = |index| u8::from_str_radix(&hex[2 * index..][..2], 16);
    std::array::from_fn(|index| digit(index).expect("hexadecimal"))
}

/// Pseudorandom bytes.
pub(super) fn wide(seed: u64) -> [u8; 64] {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(1);
        (state >> 56) as u8
    })
}

fn scalar(seed: u64) -> DalekScalar {
    DalekScalar::from_bytes_mod_order_wide(&wide(seed))
}

/// Scalars at the edges, and random ones, as many as asked for.
fn scalars(count: usize) -> Vec<DalekScalar> {
    let (zero, one) = (DalekScalar::ZERO, DalekScalar::ONE);
    let power = |exponent: u32| (0..exponent).fold(one, |power, _| power + power);
    let edges = [zero, one, one + one, zero - one, zero - one - one, power(251), power(128) - one]
        .into_iter()
        .chain([DalekScalar::from(15u8), DalekScalar::from(16u8), DalekScalar::from(63u8)]);
    edges.chain((0..).map(scalar)).take(count).collect()
}

/// Elements at the edges, and random ones, as many as asked for.
fn elements(count: usize) -> Vec<RistrettoPoint> {
    let (neutral, g) = (RistrettoPoint::identity(), RISTRETTO_BASEPOINT_POINT);
    let random = (1000..).map(|seed| RistrettoPoint::from_uniform_bytes(&wide(seed)));
    [g, neutral, -g, g + g].into_iter().chain(random).take(count).collect()
}

fn compressed(elements: &[RistrettoPoint]) -> Vec<Encoded> {
    elements.iter().map(|element| element.compress().0).collect()
}

fn bytes(scalars: &[DalekScalar]) -> Vec<Scalar> {
    scalars.iter().map(DalekScalar::to_bytes).collect()
}

fn decoded(kernel: Kernel, elements: &[RistrettoPoint]) -> Vec<Point> {
    let mut points = vec![Point::IDENTITY; elements.len()];
    assert_eq!(decode(kernel, &compressed(elements), &mut points), Ok(()), "{kernel:?}");
    points
}

fn encoded(kernel: Kernel, points: &[Point]) -> Vec<Encoded> {
    let mut encoded = vec![[0; 32]; points.len()];
    encode(kernel, points, &mut encoded);
    encoded
}

/// Numbers of points: none, groups of lanes and chains of them, whole and not.
const COUNTS: [usize; 12] = [0, 1, 2, 4, 5, 8, 9, 23, 24, 25, 64, 131];

/// Each kernel with each number of points.
fn cases() -> impl Iterator<Item = (Kernel, usize)> {
    Kernel::available().flat_map(|kernel| COUNTS.map(|count| (kernel, count)))
}

/// What of a group of lanes with constants is 0.
struct Equations<'a>(&'a mut Vec<bool>);

impl Work for Equations<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let constant = |limbs| constants::in_all_lanes(f, limbs);
        let (d, root) = (constant(D), constant(ROOT_OF_MINUS_1));
        let inverse = constant(INVERSE_ROOT_OF_A_MINUS_D);
        let of_ad_minus_1 = constant(ROOT_OF_AD_MINUS_1);
        let [x, y, t] = GENERATOR.map(constant);
        let [x8, y8, t8] = ORDER_8.map(constant);
        let (one, zero) = (f.splat(1), f.splat(0));
        let plus = |a, b| formulas::carried_sum(f, a, b);
        let minus = |a, b| formulas::carried_difference(f, a, b);
        let product = |a, b| powers::multiply(f, a, b);
        let (minus_1, d_minus_1) = (minus(zero, one), minus(d, one));
        let equations = [
            (product(d, f.splat(121_666)), minus(zero, f.splat(121_665))),
            (plus(d, d), constant(TWICE_D)),
            (product(root, root), minus_1),
            (product(product(inverse, inverse), minus(minus_1, d)), one),
            (product(of_ad_minus_1, of_ad_minus_1), minus(minus_1, d)),
            (constant(ONE_MINUS_D_SQUARED), minus(one, product(d, d))),
            (constant(SQUARE_OF_D_MINUS_1), product(d_minus_1, d_minus_1)),
            (product(f.splat(5), y), f.splat(4)),
            (product(x, y), t),
            // −x² + y² = 1 + d·x²·y²
            (minus(product(y, y), product(x, x)), plus(one, product(d, product(t, t)))),
            (product(x8, y8), t8),
            (minus(product(y8, y8), product(x8, x8)), plus(one, product(d, product(t8, t8)))),
            // Twice the point has y = 0.
            (plus(product(y8, y8), product(x8, x8)), zero),
        ];
        for (left, right) in equations {
            let difference = canonical::zero(f, minus(left, right));
            self.0.extend(f.words().array(difference)[..F::LANES].iter().map(|zero| *zero == 1));
        }
        let signs = [(root, 0), (inverse, 0), (x, 0), (of_ad_minus_1, 1), (x8, 0), (y8, 0)];
        for (number, odd) in signs {
            let [lowest, ..] = canonical::canonical(f, number);
            self.0.push(f.words().array(lowest)[0] & 1 == odd);
        }
    }
}

#[test]
fn constants_solve_their_equations() {
    for kernel in Kernel::available() {
        let mut solved = Vec::new();
        on_lanes(kernel, Equations(&mut solved));
        assert!(
            solved.len() >= 10 && solved.iter().all(|solved| *solved),
            "{kernel:?}: {solved:?}"
        );
    }
}

#[test]
fn encodings_are_those_of_another_library() {
    for (kernel, count) in cases() {
        let elements = elements(count);
        let points = decoded(kernel, &elements);
        assert_eq!(encoded(kernel, &points), compressed(&elements), "{kernel:?}, {count}");
        let doubled: Vec<_> = elements.iter().map(|element| element + element).collect();
        let mut bytes = vec![[0; 32]; count];
        encode_doubled(kernel, &points, &mut bytes);
        assert_eq!(bytes, compressed(&doubled), "{kernel:?}, {count}");
    }
}

#[test]
fn uniform_bytes_become_the_elements_of_another_library() {
    for (kernel, count) in cases() {
        let edges = [[0; 64], [0xff; 64], std::array::from_fn(|index| u8::from(index % 32 == 0))];
        let uniform: Vec<_> = edges.into_iter().chain((0..).map(wide)).take(count).collect();
        let expected: Vec<_> = uniform.iter().map(RistrettoPoint::from_uniform_bytes).collect();
        let mut points = vec![Point::IDENTITY; count];
        map(kernel, &uniform, &mut points);
        assert_eq!(encoded(kernel, &points), compressed(&expected), "{kernel:?}, {count}");
    }
}

#[test]
fn sums_are_those_of_another_library() {
    for (kernel, count) in cases() {
        let elements = elements(count);
        let mut others = elements.clone();
        others.reverse();
        others.iter_mut().take(3).for_each(|other| *other = elements[0]);
        let (points, other_points) = (decoded(kernel, &elements), decoded(kernel, &others));
        let check = |points: &[Point], of: fn(RistrettoPoint, RistrettoPoint) -> RistrettoPoint| {
            let pairs = elements.iter().zip(&others);
            let expected: Vec<_> = pairs.map(|(element, other)| of(*element, *other)).collect();
            assert_eq!(encoded(kernel, points), compressed(&expected), "{kernel:?}, {count}");
        };
        let mut results = points.clone();
        add(kernel, &mut results, &other_points);
        check(&results, |element, other| element + other);
        subtract(kernel, &mut results, &other_points);
        check(&results, |element, _| element);
        subtract(kernel, &mut results, &other_points);
        check(&results, |element, other| element - other);
        double(kernel, &mut results);
        check(&results, |element, other| element - other + element - other);
        negate(&mut results);
        check(&results, |element, other| other - element + other - element);
        negate(&mut results);
        subtract(kernel, &mut results, &points);
        check(&results, |element, other| element - other - other);
    }
}

#[test]
fn products_are_those_of_another_library() {
    for (kernel, count) in cases() {
        // Elements and scalars at the edges meet each other.
        let mut elements = elements(count);
        elements.rotate_right(count / 3);
        let scalars = scalars(count);
        let expected: Vec<_> = elements.iter().zip(&scalars).map(|(e, s)| e * s).collect();
        let mut points = decoded(kernel, &elements);
        multiply(kernel, &bytes(&scalars), &mut points);
        assert_eq!(encoded(kernel, &points), compressed(&expected), "{kernel:?}, {count}");
    }
}

#[test]
fn one_scalar_multiplies_all() {
    for kernel in Kernel::available() {
        let elements = elements(17);
        for scalar in scalars(12) {
            let expected: Vec<_> = elements.iter().map(|element| element * scalar).collect();
            let mut points = decoded(kernel, &elements);
            multiply_all(kernel, &scalar.to_bytes(), &mut points);
            assert_eq!(encoded(kernel, &points), compressed(&expected), "{kernel:?}");
        }
    }
}

#[test]
fn products_of_one_base_are_those_of_another_library() {
    for kernel in Kernel::available() {
        let elements = elements(6);
        let points = decoded(kernel, &elements);
        for (element, point) in elements.iter().zip(&points) {
            check_base(kernel, *element, 131, |scalars, products| {
                FixedBase::new(kernel, point).multiply(scalars, products);
            });
        }
        for count in COUNTS {
            check_base(kernel, RISTRETTO_BASEPOINT_POINT, count, |scalars, products| {
                multiply_generator(kernel, scalars, products);
            });
        }
    }
}

fn check_base(
    kernel: Kernel,
    base: RistrettoPoint,
    count: usize,
    multiply: impl Fn(&[Scalar], &mut [Point]),
) {
    let scalars = scalars(count);
    let expected: Vec<_> = scalars.iter().map(|scalar| base * scalar).collect();
    let mut products = vec![Point::IDENTITY; count];
    multiply(&bytes(&scalars), &mut products);
    assert_eq!(encoded(kernel, &products), compressed(&expected), "{kernel:?}, {count}");
}

#[test]
fn sums_of_products_are_those_of_another_library() {
    for kernel in Kernel::available() {
        for (sums, terms) in [(0, 3), (1, 1), (1, 12), (2, 7), (8, 2), (9, 3), (3, 40), (17, 5)] {
            let (elements, scalars) = (elements(sums * terms), scalars(sums * terms));
            let products: Vec<_> = elements.iter().zip(&scalars).map(|(e, s)| e * s).collect();
            let expected: Vec<RistrettoPoint> =
                products.chunks(terms).map(|products| products.iter().sum()).collect();
            let points = decoded(kernel, &elements);
            let points = sums_of_products(kernel, &bytes(&scalars), &points, terms);
            assert_eq!(encoded(kernel, &points), compressed(&expected), "{kernel:?}");
        }
    }
}

#[test]
fn the_same_elements_are_equal_and_others_are_not() {
    for (kernel, count) in cases() {
        let elements = elements(count);
        let points = decoded(kernel, &elements);
        let neutral: Vec<_> = (0..count).map(|place| place == 1).collect();
        assert_eq!(is_identity(kernel, &points), neutral, "{kernel:?}");
        // Other points that stand for the same elements: (P + Q) − Q for a Q that has factors of two in its order.
        let mut same = points.clone();
        let minus_1 = (DalekScalar::ZERO - DalekScalar::ONE).to_bytes();
        multiply_all(kernel, &minus_1, &mut same);
        negate(&mut same);
        assert_eq!(equal(kernel, &points, &same), vec![true; count], "{kernel:?}");
        let mut other = points.clone();
        other.rotate_left(count.min(1));
        assert_eq!(equal(kernel, &points, &other), vec![count == 1; count], "{kernel:?}");
        subtract(kernel, &mut same, &points);
        assert_eq!(is_identity(kernel, &same), vec![true; count], "{kernel:?}");
    }
}

/// The four points of order 1, 2 and 4 stand for the neutral element, and their sums with a point for that point.
#[test]
fn points_of_small_order_make_no_difference() {
    let (zero, one) = ([0; 5], [1, 0, 0, 0, 0]);
    let small = [
        (zero, one),
        (zero, opposite(one)),
        (ROOT_OF_MINUS_1, zero),
        (opposite(ROOT_OF_MINUS_1), zero),
    ]
    .map(|(x, y)| Point { x, y, z: one, t: zero });
    for kernel in Kernel::available() {
        let points = decoded(kernel, &elements(9));
        assert_eq!(is_identity(kernel, &small), [true; 4], "{kernel:?}");
        assert_eq!(encoded(kernel, &small), [[0; 32]; 4], "{kernel:?}");
        for small in small {
            let mut sums = points.clone();
            add(kernel, &mut sums, &[small; 9]);
            assert_eq!(equal(kernel, &sums, &points), [true; 9], "{kernel:?}");
            assert_eq!(encoded(kernel, &sums), encoded(kernel, &points), "{kernel:?}");
            let mut doubled = [[[0; 32]; 9]; 2];
            encode_doubled(kernel, &sums, &mut doubled[0]);
            encode_doubled(kernel, &points, &mut doubled[1]);
            assert_eq!(doubled[0], doubled[1], "{kernel:?}");
        }
    }
}

/// RFC 9496, appendix A.1.
#[test]
fn multiples_of_the_generator_are_those_of_the_rfc() {
    let multiples = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
        "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
        "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
        "da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57",
        "e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e",
        "f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403",
        "44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d",
        "903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c",
        "02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031",
        "20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f",
        "bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42",
        "e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460",
        "aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f",
        "46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e",
        "e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e",
    ]
    .map(unhex);
    let scalars: [Scalar; 16] = std::array::from_fn(|k| DalekScalar::from(k as u64).to_bytes());
    for kernel in Kernel::available() {
        let mut points = [Point::GENERATOR; 16];
        multiply_generator(kernel, &scalars, &mut points);
        assert_eq!(encoded(kernel, &points), multiples, "{kernel:?}");
    }
}

/// RFC 9496, appendix A.2, and the same kinds with the highest bit.
fn bad_encodings() -> Vec<Encoded> {
    let mut bad: Vec<Encoded> = [
        // Not below p.
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        // Negative.
        "0100000000000000000000000000000000000000000000000000000000000000",
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
        "c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562",
        "c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78",
        "47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24",
        "f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72",
        "87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309",
        // x² is no square.
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        "4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f",
        "de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b",
        "bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042",
        "2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08",
        "f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22",
        "8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731",
        "2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b",
        // x·y is negative.
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220",
        "d483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e",
        "8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32",
        "32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b",
        "227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165",
        "5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e",
        "445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b",
        // y = 0.
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]
    .map(unhex)
    .to_vec();
    let mut generator = RISTRETTO_BASEPOINT_POINT.compress().0;
    generator[31] |= 0x80;
    let mut one = [0; 32];
    (one[0], one[31]) = (1, 0x80);
    bad.extend([generator, one, [0xff; 32]]);
    bad
}

#[test]
fn bad_encodings_are_refused_wherever_they_stand() {
    let good = compressed(&elements(60));
    let mut points = vec![Point::IDENTITY; 60];
    for kernel in Kernel::available() {
        for (index, bad) in bad_encodings().into_iter().enumerate() {
            assert_eq!(CompressedRistretto(bad).decompress(), None);
            assert_eq!(decode(kernel, &[bad], &mut points[..1]), Err(0), "{kernel:?}, {bad:?}");
            for place in [index, 59 - index] {
                let mut encoded = good.clone();
                encoded[place] = bad;
                assert_eq!(decode(kernel, &encoded, &mut points), Err(place), "{kernel:?}");
                encoded[59] = bad;
                assert_eq!(decode(kernel, &encoded, &mut points), Err(place), "{kernel:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn encodings_are_refused_as_another_library_does(
        mut encoded in proptest::collection::vec(any::<Encoded>(), 1..40),
    ) {
        encoded.iter_mut().for_each(|encoded| {
            encoded[0] &= 0xfe;
            encoded[31] &= 0x7f;
        });
        let expected = encoded.iter().position(|encoded| CompressedRistretto(*encoded).decompress().is_none());
        for kernel in Kernel::available() {
            let mut points = vec![Point::IDENTITY; encoded.len()];
            prop_assert_eq!(decode(kernel, &encoded, &mut points).err(), expected, "{:?}", kernel);
        }
    }

    #[test]
    fn random_products_are_those_of_another_library(seed: u64, count in 1..20usize) {
        let scalars: Vec<_> = (0..count as u64).map(|place| scalar(seed ^ place << 48)).collect();
        let elements: Vec<_> = (0..count as u64)
            .map(|place| RistrettoPoint::from_uniform_bytes(&wide(!seed ^ place << 48)))
            .collect();
        let products: Vec<_> = elements.iter().zip(&scalars).map(|(e, s)| e * s).collect();
        let sum: RistrettoPoint = products.iter().sum();
        for kernel in Kernel::available() {
            let mut points = decoded(kernel, &elements);
            let sums = sums_of_products(kernel, &bytes(&scalars), &points, count);
            prop_assert_eq!(encoded(kernel, &sums), compressed(&[sum]), "{:?}", kernel);
            multiply(kernel, &bytes(&scalars), &mut points);
            prop_assert_eq!(encoded(kernel, &points), compressed(&products), "{:?}", kernel);
        }
    }
}
