//! Product trees that keep their nodes' transforms.
//!
//! All leaves have as many points; what is missing is filled with points 0. A node over d points is P = Π (x − α), and all
//! that is done with it takes transforms of 2·d words or little more:
//!
//! * the product over both children of a node, whose leading coefficient may wrap around;
//! * up, the sums Σ w·P/(x − α): S_a·P_b + S_b·P_a, of 2·d coefficients;
//! * down, numerators u with f/P = Σ u_i·x^(i − d) + …, in falling powers from i = d − 1 on. For the first of two children
//!   f/P_a = P_b·f/P, so its numerators are coefficients d to 2·d − 1 of P_b·u; what wraps around falls below them.

use veilset_crypto::tasks;

use super::spectrum::{Ntt, Spectrum, size};
use super::{Numbers, PlainField, series};

/// How points are distributed.
#[derive(Clone, Copy)]
pub(super) struct PointSplit {
    /// Points in a leaf.
    leaf: usize,
    /// Leaves, a power of two.
    leaves: usize,
}

/// Leaves at least, a lane each.
const LEAST_LEAVES: usize = 8;

/// Leaves that one task takes.
const LEAVES: usize = 32;

/// A product tree over points.
pub(super) struct Tree {
    split: PointSplit,
    points: Numbers,
    /// The products over the leaves, without their leading coefficients.
    products: Numbers,
    /// The transforms of all nodes but the root, leaves first.
    levels: Vec<Vec<Spectrum>>,
    /// The product over all points, without its leading coefficient.
    pub(super) root: Numbers,
}

impl PointSplit {
    pub(super) fn new<F: PlainField>(field: &F, points: usize) -> Self {
        let leaves = points.div_ceil(field.leaf_most()).next_power_of_two().max(LEAST_LEAVES);
        Self { leaf: points.div_ceil(leaves), leaves }
    }

    /// Points with those that are filled up.
    pub(super) const fn points(self) -> usize {
        self.leaf * self.leaves
    }

    /// The largest transform of a tree that evaluates so many coefficients.
    pub(super) fn most(self, coefficients: usize) -> usize {
        size(self.points()).max(size(numerators_end(coefficients, self.points())))
    }
}

impl Tree {
    /// The tree over points that are given in words.
    pub(super) fn new<F: PlainField>(ntt: &Ntt<'_, F>, split: PointSplit, points: &[u64]) -> Self {
        let mut filled = Numbers::new(vec![0; split.points() * F::WORDS]);
        filled[..points.len()].copy_from_slice(points);
        let mut products = Numbers::new(vec![0; filled.len()]);
        let task = LEAVES * split.leaf * F::WORDS;
        let leaves = products.chunks_mut(task).zip(filled.chunks(task));
        tasks::each(leaves, |(products, points)| ntt.field.products(split.leaf, points, products));

        let mut levels = Vec::new();
        let mut root = products.clone();
        let mut degree = split.leaf;
        while degree < split.points() {
            let nodes = root.chunks(degree * F::WORDS);
            let spectra = tasks::map(nodes, |node| ntt.forward_monic(node, size(2 * degree)));
            degree *= 2;
            let parents = root.chunks_mut(degree * F::WORDS).zip(spectra.chunks(2));
            tasks::each(parents, |(parent, pair)| merge(ntt, pair, parent));
            levels.push(spectra);
        }
        Self { split, points: filled, products, levels, root }
    }

    /// The values at all points of the polynomial with these coefficients, at least one.
    pub(super) fn values<F: PlainField>(&self, ntt: &Ntt<'_, F>, poly: &[u64]) -> Numbers {
        let mut numerators = self.numerators(ntt, poly);
        let mut degree = self.split.points();
        for level in self.levels.iter().rev() {
            let parents = numerators.chunks_mut(degree * F::WORDS).zip(level.chunks(2));
            tasks::each(parents, |(numerators, pair)| descend(ntt, pair, numerators));
            degree /= 2;
        }
        let leaf = self.split.leaf;
        let mut values = Numbers::new(vec![0; numerators.len()]);
        let task = LEAVES * leaf * F::WORDS;
        let nodes = self.products.chunks(task).zip(numerators.chunks(task));
        let places = self.points.chunks(task).zip(values.chunks_mut(task));
        tasks::each(nodes.zip(places), |((products, numerators), (points, values))| {
            ntt.field.values(leaf, products, numerators, points, values);
        });
        values
    }

