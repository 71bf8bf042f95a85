use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{ChannelError, NetworkFault};
use veilset_party::Identity;
use veilset_protocols::oprf_filter::Entries;

use super::connection::AHEAD;
use super::*;
use crate::manifest::tests::labelled;
use crate::wire::{CHUNK, message, refusal_message};
use crate::{Engine, Item, List, ListFile, OprfFilter, Sizing};

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([3; 32])
}

fn element(number: u32) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

/// Items 0 to `count`, each with its number as its label.
fn list(count: u32) -> List {
    let item = |number| Item { element: element(number), label: number.to_string() };
    let make = |_: &[u8; 32]| (0..count).map(item).collect();
    List::build(None, "raw/1".to_owned(), true, Sizing::EachLookup, make, &mut rng())
        .expect("a list")
}

fn engine(list: &List, identity: &Identity) -> OprfFilter {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list.veil");
    list.write(&path, false).expect("writable");
    OprfFilter::new(ListFile::read(&path).expect("whole"), identity)
}

/// What a server does at a request.
enum Does {
    Answers(Vec<u8>),
    /// Says this, and goes.
    Ends(Vec<u8>),
}

#[derive(Default)]
struct Log {
    requests: Vec<Request>,
    closed: bool,
    /// Answers that nobody took.
    left: usize,
}

/// A server in this process.
struct Scripted<F> {
    serve: F,
    answers: VecDeque<Vec<u8>>,
    gone: bool,
    log: Arc<Mutex<Log>>,
}

impl<F: FnMut(usize, &[u8]) -> Does + Send> Transport for Scripted<F> {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        if self.gone {
            return Err(NetworkFault::Closed.into());
        }
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        // Behind the length: all requests here have one frame.
        let request = &frame[4..];
        match (self.serve)(log.requests.len(), request) {
            Does::Answers(answer) => self.answers.push_back(answer),
            Does::Ends(answer) => {
                self.answers.push_back(answer);
                self.gone = true;
            }
        }
        log.requests.push(Request::decode(request).expect("a client sends requests"));
        log.left = self.answers.len();
        Ok(())
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.send(frame).is_ok()
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        let answer = self.answers.pop_front();
        self.log.lock().unwrap_or_else(PoisonError::into_inner).left = self.answers.len();
        let answer = answer.ok_or(NetworkFault::Closed)?;
        Ok([&(answer.len() as u32).to_le_bytes(), &answer[..]].concat())
    }

    fn close(&mut self) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
    }
}

/// A client of a server that does as `serve` says of each request, which it gets with its number.
fn client(
    identity: &Identity,
    serve: impl FnMut(usize, &[u8]) -> Does + Send + 'static,
) -> (Client<'static>, Arc<Mutex<Log>>) {
    let log = Arc::<Mutex<Log>>::default();
    let scripted = Scripted { serve, answers: VecDeque::new(), gone: false, log: Arc::clone(&log) };
    (Client::new(Box::new(scripted), identity.public_key()), log)
}

/// Answers as the engine does.
fn honest(engine: &OprfFilter, request: &[u8]) -> Does {
    Does::Answers(message(engine.answer(request, &mut rng())))
}

fn look_up(client: &mut Client, kept: Option<Filter>, count: u32) -> Result<Found, LookupError> {
    let elements = |_: &Manifest| Ok((0..count).map(element).collect());
    client.look_up(kept, |_| Ok(()), elements, &mut rng())
}

#[test]
fn the_connection_is_closed_after_the_last_chunk_and_before_any_answer() {
    let identity = Identity::ephemeral();
    let engine = engine(&list(2000), &identity);
    let (mut client, log) = client(&identity, move |_, request| honest(&engine, request));
    let found = look_up(&mut client, None, 3000).expect("it answers");
    let log = log.lock().expect("no panic");
    let asked = log.requests.iter().filter_map(|request| match request {
        Request::Ask { blinded, .. } => Some(blinded.len()),
        _ => None,
    });
    assert_eq!(asked.collect::<Vec<_>>(), [MAX_ITEMS, MAX_ITEMS, 3000 - 2 * MAX_ITEMS]);
    assert!(log.closed, "by the lookup itself");
    for (number, answer) in found.answers.iter().enumerate() {
        let label = (number < 2000).then(|| number.to_string());
        let want = label.map_or(Answer::NotListed, |label| Answer::Listed(Some(label)));
        assert_eq!(*answer, want);
    }
}

