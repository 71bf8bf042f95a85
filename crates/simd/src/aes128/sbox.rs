//! The substitution of AES as a circuit.

use std::ops::{BitAnd, BitXor};

/// What SubBytes makes of bytes whose bits are in eight planes, bit 0 first, less the constant 0x63 that it adds last.
///
/// The circuit of Boyar and Peralta, "A depth-16 circuit for the AES S-box" (eprint 2011/332), in their names, with bit 7
/// as x0 and s0; the four negations are the constant.
#[inline(always)]
pub(super) fn substitute<T: Copy + BitAnd<Output = T> + BitXor<Output = T>>(
    [x7, x6, x5, x4, x3, x2, x1, x0]: [T; 8],
) -> [T; 8] {
    // The linear layer before.
    let (y14, y13, y9, y8) = (x3 ^ x5, x0 ^ x6, x0 ^ x3, x0 ^ x5);
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let (y4, y12, y2, y5) = (y1 ^ x3, y13 ^ y14, y1 ^ x0, y1 ^ x6);
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let (y15, y20) = (t1 ^ x5, t1 ^ x1);
    let (y6, y10, y11) = (y15 ^ x7, y15 ^ t0, y20 ^ y9);
    let (y7, y17, y19, y16) = (x7 ^ y11, y10 ^ y11, y10 ^ y8, t0 ^ y11);
    let (y21, y18) = (y13 ^ y16, x0 ^ y16);

    // The inversion.
    let t2 = y12 & y15;
    let t4 = (y3 & y6) ^ t2;
    let t6 = (y4 & x7) ^ t2;
    let t7 = y13 & y16;
    let t9 = (y5 & y1) ^ t7;
    let t11 = (y2 & y7) ^ t7;
    let t12 = y9 & y11;
    let t14 = (y14 & y17) ^ t12;
    let t16 = (y8 & y10) ^ t12;
    let t21 = t4 ^ t14 ^ y20;
    let t22 = t6 ^ t16 ^ y19;
    let t23 = t9 ^ t14 ^ y21;
    let t24 = t11 ^ t16 ^ y18;
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t29 = (t25 & t27) ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t33 = (t31 & t30) ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let (t41, t42, t43, t44) = (t40 ^ t37, t29 ^ t33, t29 ^ t40, t33 ^ t37);
    let t45 = t42 ^ t41;
    let (z0, z1, z2) = (t44 & y15, t37 & y6, t33 & x7);
    let (z3, z4, z5) = (t43 & y16, t40 & y1, t29 & y7);
    let (z6, z7, z8) = (t42 & y11, t45 & y17, t41 & y10);
    let (z9, z10, z11) = (t44 & y12, t37 & y3, t33 & y4);
    let (z12, z13, z14) = (t43 & y13, t40 & y5, t29 & y2);
    let (z15, z16, z17) = (t42 & y9, t45 & y14, t41 & y8);

    // The linear layer after.
    let (t46, t47, t48, t49) = (z15 ^ z16, z10 ^ z11, z5 ^ z13, z9 ^ z10);
    let (t50, t51, t52, t53) = (z2 ^ z12, z2 ^ z5, z7 ^ z8, z0 ^ z3);
    let (t54, t55, t56, t57) = (z6 ^ z7, z16 ^ z17, z12 ^ t48, t50 ^ t53);
    let (t58, t59, t60, t61) = (z4 ^ t46, z3 ^ t54, t46 ^ t57, z14 ^ t57);
    let (t62, t63, t64) = (t52 ^ t58, t49 ^ t58, z4 ^ t59);
    let (t65, t66) = (t61 ^ t62, z1 ^ t63);
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    [t48 ^ t60, t56 ^ t62, t47 ^ t65, t51 ^ t66, s3, t55 ^ t67, t64 ^ s3, t59 ^ t63]
}
