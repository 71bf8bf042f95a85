//! The programs on this machine's device.

use veilset_gpu::{Device, Fault};

use crate::inputs::{mapped, numbers, points, products};

#[test]
fn a_device_computes_as_the_scalar_twin_does() {
    let device = match Device::open() {
        Err(none @ (Fault::NoDriver | Fault::NoDevice)) => return println!("skipped: {none}"),
        device => device.expect("the device opens"),
    };
    // One piece that fills no block, and several pieces, the last of which is short.
    for (seed, count) in [(1, 300), (2, 600_001)] {
        let (scalar, points) = points(seed, count);
        let mut found = points.clone();
        device.multiply(&scalar, &mut found).expect("the device multiplies");
        let some = points.len().min(20_000);
        assert!(found[..some] == products(&scalar, &points[..some]));
        let end = points.len().saturating_sub(500)..;
        assert!(found[end.clone()] == products(&scalar, &points[end]));

        let numbers = numbers(seed, count);
        let mut found = vec![[0; 32]; count];
        device.map_and_multiply(&scalar, &numbers, &mut found).expect("the device maps");
        let some = count.min(20_000);
        assert!(found[..some] == products(&scalar, &mapped(&numbers[..some])));
    }
}
