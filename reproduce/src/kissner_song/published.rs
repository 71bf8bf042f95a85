//! What the paper prints.

use veilset_paper_groups::Setting;

/// What the paper has of a size, with Karatsuba's algorithm and with transforms, in seconds.
pub(super) struct Published {
    /// The logarithm of k.
    log: u32,
    /// Table 3: all of a run, with keys.
    pub(super) total: [f64; 2],
    /// Table 4: its programs.
    pub(super) running: [f64; 2],
    /// Table 5.
    pub(super) transmission: [f64; 2],
}

const fn published_at(
    log: u32,
    total: [f64; 2],
    running: [f64; 2],
    transmission: [f64; 2],
) -> Published {
    Published { log, total, running, transmission }
}

/// Tables 3 and 4 go on to 2^17 and 2^16, Table 5 does not.
const PUBLISHED: [Published; 8] = [
    published_at(7, [98.769, 105.105], [3.81492, 10.10092], [0.147, 0.211]),
    published_at(8, [240.92, 255.564], [11.1828, 25.7268], [0.311, 0.430]),
    published_at(9, [256.322, 366.618], [96.1182, 206.2142], [0.581, 0.769]),
    published_at(10, [317.13, 1_088.117], [223.4764, 994.0614], [1.192, 1.724]),
    published_at(11, [1_001.345, 1_332.306], [855.156, 1_185.316], [2.425, 3.216]),
    published_at(12, [2_651.158, 2_881.258], [2_551.718, 2_780.214], [4.781, 6.119]),
    published_at(13, [7_743.503, 5_786.149], [7_621.725, 5_661.165], [9.411, 12.811]),
    published_at(14, [23_006.365, 15_031.275], [22_772.382, 14_790.879], [17.739, 26.004]),
];

impl Published {
    pub(super) fn of(size: usize) -> Option<&'static Self> {
        PUBLISHED.iter().find(|row| 1 << row.log == size)
    }

    /// Figure 2, of which the paper prints no numbers: what Table 3 has beyond Tables 4 and 5 is key generation.
    pub(super) fn keys(&self, of: usize) -> f64 {
        self.total[of] - self.running[of] - self.transmission[of]
    }
}

/// Table 1 of the paper: key generation for transforms of 2^t coefficients, and in the general setting (section III-A).
pub(super) const PUBLISHED_KEYS: [(Setting, f64); 5] = [
    (Setting::General, 31.73),
    (Setting::Special { log_size: 10 }, 92.452),
    (Setting::Special { log_size: 11 }, 143.784),
    (Setting::Special { log_size: 12 }, 94.63),
    (Setting::Special { log_size: 13 }, 112.158),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_is_left_of_a_run() {
        let published = Published::of(1 << 7).expect("in the paper");
        assert!((published.keys(0) - 94.807).abs() < 1e-3, "{}", published.keys(0));
        assert!(Published::of(100).is_none());
    }
}
