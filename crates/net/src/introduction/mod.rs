//! Two parties that know nothing of each other but a code.
//!
//! Both run SPAKE2 (Abdalla and Pointcheval, CT-RSA 2005) over the code's secret, which gives both the same key if they have
//! the same code, and else tells neither more than that they have not. Under that key the guest sends its identity's public key, a signature of the
//! exchange, and what it has to say; the host does so only after it has read that. So somebody in between has one guess of
//! [`SECRET_BITS`] bits, and the host's code is used up by a wrong one.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce};
use hkdf::Hkdf;
use sha2::Sha256;
use spake2::{Ed25519Group, Identity as Name, Password, Spake2};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
#[cfg(not(target_family = "wasm"))]
use tokio::net::TcpListener;
use veilset_party::{Identity, PublicKey};
use veilset_reach::wire::{Room, Side};
use veilset_reach::{Proxies, RelayUrl, Way, join};
use zeroize::Zeroizing;

use crate::address::relay_url;
#[cfg(not(target_family = "wasm"))]
use crate::address::{Purpose, host_and_port};
use crate::clock::{sleep, timeout};
use crate::connect::Failed;
#[cfg(target_family = "wasm")]
use crate::endpoint::unreachable_address;
use crate::runtime::runtime;
use crate::{Endpoint, Event, NetError, Options};

/// Digits and letters that nobody takes for one another (Crockford's): 5 bits each.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// How many letters say which invitation it is, at a relay.
const PLATE: usize = 4;

/// How many are the secret.
const SECRET: usize = 8;

/// The bits of the secret, of which somebody has one guess.
pub const SECRET_BITS: usize = 5 * SECRET;

/// The longest message in bytes.
pub const MOST_SAID: usize = 4 << 10;

/// How long one who has come may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause after an attempt that led to nobody.
const PAUSE: Duration = Duration::from_secs(1);

/// What both say first: the version of all this.
const HELLO: &[u8; 8] = b"veilset1";

const HOST: &[u8] = b"veilset invitation: host";
const GUEST: &[u8] = b"veilset invitation: guest";
const CONTEXT: &str = "veilset invitation";

/// A single-use code: which invitation it is, and a secret.
#[derive(Clone)]
pub struct Code(Zeroizing<[u8; PLATE + SECRET]>);

impl Code {
    /// A new one.
    ///
    /// # Panics
    /// When the operating system gives no randomness.
    #[must_use]
    pub fn fresh() -> Self {
        let mut letters = Zeroizing::new([0; PLATE + SECRET]);
        getrandom::fill(&mut *letters).expect("the operating system gives randomness");
        letters.iter_mut().for_each(|letter| *letter = LETTERS[usize::from(*letter % 32)]);
        Self(letters)
    }

    /// Where the two meet at a relay: whoever guesses it can use the code up, and no more.
    fn room(&self) -> Room {
        let extracted = Prk::new(Some(b"veilset invitation room"), &self.0[..PLATE]);
        Room(expanded(&extracted, b"room"))
    }

    fn password(&self) -> Password {
        Password::new(&self.0[PLATE..])
    }
}

/// To be told: in groups of four.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, letter) in self.0.iter().enumerate() {
            let dash = if place > 0 && place % 4 == 0 { "-" } else { "" };
            write!(f, "{dash}{}", char::from(*letter))?;
        }
        Ok(())
    }
}

impl FromStr for Code {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let letters = text.bytes().filter(|letter| !b"- ".contains(letter));
        let letters: Zeroizing<Vec<u8>> = Zeroizing::new(letters.map(usual).collect());
        let form = "such as 7KQ2-9FM4-TX3H";
        if let Some(none) = letters.iter().find(|letter| !LETTERS.contains(letter)) {
            return Err(format!("{} does not occur in a code, {form}", none.escape_ascii()));
        }
        let letters = <[u8; PLATE + SECRET]>::try_from(&letters[..]).map_err(|_| {
            let (want, got) = (PLATE + SECRET, letters.len());
            format!("a code has {want} letters and digits, {form}; this one has {got}")
        });
        letters.map(|letters| Self(Zeroizing::new(letters)))
    }
}

/// A letter as a code has it, for what people take for it.
fn usual(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'O' => b'0',
        b'I' | b'L' => b'1',
        other => other,
    }
}

/// Which of the two this side is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It made the code, and waits.
    Host,
    /// It was given the code.
    Guest,
}

