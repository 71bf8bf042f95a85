//! Who holds the key of the function.

use std::ops::Range;

use veilset_channel::ChannelExt;
use veilset_crypto::{Element, tasks};
use veilset_ot::vole::{Elements, SentStretches, Subfield};
use veilset_structures::okvs::Clusters;
use zeroize::Zeroizing;

use super::evaluation::Evaluation;
use super::points::Points;
use super::{OprfTerms, STEP, over_field};
use crate::kit::comparison::Outputs;
use crate::kit::store::{Entries, Seed, bytes, chunks, from_bytes, windows};
use crate::{Means, ProtocolError};

/// The sender's part: draws a key for the function, and evaluates it at its own elements.
pub(crate) fn send(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    over_field!(terms.field, B => send_over::<B>(means, terms, elements))
}

/// The same over a field that the caller knows to be B.
pub(crate) fn send_over<B: Subfield>(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    // Step 1, of the first stretch.
    let mut key = KeyParts::<B>::open(means, terms)?;
    key.make(means)?;
    means.observer.advance(1);
    let toss = terms.toss().commit(means)?;

    // Step 2, what the receiver sends.
    means.step(STEP, terms.shape().len());
    let Seed(seed) = means.channel.take(&())?;
    let toss = toss.hear(means.channel)?;
    let clusters = &Clusters::new(&terms.shape(), seed);
    let points = Points::<B>::of(elements, clusters);

    // Step 3, stretch by stretch.
    key.complete(means)?;
    let coins = toss.open(means.channel)?;
    let delta = key.made.delta();
    let mut evaluation = Evaluation::new(terms, clusters, points, coins);
    evaluation.at(&mut key.k, Some(*delta));
    while key.make(means)? {
        key.complete(means)?;
        evaluation.at(&mut key.k, Some(*delta));
    }
    Ok(evaluation.outputs())
}

/// The key as it is made: K from the first entry on that is of use still.
struct KeyParts<B> {
    made: SentStretches<B>,
    k: Elements,
    /// The entries of the last stretch, which are K' until the receiver's sums came.
    fresh: Range<usize>,
}

impl<B: Subfield> KeyParts<B> {
    fn open(means: &mut Means<'_>, terms: &OprfTerms<'_>) -> Result<Self, ProtocolError> {
        means.observer.begin("vector OLE", 1);
        let (base, parameters, shape) = (terms.base(), terms.parameters(), terms.shape());
        let len = shape.len();
        let made = SentStretches::open(means.channel, &*base, &parameters, len, means.rng)?;
        let k = Elements::new(Vec::with_capacity(made.room(shape.columns())));
        Ok(Self { made, k, fresh: 0..0 })
    }

    /// K' of the next stretch; false where there is none.
    fn make(&mut self, means: &mut Means<'_>) -> Result<bool, ProtocolError> {
        let before = self.k.len();
        let is_made = self.made.next(means.channel, &mut self.k)?;
        self.fresh = before..self.k.len();
        Ok(is_made)
    }

    /// K of it, some frames of A + P at a time.
    fn complete(&mut self, means: &mut Means<'_>) -> Result<(), ProtocolError> {
        let (delta, fresh) = (self.made.delta(), &mut self.k[self.fresh.clone()]);
        for window in windows::<B>(fresh.len()) {
            let mut k = &mut fresh[window];
            let mut frames = Vec::new();
            means.observer.advance(k.len() as u64);
            for range in chunks::<B>(k.len()).ranges() {
                let sums = means.channel.take::<Entries>(&(range.len() * bytes::<B>()))?;
                frames.push((k.split_off_mut(..range.len()).unwrap_or_default(), sums));
            }
            tasks::each(frames, |(k, sums)| {
                B::add_scaled(k, &from_bytes(&sums).collect::<Vec<B>>(), *delta);
            });
        }
        Ok(())
    }
}
