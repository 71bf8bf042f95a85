//! Numbers of RFC 9496 (section 4.1), each with the equation that makes it; tests check them.

use crate::curve25519::field::{Field, Limbs};
use crate::vector::MOST_LANES;

/// d = −121665/121666
pub(super) const D: Limbs = [
    0x3_4dca_1359_78a3,
    0x1_a828_3b15_6ebd,
    0x5_e7a2_6001_c029,
    0x7_39c6_63a0_3cbb,
    0x5_2036_cee2_b6ff,
];

/// 2·d
pub(super) const TWICE_D: Limbs = [
    0x6_9b94_26b2_f159,
    0x3_5050_762a_dd7a,
    0x3_cf44_c003_8052,
    0x6_738c_c740_7977,
    0x2_406d_9dc5_6dff,
];

/// The root of −1 that is not negative: 2^((p − 1)/4).
pub(super) const ROOT_OF_MINUS_1: Limbs = [
    0x6_1b27_4a0e_a0b0,
    0x0_d5a5_fc8f_189d,
    0x7_ef5e_9cbd_0c60,
    0x7_8595_a680_4c9e,
    0x2_b832_4804_fc1d,
];

/// 1 / √(a − d), not negative, for a = −1.
pub(super) const INVERSE_ROOT_OF_A_MINUS_D: Limbs = [
    0x0_fdaa_805d_40ea,
    0x2_eb48_2e57_d339,
    0x0_0761_0274_bc58,
    0x6_510b_613d_c8ff,
    0x7_86c8_905c_faff,
];

/// 1 − d²
pub(super) const ONE_MINUS_D_SQUARED: Limbs = [
    0x4_09c1_945f_c176,
    0x7_19ab_c6a1_fc4f,
    0x1_c37f_90b2_0684,
    0x0_6bcc_ca55_eedf,
    0x0_2907_2a8b_2b3e,
];

/// (d − 1)²
pub(super) const SQUARE_OF_D_MINUS_1: Limbs = [
    0x5_5aaa_44ed_4d20,
    0x5_9603_c333_2635,
    0x2_6d3b_af4a_7928,
    0x1_20a6_6e69_97a9,
    0x5_968b_37af_66c2,
];

/// √(a·d − 1) for a = −1, the root that is negative.
pub(super) const ROOT_OF_AD_MINUS_1: Limbs = [
    0x7_f6a0_497b_2e1b,
    0x1_836f_0a97_afd2,
    0x7_d747_f6be_7638,
    0x4_5607_9e7e_6498,
    0x3_7693_1bf2_b834,
];

/// The generator: y = 4/5, x not negative, and x·y.
pub(super) const GENERATOR: [Limbs; 3] = [
    [
        0x6_2d60_8f25_d51a,
        0x4_12a4_b4f6_592a,
        0x7_5b71_71a4_b31d,
        0x1_ff60_5271_18fe,
        0x2_1693_6d3c_d6e5,
    ],
    [
        0x6_6666_6666_6658,
        0x4_cccc_cccc_cccc,
        0x1_9999_9999_9999,
        0x3_3333_3333_3333,
        0x6_6666_6666_6666,
    ],
    [
        0x6_8ab3_a5b7_dda3,
        0x0_0eea_2a5e_adbb,
        0x2_af8d_f483_c27e,
        0x3_32b3_7527_4732,
        0x6_7875_f0fd_78b7,
    ],
];

/// A point of order 8: x and y, neither negative, and x·y; y² = −x².
pub(super) const ORDER_8: [Limbs; 3] = [
    [
        0x1_4646_c545_d14a,
        0x6_027c_bc47_1bd4,
        0x3_792a_ed70_64f1,
        0x5_1474_99cc_991c,
        0x1_fd5b_9a00_6394,
    ],
    [
        0x7_b2c2_8f95_e826,
        0x6_513e_9868_b604,
        0x6_b37f_57c2_63bf,
        0x4_589c_99e3_6982,
        0x0_5fc5_36d8_8023,
    ],
    [
        0x2_dac1_2181_786c,
        0x1_6640_af4d_3a5e,
        0x4_1d43_d515_9b0a,
        0x2_0a67_e6c4_9736,
        0x1_31db_b3c9_f5d9,
    ],
];

/// ℓ = 2^252 + 27742317777372353535851937790883648493, the order of the group, in words.
pub(super) const ORDER: [u64; 4] =
    [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 0x1000_0000_0000_0000];

/// The same number in all lanes.
#[inline(always)]
pub(super) fn in_all_lanes<F: Field>(f: F, number: Limbs) -> F::Element {
    f.load(&number.map(|limb| [limb; MOST_LANES]))
}
