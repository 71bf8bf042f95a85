//! `--device gpu`: who asks for a graphics processor gets one, or hears why not before anything else happens.

use veilset_stage::{code, stderr, stdout};

use crate::support::party;

#[test]
fn who_asks_for_a_device_gets_one_or_hears_why_not() {
    let asked: [&[&str]; 3] = [
        &["bench", "curve", "--seconds", "0.01"],
        &["plan", "count", "--rows", "10^6", "--peer-rows", "10^6"],
        &["count", "list.csv", "--key", "id", "--connect", "127.0.0.1:9", "--peer", "bob"],
    ];
    for command in asked {
        let output = party().run(&[command, &["--device", "gpu"]].concat());
        let (said, printed) = (stderr(&output), stdout(&output));
        if said.contains("--device cpu") {
            assert_eq!((code(&output), printed.as_str()), (2, ""), "{said}");
        } else {
            // There is a device; the run fails for want of a list.
            assert_eq!(command[0] == "count", code(&output) != 0, "{said}");
        }
    }
}
