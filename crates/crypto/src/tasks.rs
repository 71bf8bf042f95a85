//! Batches cut into tasks for the threads of the caller's rayon pool.
//!
//! Rayon's iterators are compiled anew for each closure that they are given, some thousand instructions every time. What is called
//! for many types comes here with its tasks in an ordinary iterator; rayon sees numbers of tasks only, and is compiled once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::NotAnElement;

/// Values that one task takes: enough to make its overhead vanish, few enough to spread over the threads.
pub const VALUES_A_TASK: usize = 64;

/// Does `work` with each task.
pub fn each<T: Send>(tasks: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let mut places = Vec::new();
    for task in tasks {
        places.push(Mutex::new(Some(task)));
    }
    spread(places.len(), &|place| {
        if let Some(task) = inside(&places[place]).take() {
            work(task);
        }
    });
}

/// What `work` makes of each task, in their order. It is moved once more: secrets have to be behind a pointer.
pub fn map<T: Send, R: Send>(
    tasks: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut places = Vec::new();
    for task in tasks {
        places.push(Mutex::new((Some(task), None)));
    }
    spread(places.len(), &|place| {
        let mut place = inside(&places[place]);
        place.1 = place.0.take().map(&work);
    });
    let mut made = Vec::with_capacity(places.len());
    for place in places {
        made.extend(place.into_inner().unwrap_or_else(PoisonError::into_inner).1);
    }
    made
}

/// Each place is one task's, and a task that panics ends the others' work, too.
fn inside<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` with each number below `count`.
fn spread(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Threads that share the tasks.
#[must_use]
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// What `task` puts, for at most `VALUES` inputs at a time, in place of as many `vacant` outputs.
pub fn tasks<const VALUES: usize, I: Sync, O: Copy + Send>(
    inputs: &[I],
    vacant: O,
    task: impl Fn(&[I], &mut [O]) + Sync,
) -> Vec<O> {
    let mut outputs = vec![vacant; inputs.len()];
    let work = inputs.chunks(VALUES).zip(outputs.chunks_mut(VALUES));
    each(work, |(inputs, outputs)| task(inputs, outputs));
    outputs
}

/// [`tasks`] that may refuse one of their inputs, by its place among those that they are given.
///
/// # Errors
/// With the first of all inputs that is refused.
pub fn refusing_tasks<const VALUES: usize, I: Sync, O: Copy + Send>(
    inputs: &[I],
    vacant: O,
    task: impl Fn(&[I], &mut [O]) -> Result<(), usize> + Sync,
) -> Result<Vec<O>, NotAnElement> {
    let mut outputs = vec![vacant; inputs.len()];
    let work = inputs.chunks(VALUES).zip(outputs.chunks_mut(VALUES));
    let refused = map(work, |(inputs, outputs)| task(inputs, outputs).err());
    let mut first = refused.iter().enumerate();
    match first.find_map(|(index, place)| place.map(|place| index * VALUES + place)) {
        Some(index) => Err(NotAnElement { index }),
        None => Ok(outputs),
    }
}

/// Does `task` with each pair; `LEAST` pairs at least stay in one thread.
pub fn pairs<const LEAST: usize, A: Send, B: Sync>(
    left: &mut [A],
    right: &[B],
    task: impl Fn(&mut A, &B) + Send + Sync,
) {
    assert_eq!(left.len(), right.len(), "each element has its counterpart");
    each(left.chunks_mut(LEAST).zip(right.chunks(LEAST)), |(left, right)| {
        left.iter_mut().zip(right).for_each(|(left, right)| task(left, right));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_tasks() {
        for count in [0, 1, 2, 1000] {
            let squares: Vec<usize> = (0..count).map(|task| task * task).collect();
            assert_eq!(map(0..count, |task| task * task), squares);
            let mut places = vec![0; count];
            each(places.iter_mut().enumerate(), |(task, place)| *place = task * task);
            assert_eq!(places, squares);
        }
    }

    #[test]
    fn the_first_input_that_is_refused_is_named() {
        let refused =
            |inputs: &[u8], _: &mut [()]| match inputs.iter().position(|input| *input == 1) {
                Some(place) => Err(place),
                None => Ok(()),
            };
        let mut inputs = vec![0; 10];
        assert!(refusing_tasks::<4, _, _>(&inputs, (), refused).is_ok());
        (inputs[9], inputs[6]) = (1, 1);
        let error = refusing_tasks::<4, _, _>(&inputs, (), refused).err();
        assert_eq!(error.map(|error| error.index), Some(6));
    }
}
