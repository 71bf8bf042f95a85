//! Every kernel against curve25519-dalek, which multiplies by Edwards or Montgomery formulas of its own.

use curve25519_dalek::MontgomeryPoint;
use proptest::prelude::*;

use super::field::{self, Field, MASK, Subroutine};
use super::floats::{Floats, LIMBS, Rounding, exponent};
use super::*;
use crate::vector::V1;

/// Points and numbers at the edges: of the field, of the encoding, and those of small order on the curve and its
/// twist.
fn edges() -> Vec<Point> {
    let number = |low: u8, middle: u8, high: u8| {
        let mut bytes = [middle; 32];
        (bytes[0], bytes[31]) = (low, high);
        bytes
    };
    let mut edges = vec![
        number(0, 0, 0),
        number(1, 0, 0),
        number(9, 0, 0),
        number(0xeb, 0xff, 0x7f),
        number(0xec, 0xff, 0x7f),
        // p, p + 1 and all that are not canonical up to the largest, with and without the ignored bit.
        number(0xed, 0xff, 0x7f),
        number(0xee, 0xff, 0x7f),
        number(0xff, 0xff, 0x7f),
        number(0xec, 0xff, 0xff),
        number(0xff, 0xff, 0xff),
        number(0, 0, 0x80),
        // Limbs full and empty by turns.
        number(0x55, 0x55, 0x55),
        number(0xaa, 0xaa, 0x2a),
    ];
    // The two points of order 8.
    for order_8 in [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ] {
        let digit = |index| u8::from_str_radix(&order_8[2 * index..][..2], 16);
        edges.push(std::array::from_fn(|index| digit(index).expect("hexadecimal")));
    }
    edges
}

/// X25519 as another library has it.
fn expected(scalar: &[u8; 32], points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| MontgomeryPoint(*point).mul_clamped(*scalar).0).collect()
}

fn check(scalar: &[u8; 32], points: &[Point]) {
    let expected = expected(scalar, points);
    for kernel in Kernel::available() {
        let mut products = points.to_vec();
        x25519(kernel, scalar, &mut products);
        assert_eq!(products, expected, "{kernel:?}");
    }
}

fn pseudorandom(count: usize) -> Vec<Point> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut byte = || {
        state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..count).map(|_| std::array::from_fn(|_| byte())).collect()
}

#[test]
fn edges_multiply_as_another_library_says() {
    let mut one_bit = [0; 32];
    one_bit[0] = 8;
    for scalar in [[0; 32], [0xff; 32], [0x55; 32], [0xaa; 32], one_bit] {
        check(&scalar, &edges());
    }
}

#[test]
fn a_neutral_element_leaves_its_neighbours_alone() {
    let mut points = pseudorandom(600);
    let edges = edges();
    for (place, edge) in [0, 7, 8, 255, 256, 599].into_iter().zip(edges.iter().cycle()) {
        points[place] = *edge;
    }
    check(&[3; 32], &points);
}

#[test]
fn any_number_of_points_is_multiplied() {
    let points = pseudorandom(260);
    let scalar = [0xc7; 32];
    let expected = expected(&scalar, &points);
    for kernel in Kernel::available() {
        for count in (0..20).chain([31, 64, 255, 256, 257]) {
            let mut products = points[..count].to_vec();
            x25519(kernel, &scalar, &mut products);
            assert_eq!(products, expected[..count], "{kernel:?}, {count} points");
        }
    }
}

#[test]
fn numbers_map_alike_with_every_kernel() {
    let uniform: Vec<[u8; 48]> = (0..300u32)
        .map(|index| std::array::from_fn(|byte| ((index * (byte as u32 + 3)) >> 2) as u8))
        .chain([[0; 48], [0xff; 48], std::array::from_fn(|byte| u8::from(byte == 47))])
        .collect();
    let mut expected = vec![[0; 32]; uniform.len()];
    elligator2(Kernel::Scalar, &uniform, &mut expected);
    // r = 0 gives x1 = −A, and g(−A) = −A is no square: the image is −x1 − A = 0.
    assert_eq!(expected[300], [0; 32]);
    for kernel in Kernel::available() {
        for count in [1, 2, 8, 9, 17, 303] {
            let mut points = vec![[0; 32]; count];
            elligator2(kernel, &uniform[303 - count..], &mut points);
            assert_eq!(points, expected[303 - count..], "{kernel:?}, {count} numbers");
        }
    }
}

