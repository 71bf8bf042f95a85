//! Where clients come in: at a listener, or at a relay.

use std::collections::HashMap;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{AbortHandle, JoinSet};
use veilset_party::{Identity, PublicKey};
use veilset_reach::{Proxies, RelayUrl};

use super::HANDSHAKES;
use crate::address::relay_url;
use crate::connect::Caller;
use crate::crowd::Crowd;
use crate::handshake::Connected;
use crate::listen::Door;
use crate::tls::OwnKey;
use crate::{Event, Listener, NetError};

/// Where clients come in.
#[derive(Debug)]
pub enum Entrance {
    /// At an address of this machine.
    Listener(Listener),
    /// At the relay with this URL, where one connection waits for each client that may ask.
    Relay(String),
}

/// An entrance that is open.
pub(super) enum Open<'a, Tell: ?Sized> {
    Listener(tokio::net::TcpListener, Box<Door<'a, Tell>>),
    Relay(Rendezvous<'a, Tell>),
}

impl<'a, Tell: Fn(Event) + Clone + Send + Sync + 'static> Open<'a, Tell> {
    pub(super) fn at(
        entrance: Entrance,
        identity: &'a Identity,
        tell: &'a Tell,
    ) -> Result<Self, NetError> {
        match entrance {
            Entrance::Listener(listener) => {
                let socket = tokio::net::TcpListener::from_std(listener.socket);
                let crowd = Crowd::with_places(HANDSHAKES, HANDSHAKES / 2);
                let door = Door::new(OwnKey::of(identity), Vec::new(), tell, crowd);
                Ok(Self::Listener(socket.map_err(NetError::System)?, Box::new(door)))
            }
            Entrance::Relay(url) => {
                Proxies::from_env().map_err(NetError::Proxy)?;
                let (sender, met) = channel(1);
                let (waiting, tasks) = (HashMap::new(), JoinSet::new());
                let url = relay_url(&url)?;
                Ok(Self::Relay(Rendezvous { identity, url, tell, sender, met, waiting, tasks }))
            }
        }
    }

    /// Only these come in from now on.
    pub(super) fn expect(&mut self, keys: Vec<PublicKey>) {
        match self {
            Self::Listener(_, door) => door.peers = keys,
            Self::Relay(rendezvous) => rendezvous.expect(&keys),
        }
    }

    /// The next who comes in. Nothing is lost when this is dropped before it ends.
    pub(super) async fn next(&mut self) -> Result<Connected, NetError> {
        match self {
            Self::Listener(socket, door) => door.answer(socket).await,
            // The sender is here.
            Self::Relay(rendezvous) => Ok(rendezvous.met.recv().await.expect("it is open")),
        }
    }
}

/// Connections that wait at a relay, one for each client.
pub(super) struct Rendezvous<'a, Tell: ?Sized> {
    identity: &'a Identity,
    url: RelayUrl,
    tell: &'a Tell,
    sender: Sender<Connected>,
    met: Receiver<Connected>,
    waiting: HashMap<PublicKey, AbortHandle>,
    /// Ended when this goes.
    tasks: JoinSet<()>,
}

impl<Tell: Fn(Event) + Clone + Send + Sync + 'static> Rendezvous<'_, Tell> {
    fn expect(&mut self, keys: &[PublicKey]) {
        self.waiting.retain(|key, task| {
            let stays = keys.contains(key);
            if !stays {
                task.abort();
            }
            stays
        });
        for key in keys {
            if self.waiting.contains_key(key) {
                continue;
            }
            // Nobody waits for itself; a proxy that is none was told of when the service began.
            let Ok(caller) = Caller::at_relay(self.identity, key, &self.url) else { continue };
            let task = self.tasks.spawn(caller.attend(self.sender.clone(), self.tell.clone()));
            self.waiting.insert(*key, task);
        }
        while self.tasks.try_join_next().is_some() {}
    }
}
