//! What can go wrong, and whose fault it is.

/// Why there is no key or no plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ThresholdError {
    /// No such quorum.
    #[error("{threshold} of {parties} parties cannot share a key; take 1 to {parties} of them")]
    Quorum {
        /// t.
        threshold: u16,
        /// n.
        parties: u16,
    },
    /// There is no party of that number.
    #[error("party {party} is none of the {parties}; parties are numbered from 1")]
    NoParty {
        /// The number.
        party: u16,
        /// n.
        parties: u16,
    },
    /// Not one message of every party.
    #[error("a round needs one message of each of {parties} parties; there are {messages}")]
    Messages {
        /// n.
        parties: u16,
        /// How many there are.
        messages: usize,
    },
    /// A dealer's share is not what it committed itself to.
    #[error(
        "party {dealer} sent a share that its commitments do not admit; publish the share and start again without it"
    )]
    WrongShare {
        /// Who sent it.
        dealer: u16,
    },
    /// A dealer's opening does not fit its share.
    #[error(
        "party {dealer} opened its commitments to another polynomial than it dealt; start again without it"
    )]
    WrongOpening {
        /// Who sent it.
        dealer: u16,
    },
    /// A proof fails.
    #[error("a proof of party {party} does not hold; leave it out")]
    WrongProof {
        /// Who sent it.
        party: u16,
    },
    /// A partial decryption is not one of these ciphertexts.
    #[error("party {party} decrypted {found} ciphertexts where there are {expected}; ask it again")]
    Ciphertexts {
        /// Who sent it.
        party: u16,
        /// How many it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// Two messages of the same party.
    #[error("there are two partial decryptions of party {party}; leave one out")]
    Repeated {
        /// Who sent them.
        party: u16,
    },
    /// Fewer than t.
    #[error("{found} parties decrypted where {threshold} must; wait for others")]
    TooFew {
        /// t.
        threshold: u16,
        /// How many did.
        found: usize,
    },
    /// The parties' numbers add up to 0, which chance brings about once in the group's order.
    #[error("the joint key is the neutral element; generate another")]
    NeutralKey,
    /// A message is no encoding.
    #[error("{what} cannot be read: it has another length, or holds no {unit}; ask for it again")]
    Malformed {
        /// Which message.
        what: &'static str,
        /// What it should hold there.
        unit: &'static str,
    },
}
