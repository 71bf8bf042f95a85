//! The kinds of messages, all in one table: a byte that stands twice does not compile.

use std::fmt;

macro_rules! tags {
    ($($name:ident = $byte:literal $words:literal,)*) => {
        /// What a message is: its byte on the wire, and the words for it in an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Tag {
            $(#[doc = concat!("\"", $words, "\".")] $name = $byte,)*
        }

        impl Tag {
            /// The words in an error.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }

            /// The kind of message with this byte.
            ///
            /// # Panics
            /// When there is none; a constant with such a byte does not compile.
            #[must_use]
            pub const fn of(byte: u8) -> Self {
                match byte {
                    $($byte => Self::$name,)*
                    _ => panic!("no message has this byte"),
                }
            }
        }
    };
}

tags! {
    GroupElements = 1 "group elements",
    Values = 2 "values",
    SortedSet = 3 "sorted set",
    Count = 4 "count",
    BloomFilter = 5 "Bloom filter",
    Bits = 6 "bits",
    MaskedSums = 7 "masked sums",
    EncodingSeed = 8 "seed of the encoding",
    EncodedSet = 9 "encoded set",
    Coin = 10 "coin",
    EncryptedPolynomials = 11 "encrypted polynomials",
    PaillierNumbers = 12 "Paillier numbers",
    KeyAgreement = 14 "first message of the key agreement",
    Polynomial = 15 "polynomial",
    EncryptedPowers = 16 "encrypted powers",
    EncryptedAnswers = 17 "encrypted answers",
    FingerprintKey = 18 "public key of the fingerprints",
    SealedLabels = 19 "sealed labels",
    KeyProof = 20 "proof of the key",
    MatchConfirmation = 21 "match confirmation",
    MultipartyRound = 22 "round of several parties",
    Rows = 23 "rows of matches",
    SealedRows = 24 "sealed rows",
    ZeroShareKey = 25 "key of shares",
    GateChoices = 26 "choices of gates",
    GateTables = 27 "tables of gates",
    Products = 28 "products of shares",
    BaseOtOffer = 0x20 "base OT offer",
    BaseOtAnswer = 0x21 "base OT answer",
    MlKemOffer = 0x22 "post-quantum base OT offer",
    MlKemAnswer = 0x23 "post-quantum base OT answer",
    OtTrees = 0x28 "OT seed trees",
    OtCorrections = 0x29 "OT corrections",
    OtChallenge = 0x2a "OT challenge",
    OtCheck = 0x2b "OT consistency check",
    OtMessages = 0x2c "OT messages",
    VoleTrees = 0x30 "vector OLE trees",
    VoleChallenge = 0x31 "vector OLE challenge",
    VoleCheck = 0x32 "vector OLE consistency check",
    Terms = 0xf0 "terms",
    Choice = 0xf1 "choice of protocol",
    Consent = 0xf2 "consent",
    Done = 0xf3 "end of the run",
    Parts = 0xf4 "number of parts",
    Roll = 0xf5 "roll of the parties",
    Ticket = 0xf6 "ticket of a piece",
    TierSize = 0xf7 "size of a tier",
    Signature = 0xf8 "signature of the receipt",
    TierRoll = 0xf9 "sizes of a tier that were told",
    Goodbye = 0xff "goodbye",
}

impl Tag {
    /// The byte on the wire.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (message type {})", self.name(), self.byte())
    }
}
