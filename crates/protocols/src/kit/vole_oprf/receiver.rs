//! Who evaluates the function without its key.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::ChannelExt;
use veilset_crypto::{Element, tasks};
use veilset_ot::vole::{ReceivedStretches, Subfield, VoleReceiver};
use veilset_structures::okvs::{Clusters, FreeColumns, OkvsEntry, OkvsError, OkvsShape};
use zeroize::{Zeroize, Zeroizing};

use super::evaluation::Evaluation;
use super::points::Points;
use super::{OprfTerms, STEP, over_field};
use crate::kit::comparison::Outputs;
use crate::kit::store::{KIND, Seed, chunks, to_bytes, windows};
use crate::{Means, ProtocolError};

/// The receiver's part: F of each element.
pub(crate) fn receive(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    over_field!(terms.field, B => receive_over::<B>(means, terms, elements))
}

fn receive_over<B: Subfield + OkvsEntry>(
    means: &mut Means<'_>,
    terms: &OprfTerms<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    let seed = Seed::draw(means.rng);
    let clusters = &Clusters::new(&terms.shape(), seed.0);
    let mut points = Points::of(elements, clusters);
    let mut set = EncodedSet::<B>::new(clusters, means.rng);

    // Step 1, of the first stretch.
    let mut vectors = VectorParts::open(means, terms)?;
    vectors.make(means)?;
    means.observer.advance(1);

    // Step 2.
    means.step(STEP, terms.shape().len());
    let toss = terms.toss().take(means.channel)?;
    means.channel.put(&seed)?;
    let toss = toss.tell(means)?;
    vectors.put_over(means, &mut set, &mut points)?;
    // Where there are coins, that was the one stretch.
    let coins = toss.opened(means.channel)?;

    // Step 4, and 1 and 2 of the next stretches.
    let mut evaluation = Evaluation::new(terms, clusters, points, coins);
    evaluation.at(&mut vectors.made.c, None);
    while vectors.make(means)? {
        vectors.put_over(means, &mut set, evaluation.points())?;
        evaluation.at(&mut vectors.made.c, None);
    }
    Ok(evaluation.outputs())
}

/// A and C as they are made: C from the first entry on that is of use still.
struct VectorParts<B: Subfield> {
    stretches: ReceivedStretches<B>,
    made: VoleReceiver<B>,
}

impl<B: Subfield> VectorParts<B> {
    fn open(means: &mut Means<'_>, terms: &OprfTerms<'_>) -> Result<Self, ProtocolError> {
        means.observer.begin("vector OLE", 1);
        let (base, parameters, shape) = (terms.base(), terms.parameters(), terms.shape());
        let len = shape.len();
        let stretches =
            ReceivedStretches::open(means.channel, &*base, &parameters, len, means.rng)?;
        let made = VoleReceiver::with_room(stretches.room(shape.columns()));
        Ok(Self { stretches, made })
    }

    /// The next stretch; false where there is none.
    fn make(&mut self, means: &mut Means<'_>) -> Result<bool, ProtocolError> {
        Ok(self.stretches.next(means.channel, &mut self.made, means.rng)?)
    }

    /// Sends A + P, as much as there is of A, and gives that up.
    fn put_over(
        &mut self,
        means: &mut Means<'_>,
        set: &mut EncodedSet<'_, B>,
        points: &mut Points<B>,
    ) -> Result<(), ProtocolError>
    where
        B: OkvsEntry,
    {
        for window in windows::<B>(self.made.a.len()) {
            let p = set.next(window.len(), points)?;
            put_sums(means, &self.made.a[window], p)?;
        }
        self.made.a.clear();
        Ok(())
    }
}

/// Sends the sums of a window of `a` and `p`.
fn put_sums<B: Subfield>(means: &mut Means<'_>, a: &[B], p: &[B]) -> Result<(), ProtocolError> {
    let frames = tasks::map(chunks::<B>(a.len()).ranges(), |range| {
        to_bytes(a[range.clone()].iter().zip(&p[range]).map(|(a, p)| *a ^ *p))
    });
    frames.iter().try_for_each(|frame| means.channel.put(frame))?;
    means.observer.advance(a.len() as u64);
    Ok(())
}

/// Clusters that each thread encodes at once.
const CLUSTERS_A_THREAD: usize = 4;

/// P as it is encoded.
struct EncodedSet<'a, B: Zeroize> {
    clusters: &'a Clusters,
    free: FreeColumns,
    p: Zeroizing<Vec<B>>,
    /// How many entries of `p` were taken.
    taken: usize,
    /// The first cluster that is not encoded.
    next: usize,
}