/// Who the other is.
#[derive(Debug, PartialEq, Eq)]
pub struct Introduced {
    /// Its key, which it has proved to hold.
    pub peer: PublicKey,
    /// What it said, [`MOST_SAID`] bytes at most.
    pub said: Vec<u8>,
}

impl From<io::Error> for Failed {
    fn from(why: io::Error) -> Self {
        Self::ForNow(why.to_string())
    }
}

/// One side of an introduction.
pub struct Introduction<'a> {
    /// Which of the two it is.
    pub role: Role,
    /// Its own key.
    pub identity: &'a Identity,
    /// The code that both have.
    pub code: &'a Code,
    /// What it says to the other, [`MOST_SAID`] bytes at most.
    pub say: &'a [u8],
    /// Hears who the other is before this side's next word: where it says no, the other is told that the code was wrong, and so is
    /// this side's caller.
    pub approve: &'a dyn Fn(&Introduced) -> bool,
    /// Hears what it comes to.
    pub events: &'a dyn Fn(Event),
}

impl Introduction<'_> {
    /// Meets the other who has the same code. A host waits, also for callers that know nothing of the code, until the deadline; a
    /// guest goes to it until it is there.
    ///
    /// # Errors
    /// [`NetError::CodeUsedUp`] for a host whom somebody told a wrong code, [`NetError::WrongCode`] for a guest with a wrong one,
    /// [`NetError::NotIntroduced`] at the deadline; else as [`establish`](crate::establish).
    ///
    /// # Panics
    /// When called inside an asynchronous runtime, or when there is too much to say.
    pub fn run(&self, endpoint: &Endpoint, options: &Options) -> Result<Introduced, NetError> {
        assert!(self.say.len() <= MOST_SAID, "{} bytes", self.say.len());
        endpoint.check()?;
        let runtime = runtime()?;
        let mut last = None;
        let introduced = runtime.block_on(async {
            tokio::select! {
                biased;
                () = options.stop.stopped() => Err(NetError::Stopped),
                met = timeout(options.deadline, self.meet(endpoint, &mut last)) => {
                    met.unwrap_or_else(|_| {
                        let (role, at) = (self.role, endpoint.place().to_owned());
                        Err(NetError::NotIntroduced { role, at, waited: options.deadline, last })
                    })
                }
            }
        });
        // A name server that does not answer must not hold this up.
        runtime.shutdown_background();
        introduced
    }

    /// Talks to one after another who is there, until one is the other.
    async fn meet(
        &self,
        endpoint: &Endpoint,
        last: &mut Option<String>,
    ) -> Result<Introduced, NetError> {
        let mut entrance = match endpoint {
            #[cfg(not(target_family = "wasm"))]
            Endpoint::Listen(addr) => {
                let failed = |why| NetError::Listen { addr: addr.clone(), why };
                let target = host_and_port(addr, Purpose::Listen)?;
                let socket = TcpListener::bind(target).await.map_err(failed)?;
                (self.events)(Event::Listening(socket.local_addr().map_err(failed)?));
                Entrance::Listener(socket)
            }
            #[cfg(not(target_family = "wasm"))]
            Endpoint::Connect(addr) => {
                let (host, port) = host_and_port(addr, Purpose::Connect)?;
                Entrance::Peer {
                    host: host.to_owned(),
                    port,
                    proxies: Proxies::from_env().map_err(NetError::Proxy)?,
                }
            }
            #[cfg(target_family = "wasm")]
            Endpoint::Listen(addr) | Endpoint::Connect(addr) => {
                return Err(unreachable_address(addr));
            }
            Endpoint::Via(url) => {
                let proxies = Proxies::from_env().map_err(NetError::Proxy)?;
                Entrance::Relay { url: relay_url(url)?, proxies, is_new: true }
            }
        };
        loop {
            let talked = match self.next(&mut entrance).await {
                Ok(way) => {
                    let talked = timeout(PATIENCE, self.talk(way)).await;
                    talked.unwrap_or_else(|_| Err(Failed::ForNow("it is too slow".to_owned())))
                }
                Err(failed) => Err(failed),
            };
            match talked {
                Ok(introduced) => return Ok(introduced),
                Err(Failed::ForGood(why)) => return Err(why),
                Err(Failed::ForNow(why)) => *last = Some(why),
            }
            if !entrance.waits() {
                let (addr, why) = (endpoint.place().to_owned(), last.clone().unwrap_or_default());
                (self.events)(Event::Retrying { addr, why, wait: PAUSE });
                sleep(PAUSE).await;
            }
        }
    }

    async fn next(&self, entrance: &mut Entrance) -> Result<Way, Failed> {
        match entrance {
            #[cfg(not(target_family = "wasm"))]
            Entrance::Listener(socket) => Ok(Way::Tcp(socket.accept().await?.0)),
            #[cfg(not(target_family = "wasm"))]
            Entrance::Peer { host, port, proxies } => {
                Ok(Way::Tcp(proxies.reach(host, *port).await?))
            }
            Entrance::Relay { url, proxies, is_new } => {
                let side = if self.role == Role::Host { Side::First } else { Side::Second };
                let waits = || {
                    if std::mem::take(is_new) {
                        (self.events)(Event::Waiting { relay: url.to_string() });
                    }
                };
                let joined = join(url, &self.code.room(), side, proxies, waits).await;
                let relayed = joined.map_err(|why| Failed::at_relay(&url.to_string(), why))?;
                Ok(Way::Relayed(Box::new(relayed)))
            }
        }
    }

    /// Learns with whoever is at the other end whether it has the same code, and who it is.
    async fn talk(
        &self,
        mut way: impl AsyncRead + AsyncWrite + Unpin,
    ) -> Result<Introduced, Failed> {
        let (host, guest, password) = (Name::new(HOST), Name::new(GUEST), self.code.password());
        let (pake, ours) = match self.role {
            Role::Host => Spake2::<Ed25519Group>::start_a(&password, &host, &guest),
            Role::Guest => Spake2::<Ed25519Group>::start_b(&password, &host, &guest),
        };
        way.write_all(&[&HELLO[..], &ours].concat()).await?;
        way.flush().await?;
        let mut hello = [0; HELLO.len()];
        way.read_exact(&mut hello).await?;
        let mut theirs = vec![0; ours.len()];
        if hello != *HELLO {
            return Err(Failed::ForNow("it is not veilset".to_owned()));
        }
        way.read_exact(&mut theirs).await?;
        let key = pake.finish(&theirs);
        let key = Zeroizing::new(key.map_err(|_| Failed::ForNow("it says no number".to_owned()))?);
        let said = match self.role {
            Role::Host => [ours, theirs],
            Role::Guest => [theirs, ours],
        };
        let keys = Keys::of(&key, &said.concat());
        match self.role {
            Role::Host => self.receive(way, keys).await,
            // From here on whoever is there has had its guess, whatever becomes of the connection.
            Role::Guest => {
                let introduced = timeout(PATIENCE, self.visit(way, keys)).await;
                let introduced = introduced.ok().and_then(Result::ok).flatten();
                introduced.ok_or(Failed::ForGood(NetError::WrongCode))
            }
        }
    }

    /// The host reads who the guest is before it says who it is itself.
    async fn receive(
        &self,
        mut way: impl AsyncRead + AsyncWrite + Unpin,
        keys: Keys,
    ) -> Result<Introduced, Failed> {
        let sealed = read_sealed(&mut way).await?;
        let Some(introduced) = self.opened(&keys, Role::Guest, sealed) else {
            let _ = way.write_all(&[0; 2]).await;
            let _ = way.shutdown().await;
            return Err(Failed::ForGood(NetError::CodeUsedUp));
        };
        write_sealed(&mut way, &keys.seal(Role::Host, 0, &self.card(&keys))).await?;
        let heard = keys.open(Role::Guest, 1, read_sealed(&mut way).await?);
        let is_heard = heard.is_some_and(|heard| heard.is_empty());
        is_heard.then_some(introduced).ok_or_else(|| Failed::ForNow("it went away".to_owned()))
    }

    /// Nothing where the other has another code, or cannot be understood.
    async fn visit(
        &self,
        mut way: impl AsyncRead + AsyncWrite + Unpin,
        keys: Keys,
    ) -> io::Result<Option<Introduced>> {
        write_sealed(&mut way, &keys.seal(Role::Guest, 0, &self.card(&keys))).await?;
        let sealed = read_sealed(&mut way).await?;
        let Some(introduced) = self.opened(&keys, Role::Host, sealed) else { return Ok(None) };
        write_sealed(&mut way, &keys.seal(Role::Guest, 1, b"")).await?;
        way.shutdown().await?;
        // Until the host has it.
        let _ = way.read(&mut [0]).await;
        Ok(Some(introduced))
    }

    /// Who this side is: its key, a signature of this exchange, and what it says.
    fn card(&self, keys: &Keys) -> Vec<u8> {
        let public = self.identity.public_key();
        let signature = self.identity.sign(CONTEXT, &keys.signed(self.role));
        [public.as_bytes(), &signature[..], self.say].concat()
    }

    /// Who the other is.
    fn opened(&self, keys: &Keys, role: Role, sealed: Vec<u8>) -> Option<Introduced> {
        let card = keys.open(role, 0, sealed)?;
        let (public, rest) = card.split_first_chunk()?;
        let (signature, said) = rest.split_first_chunk::<64>()?;
        let peer = PublicKey::from_bytes(*public);
        let is_it = peer.signed(CONTEXT, &keys.signed(role), signature) && said.len() <= MOST_SAID;
        let introduced = is_it.then(|| Introduced { peer, said: said.to_vec() });
        introduced.filter(|introduced| (self.approve)(introduced))
    }
}

