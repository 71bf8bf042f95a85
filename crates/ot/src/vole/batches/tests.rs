use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use veilset_channel::{Channel, Fault, Faulty, Framed, Metered, memory_pair};
use veilset_simd::Nonet;
use zeroize::Zeroizing;

use super::*;
use crate::ideal::Dealer;
use crate::vole::{Elements, VoleReceiver, VoleSender};
use crate::{ExtensionReceiver, ExtensionSender, OtError};

/// All groups, one after the other.
fn sent<B: Subfield>(
    batches: &Batches,
    channel: &mut dyn Channel,
    extension: &mut ExtensionSender,
) -> Result<VoleSender, OtError> {
    let mut b = Elements::default();
    for number in 0..batches.count() {
        let seconds = &mut batches.seconds();
        batches.send::<B>(channel, extension, number, Room { seconds, b: &mut b })?;
        assert_eq!(b.len(), batches.entries(number).end);
    }
    Ok(VoleSender { delta: Zeroizing::new(extension.delta()), b })
}

fn received<B: Subfield>(
    batches: &Batches,
    channel: &mut dyn Channel,
    extension: &mut ExtensionReceiver,
    rng: &mut dyn CryptoRng,
) -> Result<VoleReceiver<B>, OtError> {
    let mut made = VoleReceiver::with_room(0);
    for number in 0..batches.count() {
        batches.receive(channel, extension, number, &mut made, rng)?;
    }
    Ok(made)
}

/// Both sides of a vector in batches, each on so many threads, and the bytes that each sends after the setup.
fn run<B: Subfield>(
    [len, at_once]: [usize; 2],
    threads: [usize; 2],
) -> ((VoleSender, u64), (VoleReceiver<B>, u64)) {
    let dealer = &Dealer::new([9; 32]);
    let parameters = &ExtensionParameters::new(Security::SemiHonest, [7; 32]);
    let batches = &Batches::with([7; 32], len, at_once);
    let (left, right) = memory_pair();
    let [mut left, mut right] = [left, right].map(|end| Metered::new(Framed::new(end), "all"));
    let on =
        |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || {
            let rng = &mut ChaCha20Rng::from_seed([1; 32]);
            let mut extension =
                ExtensionSender::setup(&mut left, dealer, parameters, rng).expect("honest");
            let before = left.costs().bytes_sent();
            let made = on(threads[0]).install(|| sent::<B>(batches, &mut left, &mut extension));
            (made.expect("honest"), left.costs().bytes_sent() - before)
        });
        let rng = &mut ChaCha20Rng::from_seed([2; 32]);
        let mut extension =
            ExtensionReceiver::setup(&mut right, dealer, parameters, rng).expect("honest");
        let before = right.costs().bytes_sent();
        let made = on(threads[1]).install(|| received(batches, &mut right, &mut extension, rng));
        let received = (made.expect("honest"), right.costs().bytes_sent() - before);
        (sender.join().expect("no panic"), received)
    })
}

#[test]
fn batches_are_one_vector_whatever_the_threads_and_cost_what_is_said() {
    for (len, at_once) in [(2, 1), (5000, 1200), (40_000, 2000)] {
        let batches = Batches::with([7; 32], len, at_once);
        assert!(batches.count > 1);
        let most = (0..batches.count()).map(|number| batches.entries(number).len()).max();
        assert!(most <= Some(batches.most()));
        let [mut first, mut once] = [Vec::new(), Vec::new()];
        for threads in [[1, 1], [3, 1], [1, 20]] {
            let ((sender, sent), (receiver, returned)) = run::<Nonet>([len, at_once], threads);
            assert_eq!([sender.b.len(), receiver.a.len(), receiver.c.len()], [len; 3]);
            for ((a, b), c) in receiver.a.iter().zip(&*sender.b).zip(&*receiver.c) {
                assert_eq!(*c, b ^ a.scale(*sender.delta));
            }
            once = sender.b.to_vec();
            if first.is_empty() {
                first.clone_from(&once);
            }
            assert_eq!(first, once, "{threads:?}");
            let cost = batches.bytes::<Nonet>();
            let framed = |(bytes, frames): (f64, usize)| bytes + 5.0 * frames as f64;
            assert_eq!(
                [framed(cost.sender), framed(cost.receiver)],
                [sent as f64, returned as f64]
            );
        }
        // No batch is another one again.
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), len);
    }
}

