//! Every protocol against a peer that sends anything: an outcome or a typed error, never a panic.

use std::thread;

use veilset_channel::{Recording, Replay, memory_pair};
use veilset_protocols::{Outcome, PROTOCOLS, ProtocolError, Role};
use veilset_testkit::{Sets, Setting, run_one};

use crate::Seed;
use crate::bytes::{Fields, frames, put_frames};

/// The seed of both parties' randomness: what a party does here is what it did in the honest run.
const RANDOMNESS: u8 = 1;

/// The bit that says that rows go with the matches, where they can.
const WITH_ROWS: u8 = 0x80;

/// A protocol, a role with a reveal and whether rows go, the sizes of the two sets, and the peer's frames.
pub fn protocol_messages(data: &[u8]) {
    let _ = play(data);
}

fn play(data: &[u8]) -> Result<Outcome, ProtocolError> {
    let mut fields = Fields::new(data);
    let (protocol, choice) = (fields.byte(), fields.byte());
    let (sender, receiver) = (usize::from(fields.byte() % 5), usize::from(fields.byte() % 5));
    let protocol = PROTOCOLS[usize::from(protocol) % PROTOCOLS.len()];
    let reveals = protocol.spec().reveals;
    let reveal = reveals[usize::from((choice & !WITH_ROWS) >> 1) % reveals.len()];
    let setting = Setting::new(protocol, reveal);
    let with_rows = if choice & WITH_ROWS == 0 { None } else { setting.and_rows() };
    let setting = with_rows.unwrap_or(setting);
    let role = if choice & 1 == 0 { Role::Sender } else { Role::Receiver };
    run_one(
        setting,
        role,
        &sets(sender, receiver),
        Box::new(Replay::new(frames(fields))),
        RANDOMNESS,
    )
    .0
}

/// What each side of each protocol hears in an honest run.
pub(crate) fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (number, protocol) in (0u8..).zip(PROTOCOLS) {
        for (choice, reveal) in (0u8..).zip(protocol.spec().reveals) {
            let plain = Setting::new(protocol, *reveal);
            for setting in [Some(plain), plain.and_rows()].into_iter().flatten() {
                let heard = honest(setting, &sets(4, 3));
                let rows = if setting.with_rows { WITH_ROWS } else { 0 };
                for (role, frames) in [Role::Sender, Role::Receiver].into_iter().zip(heard) {
                    let choice = choice << 1 | u8::from(role == Role::Receiver) | rows;
                    let mut bytes = vec![number, choice, 4, 3];
                    put_frames(&mut bytes, &frames);
                    let rows = if setting.with_rows { " with rows" } else { "" };
                    let id = protocol.spec().id;
                    let name = format!("what the {role:?} of {id} hears, {reveal:?}{rows}");
                    assert!(play(&bytes).is_ok(), "{name}: what was recorded is played to its end");
                    seeds.push(Seed::new(name, bytes));
                }
            }
        }
    }
    seeds
}

/// The frames that the sender hears in an honest run, and those that the receiver hears.
fn honest(setting: Setting, sets: &Sets) -> [Vec<Vec<u8>>; 2] {
    let (left, right) = memory_pair();
    let ((left, said), (right, answered)) = (Recording::new(left), Recording::new(right));
    thread::scope(|scope| {
        scope.spawn(|| {
            run_one(setting, Role::Sender, sets, Box::new(left), RANDOMNESS).0.expect("honest")
        });
        run_one(setting, Role::Receiver, sets, Box::new(right), RANDOMNESS).0.expect("honest");
    });
    [answered.frames(), said.frames()]
}

/// Sets of these sizes that have something in common, if they have anything.
fn sets(sender: usize, receiver: usize) -> Sets {
    Sets::new(sender, receiver, sender.min(receiver).div_ceil(2))
}
