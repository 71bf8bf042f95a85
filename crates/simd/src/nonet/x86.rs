//! The map, compiled for vectors of 256 and of 512 bits.

use super::{Nonet, NonetMap};

#[target_feature(enable = "avx2")]
pub(super) fn avx2(map: &NonetMap, sums: &mut [u128], nonets: &[Nonet]) {
    map.add(sums, nonets);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn avx512f(map: &NonetMap, sums: &mut [u128], nonets: &[Nonet]) {
    map.add(sums, nonets);
}
