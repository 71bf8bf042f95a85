//! `veilset serve`: a list that many look items up in.

use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::Duration;

use veilset::data::{Scratch, Stamp};
use veilset::lookup::{
    Changed, Labels, LookupService, Quota, Sizing, Way, add, build, open, remove, serve_metrics,
    single_items,
};
use veilset::net::signals::{self, Wish};
use veilset::net::{Event, Home, Identity, Limits, Listener, Note, Peers, PublicKey, Stop};
use veilset::{Input, table, voice};

use crate::args::{ServeArgs, ServeBuildArgs, ServeCommand, ServeEditArgs, Talk};
use crate::error::Failure;
use crate::lookup::items;
use crate::operation::read_table;
use crate::progress::say;
use crate::{operation, report};

/// How often the file is looked at and the quotas are written.
const TICK: Duration = Duration::from_millis(250);

/// Ticks between two attempts to read what could not be read: two seconds.
const PAUSE: u32 = 8;

/// Serves a list, or makes or changes one.
pub(crate) fn run(args: &ServeArgs, talk: &Talk) -> Result<(), Failure> {
    match &args.command {
        Some(ServeCommand::Build(args)) => make(args, talk),
        Some(ServeCommand::Add(args)) => put(args, talk),
        Some(ServeCommand::Remove(args)) => take(args, talk),
        None => serve(args, talk),
    }
}

fn make(args: &ServeBuildArgs, talk: &Talk) -> Result<(), Failure> {
    let list = &args.list;
    let table = read_table(list, &args.room.scratch(), talk)?;
    let name = table.name().to_owned();
    let input = Input::of(table, &list.key)?;
    say(talk, &format!("{name}: {}", report::summary(&input)));
    let labels = args.label.as_ref().map(|column| Labels::of_column(&input, column)).transpose()?;
    let sizing = match (args.protocol, args.budget) {
        (Way::Encrypted, None) => Sizing::Encrypted,
        (Way::Encrypted, Some(_)) => {
            return Err(Failure::Flags("--budget is for --protocol oprf-filter".to_owned()));
        }
        (Way::Filter, Some(budget)) => Sizing::Budget(budget),
        (Way::Filter, None) => Sizing::EachLookup,
    };
    let (version, count) = build(&args.output, (&input, labels.as_ref()), sizing, args.force)?;
    say(talk, &format!("{}: version {version}, {count} items", args.output.display()));
    Ok(())
}

fn put(args: &ServeEditArgs, talk: &Talk) -> Result<(), Failure> {
    let input = edited(args)?;
    let labels = match (&args.label, &args.from) {
        (None, _) => Labels::none(&input),
        (Some(column), Some(_)) => Labels::of_column(&input, column)?,
        (Some(label), None) => Labels::same(&input, label),
    };
    tell_change(
        &add(&args.file, &input, &labels)?,
        "put on the list, or given another label",
        args,
        talk,
    );
    Ok(())
}

fn take(args: &ServeEditArgs, talk: &Talk) -> Result<(), Failure> {
    if args.label.is_some() {
        return Err(Failure::Flags("--label is for `serve add`".to_owned()));
    }
    tell_change(&remove(&args.file, &edited(args)?)?, "taken off the list", args, talk);
    Ok(())
}

fn edited(args: &ServeEditArgs) -> Result<Input, Failure> {
    match (&args.from, &args.key) {
        (Some(from), Some(key)) => {
            Ok(Input::of(table(from, None, None, &Scratch::default())?, key)?)
        }
        _ => Ok(single_items(&args.file, &items(&args.items)?)?),
    }
}

fn tell_change(changed: &Changed, what: &str, args: &ServeEditArgs, talk: &Talk) {
    let Changed { edit, version, items } = changed;
    let file = args.file.display();
    let (done, same) = (edit.changed, edit.unchanged);
    say(
        talk,
        &format!("{done} {what}, {same} as they were; {file}: version {version}, {items} items"),
    );
}

