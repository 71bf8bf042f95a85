//! Published vectors, and Rijndael as its proposal describes it, byte by byte.

use super::*;
use crate::vectors::unhex;

fn encrypted(schedule: &Schedule, string: [u8; 32]) -> [u8; 32] {
    let mut strings = [string];
    in_groups(&mut strings, |blocks| encrypt(schedule, blocks));
    strings[0]
}

fn decrypted(schedule: &Schedule, string: [u8; 32]) -> [u8; 32] {
    let mut strings = [string];
    in_groups(&mut strings, |blocks| decrypt(schedule, blocks));
    strings[0]
}

/// The known answers of the authors' reference code: zeros under a key of zeros, encrypted twice (Daemen and Rijmen, "The
/// Design of Rijndael", appendix D).
#[test]
fn the_vectors_of_the_authors_hold() {
    let schedule = Schedule::new(&[0; 32]);
    let once = "c6227e7740b7e53b5cb77865278eab0726f62366d9aabad908936123a1fc8af3";
    let twice = "9843e807319c32ad1ea3935ef56a2ba96e4bf19c30e47d88a2b97cbbf2e159e7";
    assert_eq!(encrypted(&schedule, [0; 32]), unhex(once));
    assert_eq!(encrypted(&schedule, unhex(once)), unhex(twice));
    assert_eq!(decrypted(&schedule, unhex(twice)), unhex(once));
    assert_eq!(decrypted(&schedule, unhex(once)), [0; 32]);
}

/// a·b modulo x^8 + x^4 + x^3 + x + 1.
fn times(a: u8, b: u8) -> u8 {
    let double = |byte: u8| (byte << 1) ^ ((byte >> 7) * 0x1b);
    (0..8).rev().fold(0, |product, bit| double(product) ^ ((b >> bit & 1) * a))
}

fn s_box(byte: u8) -> u8 {
    let inverse = (0..=255).find(|other| times(byte, *other) == 1).unwrap_or(0);
    (0..5).fold(0x63, |sum, shift| sum ^ inverse.rotate_left(shift))
}

/// The round keys of sections 4.3.1 and 4.3.2 for keys longer than 6 words, as columns.
fn expanded(key: &[u8; 32]) -> Vec<[u8; 4]> {
    let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut constant = 1;
    for index in 8..8 * 15 {
        let mut word = words[index - 1];
        if index % 8 == 0 {
            word.rotate_left(1);
            word = word.map(s_box);
            word[0] ^= constant;
            constant = times(constant, 2);
        } else if index % 8 == 4 {
            word = word.map(s_box);
        }
        let before = words[index - 8];
        words.push(std::array::from_fn(|row| word[row] ^ before[row]));
    }
    words
}

/// The rounds of section 4.2.
fn plain(key: &[u8; 32], string: &[u8; 32]) -> [u8; 32] {
    let keys = expanded(key);
    let table: Vec<u8> = (0..=255).map(s_box).collect();
    let mut columns: Vec<[u8; 4]> = string.as_chunks().0.to_vec();
    let add = |columns: &mut Vec<[u8; 4]>, round: usize| {
        for (column, key) in columns.iter_mut().zip(&keys[8 * round..]) {
            column.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        }
    };
    add(&mut columns, 0);
    for round in 1..=14 {
        let before = columns.clone();
        for (index, column) in columns.iter_mut().enumerate() {
            let row = |row: usize| table[usize::from(before[(index + [0, 1, 3, 4][row]) % 8][row])];
            let shifted = [row(0), row(1), row(2), row(3)];
            let mixed = |row: usize| {
                let byte = |offset: usize| shifted[(row + offset) % 4];
                times(byte(0), 2) ^ times(byte(1), 3) ^ byte(2) ^ byte(3)
            };
            *column = if round == 14 { shifted } else { std::array::from_fn(mixed) };
        }
        add(&mut columns, round);
    }
    columns.as_flattened().try_into().expect("32 bytes")
}

#[test]
fn blocks_are_encrypted_as_the_proposal_says() {
    for seed in 0..20u8 {
        let key = *blake3::hash(&[seed]).as_bytes();
        let string = *blake3::hash(&[seed, 1]).as_bytes();
        let image = plain(&key, &string);
        assert_eq!(encrypted(&Schedule::new(&key), string), image);
        assert_eq!(decrypted(&Schedule::new(&key), image), string);
    }
}

#[test]
fn any_number_of_blocks_is_permuted() {
    let rijndael = Rijndael256::new();
    let strings: Vec<[u8; 32]> = (0..9).map(|seed| *blake3::hash(&[seed]).as_bytes()).collect();
    let mut expected = strings.clone();
    expected.iter_mut().for_each(|string| rijndael.apply(std::slice::from_mut(string)));
    for count in 0..=9 {
        let mut images = strings[..count].to_vec();
        rijndael.apply(&mut images);
        assert_eq!(images, expected[..count]);
        rijndael.invert(&mut images);
        assert_eq!(images, strings[..count]);
    }
}
