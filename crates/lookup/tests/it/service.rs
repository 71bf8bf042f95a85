//! A service over TLS on this machine, against plain maps, and against clients that misbehave.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::{MAX_FRAME, Transport};
use veilset_crypto::{Element, ElementHasher};
use veilset_lookup::{
    Answer, Client, Engine, Fetched, Filter, Found, Item, List, LookupError, LookupService,
    MAX_ITEMS, Manifest, Quota, Refusal, Sizing, open,
};
use veilset_net::{
    Callers, Limits, Listener, NetError, Options, Stop, connect, receive_message, send_message,
};
use veilset_party::{Identity, PublicKey};
use veilset_protocols::fhe::served_parameters;
use veilset_protocols::oprf_filter::seal_for;

const PRESETS: &str = "raw/1";

/// Longer than anything takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn element(session: &[u8; 32], text: &str) -> Element {
    ElementHasher::new(session, PRESETS).element(text.as_bytes())
}

/// The oracle: what is listed, with its label.
type Plain = BTreeMap<String, String>;

fn plain(count: u32) -> Plain {
    (0..count).map(|i| (format!("item {i}"), format!("label {}", i % 7))).collect()
}

fn items(session: &[u8; 32], plain: &Plain) -> Vec<Item> {
    let item = |(text, label): (&String, &String)| Item {
        element: element(session, text),
        label: label.clone(),
    };
    plain.iter().map(item).collect()
}

fn build(plain: &Plain, labelled: bool) -> List {
    build_for(Sizing::EachLookup, plain, labelled)
}

fn build_for(sizing: Sizing, plain: &Plain, labelled: bool) -> List {
    let make = |session: &[u8; 32]| items(session, plain);
    List::build(None, PRESETS.to_owned(), labelled, sizing, make, &mut rng(1)).expect("a list")
}

fn published(
    list: &List,
    identity: &Identity,
    before: Option<&Arc<dyn Engine>>,
) -> Arc<dyn Engine> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    list.write(&path, false).expect("writable");
    open(&path, identity, before).expect("a list that can be served")
}

fn send(transport: &mut impl Transport, request: &[u8]) {
    send_message(transport, request).expect("open");
}

fn receive(transport: &mut impl Transport) -> Vec<u8> {
    receive_message(transport, MAX_FRAME).expect("it says something")
}

/// A service that runs, and one client's identity.
struct Running {
    service: Arc<LookupService>,
    identity: Arc<Identity>,
    client: Identity,
    addr: String,
    stop: Stop,
    thread: Option<JoinHandle<Result<(), NetError>>>,
}

impl Running {
    fn start(list: &List, quota: Quota, limits: Limits) -> Self {
        let (identity, client) = (Arc::new(Identity::ephemeral()), Identity::ephemeral());
        let engine = published(list, &identity, None);
        let callers = Callers { allowed: vec![client.public_key()], known: Vec::new() };
        let service = LookupService::new(engine, callers, quota, 2, |_| ()).expect("threads");
        let service = Arc::new(service);
        let listener = Listener::bind("127.0.0.1:0").expect("a free port");
        let (addr, stop) = (listener.local_addr().to_string(), Stop::new());
        let (serving, own, stopping) = (service.clone(), identity.clone(), stop.clone());
        let serve = move || listener.serve(&own, serving, &limits, &stopping);
        let thread = Some(thread::spawn(serve));
        Self { service, identity, client, addr, stop, thread }
    }

    fn replace(&self, list: &List) {
        let before = self.service.engine();
        self.service.replace(published(list, &self.identity, Some(&before)));
    }

    fn key(&self) -> PublicKey {
        self.identity.public_key()
    }

    fn connect(&self) -> Result<Box<dyn Transport>, NetError> {
        let options = Options { deadline: LONG, ..Options::default() };
        let transport = connect(&self.client, self.key(), &self.addr, &options, &|_| ())?;
        Ok(Box::new(transport))
    }

