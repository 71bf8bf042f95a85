//! A party's own key.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use ed25519_dalek::pkcs8::DecodePrivateKey;
use ed25519_dalek::{Signer as _, SigningKey};
use veilset_host::time::now;
use zeroize::Zeroizing;

use crate::{Home, PairSecret, PublicKey, StoreError, Succession};

const FILE: &str = Identity::FILE;

/// The key that this party announced as its next, in the same form.
const NEXT: &str = "identity.next";

/// What precedes the 32 secret bytes in the PKCS#8 form of an Ed25519 key (RFC 8410, section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The longest key file in bytes: twice what PKCS#8 with the public key in it takes.
const LONGEST: usize = 170;

/// An Ed25519 key pair. The secret half is wiped when this goes; it can be neither copied nor shown.
pub struct Identity {
    pkcs8: Zeroizing<Vec<u8>>,
    pair: Arc<SigningKey>,
    public: PublicKey,
}

impl Identity {
    /// The key file under the home directory: PKCS#8, DER.
    pub const FILE: &str = "identity.key";

    /// Reads the identity under `home`.
    ///
    /// # Errors
    /// When there is none, when others than its owner may read the file or change the directory, or when it is not an
    /// Ed25519 key.
    pub fn load(home: &Home) -> Result<Self, StoreError> {
        Self::read(home, FILE)?.ok_or_else(|| StoreError::NoIdentity { path: home.file(FILE) })
    }

    fn read(home: &Home, name: &str) -> Result<Option<Self>, StoreError> {
        let path = home.file(name);
        let Some(file) = home.secret(name)? else { return Ok(None) };
        match read_secret(file) {
            Ok(bytes) if bytes.len() > LONGEST => Err(StoreError::NotAnIdentity { path }),
            Ok(bytes) => {
                Self::from_pkcs8(bytes).map(Some).ok_or(StoreError::NotAnIdentity { path })
            }
            Err(why) => Err(StoreError::Read { path, why }),
        }
    }

    /// Makes an identity and writes it under `home`, with mode 0600; never over another.
    ///
    /// # Errors
    /// [`StoreError::IdentityExists`], or when the file cannot be written.
    pub fn create(home: &Home) -> Result<Self, StoreError> {
        let identity = Self::ephemeral();
        if home.write(FILE, &identity.pkcs8, false)? {
            Ok(identity)
        } else {
            Err(StoreError::IdentityExists { path: home.file(FILE) })
        }
    }

    /// Reads the identity under `home`, or makes one if there is none; whether it was made. However many programs do so at
    /// once, there is one identity.
    ///
    /// # Errors
    /// As [`load`](Self::load) and [`create`](Self::create).
    pub fn load_or_create(home: &Home) -> Result<(Self, bool), StoreError> {
        match Self::load(home) {
            Err(StoreError::NoIdentity { .. }) => {}
            loaded => return loaded.map(|identity| (identity, false)),
        }
        match Self::create(home) {
            Err(StoreError::IdentityExists { .. }) => Self::load(home).map(|one| (one, false)),
            created => created.map(|identity| (identity, true)),
        }
    }

    /// Puts another identity in place of the one under `home`, of which a copy stays beside it; `before` gets it first. Peers refuse a key that they have
    /// not pinned, and know one that was [announced](Self::announce).
    ///
    /// # Errors
    /// [`StoreError::NoNextIdentity`], what `before` says, or when a file cannot be written; the old identity is then still there.
    pub fn replace<E: From<StoreError>>(
        home: &Home,
        with: Replacement,
        before: impl FnOnce(&Self) -> Result<(), E>,
    ) -> Result<Replaced, E> {
        let _lock = home.lock(FILE)?;
        let identity = match with {
            Replacement::Fresh => Self::ephemeral(),
            Replacement::Next => Self::read(home, NEXT)?.ok_or(StoreError::NoNextIdentity)?,
        };
        before(&identity)?;
        let backup = back_up(home, FILE)?;
        if with == Replacement::Fresh {
            // Its announcer is gone.
            back_up(home, NEXT)?;
        }
        home.write(FILE, &identity.pkcs8, true)?;
        home.remove(NEXT)?;
        Ok(Replaced { identity, backup })
    }

