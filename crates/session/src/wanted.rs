//! What a side asks for, and which protocols fit it.

use std::fmt;

use veilset_crypto::Group;
use veilset_crypto::key_agreement::SafePrime;
use veilset_protocols::{Digest, Operation, Params, Protocol, Security, Spec, candidates};

use crate::{Learn, Offer, SessionError, Terms};

/// What a user asks for, as far as it decides which protocols fit.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// What to compute.
    pub operation: Operation,
    /// Against whom the protocol must hold, at least.
    pub security: Security,
    /// Who gets the result.
    pub learn: Learn,
    /// The group, if it matters.
    pub group: Option<Group>,
    /// How a set travels, if it matters.
    pub digest: Option<Digest>,
    /// What the group is taken modulo, if not its own prime.
    pub prime: Option<SafePrime>,
}

impl Wanted {
    pub(crate) fn of(offer: &Offer) -> Self {
        let Offer { operation, security, learn, group, digest, prime, .. } = *offer;
        Self { operation, security, learn, group, digest, prime }
    }

    /// What the peer asks for, whose terms agree with `offer`.
    pub(crate) fn of_peer(offer: &Offer, theirs: &Terms) -> Self {
        Self {
            learn: offer.learn.mirrored(),
            group: Group::from_name(&theirs.group),
            digest: Digest::from_name(&theirs.digest),
            ..Self::of(offer)
        }
    }

    /// The protocols that fit.
    pub fn candidates(self) -> impl Iterator<Item = &'static dyn Protocol> {
        candidates(self.operation, self.security).filter(move |protocol| {
            let spec = protocol.spec();
            spec.reveals.contains(&self.learn.reveal())
                && self.group.is_none_or(|group| spec.groups.contains(&group))
                && self.digest.is_none_or(|digest| spec.digests.contains(&digest))
                && (self.prime.is_none() || spec.prime)
        })
    }

    /// The protocols among which the planner chooses where none is named: those that fit and that it may take by itself.
    pub fn choices(self) -> impl Iterator<Item = &'static dyn Protocol> {
        self.candidates().filter(|protocol| protocol.spec().auto)
    }

    /// Whether the named protocol fits, or there is one to take where none is named.
    ///
    /// # Errors
    /// When not; a caller can know that before there is a connection.
    pub fn check(self, named: Option<&'static str>) -> Result<(), SessionError> {
        let Self { operation, security, .. } = self;
        let with = |learn| Self { learn, ..self };
        if self.candidates().next().is_none() {
            if with(Learn::Both).candidates().next().is_some() {
                return Err(SessionError::BothLearn(operation));
            }
            if with(Learn::Me).candidates().next().is_some() {
                let what = format!("{operation} with {security} security");
                return Err(SessionError::OneLearns { what });
            }
            return Err(self.none());
        }
        match named {
            Some(protocol) if self.find(protocol).is_none() => {
                if with(Learn::Me).find(protocol).is_some() {
                    let what = format!("protocol {protocol}");
                    return Err(SessionError::OneLearns { what });
                }
                Err(SessionError::WrongProtocol { protocol, operation, security })
            }
            None if self.choices().next().is_none() => {
                let fitting: Vec<&str> = self.candidates().map(|fits| fits.spec().id).collect();
                Err(SessionError::Unnamed { operation, fitting: fitting.join(", ") })
            }
            _ => Ok(()),
        }
    }

    fn none(self) -> SessionError {
        let Self { operation, security, .. } = self;
        let learn = self.learn.name();
        let given = self.prime.map(|_| "modulo a prime that is given");
        let group = given.unwrap_or_else(|| self.group.map_or("any", Group::name));
        let digest = self.digest.map_or("any", Digest::name);
        SessionError::NoProtocol { operation, security, learn, group, digest }
    }

    /// The protocol called `id`, if it fits.
    #[must_use]
    pub fn find(self, id: &str) -> Option<&'static dyn Protocol> {
        self.candidates().find(|protocol| protocol.spec().id == id)
    }

    /// The parameters of a run of a protocol that fits; those that no protocol has a say in are `asked`.
    #[must_use]
    pub fn params(self, spec: &Spec, asked: Params) -> Params {
        let default = spec.params();
        Params {
            group: self.group.unwrap_or(default.group),
            digest: self.digest.unwrap_or(default.digest),
            prime: self.prime,
            ..asked
        }
    }

    /// What of a chosen protocol a side that wants this, and names the protocol or not, did not ask for and would not have
    /// taken by itself.
    pub(crate) fn asked_too_much(self, named: bool, spec: &'static Spec, params: Params) -> Asked {
        let default = spec.params();
        let taken = named || self.choices().any(|protocol| protocol.spec().id == spec.id);
        let group = self.group.is_none() && params.group != default.group;
        let digest = self.digest.is_none() && params.digest != default.digest;
        Asked {
            protocol: (!taken).then_some(spec.id),
            group: group.then(|| params.group.name()),
            digest: digest.then(|| params.digest.name()),
        }
    }
}

/// What one side asks for and the other neither named nor takes by itself. It is `--flag value` as text: what the other
/// side has to give if it wants it, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// The protocol, if the planner takes no such.
    pub protocol: Option<&'static str>,
    /// The group, if it is not the protocol's default.
    pub group: Option<&'static str>,
    /// How a set travels, if it is not the protocol's default.
    pub digest: Option<&'static str>,
}

impl Asked {
    /// What is asked for: `protocol`, `group` or `digest`, and its name.
    pub fn iter(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = [("protocol", self.protocol), ("group", self.group), ("digest", self.digest)];
        all.into_iter().filter_map(|(what, name)| Some((what, name?)))
    }

    /// Whether nothing is.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (what, name)) in self.iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            write!(f, "{space}--{what} {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
