//! Work in order on all threads: a round of pieces is made while what the round before made is taken.

use std::mem;

use rayon::prelude::*;

/// Threads of rayon's current pool. In a browser there is none but those that somebody has made: work outside of these is for one
/// thread.
pub(crate) fn threads() -> usize {
    let is_outside = cfg!(target_family = "wasm") && rayon::current_thread_index().is_none();
    if is_outside { 1 } else { rayon::current_num_threads() }
}

/// Calls `work` with each item and its place, on all threads.
pub(crate) fn on_all<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if threads() == 1 {
        items.iter_mut().enumerate().for_each(|(place, item)| work(place, item));
    } else {
        items.par_iter_mut().enumerate().for_each(|(place, item)| work(place, item));
    }
}

/// Has `make` make something of each item, at most `width` at once on the threads of rayon's current pool, and `take` take what came
/// of a round of them, in their order. Two rounds are in memory at most.
///
/// # Errors
/// The first of `take`, behind which nothing is taken.
pub(crate) fn in_rounds<I: Send, T: Send, E: Send>(
    mut items: impl Iterator<Item = I>,
    width: usize,
    make: impl Fn(I) -> T + Sync,
    mut take: impl FnMut(Vec<T>) -> Result<(), E> + Send,
) -> Result<(), E> {
    if threads() == 1 {
        return items.try_for_each(|item| take(vec![make(item)]));
    }
    let mut made: Vec<T> = Vec::new();
    loop {
        let next: Vec<I> = items.by_ref().take(width.max(1)).collect();
        let is_last = next.is_empty();
        let before = mem::take(&mut made);
        let (taken, now) = rayon::join(
            || if before.is_empty() { Ok(()) } else { take(before) },
            || next.into_par_iter().map(&make).collect(),
        );
        taken?;
        if is_last {
            return Ok(());
        }
        made = now;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_is_made_is_taken_in_order_and_rounds_are_bounded() {
        for width in [0, 1, 3, 100] {
            let mut all = Vec::new();
            let done = in_rounds(
                0..50,
                width,
                |item| 2 * item,
                |round| {
                    assert!((1..=width.max(1)).contains(&round.len()));
                    all.extend(round);
                    Ok::<_, ()>(())
                },
            );
            assert_eq!((done, all), (Ok(()), (0..50).map(|item| 2 * item).collect()));
        }
    }

    #[test]
    fn the_first_error_ends_the_work_two_rounds_later_at_most() {
        let made = AtomicUsize::new(0);
        let make = |item: usize| {
            made.fetch_add(1, Ordering::Relaxed);
            item
        };
        let take = |round: Vec<usize>| if round.contains(&5) { Err(round[0]) } else { Ok(()) };
        assert_eq!(in_rounds(0.., 4, make, take), Err(4));
        assert!(made.into_inner() <= 12);
        assert_eq!(in_rounds(0..0, 4, |item: usize| item, |_| Err(0)), Ok(()));
    }
}
