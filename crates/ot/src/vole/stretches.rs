//! A vector stretch by stretch, for a party that needs no more of it at once.
//!
//! Vectors in batches have several stretches, each a group of batches; any other vector is one stretch. Both parties know where each
//! ends. Between two of them nothing of the vector OLE is on the way, so a protocol can send what it likes.

use std::marker::PhantomData;
use std::ops::Range;

use rand_core::CryptoRng;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use super::batches::{Batches, Room};
use super::{Elements, Subfield, VoleReceiver, VoleSender};
use crate::{
    BaseOt, Block, ExtensionParameters, ExtensionReceiver, ExtensionSender, OtError, Security,
};

/// The entries of each stretch of a vector of `len` entries over B.
pub fn stretches<B: Subfield>(
    security: Security,
    len: usize,
) -> impl Iterator<Item = Range<usize>> {
    let batches = Batches::of::<B>(&ExtensionParameters::new(security, [0; 32]), len);
    let count = batches.as_ref().map_or(1, Batches::count);
    (0..count).map(move |number| batches.as_ref().map_or(0..len, |some| some.entries(number)))
}

/// What either party knows of a vector.
struct Plan {
    parameters: ExtensionParameters,
    len: usize,
    batches: Option<Batches>,
    /// Stretches so far.
    made: usize,
}

impl Plan {
    fn of<B: Subfield>(parameters: &ExtensionParameters, len: usize) -> Result<Self, OtError> {
        // Such spaces are counted without what a party that cheats learns of the noise (`docs/notes/lpn.md`).
        if B::AT_ONCE < usize::MAX && parameters.security == Security::Malicious {
            return Err(OtError::Unchecked);
        }
        let batches = Batches::of::<B>(parameters, len);
        Ok(Self { parameters: *parameters, len, batches, made: 0 })
    }

    /// The next stretch, if there is one.
    fn next(&mut self) -> Option<usize> {
        let number = self.made;
        self.made += 1;
        (number < self.batches.as_ref().map_or(1, Batches::count)).then_some(number)
    }

    /// Room in which stretches of `entries` entries in all can be made one after the other: a vector of one stretch brings its own.
    fn room(&self, entries: usize) -> usize {
        self.batches.as_ref().map_or(0, |batches| entries + batches.most())
    }
}

/// The sender's side of a vector, stretch by stretch.
pub struct SentStretches<B> {
    plan: Plan,
    extension: ExtensionSender,
    /// Room for batches in work.
    seconds: Vec<Elements>,
    field: PhantomData<B>,
}

impl<B: Subfield> SentStretches<B> {
    /// Draws Δ. The peer opens [`ReceivedStretches`] with the same base, parameters and length.
    ///
    /// # Errors
    /// As [`VoleSender::run`].
    pub fn open(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        len: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let plan = Plan::of::<B>(parameters, len)?;
        channel.phase("transfer setup");
        let extension = ExtensionSender::setup(channel, base, parameters, rng)?;
        channel.phase("vector OLE");
        let seconds = plan.batches.as_ref().map_or_else(Vec::new, Batches::seconds);
        Ok(Self { plan, extension, seconds, field: PhantomData })
    }

    /// The same for all stretches.
    #[must_use]
    pub fn delta(&self) -> Zeroizing<Block> {
        Zeroizing::new(self.extension.delta())
    }

    /// The capacity with which a vector that has so many entries takes the next stretch without moving.
    #[must_use]
    pub fn room(&self, entries: usize) -> usize {
        self.plan.room(entries)
    }

    /// Adds the next stretch to `b`; false where there is none. A vector of one stretch takes the place of `b`.
    ///
    /// # Errors
    /// As [`VoleSender::run`].
    pub fn next(&mut self, channel: &mut dyn Channel, b: &mut Elements) -> Result<bool, OtError> {
        let Some(number) = self.plan.next() else { return Ok(false) };
        let Self { plan: Plan { parameters, len, batches, .. }, extension, seconds, .. } = self;
        match batches {
            Some(batches) => {
                batches.send::<B>(channel, extension, number, Room { seconds, b })?;
            }
            None => *b = VoleSender::extend::<B>(channel, extension, parameters, *len)?.b,
        }
        Ok(true)
    }
}

/// The receiver's side of a vector, stretch by stretch.
pub struct ReceivedStretches<B> {
    plan: Plan,
    extension: ExtensionReceiver,
    field: PhantomData<B>,
}

impl<B: Subfield> ReceivedStretches<B> {
    /// The peer opens [`SentStretches`] with the same base, parameters and length.
    ///
    /// # Errors
    /// As [`VoleSender::run`].
    pub fn open(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        len: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        let plan = Plan::of::<B>(parameters, len)?;
        channel.phase("transfer setup");
        let extension = ExtensionReceiver::setup(channel, base, parameters, rng)?;
        channel.phase("vector OLE");
        Ok(Self { plan, extension, field: PhantomData })
    }

    /// As [`SentStretches::room`].
    #[must_use]
    pub fn room(&self, entries: usize) -> usize {
        self.plan.room(entries)
    }

    /// Adds the next stretch to `made`; false where there is none. A vector of one stretch takes the place of `made`.
    ///
    /// # Errors
    /// As [`VoleSender::run`].
    pub fn next(
        &mut self,
        channel: &mut dyn Channel,
        made: &mut VoleReceiver<B>,
        rng: &mut dyn CryptoRng,
    ) -> Result<bool, OtError> {
        let Some(number) = self.plan.next() else { return Ok(false) };
        let Self { plan: Plan { parameters, len, batches, .. }, extension, .. } = self;
        match batches {
            Some(batches) => batches.receive(channel, extension, number, made, rng)?,
            None => *made = VoleReceiver::extend(channel, extension, parameters, *len, rng)?,
        }
        Ok(true)
    }
}
