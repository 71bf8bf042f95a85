//! Who knows Δ.

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::{Batches, GROUP};
use crate::base::Session;
use crate::vole::parameters::LpnParameters;
use crate::vole::tree::{Growth, TreeSums, depth, grow};
use crate::vole::{Elements, Subfield, VoleSender, code, put_trees, shortened, vector};
use crate::{Block, ExtensionSender, OtError};

impl Batches {
    /// Makes all of the sender's batches.
    pub(in crate::vole) fn send<B: Subfield>(
        &self,
        channel: &mut dyn Channel,
        extension: &mut ExtensionSender,
    ) -> Result<VoleSender, OtError> {
        let (trees, length) = (self.noise.blocks(), self.noise.compressed_len());
        let mut b = vector::<Block>(self.made());
        let mut seconds = self.seconds();
        let slices = b.chunks_mut(GROUP * length);
        for (group, b) in self.groups().zip(slices) {
            let shares = extension.send_products::<B>(channel, group.len() * trees)?;
            let pairs = extension.send_random(channel, group.len() * trees * self.depth())?;
            let window = seconds.len();
            for (first, b) in group.clone().step_by(window).zip(b.chunks_mut(window * length)) {
                let made = Made { group: group.clone(), shares: &shares, pairs: &pairs };
                let batches = b.chunks_mut(length).zip(&mut seconds).zip(first..);
                let batches = batches.map(|((first, second), number)| {
                    self.batch(&made, number, [first, &mut second[..]])
                });
                let mut batches: Vec<SentBatch<'_>> = batches.collect();
                let sums: Vec<_> =
                    batches.par_iter_mut().map(|batch| batch.grow(&self.noise)).collect();
                sums.iter().try_for_each(|sums| put_trees(channel, &self.noise, sums))?;
                batches.par_iter_mut().for_each(|batch| batch.compress::<B>(&self.noise));
            }
        }
        Ok(VoleSender { delta: Zeroizing::new(extension.delta()), b: shortened(b, self.len) })
    }

    /// Batch `number`, to be grown in these halves.
    fn batch<'a>(
        &self,
        made: &Made<'a>,
        number: usize,
        halves: [&'a mut [Block]; 2],
    ) -> SentBatch<'a> {
        let first = (number - made.group.start) * self.noise.blocks();
        let (shares, pairs) = (&made.shares[first..], &made.pairs[first * self.depth()..]);
        SentBatch { session: self.session(number), halves, shares, pairs }
    }

    /// Room for the second halves of batches, as many as threads work on.
    fn seconds(&self) -> Vec<Elements> {
        let window = rayon::current_num_threads().min(self.count).min(GROUP);
        (0..window).map(|_| vector::<Block>(self.noise.compressed_len())).collect()
    }
}

/// What the extension made for a group.
struct Made<'a> {
    group: Range<usize>,
    shares: &'a [Block],
    pairs: &'a [[Block; 2]],
}

/// A batch of the sender's.
struct SentBatch<'a> {
    session: Session,
    halves: [&'a mut [Block]; 2],
    /// Of this batch, and of others after it.
    shares: &'a [Block],
    pairs: &'a [[Block; 2]],
}

impl SentBatch<'_> {
    /// Grows its trees.
    fn grow(&mut self, noise: &LpnParameters) -> Vec<TreeSums> {
        let depth = depth(noise.block());
        let [first, second] = &mut self.halves;
        let trees = first.par_chunks_mut(noise.block()).chain(second.par_chunks_mut(noise.block()));
        let trees = trees.zip(self.pairs.par_chunks(depth)).zip(self.shares).enumerate();
        let sums = trees.map(|(index, ((leaves, pairs), share))| {
            grow(&mut Growth::new(&self.session, index), pairs, *share, leaves)
        });
        sums.collect()
    }

    /// Puts its entries into the first half.
    fn compress<B: Subfield>(&mut self, noise: &LpnParameters) {
        let [first, second] = &mut self.halves;
        code(noise, &self.session, None).compress::<B>([&mut **first, &mut **second]);
    }
}
