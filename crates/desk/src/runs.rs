//! Runs: from a list and a peer to a result.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use veilset::data::{Destination, Format, Sink, SinkError};
use veilset::invitation::agreed_way;
use veilset::net::{Comeback, Endpoint, Event, Options, Stop, Traffic};
use veilset::party::Identity;
use veilset::policy::Ledger;
use veilset::registry::{Gives, Observer, Operation};
use veilset::units::protocol;
use veilset::{
    Briefing, Columns, Connection, Done, Input, Job, Learn, ListSize, PeerAddress, PeerBriefing,
    Ready, Resources, Shared, SharedKeys, json as form, on_threads, seats,
};
use veilset_host::thread;
use veilset_host::time::Instant;

use crate::answer::{needed, number, text, texts};
use crate::lists::keys;
use crate::{Answer, Desk, Refusal};

/// How often the peer is listened to while the question is open.
const GLANCE: Duration = Duration::from_millis(50);

/// The least time between two events of progress.
const BETWEEN: Duration = Duration::from_millis(100);

/// How long the other party is waited for.
const PATIENCE: Duration = Duration::from_secs(3600);

/// How long it is waited for once it was there and the connection was lost.
const RETURN: Duration = Duration::from_secs(300);

/// A run, from its first moment on.
pub(crate) struct Running {
    stop: Stop,
    consent: Mutex<Option<bool>>,
    answered: Condvar,
    result: Mutex<Option<(Done, Input)>>,
}

impl Running {
    fn new() -> Self {
        Self {
            stop: Stop::new(),
            consent: Mutex::default(),
            answered: Condvar::new(),
            result: Mutex::default(),
        }
    }

    /// What was said before, if anything.
    fn say(&self, yes: bool) -> Option<bool> {
        let mut consent = self.consent.lock().unwrap_or_else(PoisonError::into_inner);
        let before = consent.replace(yes);
        self.answered.notify_all();
        before
    }

    /// Waits for a yes or a no; `hears` tells whether the peer is still there.
    fn consented(&self, hears: &mut dyn FnMut() -> Result<(), Refusal>) -> Result<bool, Refusal> {
        loop {
            let consent = self.consent.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.answered.wait_timeout(consent, GLANCE);
            if let Some(yes) = *waited.unwrap_or_else(PoisonError::into_inner).0 {
                return Ok(yes);
            }
            hears()?;
        }
    }

    fn result(&self) -> MutexGuard<'_, Option<(Done, Input)>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a run needs that is known before it begins.
struct Plan {
    job: Job,
    input: Input,
    peers: Vec<PeerAddress>,
    identity: Identity,
    way: Endpoint,
}

impl Desk {
    /// Begins a run, and answers with its number; the rest is told.
    pub(crate) fn run(self: &Arc<Self>, args: &Value) -> Result<Answer, Refusal> {
        let plan = self.plan(args)?;
        let running = Arc::new(Running::new());
        let run = {
            let mut state = self.state();
            let run = state.number();
            state.runs.insert(run, Arc::clone(&running));
            state.drop_old_runs();
            run
        };
        let desk = Arc::clone(self);
        let go = move || {
            if let Err(refusal) = desk.carry_out(plan, run, &running) {
                let mut event = refusal.object();
                event["event"] = json!("failed");
                event["run"] = json!(run);
                desk.tell(event);
            }
        };
        thread::spawn("veilset-run", go).map_err(|why| Refusal::of(why.to_string()))?;
        Ok(json!({ "run": run }).into())
    }

