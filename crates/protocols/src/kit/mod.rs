//! What protocols are made of: messages, moves and tests that several share, and two functions that several evaluate.

pub(crate) mod bins;
pub(crate) mod calibration;
#[cfg(test)]
pub(crate) mod cheats;
pub(crate) mod comparison;
pub(crate) mod cuckoo;
pub(crate) mod dh_oprf;
pub(crate) mod exchange;
pub(crate) mod gmw;
pub(crate) mod indication;
pub(crate) mod join;
pub(crate) mod membership;
pub(crate) mod mqrpmt;
pub(crate) mod paillier;
pub(crate) mod parties;
pub(crate) mod set_encoding;
pub(crate) mod store;
pub(crate) mod transfer;
pub(crate) mod vole_intersection;
pub(crate) mod vole_oprf;
pub(crate) mod wire;
pub(crate) mod wording;
