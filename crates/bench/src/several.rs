//! Whole protocols of several parties, all on this machine.

use std::thread;
use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_channel::{Channel, Framed, Metered, Transport};
use veilset_crypto::Element;
use veilset_protocols::{
    MultipartyProtocol, MultipartyRun, Outcome, Parties, Silent, find_multiparty,
};

use crate::case::{SESSION, elements};
use crate::{BenchError, Net, process};

/// One thing to measure: half of the elements are common to all parties, and all learn. The first party leads and the second is the
/// pivot.
#[derive(Debug, Clone, Copy)]
pub struct SeveralCase {
    /// The protocol's id.
    pub protocol: &'static str,
    /// How many parties.
    pub parties: usize,
    /// Elements of each.
    pub size: usize,
    /// Threads of each.
    pub threads: usize,
    /// The way between any two.
    pub net: Net,
}

/// What a case took.
#[derive(Debug, Clone)]
pub struct SeveralMeasurement {
    /// The case.
    pub case: SeveralCase,
    /// What was computed.
    pub operation: &'static str,
    /// From the first message to the last.
    pub seconds: f64,
    /// Processor time of all parties.
    pub cpu_seconds: f64,
    /// Bytes that each party sent, with what the transport adds.
    pub sent: Vec<u64>,
    /// Bytes that each party received.
    pub received: Vec<u64>,
    /// Bytes that each party sends as the model of the costs has it.
    pub modelled: Vec<u64>,
    /// Rounds between the two that have most of them.
    pub rounds: u64,
    /// Peak memory of this process, which holds all parties, in bytes.
    pub peak_rss: u64,
}

type End = Metered<Framed<Box<dyn Transport>>>;

/// What a party ends with.
struct Played {
    outcome: Outcome,
    sent: u64,
    received: u64,
    rounds: u64,
}

impl SeveralCase {
    /// Runs the case once and checks its result.
    ///
    /// # Errors
    /// When the run fails or its result is wrong.
    pub fn measure(&self) -> Result<SeveralMeasurement, BenchError> {
        let protocol = find_multiparty(self.protocol).ok_or(BenchError::Unknown(self.protocol))?;
        let (sizes, learners) = (vec![self.size; self.parties], vec![true; self.parties]);
        let parties = Parties { sizes: &sizes, leader: 0, pivot: 1, learners: &learners, slack: 0 };
        let sets: Vec<_> = (0..self.parties).map(|place| self.set(place)).collect();
        let mesh = self.mesh()?;
        process::reset_peak();
        let (started, cpu) = (Instant::now(), process::cpu_seconds());
        let played = thread::scope(|scope| {
            let parties = mesh.into_iter().zip(&sets).enumerate().map(|(place, (ends, set))| {
                scope.spawn(move || self.party(protocol, parties, place, set, ends))
            });
            let parties: Vec<_> = parties.collect();
            let joined =
                parties.into_iter().map(|party| party.join().map_err(|_| BenchError::Threads));
            joined.map(|party| party?).collect::<Result<Vec<_>, BenchError>>()
        })?;
        let (seconds, cpu_seconds) =
            (started.elapsed().as_secs_f64(), process::cpu_seconds() - cpu);
        played.iter().try_for_each(|party| self.check(&party.outcome))?;
        let model = protocol.cost(&parties);
        Ok(SeveralMeasurement {
            case: *self,
            operation: protocol.spec().operation.name(),
            seconds,
            cpu_seconds,
            sent: played.iter().map(|party| party.sent).collect(),
            received: played.iter().map(|party| party.received).collect(),
            modelled: model.parties.iter().map(|party| party.bytes_sent as u64).collect(),
            rounds: played.iter().map(|party| party.rounds).max().unwrap_or(0),
            peak_rss: process::peak_rss(),
        })
    }

    fn common(&self) -> usize {
        self.size / 2
    }

    /// What all have, and what nobody else has.
    fn set(&self, place: usize) -> Vec<Element> {
        let own = elements((place + 1) * self.size, self.size - self.common());
        [elements(0, self.common()), own].concat()
    }

    /// For each party its end of a way to each other.
    fn mesh(&self) -> Result<Vec<Vec<Option<End>>>, BenchError> {
        let end = |transport| Some(Metered::new(Framed::new(transport), "start"));
        let mut mesh: Vec<Vec<Option<End>>> = Vec::new();
        for _ in 0..self.parties {
            let mut ends = Vec::new();
            for other in &mut mesh {
                let (left, right) = self.net.pair()?;
                other.push(end(left));
                ends.push(end(right));
            }
            ends.push(None);
            mesh.push(ends);
        }
        Ok(mesh)
    }

    fn party(
        &self,
        protocol: &dyn MultipartyProtocol,
        parties: Parties<'_>,
        place: usize,
        set: &[Element],
        mut ends: Vec<Option<End>>,
    ) -> Result<Played, BenchError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|_| BenchError::Threads)?;
        let mut rng = ChaCha20Rng::from_seed([place as u8; 32]);
        let channels = ends.iter_mut().map(|end| end.as_mut().map(|end| end as &mut dyn Channel));
        let channels = channels.collect();
        let conclusion = pool.install(|| {
            protocol.run(MultipartyRun {
                place,
                parties,
                elements: set.to_vec().into(),
                session: &SESSION,
                channels,
                rng: &mut rng,
                observer: &Silent,
            })
        })?;
        let mut played = Played { outcome: Outcome::Nothing, sent: 0, received: 0, rounds: 0 };
        for end in ends.iter_mut().flatten() {
            let costs = end.costs().clone();
            end.inner().close();
            let wire = end.wire_bytes();
            played.sent += wire.map_or(costs.bytes_sent(), |wire| wire.sent);
            played.received += wire.map_or(costs.bytes_received(), |wire| wire.received);
            played.rounds = played.rounds.max(costs.rounds());
        }
        Ok(Played { outcome: pool.install(conclusion)?, ..played })
    }

    fn check(&self, outcome: &Outcome) -> Result<(), BenchError> {
        let (protocol, expected) = (self.protocol, self.common() as u64);
        let found = match outcome {
            Outcome::Matched(places) => places.len() as u64,
            Outcome::Count(count) => *count,
            Outcome::Overlaps(overlaps) => overlaps.common,
            _ => 0,
        };
        if found == expected {
            Ok(())
        } else {
            Err(BenchError::WrongResult { protocol, found, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use veilset_protocols::MULTIPARTY;

    use super::*;

    #[test]
    fn every_protocol_of_several_parties_is_measured_over_every_way() {
        for protocol in MULTIPARTY {
            let nets = [Net::Memory, Net::Lan, Net::Tls];
            for (net, parties) in nets.into_iter().zip([4, 3, 3]) {
                let case = SeveralCase {
                    protocol: protocol.spec().id,
                    parties,
                    size: 20,
                    threads: 1,
                    net,
                };
                let measured = case.measure().expect("it runs");
                assert_eq!(measured.sent.len(), parties);
                let [sent, received] =
                    [&measured.sent, &measured.received].map(|all| all.iter().sum::<u64>());
                assert!(sent > 0 && received > 0);
                if net == Net::Memory {
                    assert_eq!(sent, received);
                }
            }
        }
    }
}
