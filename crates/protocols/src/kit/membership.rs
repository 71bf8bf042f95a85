//! Which of one side's values are in the other's set, once all are pseudorandom.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use rayon::prelude::*;
use veilset_channel::PeerFault;
use zeroize::Zeroizing;

/// The answers to the queries, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Whether each query is in the set.
    pub(crate) e: Vec<bool>,
    /// For each value of a sorted set which query asked for it, or [`NOBODY`]; nothing of another structure.
    pub(crate) askers: Vec<u32>,
    pub(super) repeated: bool,
}

impl Hits {
    /// Answers of a structure that cannot tell a repeated query.
    pub(crate) fn new(e: Vec<bool>) -> Self {
        Self { e, askers: Vec::new(), repeated: false }
    }

    /// The answers to so many queries, one after the other, as one: whether any is in the set.
    pub(crate) fn of_rows(self, per_row: usize) -> Self {
        if per_row == 1 {
            return self;
        }
        let e = self.e.chunks(per_row).map(|row| row.iter().fold(false, |any, e| any | *e));
        Self { e: e.collect(), ..self }
    }

    /// Which values of a sorted set were asked for.
    pub(crate) fn taken(&self) -> Vec<bool> {
        self.askers.iter().map(|asker| *asker != NOBODY).collect()
    }

    /// The queries that are in the set, rising.
    pub(crate) fn indices(&self) -> Vec<u32> {
        (0..).zip(&self.e).filter_map(|(index, e)| e.then_some(index)).collect()
    }

    /// What the peer is to be blamed for: honest elements are distinct, and one that hits twice would count twice.
    ///
    /// A run goes on to its last message and ends with this; to stop at once would tell that there was a hit.
    pub(crate) fn fault(&self) -> Result<(), PeerFault> {
        if self.repeated { Err(PeerFault::Repeated) } else { Ok(()) }
    }
}

/// The number of no query: no list has so many.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Values that one task takes.
pub(crate) const VALUES_A_TASK: usize = 64;

/// Values of a sorted set that lie close enough for their pages to be known to the processor, and most of them to a cache.
const NEAR: usize = 1 << 18;

/// Queries that are put in order at once, where the set is long: at most, and at least though threads were idle.
const QUERIES: usize = 1 << 20;
const FEWEST_QUERIES: usize = 1 << 16;

/// Looks each query up in `sorted`. Each lookup takes the same steps whether it hits or not.
pub(crate) fn membership(queries: &[u128], sorted: &[u128]) -> Hits {
    membership_by(queries, sorted, NEAR)
}

fn membership_by(queries: &[u128], sorted: &[u128], near: usize) -> Hits {
    if sorted.is_empty() {
        return Hits::new(vec![false; queries.len()]);
    }
    let lookup = Lookup::new(sorted);
    let mut e = vec![false; queries.len()];
    // With fewer than four stretches, putting queries in order costs more than it saves.
    let stretches = sorted.len() / near;
    if stretches < 4 {
        let tasks = queries.par_chunks(VALUES_A_TASK).zip(e.par_chunks_mut(VALUES_A_TASK));
        tasks.enumerate().for_each(|(task, (queries, e))| {
            let first = task * VALUES_A_TASK;
            let numbers: [u32; VALUES_A_TASK] = std::array::from_fn(|place| (first + place) as u32);
            lookup.look(queries, &numbers[..queries.len()], e);
        });
    } else {
        let share = queries.len() / (2 * rayon::current_num_threads());
        let each = share.clamp(FEWEST_QUERIES, QUERIES);
        let tasks = queries.par_chunks(each).zip(e.par_chunks_mut(each));
        tasks.enumerate().for_each(|(task, (queries, e))| {
            lookup.look_in_order(queries, task * each, stretches.ilog2(), e);
        });
    }
    let askers = lookup.askers.into_iter().map(AtomicU32::into_inner).collect();
    Hits { e, askers, repeated: lookup.repeated.into_inner() }
}

/// A set that is asked, and what is known of who asked.
struct Lookup<'a> {
    index: Index<'a>,
    askers: Vec<AtomicU32>,
    repeated: AtomicBool,
}

impl<'a> Lookup<'a> {
    /// Of a set that is not empty.
    fn new(sorted: &'a [u128]) -> Self {
        let askers = sorted.iter().map(|_| AtomicU32::new(NOBODY)).collect();
        Self { index: Index::new(sorted), askers, repeated: AtomicBool::new(false) }
    }