    /// Puts the identity in these bytes, those of a key file, in place of the one under `home`, of which a copy stays beside it.
    ///
    /// # Errors
    /// [`StoreError::NotAnIdentity`], or when a file cannot be written.
    pub fn import(home: &Home, bytes: &[u8]) -> Result<Self, StoreError> {
        let _lock = home.lock(FILE)?;
        let identity = Some(bytes)
            .filter(|bytes| bytes.len() <= LONGEST)
            .and_then(|bytes| Self::from_pkcs8(Zeroizing::new(bytes.to_vec())))
            .ok_or_else(|| StoreError::NotAnIdentity { path: home.file(FILE) })?;
        back_up(home, FILE)?;
        home.write(FILE, &identity.pkcs8, true)?;
        home.remove(NEXT)?;
        Ok(identity)
    }

    /// What tells peers this party's next key, which the key that it has now signs; the first call makes that key.
    ///
    /// # Errors
    /// When this party has no identity, or a file cannot be read or written.
    pub fn announce(home: &Home) -> Result<Succession, StoreError> {
        let _lock = home.lock(FILE)?;
        let own = Self::load(home)?;
        let next = match Self::read(home, NEXT)? {
            Some(next) if next.public != own.public => next,
            // None, or one that is in use since a machine stopped in the middle of a replacement.
            _ => {
                let next = Self::ephemeral();
                home.write(NEXT, &next.pkcs8, true)?;
                next
            }
        };
        Ok(Succession::new(&own, &next))
    }

    /// An identity that lives in memory only, for a party that no one needs to know again.
    ///
    /// # Panics
    /// When the operating system gives no randomness.
    #[must_use]
    pub fn ephemeral() -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).expect("the operating system gives randomness");
        Self::from_pkcs8(Zeroizing::new([&PKCS8[..], &seed[..]].concat()))
            .expect("any 32 bytes are a key")
    }

    /// The public half, for the peer.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// This party's signature on `message` in one of the contexts that there are, each a text that begins with
    /// `veilset`. What TLS has signed begins otherwise (RFC 8446, section 4.4.3), so that neither passes for the other.
    ///
    /// # Panics
    /// When the context begins otherwise.
    #[must_use]
    pub fn sign(&self, context: &str, message: &[u8]) -> [u8; 64] {
        signed(&self.pair, context, message)
    }

    /// What signs messages in one context, also where the identity is not at hand.
    ///
    /// # Panics
    /// When the context does not begin with `veilset`.
    #[must_use]
    pub fn signer(&self, context: &'static str) -> Signer {
        assert!(context.starts_with("veilset"), "a context names the program");
        Signer { pair: Arc::clone(&self.pair), public: self.public, context }
    }

    /// What this party and the one with key `peer` can compute, and nobody else.
    #[must_use]
    pub fn shared_with(&self, peer: &PublicKey) -> PairSecret {
        PairSecret::of(self.pair.as_bytes(), self.public, *peer)
    }

    /// What signs a TLS handshake: everything else has a context, and is [signed](Self::sign) in it.
    #[must_use]
    pub fn handshake_signer(&self) -> HandshakeSigner {
        HandshakeSigner(Arc::clone(&self.pair))
    }

    fn from_pkcs8(pkcs8: Zeroizing<Vec<u8>>) -> Option<Self> {
        let pair = SigningKey::from_pkcs8_der(&pkcs8).ok()?;
        let public = PublicKey::from_bytes(pair.verifying_key().to_bytes());
        Some(Self { pkcs8, pair: Arc::new(pair), public })
    }
}