impl<'a, B: Subfield + OkvsEntry> EncodedSet<'a, B> {
    fn new(clusters: &'a Clusters, rng: &mut dyn CryptoRng) -> Self {
        let free = FreeColumns::new(rng);
        Self { clusters, free, p: Zeroizing::default(), taken: 0, next: 0 }
    }

    /// The next entries, as many as that.
    fn next(&mut self, entries: usize, points: &mut Points<B>) -> Result<&[B], OkvsError> {
        let lacking = entries.saturating_sub(self.p.len() - self.taken);
        if lacking > 0 {
            let at_once = CLUSTERS_A_THREAD * rayon::current_num_threads();
            let more = lacking.div_ceil(self.clusters.columns()).max(at_once);
            self.encode(more.min(self.clusters.count() - self.next), points)?;
        }
        self.taken += entries;
        Ok(&self.p[self.taken - entries..self.taken])
    }

    /// Encodes so many clusters more. P has ⟨row(y), P⟩ = h(y) for their points y.
    fn encode(&mut self, more: usize, points: &mut Points<B>) -> Result<(), OkvsError> {
        let (columns, which) = (self.clusters.columns(), self.next..self.next + more);
        self.p.drain(..std::mem::take(&mut self.taken));
        let before = self.p.len();
        let len = before + more * columns;
        if self.p.capacity() < len {
            // What moves is wiped where it was. Later there may be a cluster more.
            let mut p = Zeroizing::new(Vec::with_capacity(len + columns));
            p.extend_from_slice(&self.p);
            self.p = p;
        }
        self.p.resize(len, B::default());
        let tasks = self.p[before..].par_chunks_mut(columns).zip(points.clusters(which.clone()));
        let solved: Vec<Result<(), OkvsError>> = tasks
            .zip(which.clone())
            .map(|((columns, points), cluster)| {
                self.clusters.encode(cluster, points.keys, points.halves(), &self.free, columns)
            })
            .collect();
        self.next = which.end;
        for (cluster, solved) in which.zip(solved) {
            let first = points.range(cluster..cluster + 1).start;
            solved.map_err(|error| of_elements(error, &points.places[first..]))?;
        }
        Ok(())
    }
}

/// The same of elements, where they have these places among all.
fn of_elements(error: OkvsError, places: &[u32]) -> OkvsError {
    let OkvsError::Repeated { first, second } = error else { return error };
    let (first, second) = (places[first] as usize, places[second] as usize);
    OkvsError::Repeated { first: first.min(second), second: first.max(second) }
}

/// The elements at which a party asks for the functions of several others, encoded once: A hides P from each of them anew.
pub(crate) struct Question<B: Zeroize> {
    seed: Seed,
    clusters: Clusters,
    points: Points<B>,
    p: Zeroizing<Vec<B>>,
}

impl<B: Subfield + OkvsEntry> Question<B> {
    /// About these elements.
    pub(crate) fn new(
        elements: &[Element],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        let (seed, shape) = (Seed::draw(rng), OkvsShape::new(KIND, elements.len()));
        let clusters = Clusters::new(&shape, seed.0);
        let mut points = Points::of(Zeroizing::new(elements.to_vec()), &clusters);
        let mut set = EncodedSet::new(&clusters, rng);
        set.next(shape.len(), &mut points)?;
        let p = set.p;
        let points = points.without_halves();
        Ok(Self { seed, clusters, points, p })
    }

    /// As [`receive`], in terms of several parties whose field is B.
    pub(crate) fn ask(
        &self,
        means: &mut Means<'_>,
        terms: &OprfTerms<'_>,
    ) -> Result<Outputs, ProtocolError> {
        let mut vectors = VectorParts::<B>::open(means, terms)?;
        let points = self.points.without_halves();
        let mut evaluation = Evaluation::new(terms, &self.clusters, points, None);
        let mut sent = 0;
        while vectors.make(means)? {
            if sent == 0 {
                means.observer.advance(1);
                means.step(STEP, self.p.len());
                means.channel.put(&self.seed)?;
            }
            for window in windows::<B>(vectors.made.a.len()) {
                put_sums(means, &vectors.made.a[window.clone()], &self.p[sent..][..window.len()])?;
                sent += window.len();
            }
            vectors.made.a.clear();
            evaluation.at(&mut vectors.made.c, None);
        }
        Ok(evaluation.outputs())
    }
}
