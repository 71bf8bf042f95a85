//! Arithmetic modulo long odd numbers, by Montgomery's multiplication ("Modular multiplication without trial division", 1985).
//!
//! | | [`batch`] | [`single`] |
//! |---|---|---|
//! | modulus | a length that the compiler knows: 1024 or 2048 bits | any length |
//! | computes | powers of many numbers with one exponent, or of one number with many; products of powers of residues | one product; the caller makes powers of it |
//! | lanes | a number in each | the digits of one number |
//! | exponents | 256 bits; of residues as long as the modulus | the caller's |
//! | for | groups modulo a safe prime | Paillier's keys, whose exponents are long and whose moduli may be secret |
//!
//! A batch has no carries between lanes, so it is the faster where eight numbers share a modulus and an exponent or a base.

pub mod batch;
pub mod single;
