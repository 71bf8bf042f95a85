//! The terms and all that follows them, from a peer that sends anything.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Recording, Replay, Transport, memory_pair};
use veilset_data::{KeySet, KeySpec, Linkage, RowsToSend, SentColumns, Table};
use veilset_protocols::{Attached, AttachedShape, Choices, Operation, Security, Silent};
use veilset_session::{
    Column, ConnectedPeer, Learn, ListInput, Matching, Offer, Pipe, Release, Resources, Seats,
    SessionError, agree,
};

use crate::Seed;
use crate::bytes::{Fields, frames, put_frames};

/// What is computed: an operation, or an intersection by two keys, or one with rows that go with the matches.
#[derive(Clone, Copy)]
enum Asked {
    Operation(Operation),
    Tiers,
    Joined,
}

impl Asked {
    /// All of them, by a number.
    fn all() -> impl Iterator<Item = Self> {
        Operation::ALL.into_iter().map(Self::Operation).chain([Self::Tiers, Self::Joined])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Operation(operation) => operation.name(),
            Self::Tiers => "intersect by two keys",
            Self::Joined => "intersect with rows",
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Operation(_) | Self::Joined => &["k"],
            Self::Tiers => &["k", "n"],
        }
    }
}

/// Whether this side connects, what is computed, and the peer's frames.
pub fn agreement(data: &[u8]) {
    let mut fields = Fields::new(data);
    let connecting = fields.byte() & 1 == 1;
    let number = usize::from(fields.byte()) % Asked::all().count();
    let Some(asked) = Asked::all().nth(number) else { return };
    if let Err(error) = side(asked, connecting, Box::new(Replay::new(frames(fields)))) {
        let shown = error.to_string();
        assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
    }
}

/// One side of a session, to its end.
fn side(asked: Asked, connecting: bool, transport: Box<dyn Transport>) -> Result<(), SessionError> {
    let (name, pipe) = ("peer".to_owned(), Pipe::new(transport, [0; 32]));
    let peers = vec![ConnectedPeer { name, pipe, connecting }];
    let rng = &mut ChaCha20Rng::from_seed([u8::from(connecting); 32]);
    let text = b"k,n\n1,a\n2,b\n3,b\n".to_vec();
    let table = Table::parse("list".to_owned(), text, b',').expect("a table");
    let keys: Vec<KeySpec> = asked.keys().iter().map(|key| key.parse().expect("a key")).collect();
    let mut list = Linkage::build(&table, &keys).expect("columns");
    let columns = ["n".to_owned()];
    let sent = matches!(asked, Asked::Joined)
        .then(|| SentColumns::of(&table, &list, &columns).expect("short rows"));
    let agreed = agree(None, peers, offer(asked, &list, sent.as_ref()), rng)?;
    let resources = Resources { threads: 1, observer: &Silent };
    let (keys, attached) = (list.take_digests(), Attached::Nothing);
    let columns = sent.as_ref();
    let rows = columns.map(|columns| RowsToSend { table: &table, linkage: &list, columns });
    let list = ListInput { keys, attached, rows, linkage: Some(&list) };
    agreed.run(list, &resources, rng).map(drop)
}

fn offer(asked: Asked, list: &Linkage, sent: Option<&SentColumns>) -> Offer {
    let (operation, matching) = match asked {
        Asked::Operation(operation) => (operation, None),
        Asked::Tiers => (Operation::Intersect, Some(Matching::Tiers)),
        Asked::Joined => (Operation::Intersect, None),
    };
    let tiers = list.keys().iter().filter(|_| matching.is_some()).map(KeySet::len);
    Offer {
        operation,
        protocol: None,
        security: Security::SemiHonest,
        learn: Learn::Both,
        presets: vec!["raw/1"; list.keys().len()].join(";"),
        distinct: list.len(),
        padding: 0,
        matching,
        tiers: tiers.collect(),
        looks_hashed: false,
        memory: 1 << 24,
        choices: Choices::default(),
        attached: sent
            .map_or(AttachedShape::Nothing, |sent| AttachedShape::Items { width: sent.width() }),
        columns: sent
            .into_iter()
            .flat_map(SentColumns::names)
            .map(|name| Column { name: name.clone(), scale: 0 })
            .collect(),
        groups: None,
        lent: None,
        factor: None,
        rows_of_key: sent.map_or(0, SentColumns::rows_of_key),
        release: Release::default(),
        reference: None,
        pledge: None,
        seats: Seats::default(),
        details: Vec::new(),
    }
}

/// What each side hears when both mean it, as far as they get.
pub(crate) fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (number, asked) in (0u8..).zip(Asked::all()) {
        let (left, right) = memory_pair();
        let ((left, said), (right, answered)) = (Recording::new(left), Recording::new(right));
        thread::scope(|scope| {
            scope.spawn(|| side(asked, false, Box::new(left)));
            drop(side(asked, true, Box::new(right)));
        });
        for (connecting, heard) in [(0, answered), (1, said)] {
            let mut bytes = vec![connecting, number];
            put_frames(&mut bytes, &heard.frames());
            let side = ["listens", "connects"][usize::from(connecting)];
            seeds.push(Seed::new(
                format!("what the side that {side} hears, {}", asked.name()),
                bytes,
            ));
        }
    }
    seeds
}
