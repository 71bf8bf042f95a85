use aes::cipher::{BlockCipherEncrypt, KeyInit};

use super::*;
use crate::vole::{Halves, Nibble, Nonet};

mod words;

const SEED: [u8; 16] = *b"a code for tests";

/// A field or a vector space over one, by definitions of its own.
trait Plain: Subfield {
    /// log₂ of the number of scalars.
    const SCALAR: usize = Self::BITS;

    /// X to the [`SCALAR`](Self::SCALAR).
    const REDUCED: Block;
}

impl Plain for u64 {
    const REDUCED: Block = 0x1b;
}

impl Plain for u128 {
    const REDUCED: Block = 0x87;
}

impl Plain for Nibble {
    const REDUCED: Block = 0b11;
}

impl Plain for Nonet {
    const SCALAR: usize = 8;

    const REDUCED: Block = 0x1b;
}

/// Runs a check for all fields.
macro_rules! for_all {
    ($check:ident) => {
        $check::<Nibble>();
        $check::<Nonet>();
        $check::<u64>();
        $check::<u128>();
    };
}

/// Runs a check for both large fields.
macro_rules! for_both {
    ($check:ident) => {
        $check::<u64>();
        $check::<u128>();
    };
}

/// X, the constant of the far taps.
const X: Block = 2;

/// Elements of B that look random (splitmix64), from a number.
fn elements<B: Plain>(number: u64, len: usize) -> Vec<Block> {
    let mut state = number << 32;
    let mut word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Block::from(mixed ^ (mixed >> 31))
    };
    (0..len).map(|_| B::truncate(word() << 64 | word()).into()).collect()
}

/// The product of a scalar and an element of B, bit by bit.
fn multiply<B: Plain>(a: Block, b: Block) -> Block {
    let all = Block::MAX >> (128 - B::SCALAR);
    let times_a = |b: Block| {
        (0..B::SCALAR).rev().fold(0, |product: Block, bit| {
            let doubled = ((product << 1) & all) ^ ((product >> (B::SCALAR - 1)) * B::REDUCED);
            doubled ^ (((a >> bit) & 1) * b)
        })
    };
    let places = (0..B::BITS).step_by(B::SCALAR);
    places.fold(0, |sum, place| sum ^ times_a(b >> place & all) << place)
}

fn scaled<B: Plain>(c: Block, x: &[Block]) -> Vec<Block> {
    x.iter().map(|&x| multiply::<B>(c, x)).collect()
}

fn sum(x: &[Block], y: &[Block]) -> Vec<Block> {
    x.iter().zip(y).map(|(x, y)| x ^ y).collect()
}

fn compressed<B: Plain>(code: &Code, x: &[Block]) -> Vec<Block> {
    let mut x = halves(code, x);
    let [first, second] = &mut x;
    code.compress::<B>([first, second]);
    x[0].to_vec()
}

fn halves<T: Subfield>(code: &Code, x: &[T]) -> Halves<T> {
    let (first, second) = x.split_at(code.rows);
    [first, second].map(|half| zeroize::Zeroizing::new(half.to_vec()))
}

/// The columns of G, from unit vectors.
fn columns<B: Plain>(code: &Code) -> Vec<Vec<Block>> {
    let unit = |place| (0..2 * code.rows).map(|i| Block::from(i == place)).collect::<Vec<_>>();
    (0..2 * code.rows).map(|place| compressed::<B>(code, &unit(place))).collect()
}

/// One block of a stream, by the module's text.
fn stream_block(stream: u8, block: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&(block as u64).to_le_bytes());
    bytes[15] = stream;
    let mut bytes = bytes.into();
    aes::Aes128Enc::new(&SEED.into()).encrypt_block(&mut bytes);
    bytes.into()
}

fn bit(block: &[u8; 16], bit: usize) -> bool {
    block[bit / 8] >> (bit % 8) & 1 == 1
}