/// What takes an identity's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// One that nobody knows.
    Fresh,
    /// The one that was announced.
    Next,
}

/// An identity that took another's place.
pub struct Replaced {
    /// The one that is there now.
    pub identity: Identity,
    /// The file that holds the one before, if there was one.
    pub backup: Option<PathBuf>,
}

/// Gives a key file, whatever is in it, a second name beside the first.
fn back_up(home: &Home, name: &str) -> Result<Option<PathBuf>, StoreError> {
    if !home.has(name) {
        return Ok(None);
    }
    let mut number = now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let backup = |number: u64| format!("{name}.until-{number}");
    while home.has(&backup(number)) {
        number += 1;
    }
    home.link(name, &backup(number))?;
    Ok(Some(home.file(&backup(number))))
}

/// This party's signatures in one context.
#[derive(Clone)]
pub struct Signer {
    pair: Arc<SigningKey>,
    public: PublicKey,
    context: &'static str,
}

impl Signer {
    /// Whose signatures they are.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// As [`Identity::sign`].
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        signed(&self.pair, self.context, message)
    }
}

/// This party's signatures on TLS handshakes. Its clones are one.
#[derive(Clone)]
pub struct HandshakeSigner(Arc<SigningKey>);

impl HandshakeSigner {
    /// A signature by RFC 8032 on the bytes as they are.
    #[must_use]
    pub fn sign(&self, handshake: &[u8]) -> [u8; 64] {
        self.0.sign(handshake).to_bytes()
    }
}

impl fmt::Debug for HandshakeSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HandshakeSigner").finish_non_exhaustive()
    }
}

fn signed(pair: &SigningKey, context: &str, message: &[u8]) -> [u8; 64] {
    pair.sign(&in_context(context, message)).to_bytes()
}

/// What is signed: the context, a zero byte, the message.
pub(crate) fn in_context(context: &str, message: &[u8]) -> Vec<u8> {
    assert!(context.starts_with("veilset"), "a context names the program");
    [context.as_bytes(), &[0], message].concat()
}