/// Where the other comes from.
enum Entrance {
    #[cfg(not(target_family = "wasm"))]
    Listener(TcpListener),
    #[cfg(not(target_family = "wasm"))]
    Peer {
        host: String,
        port: u16,
        proxies: Proxies,
    },
    Relay {
        url: RelayUrl,
        proxies: Proxies,
        is_new: bool,
    },
}

impl Entrance {
    /// Whether others come here, and need not be sought.
    fn waits(&self) -> bool {
        match self {
            #[cfg(not(target_family = "wasm"))]
            Self::Listener(_) => true,
            _ => false,
        }
    }
}

/// A pseudorandom key of RFC 5869.
type Prk = Hkdf<Sha256>;

/// The keys of an exchange: one for what each side seals, and what both sign.
struct Keys {
    host: ChaCha20Poly1305,
    guest: ChaCha20Poly1305,
    session: [u8; 32],
}

impl Keys {
    fn of(key: &[u8], said: &[u8]) -> Self {
        let extracted = Prk::new(Some(b"veilset invitation"), key);
        let sealing = |purpose: &[u8]| {
            let bytes = Zeroizing::new(expanded(&extracted, &[purpose, said].concat()));
            ChaCha20Poly1305::new((&*bytes).into())
        };
        let session = expanded(&extracted, &[b"session", said].concat());
        Self { host: sealing(HOST), guest: sealing(GUEST), session }
    }

