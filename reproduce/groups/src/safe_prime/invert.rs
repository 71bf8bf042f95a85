//! Inverses of many elements with few inversions: Montgomery's trick over a tree, so that each level is a product in lanes.

use crypto_bigint::Uint;
use veilset_simd::bignum::batch::Residue;
use zeroize::Zeroizing;

use super::{LIMBS, SafePrimeGroup, Unsigned, bare};

/// Elements that share an inversion, which takes as long as a thousand products.
pub(super) const AT_ONCE: usize = 1 << 12;

type Level = Zeroizing<Vec<Residue<LIMBS>>>;

impl SafePrimeGroup {
    /// Replaces each element by its inverse.
    pub(super) fn invert(&self, elements: &mut [Unsigned]) {
        let mut top = bare(elements);
        let mut levels = Vec::new();
        while top.len() > 1 {
            let products = self.merged(&top);
            levels.push(std::mem::replace(&mut top, products));
        }
        let mut inverses = self.inverse(&top);
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

    /// The inverse of the one residue; there is one, since p is prime.
    fn inverse(&self, one: &Level) -> Level {
        let numbers = Zeroizing::new(self.residues.leave(one));
        let inverse = |number| Uint::from_words(number).invert_odd_mod(&self.p).expect("no zero");
        let inverses = numbers.iter().map(|number| inverse(*number).to_words());
        Zeroizing::new(self.residues.enter(&Zeroizing::new(inverses.collect::<Vec<_>>())))
    }
}