/// Euler's criterion with the plain field: the power of (p − 1)/2 = 2^254 − 10.
fn is_square(x: field::Limbs) -> bool {
    let f = Scalar;
    let x = f.load(&field::rows(&[x], |limbs| *limbs));
    let mut power = f.splat(1);
    for bit in (0..254).rev() {
        [power] = f.square([power]);
        if bit > 3 || 0b0110 >> bit & 1 == 1 {
            [power] = f.multiply([power], [x]);
        }
    }
    field::bytes(field::column(&f.store(power), 0)) == [[1].as_slice(), &[0; 31]].concat()[..]
}

/// Which values are squares, three groups of lanes at a time.
struct Squares<'a>(&'a [field::Limbs], &'a mut Vec<bool>);

impl Work for Squares<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let Self(values, squares) = self;
        for values in values.chunks(3 * F::LANES) {
            let mut rows = [[[0; crate::vector::MOST_LANES]; 5]; 3];
            for (rows, values) in rows.iter_mut().zip(values.chunks(F::LANES)) {
                *rows = field::rows(values, |limbs| *limbs);
            }
            let masks = symbol::squares(f.words(), &rows);
            let lanes = masks.iter().flat_map(|mask| (0..F::LANES).map(move |lane| mask >> lane));
            squares.extend(lanes.map(|bit| bit & 1 == 1).take(values.len()));
        }
    }
}

fn check_squares(values: &[field::Limbs]) {
    let expected: Vec<bool> = values.iter().map(|value| is_square(*value)).collect();
    for kernel in Kernel::available() {
        let mut squares = Vec::new();
        on_lanes(kernel, Squares(values, &mut squares));
        for (index, value) in values.iter().enumerate() {
            assert_eq!(squares[index], expected[index], "{kernel:?}, {value:?}");
        }
    }
}

/// ⌊p·i/j⌋ + `added`: the greatest common divisor with p soon meets numbers close to each other.
fn fraction(i: u64, j: u64, added: u64) -> field::Limbs {
    let (mut product, mut carry) = ([0; 5], 0);
    for (product, limb) in product.iter_mut().zip([MASK - 18, MASK, MASK, MASK, MASK]) {
        let sum = u128::from(limb) * u128::from(i) + carry;
        (*product, carry) = (sum as u64 & MASK, sum >> 51);
    }
    for limb in product.iter_mut().rev() {
        let rest = carry << 51 | u128::from(*limb);
        (*limb, carry) = ((rest / u128::from(j)) as u64, rest % u128::from(j));
    }
    product[0] += added;
    product
}

#[test]
fn squares_at_the_edges_are_those_of_eulers_criterion() {
    let p = [MASK - 18, MASK, MASK, MASK, MASK];
    let mut values = vec![p, p.map(|limb| 2 * limb), [(1 << 52) - 1; 5], [MASK; 5]];
    for small in 0..200 {
        values.push([small, 0, 0, 0, 0]);
        values.push([MASK - 18 - small, MASK, MASK, MASK, MASK]);
    }
    for bit in 0..255 {
        let mut power = [0; 5];
        power[bit / 51] = 1 << (bit % 51);
        values.push(power);
        power[0] ^= 1;
        values.push(power);
        let mut ones = [MASK; 5];
        ones[bit / 51] >>= bit % 51;
        ones[bit / 51 + 1..].fill(0);
        values.push(ones);
    }
    for j in 2..40 {
        values.extend((1..j).map(|i| fraction(i, j, j % 3)));
    }
    check_squares(&values);
}

/// One operation of the field in a kernel's lanes beside the plain one, at limbs of the greatest size.
struct Differential<'a> {
    a: &'a field::Limbs,
    b: &'a field::Limbs,
}

impl Differential<'_> {
    #[inline(always)]
    fn results<F: Field>(&self, f: F) -> Vec<Point> {
        let lanes = |limbs: &field::Limbs| field::rows(&vec![*limbs; F::LANES], |limbs| *limbs);
        let (a, b) = (f.load(&lanes(self.a)), f.load(&lanes(self.b)));
        let [product, other] = f.multiply([a, b], [b, b]);
        let [square] = f.square([a]);
        let sum = f.add(a, b);
        let difference = f.subtract(a, b);
        let [of_sum, of_difference] = f.multiply([sum, difference], [a, b]);
        let wide = f.wide_subtract(f.wide_add(f.wide_add(square, square), other), product);
        let [of_differences] = f.multiply([f.subtract(f.carry(wide), b)], [f.carry(wide)]);
        let results = [
            product,
            other,
            square,
            of_sum,
            of_difference,
            f.wide_add(product, square),
            f.wide_subtract(product, square),
            f.wide_subtract(square, product),
            f.multiply_add(a, difference, 121_665),
            f.wide_subtract(
                f.wide_add(f.wide_add(square, square), other),
                f.wide_add(product, other),
            ),
            f.wide_subtract(product, f.wide_add(square, other)),
            of_differences,
        ];
        let mut bytes = Vec::new();
        for wide in results {
            let rows = f.store(f.carry(wide));
            bytes.extend((0..F::LANES).map(|lane| field::bytes(field::column(&rows, lane))));
        }
        bytes.dedup();
        bytes
    }
}

