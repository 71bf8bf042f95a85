//! Several devices, some of which fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::{Accelerator, CommutativePrf, Curve25519Prf, NotAnElement, Point, accelerate};
use veilset_gpu::{Batch, Pool, Worker};

use crate::inputs::{elements, points, products};
use crate::twin::Twin;

/// Fails, and tells it.
struct Broken(Sender<()>);

impl Worker for Broken {
    fn compute(&mut self, _: &Batch) -> Option<Vec<Point>> {
        self.0.send(()).expect("somebody hears it");
        None
    }
}

/// Computes once another failed.
struct Waiting(Twin, Option<Receiver<()>>);

impl Worker for Waiting {
    fn compute(&mut self, batch: &Batch) -> Option<Vec<Point>> {
        if let Some(failed) = self.1.take() {
            failed.recv().expect("the other one fails");
        }
        self.0.compute(batch)
    }
}

#[test]
fn another_device_computes_what_one_failed_at() {
    for twin in Twin::both() {
        let (tell, failed) = channel();
        let workers: Vec<Box<dyn Worker>> =
            vec![Box::new(Broken(tell)), Box::new(Waiting(twin, Some(failed)))];
        let pool = Pool::new("two".into(), 300, workers);
        let (scalar, points) = points(7, 300);
        let points = Arc::new(points);
        let started: Vec<_> = (0..5).map(|_| pool.multiply(&scalar, Arc::clone(&points))).collect();
        let expected = products(&scalar, &points);
        for batch in started {
            assert!(batch.recv().expect("the other one computes it") == expected);
        }
    }
}

#[test]
fn nobody_waits_for_devices_that_all_failed() {
    let (tell, _failed) = channel();
    let broken = || -> Box<dyn Worker> { Box::new(Broken(tell.clone())) };
    let pool = Pool::new("two".into(), 300, vec![broken(), broken()]);
    let start = || pool.multiply(&[8; 32], Arc::new(vec![[9; 32]; 300]));
    let started: Vec<_> = (0..5).map(|_| start()).collect();
    assert!(started.into_iter().all(|batch| batch.recv().is_err()));
    assert!(start().recv().is_err());
}

/// Whether the devices of this process fail.
static FAIL: AtomicBool = AtomicBool::new(false);

/// A device that fails when it is told to.
struct Fragile(Twin);

impl Worker for Fragile {
    fn compute(&mut self, batch: &Batch) -> Option<Vec<Point>> {
        if FAIL.load(Relaxed) { None } else { self.0.compute(batch) }
    }
}

#[test]
fn a_function_is_the_same_with_devices_and_without() {
    let twins = Twin::both();
    if twins.is_empty() {
        return;
    }
    let prf = || Curve25519Prf::generate(&mut ChaCha20Rng::from_seed([6; 32]));
    let elements = elements(8, 13_000);
    let here = prf().hash_and_evaluate(&elements);
    let twice = prf().evaluate(&here).expect("points");
    assert_eq!((Curve25519Prf::batch(), Curve25519Prf::ahead()), (1, 0));

    let fragile = twins.into_iter().map(|twin| -> Box<dyn Worker> { Box::new(Fragile(twin)) });
    assert!(accelerate(Box::new(Pool::new("twins".into(), 5000, fragile.collect()))));
    assert_eq!((Curve25519Prf::batch(), Curve25519Prf::ahead()), (5000, 1));
    for fails in [false, true] {
        FAIL.store(fails, Relaxed);
        assert!(prf().hash_and_evaluate(&elements) == here, "fails: {fails}");
        assert!(prf().start_hashing(elements.clone().into()).finish() == here, "fails: {fails}");
        assert!(prf().evaluate(&here).expect("points") == twice, "fails: {fails}");
        // The first of a point of small order and one that is not canonical is refused, whoever computes.
        let mut wrong = here.clone();
        (wrong[7321], wrong[7500]) = ([0; 32], [0xff; 32]);
        assert_eq!(prf().evaluate(&wrong).map(drop), Err(NotAnElement { index: 7321 }));
        wrong.swap(7321, 7500);
        assert_eq!(prf().evaluate(&wrong).map(drop), Err(NotAnElement { index: 7321 }));
        let refused = prf().start_evaluating(wrong).finish();
        assert_eq!(refused.map(drop), Err(NotAnElement { index: 7321 }));
    }
}
