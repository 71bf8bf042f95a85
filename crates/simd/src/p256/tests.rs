//! Every kernel against the p256 crate, which multiplies by complete formulas, and the field against num-bigint.

use ::p256::elliptic_curve::ops::Reduce;
use ::p256::elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use ::p256::elliptic_curve::{Group, PrimeField};
use ::p256::{AffinePoint, FieldBytes, ProjectivePoint, Scalar, Sec1Point};
use num_bigint::BigUint;
use proptest::prelude::*;

use super::field::{self, Limbs, Wide};
use super::*;
use crate::vector::MASK_52;

fn unhex<const N: usize>(digits: &str) -> [u8; N] {
    let digit = |index| u8::from_str_radix(&digits[2 * index..][..2], 16).expect("hexadecimal");
    std::array::from_fn(digit)
}

fn pseudorandom<const N: usize>(count: usize) -> Vec<[u8; N]> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut byte = || {
        state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..count).map(|_| std::array::from_fn(|_| byte())).collect()
}

fn scalar(bytes: &[u8; 32]) -> Scalar {
    <Scalar as Reduce<FieldBytes>>::reduce(&FieldBytes::from(*bytes))
}

fn point(point: ProjectivePoint) -> Point {
    point.to_affine().to_sec1_point(false).as_bytes()[1..].try_into().expect("64 bytes")
}

/// Of the point and its negative the one with an even y.
fn even(p: ProjectivePoint) -> Point {
    let both = [p, -p].map(point);
    both[usize::from(both[0][63] & 1)]
}

/// The points with this x-coordinate, if there are any.
fn on_curve(x: &X) -> Option<ProjectivePoint> {
    let form = Sec1Point::from_bytes([&[2], x.as_slice()].concat()).expect("a form");
    AffinePoint::from_sec1_point(&form).into_option().map(ProjectivePoint::from)
}

/// Scalars small and near the order, some of whose digits are at their ends, and random ones.
fn scalars() -> Vec<Scalar> {
    let near = (1..40u64).flat_map(|small| [Scalar::from(small), -Scalar::from(small)]);
    let halves = Scalar::from(2u64).invert().expect("not 0");
    let patterns = [[0xff; 32], [0x55; 32], [0xaa; 32], [0x80; 32], [0x10; 32], [0x0f; 32]];
    let mut power = [0; 32];
    power[0] = 0x80;
    near.chain([halves, -halves, scalar(&power)])
        .chain(patterns.iter().map(scalar))
        .chain(pseudorandom(12).iter().map(scalar))
        .collect()
}

/// The generator, its first multiples, their negatives, and random points.
fn points() -> Vec<ProjectivePoint> {
    let generator = ProjectivePoint::generator();
    let small = (1..6u64).map(|small| generator * Scalar::from(small));
    small
        .flat_map(|point| [point, -point])
        .chain(pseudorandom(7).iter().map(|bytes| generator * scalar(bytes)))
        .collect()
}

#[test]
fn products_agree_with_another_library() {
    let points = points();
    for scalar in scalars() {
        let expected: Vec<Point> = points.iter().map(|point| even(*point * scalar)).collect();
        for kernel in Kernel::available() {
            let mut products: Vec<Point> = points.iter().map(|p| point(*p)).collect();
            multiply(kernel, &scalar.to_repr().into(), &mut products);
            assert_eq!(products, expected, "{kernel:?}, {scalar:?}");
        }
    }
}

#[test]
fn signed_products_agree_with_another_library() {
    let points = points();
    for scalar in scalars() {
        let expected: Vec<Point> = points.iter().map(|p| point(*p * scalar)).collect();
        for kernel in Kernel::available() {
            let mut products: Vec<Point> = points.iter().map(|p| point(*p)).collect();
            multiply_signed(kernel, &scalar.to_repr().into(), &mut products);
            assert_eq!(products, expected, "{kernel:?}, {scalar:?}");
        }
    }
}

#[test]
fn any_number_of_points_is_multiplied() {
    let (points, scalar) = (points(), scalar(&[0xc7; 32]));
    let points: Vec<_> = points.iter().cycle().take(260).collect();
    let expected: Vec<Point> = points.iter().map(|point| even(**point * scalar)).collect();
    for kernel in [Kernel::Scalar, Kernel::best()] {
        for count in (0..20).chain([127, 128, 129, 255, 260]) {
            let mut products: Vec<Point> = points[..count].iter().map(|p| point(**p)).collect();
            multiply(kernel, &scalar.to_repr().into(), &mut products);
            assert_eq!(products, expected[..count], "{kernel:?}, {count} points");
        }
    }
}