    fn client(&self) -> Client<'static> {
        Client::new(self.connect().expect("it listens"), self.key())
    }

    fn look_up(&self, kept: Option<Filter>, texts: &[&str]) -> Result<Found, LookupError> {
        let elements = |manifest: &Manifest| {
            Ok(texts.iter().map(|text| element(&manifest.list, text)).collect())
        };
        let mut client = self.client();
        client.look_up(kept, |_| Ok(()), elements, &mut rng(2))
    }

    /// Asks for all of `texts` and compares with the oracle.
    fn check(
        &self,
        kept: Option<Filter>,
        texts: &[&str],
        plain: &Plain,
    ) -> (Option<Filter>, Fetched) {
        let found = self.look_up(kept, texts).expect("it answers");
        let labelled = found.manifest.labelled();
        let want = |text: &&str| match plain.get(*text) {
            Some(label) => Answer::Listed(labelled.then(|| label.clone())),
            None => Answer::NotListed,
        };
        assert_eq!(found.answers, texts.iter().map(want).collect::<Vec<_>>());
        assert_eq!(found.manifest.count, plain.len() as u64);
        (found.filter, found.fetched)
    }

    fn stop(mut self) {
        self.stop.stop();
        let served = self.thread.take().expect("it runs").join().expect("no panic");
        served.expect("it was stopped");
    }
}

/// Waits for what happens soon.
fn until(happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < LONG, "it does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

fn texts(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|i| format!("item {i}")).collect()
}

fn refs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[test]
fn answers_are_those_of_a_plain_map_while_the_list_changes() {
    for labelled in [true, false] {
        let mut oracle = plain(3000);
        let mut list = build(&oracle, labelled);
        let running = Running::start(&list, Quota::unlimited(), Limits::default());
        let asked = texts(1990..3200);
        let asked = refs(&asked);
        let (filter, fetched) = running.check(None, &asked, &oracle);
        assert_eq!(fetched, Fetched::All);
        let (filter, fetched) = running.check(filter, &asked[..1], &oracle);
        assert_eq!(fetched, Fetched::Nothing);

        // Some go, some come, one gets another label, one goes and comes back: four versions.
        let gone: Vec<String> = texts(2000..2010);
        gone.iter().for_each(|text| drop(oracle.remove(text)));
        let session = *list.session();
        let elements: Vec<Element> = gone.iter().map(|text| element(&session, text)).collect();
        assert_eq!(list.remove(&elements).expect("places").changed, 10);
        assert_eq!(list.remove(&elements).expect("places").unchanged, 10, "no new version");
        let new: Plain = (3100..3120).map(|i| (format!("item {i}"), "new".to_owned())).collect();
        assert_eq!(list.add(&items(&session, &new)).expect("room").changed, 20);
        oracle.extend(new);
        let other = Plain::from([("item 2500".to_owned(), "other".to_owned())]);
        assert_eq!(
            list.add(&items(&session, &other)).expect("room").changed,
            usize::from(labelled)
        );
        oracle.extend(other);
        let back = Plain::from([("item 2003".to_owned(), "back".to_owned())]);
        list.add(&items(&session, &back)).expect("room");
        oracle.extend(back);
        assert_eq!(list.version(), if labelled { 5 } else { 4 });
        running.replace(&list);
        let (filter, fetched) = running.check(filter, &asked, &oracle);
        assert_eq!(fetched, Fetched::Changes);
        let kept = filter.as_ref().expect("it was fetched").encode();
        let kept = Filter::decode(&kept, &running.key()).expect("its own bytes");
        assert_eq!(running.check(Some(kept), &asked[..1], &oracle).1, Fetched::Nothing);

        // A new key: nothing that was kept is of use.
        let make = |session: &[u8; 32]| items(session, &oracle);
        let sizing = Sizing::Budget(1 << 20);
        let rekeyed =
            List::build(Some(&list), PRESETS.to_owned(), labelled, sizing, make, &mut rng(3));
        let rekeyed = rekeyed.expect("a list");
        assert_eq!(rekeyed.version(), list.version() + 1);
        running.replace(&rekeyed);
        assert_eq!(running.check(filter, &asked, &oracle).1, Fetched::All);

        // What this side has seen does not go back.
        let newest = running.look_up(None, &[]).expect("it answers").filter;
        running.replace(&list);
        let refused = running.look_up(newest, &["x"]).err();
        assert!(matches!(refused, Some(LookupError::Older { .. })), "{refused:?}");
        running.stop();
    }
}