/// Up to [`LONGEST`] bytes and one more, which is too many, into memory that is wiped and never moves.
fn read_secret(mut file: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; LONGEST + 1]);
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};

    use super::*;

    #[test]
    fn a_signature_is_of_one_key_context_and_message() {
        let (own, other) = (Identity::ephemeral(), Identity::ephemeral());
        let signature = own.sign("veilset test", b"message");
        let key = own.public_key();
        assert!(key.signed("veilset test", b"message", &signature));
        assert_eq!(own.signer("veilset test").sign(b"message"), signature);
        assert!(!other.public_key().signed("veilset test", b"message", &signature));
        assert!(!key.signed("veilset test", b"massage", &signature));
        assert!(!key.signed("veilset test\0m", b"essage", &signature));
        assert!(!key.signed("veilset tes", b"t\0message", &signature));
        let mut altered = signature;
        altered[40] ^= 1;
        assert!(!key.signed("veilset test", b"message", &altered));
        // As RFC 8032 defines it, by the library that TLS verifies with.
        let signed = [&b"veilset test\0"[..], b"message"].concat();
        let verifier = UnparsedPublicKey::new(&ED25519, key.as_bytes());
        assert!(verifier.verify(&signed, &signature).is_ok());
    }

    #[test]
    fn reads_the_key_of_rfc_8410() {
        // The private and the public key of RFC 8410, section 10.
        let seed: [u8; 32] =
            hex("d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842");
        let public = hex("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
        let identity = Identity::from_pkcs8(Zeroizing::new([&PKCS8[..], &seed].concat()));
        assert_eq!(identity.expect("a key").public_key(), PublicKey::from_bytes(public));
    }

    fn hex(text: &str) -> [u8; 32] {
        std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex"))
    }

    #[test]
    fn is_written_once_and_for_its_owner_only() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path().join("a/b"));
        let made = Identity::create(&home).expect("nothing there").public_key();
        let mode = |path| fs::metadata(path).expect("exists").permissions().mode() & 0o777;
        assert_eq!(mode(home.file(FILE)), 0o600);
        assert_eq!(mode(home.path().to_path_buf()), 0o700);
        assert!(matches!(Identity::create(&home), Err(StoreError::IdentityExists { .. })));
        assert_eq!(Identity::load(&home).expect("there").public_key(), made);

        let before = fs::read(home.file(FILE)).expect("there");
        let Replaced { identity, backup } =
            Identity::replace(&home, Replacement::Fresh, nothing).expect("writable");
        let new = identity.public_key();
        assert_ne!(new, made);
        assert_eq!(Identity::load(&home).expect("there").public_key(), new);
        assert_eq!(mode(home.file(FILE)), 0o600);
        let backup = backup.expect("there was one");
        assert_eq!((fs::read(&backup).expect("there"), mode(backup)), (before, 0o600));
        Identity::replace(&home, Replacement::Fresh, nothing).expect("writable");
        let files = fs::read_dir(home.path()).expect("a directory");
        // The key, the two before it, and the lock.
        assert_eq!(files.count(), 4, "nothing else is left");
    }

    fn nothing(_: &Identity) -> Result<(), StoreError> {
        Ok(())
    }

    #[test]
    fn a_next_key_is_announced_until_it_is_in_use() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path());
        let refused =
            Identity::replace(&home, Replacement::Next, nothing).err().expect("none is there");
        assert!(matches!(refused, StoreError::NoNextIdentity));
        assert!(matches!(Identity::announce(&home), Err(StoreError::NoIdentity { .. })));
        let own = Identity::create(&home).expect("nothing there").public_key();
        let next = Identity::announce(&home).expect("writable");
        assert_eq!((next.old(), Identity::announce(&home).expect("there")), (own, next));
        assert_eq!(Identity::load(&home).expect("there").public_key(), own);
        let replaced = Identity::replace(&home, Replacement::Next, nothing).expect("writable");
        assert_eq!(replaced.identity.public_key(), next.new_key());
        assert_eq!(Identity::load(&home).expect("there").public_key(), next.new_key());
        let refused =
            Identity::replace(&home, Replacement::Next, nothing).err().expect("it is in use");
        assert!(matches!(refused, StoreError::NoNextIdentity));
        assert_ne!(Identity::announce(&home).expect("another"), next);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path());
        Identity::create(&home).expect("nothing there");
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(home.file(FILE), fs::Permissions::from_mode(mode)).expect("own");
            let refused = Identity::load(&home).err().expect("exposed");
            assert!(refused.to_string().contains("chmod 600"), "{refused}");
            assert!(!refused.is_refusal());
        }
    }

    #[test]
    fn a_missing_or_broken_file_says_so() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = Home::new(dir.path());
        assert!(matches!(Identity::load(&home), Err(StoreError::NoIdentity { .. })));
        let whole = [&PKCS8[..], &[1; 32]].concat();
        let long = [&whole[..], &[0; 4096]].concat();
        for bytes in [&b""[..], b"-----BEGIN PRIVATE KEY-----", &PKCS8, &whole[..47], &long] {
            home.write(FILE, bytes, true).expect("writable");
            assert!(matches!(Identity::load(&home), Err(StoreError::NotAnIdentity { .. })));
        }
    }

    #[test]
    fn a_secret_is_read_in_pieces_and_up_to_its_bound() {
        /// One byte at a time, for ever.
        struct Endless(usize);
        impl Read for Endless {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                buf[0] = 7;
                Ok(1)
            }
        }
        let mut endless = Endless(0);
        assert_eq!(*read_secret(&mut endless).expect("read"), vec![7; LONGEST + 1]);
        assert_eq!(endless.0, LONGEST + 1);
        assert_eq!(*read_secret(&mut endless.take(5)).expect("read"), [7; 5]);
    }
}