impl Work for (&Differential<'_>, &mut Vec<Point>) {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        *self.1 = self.0.results(f);
    }
}

/// One lane, for tests of the lanes of doubles on any processor.
impl Rounding for V1 {
    fn float_multiply(self, a: f64, b: f64) -> f64 {
        a * b
    }

    fn float_add(self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn float_subtract(self, a: f64, b: f64) -> f64 {
        a - b
    }

    fn mask(self, lanes: u8) -> u64 {
        u64::from(lanes & 1).wrapping_neg()
    }

    fn apart<P: Subroutine<Floats<Self>>>(self, subroutine: P) -> P::Output {
        subroutine.run(Floats::new(self))
    }
}

#[test]
fn sums_of_products_of_doubles_are_exact() {
    // The size of a carried limb, in bits from that of 2^0 on.
    let size = |k: usize| (f64::from(exponent(k + 1)) - 1.0).exp2() * (1.0 + 1.0 / 32.0);
    for k in 0..LIMBS {
        let column: f64 = (0..LIMBS)
            .map(|i| match k.checked_sub(i) {
                Some(j) => size(i) * size(j),
                None => size(i) * size(k + LIMBS - i) * 19.0 * (-255f64).exp2(),
            })
            .sum();
        // Five products, each of a sum and a carried element.
        assert!(5.0 * 2.0 * column < (53.0 + f64::from(exponent(k))).exp2(), "column {k}");
    }
}

#[test]
fn doubles_multiply_as_another_library_says() {
    let mut points = pseudorandom(70);
    points.splice(20..20, edges());
    for scalar in [[0; 32], [0xff; 32], [0x55; 32], [0xaa; 32]] {
        let mut products = points.clone();
        Multiply { scalar: &scalar, points: &mut products }.run(Floats::new(V1));
        assert_eq!(products, expected(&scalar, &points));
    }
}

#[test]
fn doubles_are_kept_as_words() {
    let f = Floats::new(V1);
    for point in pseudorandom(50).into_iter().chain(edges()) {
        let element = f.load(&field::rows(&[point], field::limbs));
        let kept = f.of_words(f.to_words(element));
        let bytes = |element| field::bytes(field::column(&f.store(element), 0));
        assert_eq!(bytes(kept), bytes(element));
        let [square] = f.square([kept]);
        let [product] = f.multiply([element], [element]);
        assert_eq!(bytes(f.carry(square)), bytes(f.carry(product)));
    }
}

fn limbs() -> impl Strategy<Value = field::Limbs> {
    let limb = prop_oneof![
        Just(0),
        Just(1),
        Just(MASK),
        Just(MASK - 18),
        Just((1 << 57) - 1),
        0..=MASK,
        0..(1u64 << 57)
    ];
    proptest::array::uniform5(limb)
}

proptest! {
    #[test]
    fn squares_are_those_of_eulers_criterion(
        values in proptest::collection::vec(limbs(), 1..50),
        (i, j) in (1..1u64 << 50).prop_flat_map(|j| (0..j, Just(j))),
        added in 0..4u64,
    ) {
        let mut values: Vec<_> =
            values.iter().map(|limbs| limbs.map(|limb| limb & ((1 << 52) - 1))).collect();
        values.push(fraction(i, j, added));
        check_squares(&values);
    }

    #[test]
    fn random_points_multiply_as_another_library_says(
        scalar: [u8; 32],
        points in proptest::collection::vec(any::<Point>(), 1..20),
    ) {
        check(&scalar, &points);
    }

    #[test]
    fn operations_agree_at_any_size_of_limbs(a in limbs(), b in limbs()) {
        let differential = Differential { a: &a, b: &b };
        let mut expected = Vec::new();
        on_lanes(Kernel::Scalar, (&differential, &mut expected));
        for kernel in Kernel::available() {
            let mut results = Vec::new();
            on_lanes(kernel, (&differential, &mut results));
            prop_assert_eq!(&results, &expected, "{:?}", kernel);
        }
        prop_assert_eq!(&differential.results(Floats::new(V1)), &expected, "doubles");
    }
}
