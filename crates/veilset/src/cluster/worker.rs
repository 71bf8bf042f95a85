//! A worker, and what it does with the peer's.

use std::net::SocketAddr;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::Element;
use veilset_net::{Identity, Listener, Options, PublicKey, connect};
use veilset_protocols::pieces::{self, Piece};
use veilset_protocols::{ProtocolError, Reveal, Role};
use veilset_session::{Matched, PieceShape, Pipe, SessionError, Ticket};

use crate::job::{fresh_rng, say_goodbye_if_failed};
use crate::{Connection, Error};

/// A worker: a key that nobody needs to know again, and an address at which the peer's workers reach it.
pub struct Worker {
    identity: Identity,
    listener: Listener,
}

/// Whom a worker meets, and over what.
pub struct Meeting {
    /// The key of the peer's worker.
    pub peer: PublicKey,
    /// Its address, for the side that connects.
    pub connect: Option<String>,
    /// What both workers were told.
    pub ticket: Ticket,
    /// Threads for computing.
    pub threads: usize,
    /// How long to wait, and who may end it.
    pub options: Options,
}

impl Worker {
    /// A worker that listens on `host`, at the first free port of `ports` (0 stands for any).
    ///
    /// # Errors
    /// When no port is free.
    pub fn bind(host: &str, ports: impl Iterator<Item = u16>) -> Result<Self, Error> {
        let mut refused = None;
        for port in ports {
            match Listener::bind(&format!("{host}:{port}")) {
                Ok(listener) => return Ok(Self { identity: Identity::ephemeral(), listener }),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.map_or(Error::NoPorts, Error::from))
    }

    /// Where it listens.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.listener.local_addr()
    }

    /// Its key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.identity.public_key()
    }

    /// Which of `elements` the peer's piece has, if this side learns it.
    ///
    /// # Errors
    /// As all that follow: when the peer's worker does not come, was told something else, breaks the protocol or goes away.
    pub fn intersect(
        &self,
        meeting: &Meeting,
        part: (Role, Reveal),
        shape: &PieceShape,
        elements: &[Element],
    ) -> Result<Matched, Error> {
        self.meet(meeting, |pipe, rng| {
            let means = (&meeting.ticket, meeting.threads);
            pipe.match_piece(means, part, shape, elements, rng)
        })
    }

    /// The values, of `bits` bits, of the peer's `peer_count` elements under both parties' keys, in the peer's order. `secret`
    /// makes this party's key, the same in all pieces.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn exchange(
        &self,
        meeting: &Meeting,
        secret: [u8; 32],
        elements: &[Element],
        (peer_count, bits): (usize, u32),
    ) -> Result<Vec<u128>, Error> {
        self.piece(meeting, |piece| {
            let mut key = ChaCha20Rng::from_seed(secret);
            pieces::exchange(piece, &mut key, elements, (peer_count, bits))
        })
    }

    /// Tells the peer a piece of the values, of `bits` bits, of its own elements.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn tell(&self, meeting: &Meeting, values: Vec<u128>, bits: u32) -> Result<(), Error> {
        self.piece(meeting, |piece| pieces::tell(piece, values, bits))
    }

    /// Hears a piece of `count` values, of `bits` bits, and says which of `queries` are among them; and whether none is asked for
    /// twice, which never happens with an honest peer. The caller raises that once the run is over on both sides.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn hear(
        &self,
        meeting: &Meeting,
        (count, bits): (usize, u32),
        queries: &[u128],
    ) -> Result<(Vec<bool>, bool), Error> {
        let hits = self.piece(meeting, |piece| pieces::hear(piece, count, bits, queries))?;
        Ok((hits.bits, hits.fault.is_none()))
    }

    /// Gives the peer masked numbers, `columns` for each element, by its bits; the masks' sums.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn give_sums(
        &self,
        meeting: &Meeting,
        words: &[u128],
        columns: usize,
    ) -> Result<Vec<u128>, Error> {
        self.piece(meeting, |piece| pieces::give_sums(piece, words, columns))
    }

    /// Takes the masked sums over the elements whose bits are set.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn take_sums(
        &self,
        meeting: &Meeting,
        bits: &[bool],
        columns: usize,
    ) -> Result<Vec<u128>, Error> {
        self.piece(meeting, |piece| pieces::take_sums(piece, bits, columns))
    }

    /// Gives the peer items of `width` bytes by its bits.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn give_items(&self, meeting: &Meeting, items: &[u8], width: usize) -> Result<(), Error> {
        self.piece(meeting, |piece| pieces::give_items(piece, items, width))
    }

    /// Takes the items whose bits are not set.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn take_items(
        &self,
        meeting: &Meeting,
        bits: &[bool],
        width: usize,
    ) -> Result<zeroize::Zeroizing<Vec<u8>>, Error> {
        self.piece(meeting, |piece| pieces::take_items(piece, bits, width))
    }

    fn piece<T: Send>(
        &self,
        meeting: &Meeting,
        work: impl FnOnce(&mut Piece<'_>) -> Result<T, ProtocolError> + Send,
    ) -> Result<T, Error> {
        self.meet(meeting, |pipe, rng| pipe.piece(&meeting.ticket, meeting.threads, rng, work))
    }

    fn meet<T>(
        &self,
        meeting: &Meeting,
        work: impl FnOnce(&mut Pipe, &mut ChaCha20Rng) -> Result<T, SessionError>,
    ) -> Result<T, Error> {
        let Meeting { peer, connect: to, options, .. } = meeting;
        let transport = match to {
            Some(address) => connect(&self.identity, peer, address, options, &|_| {})?,
            None => self.listener.again()?.accept(&self.identity, peer, options, &|_| {})?,
        };
        let mut pipe = Connection::over(transport, to.is_some()).into_pipe();
        let done = work(&mut pipe, &mut fresh_rng()?);
        Ok(say_goodbye_if_failed(&mut pipe, done)?)
    }
}
