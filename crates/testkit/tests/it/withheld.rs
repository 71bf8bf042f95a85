//! Results below the least one: what crosses does not depend on them.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use veilset_channel::{Recording, memory_pair};
use veilset_protocols::{PROTOCOLS, Role};
use veilset_testkit::{Sets, Setting, run_both, run_one};

/// The least result.
const LEAST: u64 = 8;

/// Every way in which a protocol withholds fewer matches from both programs.
fn settings() -> impl Iterator<Item = Setting> {
    let of = |protocol: &&'static dyn veilset_protocols::Protocol| {
        let reveals = protocol.spec().reveals.iter();
        let plain = reveals.map(|reveal| Setting::new(*protocol, *reveal));
        let plain: Vec<Setting> = plain.filter_map(|plain| plain.and_least(LEAST)).collect();
        let grouped: Vec<Setting> = plain.iter().filter_map(|plain| plain.and_groups()).collect();
        let products: Vec<Setting> =
            plain.iter().filter_map(|plain| plain.and_products()).collect();
        let lent: Vec<Setting> =
            grouped.iter().filter_map(|grouped| grouped.and_lent_groups()).collect();
        [plain, grouped, products, lent].concat()
    };
    PROTOCOLS.iter().flat_map(of)
}

/// The lengths of the frames that the sender hears, and of those that the receiver hears.
fn lengths(setting: Setting, sets: &Sets) -> [Vec<usize>; 2] {
    let (left, right) = memory_pair();
    let ((left, said), (right, answered)) = (Recording::new(left), Recording::new(right));
    thread::scope(|scope| {
        scope.spawn(|| run_one(setting, Role::Sender, sets, Box::new(left), 1).0.expect("it runs"));
        run_one(setting, Role::Receiver, sets, Box::new(right), 1).0.expect("it runs");
    });
    [answered.frames(), said.frames()].map(|frames| frames.iter().map(Vec::len).collect())
}

#[test]
fn frames_are_as_many_and_as_long_whatever_is_withheld() {
    let mut settings = settings().peekable();
    assert!(settings.peek().is_some(), "some withhold a result");
    for setting in settings {
        let lengths = |common| lengths(setting, &Sets::new(40, 33, common));
        let nothing = lengths(0);
        for common in 1..LEAST as usize {
            let id = setting.protocol.spec().id;
            assert_eq!(lengths(common), nothing, "{id} {:?}, {common} in common", setting.reveal);
        }
    }
}

/// Welch's t of the times of runs with nothing in common and with one match too few, which take turns.
#[test]
#[ignore = "times are for a machine that does nothing else"]
fn times_do_not_tell_what_is_withheld() {
    const RUNS: usize = 300;
    for setting in settings() {
        let sets = [0, LEAST as usize - 1].map(|common| Sets::new(400, 300, common));
        let mut times = [Vec::new(), Vec::new()];
        for run in 0..RUNS {
            for (sets, times) in sets.iter().zip(&mut times) {
                let start = Instant::now();
                let (sender, receiver) = black_box(run_both(setting, sets, run as u8));
                assert!(sender.0.is_ok() && receiver.0.is_ok(), "it runs");
                times.push(start.elapsed().as_secs_f64());
            }
        }
        let [one, other] = times.map(|times| {
            let count = times.len() as f64;
            let mean = times.iter().sum::<f64>() / count;
            let far = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>();
            (mean, far / (count - 1.0) / count)
        });
        let t = (one.0 - other.0) / (one.1 + other.1).sqrt();
        let id = setting.protocol.spec().id;
        assert!(t.abs() < 4.5, "{id} {:?}: t is {t:.1}, {one:?} {other:?}", setting.reveal);
    }
}
