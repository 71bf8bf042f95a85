//! PAIR 1.1, IAB Tech Lab's Publisher Advertiser Identity Reconciliation, between two clean rooms.
//!
//! Source: `PAIR.md` of `InteractiveAdvertisingBureau/PAIR` (2026-03-31), section "Two Data Clean Rooms". It leaves the cipher and
//! every byte open; those here are the ones of `Optable/match` (`pkg/pair`, mode 0x01):
//!
//! * an identifier is a text: an e-mail address with the letters A to Z in lower case, or a telephone number in E.164, and of either
//!   the SHA-256 in hexadecimal digits;
//! * Ks is a salt of 32 bytes, h = SHA-256(Ks ‖ identifier), and P the element of ristretto255 that is derived from SHA-512(h) (RFC
//!   9496, section 4.3.4);
//! * Kp and Ka are scalars from 1 to ℓ − 1; k encrypts P to k·P, and k^-1 takes that off again;
//! * points and scalars are sent in their canonical encodings of 32 bytes, in Base64 (RFC 4648, section 4).
//!
//! The steps, PC and AC being the publisher's and the advertiser's clean room:
//!
//! 1. PC makes Ks and shares it with AC, and makes Kp; AC makes Ka ([`Salt`], [`CipherKey`]).
//! 2. PC sends KsKp of the publisher's list, AC sends KsKa of the advertiser's ([`CipherKey::encrypt`]).
//! 3. Each puts its own key on the other's list, shuffles it, and sends it back ([`CipherKey::encrypt_again`]).
//! 4. Each intersects the two lists that have all three keys ([`Matching`]), and tells its client a rate ([`Rate`]).
//! 5. AC takes Ka off what matched, for the advertiser's platform ([`CipherKey::remove`]).
//!
//! **Security.** Semi-honest clean rooms; DDH on ristretto255, with SHA-256 and SHA-512 as random oracles. Both rooms see the sizes of
//! both lists and the number of matches. Nothing proves that a room shuffled, that it put its key on each entry, or whose file it
//! is; [`Matching`] notices another number of entries, entries that come twice or untouched, and lists in each other's place where
//! these show it.
//!
//! **Deviations.** Lists are sets, so a room sends each identifier once. What a room sends in step 2 is shuffled, too: the order of
//! rows is nobody's business. Shuffles are uniform, from the generator that the caller gives.
//!
//! ```
//! use chacha20::ChaCha20Rng;
//! use rand_core::SeedableRng;
//! use veilset_tongues::pair::{CipherKey, Matching, Salt};
//!
//! let rng = &mut ChaCha20Rng::from_seed([1; 32]);
//! let (ks, kp, ka) = (Salt::new(&[2; 32]), CipherKey::generate(rng), CipherKey::generate(rng));
//! let [ann, ben, eve] = ["ann", "ben", "eve"].map(|identifier| ks.hash(identifier.as_bytes()));
//! // Each room encrypts its list, and the other puts its key on that.
//! let (publisher, advertiser) = (kp.encrypt(&[ann, ben]), ka.encrypt(&[ben, eve]));
//! let theirs = ka.encrypt_again(&publisher, rng)?;
//! let ours = kp.encrypt_again(&advertiser, rng)?;
//! // The advertiser's room has what both lists have under Ks and Kp: the Publisher Identifier of ben.
//! let matched = Matching::new(&advertiser, &ours, &theirs)?.matched();
//! assert_eq!(ka.remove(&matched)?, publisher[1..]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base64;
mod cipher;
mod error;
mod guardrails;
mod key;
mod matching;
mod seen;
#[cfg(test)]
mod tests;

pub use self::base64::{decode, encode};
pub use self::cipher::{CipherKey, Encrypted, Hashed, Salt, shuffled};
pub use self::error::{KeyFileError, NotBase64, Refusal};
pub use self::guardrails::{
    CIPHER_KEY_DAYS, LEAST_DIFFERENCE, LEAST_USERS, MOST_RATE, Rate, SALT_DAYS, check_age,
    check_size,
};
pub use self::key::{Kind, Secret};
pub use self::matching::{Matching, MatchingError};
pub use self::seen::{List, NotARecord, Seen};
