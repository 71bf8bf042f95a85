//! Honest queries and answers of `fhe` with bytes changed or cut off: an outcome or a typed error, never a panic.
//!
//! They are too long for an input of libFuzzer's, which therefore says the changes only.

use std::sync::OnceLock;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Channel, Framed, HEADER, Recording, Replay, memory_pair};
use veilset_crypto::Element;
use veilset_protocols::fhe::{Database, FheParameters, FheSizes, Variant, receive};
use veilset_protocols::{
    Attached, AttachedShape, Conclusion, Means, Operation, ProtocolError, Reveal, Role, Run,
    RunInput, Side, Silent, find,
};

use crate::Seed;
use crate::bytes::Fields;

const SESSION: [u8; 32] = [3; 32];
const SIZES: FheSizes = FheSizes { sender: 3, receiver: 2, slack: 0 };

/// A sender, the parameters, and the frames of the receiver and of the sender.
struct Honest {
    database: Database,
    parameters: FheParameters,
    frames: [Vec<Vec<u8>>; 2],
}

/// Whose frames, whether one of them is cut, which, at what length; then changes: a frame, a place, a byte.
pub fn fhe_messages(data: &[u8]) {
    let mut fields = Fields::new(data);
    let (asks, cuts) = (fields.byte() & 1 == 1, fields.byte() & 1 == 1);
    let Honest { database, parameters, frames } = honest();
    let mut frames = frames[usize::from(!asks)].clone();
    let count = frames.len();
    let (cut, length) = (usize::from(fields.byte()) % count, fields.word() as usize);
    while !fields.is_empty() {
        let frame = &mut frames[usize::from(fields.byte()) % count];
        let place = fields.word() as usize % frame.len();
        frame[place] = fields.byte();
    }
    if cuts {
        frames[cut].truncate(length);
    }
    let mut channel = Framed::new(Replay::new(frames));
    let conclusion =
        if asks { serve(database, &mut channel) } else { query(parameters, &mut channel) };
    if let Ok(conclude) = conclusion {
        let _ = conclude();
    }
}

fn honest() -> &'static Honest {
    static HONEST: OnceLock<Honest> = OnceLock::new();
    HONEST.get_or_init(|| {
        let parameters = FheParameters::best(SIZES, Variant::default()).expect("there are some");
        let rng = &mut ChaCha20Rng::from_seed([4; 32]);
        let own = elements(SIZES.sender);
        let database = Database::new(&own, parameters.clone(), &SESSION, rng).expect("fits");
        let (left, right) = memory_pair();
        let ((left, answered), (right, asked)) = (Recording::new(left), Recording::new(right));
        thread::scope(|scope| {
            scope.spawn(|| drop(serve(&database, &mut Framed::new(left)).expect("honest")));
            drop(query(&parameters, &mut Framed::new(right)).expect("honest"));
        });
        let frames = [asked.frames(), answered.frames()];
        Honest { database, parameters, frames }
    })
}

fn elements(count: usize) -> Vec<Element> {
    (0..count as u8).map(|number| Element([number; 32])).collect()
}

fn serve(database: &Database, channel: &mut dyn Channel) -> Result<Conclusion, ProtocolError> {
    let means = &mut Means {
        session: &SESSION,
        channel,
        rng: &mut ChaCha20Rng::from_seed([1; 32]),
        observer: &Silent,
    };
    database.serve(means, Reveal::Both, SIZES.receiver)
}

fn query(
    parameters: &FheParameters,
    channel: &mut dyn Channel,
) -> Result<Conclusion, ProtocolError> {
    let run = Run {
        side: Side { role: Role::Receiver, reveal: Reveal::Both },
        input: RunInput {
            elements: elements(SIZES.receiver).into(),
            peer_count: SIZES.sender,
            attached: Attached::Nothing,
            peer_attached: AttachedShape::Nothing,
            per_row: 1,
            slack: SIZES.slack,
            coins: 0,
            least: None,
            choices: find("fhe").expect("an entry").spec().defaults(),
        },
        means: Means {
            session: &SESSION,
            channel,
            rng: &mut ChaCha20Rng::from_seed([2; 32]),
            observer: &Silent,
        },
    };
    receive(run, parameters, Operation::Intersect)
}

pub(crate) fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (asks, frames) in [1, 0].into_iter().zip(&honest().frames) {
        let side = ["the receiver", "the sender"][usize::from(asks)];
        seeds.push(Seed::new(format!("{side} hears the truth"), [asks]));
        for number in 0..u8::try_from(frames.len()).expect("few frames") {
            // The first byte of the frame's body, as if it were another one's.
            let place = u32::try_from(HEADER).expect("short").to_le_bytes();
            let change = [&[asks, 0, 0, 0, 0, 0, 0, number], &place[..], &[7]].concat();
            seeds.push(Seed::new(format!("{side} hears another frame {number}"), change));
        }
    }
    seeds
}
