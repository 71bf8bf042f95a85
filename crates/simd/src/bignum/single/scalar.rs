//! Words of 64 bits and products of 128.

/// a·b + c + d, which has two words: the lower and the higher.
fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let sum = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    (sum as u64, (sum >> 64) as u64)
}

/// Adds `a`·`b` to `sum`, as long as `a`; returns what is carried out.
fn add_row(sum: &mut [u64], a: &[u64], b: u64) -> u64 {
    let mut carry = 0;
    for (sum, a) in sum.iter_mut().zip(a) {
        (*sum, carry) = multiply_add(*a, b, *sum, carry);
    }
    carry
}

/// Adds the product of `a` with the two words of `b`; `sum` is as long as `a`, and what is carried out has two words.
///
/// Each word of the sum is loaded and stored once for two products, and their carries do not wait for one another.
fn add_rows(sum: &mut [u64], a: &[u64], b: [u64; 2]) -> [u64; 2] {
    let (mut carries, mut before) = ([0; 2], 0);
    for (sum, a) in sum.iter_mut().zip(a) {
        let (low, high) = multiply_add(*a, b[0], *sum, carries[0]);
        carries[0] = high;
        (*sum, carries[1]) = multiply_add(before, b[1], low, carries[1]);
        before = *a;
    }
    let (low, high) = multiply_add(before, b[1], carries[0], carries[1]);
    [low, high]
}

/// Adds `carry` and a bit to two words or one; returns the next bit.
fn add_carry(sum: &mut [u64], carry: &[u64], bit: u64) -> u64 {
    sum.iter_mut().zip(carry).fold(bit, |bit, (sum, carry)| {
        let next = u128::from(*sum) + u128::from(*carry) + u128::from(bit);
        *sum = next as u64;
        (next >> 64) as u64
    })
}

/// a·b/R modulo m for a and b below m.
pub(super) fn multiply(a: &[u64], b: &[u64], m: &[u64], inverse: u64, out: &mut [u64]) {
    let len = m.len();
    let mut wide = zeroize::Zeroizing::new(vec![0; 2 * len + 1]);
    let (pairs, rest) = b.as_chunks::<2>();
    for (index, pair) in pairs.iter().enumerate() {
        let (sum, above) = wide[2 * index..].split_at_mut(len);
        above[..2].copy_from_slice(&add_rows(sum, a, *pair));
    }
    for word in rest {
        let (sum, above) = wide[len - 1..].split_at_mut(len);
        above[0] = add_row(sum, a, *word);
    }
    let mut bit = 0;
    for index in (0..len).step_by(2) {
        let (sum, above) = wide[index..].split_at_mut(len);
        let first = sum[0].wrapping_mul(inverse);
        if index + 1 == len {
            let carry = add_row(sum, m, first);
            bit = add_carry(&mut above[..1], &[carry], bit);
            break;
        }
        let (_, carry) = multiply_add(m[0], first, sum[0], 0);
        let (next, _) = multiply_add(m[1], first, sum[1], carry);
        let carries = add_rows(sum, m, [first, next.wrapping_mul(inverse)]);
        bit = add_carry(&mut above[..2], &carries, bit);
    }
    wide[2 * len] = bit;
    reduce(&mut wide[len..], m);
    out.copy_from_slice(&wide[len..2 * len]);
}

/// Takes m off `value`, which has one word more, unless it is below m.
pub(super) fn reduce(value: &mut [u64], m: &[u64]) {
    let words = || value.iter().zip(m.iter().chain(&[0]));
    let less = words().fold(0, |borrow, (value, m)| {
        (u128::from(*value).wrapping_sub(u128::from(*m)).wrapping_sub(borrow) >> 127) & 1
    });
    let mask = std::hint::black_box(less as u64).wrapping_sub(1);
    value.iter_mut().zip(m.iter().chain(&[0])).fold(0, |borrow, (value, m)| {
        let rest = u128::from(*value).wrapping_sub(u128::from(*m & mask)).wrapping_sub(borrow);
        *value = rest as u64;
        (rest >> 127) & 1
    });
}

/// Doubles `value`, below m, modulo m.
pub(super) fn double(value: &mut Vec<u64>, m: &[u64]) {
    let top = value.iter_mut().fold(0, |bit, word| {
        let top = *word >> 63;
        *word = *word << 1 | bit;
        top
    });
    value.push(top);
    reduce(value, m);
    value.pop();
}

/// Puts into `chosen` the digits of the choice whose place is `index`; 0 if there is none.
pub(super) fn select(choices: &[super::Residue], index: usize, chosen: &mut [u64]) {
    for (place, choice) in choices.iter().enumerate() {
        // All ones where the places are the same: the highest bit of x | −x tells whether x is 0.
        let different = std::hint::black_box((place ^ index) as u64);
        let mask = ((different | different.wrapping_neg()) >> 63).wrapping_sub(1);
        for (chosen, digit) in chosen.iter_mut().zip(&choice.0) {
            *chosen |= digit & mask;
        }
    }
}
