//! `veilset serve`: a list that many look items up in.

pub(crate) mod args;
mod guests;
mod keeper;
mod log;
mod tally;

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use veilset::data::{Scratch, Stamp};
use veilset::lookup::{
    Changed, Labels, LookupService, Quota, Sizing, Way, add, build, open, remove, serve_metrics,
    single_items,
};
use veilset::net::signals::{self, Wish};
use veilset::net::{Endpoint, Entrance, Limits, Listener, Stop};
use veilset::party::{Home, Identity};
use veilset::{Input, table, voice};

use self::args::{ServeArgs, ServeBuildArgs, ServeCommand, ServeEditArgs};
use self::guests::Sources;
use self::keeper::{GuestKeeper, ListKeeper, keep_up};
use self::log::{Log, dropped};
use crate::args::Talk;
use crate::error::Failure;
use crate::lookup::items;
use crate::operation::{CHECK, read_table};
use crate::progress::{say, warn_some};
use crate::{operation, report};

/// Serves a list, or makes or changes one.
pub(crate) fn run(args: &ServeArgs, talk: &Talk) -> Result<(), Failure> {
    match &args.command {
        Some(ServeCommand::Build(args)) => make(args, talk),
        Some(ServeCommand::Add(args)) => put(args, talk),
        Some(ServeCommand::Remove(args)) => take(args, talk),
        None => {
            voice::speak_aside(dropped).map_err(no_threads)?;
            let served = serve(args, talk);
            voice::settle();
            served
        }
    }
}

fn no_threads(why: io::Error) -> Failure {
    Failure::Service { what: "start threads", why }
}

fn make(args: &ServeBuildArgs, talk: &Talk) -> Result<(), Failure> {
    let list = &args.list;
    let table = read_table(&list.place, &args.room.scratch(), talk)?;
    let name = table.name().to_owned();
    let [key] = &list.keys()[..] else {
        return Err(Failure::Flags(
            "a served list has one --key, of one column or more".to_owned(),
        ));
    };
    let input = Input::of(table, key)?;
    say(talk, &format!("{name}: {}", report::summary(&input)));
    warn_some(&input.warnings(), CHECK);
    let labels = args.label.as_ref().map(|column| Labels::of_column(&input, column)).transpose()?;
    let sizing = match (args.protocol, args.budget) {
        (Way::Encrypted, None) => Sizing::Encrypted,
        (Way::Encrypted, Some(_)) => {
            return Err(Failure::Flags("--budget is for --protocol oprf-filter".to_owned()));
        }
        (Way::Filter, Some(budget)) => Sizing::Budget(budget),
        (Way::Filter, None) => Sizing::EachLookup,
    };
    let (version, count) = build(&args.output, &input, labels.as_ref(), sizing, args.force)?;
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
            let table = table(from, None, args.delimiter, &Scratch::default())?;
            let input = Input::of(table, &args.keep.of(key))?;
            warn_some(&input.warnings(), CHECK);
            Ok(input)
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
    let Some(file) = &args.file else {
        return Err(Failure::Bug("no file to serve".to_owned()));
    };
    if let Some(relay) = &args.via {
        Endpoint::Via(relay.clone()).check().map_err(veilset::Error::from)?;
    }
    let home = Home::from_env()?;
    let identity = Arc::new(Identity::load(&home)?);
    let stamp = Stamp::of(file);
    let engine = open(file, &identity, None).map_err(veilset::Error::from)?;
    let about = engine.about();
    let sources = Sources::new(args, &home, &identity);
    let guests = sources.open()?;
    let (callers, count) = (guests.callers(), guests.count());
    let log = Arc::new(Log::open(args.log.as_deref(), guests, talk.quiet)?);
    let quota = quota(args, file, &log)?;
    let threads = args.threads.unwrap_or_else(operation::all_cores);
    let teller = Arc::clone(&log);
    let service =
        LookupService::new(engine, callers, quota, threads, move |told| teller.tell(&told))
            .map_err(no_threads)?;
    let service = Arc::new(service);
    let (entrance, at) = entrance(args)?;
    show_counts(args, &service, &log)?;
    let (stop, reload) = (Stop::new(), Arc::new(AtomicU64::new(0)));
    heed(stop.clone(), Arc::clone(&reload), &service, &log)?;
    let (items, version) = (about.items, about.version);
    log.say(format_args!(
        "serving version {version}, {items} items, at {at}, to {count} who may ask, until ctrl-c"
    ));

    let keeper = ListKeeper {
        file: file.clone(),
        identity: Arc::clone(&identity),
        service: Arc::clone(&service),
        log: Arc::clone(&log),
        reload: Arc::clone(&reload),
    };
    thread::Builder::new().spawn(move || keeper.keep(stamp)).map_err(no_threads)?;
    let keeper = GuestKeeper { sources, service: &service, log: &log, reload: &reload };
    let limits = Limits { clients: usize::from(args.clients), threads, ..Limits::default() };
    let over = AtomicBool::new(false);
    let served = thread::scope(|scope| {
        scope.spawn(|| keeper.keep(&over));
        let served = entrance.serve(&identity, service.clone(), &limits, &stop);
        over.store(true, Relaxed);
        served
    });
    served.map_err(veilset::Error::from)?;
    if !stop.is_stopped() {
        return Err(Failure::Bug("the service ended though nobody stopped it".to_owned()));
    }
    log.say("stopped");
    Ok(())
}

