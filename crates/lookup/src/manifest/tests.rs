use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::oprf::SecretKey;

use super::*;

/// A manifest of 1,000 items without labels, for what is not of the list itself.
pub(crate) fn manifest() -> Manifest {
    let key = SecretKey::generate(&mut ChaCha20Rng::from_seed([1; 32]));
    // 1000 fingerprints of 41 bits: r = 41 − ⌊log2(1000 · 133/64)⌋ = 30, in one block with its length: from
    // 4 + 1000 · 31/8 bytes on.
    Manifest {
        list: [7; 32],
        version: 3,
        key: *key.public(),
        presets: "email/1".to_owned(),
        count: 1000,
        capacity: 1024,
        format: EntryFormat { bits: 41, seal: 0 },
        length: 3879 + 200,
        digest: [8; 32],
    }
}

/// The same with the smallest seals.
pub(crate) fn labelled() -> Manifest {
    Manifest { format: EntryFormat { bits: 41, seal: 32 }, length: 3879 + 32_000, ..manifest() }
}

#[test]
fn a_manifest_is_its_signers_and_as_it_was_signed() {
    let (signer, other) = (Identity::ephemeral(), Identity::ephemeral());
    let signed = manifest().sign(&signer);
    assert_eq!(Manifest::open(&signed, &signer.public_key()), Ok(Some(manifest())));
    assert_eq!(Manifest::open(&signed, &other.public_key()), Ok(None));
    for byte in 0..signed.len() {
        let mut altered = signed.clone();
        altered[byte] ^= 1;
        let opened = Manifest::open(&altered, &signer.public_key());
        assert!(matches!(opened, Ok(None) | Err(_)), "byte {byte}");
    }
}

#[test]
fn what_no_honest_list_has_is_refused() {
    let (signer, good) = (Identity::ephemeral(), manifest());
    let format = |bits, seal| EntryFormat { bits, seal };
    let is_taken = |manifest: &Manifest| {
        let opened = Manifest::open(&manifest.sign(&signer), &signer.public_key());
        assert!(matches!(opened, Ok(Some(_)) | Err(Malformed::OutOfRange)), "{opened:?}");
        opened.is_ok()
    };
    // The narrowest fingerprints for 2^-30: 30 + ⌈log2 1000⌉ = 40 bits; at 1024 items still, at 1025 no more.
    assert!(is_taken(&Manifest { format: format(40, 0), ..good.clone() }));
    assert!(!is_taken(&Manifest { format: format(39, 0), ..good.clone() }));
    assert!(is_taken(&Manifest { format: format(40, 0), count: 1024, ..good.clone() }));
    assert!(!is_taken(&Manifest {
        format: format(40, 0),
        count: 1025,
        capacity: 2048,
        ..good.clone()
    }));
    assert!(!is_taken(&Manifest { format: format(129, 0), ..good.clone() }));
    assert!(!is_taken(&Manifest { capacity: 999, ..good.clone() }), "more than there is room for");
    // Four bytes of a block's length, and 31 bits for each of 1000 values at least, 73 at most.
    assert!(is_taken(&Manifest { length: 3879, ..good.clone() }));
    assert!(!is_taken(&Manifest { length: 3878, ..good.clone() }));
    assert!(!is_taken(&Manifest { length: 10_000, ..good.clone() }));
    assert!(!is_taken(&Manifest {
        count: 1 << 40,
        capacity: 1 << 40,
        format: format(70, 0),
        ..good.clone()
    }));
    assert!(!is_taken(&Manifest {
        count: u64::MAX,
        capacity: u64::MAX,
        format: format(128, 0),
        ..good.clone()
    }));
    // A seal has a tag and two bytes of length, and 4000 bytes of label at most: 16 + 4016 bytes.
    for (seal, taken) in [(32, true), (4032, true), (31, false), (4033, false), (u16::MAX, false)] {
        let length = 3879 + 200 + 1000 * u64::from(seal);
        let labelled = Manifest { format: format(41, seal.into()), length, ..good.clone() };
        assert_eq!(is_taken(&labelled), taken, "{seal}");
    }
    for presets in ["email/1\u{1b}[2J", "a b", "\u{202e}", &"x".repeat(MAX_PRESETS + 1)] {
        assert!(!is_taken(&Manifest { presets: presets.to_owned(), ..good.clone() }));
    }
}

#[test]
fn a_fingerprint_is_of_all_that_is_signed() {
    let good = manifest();
    let others = [
        Manifest { list: [0; 32], ..good.clone() },
        Manifest { version: 4, ..good.clone() },
        Manifest { presets: "raw/1".to_owned(), ..good.clone() },
        Manifest { count: 999, ..good.clone() },
        Manifest { digest: [0; 32], ..good.clone() },
        Manifest { capacity: 2048, ..good.clone() },
    ];
    assert_eq!(good.fingerprint().len(), 64);
    assert!(others.iter().all(|other| other.fingerprint() != good.fingerprint()));
    assert_eq!(good.id(), "07".repeat(32));
}
