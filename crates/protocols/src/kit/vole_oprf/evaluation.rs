//! F at a party's points, cluster by cluster: ⟨row(x), K⟩ or ⟨row(y), C⟩, then H.

use rayon::prelude::*;
use veilset_ot::Block;
use veilset_ot::vole::{Elements, Subfield};
use veilset_structures::okvs::Clusters;
use zeroize::Zeroizing;

use super::coin::Coins;
use super::output::Output;
use super::points::{ClusterPoints, Points};
use super::{OprfTerms, add_scaled};
use crate::kit::comparison::Outputs;

/// An evaluation that goes on as the store comes.
pub(super) struct Evaluation<'a, B> {
    clusters: &'a Clusters,
    output: Output,
    points: Points<B>,
    /// What rows lie under, of each point that has its value; nothing where none is asked for.
    rows: Zeroizing<Vec<u128>>,
    /// The first cluster that is not evaluated.
    next: usize,
}

impl<'a, B: Subfield> Evaluation<'a, B> {
    /// At these points.
    pub(super) fn new(
        terms: &OprfTerms<'_>,
        clusters: &'a Clusters,
        points: Points<B>,
        coins: Option<Coins>,
    ) -> Self {
        let rows = if terms.keyed_rows { points.keys.len() } else { 0 };
        let (output, rows) = (terms.output(coins), Zeroizing::new(vec![0; rows]));
        Self { clusters, output, points, rows, next: 0 }
    }

    /// The points, of which those in clusters that are evaluated have their values for keys.
    pub(super) fn points(&mut self) -> &mut Points<B> {
        &mut self.points
    }

    /// Evaluates the clusters that `store` has whole, K or C from the first entry on that no evaluated cluster had, and takes these
    /// entries out. The holder of the key gives Δ.
    pub(super) fn at(&mut self, store: &mut Elements, delta: Option<Block>) {
        let columns = self.clusters.columns();
        let which = self.next..self.next + store.len() / columns;
        let places = self.points.range(which.clone());
        let mut rows = self.rows.get_mut(places).unwrap_or_default();
        let points = self.points.clusters(which.clone());
        let rows: Vec<&mut [u128]> = points
            .iter()
            .map(|points| rows.split_off_mut(..points.keys.len()).unwrap_or_default())
            .collect();
        let tasks = points.into_par_iter().zip(rows).zip(store.par_chunks_exact(columns));
        let (clusters, output) = (self.clusters, &self.output);
        tasks.for_each(|((points, rows), store)| {
            let ClusterPoints { keys, .. } = &points;
            let mut values = Zeroizing::new(vec![0; keys.len()]);
            clusters.decode(store, keys, &mut values);
            let halves = Zeroizing::new(points.halves().collect::<Vec<B>>());
            if let Some(delta) = delta {
                add_scaled(&mut values, &halves, delta);
            }
            output.finish(values, points.keys, &halves, rows);
        });
        store.drain(..which.len() * columns);
        self.next = which.end;
    }

    /// The values of all points.
    pub(super) fn outputs(self) -> Outputs {
        let Points { keys, places, .. } = self.points;
        Outputs { values: keys, keys: self.rows, places }
    }
}
