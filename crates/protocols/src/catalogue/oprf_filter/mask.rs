//! From an output of the function to what is published of its item: a fingerprint, and the sealed label.

use blake3::Hasher;
use subtle::ConstantTimeEq;
use veilset_crypto::oprf::Output;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The longest label in bytes.
pub const MAX_LABEL: usize = 4000;

/// Bytes of a label's tag.
const TAG: usize = 16;

/// Labels are padded to a multiple of this.
const PADDING: usize = 16;

/// What belongs to one item, and is known to who may ask for it. Wiped when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Mask {
    /// The item in the published set, before it is cut to the set's width.
    fingerprint: [u8; 16],
    tag_key: [u8; 32],
    stream_key: [u8; 32],
}

impl Mask {
    /// What belongs to the item with this output.
    #[must_use]
    pub fn of(output: &Output) -> Self {
        let derive = |context| blake3::derive_key(context, output.as_bytes());
        let whole = Zeroizing::new(derive("veilset lookup v1 print"));
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&whole[..16]);
        Self {
            fingerprint,
            tag_key: derive("veilset lookup v1 label tag"),
            stream_key: derive("veilset lookup v1 label stream"),
        }
    }

    /// The lowest `bits` of the fingerprint, 1 to 128.
    #[must_use]
    pub fn fingerprint(&self, bits: u32) -> u128 {
        u128::from_le_bytes(self.fingerprint) & (u128::MAX >> (u128::BITS - bits))
    }

    /// The label in `seal` bytes, of which none tells its length.
    ///
    /// This is SIV (Rogaway and Shrimpton 2006) from a keyed hash: the tag is a function of the whole label and starts the
    /// stream, so that another label of the same item has another stream, and the same label looks the same.
    ///
    /// # Panics
    /// When the label does not fit.
    #[must_use]
    pub fn seal(&self, label: &[u8], seal: usize) -> Vec<u8> {
        if seal == 0 {
            return Vec::new();
        }
        let length = u16::try_from(label.len()).expect("a label fits its seal");
        let mut text = Zeroizing::new(vec![0; seal - TAG]);
        text[..2].copy_from_slice(&length.to_le_bytes());
        text[2..2 + label.len()].copy_from_slice(label);
        let tag = self.tag(&text);
        self.add_stream(&tag, &mut text);
        [&tag[..], &text].concat()
    }

    /// The label in a seal; `None` if it is another item's.
    #[must_use]
    pub fn open(&self, seal: &[u8]) -> Option<Vec<u8>> {
        let (tag, sealed) = seal.split_first_chunk::<TAG>()?;
        let mut text = Zeroizing::new(sealed.to_vec());
        self.add_stream(tag, &mut text);
        if !bool::from(self.tag(&text).ct_eq(tag)) {
            return None;
        }
        let (length, text) = text.split_first_chunk()?;
        text.get(..usize::from(u16::from_le_bytes(*length))).map(<[u8]>::to_vec)
    }

    fn tag(&self, text: &[u8]) -> [u8; TAG] {
        let digest = blake3::keyed_hash(&self.tag_key, text);
        std::array::from_fn(|byte| digest.as_bytes()[byte])
    }

    fn add_stream(&self, tag: &[u8; TAG], text: &mut [u8]) {
        let mut stream = Zeroizing::new(vec![0; text.len()]);
        Hasher::new_keyed(&self.stream_key).update(tag).finalize_xof().fill(&mut stream);
        text.iter_mut().zip(stream.iter()).for_each(|(byte, mask)| *byte ^= mask);
    }
}

/// Bytes of a seal for labels of at most `longest` bytes: tag, length and text.
#[must_use]
pub fn seal_for(longest: usize) -> usize {
    TAG + (2 + longest).next_multiple_of(PADDING)
}

/// The longest label that fits a seal.
#[must_use]
pub fn longest_in(seal: usize) -> usize {
    seal.saturating_sub(TAG + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;
    use veilset_crypto::Element;
    use veilset_crypto::oprf::SecretKey;

    fn masks() -> Vec<Mask> {
        let key = SecretKey::generate(&mut ChaCha20Rng::from_seed([1; 32]));
        key.evaluate(&[Element([1; 32]), Element([2; 32])]).iter().map(Mask::of).collect()
    }

    #[test]
    fn a_label_opens_for_its_item_alone() {
        let [one, other] = &masks()[..] else { panic!("two") };
        for label in ["", "x", "breached 2019-01", &"ü".repeat(15)].map(str::as_bytes) {
            let sealed = one.seal(label, seal_for(30));
            assert_eq!(sealed.len(), 48, "whatever its length");
            assert_eq!(one.open(&sealed).as_deref(), Some(label));
            assert_eq!(other.open(&sealed), None);
            for byte in 0..sealed.len() {
                let mut altered = sealed.clone();
                altered[byte] ^= 1;
                assert_eq!(one.open(&altered), None, "byte {byte}");
            }
        }
        assert_eq!((one.seal(b"", 0), one.open(&[])), (Vec::new(), None));
    }

    #[test]
    fn another_label_of_the_item_has_another_stream() {
        let mask = &masks()[0];
        let (one, other) = (mask.seal(b"aaaa", seal_for(4)), mask.seal(b"aaab", seal_for(4)));
        // The same stream would leave the length and three letters alike.
        let alike = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(alike < 5, "{alike}");
        assert_eq!(one, mask.seal(b"aaaa", seal_for(4)));
    }

    #[test]
    fn seals_hold_what_they_are_made_for() {
        for longest in [0, 1, 14, 15, 100, MAX_LABEL] {
            let seal = seal_for(longest);
            assert!(longest_in(seal) >= longest && longest_in(seal) < longest + PADDING);
            let label = vec![b'l'; longest_in(seal)];
            assert_eq!(masks()[0].open(&masks()[0].seal(&label, seal)), Some(label));
        }
    }

    #[test]
    fn fingerprints_are_cut_to_their_width() {
        let [one, other] = &masks()[..] else { panic!("two") };
        assert_ne!(one.fingerprint(128), other.fingerprint(128));
        for bits in [1, 51, 127] {
            assert_eq!(one.fingerprint(bits), one.fingerprint(128) % (1 << bits));
        }
    }
}
