//! A lookup service, asked anything; a client, answered anything; and files that are no list.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{ChannelError, NetworkFault, Recording, Transport};
use veilset_crypto::Element;
use veilset_lookup::{
    Client, Engine, Filter, Item, List, ListFile, LookupError, Manifest, OprfFilter, Seen, Sizing,
};
use veilset_party::{Identity, PublicKey};

use crate::Seed;
use crate::bytes::{Fields, put_string};

/// The length of the number before what is sent as one message.
const LENGTH: usize = 4;

/// Whether the client kept a list, a request behind its length, and alterations of answers: which, where, how.
pub fn lookup(data: &[u8]) {
    let mut fields = Fields::new(data);
    let (kept, request) = (fields.byte() & 1 == 1, fields.string());
    let served = served();
    let _ = served.engine.items(request);
    if served.engine.answer(request, &mut rng()).is_ok() {
        assert!(served.engine.items(request).is_ok(), "what is answered is a request");
    }
    let _ = Filter::decode(request, &served.signer);
    let _ = Seen::decode(&String::from_utf8_lossy(request));

    let mut alterations = Vec::new();
    while !fields.is_empty() {
        alterations.push((fields.byte(), fields.short(), fields.byte()));
    }
    let kept = if kept { Filter::decode(&served.kept, &served.signer) } else { None };
    if let Err(error) = look_up(kept, Box::new(served.altered(alterations))) {
        let shown = error.to_string();
        assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
    }
}

fn look_up(kept: Option<Filter>, server: Box<dyn Transport>) -> Result<(), LookupError> {
    let mut client = Client::new(server, served().signer).taking(1 << 16);
    let accept = |_: &Manifest| Ok::<_, LookupError>(());
    let elements = |_: &Manifest| Ok((0..3).map(element).collect());
    client.look_up(kept, accept, elements, &mut rng()).map(drop)
}

/// A list of labelled items, and what a client keeps of it.
struct Served {
    engine: Arc<OprfFilter>,
    signer: PublicKey,
    kept: Vec<u8>,
}

impl Served {
    fn altered(&self, alterations: Vec<(u8, u16, u8)>) -> Altered {
        let engine = Arc::clone(&self.engine);
        Altered { engine, answers: VecDeque::new(), alterations, asked: 0 }
    }
}

fn served() -> &'static Served {
    static SERVED: OnceLock<Served> = OnceLock::new();
    SERVED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.veil");
        let item = |number: u8| Item { element: element(number), label: number.to_string() };
        let items = |_: &[u8; 32]| (0..20).map(item).collect();
        let (presets, sizing) = ("raw/1".to_owned(), Sizing::EachLookup);
        let list = List::build(None, presets, true, sizing, items, &mut rng()).expect("a list");
        list.write(&path, false).expect("writable");
        let identity = Identity::ephemeral();
        let file = ListFile::read(&path).expect("whole");
        let engine = Arc::new(OprfFilter::new(file, &identity));
        let mut served = Served { engine, signer: identity.public_key(), kept: Vec::new() };
        let mut client = Client::new(Box::new(served.altered(Vec::new())), served.signer);
        served.kept = client.fetch(None).expect("honest").expect("a list").0.encode();
        served
    })
}

fn element(number: u8) -> Element {
    Element([number; Element::LEN])
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([1; 32])
}

/// A server that answers honestly, but for these bytes of these answers; a position beyond the end cuts the answer.
struct Altered {
    engine: Arc<OprfFilter>,
    answers: VecDeque<Vec<u8>>,
    alterations: Vec<(u8, u16, u8)>,
    asked: u8,
}

impl Transport for Altered {
    fn send(&mut self, frame: Vec<u8>) -> Result<(), ChannelError> {
        // All requests here have one frame.
        let mut answer = match self.engine.answer(&frame[LENGTH..], &mut rng()) {
            Ok(body) => [&[0], &body[..]].concat(),
            Err(_) => vec![2],
        };
        for (_, place, mask) in self.alterations.iter().filter(|(at, ..)| *at == self.asked) {
            match answer.get_mut(usize::from(*place)) {
                Some(byte) => *byte ^= mask,
                None => answer.truncate(usize::from(*mask)),
            }
        }
        self.asked = self.asked.wrapping_add(1);
        let length = u32::try_from(answer.len()).expect("short");
        self.answers.push_back([&length.to_le_bytes(), &answer[..]].concat());
        Ok(())
    }

    fn try_send(&mut self, frame: Vec<u8>) -> bool {
        self.send(frame).is_ok()
    }

    fn recv(&mut self) -> Result<Vec<u8>, ChannelError> {
        self.answers.pop_front().ok_or_else(|| NetworkFault::Closed.into())
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    let served = served();
    let (server, asked) = Recording::new(served.altered(Vec::new()));
    look_up(None, Box::new(server)).expect("honest");
    let mut requests: Vec<Vec<u8>> =
        asked.frames().iter().map(|frame| frame[LENGTH..].to_vec()).collect();
    requests.push(served.kept.clone());
    let mut seeds = Vec::new();
    for (number, request) in (0u8..).zip(&requests) {
        for kept in [0, 1] {
            let mut bytes = vec![kept];
            put_string(&mut bytes, request);
            // The first byte of the answer's body, and one further on.
            bytes.extend([number, 1, 0, 1, number, 40, 0, 0x80]);
            seeds.push(Seed::new(format!("request {number}, kept {kept}"), bytes));
        }
    }
    seeds
}
