//! Numbers and coordinates against curve25519-dalek and the forward map.

use std::collections::HashSet;

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::{EdwardsPoint, MontgomeryPoint, Scalar as Exponent};

use super::super::tests::wide;
use super::super::{lift, multiply_generator, representatives, u_coordinates};
use super::*;
use crate::{Kernel, elligator2};

const EVERY: [u8; 32] = {
    let mut branches = [0; 32];
    let mut index = 0;
    while index < 32 {
        branches[index] = index as u8;
        index += 1;
    }
    branches
};

/// Multiples of the generator, the neutral element first, and the same of another library.
fn points(kernel: Kernel, count: u64) -> (Vec<Point>, Vec<EdwardsPoint>) {
    let random = (1..count).map(|seed| Exponent::from_bytes_mod_order_wide(&wide(seed)));
    let scalars: Vec<_> = [Exponent::ZERO].into_iter().chain(random).collect();
    let bytes: Vec<_> = scalars.iter().map(Exponent::to_bytes).collect();
    let mut points = vec![Point::IDENTITY; bytes.len()];
    multiply_generator(kernel, &bytes, &mut points);
    (points, scalars.iter().map(EdwardsPoint::mul_base).collect())
}

/// Where Elligator 2 takes numbers.
fn forward(kernel: Kernel, numbers: &[[u8; 32]]) -> Vec<[u8; 32]> {
    let big_endian = |number: &[u8; 32]| {
        let mut wide = [0; 48];
        wide[16..].iter_mut().zip(number.iter().rev()).for_each(|(to, from)| *to = *from);
        wide
    };
    let mut images = vec![[0; 32]; numbers.len()];
    elligator2(kernel, &numbers.iter().map(big_endian).collect::<Vec<_>>(), &mut images);
    images
}

fn represented(kernel: Kernel, points: &[Point], branches: &[u8]) -> (Vec<[u8; 32]>, Vec<bool>) {
    let branches: Vec<_> = branches.iter().map(|byte| ElligatorBranch::new(*byte)).collect();
    let (mut numbers, mut found) = (vec![[0; 32]; points.len()], vec![false; points.len()]);
    representatives(kernel, points, &branches, &mut numbers, &mut found);
    (numbers, found)
}

#[test]
fn coordinates_are_those_of_another_library() {
    for kernel in Kernel::available() {
        let (points, expected) = points(kernel, 150);
        let expected: Vec<_> = expected.iter().map(|point| point.to_montgomery().0).collect();
        for count in [0, 1, 7, 8, 129, 150] {
            let mut u = vec![[0; 32]; count];
            u_coordinates(kernel, &points[..count], &mut u);
            assert_eq!(u, expected[..count], "{kernel:?}");
        }
    }
}

#[test]
fn coordinates_of_the_curve_alone_are_lifted() {
    for kernel in Kernel::available() {
        let torsion = EIGHT_TORSION.iter().skip(1).map(|point| point.to_montgomery().0);
        for u in (0..40).map(|seed| *wide(seed).first_chunk().expect("32 bytes")).chain(torsion) {
            let expected = MontgomeryPoint(u).to_edwards(0).map(|point| point.to_montgomery().0);
            let mut coordinate = [[0; 32]];
            let point = lift(kernel, &u);
            if let Some(point) = point {
                u_coordinates(kernel, &[point], &mut coordinate);
            }
            assert_eq!(point.map(|_| coordinate[0]), expected, "{kernel:?}");
        }
    }
}

#[test]
fn no_number_is_over_minus_one() {
    let mut minus_one = [0xff; 32];
    (minus_one[0], minus_one[31]) = (0xec, 0x7f);
    assert!(Kernel::available().all(|kernel| lift(kernel, &minus_one).is_none()));
}

/// What each branch adds: of the multiples of the chosen point of order 8 those of the bits, where bit 1 may stand for
/// either of the points of order 4.
fn shifts(of_bit_1: usize) -> [EdwardsPoint; 8] {
    let y = ORDER_8[1];
    let is_ours = |point: &EdwardsPoint| point.compress().0 == field::bytes(y);
    let ours = EIGHT_TORSION.iter().position(is_ours).expect("a point of order 8");
    std::array::from_fn(|branch| {
        let multiple = (branch & 1) + of_bit_1 * (branch >> 1 & 1) + 4 * (branch >> 2);
        EIGHT_TORSION[ours * multiple % 8]
    })
}

#[test]
fn numbers_map_to_the_shifted_points() {
    for kernel in Kernel::available() {
        let (points, expected) = points(kernel, 40);
        let [mut first, mut second] = [true; 2];
        for (point, expected) in points.iter().zip(expected) {
            let (numbers, found) = represented(kernel, &[*point; 32], &EVERY);
            let images = forward(kernel, &numbers);
            for (branch, (image, _)) in
                images.iter().zip(&found).enumerate().filter(|(_, (_, found))| **found)
            {
                let is = |shift: EdwardsPoint| (expected + shift).to_montgomery().0 == *image;
                first &= is(shifts(2)[branch % 8]);
                second &= is(shifts(6)[branch % 8]);
            }
        }
        assert!(first || second, "{kernel:?}");
    }
}

#[test]
fn all_four_numbers_of_a_point_are_found() {
    for kernel in Kernel::available() {
        for seed in 0..40 {
            let mut number: [u8; 32] = *wide(seed).first_chunk().expect("32 bytes");
            number[31] &= 0x7f;
            let image = forward(kernel, &[number]);
            let point = lift(kernel, &image[0]).expect("an image is on the curve");
            let (numbers, found) = represented(kernel, &[point; 4], &[0, 8, 16, 24]);
            assert_eq!(found, [true; 4]);
            assert!(numbers.contains(&number), "{kernel:?}");
            assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), 4);
            assert_eq!(forward(kernel, &numbers), vec![image[0]; 4]);
        }
    }
}

#[test]
fn exceptional_points_have_the_numbers_they_should() {
    for kernel in Kernel::available() {
        let (numbers, found) = represented(kernel, &[Point::IDENTITY; 32], &EVERY);
        for branch in 0..32 {
            match branch & 7 {
                0 => assert!(!found[branch], "the neutral element has none"),
                // u = 0, to which 0 alone is mapped, by the second branch.
                4 => {
                    assert_eq!(found[branch], branch & 8 != 0, "{kernel:?}, {branch}");
                    assert!(!found[branch] || numbers[branch] == [0; 32]);
                }
                _ => {}
            }
        }
    }
}
