//! Honest queries and answers of `fhe` with bytes changed or cut off: an outcome or a typed error, never a panic.
#![no_main]

use std::sync::OnceLock;
use std::thread;

use chacha20::ChaCha20Rng;
use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use veilset_channel::{Channel, Framed, Recording, Replay, memory_pair};
use veilset_crypto::Element;
use veilset_protocols::fhe::{Database, Parameters, Sizes, Variant, receive};
use veilset_protocols::{
    Operation, Attached, AttachedShape, Conclusion, ProtocolError, Reveal, Role, Run, Silent, find,
};

const SESSION: [u8; 32] = [3; 32];
const SIZES: Sizes = Sizes { sender: 3, receiver: 2, slack: 0 };

/// A sender, the parameters, and the frames of the receiver and of the sender.
struct Honest {
    database: Database,
    parameters: Parameters,
    frames: [Vec<Vec<u8>>; 2],
}

fn elements(count: usize) -> Vec<Element> {
    (0..count as u8).map(|number| Element([number; 32])).collect()
}

fn serve(database: &Database, channel: &mut dyn Channel) -> Result<Conclusion, ProtocolError> {
    let rng = &mut ChaCha20Rng::from_seed([1; 32]);
    database.serve(channel, Reveal::Both, SIZES.receiver, rng, &Silent)
}

fn query(parameters: &Parameters, channel: &mut dyn Channel) -> Result<Conclusion, ProtocolError> {
    let run = Run {
        role: Role::Receiver,
        reveal: Reveal::Both,
        elements: &elements(SIZES.receiver),
        peer_count: SIZES.sender,
        attached: Attached::Nothing,
        peer_attached: AttachedShape::Nothing,
        slack: SIZES.slack,
        params: find("fhe").expect("an entry").spec().params(),
        session: &SESSION,
        channel,
        rng: &mut ChaCha20Rng::from_seed([2; 32]),
        observer: &Silent,
    };
    receive(run, parameters, Operation::Intersect)
}

fn honest() -> &'static Honest {
    static HONEST: OnceLock<Honest> = OnceLock::new();
    HONEST.get_or_init(|| {
        let parameters = Parameters::best(SIZES, Variant::default()).expect("there are some");
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

fuzz_target!(|input: (bool, Vec<(u8, u32, u8)>, Option<(u8, u32)>)| {
    let (asks, changes, cut) = input;
    let Honest { database, parameters, frames } = honest();
    let mut frames = frames[usize::from(!asks)].clone();
    let count = frames.len();
    for (frame, place, byte) in changes {
        let frame = &mut frames[usize::from(frame) % count];
        let place = place as usize % frame.len();
        frame[place] = byte;
    }
    if let Some((frame, len)) = cut {
        frames[usize::from(frame) % count].truncate(len as usize);
    }
    let mut channel = Framed::new(Replay::new(frames));
    let conclusion =
        if asks { serve(database, &mut channel) } else { query(parameters, &mut channel) };
    if let Ok(conclude) = conclusion {
        let _ = conclude();
    }
});