fn serve(args: &ServeArgs, talk: &Talk) -> Result<(), Failure> {
    let (Some(file), Some(address)) = (&args.file, &args.listen) else {
        return Err(Failure::Bug("neither a file nor an address to serve".to_owned()));
    };
    let home = Home::from_env()?;
    let identity = Identity::load(&home)?;
    let stamp = Stamp::of(file);
    let engine = open(file, &identity, None).map_err(veilset::Error::from)?;
    let about = engine.about();
    let (allowed, quota) = (allowed(args, &home, &identity)?, quota(args, file, talk)?);
    let quiet = talk.quiet;
    let tell = move |note: &Note| tell_of(note, quiet);
    let threads = args.threads.unwrap_or_else(operation::all_cores);
    let service = LookupService::new(engine, allowed, quota, threads, tell)
        .map_err(|why| Failure::Service { what: "start threads", why })?;
    let service = Arc::new(service);
    let listener = Listener::bind(address).map_err(veilset::Error::from)?;
    show_counts(args, &service, talk)?;
    let (stop, reload) = (Stop::new(), Arc::new(AtomicU64::new(0)));
    heed(stop.clone(), Arc::clone(&reload), Arc::clone(&service))?;
    let (items, version) = (about.items, about.version);
    say(
        talk,
        &format!(
            "serving version {version}, {items} items, at {}, until ctrl-c",
            listener.local_addr()
        ),
    );

    let keeper = Keeper { args, file, home: &home, identity: &identity, service: &service, talk };
    let limits = Limits { clients: usize::from(args.clients), threads, ..Limits::default() };
    let over = AtomicBool::new(false);
    let served = scope(|scope| {
        scope.spawn(|| keeper.keep_list(stamp, &reload, &over));
        scope.spawn(|| keeper.keep_keys(&reload, &over));
        let served = listener.serve(&identity, service.clone(), &limits, &stop);
        over.store(true, Relaxed);
        served
    });
    served.map_err(veilset::Error::from)?;
    if !stop.is_stopped() {
        return Err(Failure::Bug("the service ended though nobody stopped it".to_owned()));
    }
    say(talk, "stopped");
    Ok(())
}

fn allowed(args: &ServeArgs, home: &Home, identity: &Identity) -> Result<Vec<PublicKey>, Failure> {
    let peers = Peers::load(home, Some(identity.public_key()))?;
    let key = |name: &String| Ok(peers.resolve(name)?.1);
    args.allow.iter().map(key).collect()
}

fn quota(args: &ServeArgs, file: &Path, talk: &Talk) -> Result<Quota, Failure> {
    let Some(most) = args.quota else {
        say(
            talk,
            "warning: without --quota each of them may ask for all items there are, and so learn the whole list",
        );
        return Ok(Quota::unlimited());
    };
    let mut path = file.as_os_str().to_owned();
    path.push(".used");
    Quota::per_hour(most, &PathBuf::from(path))
        .map_err(|why| Failure::Service { what: "read what was asked this hour", why })
}

fn show_counts(args: &ServeArgs, service: &Arc<LookupService>, talk: &Talk) -> Result<(), Failure> {
    let Some(address) = args.metrics else { return Ok(()) };
    let counted = Arc::clone(service);
    let render = move || counted.metrics().render(&counted.engine().about());
    let address = serve_metrics(address, render)
        .map_err(|why| Failure::Service { what: "show metrics", why })?;
    say(talk, &format!("metrics at http://{address}/metrics"));
    Ok(())
}

/// Has signals heard. The first that asks for an end lets what runs be answered, the second does not.
fn heed(stop: Stop, reload: Arc<AtomicU64>, service: Arc<LookupService>) -> Result<(), Failure> {
    let stopping = AtomicBool::new(false);
    let heard = move |wish| match wish {
        Wish::Reload => drop(reload.fetch_add(1, Relaxed)),
        Wish::Stop(code) if stopping.swap(true, Relaxed) => {
            keep_up(&service);
            process::exit(code.into());
        }
        Wish::Stop(_) => stop.stop(),
    };
    signals::listen(heard).map_err(|why| Failure::Service { what: "listen for signals", why })
}

/// Writes what was asked, which must not be lost with the program.
fn keep_up(service: &LookupService) {
    if let Err(why) = service.keep_up() {
        voice::say(format_args!("warning: cannot write what was asked this hour: {why}"));
    }
}

