//! What a side asks for, and which protocols fit it.

use std::fmt;

use veilset_crypto::Group;
use veilset_protocols::{
    AttachedShape, Choices, MULTIPARTY, MultipartyProtocol, Operation, Parts, Protocol, Security,
    SetEncoding, Shape, Spec, Taken, candidates, find_multiparty,
};

use crate::terms::Terms;
use crate::{Learn, Matching, Offer, SessionError};

/// What a user asks for, as far as it decides which protocols fit.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// What to compute.
    pub operation: Operation,
    /// Against whom the protocol must hold, at least.
    pub security: Security,
    /// Who gets the result.
    pub learn: Learn,
    /// Whether rows go with the matches of an intersection.
    pub with_rows: bool,
    /// Whether the values of a row under several keys stay together.
    pub grouped: bool,
    /// Whether nobody is to see by which keys rows match.
    pub blind: bool,
    /// What is asked for, as its flag says it, that there is on shares alone: of sums groups of keys, noise of coins that both sides
    /// toss, or products with a factor of the other side's; of shares the values of both sides.
    pub on_shares: Option<&'static str>,
    /// Whether fewer matches than a least result are withheld, or numbers have noise; the planner takes a protocol that does so itself, on
    /// shares, where one fits, and a side is asked before it takes another one.
    pub withheld: bool,
    /// What matters beside that.
    pub choices: Choices,
}

/// Whether what a side attaches in such a run are rows that go with matches.
pub(crate) fn sends_rows(operation: Operation, attached: AttachedShape) -> bool {
    operation.spec().may_send_rows() && attached.width() > 0
}

/// Whether the protocol takes as many elements as there are in such a run.
pub(crate) fn fits(spec: &Spec, shape: Shape) -> bool {
    Parts::fewest(spec, shape.larger()).is_some()
}

/// What is asked for where both sides give values.
pub(crate) const VALUES_OF_BOTH: &str = "--value on both sides";

impl Wanted {
    /// The operation by one key, and nothing beside it.
    #[must_use]
    pub fn new(operation: Operation, security: Security, learn: Learn) -> Self {
        Self {
            operation,
            security,
            learn,
            with_rows: false,
            grouped: false,
            blind: false,
            on_shares: None,
            withheld: false,
            choices: Choices::default(),
        }
    }

    pub(crate) fn of(offer: &Offer) -> Self {
        let Offer { operation, security, learn, choices, attached, .. } = *offer;
        let with_rows = sends_rows(operation, attached);
        let grouped = offer.matching.is_some_and(Matching::keeps_rows);
        let blind = offer.matching == Some(Matching::Blind);
        let coins = offer.release.needs_coins(operation);
        let on_shares = Self::flag_on_shares(offer.groups.is_some(), coins, offer.factor.is_some());
        let withheld = offer.release.is_for_shares();
        Self { operation, security, learn, with_rows, grouped, blind, on_shares, withheld, choices }
    }