#[test]
fn what_is_kept_is_the_servers_own_and_whole() {
    let list = build(&plain(50), true);
    let running = Running::start(&list, Quota::unlimited(), Limits::default());
    let bytes = running.look_up(None, &[]).expect("it answers").filter.expect("fetched").encode();
    assert!(Filter::decode(&bytes, &running.key()).is_some());
    assert!(Filter::decode(&bytes, &running.client.public_key()).is_none(), "another signer");
    for place in (0..bytes.len()).step_by(17) {
        let mut altered = bytes.clone();
        altered[place] ^= 4;
        assert!(Filter::decode(&altered, &running.key()).is_none(), "byte {place}");
        assert!(Filter::decode(&bytes[..place], &running.key()).is_none(), "cut at {place}");
    }
    running.stop();
}

#[test]
fn encrypted_questions_are_answered_as_by_a_plain_map_while_the_list_changes() {
    for labelled in [true, false] {
        let mut oracle = plain(600);
        let mut list = build_for(Sizing::Encrypted, &oracle, labelled);
        let running = Running::start(&list, Quota::unlimited(), Limits::default());
        let many = texts(400..700);
        let asked = refs(&many);
        assert_eq!(list.version(), 1);
        let nothing = running.check(None, &asked, &oracle);
        assert!(nothing.0.is_none() && nothing.1 == Fetched::Nothing, "nothing is kept");
        running.check(None, &["item 5"], &oracle);
        running.check(None, &[], &oracle);
        assert!(running.client().fetch(None).expect("it answers").is_none());

        let session = *list.session();
        let gone: Vec<Element> =
            (450..460).map(|i| element(&session, &format!("item {i}"))).collect();
        oracle.retain(|text, _| !(450..460).any(|i| *text == format!("item {i}")));
        assert_eq!(list.remove(&gone).expect("places").changed, 10);
        let new = Plain::from([("item 650".to_owned(), "new".to_owned())]);
        assert_eq!(list.add(&items(&session, &new)).expect("room").changed, 1);
        oracle.extend(new);
        let other = Plain::from([("item 500".to_owned(), "other".to_owned())]);
        assert_eq!(
            list.add(&items(&session, &other)).expect("room").changed,
            usize::from(labelled)
        );
        oracle.extend(other);
        running.replace(&list);
        running.check(None, &asked, &oracle);

        // Anything but a question of the right length is told to be none.
        let manifest = running.look_up(None, &[]).expect("it answers").manifest;
        let seal = if labelled { seal_for("label 6".len()) } else { 0 };
        let parameters = served_parameters(manifest.capacity, seal).expect("there are some");
        let (key, digest) = (manifest.key, parameters.digest());
        for body in [&[][..], &[0; 10], &vec![0xff; parameters.query_bytes() as usize]] {
            let mut transport = running.connect().expect("it listens");
            send(&mut transport, &[&[1, 4][..], key.as_bytes(), &digest, body].concat());
            assert_eq!(receive(&mut transport), [3]);
        }
        let mut transport = running.connect().expect("it listens");
        let longer = vec![0; 3 * MAX_FRAME + parameters.query_bytes() as usize];
        let request = [&[1, 4][..], key.as_bytes(), &digest, &longer].concat();
        // The service may be gone before all of it is sent.
        let sent = send_message(&mut transport, &request);
        assert!(sent.is_err() || transport.recv().is_err(), "longer than any question");
        // Neither is the other kind of list fetched, nor this one asked under another key.
        for (request, answer) in [
            ([&[1, 1][..], &[0; 16]].concat(), [3]),
            ([&[1, 4][..], &[7; 48]].concat(), [2]),
            ([&[1, 4][..], key.as_bytes(), &[7; 16]].concat(), [7]),
        ] {
            let mut transport = running.connect().expect("it listens");
            send(&mut transport, &request);
            assert_eq!(receive(&mut transport), answer);
        }
        // A client whose bound is below what a question takes asks nothing.
        let mut small = running.client().taking(1000);
        let elements = |manifest: &Manifest| Ok(vec![element(&manifest.list, "item 1")]);
        let refused =
            small.look_up(None, |_| Ok::<_, LookupError>(()), elements, &mut rng(2)).err();
        assert!(matches!(refused, Some(LookupError::TooLong { most: 1000, .. })), "{refused:?}");

        // From one way to the other, and back.
        let make = |session: &[u8; 32]| items(session, &oracle);
        for sizing in [Sizing::EachLookup, Sizing::Encrypted] {
            let presets = PRESETS.to_owned();
            let anew = List::build(Some(&list), presets, labelled, sizing, make, &mut rng(3));
            list = anew.expect("a list");
            running.replace(&list);
            running.check(None, &asked, &oracle);
        }
        running.stop();
    }
}

