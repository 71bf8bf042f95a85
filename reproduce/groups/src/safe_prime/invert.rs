//! Inverses of many elements with few inversions: Montgomery's trick over a tree, so that each level is a product in lanes.

use crypto_bigint::Uint;
use veilset_simd::bignum::batch::Residue;
use zeroize::Zeroizing;

use super::{LIMBS, SafePrimeGroup, Unsigned, bare};

/// Elements that share the inversions, which take as long as some thousand products.
pub(super) const AT_ONCE: usize = 1 << 12;

/// So many are inverted each by itself: a number in each lane.
const FEW: usize = 8;

type Level = Zeroizing<Vec<Residue<LIMBS>>>;

impl SafePrimeGroup {
    /// Replaces each element by its inverse.
    pub(super) fn invert(&self, elements: &mut [Unsigned]) {
        let mut top = bare(elements);
        let mut levels = Vec::new();
        while top.len() > FEW {
            let products = self.merged(&top);
            levels.push(std::mem::replace(&mut top, products));
        }
        let mut inverses = self.inverses(&top);
        while let Some(level) = levels.pop() {
            inverses = self.split(&inverses, &level);
        }
        elements.iter_mut().zip(inverses.iter()).for_each(|(element, new)| element.0 = *new);
    }

    /// The products of neighbours; an odd one is passed on.
    fn merged(&self, level: &Level) -> Level {
        let (pairs, odd) = level.as_chunks::<2>();
        let mut products: Level = Zeroizing::new(pairs.iter().map(|pair| pair[0]).collect());
        let right: Level = Zeroizing::new(pairs.iter().map(|pair| pair[1]).collect());
        self.residues.multiply(&mut products, &right);
        products.extend_from_slice(odd);
        products
    }

    /// The inverses of a level from those of its products: each times the neighbour.
    fn split(&self, inverses: &Level, level: &Level) -> Level {
        let pairs = level.len() & !1;
        let mut split: Level =
            Zeroizing::new((0..level.len()).map(|place| inverses[place / 2]).collect());
        let neighbours: Level = Zeroizing::new((0..pairs).map(|place| level[place ^ 1]).collect());
        self.residues.multiply(&mut split[..pairs], &neighbours);
        split
    }

    /// The inverses of a few residues, their powers with p − 2: eight lanes take as long as one.
    fn inverses(&self, few: &Level) -> Level {
        let exponent = self.p.wrapping_sub(&Uint::from(2u8)).to_words();
        let mut inverses = few.clone();
        self.residues.powers(&vec![exponent; few.len()], &mut inverses);
        inverses
    }
}
