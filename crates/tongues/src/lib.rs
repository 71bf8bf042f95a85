//! Protocols of others, byte for byte: what partners speak who run something else.
//!
//! A module for each; they take and give bytes and texts, and neither read files nor ask clocks:
//!
//! * [`pair`], IAB Tech Lab's Publisher Advertiser Identity Reconciliation.

pub mod pair;