#[test]
fn a_quota_and_a_key_that_is_not_allowed_any_more_end_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let quota = Quota::per_hour(10, &folder.path().join("used")).expect("no file yet");
    let list = build(&plain(10), false);
    let running = Running::start(&list, quota, Limits::default());
    let (many, few) = (texts(0..9), texts(0..2));
    assert!(running.look_up(None, &refs(&many)).is_ok());
    let refused = running.look_up(None, &refs(&few)).err();
    assert!(matches!(refused, Some(LookupError::Refused(Refusal::Quota(1..=3600)))), "{refused:?}");
    // Neither under another key nor with what is no element.
    let key = running.look_up(None, &[]).expect("it answers").manifest.key;
    for (wrong, answer) in
        [([7; 64], [2]), ([*key.as_bytes(), [0xff; 32]].concat().try_into().expect("64"), [3])]
    {
        let mut transport = running.connect().expect("it listens");
        send(&mut transport, &[&[1, 3][..], &wrong].concat());
        assert_eq!(receive(&mut transport), answer);
    }
    assert!(running.look_up(None, &["one more"]).is_ok(), "what was refused was not counted");
    let refused = running.look_up(None, &["another"]).err();
    assert!(matches!(refused, Some(LookupError::Refused(Refusal::Quota(_)))), "{refused:?}");

    let mut client = running.client();
    assert!(client.fetch(None).is_ok());
    running.service.take(Callers::default());
    let refused = client.fetch(None).err();
    assert!(matches!(refused, Some(LookupError::Refused(Refusal::Forbidden))), "{refused:?}");
    // The listener asks for the keys once a second.
    until(|| matches!(running.connect().err(), Some(NetError::RefusedByPeer { .. })));
    running.stop();
}

