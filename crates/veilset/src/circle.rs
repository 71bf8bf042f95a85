//! Three parties or more: from addresses to a result.

use std::time::{Duration, SystemTime};

use veilset_net::{Event, Identity, Listener, Options, PublicKey, TlsTransport, connect};
use veilset_protocols::ks::parties::MOST_PARTIES;
use veilset_session::{AgreedCircle, Briefing, CircleOffer, Means, Member, Pipe, Price, agree_all};

use crate::job::fresh_rng;
use crate::{Done, Error, Input, memory};

/// Another party: what this side calls it, its pinned key, and where it listens.
#[derive(Debug, Clone)]
pub struct Fellow {
    /// What this side calls it.
    pub name: String,
    /// Its key.
    pub key: PublicKey,
    /// `HOST:PORT`.
    pub address: String,
}

/// Authenticated ways to all other parties.
pub struct Circle {
    own: PublicKey,
    members: Vec<Member>,
}

impl Circle {
    /// The most other parties.
    pub const MOST_FELLOWS: usize = MOST_PARTIES - 1;

    /// Meets all of `fellows`: waits at `listen` for those with smaller keys, then goes to the others. As every party does
    /// so, each two meet once.
    ///
    /// # Errors
    /// When one does not come in time, or somebody else answers at its address.
    pub fn open(
        identity: &Identity,
        listen: &str,
        fellows: &[Fellow],
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, Error> {
        memory::has_read();
        let own = identity.public_key();
        let (smaller, larger): (Vec<&Fellow>, Vec<&Fellow>) =
            fellows.iter().partition(|fellow| fellow.key < own);
        let mut members = Vec::with_capacity(fellows.len());
        if !smaller.is_empty() {
            let keys: Vec<PublicKey> = smaller.iter().map(|fellow| fellow.key).collect();
            let came = Listener::bind(listen)?.accept_all(identity, &keys, options, events)?;
            let came = smaller.into_iter().zip(came);
            members
                .extend(came.map(|(fellow, came)| member(fellow, came, options.deadline, false)));
        }
        for fellow in larger {
            let transport = connect(identity, &fellow.key, &fellow.address, options, events)?;
            members.push(member(fellow, transport, options.deadline, true));
        }
        Ok(Self { own, members })
    }

    /// Agrees with all on an intersection that all learn.
    ///
    /// # Errors
    /// When parties want different things, the run would take too much memory, or a connection fails.
    pub fn offer(self, input: &Input, max_memory: Option<u64>) -> Result<ReadyCircle, Error> {
        let mut rng = fresh_rng()?;
        let offer = CircleOffer {
            key: *self.own.as_bytes(),
            presets: input.spec.canonical(),
            distinct: input.keys.len(),
            looks_hashed: input.keys.looks_hashed(),
            memory: memory::left(max_memory, input.memory()),
        };
        let agreed = agree_all(self.members, offer, &mut rng)?;
        Ok(ReadyCircle { agreed, rng })
    }
}

fn member(
    fellow: &Fellow,
    transport: TlsTransport,
    patience: Duration,
    connecting: bool,
) -> Member {
    let binding = transport.binding();
    Member {
        name: fellow.name.clone(),
        key: *fellow.key.as_bytes(),
        pipe: Pipe::new(Box::new(transport), binding).with_patience(patience),
        connecting,
    }
}

/// Agreed terms, waiting for this side's consent.
pub struct ReadyCircle {
    agreed: AgreedCircle,
    rng: chacha20::ChaCha20Rng,
}

impl ReadyCircle {
    /// What the user should see before consenting.
    #[must_use]
    pub fn briefing(&self) -> &Briefing {
        self.agreed.briefing()
    }

    /// What the run is likely to take on so many threads of each party; this machine is measured for some milliseconds.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn price(&self, threads: usize) -> Result<Price, Error> {
        Ok(self.agreed.price(threads)?)
    }

    /// Whether all others have consented already: worth asking while this side's user thinks.
    ///
    /// # Errors
    /// When one declined, or went away.
    pub fn have_all_consented(&mut self) -> Result<bool, Error> {
        Ok(self.agreed.have_all_consented()?)
    }

    /// Ends the session without a run; the others are told.
    pub fn decline(self) {
        self.agreed.decline();
    }

    /// Consents, waits for everybody's consent, and runs the protocol.
    ///
    /// # Errors
    /// When a party declines, breaks the protocol or goes away; nothing was written then.
    pub fn run(mut self, input: &Input, means: &Means<'_>) -> Result<Done, Error> {
        let started = SystemTime::now();
        let report = self.agreed.run(input.digests()?, means, &mut self.rng)?;
        Done::new(report, started, input)
    }
}