    fn plan(&self, args: &Value) -> Result<Plan, Refusal> {
        let (identity, _) = self.identity()?;
        let known = self.known(&identity)?;
        let peers = texts(args, "peers").into_iter().map(|name| {
            let peer = known.resolve(&name)?;
            Ok(PeerAddress::from(peer))
        });
        let peers = peers.collect::<Result<Vec<_>, Refusal>>()?;
        let way = self.way(text(args, "via"), &peers)?;
        let operation: Operation = named(needed(args, "operation")?)?;
        let learn: Learn = named(text(args, "learn").unwrap_or("both"))?;
        let protocol = text(args, "protocol").map(|name| {
            protocol(name).map_err(|_| Refusal::of(format!("there is no protocol {name}")))
        });
        let [leader, pivot] = ["leader", "pivot"].map(|seat| text(args, seat));
        let (own, learners) = (identity.public_key(), texts(args, "learners"));
        let seats = seats(own, &peers, &learners, leader, pivot).map_err(veilset::Error::from)?;
        let job = Job {
            learn,
            protocol: protocol.transpose()?,
            seats,
            reference: text(args, "reference").map(str::to_owned),
            max_memory: self.place.memory,
            ..Job::new(operation, peers.iter().map(|other| &other.peer.name))
        };
        let job = job.of_party(&self.home, None)?;
        job.check()?;
        let (table, keys) = (self.list(args)?, keys(args)?);
        if operation.spec().gives == Gives::Identifiers {
            table.check_aligned()?;
        }
        let matching = job.matching_of(&keys)?;
        let values = texts(args, "values");
        let columns = Columns { values: &values, ..Columns::default() };
        let link = || Input::linked(table, &keys, matching);
        let input = on_threads(self.place.threads, link)??;
        let input = input.attach(operation, learn, columns)?.for_one_run();
        job.check_list(&input)?;
        Ok(Plan { job, input, peers, identity, way })
    }

    /// Where these are met: at the relay that is named, or as was agreed with all of them alike.
    fn way(&self, relay: Option<&str>, peers: &[PeerAddress]) -> Result<Endpoint, Refusal> {
        let mut way = relay.map(|relay| Endpoint::Via(relay.to_owned()));
        for PeerAddress { peer, .. } in peers.iter().filter(|_| relay.is_none()) {
            let agreed = agreed_way(&self.home, &peer.name)?.ok_or_else(|| {
                Refusal::of(format!("nobody said where to meet {}", peer.name))
                    .next("Invite them, or name a relay.")
            })?;
            if way.replace(agreed.clone()).is_some_and(|other| other != agreed) {
                return Err(Refusal::of("your agreements say that you meet in different places")
                    .next("Name the relay where all of you meet."));
            }
        }
        let way = way.ok_or_else(|| Refusal::of("nobody is named"))?;
        if peers.len() > 1 && !matches!(way, Endpoint::Via(_)) {
            return Err(Refusal::of("several parties meet at a relay here")
                .next("Name the relay where all of you meet."));
        }
        way.check()?;
        Ok(way)
    }

    fn carry_out(self: &Arc<Self>, plan: Plan, run: u64, running: &Running) -> Result<(), Refusal> {
        let Plan { job, input, peers, identity, way } = plan;
        self.tell(json!({ "event": "waiting", "run": run, "relay": way.place() }));
        let desk = Arc::clone(self);
        let noted = move |event: &Event| match event {
            Event::Waiting { .. } => {}
            Event::Connected { .. } => desk.tell(json!({ "event": "connected", "run": run })),
            other => {
                desk.tell(json!({ "event": "note", "run": run, "text": other.to_string() }));
            }
        };
        let traffic = Traffic::new();
        let options = Options {
            deadline: PATIENCE,
            traffic: traffic.clone(),
            stop: running.stop.clone(),
            comeback: Comeback::told({
                let noted = noted.clone();
                move |event| noted(&event)
            })
            .within(RETURN),
            ..Options::default()
        };
        let events = |event: Event| noted(&event);
        let connection = Connection::open(&identity, &peers, &way, &options, &events)?;
        let ready = job.offer(connection, &input)?;
        let ready = self.consented(ready, &input, run, running)?;
        let progress = Progress { desk: self, run, traffic, shown: Mutex::new(Shown::new()) };
        let resources = Resources { threads: self.place.threads, observer: &progress };
        let done = ready.run(&input, &resources)?;
        let mut event = json!({
            "event": "done",
            "run": run,
            "report": form::of_run(&done, &input),
            "rows": done.rows_of_join(&input).or_else(|| done.rows(&input).map(Iterator::count)),
            "counts": counts(&done),
        });
        if let Some(why) = &done.unrecorded {
            event["unrecorded"] = json!(why.to_string());
        }
        *running.result() = Some((done, input));
        self.tell(event);
        Ok(())
    }