#[test]
fn a_list_that_moves_in_the_middle_is_fetched_again_in_step() {
    let identity = Identity::ephemeral();
    // With 32 bytes of seal and some 4 of fingerprint each, chunks of 120 KiB are a dozen.
    let list = list(40_000);
    let engine = Arc::new(engine(&list, &identity));
    let chunks = engine.manifest().length().div_ceil(CHUNK as u64) as usize;
    assert!(chunks > 8, "{chunks}");
    // The first request is the greeting.
    for moved in 1..=chunks {
        let engine = Arc::clone(&engine);
        let (mut client, log) = client(&identity, move |number, request| {
            // From there on, until the client greets anew.
            let refused = (moved..=moved + AHEAD as usize).contains(&number);
            match Request::decode(request).expect("a request") {
                Request::Chunk { .. } if refused => Does::Answers(refusal_message(Refusal::Moved)),
                _ => honest(&engine, request),
            }
        });
        let found = look_up(&mut client, None, 3).expect("it answers the second time");
        assert_eq!(found.answers[2], Answer::Listed(Some("2".to_owned())), "{moved}");
        assert_eq!(log.lock().expect("no panic").left, 0, "every answer was taken: {moved}");
    }
}

#[test]
fn a_server_that_ends_says_why_whenever_that_is() {
    let identity = Identity::ephemeral();
    let list = list(40_000);
    let engine = Arc::new(engine(&list, &identity));
    for refusal in [Refusal::Forbidden, Refusal::Stopping, Refusal::Full, Refusal::Malformed] {
        // At the greeting, in the chunks, and with the last two among the questions.
        for end in [0, 1, 3, 8, 14, 15] {
            let engine = Arc::clone(&engine);
            let (mut client, _) = client(&identity, move |number, request| match number {
                _ if number == end => Does::Ends(refusal_message(refusal)),
                _ => honest(&engine, request),
            });
            let error = look_up(&mut client, None, 3 * 1024).err();
            let told = matches!(error, Some(LookupError::Refused(why)) if why == refusal);
            assert!(told, "{refusal:?} at request {end}: {error:?}");
        }
    }
}

#[test]
fn what_is_kept_stays_known_when_a_list_moves() {
    let identity = Identity::ephemeral();
    let mut list = list(100);
    let old = engine(&list, &identity);
    list.add(&[Item { element: element(500), label: String::new() }]).expect("room");
    let new = engine(&list, &identity);
    let (mut first, _) = client(&identity, move |_, request| honest(&new, request));
    let kept = look_up(&mut first, None, 0).expect("it answers").filter;
    // A server that says that its list moved, and then has an older one.
    list.remove(&[element(500)]).expect("it is there");
    let newest = engine(&list, &identity);
    let (mut client, _) = client(&identity, move |number, request| match number {
        0 => honest(&newest, request),
        1 => Does::Answers(refusal_message(Refusal::Moved)),
        _ => honest(&old, request),
    });
    let error = look_up(&mut client, kept, 1).err();
    assert!(matches!(error, Some(LookupError::Older { ours: 2, theirs: 1 })), "{error:?}");
}

#[test]
fn what_is_not_accepted_is_neither_fetched_nor_asked() {
    let identity = Identity::ephemeral();
    let served = engine(&list(100), &identity);
    let length = served.manifest().length();
    let (mut long, log) = client(&identity, move |_, request| honest(&served, request));
    long = long.taking(length - 1);
    let error = look_up(&mut long, None, 1).err();
    assert!(
        matches!(error, Some(LookupError::TooLong { length: l, most }) if l == length && most == length - 1)
    );
    let refuse = |_: &Manifest| Err(LookupError::OtherList);
    let error = long.taking(length).look_up(None, refuse, |_| Ok(Vec::new()), &mut rng()).err();
    assert!(matches!(error, Some(LookupError::OtherList)));
    assert_eq!(log.lock().expect("no panic").requests.len(), 2, "two greetings");
}

#[test]
fn a_list_with_many_seals_under_one_fingerprint_is_refused() {
    let identity = Identity::ephemeral();
    for (equal, taken) in [(2u8, true), (3, false)] {
        let count = 50 + u64::from(equal);
        let format = labelled().format;
        let seal = |byte: u8| vec![byte; format.seal];
        let equal = (0..equal).map(|byte| (77, seal(byte)));
        let others = (0..50).map(|number| (1000 * number + 5, seal(9)));
        let published = Entries::new(format, equal.chain(others).collect()).encode();
        let manifest = Manifest {
            count,
            length: published.len() as u64,
            digest: *blake3::hash(&published).as_bytes(),
            ..labelled()
        };
        let filter = Filter::new(manifest.clone(), manifest.sign(&identity), &published);
        match filter {
            Ok(_) => assert!(taken),
            Err(why) => assert!(!taken && matches!(why, LookupError::Check(_)), "{why}"),
        }
    }
}
