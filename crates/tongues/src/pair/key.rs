//! Keys as they lie in files: one line, `veilset-pair-1 KIND TIME BASE64`.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{CipherKey, KeyFileError, Salt, decode, encode};

/// What a line begins with.
const FORMAT: &str = "veilset-pair-1";

/// Which of PAIR's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The publisher's salt.
    Ks,
    /// The publisher's cipher key.
    Kp,
    /// The advertiser's cipher key.
    Ka,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ks, Self::Kp, Self::Ka];

    /// Its name in files and on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ks => "ks",
            Self::Kp => "kp",
            Self::Ka => "ka",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ks => "Ks, the publisher's salt",
            Self::Kp => "Kp, the publisher's cipher key",
            Self::Ka => "Ka, the advertiser's cipher key",
        })
    }
}

/// A key with its kind and the time at which it was made. Wiped when dropped.
pub struct Secret {
    kind: Kind,
    made: SystemTime,
    bytes: Zeroizing<[u8; 32]>,
}

impl Secret {
    /// A fresh one, made now.
    pub fn generate(kind: Kind, now: SystemTime, rng: &mut dyn CryptoRng) -> Self {
        let bytes = match kind {
            Kind::Ks => {
                let mut bytes = Zeroizing::new([0; 32]);
                rng.fill_bytes(bytes.as_mut_slice());
                bytes
            }
            Kind::Kp | Kind::Ka => CipherKey::generate(rng).to_bytes(),
        };
        Self { kind, made: now, bytes }
    }

    /// One of a partner's, in Base64 alone, made at this time.
    ///
    /// # Errors
    /// When the text is not Base64 of 32 bytes, or of no scalar where there must be one.
    pub fn import(kind: Kind, made: SystemTime, text: &str) -> Result<Self, KeyFileError> {
        let bytes = Zeroizing::new(decode(text.trim())?);
        if kind != Kind::Ks {
            CipherKey::from_bytes(&bytes).ok_or(KeyFileError::NotAScalar)?;
        }
        Ok(Self { kind, made, bytes })
    }

    /// What a file has.
    ///
    /// # Errors
    /// When it has something else.
    pub fn read(text: &str) -> Result<Self, KeyFileError> {
        let words: Vec<&str> = text.split_whitespace().take(5).collect();
        let [FORMAT, kind, made, bytes] = words[..] else { return Err(KeyFileError::Other) };
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind);
        Self::import(kind.ok_or(KeyFileError::Other)?, time(made)?, bytes)
    }

    /// Whether a text is of such a file, whatever its key.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        text.starts_with(FORMAT)
    }

    /// The file's line.
    #[must_use]
    pub fn to_line(&self) -> Zeroizing<String> {
        let seconds = self.made.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let made =
            i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let made = made.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true);
        let bytes = Zeroizing::new(encode(&self.bytes));
        Zeroizing::new(format!("{FORMAT} {} {made} {}\n", self.kind.name(), *bytes))
    }

    /// Which it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// When it was made.
    #[must_use]
    pub fn made(&self) -> SystemTime {
        self.made
    }

    /// The salt that it is.
    ///
    /// # Errors
    /// When it is a cipher key.
    pub fn salt(&self) -> Result<Salt, KeyFileError> {
        match self.kind {
            Kind::Ks => Ok(Salt::new(&self.bytes)),
            found => Err(KeyFileError::Kind { found, wanted: "Ks" }),
        }
    }

    /// The cipher key that it is.
    ///
    /// # Errors
    /// When it is a salt.
    pub fn cipher_key(&self) -> Result<CipherKey, KeyFileError> {
        match self.kind {
            Kind::Kp | Kind::Ka => {
                CipherKey::from_bytes(&self.bytes).ok_or(KeyFileError::NotAScalar)
            }
            found => Err(KeyFileError::Kind { found, wanted: "Kp or Ka" }),
        }
    }
}

/// The time that a text names, whole seconds from 1970 on.
fn time(text: &str) -> Result<SystemTime, KeyFileError> {
    let made = DateTime::parse_from_rfc3339(text).map_err(|_| KeyFileError::Made)?;
    let seconds = u64::try_from(made.timestamp()).map_err(|_| KeyFileError::Made)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or(KeyFileError::Made)
}