    /// Looks up to [`VALUES_A_TASK`] queries up that have these numbers.
    fn look(&self, queries: &[u128], numbers: &[u32], e: &mut [bool]) {
        let (index, sorted) = (&self.index, self.index.sorted);
        let mut places = [0; VALUES_A_TASK];
        // Loop after loop, so that the memory of many lookups is fetched at once.
        queries.iter().zip(&mut places).for_each(|(query, place)| *place = index.start(*query));
        for ((query, place), hit) in queries.iter().zip(&mut places).zip(&mut *e) {
            *place = index.place(*query, *place).min(sorted.len() - 1);
            *hit = sorted[*place] == *query;
        }
        let asked = numbers.iter().zip(&*e).zip(places).map(|((number, hit), place)| {
            // Nobody, whose bits are all set, where nothing hits.
            let asker = number | u32::from(!*hit).wrapping_neg();
            (self.askers[place].fetch_min(asker, Relaxed) != NOBODY) & *hit
        });
        let twice = asked.fold(false, |twice, again| twice | again);
        self.repeated.fetch_or(twice, Relaxed);
    }

    /// Looks queries up, of which the first has number `first`, in the order of their top bits, so many: those that follow one
    /// another ask for values that lie near one another.
    fn look_in_order(&self, queries: &[u128], first: usize, bits: u32, e: &mut [bool]) {
        let (order, ordered) = self.index.by_stretch(queries, bits);
        let mut found = [false; VALUES_A_TASK];
        for (places, queries) in order.chunks(VALUES_A_TASK).zip(ordered.chunks(VALUES_A_TASK)) {
            let mut numbers = [0; VALUES_A_TASK];
            for (number, place) in numbers.iter_mut().zip(places) {
                *number = first as u32 + place;
            }
            let found = &mut found[..queries.len()];
            self.look(queries, &numbers[..queries.len()], found);
            places.iter().zip(found).for_each(|(place, found)| e[*place as usize] = *found);
        }
    }
}

/// Where in a sorted set the values with given top bits begin.
struct Index<'a> {
    sorted: &'a [u128],
    /// The top bits of a value are what is left of it after a shift by this.
    shift: u32,
    /// For each number of top bits how many values have a smaller one.
    starts: Vec<u32>,
    /// As many values share their top bits, at most.
    most: usize,
}

/// Among so few values a place is found by comparing with all.
const WINDOW: usize = 16;

impl<'a> Index<'a> {
    /// Of a set that is not empty. As many top bits are taken as make one or two values share them, if values are
    /// random; a lookup in any other set takes more steps, at most as many as halving takes.
    fn new(sorted: &'a [u128]) -> Self {
        let bits = u128::BITS - sorted[sorted.len() - 1].leading_zeros();
        let shift = bits.saturating_sub((sorted.len() + 1).ilog2());
        let top = |value: &u128| (value >> shift) as usize;
        let mut starts = vec![0; top(&sorted[sorted.len() - 1]) + 1];
        let runs = starts.par_chunks_mut(VALUES_A_TASK).enumerate();
        let most = runs.map(|(run, starts)| {
            let first = run * VALUES_A_TASK;
            let mut place = sorted.partition_point(|value| top(value) < first);
            let mut most = 0;
            for (bucket, start) in (first..).zip(starts) {
                *start = u32::try_from(place).unwrap_or(u32::MAX);
                let count = sorted[place..].iter().take_while(|value| top(value) == bucket).count();
                most = most.max(count);
                place += count;
            }
            most
        });
        let most = most.max().unwrap_or(0);
        Self { sorted, shift, starts, most }
    }

    /// The queries in the order of the stretch of the set, of 2^`bits`, in which each would be, and where each of them stood.
    fn by_stretch(
        &self,
        queries: &[u128],
        bits: u32,
    ) -> (Zeroizing<Vec<u32>>, Zeroizing<Vec<u128>>) {
        let last = (1 << bits) - 1;
        let top_bits = usize::BITS - (self.starts.len() - 1).leading_zeros();
        let down = self.shift + top_bits.saturating_sub(bits);
        let stretch = |query: &u128| usize::try_from(query >> down).unwrap_or(last).min(last);
        let mut next = vec![0; last + 2];
        queries.iter().for_each(|query| next[stretch(query) + 1] += 1);
        (0..=last).for_each(|stretch| next[stretch + 1] += next[stretch]);
        let (mut order, mut ordered) = (vec![0; queries.len()], vec![0; queries.len()]);
        for (place, query) in (0..).zip(queries) {
            let slot = &mut next[stretch(query)];
            (order[*slot], ordered[*slot]) = (place, *query);
            *slot += 1;
        }
        (Zeroizing::new(order), Zeroizing::new(ordered))
    }

    /// How many values have smaller top bits than `query`.
    fn start(&self, query: u128) -> usize {
        let top = usize::try_from(query >> self.shift).unwrap_or(usize::MAX);
        self.starts[top.min(self.starts.len() - 1)] as usize
    }