/// Section 8.1: both parties' keys, and the secret that they share.
#[test]
fn the_vector_of_rfc_5903_holds() {
    let keys = [
        "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433",
        "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53",
    ]
    .map(unhex);
    let public = [
        "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180\
         5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3",
        "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63\
         56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab",
    ]
    .map(unhex::<64>);
    let shared: X = unhex("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de");
    let generator = point(ProjectivePoint::generator());
    for kernel in Kernel::available() {
        for (mine, theirs) in [(0, 1), (1, 0)] {
            let mut products = [generator, public[theirs]];
            multiply(kernel, &keys[mine], &mut products);
            assert_eq!(products[0][..32], public[mine][..32]);
            assert_eq!(products[1][..32], shared);
        }
    }
}

#[test]
fn lifted_points_agree_with_another_library() {
    let expected: Vec<Point> =
        pseudorandom(300).iter().filter_map(on_curve).map(even).take(101).collect();
    let xs: Vec<X> = expected.iter().map(field_bytes).collect();
    for kernel in Kernel::available() {
        for count in (0..18).chain([31, 33, 101]) {
            let mut lifted = vec![[0; 64]; count];
            assert_eq!(lift(kernel, &xs[..count], &mut lifted), Ok(()));
            assert_eq!(lifted, expected[..count], "{kernel:?}");
            assert_eq!(check(kernel, &lifted), Ok(()));
        }
    }
}

#[test]
fn each_is_lifted_that_can_be() {
    let mut xs: Vec<X> = pseudorandom(99);
    // p and more are no coordinates.
    xs.extend([
        [0xff; 32],
        unhex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
    ]);
    for kernel in Kernel::available() {
        for count in (0..18).chain([31, 33, 101]) {
            let (mut points, mut lifted) = (vec![[0; 64]; count], vec![false; count]);
            lift_each(kernel, &xs[..count], &mut points, &mut lifted);
            for ((x, point), lifted) in xs.iter().zip(points).zip(lifted) {
                assert_eq!(lifted.then_some(point), on_curve(x).map(even), "{kernel:?}");
            }
        }
    }
}

fn field_bytes(point: &Point) -> X {
    point[..32].try_into().expect("32 bytes")
}

#[test]
fn what_is_refused_is_named_by_its_place() {
    let good: Vec<Point> = points().into_iter().cycle().take(40).map(even).collect();
    let xs: Vec<X> = good.iter().map(field_bytes).collect();
    let mut beyond = [0xff; 32];
    let off = pseudorandom(20).into_iter().find(|x| on_curve(x).is_none()).expect("one of twenty");
    for kernel in Kernel::available() {
        for place in [0, 7, 8, 15, 16, 17, 39] {
            beyond[31] = place as u8;
            for bad in [off, beyond] {
                let mut xs = xs.clone();
                (xs[place], xs[39]) = (bad, off);
                assert_eq!(lift(kernel, &xs, &mut vec![[0; 64]; 40]), Err(place), "{kernel:?}");
            }
            let odd = point(-on_curve(&xs[place]).expect("on the curve"));
            let odd =
                if odd[63] & 1 == 1 { odd } else { point(on_curve(&xs[place]).expect("too")) };
            let changed = |at: usize, to: u8| {
                let mut point = good[place];
                point[at] = to;
                point
            };
            let (x, y) = (good[place][0] ^ 1, good[place][40] ^ 1);
            let mut high = [0xff; 64];
            high[63] = 0xfe;
            for bad in [odd, changed(0, x), changed(40, y), [0; 64], high] {
                let mut points = good.clone();
                (points[place], points[39]) = (bad, [0; 64]);
                assert_eq!(check(kernel, &points), Err(place), "{kernel:?}");
            }
        }
    }
}

/// x³ − 3x + B is a square for x = 5: so is it for 5 + p, which is refused all the same.
#[test]
fn numbers_from_p_on_are_refused() {
    let (mut five, mut more) = ([0; 32], modulus().to_bytes_be());
    five[31] = 5;
    assert!(lift(Kernel::best(), &[five], &mut [[0; 64]]).is_ok());
    more = (BigUint::from_bytes_be(&more) + 5u8).to_bytes_be();
    let more = more.try_into().expect("32 bytes");
    for kernel in Kernel::available() {
        assert_eq!(lift(kernel, &[more], &mut [[0; 64]]), Err(0));
    }
}

