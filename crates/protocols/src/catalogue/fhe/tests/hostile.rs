//! Peers whose queries and answers are none.

use veilset_bfv::{Ring, Seeded};
use veilset_channel::{
    ChannelError, HEADER, MAX_BODY, Malformed, NetworkFault, PeerFault, Recording, Replay,
};

use super::*;

const SESSION: [u8; 32] = [3; 32];
const SIZES: FheSizes = FheSizes { sender: 700, receiver: 20, slack: 0 };

type Frames = Vec<Vec<u8>>;

/// A sender, its receiver's parameters and what each of them sends.
struct Honest {
    database: Database,
    parameters: FheParameters,
    ring: Ring,
    /// By the receiver: points, the pieces of the query, names.
    asked: Frames,
    /// By the sender: points, the pieces of the answers.
    answered: Frames,
}

impl Honest {
    fn new(variant: Variant) -> Self {
        let parameters = FheParameters::best(SIZES, variant).expect("there are some");
        let rng = &mut ChaCha20Rng::from_seed([1; 32]);
        let own = elements(0, SIZES.sender);
        let database = Database::new(&own, parameters.clone(), &SESSION, rng).expect("fits");
        let (left, right) = memory_pair();
        let ((left, answered), (right, asked)) = (Recording::new(left), Recording::new(right));
        std::thread::scope(|scope| {
            scope.spawn(|| serve(&database, &mut Framed::new(left)).expect("honest"));
            query(&parameters, &mut Framed::new(right)).expect("honest");
        });
        let (asked, answered) = (asked.frames(), answered.frames());
        let ring = parameters.ring().expect("secure");
        Self { database, parameters, ring, asked, answered }
    }

    /// What the sender says to a receiver that sends these frames.
    fn sender(&self, frames: Frames) -> Result<(), ProtocolError> {
        serve(&self.database, &mut Framed::new(Replay::new(frames)))
    }

    /// What the receiver says to a sender that sends these frames.
    fn receiver(&self, frames: Frames) -> Result<(), ProtocolError> {
        query(&self.parameters, &mut Framed::new(Replay::new(frames)))
    }
}

fn serve(database: &Database, channel: &mut dyn Channel) -> Result<(), ProtocolError> {
    let means = &mut Means {
        session: &SESSION,
        channel,
        rng: &mut ChaCha20Rng::from_seed([2; 32]),
        observer: &crate::Silent,
    };
    database.serve(means, Reveal::Both, SIZES.receiver)?().map(drop)
}

fn query(parameters: &FheParameters, channel: &mut dyn Channel) -> Result<(), ProtocolError> {
    let run = Run {
        side: Side { role: Role::Receiver, reveal: Reveal::Both },
        input: RunInput {
            elements: elements(SIZES.sender - 5, SIZES.receiver).into(),
            peer_count: SIZES.sender,
            attached: crate::Attached::Nothing,
            peer_attached: crate::AttachedShape::Nothing,
            per_row: 1,
            slack: 0,
            coins: 0,
            least: None,
            choices: SPEC.defaults(),
        },
        means: Means {
            session: &SESSION,
            channel,
            rng: &mut ChaCha20Rng::from_seed([4; 32]),
            observer: &crate::Silent,
        },
    };
    receive(run, parameters, Operation::Intersect)?().map(drop)
}

/// Frames of which one is changed.
fn with(frames: &Frames, at: usize, change: impl FnOnce(&mut Vec<u8>)) -> Frames {
    let mut frames = frames.clone();
    change(&mut frames[at]);
    frames
}

/// Frames numbered afresh.
fn numbered(mut frames: Frames) -> Frames {
    for (number, frame) in (0_u32..).zip(&mut frames) {
        frame[1..HEADER].copy_from_slice(&number.to_le_bytes());
    }
    frames
}

#[track_caller]
fn refused(result: Result<(), ProtocolError>, expected: impl Into<ChannelError>) {
    let Err(ProtocolError::Channel(error)) = result else {
        panic!("a fault of the channel, not {result:?}")
    };
    assert_eq!(error, expected.into());
}

