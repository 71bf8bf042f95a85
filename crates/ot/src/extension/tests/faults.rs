//! What is cut, longer or repeated on the way ends in an error on both sides, and nobody waits for ever.

use veilset_channel::{Blob, Channel, ChannelError, ChannelExt, Fault, Faulty, PeerFault};

use super::*;

/// Setup and one transfer of each form, with a fault in one of this party's frames.
fn struck(security: Security, at_sender: bool, fault: Fault, at: u64) -> [Result<(), OtError>; 2] {
    let dealer = &Dealer::new([9; 32]);
    let (left, right) = memory_pair();
    let parameters = &parameters(security, DEFAULT_DEPTH);
    let never = u64::MAX;
    let (sender_at, receiver_at) = if at_sender { (at, never) } else { (never, at) };
    let mut left = Framed::new(Faulty::new(left, fault, sender_at));
    let mut right = Framed::new(Faulty::new(right, fault, receiver_at));
    let send = move |channel: &mut dyn Channel| {
        let mut sender = ExtensionSender::setup(channel, dealer, parameters, &mut rng(1))?;
        sender.send_random(channel, 300)?;
        sender.send_chosen(channel, &[1; 600], &[2; 600], 2)?;
        sender.send_one_sided(channel, &[1; 600], 2)?;
        sender.send_correlated::<u64>(channel, &[1; 300], 1).map(drop)
    };
    let receive = move |channel: &mut dyn Channel| {
        let mut receiver = ExtensionReceiver::setup(channel, dealer, parameters, &mut rng(2))?;
        let choices = bits(300, 1);
        receiver.receive_random(channel, &choices)?;
        receiver.receive_chosen(channel, &choices, 2)?;
        receiver.receive_one_sided(channel, &choices, 2)?;
        receiver.receive_correlated::<u64>(channel, &choices, 1).map(drop)
    };
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || send(&mut left));
        let received = receive(&mut right);
        drop(right);
        [sender.join().expect("no panic"), received]
    })
}

/// The frames that each party sends in [`struck`].
fn frames(security: Security, at_sender: bool) -> u64 {
    match (security, at_sender) {
        (Security::SemiHonest, true) => 3,
        (Security::SemiHonest, false) => 1 + 4,
        (Security::Malicious, true) => 4 + 3,
        (Security::Malicious, false) => 1 + 4 + 4,
    }
}

#[test]
fn every_fault_is_found_by_whom_it_reaches() {
    for security in BOTH {
        for at_sender in [true, false] {
            let count = frames(security, at_sender);
            let cases = Fault::ALL.iter().flat_map(|fault| (0..count).map(move |at| (*fault, at)));
            for (fault, at) in cases {
                let results = struck(security, at_sender, fault, at);
                let reached = &results[usize::from(at_sender)];
                let survives = match fault {
                    Fault::Delay(_) => true,
                    // The repetition of the last frame is never read.
                    Fault::Duplicate => at + 1 == count,
                    // Where the party listens next, there is nothing to swap with.
                    Fault::Reorder => reached.is_ok(),
                    _ => false,
                };
                assert_eq!(reached.is_ok(), survives, "{fault:?} in frame {at}: {results:?}");
                let closes = matches!(fault, Fault::Close | Fault::Reorder);
                let blames = reached.as_ref().is_err_and(OtError::is_peer_fault);
                assert!(survives || closes || blames, "{fault:?} in frame {at}: {reached:?}");
            }
        }
    }
}

#[test]
fn a_setup_that_failed_is_spent() {
    let (result, ()) = run(
        parameters(Security::SemiHonest, DEFAULT_DEPTH),
        |sender, channel| [1, 2].map(|_| sender.send_random(channel, 3).expect_err("one sends")),
        |_, channel| {
            let wrong: messages::Padded = Blob(vec![0; 5]);
            channel.put(&wrong).expect("open");
        },
    );
    assert!(matches!(
        result[0],
        OtError::Channel(ChannelError::Peer(PeerFault::UnexpectedTag { .. }))
    ));
    assert_eq!(result[1], OtError::Spent);
}
