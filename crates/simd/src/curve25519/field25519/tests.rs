//! Every kernel against integers of another library.

use num_bigint::BigUint;

use super::*;

fn p() -> BigUint {
    (BigUint::from(1u8) << 255) - 19u8
}

fn integer(number: &Number) -> BigUint {
    BigUint::from_bytes_le(&bytes(number))
}

fn number(integer: &BigUint) -> Number {
    let mut digits = integer.iter_u64_digits();
    std::array::from_fn(|_| digits.next().unwrap_or(0))
}

/// Numbers of 255 bits: the first are 0, 1, p − 1, p, p + 1 and the largest.
fn numbers(seed: u64, count: usize) -> Vec<Number> {
    let edges = [BigUint::ZERO, BigUint::from(1u8), p() - 1u8, p(), p() + 1u8, p() + 18u8];
    let mut state = seed;
    let mut word = || {
        state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state ^ state >> 31
    };
    let random = std::iter::repeat_with(|| [word(), word(), word(), word() >> 1]);
    edges.iter().map(number).chain(random).take(count).collect()
}

/// Σ c·x^i modulo p.
fn value(poly: &[BigUint], x: &BigUint) -> BigUint {
    poly.iter().rev().fold(BigUint::ZERO, |sum, c| (sum * x + c) % p())
}

fn integers(numbers: &[Number]) -> Vec<BigUint> {
    numbers.iter().map(integer).collect()
}

/// a − b modulo p.
fn difference(a: &BigUint, b: &BigUint) -> BigUint {
    (a + 2u8 * p() - b) % p()
}

#[test]
fn values_are_those_of_integers() {
    for (len, count) in [(0, 3), (1, 1), (2, 9), (7, 40), (40, 7), (33, 65), (300, 33)] {
        let (poly, points) = (numbers(1, len), numbers(2, count));
        let coefficients = integers(&poly);
        let expected: Vec<_> =
            points.iter().map(|x| number(&value(&coefficients, &integer(x)))).collect();
        for kernel in Kernel::available() {
            let mut found = vec![[7; 4]; count];
            evaluate(kernel, &poly, &points, &mut found);
            assert_eq!(found, expected, "{kernel:?} {len} {count}");
        }
    }
}

/// Π (x − α), without its leading coefficient.
fn product(points: &[Number]) -> Vec<BigUint> {
    let mut product = vec![BigUint::from(1u8)];
    for point in points {
        let opposite = difference(&BigUint::ZERO, &integer(point));
        let mut next = vec![BigUint::ZERO; product.len() + 1];
        for (index, c) in product.iter().enumerate() {
            next[index] = (&next[index] + c * &opposite) % p();
            next[index + 1] = (&next[index + 1] + c) % p();
        }
        product = next;
    }
    product.truncate(points.len());
    product
}

/// The coefficients of Σ w·P/(x − α).
fn weighted(points: &[Number], weights: &[Number]) -> Vec<BigUint> {
    let mut sum = vec![BigUint::ZERO; points.len()];
    for (index, weight) in weights.iter().enumerate() {
        let mut others = points.to_vec();
        others.remove(index);
        let mut cofactor = product(&others);
        cofactor.push(BigUint::from(1u8));
        for (sum, c) in sum.iter_mut().zip(cofactor) {
            *sum = (&*sum + c * integer(weight)) % p();
        }
    }
    sum
}

/// The numerators of r/P by long division.
fn numerators(rest: &[BigUint], product: &[BigUint]) -> Vec<Number> {
    let mut rest = rest.to_vec();
    let mut numerators: Vec<_> = (0..rest.len())
        .map(|_| {
            let leading = rest.pop().expect("as many coefficients as points");
            rest.insert(0, BigUint::ZERO);
            for (rest, c) in rest.iter_mut().zip(product) {
                *rest = difference(rest, &(c * &leading % p()));
            }
            number(&(leading % p()))
        })
        .collect();
    numerators.reverse();
    numerators
}

#[test]
fn leaves_are_those_of_integers() {
    for (leaf, leaves) in [(1, 3), (2, 8), (3, 17), (32, 9), (33, 2), (64, 8)] {
        let count = leaf * leaves;
        let (points, weights) = (numbers(3, count), numbers(4, count));
        let rests = numbers(5, count);
        let runs = || points.chunks(leaf);
        let all_products: Vec<_> = runs().map(product).collect();
        let expected_products: Vec<_> = all_products.iter().flatten().map(number).collect();
        let expected_sums: Vec<_> =
            runs().zip(weights.chunks(leaf)).flat_map(|(p, w)| weighted(p, w)).collect();
        let expected_sums: Vec<_> = expected_sums.iter().map(number).collect();
        let of_rests = rests.chunks(leaf).zip(&all_products);
        let all_numerators: Vec<_> =
            of_rests.flat_map(|(rest, product)| numerators(&integers(rest), product)).collect();
        let expected_values = runs().zip(rests.chunks(leaf)).flat_map(|(points, rest)| {
            let rest = integers(rest);
            points.iter().map(move |x| number(&value(&rest, &integer(x))))
        });
        let expected_values: Vec<_> = expected_values.collect();
        for kernel in Kernel::available() {
            let mut found = vec![[7; 4]; count];
            products(kernel, leaf, &points, &mut found);
            assert_eq!(found, expected_products, "{kernel:?} {leaf} products");
            let product = found.clone();
            values(kernel, leaf, &product, &all_numerators, &points, &mut found);
            assert_eq!(found, expected_values, "{kernel:?} {leaf} values");
            sums(kernel, leaf, &points, &weights, &mut found);
            assert_eq!(found, expected_sums, "{kernel:?} {leaf} sums");
        }
    }
}
