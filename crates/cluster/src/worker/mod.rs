//! A worker, and what it does with the peer's.

use std::net::SocketAddr;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::Element;
use veilset_net::{Listener, Options, connect};
use veilset_party::{Identity, PublicKey};
use veilset_protocols::{Means, ProtocolError, pieces};
use veilset_session::{Matched, PieceShape, Pipe, SessionError, Ticket, fresh_rng, memory};

use crate::ClusterError;

/// A worker: a key that nobody needs to know again, and an address at which the peer's workers reach it.
pub struct Worker {
    identity: Identity,
    listener: Listener,
}

/// Whom a worker meets, and over what.
pub struct Rendezvous {
    /// The key of the peer's worker.
    pub peer: PublicKey,
    /// Its address, for the side that connects.
    pub connect: Option<String>,
    /// What both workers were told.
    pub ticket: Ticket,
    /// Threads for computing.
    pub threads: usize,
    /// Bytes of memory that this worker may take, what it is given included; `None` stands for what its machine has free.
    pub max_memory: Option<u64>,
    /// How long to wait, and who may end it.
    pub options: Options,
}

impl Rendezvous {
    /// Refuses what needs more memory than there is beside what is `held`, for so many elements of the peer as it says.
    fn check(&self, needed: u64, held: usize, peer: u64) -> Result<(), ClusterError> {
        let allowed = memory::left(self.max_memory, held as u64);
        if needed > allowed {
            return Err(SessionError::Memory { needed, allowed, peer }.into());
        }
        Ok(())
    }

    fn check_transfer(&self, count: usize, width: usize, held: usize) -> Result<(), ClusterError> {
        self.check(pieces::transfer_memory(count as u64, width), held, count as u64)
    }
}

impl Worker {
    /// A worker that listens on `host`, at the first free port of `ports` (0 stands for any).
    ///
    /// # Errors
    /// When no port is free.
    pub fn bind(host: &str, ports: impl Iterator<Item = u16>) -> Result<Self, ClusterError> {
        let mut refused = None;
        for port in ports {
            match Listener::bind(&format!("{host}:{port}")) {
                Ok(listener) => return Ok(Self { identity: Identity::ephemeral(), listener }),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.map_or(ClusterError::NoPorts, ClusterError::from))
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
    /// As all that follow: before the peer's worker is met, when that takes more memory than there is for the sizes that the peer
    /// claims; when the peer's worker does not come, was told something else, breaks the protocol or goes away.
    pub fn intersect(
        &self,
        rendezvous: &Rendezvous,
        shape: &PieceShape,
        elements: &[Element],
    ) -> Result<Matched, ClusterError> {
        rendezvous.check(shape.memory(), size_of_val(elements), shape.peer_count)?;
        self.meet(rendezvous, |pipe, rng| {
            pipe.match_piece(&rendezvous.ticket, rendezvous.threads, shape, elements, rng)
        })
    }

    /// The values, of `bits` bits, of the peer's `peer_count` elements under both parties' keys, in the peer's order. `secret`
    /// makes this party's key, the same in all pieces.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn exchange(
        &self,
        rendezvous: &Rendezvous,
        secret: [u8; 32],
        elements: &[Element],
        peer_count: usize,
        bits: u32,
    ) -> Result<Vec<u128>, ClusterError> {
        let needed = pieces::exchange_memory(elements.len() as u64, peer_count as u64);
        rendezvous.check(needed, size_of_val(elements), peer_count as u64)?;
        self.piece(rendezvous, |means| {
            let mut key = ChaCha20Rng::from_seed(secret);
            pieces::exchange(means, &mut key, elements, peer_count, bits)
        })
    }

    /// Tells the peer a piece of the values, of `bits` bits, of its own elements.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn tell(
        &self,
        rendezvous: &Rendezvous,
        values: Vec<u128>,
        bits: u32,
    ) -> Result<(), ClusterError> {
        self.piece(rendezvous, |means| pieces::tell(means, values, bits))
    }

    /// Hears a piece of `count` values, of `bits` bits, and says which of `queries` are among them; and whether none is asked for
    /// twice, which never happens with an honest peer. The caller raises that once the run is over on both sides.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn hear(
        &self,
        rendezvous: &Rendezvous,
        count: usize,
        bits: u32,
        queries: &[u128],
    ) -> Result<(Vec<bool>, bool), ClusterError> {
        let needed = pieces::hear_memory(count as u64, queries.len() as u64);
        rendezvous.check(needed, size_of_val(queries), count as u64)?;
        let hits = self.piece(rendezvous, |means| pieces::hear(means, count, bits, queries))?;
        Ok((hits.bits, hits.fault.is_none()))
    }

    /// Gives the peer masked numbers, `columns` for each element, by its bits; the masks' sums.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn give_sums(
        &self,
        rendezvous: &Rendezvous,
        words: &[u128],
        columns: usize,
    ) -> Result<Vec<u128>, ClusterError> {
        let count = words.len() / columns.max(1);
        rendezvous.check_transfer(count, columns.saturating_mul(16), size_of_val(words))?;
        self.piece(rendezvous, |means| pieces::give_sums(means, words, columns))
    }

    /// Takes the masked sums over the elements whose bits are set.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn take_sums(
        &self,
        rendezvous: &Rendezvous,
        bits: &[bool],
        columns: usize,
    ) -> Result<Vec<u128>, ClusterError> {
        rendezvous.check_transfer(bits.len(), columns.saturating_mul(16), bits.len())?;
        self.piece(rendezvous, |means| pieces::take_sums(means, bits, columns))
    }

    /// Gives the peer items of `width` bytes by its bits.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn give_items(
        &self,
        rendezvous: &Rendezvous,
        items: &[u8],
        width: usize,
    ) -> Result<(), ClusterError> {
        rendezvous.check_transfer(items.len() / width.max(1), width, items.len())?;
        self.piece(rendezvous, |means| pieces::give_items(means, items, width))
    }

    /// Takes the items whose bits are not set.
    ///
    /// # Errors
    /// As [`Worker::intersect`].
    pub fn take_items(
        &self,
        rendezvous: &Rendezvous,
        bits: &[bool],
        width: usize,
    ) -> Result<zeroize::Zeroizing<Vec<u8>>, ClusterError> {
        rendezvous.check_transfer(bits.len(), width, bits.len())?;
        self.piece(rendezvous, |means| pieces::take_items(means, bits, width))
    }

    fn piece<T: Send>(
        &self,
        rendezvous: &Rendezvous,
        work: impl FnOnce(&mut Means<'_>) -> Result<T, ProtocolError> + Send,
    ) -> Result<T, ClusterError> {
        self.meet(rendezvous, |pipe, rng| {
            pipe.piece(&rendezvous.ticket, rendezvous.threads, rng, work)
        })
    }

    fn meet<T>(
        &self,
        rendezvous: &Rendezvous,
        work: impl FnOnce(&mut Pipe, &mut ChaCha20Rng) -> Result<T, SessionError>,
    ) -> Result<T, ClusterError> {
        let Rendezvous { peer, connect: to, options, .. } = rendezvous;
        let transport = match to {
            Some(address) => connect(&self.identity, peer, address, options, &|_| {})?,
            None => self.listener.again()?.accept(&self.identity, peer, options, &|_| {})?,
        };
        let (key, binding) = (*transport.peer().as_bytes(), transport.binding());
        let mut pipe = Pipe::new(Box::new(transport), binding).with_peer(key);
        let done = work(&mut pipe, &mut fresh_rng()?);
        Ok(pipe.say_goodbye_if_failed(done)?)
    }
}

#[cfg(test)]
mod tests;