    /// Shows the terms, and waits for a yes.
    fn consented(
        &self,
        mut ready: Ready,
        input: &Input,
        run: u64,
        running: &Running,
    ) -> Result<Ready, Refusal> {
        let mut briefing = of_briefing(ready.briefing(), input.distinct());
        let price = ready.price(self.place.threads)?;
        briefing["price"] = json!({
            "seconds": price.time.as_secs_f64(), "sent": price.sent, "received": price.received,
        });
        self.tell(json!({ "event": "terms", "run": run, "briefing": briefing }));
        let mut hears = || Ok(ready.have_all_consented().map(drop)?);
        if !running.consented(&mut hears)? {
            ready.decline();
            return Err(Refusal::of("you said no: nothing was sent but the terms"));
        }
        ready.accept();
        Ok(ready)
    }

    pub(crate) fn consent(&self, args: &Value) -> Result<Answer, Refusal> {
        let yes = args.get("yes").and_then(Value::as_bool).unwrap_or_default();
        self.running(args)?.say(yes);
        Ok(Answer::default())
    }

    pub(crate) fn stop(&self, args: &Value) -> Result<Answer, Refusal> {
        let running = self.running(args)?;
        // Whoever said no has declined, and the other side hears that.
        if running.say(false) != Some(false) {
            running.stop.stop();
        }
        Ok(Answer::default())
    }

    fn running(&self, args: &Value) -> Result<Arc<Running>, Refusal> {
        let running = self.state().runs.get(&number(args, "run")?).map(Arc::clone);
        running.ok_or_else(|| Refusal::of("the run is gone"))
    }

    /// A file of a run that is over: its rows, its report, or its receipt, which the ledger keeps.
    pub(crate) fn save(&self, args: &Value) -> Result<Answer, Refusal> {
        let what = needed(args, "what")?;
        if let (Some(run), "receipt") = (text(args, "run"), what) {
            return self.receipt(run);
        }
        let running = self.running(args)?;
        let result = running.result();
        let Some((done, input)) = &*result else { return Err(Refusal::of("it is not over")) };
        match what {
            "rows" => {
                let file = Arc::new(File::new(result_name(input.name())));
                done.write(input, &Destination::Sink(Arc::clone(&file) as Arc<dyn Sink>))?;
                Ok(file.answer())
            }
            "report" => {
                let text = format!("{:#}\n", form::of_run(done, input));
                let value = json!({ "name": "report.json", "type": "application/json" });
                Ok(Answer { value, bytes: text.into_bytes() })
            }
            "receipt" => self.receipt(&done.report.run),
            other => Err(Refusal::of(format!("a run has no {other}"))),
        }
    }

    fn receipt(&self, run: &str) -> Result<Answer, Refusal> {
        let receipt = Ledger::receipt(&self.home, run)?;
        let bytes = receipt.ok_or_else(|| Refusal::of("this run has no receipt"))?;
        let name = format!("receipt-{run}.json");
        Ok(Answer { value: json!({ "name": name, "type": "application/json" }), bytes })
    }
}

/// A value by its name.
fn named<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str) -> Result<T, Refusal> {
    name.parse().map_err(|why: T::Err| Refusal::of(why.to_string()))
}

/// The agreed terms, as a page has them.
fn of_briefing(briefing: &Briefing, own: usize) -> Value {
    let warnings: Vec<&str> = briefing.warnings.iter().map(|w| w.text.as_str()).collect();
    let asked = briefing.asked_by_peer.iter();
    let asked =
        asked.map(|(what, name)| format!("Asked for by the other party alone: {what} {name}"));
    let leaks = briefing.leaks.iter().map(|leak| format!("Beyond the result: {leak}"));
    json!({
        "operation": briefing.operation.name(),
        "protocol": briefing.protocol,
        "security": briefing.security.name(),
        "presets": briefing.presets,
        "learn": briefing.learn.name(),
        "learned": briefing.learned,
        "warnings": warnings,
        "own_rows": own,
        "peers": briefing.peers.iter().map(of_peer).collect::<Vec<_>>(),
        "lines": asked.chain(leaks).collect::<Vec<_>>(),
    })
}

