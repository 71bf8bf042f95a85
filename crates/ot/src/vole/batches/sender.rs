//! Who knows Δ.

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::Channel;

use super::Batches;
use crate::base::Session;
use crate::vole::parameters::LpnParameters;
use crate::vole::tree::{Growth, TreeSums, depth, grow};
use crate::vole::{Elements, Subfield, code, put_trees, shorten, vector};
use crate::{Block, ExtensionSender, OtError};

impl Batches {
    /// Adds to `b` the sender's entries of group `number`.
    pub(in crate::vole) fn send<B: Subfield>(
        &self,
        channel: &mut dyn Channel,
        extension: &mut ExtensionSender,
        number: usize,
        Room { seconds, b }: Room<'_>,
    ) -> Result<(), OtError> {
        let (group, before) = (self.batches(number), b.len());
        let (trees, length) = (self.noise.blocks(), self.noise.compressed_len());
        let shares = extension.send_products::<B>(channel, group.len() * trees)?;
        let pairs = extension.send_random(channel, group.len() * trees * self.depth())?;
        b.resize(before + group.len() * length, Block::default());
        let window = seconds.len();
        for (first, b) in group.clone().step_by(window).zip(b[before..].chunks_mut(window * length))
        {
            let made = Made { group: group.clone(), shares: &shares, pairs: &pairs };
            let batches = b.chunks_mut(length).zip(&mut *seconds).zip(first..);
            let batches = batches.map(|((first, second), number)| {
                self.batch(&made, number, [first, &mut second[..]])
            });
            let mut batches: Vec<SentBatch<'_>> = batches.collect();
            let sums: Vec<_> =
                batches.par_iter_mut().map(|batch| batch.grow(&self.noise)).collect();
            sums.iter().try_for_each(|sums| put_trees(channel, &self.noise, sums))?;
            batches.par_iter_mut().for_each(|batch| batch.compress::<B>(&self.noise));
        }
        shorten(b, before + self.entries(number).len());
        Ok(())
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
    pub(in crate::vole) fn seconds(&self) -> Vec<Elements> {
        let window = rayon::current_num_threads().min(self.group);
        (0..window).map(|_| vector::<Block>(self.noise.compressed_len())).collect()
    }
}

/// Where the sender makes batches.
pub(in crate::vole) struct Room<'a> {
    /// [Second halves](Batches::seconds), of no further use.
    pub(in crate::vole) seconds: &'a mut [Elements],
    /// What entries are added to.
    pub(in crate::vole) b: &'a mut Elements,
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