/// Each change of a message at `at` with the fault that it is.
fn refuses_every_change(
    play: &dyn Fn(Frames) -> Result<(), ProtocolError>,
    frames: &Frames,
    at: usize,
    name: &'static str,
    tag: u8,
) {
    let malformed = |why| PeerFault::Malformed { what: name, why };
    let body = frames[at].len() - HEADER;
    play(frames.clone()).expect("as it was recorded");
    let short = with(frames, at, |frame| frame.truncate(frame.len() - 1));
    refused(play(short), malformed(Malformed::TooShort));
    let long = with(frames, at, |frame| frame.push(0));
    refused(play(long), PeerFault::TooLong { what: name, max: body, got: body + 1 });
    let huge = with(frames, at, |frame| frame.resize(HEADER + MAX_BODY + 1, 0));
    refused(play(huge), PeerFault::TooLong { what: name, max: body, got: MAX_BODY + 1 });
    let renamed = with(frames, at, |frame| frame[0] = 99);
    assert!(matches!(
        play(renamed),
        Err(ProtocolError::Channel(ChannelError::Peer(PeerFault::UnexpectedTag { expected, got: 99 })))
            if expected.byte() == tag && expected.name() == name
    ));
    refused(play(frames[..at].to_vec()), NetworkFault::Closed);
    let mut fewer = frames.clone();
    fewer.remove(at);
    let missing = play(numbered(fewer));
    assert!(matches!(missing, Err(ProtocolError::Channel(_))), "{missing:?}");
}

/// Residues of ones alone, which no prime is.
fn refuses_large_residues(
    play: &dyn Fn(Frames) -> Result<(), ProtocolError>,
    frames: &Frames,
    at: usize,
    what: &'static str,
) {
    let large = with(frames, at, |frame| frame[HEADER..].fill(0xff));
    refused(play(large), PeerFault::Malformed { what, why: Malformed::OutOfRange });
}

#[test]
fn a_sender_refuses_what_is_no_query() {
    let honest = Honest::new(Variant::default());
    let play = |frames| honest.sender(frames);
    let pieces = honest.asked.len() - 2;
    assert_eq!(pieces, honest.parameters.query_frames());
    for at in [1, pieces] {
        refuses_every_change(&play, &honest.asked, at, "encrypted powers", 16);
        refuses_large_residues(&play, &honest.asked, at, "encrypted powers");
    }
    let mut more = honest.asked.clone();
    more.insert(pieces, more[pieces].clone());
    let more = play(numbered(more));
    assert!(matches!(
        more,
        Err(ProtocolError::Channel(ChannelError::Peer(PeerFault::UnexpectedTag { got: 16, .. })))
    ));
}

#[test]
fn a_receiver_refuses_what_are_no_answers() {
    // Where bits are cut off residues, all that are left can be ones.
    for switching in [true, false] {
        let honest = Honest::new(Variant { switching, ..Variant::default() });
        let play = |frames| honest.receiver(frames);
        for at in [1, honest.answered.len() - 1] {
            refuses_every_change(&play, &honest.answered, at, "encrypted answers", 17);
            if !switching {
                refuses_large_residues(&play, &honest.answered, at, "encrypted answers");
            }
        }
    }
}

#[test]
fn what_was_made_for_other_parameters_is_refused() {
    let honest = Honest::new(Variant::default());
    let other = FheSizes { sender: 1 << 20, receiver: 1024, slack: 0 };
    let parameters = FheParameters::best(other, Variant::default()).expect("there are some");
    let ring = parameters.ring().expect("secure");
    assert_ne!(Seeded::len(&ring), Seeded::len(&honest.ring));
    let (left, right) = memory_pair();
    let mut out = Framed::new(left);
    let rng = &mut ChaCha20Rng::from_seed([5; 32]);
    let (_, foreign) = ask(&parameters, &ring, &[], rng).expect("an empty table");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Ends with the other side.
            let _ = put_query(&mut out, &ring, &foreign);
        });
        let taken = take_query(&mut Framed::new(right), &honest.parameters, &honest.ring);
        assert!(
            matches!(taken, Err(ProtocolError::Channel(ChannelError::Peer(_)))),
            "of another length"
        );
    });
}
