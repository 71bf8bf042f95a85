use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Channel, ChannelError, Framed, memory_pair};

use super::*;
use crate::{RunInput, Side, Silent};

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([5; 32])
}

/// What a receiver of two elements ends with against a sender of three entries that does what `cheat` has it do.
fn against(
    cheat: impl FnOnce(&mut dyn Channel, SetTerms) -> Result<(), ProtocolError> + Send,
) -> ProtocolError {
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        scope.spawn(move || {
            // It may find the channel closed, since the receiver stops.
            let _ended = cheat(&mut Framed::new(left), set(3, 2, 0));
        });
        let elements = vec![Element([1; 32]), Element([2; 32])];
        let conclusion = OprfFilter.run(Run {
            side: Side { role: Role::Receiver, reveal: Reveal::Receiver },
            input: RunInput {
                elements: elements.into(),
                peer_count: 3,
                attached: Attached::Nothing,
                peer_attached: AttachedShape::Nothing,
                per_row: 1,
                slack: 0,
                coins: 0,
                least: None,
                choices: SPEC.defaults(),
            },
            means: Means {
                session: &[3; 32],
                channel: &mut Framed::new(right),
                rng: &mut rng(),
                observer: &Silent,
            },
        });
        conclusion.err().expect("it notices")
    })
}

fn fault(error: ProtocolError) -> Option<PeerFault> {
    match error {
        ProtocolError::Channel(ChannelError::Peer(fault)) => Some(fault),
        _ => None,
    }
}

#[test]
fn answers_under_another_key_are_noticed() {
    let error = against(|channel, set| {
        let mut rng = rng();
        let [published, other] = [(); 2].map(|()| SecretKey::generate(&mut rng));
        set.put_ordered(channel, &mut [1, 2, 3])?;
        channel.put(&Key(*published.public()))?;
        let Points(blinded) = channel.take(&2)?;
        let (points, proof) = other.blind_evaluate(&blinded, &mut rng).map_err(not_an_element)?;
        channel.put(&Points(points))?;
        channel.put(&ProofOfKey(proof))?;
        Ok(())
    });
    assert_eq!(fault(error), Some(PeerFault::CheckFailed("proof of the published key")));
}

#[test]
fn one_print_for_many_items_is_noticed() {
    let error = against(|channel, set| {
        set.put_ordered(channel, &mut [7, 7, 7])?;
        channel.put(&Key(*SecretKey::generate(&mut rng()).public()))?;
        Ok(())
    });
    assert_eq!(fault(error), Some(PeerFault::Repeated));
}
