//! The coins of the malicious function: the sender commits to its own before it hears the receiver's, and opens it after.
//! Each state of either party is consumed by what it does next. Where the function needs no coins, nothing crosses.

use rand_core::CryptoRng;
use veilset_channel::{Channel, ChannelExt, PeerFault};

use super::messages::Coin;
use crate::{Means, ProtocolError};

/// The sender's coin and the receiver's.
pub(super) type Coins = [[u8; 32]; 2];

/// A coin toss that has not begun.
pub(super) struct CoinToss {
    /// What a commitment is bound to; `None` where there are no coins.
    pub(super) key: Option<[u8; 32]>,
}

impl CoinToss {
    /// The sender draws its coin and commits to it.
    pub(super) fn commit(self, means: &mut Means<'_>) -> Result<Committed, ProtocolError> {
        let Some(key) = self.key else { return Ok(Committed { mine: None }) };
        let mine = drawn(means.rng);
        means.channel.put(&Coin(commitment(&key, &mine)))?;
        Ok(Committed { mine: Some(mine) })
    }

    /// The receiver takes the commitment.
    pub(super) fn take(self, channel: &mut dyn Channel) -> Result<Taken, ProtocolError> {
        let Some(key) = self.key else { return Ok(Taken(None)) };
        let Coin(commitment) = channel.take(&())?;
        Ok(Taken(Some(Promise { key, commitment })))
    }
}

/// The sender after its commitment.
pub(super) struct Committed {
    mine: Option<[u8; 32]>,
}

impl Committed {
    /// Hears the receiver's coin.
    pub(super) fn hear(self, channel: &mut dyn Channel) -> Result<Heard, ProtocolError> {
        let Some(mine) = self.mine else { return Ok(Heard { coins: None }) };
        let Coin(theirs) = channel.take(&())?;
        Ok(Heard { coins: Some([mine, theirs]) })
    }
}

/// The sender, which knows both coins.
pub(super) struct Heard {
    coins: Option<Coins>,
}

impl Heard {
    /// Opens its coin.
    pub(super) fn open(self, channel: &mut dyn Channel) -> Result<Option<Coins>, ProtocolError> {
        if let Some([mine, _]) = self.coins {
            channel.put(&Coin(mine))?;
        }
        Ok(self.coins)
    }
}

/// What the sender's coin must fit.
struct Promise {
    key: [u8; 32],
    commitment: [u8; 32],
}

/// The receiver, which has the commitment.
pub(super) struct Taken(Option<Promise>);

impl Taken {
    /// Draws its coin and tells it.
    pub(super) fn tell(self, means: &mut Means<'_>) -> Result<Told, ProtocolError> {
        let Some(promise) = self.0 else { return Ok(Told(None)) };
        let mine = drawn(means.rng);
        means.channel.put(&Coin(mine))?;
        Ok(Told(Some((promise, mine))))
    }
}

/// The receiver after it told its coin.
pub(super) struct Told(Option<(Promise, [u8; 32])>);

impl Told {
    /// Takes the sender's coin.
    ///
    /// # Errors
    /// When that is not the one that the sender committed to.
    pub(super) fn opened(self, channel: &mut dyn Channel) -> Result<Option<Coins>, ProtocolError> {
        let Some((promise, mine)) = self.0 else { return Ok(None) };
        let Coin(theirs) = channel.take(&())?;
        if commitment(&promise.key, &theirs) != promise.commitment {
            return Err(PeerFault::CheckFailed("commitment to a coin").into());
        }
        Ok(Some([theirs, mine]))
    }
}

fn drawn(rng: &mut dyn CryptoRng) -> [u8; 32] {
    let mut coin = [0; 32];
    rng.fill_bytes(&mut coin);
    coin
}

/// What binds the sender to its coin before it sees the receiver's: 256 random bits hide themselves.
pub(super) fn commitment(key: &[u8; 32], coin: &[u8; 32]) -> [u8; 32] {
    *blake3::keyed_hash(key, coin).as_bytes()
}