#[test]
fn whoever_may_not_ask_any_more_is_sent_away_at_once() {
    let list = build(&plain(10), false);
    let running = Running::start(&list, Quota::unlimited(), Limits::default());
    let key = running.client.public_key();
    let [mut idle, mut asking] = [running.client(), running.client()];
    assert!(idle.fetch(None).is_ok() && asking.fetch(None).is_ok());
    let mut silent = running.connect().expect("it listens");
    // Known, and not allowed any more: the open connections end without a request on them.
    running.service.take(Callers { allowed: Vec::new(), known: vec![key] });
    assert_eq!(receive(&mut silent), [6]);
    assert!(silent.recv().is_err(), "it is gone");
    for client in [&mut idle, &mut asking] {
        let refused = client.fetch(None).err();
        assert!(matches!(refused, Some(LookupError::Refused(Refusal::Forbidden))), "{refused:?}");
    }
    // A new connection is told so, too, and a stranger is turned away.
    let refused = running.look_up(None, &["item 1"]).err();
    assert!(matches!(refused, Some(LookupError::Refused(Refusal::Forbidden))), "{refused:?}");
    let stranger = Identity::ephemeral();
    let options = Options { deadline: LONG, ..Options::default() };
    let called = connect(&stranger, running.key(), &running.addr, &options, &|_| ());
    assert!(matches!(called.err(), Some(NetError::RefusedByPeer { .. })));
    // Allowed again, it is answered again.
    running.service.take(Callers { allowed: vec![key], known: Vec::new() });
    until(|| running.look_up(None, &["item 1"]).is_ok());
    running.stop();
}

#[test]
fn a_client_that_sends_anything_loses_its_connection_and_nothing_else() {
    let oracle = plain(100);
    let running = Running::start(&build(&oracle, true), Quota::unlimited(), Limits::default());
    let malformed = vec![3];
    let mut random = rng(9);
    let key = running.look_up(None, &[]).expect("it answers").manifest.key;
    let ask = |body: &[u8]| [&[1, 3][..], key.as_bytes(), body].concat();
    let mut requests: Vec<Vec<u8>> = (1..60)
        .map(|length| {
            let mut frame = vec![0; length * length];
            random.fill_bytes(&mut frame);
            frame[0] = 1;
            // Each kind of request that there is, and others.
            if let Some(kind) = frame.get_mut(1) {
                *kind %= 6;
            }
            frame
        })
        .filter(|frame| frame.len() != 42 && frame.len() != 18 && frame.len() != 26)
        .collect();
    requests.push(ask(&[]));
    requests.push(ask(&[0; 31]));
    requests.push(ask(&[0; 32]));
    requests.push(ask(&[0xff; 64]));
    requests.push(ask(&key.as_bytes().repeat(MAX_ITEMS + 1)));
    for part in [1, 2] {
        // Offsets at and beyond the end of the list, for the right version.
        requests.push([&[1, part][..], &[1, 0, 0, 0, 0, 0, 0, 0], &[0xff; 8]].concat());
    }
    for request in requests {
        let mut transport = running.connect().expect("it listens");
        send(&mut transport, &request);
        let answer = receive(&mut transport);
        // A random request under another key is refused for that.
        assert!(answer == malformed || answer == [2], "{request:?}");
        if answer == malformed {
            assert!(transport.recv().is_err(), "the connection ends");
        }
    }
    // A replayed request is a request: the same answer but for the proof's randomness.
    let mut transport = running.connect().expect("it listens");
    let twice: Vec<Vec<u8>> = (0..2)
        .map(|_| {
            send(&mut transport, &ask(key.as_bytes()));
            receive(&mut transport)
        })
        .collect();
    assert_eq!((twice[0].len(), &twice[0][..33]), (1 + 32 + 64, &twice[1][..33]));
    // One that goes away in the middle of a fetch.
    send(&mut transport, &[&[1, 1][..], &[1, 0, 0, 0, 0, 0, 0, 0], &[0; 8]].concat());
    drop(transport);
    running.check(None, &["item 3", "item 100"], &oracle);
    running.stop();
}

#[test]
fn clients_that_are_too_many_are_sent_away() {
    let limits = Limits { clients_of_a_key: 2, ..Limits::default() };
    let running = Running::start(&build(&plain(10), false), Quota::unlimited(), limits);
    let mut links: Vec<_> = (0..3).map(|_| running.connect().expect("it listens")).collect();
    assert_eq!(receive(&mut links[2]), [5], "the third is one too many");
    drop(links);
    until(|| running.look_up(None, &["x"]).is_ok());
    running.stop();
}