    /// How many values are smaller than `query`, whose [`start`](Self::start) is given.
    fn place(&self, query: u128, start: usize) -> usize {
        let (mut place, mut ahead) = (start, self.most);
        while ahead > WINDOW {
            let half = ahead / 2;
            let middle = self.sorted.len().min(place + half);
            place +=
                half * usize::from((self.sorted[middle - 1] < query) & (middle == place + half));
            ahead -= half;
        }
        let window = self.sorted[place..].iter().take(ahead);
        place + window.map(|value| usize::from(*value < query)).sum::<usize>()
    }
}

/// The elements whose bits are set, rising; `order[i]` is the element that bit `i` is about.
pub(crate) fn in_order(order: &[u32], e: &[bool]) -> Vec<u32> {
    let pairs = order.par_iter().zip(e).with_min_len(VALUES_A_TASK);
    let mut matched: Vec<u32> = pairs.filter_map(|(index, e)| e.then_some(*index)).collect();
    sort(&mut matched);
    matched
}

/// Sorts on all threads of the caller's pool.
pub(crate) fn sort<T: Ord + Send>(values: &mut [T]) {
    match rayon::current_num_threads() {
        1 => values.sort_unstable(),
        _ => values.par_sort_unstable(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn finds_what_a_plain_set_finds() {
        let own: Vec<u128> = (0..200).map(|value| value * 7 % 201).collect();
        let set: BTreeSet<u128> = (0..200).step_by(3).collect();
        let sorted: Vec<u128> = set.iter().copied().collect();
        let expected: Vec<bool> = own.iter().map(|value| set.contains(value)).collect();
        let asker = |value: &u128| own.iter().position(|own| own == value);
        let askers = sorted.iter().map(|value| asker(value).map_or(NOBODY, |at| at as u32));
        let askers: Vec<u32> = askers.collect();
        let taken: Vec<bool> = sorted.iter().map(|value| own.contains(value)).collect();
        let hits = membership(&own, &sorted);
        let indices = (0..).zip(&expected).filter(|(_, e)| **e).map(|(index, _)| index);
        assert_eq!(hits.indices(), indices.collect::<Vec<u32>>());
        assert_eq!(hits.taken(), taken);
        assert_eq!(hits, Hits { askers, ..Hits::new(expected) });
        assert_eq!(membership_by(&own, &sorted, 1), hits, "in order");
        assert_eq!(membership(&own, &[]), Hits::new(vec![false; 200]));
        assert_eq!(membership(&[], &sorted).taken(), vec![false; sorted.len()]);
    }

    #[test]
    fn answers_do_not_depend_on_the_order_of_lookups() {
        let value = |number: u128| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        for shift in [0, 40, 100] {
            let mut sorted: Vec<u128> = (0..5000).map(|number| value(number) >> shift).collect();
            sort(&mut sorted);
            sorted.dedup();
            let mut own: Vec<u128> = (4000..8000).map(|number| value(number) >> shift).collect();
            own.extend([0, u128::MAX, own[7]]);
            let plain = membership(&own, &sorted);
            for near in [1, 3, 100, 1200] {
                assert_eq!(membership_by(&own, &sorted, near), plain, "{shift} {near}");
            }
        }
    }

    #[test]
    fn places_are_those_of_a_search_however_the_values_lie() {
        let sets: [Vec<u128>; 7] = [
            vec![0],
            vec![u128::MAX],
            vec![0; 300],
            vec![u128::MAX; 300],
            (0..1000).map(|value| value * value * value).collect(),
            (0..128).map(|bit| 1 << bit).collect(),
            (0..1000).map(|value| (value << 100) | (value % 3)).chain([u128::MAX]).collect(),
        ];
        for sorted in &sets {
            let index = Index::new(sorted);
            let near = |value: &u128| [value.wrapping_sub(1), *value, value.wrapping_add(1)];
            for query in sorted.iter().flat_map(near).chain([0, 1 << 64, u128::MAX]) {
                assert_eq!(
                    index.place(query, index.start(query)),
                    sorted.partition_point(|value| *value < query)
                );
            }
        }
    }

    #[test]
    fn matches_come_back_in_the_order_of_the_elements() {
        // Sent in the order 2, 0, 1; the peer has the values of elements 0 and 2.
        let hits = membership(&[22, 20, 21], &[20, 22, 99]);
        assert_eq!(in_order(&[2, 0, 1], &hits.e), [0, 2]);
    }

    #[test]
    fn a_repeated_hit_is_the_peers_fault() {
        let twice = membership(&[5, 7, 5], &[5, 7]);
        assert_eq!((twice.e.as_slice(), twice.fault()), (&[true; 3][..], Err(PeerFault::Repeated)));
        assert_eq!(membership(&[6, 7, 6], &[5, 7]).fault(), Ok(()));
    }
}