    /// The flag of what sums have on shares alone, of the first that is asked for: groups, noise, or a factor.
    #[must_use]
    pub fn flag_on_shares(groups: bool, noise: bool, factor: bool) -> Option<&'static str> {
        let asked = [(groups, "--groups"), (noise, "--noise"), (factor, "--factor")];
        asked.into_iter().find(|(asked, _)| *asked).map(|(_, flag)| flag)
    }

    /// What a side asks for whose peer's terms agree with its offer.
    pub(crate) fn with(offer: &Offer, theirs: &Terms) -> Self {
        let own = Self::of(offer);
        let with_rows = own.with_rows || sends_rows(theirs.operation, theirs.attached);
        let both_own = [offer.attached, theirs.attached].iter().all(|one| one.columns() > 0);
        let on_shares = own.on_shares.or(both_own.then_some(VALUES_OF_BOTH));
        Self { with_rows, on_shares, ..own }
    }

    /// What the peer asks for, whose terms agree with `offer`.
    pub(crate) fn of_peer(offer: &Offer, theirs: &Terms) -> Self {
        Self {
            learn: offer.learn.mirrored(),
            choices: Choices {
                group: theirs.choices.group,
                digest: theirs.choices.digest,
                ..offer.choices
            },
            ..Self::with(offer, theirs)
        }
    }

    /// The protocols that fit.
    pub fn candidates(self) -> impl Iterator<Item = &'static dyn Protocol> {
        candidates(self.operation, self.security).filter(move |protocol| {
            let spec = protocol.spec();
            let takes = |taken: &Taken| taken.allows(self.choices);
            (spec.grouped || !self.grouped || self.blind)
                && (spec.blind || !self.blind)
                && (spec.on_shares || self.on_shares.is_none())
                && spec.reveals.contains(&self.learn.reveal())
                && spec.taken(self.with_rows).is_some_and(takes)
        })
    }

    /// The protocols among which the planner chooses where none is named: those that fit and that it may take by itself.
    pub fn planned(self) -> impl Iterator<Item = &'static dyn Protocol> {
        // What only such can do is asked for by that.
        let asked = self.blind || self.on_shares.is_some();
        self.candidates().filter(move |protocol| protocol.spec().auto || asked)
    }

    /// Those of them that a side takes unasked in runs of these shapes: where something is to be withheld, those that do so themselves,
    /// if one of them takes as many elements.
    pub(crate) fn taken(self, shape: &dyn Fn(&Spec) -> Shape) -> Vec<&'static dyn Protocol> {
        let planned: Vec<_> = self.planned().collect();
        let withholds = |protocol: &&'static dyn Protocol| {
            let spec = protocol.spec();
            spec.withholds && fits(spec, shape(spec))
        };
        if self.withheld && planned.iter().any(withholds) {
            return planned.into_iter().filter(withholds).collect();
        }
        planned
    }

    /// Whether the named protocol fits, or there is one to take where none is named.
    ///
    /// # Errors
    /// When not; a caller can know that before there is a connection.
    pub fn check(self, named: Option<&'static str>) -> Result<(), SessionError> {
        let Self { operation, security, .. } = self;
        let with = |learn| Self { learn, ..self };
        if self.candidates().next().is_none() {
            if self.blind && (Self { blind: false, ..self }).candidates().next().is_some() {
                return Err(SessionError::NoneBlind(operation));
            }
            let plain = Self { on_shares: None, ..self };
            if let Some(flag) = self.on_shares
                && plain.candidates().next().is_some()
            {
                return Err(SessionError::NoneOnShares { flag });
            }
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
                if self.with_rows && (Self { with_rows: false, ..self }).find(protocol).is_some() {
                    return Err(SessionError::NoRows { protocol, fitting: self.fitting() });
                }
                let asked = [self.blind.then_some("--match blind"), self.on_shares];
                if let Some(flag) = asked.into_iter().flatten().next()
                    && (Self { blind: false, on_shares: None, ..self }).find(protocol).is_some()
                {
                    return Err(SessionError::NotOnShares {
                        protocol,
                        flag,
                        fitting: self.fitting(),
                    });
                }
                if let Some(fits) = (Self { grouped: false, ..self }).find(protocol) {
                    if fits.spec().blind {
                        return Err(SessionError::BlindAlone { protocol });
                    }
                    return Err(SessionError::OneKeyAlone { protocol });
                }
                if with(Learn::Me).find(protocol).is_some() {
                    let what = format!("protocol {protocol}");
                    return Err(SessionError::OneLearns { what });
                }
                Err(SessionError::WrongProtocol { protocol, operation, security })
            }
            None if self.planned().next().is_none() => {
                Err(SessionError::Unnamed { operation, fitting: self.fitting() })
            }
            _ => Ok(()),
        }
    }

    /// The protocol of this name between several parties, or else the first of the operation.
    ///
    /// # Errors
    /// When there is none that does this between several; a caller can know that before there is a connection.
    pub fn among_several(
        self,
        named: Option<&str>,
    ) -> Result<&'static dyn MultipartyProtocol, SessionError> {
        let Self { operation, security, learn, with_rows, choices, .. } = self;
        let refused = |why| Err(SessionError::Multiparty(why));
        let mut fitting = MULTIPARTY.iter().filter(|fits| fits.spec().operation == operation);
        let Some(first) = fitting.next() else {
            return refused(
                "they compute intersect, count and overlaps: the other operations are between two",
            );
        };
        if learn != Learn::Both {
            return refused(
                "name those who learn, and yourself as me: give --learner in place of --learn",
            );
        }
        if choices != Choices::default() {
            return refused(
                "their protocols have no choices: leave out --group, --digest and --prime",
            );
        }
        if with_rows {
            return refused("no columns go with matches: leave out --send");
        }
        let protocol = match named {
            None => Some(*first),
            Some(id) => find_multiparty(id).filter(|named| named.spec().operation == operation),
        };
        match protocol {
            None => refused(
                "no protocol of this name computes this between them: see veilset protocols, or leave out --protocol",
            ),
            Some(protocol) if protocol.spec().security < security => {
                refused("their protocols are semi-honest: leave out --security")
            }
            Some(protocol) => Ok(protocol),
        }
    }

    /// The names of those that fit.
    fn fitting(self) -> String {
        let fitting: Vec<&str> = self.candidates().map(|fits| fits.spec().id).collect();
        fitting.join(", ")
    }

    pub(crate) fn none(self) -> SessionError {
        let Self { operation, security, .. } = self;
        let learn = self.learn.name();
        let given = self.choices.prime.map(|_| "modulo a prime that is given");
        let group = given.unwrap_or_else(|| self.choices.group.map_or("any", Group::name));
        let digest = self.choices.digest.map_or("any", SetEncoding::name);
        let besides = self.choices.flooding.map(|flooding| format!("; flooding: {flooding}"));
        let besides = besides.unwrap_or_default();
        SessionError::NoProtocol { operation, security, learn, group, digest, besides }
    }

    /// The protocol called `id`, if it fits.
    #[must_use]
    pub fn find(self, id: &str) -> Option<&'static dyn Protocol> {
        self.candidates().find(|protocol| protocol.spec().id == id)
    }

    /// What a run of a protocol that fits has: what is asked for, and the protocol's defaults.
    #[must_use]
    pub fn completed(self, spec: &Spec) -> Choices {
        self.choices.or(self.defaults(spec))
    }

    /// The defaults of a protocol that fits.
    fn defaults(self, spec: &Spec) -> Choices {
        spec.taken(self.with_rows).map_or_else(Choices::default, Taken::defaults)
    }

    /// What of a chosen protocol a side that wants this, and names the protocol or not, did not ask for and would not have
    /// taken by itself in runs of these shapes.
    pub(crate) fn asked_too_much(
        self,
        named: bool,
        spec: &'static Spec,
        choices: Choices,
        shape: &dyn Fn(&Spec) -> Shape,
    ) -> Asked {
        let taken = || self.taken(shape).iter().any(|protocol| protocol.spec().id == spec.id);
        let taken = named || taken();
        let choices = choices.open_in(self.choices).beyond(self.defaults(spec));
        Asked { protocol: (!taken).then_some(spec.id), choices }
    }
}

/// What one side asks for and the other neither named nor takes by itself. It is `--flag value` as text: what the other
/// side has to give if it wants it, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// The protocol, if the planner takes no such.
    pub protocol: Option<&'static str>,
    /// What is not the protocol's default.
    pub choices: Choices,
}

impl Asked {
    /// What is asked for: `protocol` or the name of a choice, and its value's name.
    pub fn iter(self) -> impl Iterator<Item = (&'static str, String)> {
        let protocol = self.protocol.map(|id| ("protocol", id.to_owned()));
        protocol.into_iter().chain(self.choices.names())
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