#[test]
fn numbers_map_alike_with_every_kernel() {
    // Also those without a divisor: 0, and the roots of 1/10.
    let mut root = [0; 48];
    root[16..].copy_from_slice(&unhex::<32>(
        "95d527d249c8dc5cadbf4c70bb59aaab72c14fffbad5622bd147b86a639ec6d9",
    ));
    let mut uniform = vec![[0; 48], root, [0xff; 48]];
    uniform.extend(pseudorandom::<48>(300));
    let mut expected = vec![[0; 64]; uniform.len()];
    map(Kernel::Scalar, &uniform, &mut expected);
    let x = "a528bd8696bdaf996c65b982d94959d3146fe6a020693090bdba13132375f224";
    assert!(expected[..2].iter().all(|point| point[..32] == unhex::<32>(x)));
    for (uniform, point) in uniform.iter().zip(&expected) {
        let found = on_curve(&field_bytes(point)).expect("on the curve");
        let u = BigUint::from_bytes_be(uniform) % modulus();
        assert_eq!(point[63] & 1 == 1, u.bit(0));
        assert!([found, -found].map(self::point).contains(point));
    }
    for kernel in Kernel::available() {
        for count in (0..18).chain([127, 128, 129, 303]) {
            let mut points = vec![[0; 64]; count];
            map(kernel, &uniform[..count], &mut points);
            assert_eq!(points, expected[..count], "{kernel:?}, {count} numbers");
        }
    }
}

fn modulus() -> BigUint {
    (BigUint::from(1u8) << 256u32) - (BigUint::from(1u8) << 224u32)
        + (BigUint::from(1u8) << 192u32)
        + (BigUint::from(1u8) << 96u32)
        - 1u8
}

fn number(limbs: &Limbs) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 52u32) + *limb)
}

/// Operations of the field on two elements with the most that limbs may hold, reduced in each way.
struct Operations<'a> {
    a: &'a Limbs,
    b: &'a Limbs,
    results: &'a mut Vec<(&'static str, Limbs)>,
}

impl Work for Operations<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let (a, b) = (field::splat(l, self.a), field::splat(l, self.b));
        let [product, other] = field::multiply(l, [a, b], [b, b]);
        let [square] = field::square(l, [b]);
        let difference = product.minus(l, square.times::<3>(l));
        let more = product.times::<3>(l).minus(l, square);
        let sum = Wide::of(a).plus(l, Wide::of(b));
        let elements = [
            ("product", field::reduce(l, product)),
            ("square", field::reduce(l, square)),
            ("square as product", field::reduce(l, other)),
            ("difference", field::reduce(l, difference)),
            ("other difference", field::reduce(l, more)),
            ("sum", field::reduce(l, sum)),
            ("opposite", field::reduce(l, Wide::of([l.splat(0); 5]).minus(l, Wide::of(a)))),
            ("canonical", field::canonical(l, a)),
        ];
        for (name, element) in elements {
            let mut limbs = [0; 5];
            for (limb, lanes) in limbs.iter_mut().zip(element) {
                let lanes = &l.array(lanes)[..L::LANES];
                *limb = lanes[0];
                assert!(lanes.iter().all(|lane| lane == limb), "{name}");
            }
            self.results.push((name, limbs));
        }
    }
}

fn element() -> impl Strategy<Value = Limbs> {
    let limb = prop_oneof![Just(0), Just(1), Just(MASK_52), Just(MASK_52 - 1), 0..=MASK_52];
    proptest::array::uniform5(limb)
}

proptest! {
    #[test]
    fn operations_agree_with_another_library(a in element(), b in element()) {
        let p = modulus();
        let (x, y) = (number(&a), number(&b));
        let inverse = (BigUint::from(1u8) << 260u32).modinv(&p).expect("R is a unit");
        let (product, square) = (&x * &y * &inverse % &p, &y * &y * &inverse % &p);
        let expected = [
            ("product", product.clone()),
            ("square", square.clone()),
            ("square as product", square.clone()),
            ("difference", (&product + 8u8 * (&p - &square)) % &p),
            ("other difference", (8u8 * &product + (&p - &square)) % &p),
            ("sum", (&x + &y) % &p),
            ("opposite", (16u8 * &p - (&x % &p)) % &p),
            ("canonical", &x * &inverse % &p),
        ];
        for kernel in Kernel::available() {
            let mut results = Vec::new();
            on_lanes(kernel, Operations { a: &a, b: &b, results: &mut results });
            for ((name, limbs), (of, expected)) in results.iter().zip(&expected) {
                prop_assert_eq!(name, of);
                prop_assert!(limbs.iter().all(|limb| *limb <= MASK_52), "{}", name);
                let result = number(limbs);
                prop_assert_eq!(&result % &p, expected.clone(), "{:?}, {}", kernel, name);
                let bound = if *name == "canonical" { p.clone() } else { 201u8 * &p / 100u8 };
                prop_assert!(result < bound, "{:?}, {}", kernel, name);
            }
        }
    }
}