/// The rows of G for `m` rows, by the module's text, with `x` for X.
fn rows_by_definition<B: Plain>(m: usize, x: Block) -> Vec<Vec<Block>> {
    let unit = |j: usize| (0..2 * m).map(|i| Block::from(i == j)).collect::<Vec<_>>();
    let mut w: Vec<Vec<Block>> = Vec::new();
    for j in 0..2 * m {
        let (k, taps) = (j % 4, stream_block(7, j / 4));
        let mut row = unit(j);
        let mut add = |back: usize, c: Block| {
            if let Some(place) = j.checked_sub(back) {
                row = sum(&row, &scaled::<B>(c, &w[place]));
            }
        };
        for tap in 0..24 {
            let group = tap / 4 + 1;
            if bit(&taps, 24 * k + tap) {
                let c = [1, x, multiply::<B>(x, x)][(group - 1) / 2];
                add(k + 4 * group - tap % 4, c);
            }
        }
        for tap in 0..k {
            if bit(&taps, 96 + k * (k - 1) / 2 + tap) {
                add(k - tap, 1);
            }
        }
        add(28, multiply::<B>(x, x));
        w.push(row);
    }
    let region = m / 7;
    let row = |i: usize| {
        (0..7).fold(w[i].clone(), |sums, r| {
            let block = stream_block(r as u8, i / 4);
            let word: [u8; 4] = block[4 * (i % 4)..][..4].try_into().expect("four bytes");
            let position = (u64::from(u32::from_le_bytes(word)) * region as u64) >> 32;
            sum(&sums, &w[m + r * region + position as usize])
        })
    };
    (0..m).map(row).collect()
}

#[test]
fn compress_is_the_matrix_of_the_definition() {
    for_all!(compress_is_the_matrix_of_the_definition_over);
}

fn compress_is_the_matrix_of_the_definition_over<B: Plain>() {
    for m in [28, 56, 140, 280] {
        let code = Code::with_rows(m, &SEED);
        let x = elements::<B>(m as u64, 2 * m);
        let dot = |row: &Vec<Block>| {
            row.iter().zip(&x).fold(0, |sum, (&g, &x)| sum ^ multiply::<B>(g, x))
        };
        let expected: Vec<_> = rows_by_definition::<B>(m, X).iter().map(dot).collect();
        assert_eq!(compressed::<B>(&code, &x), expected, "{m}");
    }
}

#[test]
fn compress_is_linear_over_the_field() {
    for_all!(compress_is_linear_over_the_field_over);
}

fn compress_is_linear_over_the_field_over<B: Plain>() {
    let code = Code::new(&LpnParameters::new(5_000), &SEED);
    let (x, z) = (elements::<B>(1, 2 * code.rows), elements::<B>(2, 2 * code.rows));
    let scalars = elements::<B>(3, 2).into_iter();
    let scalars: Vec<_> = scalars.map(|a| a & Block::MAX >> (128 - B::SCALAR)).collect();
    let [a, b] = scalars[..] else { unreachable!("two scalars") };
    let together = compressed::<B>(&code, &sum(&scaled::<B>(a, &x), &scaled::<B>(b, &z)));
    let apart = sum(
        &scaled::<B>(a, &compressed::<B>(&code, &x)),
        &scaled::<B>(b, &compressed::<B>(&code, &z)),
    );
    assert_eq!(together, apart);
}

#[test]
fn two_vectors_together_are_two_vectors() {
    for_all!(two_vectors_together_are_two_vectors_over);
}

fn two_vectors_together_are_two_vectors_over<B: Plain>() {
    for len in [1, 10_000] {
        let code = Code::new(&LpnParameters::new(len), &SEED);
        let x = elements::<B>(4, 2 * code.rows);
        // Over the large field.
        let z = elements::<u128>(5, 2 * code.rows);
        let left: Vec<B> = x.iter().map(|&x| B::truncate(x)).collect();
        let (mut left, mut right) = (halves(&code, &left), halves(&code, &z));
        let ([left, second_left], [right, second_right]) = (&mut left, &mut right);
        code.compress_both::<B>(left, right, |region, to_left, to_right| {
            let part = region * to_left.len()..(region + 1) * to_left.len();
            to_left.copy_from_slice(&second_left[part.clone()]);
            to_right.copy_from_slice(&second_right[part]);
        });
        let left = left.iter().map(|&x| x.into());
        assert!(left.eq(compressed::<B>(&code, &x)));
        assert!(right[..] == compressed::<B>(&code, &z));
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let code = Code::new(&LpnParameters::new(3 * TASK + 1), &SEED);
    let x = elements::<u128>(6, 2 * code.rows);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| compressed::<u128>(&code, &x))
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
}

