//! What is wrong with a first message.

/// The peer's first message is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FirstMessageError {
    /// It has another number of bytes.
    #[error(
        "the peer's first message of the key agreement has {found} bytes where {expected} belong; \
         no honest peer sends it, so end the run"
    )]
    Length {
        /// As the agreement has it.
        expected: usize,
        /// As the peer sent it.
        found: usize,
    },
    /// It is a number of the right length and encodes nothing: too large, or of no group element.
    #[error(
        "the peer's first message of the key agreement encodes no element of the group; \
         no honest peer sends it, so end the run"
    )]
    NotAnElement,
    /// It encodes the neutral element, or another whose order is small, so that anybody knows the keys.
    #[error(
        "the peer's first message of the key agreement encodes an element of small order; \
         no honest peer sends it, so end the run"
    )]
    SmallOrder,
}
