//! The programs on this machine's devices.

use std::sync::Arc;

use veilset_crypto::Accelerator;
use veilset_gpu::{Fault, open};

use crate::inputs::{elements, expanded, mapped, points, products};

#[test]
fn a_device_computes_as_the_scalar_twin_does() {
    let pool = match open() {
        Err(none @ (Fault::NoDriver | Fault::NoDevice)) => return println!("skipped: {none}"),
        pool => pool.expect("a device opens"),
    };
    // A batch that fills no block, and one whose last block is not full; several at once, so that all queues compute.
    for (seed, count) in [(1, 300), (2, pool.batch() - 77)] {
        let (scalar, points) = points(seed, count);
        let points = Arc::new(points);
        let started: Vec<_> = (0..8).map(|_| pool.multiply(&scalar, Arc::clone(&points))).collect();
        let found: Vec<_> =
            started.into_iter().map(|batch| batch.recv().expect("it multiplies")).collect();
        let some = count.min(20_000);
        assert!(found[0][..some] == products(&scalar, &points[..some]));
        assert!(found[0][count - 300..] == products(&scalar, &points[count - 300..]));
        assert!(found.iter().all(|other| *other == found[0]));

        let elements = elements(seed, count);
        let expected = products(&scalar, &mapped(&expanded(&elements[..some])));
        let found = pool.map_and_multiply(&scalar, Arc::new(elements.into()));
        assert!(found.recv().expect("it maps")[..some] == expected);
    }
}
