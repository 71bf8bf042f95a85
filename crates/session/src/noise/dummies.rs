//! The dummies of a run, on either side.

use rand_core::CryptoRng;
use veilset_crypto::Element;
use zeroize::Zeroizing;

use super::Noise;

/// The dummies of a run, as one side sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks(Noise);

/// The byte that tells the listening side's block from the connecting side's.
const SIDES: [u8; 2] = [0, 1];

impl Blocks {
    pub(crate) fn new(noise: Noise) -> Self {
        Self(noise)
    }

    /// Elements that each side adds.
    pub(crate) fn elements(self) -> u64 {
        2 * u64::from(self.0.dummies())
    }
}

/// The elements of a list with the dummies behind them, and how many of the other side's block there are among these.
pub(crate) fn with_dummies(
    elements: &[Element],
    blocks: Blocks,
    session: &[u8; 32],
    connecting: bool,
    rng: &mut dyn CryptoRng,
) -> (Zeroizing<Vec<Element>>, u64) {
    let added = usize::try_from(blocks.elements()).expect("checked with the sizes of the run");
    // No move of the list leaves a copy of it behind.
    let mut all = Zeroizing::new(Vec::with_capacity(elements.len() + added));
    all.extend_from_slice(elements);
    let mut own = 0;
    let [mine, theirs] = if connecting { [SIDES[1], SIDES[0]] } else { SIDES };
    for (side, is_mine) in [(mine, true), (theirs, false)] {
        for number in 0..blocks.0.dummies() {
            let coin = u8::from(is_mine) | (random(rng).0[0] & 1);
            let (shared, other) = (dummy(session, side, number), random(rng));
            all.push(chosen(coin, shared, other));
            own += u64::from(coin) * u64::from(!is_mine);
        }
    }
    (all, own)
}

/// A dummy of a side's block, the same on both sides.
fn dummy(session: &[u8; 32], side: u8, number: u32) -> Element {
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 dummy of a session");
    hasher.update(session).update(&[side]).update(&number.to_le_bytes());
    Element(*hasher.finalize().as_bytes())
}

fn random(rng: &mut dyn CryptoRng) -> Element {
    let mut element = Element([0; Element::LEN]);
    rng.fill_bytes(&mut element.0);
    element
}

/// The one if `coin` is 1, the other if it is 0, in the same time.
fn chosen(coin: u8, one: Element, other: Element) -> Element {
    let mask = coin.wrapping_neg();
    let pairs = one.0.iter().zip(&other.0);
    let mut bytes = pairs.map(|(one, other)| (one & mask) | (other & !mask));
    Element(std::array::from_fn(|_| bytes.next().unwrap_or_default()))
}