#[test]
fn known_answers() {
    let first = answer::<u128>(&SEED, 1, 7);
    assert_ne!(first, answer::<u128>(b"another of these", 1, 7));
    let expected = [
        0x393a_ae44_864a_a3d1_141a_4b85_6c3a_eb56,
        0x8202_ca00_fa07_4032_585b_26e2_1bae_7332,
        0xfc16_af94_2385_2625_f155_3ac6_5c07_3881,
    ];
    assert_eq!(first, expected);
    let expected = [
        0x9eee_076a_57c3_d410_e7c8_e030_560c_2fb2,
        0x49aa_ef6b_5514_3392_b463_fdbe_8efa_a04d,
        0x897e_878a_12c2_57ce_e48f_60c4_aa6e_1593,
    ];
    assert_eq!(answer::<u128>(&SEED, 20_000, 8), expected);
    let expected = [0xdebf_d92a_f308_1b2f, 0x4431_2bc4_8640_40e8, 0x0b67_1d80_b362_7ddb];
    assert_eq!(answer::<u64>(&SEED, 20_000, 8), expected);
}

/// The first and the last element of an image, and a hash of all.
fn answer<B: Plain>(seed: &[u8; 16], len: usize, number: u64) -> [Block; 3] {
    let code = Code::new(&LpnParameters::new(len), seed);
    let y = compressed::<B>(&code, &elements::<B>(number, 2 * code.rows));
    let (first, last) = (y[0], y[code.rows - 1]);
    [first, last, y.iter().fold(0, |hash, &y| multiply::<B>(hash, 0x1_0000_0001) ^ y)]
}

/// The words of least weight that are easy to find: rows of G and sums of two rows that share positions.
#[test]
fn rows_and_their_sums_are_heavy() {
    for_both!(rows_and_their_sums_are_heavy_over);
}

fn rows_and_their_sums_are_heavy_over<B: Plain>() {
    let code = Code::with_rows(140, &SEED);
    let columns = columns::<B>(&code);
    let weight =
        |i: usize, k: usize| columns.iter().filter(|column| column[i] != column[k]).count();
    let row = |i: usize| columns.iter().filter(|column| column[i] != 0).count();
    for i in 0..code.rows {
        assert!(row(i) >= 240, "row {i}: {}", row(i));
        for k in 0..i {
            assert!(weight(i, k) >= 200, "rows {i} and {k}: {}", weight(i, k));
        }
    }
}

/// The bits of a column, one word for each bit of the elements: 128 vectors over GF(2).
fn planes(column: &[Block]) -> Vec<Vec<u64>> {
    let plane = |bit: usize| {
        let words = column.chunks(64);
        words.map(|c| c.iter().fold(0, |word, &c| word << 1 | (c >> bit) as u64 & 1)).collect()
    };
    (0..128).map(plane).collect()
}

/// A basis in echelon form: each vector with the place of a one where those after it have none.
struct Span(Vec<(usize, Vec<u64>)>);

impl Span {
    fn of(vectors: Vec<Vec<u64>>) -> Self {
        vectors.into_iter().fold(Self(Vec::new()), |mut span, vector| {
            let rest = span.rest(vector);
            let place =
                (0..64 * rest.len()).find(|&place| rest[place / 64] >> (place % 64) & 1 == 1);
            span.0.extend(place.map(|place| (place, rest)));
            span
        })
    }

    fn rest(&self, mut vector: Vec<u64>) -> Vec<u64> {
        for (place, basis) in &self.0 {
            if vector[place / 64] >> (place % 64) & 1 == 1 {
                vector.iter_mut().zip(basis).for_each(|(word, basis)| *word ^= basis);
            }
        }
        vector
    }

    fn holds(&self, vectors: Vec<Vec<u64>>) -> bool {
        vectors.into_iter().all(|vector| self.rest(vector).iter().all(|&word| word == 0))
    }
}

