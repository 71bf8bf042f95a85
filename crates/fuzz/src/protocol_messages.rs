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

/// The bit that says that elements stand together as rows, where they can.
const GROUPED: u8 = 0x40;

/// The bit that says that sums are of products, by groups of both sides, where they can.
const LENT: u8 = 0x20;

/// A protocol, a role with a reveal, whether rows go, elements stand together or something is lent, the numbers of the two sides' rows, and the peer's
/// frames.
pub fn protocol_messages(data: &[u8]) {
    let _ = play(data);
}

fn play(data: &[u8]) -> Result<Outcome, ProtocolError> {
    let mut fields = Fields::new(data);
    let (protocol, choice) = (fields.byte(), fields.byte());
    let (sender, receiver) = (usize::from(fields.byte() % 5), usize::from(fields.byte() % 5));
    let index = usize::from((choice & !(WITH_ROWS | GROUPED | LENT)) >> 1);
    let protocol = PROTOCOLS[usize::from(protocol) % PROTOCOLS.len()];
    let reveals = protocol.spec().reveals;
    let reveal = reveals[index % reveals.len()];
    let setting = Setting::new(protocol, reveal);
    let with_rows = if choice & WITH_ROWS == 0 { None } else { setting.and_rows() };
    let grouped = if choice & GROUPED == 0 { None } else { setting.and_grouped() };
    let lent = if choice & LENT == 0 { None } else { lent(setting) };
    let setting = with_rows.or(grouped).or(lent).unwrap_or(setting);
    let role = if choice & 1 == 0 { Role::Sender } else { Role::Receiver };
    run_one(
        setting,
        role,
        &sets(setting, sender, receiver),
        Box::new(Replay::new(frames(fields))),
        RANDOMNESS,
    )
    .0
}

/// The same with all that the receiver can lend to sums, or with its values among the shares.
fn lent(setting: Setting) -> Option<Setting> {
    let sums =
        setting.and_products().and_then(Setting::and_groups).and_then(Setting::and_lent_groups);
    sums.or_else(|| setting.and_both_share())
}

/// What each side of each protocol hears in an honest run.
pub(crate) fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (number, protocol) in (0u8..).zip(PROTOCOLS) {
        for (choice, reveal) in (0u8..).zip(protocol.spec().reveals) {
            let plain = Setting::new(protocol, *reveal);
            for setting in [Some(plain), plain.and_rows(), plain.and_grouped(), lent(plain)]
                .into_iter()
                .flatten()
            {
                let heard = honest(setting, &sets(setting, 4, 3));
                let (how, said) = match setting {
                    Setting { with_rows: true, .. } => (WITH_ROWS, " with rows"),
                    Setting { lends_groups: true, .. } => (LENT, " of what is lent"),
                    Setting { both_share: true, .. } => (LENT, " of both sides' values"),
                    Setting { per_row: 1, .. } => (0, ""),
                    _ => (GROUPED, " grouped"),
                };
                for (role, frames) in [Role::Sender, Role::Receiver].into_iter().zip(heard) {
                    let choice = choice << 1 | u8::from(role == Role::Receiver) | how;
                    let mut bytes = vec![number, choice, 4, 3];
                    put_frames(&mut bytes, &frames);
                    let id = protocol.spec().id;
                    let name = format!("what the {role:?} of {id} hears, {reveal:?}{said}");
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

/// Sets of so many rows that have something in common, if they have anything.
fn sets(setting: Setting, sender: usize, receiver: usize) -> Sets {
    let [sender, receiver] = [sender, receiver].map(|rows| rows * setting.per_row);
    Sets::new(sender, receiver, sender.min(receiver).div_ceil(2))
}
