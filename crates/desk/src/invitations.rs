//! Invitations: pinning somebody by a code.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use serde_json::{Value, json};
use veilset::invitation::{Acquaintance, Given, InvitationError, Proposal, link};
use veilset::net::{
    Code, Comeback, Endpoint, Event, Introduced, Introduction, Options, Role, Stop,
};
use veilset::party::{Identity, Peers, PublicKey, words};

use crate::answer::{needed, text, uninvited};
use crate::{Answer, Desk, Refusal};

/// How long an invitation that somebody accepts is looked for.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long an invitation is good.
const GOOD: Duration = Duration::from_secs(3600);

impl Desk {
    /// Goes to whoever sent a link, and pins them.
    pub(crate) fn accept(&self, args: &Value) -> Result<Answer, Refusal> {
        let given = Given::read(needed(args, "link")?).map_err(|why| uninvited(&why))?;
        let Some(relay) = given.relay else {
            return Err(Refusal::of("this is a code without its relay")
                .next("Paste the whole link, from https:// to its last letter."));
        };
        let Some(name) = text(args, "name").map(str::to_owned).or(given.suggested) else {
            return Err(Refusal::of("the invitation does not say what to call the other party")
                .next("Give a name."));
        };
        let way = Endpoint::Via(relay);
        way.check()?;
        let (identity, _) = self.identity()?;
        let acquaintance = Acquaintance { home: &self.home, own: &identity, force: false };
        acquaintance.check(&name).map_err(|why| uninvited(&why))?;
        let (refused, met) = (Cell::new(None), RefCell::new(None));
        let keep = |introduced: &Introduced| -> Result<(), InvitationError> {
            let agreed = Proposal::read(&introduced.said).turned();
            acquaintance.check_met(&name, introduced)?;
            acquaintance.keep(&name, introduced.peer, &agreed, &way)?;
            met.replace(Some((introduced.peer, agreed)));
            Ok(())
        };
        let approve = |introduced: &Introduced| {
            keep(introduced).map_err(|why| refused.set(Some(why))).is_ok()
        };
        let introduction = Introduction {
            role: Role::Guest,
            identity: &identity,
            code: &given.code,
            say: b"",
            approve: &approve,
            events: &|_| (),
        };
        let run = introduction.run(&way, &options(PATIENCE, Stop::NEVER));
        if let Some(why) = refused.take() {
            return Err(uninvited(&why));
        }
        run?;
        let Some((peer, agreed)) = met.take() else {
            return Err(Refusal::of("nobody was met"));
        };
        Ok(introduced(&identity, &name, peer, &agreed, &way).into())
    }

    /// Makes a code, waits for whoever has it, and pins them.
    pub(crate) fn invite(&self, args: &Value) -> Result<Answer, Refusal> {
        let name = needed(args, "name")?;
        let way = Endpoint::Via(needed(args, "via")?.to_owned());
        way.check()?;
        let me = text(args, "me");
        if let Some(me) = me {
            Peers::check_name(me)?;
        }
        let value = |name: &str| text(args, name).map(str::to_owned);
        let proposal = ["operation", "key", "learn", "reference"].map(value);
        let proposal = Proposal::of(proposal).map_err(|why| uninvited(&why))?;
        let (identity, _) = self.identity()?;
        let acquaintance = Acquaintance { home: &self.home, own: &identity, force: false };
        acquaintance.check(name).map_err(|why| uninvited(&why))?;
        let stop = Stop::new();
        if let Some(before) = self.state().invitation.replace(stop.clone()) {
            before.stop();
        }
        let code = Code::fresh();
        let told = Cell::new(false);
        let events = |event: Event| {
            if matches!(event, Event::Waiting { .. }) && !told.replace(true) {
                let link = link(&way, &code, me);
                self.tell(json!({ "event": "code", "link": link, "code": code.to_string() }));
            }
        };
        let refused = Cell::new(None);
        let approve = |met: &Introduced| {
            let checked = acquaintance.check_met(name, met);
            checked.map_err(|why| refused.set(Some(why))).is_ok()
        };
        let said = proposal.written();
        let introduction = Introduction {
            role: Role::Host,
            identity: &identity,
            code: &code,
            say: said.as_bytes(),
            approve: &approve,
            events: &events,
        };
        let met = introduction.run(&way, &options(GOOD, stop));
        if let Some(why) = refused.take() {
            return Err(uninvited(&why));
        }
        let met = met?;
        let kept = acquaintance.keep(name, met.peer, &proposal, &way);
        kept.map_err(|why| uninvited(&why))?;
        Ok(introduced(&identity, name, met.peer, &proposal, &way).into())
    }

    /// Ends the invitation that waits.
    pub(crate) fn withdraw(&self) -> Answer {
        if let Some(stop) = self.state().invitation.take() {
            stop.stop();
        }
        Answer::default()
    }
}

fn options(deadline: Duration, stop: Stop) -> Options {
    Options { deadline, stop, comeback: Comeback::NEVER, ..Options::default() }
}

fn introduced(
    identity: &Identity,
    name: &str,
    peer: PublicKey,
    agreed: &Proposal,
    way: &Endpoint,
) -> Value {
    let words = words(&identity.public_key(), &peer);
    let peer = json!({ "name": name, "key": peer.to_string(), "words": words });
    json!({ "peer": peer, "agreement": agreement(agreed, Some(way.place())) })
}

/// What was agreed, as a page has it.
pub(crate) fn agreement(agreed: &Proposal, via: Option<&str>) -> Value {
    let mut object: serde_json::Map<String, Value> =
        agreed.flags().map(|(name, value)| (name.to_owned(), value.into())).collect();
    if let Some(via) = via {
        object.insert("via".to_owned(), via.into());
    }
    object.into()
}