#[test]
fn clients_that_ask_nothing_are_sent_away() {
    let limits = Limits { idle: Duration::from_millis(100), ..Limits::default() };
    let running = Running::start(&build(&plain(10), false), Quota::unlimited(), limits);
    let mut links: Vec<_> = (0..2).map(|_| running.connect().expect("it listens")).collect();
    assert!(links.iter_mut().all(|transport| transport.recv().is_err()), "they asked nothing");
    running.stop();
}

#[test]
fn whoever_is_sent_away_takes_no_place() {
    let limits = Limits { clients: 3, ..Limits::default() };
    let running = Running::start(&build(&plain(10), false), Quota::unlimited(), limits);
    let mut staying: Vec<_> = (0..3).map(|_| running.client()).collect();
    staying.iter_mut().for_each(|client| assert!(client.fetch(None).is_ok()));
    // They do not close their side, and are waited for.
    let mut away: Vec<_> = (0..5).map(|_| running.connect().expect("it listens")).collect();
    away.iter_mut().for_each(|transport| assert_eq!(receive(transport), [5]));
    staying.remove(0).close();
    // Places are counted when the listener has seen that one is free.
    until(|| running.look_up(None, &["x"]).is_ok());
    running.stop();
}

#[test]
fn a_fetch_that_began_before_a_change_goes_on() {
    let oracle = plain(100);
    let mut list = build(&oracle, true);
    let running = Running::start(&list, Quota::unlimited(), Limits::default());
    let part = |version: u64| {
        let mut transport = running.connect().expect("it listens");
        send(&mut transport, &[&[1, 1][..], &version.to_le_bytes(), &[0; 8]].concat());
        receive(&mut transport)
    };
    let first = part(1);
    assert!(first.len() > 1000 && first[0] == 0);
    for version in 2..=3u64 {
        let session = *list.session();
        let one = Plain::from([(format!("new {version}"), "new".to_owned())]);
        assert_eq!(list.add(&items(&session, &one)).expect("room").changed, 1);
        running.replace(&list);
        assert_eq!(part(1), first, "as it was");
        assert_ne!(part(version), first);
    }
    assert_eq!(part(9), [2], "a version that never was");
    // A list under another key answers under that key alone.
    let rekeyed = List::build(
        Some(&list),
        PRESETS.to_owned(),
        true,
        Sizing::EachLookup,
        |session| items(session, &oracle),
        &mut rng(4),
    );
    let mut client = running.client();
    let (filter, _) = client.fetch(None).expect("it answers").expect("nothing was there");
    running.replace(&rekeyed.expect("a list"));
    let asked = client.ask(filter.manifest(), &[element(list.session(), "x")], &mut rng(5)).err();
    assert!(matches!(asked, Some(LookupError::Refused(Refusal::Moved))), "{asked:?}");
    running.check(Some(filter), &["item 3", "item 100"], &oracle);
    running.stop();
}

#[test]
fn a_stopping_service_tells_its_clients() {
    let running = Running::start(&build(&plain(10), false), Quota::unlimited(), Limits::default());
    let mut client = running.client();
    assert!(client.fetch(None).is_ok());
    running.stop.stop();
    let refused = client.fetch(None).err();
    assert!(matches!(refused, Some(LookupError::Refused(Refusal::Stopping))), "{refused:?}");
    client.close();
    running.stop();
}

#[test]
fn many_clients_at_once() {
    let oracle = plain(2000);
    let running = Running::start(
        &build(&oracle, true),
        Quota::unlimited(),
        Limits { clients_of_a_key: 100, ..Limits::default() },
    );
    thread::scope(|scope| {
        for client in 0..40u32 {
            let (running, oracle) = (&running, &oracle);
            scope.spawn(move || {
                let asked = texts(1980 + client..2000 + client);
                running.check(None, &refs(&asked), oracle);
            });
        }
    });
    running.stop();
}