/// Where clients come in, and how that is said.
fn entrance(args: &ServeArgs) -> Result<(Entrance, String), Failure> {
    match (&args.listen, &args.via) {
        (Some(address), _) => {
            let listener = Listener::bind(address).map_err(veilset::Error::from)?;
            let at = listener.local_addr().to_string();
            Ok((Entrance::Listener(listener), at))
        }
        (None, Some(relay)) => Ok((Entrance::Relay(relay.clone()), relay.clone())),
        (None, None) => Err(Failure::Bug("no way in".to_owned())),
    }
}

fn quota(args: &ServeArgs, file: &Path, log: &Log) -> Result<Quota, Failure> {
    let Some(most) = args.quota else {
        log.say(
            "warning: without --quota a client may ask for every possible item, and so learn the whole list",
        );
        return Ok(Quota::unlimited());
    };
    let mut path = file.as_os_str().to_owned();
    path.push(".used");
    Quota::per_hour(most, &PathBuf::from(path))
        .map_err(|why| Failure::Service { what: "read the counts of this hour", why })
}

fn show_counts(args: &ServeArgs, service: &Arc<LookupService>, log: &Log) -> Result<(), Failure> {
    let Some(address) = args.metrics else { return Ok(()) };
    let counted = Arc::clone(service);
    let render = move || counted.metrics().render(&counted.engine().about());
    let address = serve_metrics(address, render)
        .map_err(|why| Failure::Service { what: "show metrics", why })?;
    log.say(format_args!("metrics at http://{address}/metrics"));
    Ok(())
}

/// Has signals heard. The first that asks for an end lets what runs be answered, the second does not.
fn heed(
    stop: Stop,
    reload: Arc<AtomicU64>,
    service: &Arc<LookupService>,
    log: &Arc<Log>,
) -> Result<(), Failure> {
    let stopping = AtomicBool::new(false);
    let (service, log) = (Arc::clone(service), Arc::clone(log));
    let heard = move |wish| match wish {
        Wish::Reload => drop(reload.fetch_add(1, Relaxed)),
        Wish::Stop(code) if stopping.swap(true, Relaxed) => {
            keep_up(&service, &log, false);
            voice::settle();
            process::exit(code.into());
        }
        Wish::Stop(_) => stop.stop(),
    };
    signals::listen(heard).map_err(|why| Failure::Service { what: "listen for signals", why })
}
