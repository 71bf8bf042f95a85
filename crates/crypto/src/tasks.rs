//! Batches cut into tasks for the threads of the caller's rayon pool.

use rayon::prelude::*;

use crate::NotAnElement;

/// Values that one task takes: enough to make its overhead vanish, few enough to spread over the threads.
pub const VALUES_A_TASK: usize = 64;

/// What `task` puts, for at most `VALUES` inputs at a time, in place of as many `vacant` outputs.
pub fn tasks<const VALUES: usize, I: Sync, O: Copy + Send>(
    inputs: &[I],
    vacant: O,
    task: impl Fn(&[I], &mut [O]) + Sync,
) -> Vec<O> {
    let mut outputs = vec![vacant; inputs.len()];
    let pieces = outputs.par_chunks_mut(VALUES);
    let work = inputs.par_chunks(VALUES).zip(pieces);
    work.for_each(|(inputs, outputs)| task(inputs, outputs));
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
    let pieces = outputs.par_chunks_mut(VALUES);
    let work = inputs.par_chunks(VALUES).zip(pieces).enumerate();
    let refused = work.find_map_first(|(index, (inputs, outputs))| {
        let place = task(inputs, outputs).err()?;
        Some(index * VALUES + place)
    });
    refused.map_or(Ok(outputs), |index| Err(NotAnElement { index }))
}

/// Does `task` with each pair; `LEAST` pairs at least stay in one thread.
pub fn pairs<const LEAST: usize, A: Send, B: Sync>(
    left: &mut [A],
    right: &[B],
    task: impl Fn(&mut A, &B) + Send + Sync,
) {
    assert_eq!(left.len(), right.len(), "each element has its counterpart");
    left.par_iter_mut().zip(right).with_min_len(LEAST).for_each(|(left, right)| task(left, right));
}
