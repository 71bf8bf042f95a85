//! Who has a and c.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::Batches;
use crate::base::Session;
use crate::vole::code::REGIONS;
use crate::vole::parameters::LpnParameters;
use crate::vole::tree::{Growth, TreeSums, add_at, depth, puncture};
use crate::vole::{
    Elements, Subfield, VoleReceiver, code, elements, place, shorten, take_trees, trees_a_region,
};
use crate::{Block, ExtensionReceiver, OtError};

impl Batches {
    /// Adds to `made` the receiver's entries of group `number`.
    pub(in crate::vole) fn receive<B: Subfield>(
        &self,
        channel: &mut dyn Channel,
        extension: &mut ExtensionReceiver,
        number: usize,
        made: &mut VoleReceiver<B>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), OtError> {
        let (group, length) = (self.batches(number), self.noise.compressed_len());
        let (VoleReceiver { a, c }, window) = (made, rayon::current_num_threads().min(self.group));
        let before = [a.len(), c.len()];
        let noise = self.draw::<B>(channel, extension, group.len(), rng)?;
        a.resize(before[0] + group.len() * length, B::default());
        c.resize(before[1] + group.len() * length, Block::default());
        let slices = a[before[0]..].chunks_mut(window * length);
        let slices = slices.zip(c[before[1]..].chunks_mut(window * length));
        for (first, (a, c)) in group.clone().step_by(window).zip(slices) {
            let slices = a.chunks_mut(length).zip(c.chunks_mut(length));
            let batches = slices.zip(first..).map(|((a, c), number)| {
                let sums = take_trees(channel, &self.noise)?;
                let part = noise.part(number - group.start, &self.noise);
                Ok((a, c, ReceivedBatch { session: self.session(number), sums, part }))
            });
            let batches: Vec<_> = batches.collect::<Result<_, OtError>>()?;
            batches.into_par_iter().for_each(|(a, c, batch)| batch.make(&self.noise, a, c));
        }
        let entries = self.entries(number).len();
        shorten(a, before[0] + entries);
        shorten(c, before[1] + entries);
        Ok(())
    }

    /// Draws the noise of so many batches, and makes transfers for it.
    fn draw<B: Subfield>(
        &self,
        channel: &mut dyn Channel,
        extension: &mut ExtensionReceiver,
        batches: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Noise<B>, OtError> {
        let (trees, depth) = (batches * self.noise.blocks(), self.depth());
        let drawn = elements::<Block>(rng, trees);
        let values = drawn.iter().map(|drawn| B::noise(*drawn)).collect::<Vec<B>>();
        let values = Elements::new(values);
        let places = elements(rng, trees);
        let places = places.iter().map(|random| place(*random, self.noise.block()));
        let places = Zeroizing::new(places.collect::<Vec<_>>());
        let shares = extension.receive_products(channel, &values)?;
        let beside = places.iter().flat_map(|place| (0..depth).map(move |l| place >> l & 1 == 0));
        let beside = Zeroizing::new(beside.collect::<Vec<_>>());
        let pads = extension.receive_random(channel, &beside)?;
        Ok(Noise { values, places, shares, pads })
    }
}

/// The noise of a group of the receiver's, and what the extension made for it.
struct Noise<B: Subfield> {
    values: Elements<B>,
    places: Zeroizing<Vec<u64>>,
    shares: Elements,
    pads: Elements,
}

/// The noise of a batch.
struct NoisePart<'a, B: Subfield> {
    values: &'a [B],
    places: &'a [u64],
    shares: &'a [Block],
    pads: &'a [Block],
}

impl<B: Subfield> Noise<B> {
    /// Of batch `index` of the group.
    fn part(&self, index: usize, noise: &LpnParameters) -> NoisePart<'_, B> {
        let (trees, depth) =
            (index * noise.blocks()..(index + 1) * noise.blocks(), depth(noise.block()));
        NoisePart {
            values: &self.values[trees.clone()],
            places: &self.places[trees.clone()],
            shares: &self.shares[trees.clone()],
            pads: &self.pads[trees.start * depth..trees.end * depth],
        }
    }
}

/// A batch of the receiver's.
struct ReceivedBatch<'a, B: Subfield> {
    session: Session,
    sums: Vec<TreeSums>,
    part: NoisePart<'a, B>,
}

impl<B: Subfield> ReceivedBatch<'_, B> {
    /// Writes its entries over `a` and `c`.
    fn make(&self, noise: &LpnParameters, a: &mut [B], c: &mut [Block]) {
        self.grow(noise, 0, a, c);
        code(noise, &self.session, None).compress_both(a, c, |region, a, c| {
            self.grow(noise, (REGIONS + region) * trees_a_region(noise), a, c);
        });
    }

    /// Fills `u` and `w` with trees `first` and following.
    fn grow(&self, noise: &LpnParameters, first: usize, u: &mut [B], w: &mut [Block]) {
        let (part, depth) = (&self.part, depth(noise.block()));
        let trees = u.par_chunks_mut(noise.block()).zip(w.par_chunks_mut(noise.block()));
        let trees = (first..noise.blocks()).into_par_iter().zip(trees);
        trees.for_each(|(index, (u, leaves))| {
            let growth = &mut Growth::new(&self.session, index);
            let pads = &part.pads[index * depth..(index + 1) * depth];
            let (place, share) = (part.places[index], part.shares[index]);
            puncture(growth, place, pads, &self.sums[index], share, leaves);
            u.fill(B::default());
            add_at(u, place, part.values[index]);
        });
    }
}