/// The attack of Metzner and Kapturowski finds noisy places of a binary code, fewer than an element has bits, and none of this one.
#[test]
fn the_bits_of_the_result_do_not_give_the_places_away() {
    for_both!(the_bits_of_the_result_do_not_give_the_places_away_over);
}

fn the_bits_of_the_result_do_not_give_the_places_away_over<B: Plain>() {
    let m = 280;
    let noisy = B::BITS * 3 / 4;
    let places: Vec<_> = (0..noisy).map(|k| 5 * k + k % 3).collect();
    let found = |x: Block| {
        let rows = rows_by_definition::<B>(m, x);
        let column = |j: usize| rows.iter().map(|row| row[j]).collect::<Vec<_>>();
        let noise = places.iter().zip(elements::<B>(9, noisy));
        let y = noise
            .fold(vec![0; m], |y, (&place, value)| sum(&y, &scaled::<B>(value, &column(place))));
        let span = Span::of(planes(&y));
        (0..2 * m).filter(|&j| span.holds(planes(&column(j)))).collect::<Vec<_>>()
    };
    assert_eq!(found(1), places);
    assert_eq!(found(X), Vec::<usize>::new());
}

/// Sums of multiples of rows whose elements are all in the span of 1, X, …, X^(s−1) see the noise through a binary matrix
/// in s·t places. A binary code has m·s of them that are independent, this one m·(s − 2).
#[test]
fn sums_of_rows_are_not_binary() {
    for_both!(sums_of_rows_are_not_binary_over);
}

fn sums_of_rows_are_not_binary_over<B: Plain>() {
    let m = 84;
    let dimension = |x: Block, s: usize| {
        let checks = checks::<B>(rows_by_definition::<B>(m, x));
        // One vector over GF(2) for each bit of each element of a word: what it adds to all checks.
        let bits = (0..2 * m).flat_map(|j| (0..s).map(move |power| (j, power)));
        let vectors: Vec<_> = bits
            .map(|(j, power)| {
                let column = checks.iter().map(|check| multiply::<B>(check[j], 1 << power));
                column.flat_map(|c| [c as u64, (c >> 64) as u64]).collect::<Vec<_>>()
            })
            .collect();
        vectors.len() - Span::of(vectors).0.len()
    };
    assert_eq!([dimension(1, 1), dimension(1, 2)], [m, 2 * m]);
    let dimensions = [1, 2, 3, 4].map(|s| dimension(X, s));
    assert_eq!(dimensions[0], 0);
    assert!(dimensions[1] <= 4, "{dimensions:?}");
    assert_eq!(dimensions[2..], [m, 2 * m]);
}

/// A basis of the vectors over the field that are orthogonal to all `rows`.
fn checks<B: Plain>(mut rows: Vec<Vec<Block>>) -> Vec<Vec<Block>> {
    let (m, length) = (rows.len(), rows[0].len());
    let mut pivots = Vec::new();
    for column in 0..length {
        let done = pivots.len();
        let Some(row) = (done..m).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(done, row);
        rows[done] = scaled::<B>(inverse::<B>(rows[done][column]), &rows[done]);
        for row in (0..m).filter(|&row| row != done) {
            let factor = rows[row][column];
            if factor != 0 {
                rows[row] = sum(&rows[row], &scaled::<B>(factor, &rows[done]));
            }
        }
        pivots.push(column);
    }
    assert_eq!(pivots.len(), m, "the rows are independent");
    let free = (0..length).filter(|column| !pivots.contains(column));
    free.map(|column| {
        let mut check: Vec<_> = (0..length).map(|place| Block::from(place == column)).collect();
        pivots.iter().zip(&rows).for_each(|(&pivot, row)| check[pivot] = row[column]);
        check
    })
    .collect()
}

/// The inverse of an element that is not 0: its power 2^BITS − 2.
fn inverse<B: Plain>(element: Block) -> Block {
    (1..B::BITS)
        .fold((1, element), |(product, power), _| {
            let power = multiply::<B>(power, power);
            (multiply::<B>(product, power), power)
        })
        .0
}