#[test]
fn groups_are_short_and_few() {
    for (count, group) in [(2, 1), (8, 1), (9, 2), (37, 5), (128, 16), (600, 16)] {
        let batches = Batches::with([7; 32], count * 1120, 1120);
        assert_eq!((batches.count, batches.group), (count, group));
        let ends = (0..batches.count()).map(|number| batches.entries(number).end);
        assert!(ends.is_sorted_by(|one, other| one < other), "{count}");
        assert_eq!(batches.entries(batches.count() - 1).end, count * 1120);
    }
}

#[test]
fn checked_vectors_are_never_in_batches() {
    for security in [Security::SemiHonest, Security::Malicious] {
        let parameters = &ExtensionParameters::new(security, [7; 32]);
        assert!(Batches::of::<Nonet>(parameters, Nonet::AT_ONCE).is_none());
        assert!(Batches::of::<u64>(parameters, 1 << 28).is_none());
        let longer = Batches::of::<Nonet>(parameters, Nonet::AT_ONCE + 1);
        assert_eq!(longer.is_some(), security == Security::SemiHonest);
    }
}

/// Both sides of five batches, each a group, of which one's frame number `at` is struck.
fn struck(
    fault: Fault,
    [left_at, right_at]: [u64; 2],
) -> (Result<VoleSender, OtError>, Result<VoleReceiver<Nonet>, OtError>) {
    let dealer = &Dealer::new([9; 32]);
    let parameters = &ExtensionParameters::new(Security::SemiHonest, [7; 32]);
    let batches = &Batches::with([7; 32], 5000, 1000);
    let (left, right) = memory_pair();
    let mut left = Framed::new(Faulty::new(left, fault, left_at));
    let mut right = Framed::new(Faulty::new(right, fault, right_at));
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || {
            let rng = &mut ChaCha20Rng::from_seed([1; 32]);
            let mut extension = ExtensionSender::setup(&mut left, dealer, parameters, rng)?;
            sent::<Nonet>(batches, &mut left, &mut extension)
        });
        let rng = &mut ChaCha20Rng::from_seed([2; 32]);
        let extension = ExtensionReceiver::setup(&mut right, dealer, parameters, rng);
        let received =
            extension.and_then(|mut extension| received(batches, &mut right, &mut extension, rng));
        drop(right);
        (sender.join().expect("no panic"), received)
    })
}

#[test]
fn every_fault_among_batches_is_an_error() {
    // Trees of each batch; trees of the extension, and corrections twice for each.
    const FRAMES: [u64; 2] = [5, 11];
    for fault in Fault::ALL {
        for (party, frames) in FRAMES.into_iter().enumerate() {
            for at in 0..frames {
                let mut strikes = [u64::MAX; 2];
                strikes[party] = at;
                let (sender, receiver) = struck(fault, strikes);
                let failed = [sender.is_err(), receiver.is_err()];
                // A delay is no fault, a repetition may come last, and a frame may have none to change places with.
                let may_pass = matches!(fault, Fault::Delay(_) | Fault::Duplicate | Fault::Reorder);
                assert!(may_pass || failed[1 - party], "{fault:?} of {party} at {at}: {failed:?}");
                if let (Ok(sender), Ok(receiver)) = (sender, receiver) {
                    let entries = receiver.a.iter().zip(&*sender.b).zip(&*receiver.c);
                    let differ = entries.filter(|((a, b), c)| **c != **b ^ a.scale(*sender.delta));
                    assert_eq!(differ.count(), 0, "{fault:?} of {party} at {at}");
                }
            }
        }
    }
}
