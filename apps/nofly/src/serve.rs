//! `nofly serve`: the authority's side.

use std::process;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use veilset::net::signals::{self, Wish};
use veilset::net::{Comeback, Endpoint, Listener, Options};
use veilset::registry::Silent;
use veilset::{Connection, Done, Job, Learn, Resources, exit_code, voice};

use crate::args::ServeArgs;
use crate::error::Failure;
use crate::list::List;
use crate::party::Party;
use crate::report;
use crate::shift::{Shift, Stop};
use crate::talk::Talk;

/// The pause after the system refused to let this side listen.
const BREATH: Duration = Duration::from_secs(1);

/// How long the airline may take for its terms and for its consent; until then nobody else is answered.
const PATIENCE: Duration = Duration::from_secs(600);

/// Answers screenings until somebody stops it.
pub(crate) fn run(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let party = Party::load(&args.party.peer)?;
    job(&party, args)?.check()?;
    let list = Arc::new(List::open(&args.list, &args.party.key, talk)?);
    let (listener, endpoint) = match (&args.listen, &args.via) {
        (None, Some(relay)) => (None, Endpoint::Via(relay.clone())),
        (address, _) => {
            let listener = Listener::bind(address.as_deref().unwrap_or_default());
            let listener = listener.map_err(veilset::Error::from)?;
            let address = listener.local_addr().to_string();
            (Some(listener), Endpoint::Listen(address))
        }
    };
    endpoint.check().map_err(veilset::Error::from)?;
    let shift = Arc::new(Shift::default());
    heed(Arc::clone(&shift), Arc::clone(&list), talk)?;
    talk.say(&format!("answering {} at {}, until ctrl-c", party.peer.name, endpoint.place()));
    Server { args, talk, party, list, shift, endpoint }.serve(listener)
}

/// The airline learns which of its passengers match; this side learns nothing.
fn job(party: &Party, args: &ServeArgs) -> Result<Job, Failure> {
    let job = Job::intersect([&party.peer.name]);
    party.governs(Job { learn: Learn::Peer, protocol: args.protocol.0, ..job })
}

/// Has signals heard: the list is read again, or the server stops.
fn heed(shift: Arc<Shift>, list: Arc<List>, talk: Talk) -> Result<(), Failure> {
    let heard = move |wish| match wish {
        Wish::Reload => list.reload(),
        Wish::Stop(code) => match shift.stop() {
            Stop::Now(answered) => {
                talk.say(&stopped(answered));
                process::exit(exit_code::DONE.into())
            }
            Stop::Soon => talk.say("stopping after this screening; once more cuts it off"),
            Stop::Cut => process::exit(code.into()),
        },
    };
    signals::listen(heard).map_err(Failure::Signals)
}

fn stopped(answered: u64) -> String {
    format!("stopped; complete screenings: {answered}")
}

struct Server<'a> {
    args: &'a ServeArgs,
    talk: Talk,
    party: Party,
    list: Arc<List>,
    shift: Arc<Shift>,
    endpoint: Endpoint,
}

impl Server<'_> {
    /// One screening after the other. None that fails ends the service.
    fn serve(&self, first: Option<Listener>) -> Result<(), Failure> {
        let mut listener = first;
        loop {
            let answered = self.next(listener.take());
            if let Err(failure) = &answered {
                voice::say(format_args!("error: {failure}; still answering"));
            }
            if let Some(answered) = self.shift.end(answered.is_ok()) {
                self.talk.say(&stopped(answered));
                return Ok(());
            }
        }
    }

    fn next(&self, listener: Option<Listener>) -> Result<(), Failure> {
        let connection = self.accept(listener).inspect_err(|_| sleep(BREATH))?;
        self.shift.begin();
        let done = self.answer(connection)?;
        self.talk.say(&report::cost(&done.report));
        self.talk.say(&report::table(&done.report));
        Ok(())
    }

    /// A listener takes one caller, so each screening opens the address again; until then callers find it closed and
    /// try once more.
    fn accept(&self, listener: Option<Listener>) -> Result<Connection, veilset::Error> {
        let comeback = Comeback::NEVER;
        let options = Options { deadline: Duration::MAX, comeback, ..Options::default() };
        let (identity, peer) = (&self.party.identity, &self.party.peer_now()?);
        let tell = |event| self.talk.tell(&event);
        if let Endpoint::Via(_) = &self.endpoint {
            let peers = [peer.clone().into()];
            let connection = Connection::open(identity, &peers, &self.endpoint, &options, &tell)?;
            return Ok(connection.with_patience(PATIENCE));
        }
        let listener = match listener {
            Some(listener) => listener,
            None => Listener::bind(self.endpoint.place())?,
        };
        let transport = listener.accept(identity, peer, &options, &tell)?;
        Ok(Connection::taken(peer, transport, PATIENCE, &tell))
    }

    fn answer(&self, connection: Connection) -> Result<Done, Failure> {
        let input = self.list.current();
        let ready = job(&self.party, self.args)?.offer(connection, &input)?;
        let briefing = ready.briefing();
        self.talk.show(briefing);
        let (got, most) = (briefing.peer().distinct, self.args.max_manifest);
        if let Some(most) = most.filter(|most| got > *most) {
            ready.decline();
            return Err(Failure::TooLarge { got, most });
        }
        let resources = Resources { threads: self.args.party.threads(), observer: &Silent };
        Ok(ready.run(&input, &resources)?)
    }
}