fn of_peer(peer: &PeerBriefing) -> Value {
    json!({ "name": peer.name, "rows": peer.distinct })
}

/// The sizes of all sets and of what they share: of several as groups of sets, where anything is known of them.
fn counts(done: &Done) -> Value {
    let report = &done.report;
    let common = if report.withheld.is_some() { None } else { report.count() };
    let [peer] = &report.peers[..] else { return shared(done, common) };
    json!({ "own": report.distinct, "peer": peer.distinct, "common": common })
}

fn shared(done: &Done, common: Option<u64>) -> Value {
    let all = || {
        let peers = done.report.peers.iter().map(|peer| (peer.name.as_str(), peer.distinct));
        let lists = [("you", done.report.distinct)].into_iter().chain(peers);
        let lists = lists.map(|(name, distinct)| ListSize { name: name.to_owned(), distinct });
        let lists: Vec<ListSize> = lists.collect();
        let shared = vec![Shared { of: (0..lists.len()).collect(), count: common? }];
        Some(SharedKeys { lists, shared })
    };
    done.shared_keys().or_else(all).map_or(Value::Null, |keys| form::of_shared(&keys))
}

/// What the file with the rows of a result is called.
fn result_name(list: &str) -> String {
    let name = list.rsplit(['/', '\\']).next().unwrap_or(list);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "csv"));
    let ending = match ending.to_ascii_lowercase().as_str() {
        "parquet" if !Format::Parquet.is_written() => "csv".to_owned(),
        known @ ("tsv" | "parquet" | "arrow" | "xlsx") => known.to_owned(),
        _ => "csv".to_owned(),
    };
    format!("{stem}-result.{ending}")
}

/// A file in memory.
#[derive(Debug)]
struct File {
    name: String,
    bytes: Mutex<Vec<u8>>,
}

impl File {
    fn new(name: String) -> Self {
        Self { name, bytes: Mutex::default() }
    }

    fn answer(&self) -> Answer {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        let value = json!({ "name": self.name, "type": "application/octet-stream" });
        Answer { value, bytes }
    }
}

impl Sink for File {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn check(&self) -> Result<(), SinkError> {
        Ok(())
    }

    fn put(&self, bytes: Vec<u8>) -> Result<(), SinkError> {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        Ok(())
    }
}

/// Tells how far a run is, not too often.
struct Progress<'a> {
    desk: &'a Desk,
    run: u64,
    traffic: Traffic,
    shown: Mutex<Shown>,
}

struct Shown {
    phase: &'static str,
    done: u64,
    total: u64,
    at: Instant,
}

impl Shown {
    fn new() -> Self {
        Self { phase: "", done: 0, total: 0, at: Instant::now() }
    }
}

impl Progress<'_> {
    fn change(&self, change: impl FnOnce(&mut Shown) -> bool) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if change(&mut shown) || shown.at.elapsed() >= BETWEEN {
            shown.at = Instant::now();
            let Shown { phase, done, total, .. } = *shown;
            let crossed = self.traffic.bytes();
            self.desk.tell(json!({
                "event": "progress",
                "run": self.run,
                "phase": phase,
                "done": done,
                "total": total,
                "sent": crossed.sent,
                "received": crossed.received,
            }));
        }
    }
}

impl Observer for Progress<'_> {
    fn begin(&self, step: &'static str, total: u64) {
        self.change(|shown| {
            (shown.phase, shown.done, shown.total) = (step, 0, total);
            true
        });
    }

    fn advance(&self, units: u64) {
        self.change(|shown| {
            shown.done += units;
            false
        });
    }
}