/// What happens beside answers, for the operator's eyes.
fn tell_of(note: &Note, quiet: bool) {
    if quiet {
        return;
    }
    match note {
        Note::Stranger(Event::StrangerRefused { addr, why }) => {
            voice::say(format_args!("turned away a caller from {addr}: {why}"));
        }
        Note::Stranger(Event::StrangersRefused { count, why }) => {
            voice::say(format_args!("turned away {count} more callers, the last: {why}"));
        }
        Note::Stranger(_) | Note::Joined(_) | Note::Left(..) => {}
    }
}

/// Keeps what is served, and what was asked, in step with their files.
struct Keeper<'a> {
    args: &'a ServeArgs,
    file: &'a Path,
    home: &'a Home,
    identity: &'a Identity,
    service: &'a LookupService,
    talk: &'a Talk,
}

impl Keeper<'_> {
    /// The list, of which a large one for encrypted questions takes a while.
    fn keep_list(&self, stamp: Option<Stamp>, reload: &AtomicU64, over: &AtomicBool) {
        let (mut list, mut before) = (Due::default(), (stamp, 0));
        while !over.load(Relaxed) {
            sleep(TICK);
            // Looked at before it is read: what changes meanwhile is read again.
            let now = (Stamp::of(self.file), reload.load(Relaxed));
            if now != before {
                (before, list) = (now, Due::now());
            }
            list.try_with(|again| self.load_list(again));
        }
    }

    /// The allowed keys, and the counts of what was asked.
    fn keep_keys(&self, reload: &AtomicU64, over: &AtomicBool) {
        let (mut keys, mut asked) = (Due::default(), 0);
        loop {
            let last = over.load(Relaxed);
            keep_up(self.service);
            if last {
                return;
            }
            sleep(TICK);
            let now = reload.load(Relaxed);
            if now != asked {
                (asked, keys) = (now, Due::now());
            }
            keys.try_with(|again| self.load_keys(again));
        }
    }

    /// A list that cannot be read does not end the service: the last one stays in use.
    fn load_list(&self, again: bool) -> bool {
        let before = self.service.engine();
        let loaded = open(self.file, self.identity, Some(&before)).map_err(veilset::Error::from);
        self.service.metrics().loaded(loaded.is_ok());
        match loaded {
            Ok(engine) => {
                let (version, items) = (engine.about().version, engine.about().items);
                self.service.replace(engine);
                say(self.talk, &format!("serving version {version}, {items} items"));
                true
            }
            Err(why) => stays(&why.into(), "list", again),
        }
    }

    fn load_keys(&self, again: bool) -> bool {
        match allowed(self.args, self.home, self.identity) {
            Ok(allowed) => {
                self.service.allow(allowed);
                true
            }
            Err(why) => stays(&why, "set of keys", again),
        }
    }
}

/// Says, quiet or not, that something is not the newest; once is enough.
fn stays(why: &Failure, what: &str, again: bool) -> bool {
    if !again {
        voice::say(format_args!(
            "warning: {why}; the {what} of before stays in use until this works"
        ));
    }
    false
}

/// Something to be done, again and again until it works.
#[derive(Default)]
struct Due {
    /// Ticks until the next attempt; `None` where nothing is to be done.
    wait: Option<u32>,
    failed: bool,
}

impl Due {
    fn now() -> Self {
        Self { wait: Some(0), failed: false }
    }

    /// Has `attempt`, which is told whether it failed before, tried when it is time.
    fn try_with(&mut self, attempt: impl FnOnce(bool) -> bool) {
        match &mut self.wait {
            None => {}
            Some(0) if attempt(self.failed) => *self = Self::default(),
            Some(0) => *self = Self { wait: Some(PAUSE), failed: true },
            Some(wait) => *wait -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_tried_again_until_it_works() {
        let mut due = Due::now();
        let mut tried = Vec::new();
        for tick in 0..100 {
            due.try_with(|again| {
                tried.push((tick, again));
                tried.len() == 3
            });
        }
        let pause = PAUSE + 1;
        assert_eq!(tried, [(0, false), (pause, true), (2 * pause, true)]);
        Due::default().try_with(|_| panic!("nothing is to be done"));
    }
}
