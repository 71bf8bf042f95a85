//! Protocols of others, as they speak them: messages and texts in and out, and no path, clock or socket.
//!
//! What is promised of a run between two veilsets does not hold here: no terms are agreed on, and nothing binds a message to a
//! connection or to the one before it. Each module says what its protocol leaks.
//!
//! * [`openmined`] is PSI as OpenMined publishes it: P-256, three containers, protocol buffers.
//! * [`pair`] is IAB Tech Lab's Publisher Advertiser Identity Reconciliation.

pub mod openmined;
pub mod pair;