    fn signed(&self, role: Role) -> Vec<u8> {
        [purpose(role), &self.session].concat()
    }

    fn key(&self, role: Role) -> &ChaCha20Poly1305 {
        match role {
            Role::Host => &self.host,
            Role::Guest => &self.guest,
        }
    }

    /// What this side says, under a number that it uses once.
    fn seal(&self, role: Role, number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut sealed = bytes.to_vec();
        let done = self.key(role).encrypt_in_place(&nonce(number), b"", &mut sealed);
        done.expect("it is short");
        sealed
    }

    fn open(&self, role: Role, number: u8, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let opened = self.key(role).decrypt_in_place(&nonce(number), b"", &mut sealed);
        opened.ok().map(|()| sealed)
    }
}

fn purpose(role: Role) -> &'static [u8] {
    match role {
        Role::Host => HOST,
        Role::Guest => GUEST,
    }
}

fn nonce(number: u8) -> Nonce {
    let mut nonce = [0; 12];
    nonce[0] = number;
    nonce.into()
}

fn expanded(extracted: &Prk, info: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    extracted.expand(info, &mut bytes).expect("32 bytes are not too many");
    bytes
}

/// The longest that is sealed: a key, a signature, what is said, and a tag.
const LONGEST: usize = 32 + 64 + MOST_SAID + 16;

async fn write_sealed(way: &mut (impl AsyncWrite + Unpin), sealed: &[u8]) -> io::Result<()> {
    let length = u16::try_from(sealed.len()).map_err(io::Error::other)?;
    way.write_all(&[&length.to_le_bytes(), sealed].concat()).await?;
    way.flush().await
}

async fn read_sealed(way: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let length = usize::from(way.read_u16_le().await?);
    if !(16..=LONGEST).contains(&length) {
        return Err(io::Error::other("it says too little or too much"));
    }
    let mut sealed = vec![0; length];
    way.read_exact(&mut sealed).await?;
    Ok(sealed)
}

#[cfg(test)]
mod tests;