    /// Those of the root: u_i = Σ_k g_k·f_(i + k) with g the inverse of the reversed product. As a product with the
    /// reversal of g, of which coefficients from the last of g on are needed; what wraps around falls below them.
    fn numerators<F: PlainField>(&self, ntt: &Ntt<'_, F>, poly: &[u64]) -> Numbers {
        let len = poly.len() / F::WORDS;
        let mut series = Numbers::new(vec![0; self.root.len() + F::WORDS]);
        ntt.field.write(&ntt.field.one(), &mut series[..F::WORDS]);
        reverse::<F>(&self.root, &mut series[F::WORDS..]);
        let inverse = series::invert(ntt, &series, len);
        let mut reversed = Numbers::new(vec![0; inverse.len()]);
        reverse::<F>(&inverse, &mut reversed);

        let size = size(numerators_end(len, self.split.points()));
        let inverse = ntt.forward(&reversed, size);
        let poly = ntt.forward(poly, size);
        let mut numerators = Numbers::new(vec![0; self.root.len()]);
        let known = numerators.len().min(len * F::WORDS);
        ntt.backward(ntt.product(&poly, &inverse), len - 1, &mut numerators[..known]);
        numerators
    }

    /// Σ w·P/(x − α) over all points α and their weights w, where P is the product over all; weights that lack are 0.
    pub(super) fn sum<F: PlainField>(&self, ntt: &Ntt<'_, F>, weights: &[u64]) -> Numbers {
        let mut filled = Numbers::new(vec![0; self.points.len()]);
        filled[..weights.len()].copy_from_slice(weights);
        let mut sums = Numbers::new(vec![0; self.points.len()]);
        let leaf = self.split.leaf;
        let task = LEAVES * leaf * F::WORDS;
        let leaves = self.points.chunks(task).zip(filled.chunks(task));
        tasks::each(leaves.zip(sums.chunks_mut(task)), |((points, weights), sums)| {
            ntt.field.sums(leaf, points, weights, sums);
        });
        let mut degree = leaf;
        for level in &self.levels {
            degree *= 2;
            let parents = sums.chunks_mut(degree * F::WORDS).zip(level.chunks(2));
            tasks::each(parents, |(sums, pair)| ascend(ntt, pair, sums));
        }
        sums
    }
}

/// Where the coefficients end that the root's numerators are taken from.
fn numerators_end(coefficients: usize, points: usize) -> usize {
    coefficients + coefficients.min(points) - 1
}

/// The product of two monic polynomials.
fn merge<F: PlainField>(ntt: &Ntt<'_, F>, pair: &[Spectrum], parent: &mut [u64]) {
    let [a, b] = pair else { unreachable!("every node has a neighbour") };
    ntt.backward(ntt.product(a, b), 0, parent);
    if parent.len() / F::WORDS == a.size() {
        // The leading coefficient wrapped around.
        let field = ntt.field;
        let (constant, _) = parent.split_at_mut(F::WORDS);
        field.write(&field.sub(&field.read(constant), &field.one()), constant);
    }
}

/// The numerators of both children in place of their parent's.
fn descend<F: PlainField>(ntt: &Ntt<'_, F>, pair: &[Spectrum], numerators: &mut [u64]) {
    let [a, b] = pair else { unreachable!("every node has a neighbour") };
    let parent = ntt.forward(numerators, a.size());
    let (first, second) = numerators.split_at_mut(numerators.len() / 2);
    let degree = first.len() / F::WORDS;
    ntt.backward(ntt.product(&parent, b), degree, first);
    ntt.backward(ntt.product(&parent, a), degree, second);
}

/// The sum of both children in their place.
fn ascend<F: PlainField>(ntt: &Ntt<'_, F>, pair: &[Spectrum], sums: &mut [u64]) {
    let [a, b] = pair else { unreachable!("every node has a neighbour") };
    let (first, second) = sums.split_at(sums.len() / 2);
    let first = ntt.forward(first, a.size());
    let second = ntt.forward(second, a.size());
    ntt.backward(ntt.sum_of_products([&first, b], [&second, a]), 0, sums);
}

/// The numbers from the last to the first.
fn reverse<F: PlainField>(numbers: &[u64], reversed: &mut [u64]) {
    let numbers = numbers.chunks_exact(F::WORDS).rev();
    for (number, place) in numbers.zip(reversed.chunks_exact_mut(F::WORDS)) {
        place.copy_from_slice(number);
    }
}
