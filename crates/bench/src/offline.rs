//! Protocols with work before the query: each part measured for itself.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_protocols::fhe::{Database, Parameters, Sizes, Variant};
use veilset_protocols::{Conclusion, Cost, Protocol, ProtocolError, Role, Run, Shape, Spec};

use crate::case::{SESSION, elements};
use crate::{BenchError, Case, Measurement, process};

/// Processor time of both parties in each part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// What the sender does before it hears of the receiver.
    pub offline_cpu_seconds: f64,
    /// All else.
    pub online_cpu_seconds: f64,
}

/// A protocol whose sender has done its work before the query.
struct Served<'a> {
    protocol: &'a dyn Protocol,
    database: Database,
}

impl Protocol for Served<'_> {
    fn spec(&self) -> &Spec {
        self.protocol.spec()
    }

    fn cost(&self, shape: Shape) -> Cost {
        self.protocol.cost(shape)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        match run.role {
            Role::Sender => {
                self.database.serve(run.channel, run.reveal, run.peer_count, run.rng, run.observer)
            }
            Role::Receiver => self.protocol.run(run),
        }
    }
}

impl Case {
    /// As [`measure`](Self::measure), of `fhe` with sets that are not empty.
    pub(crate) fn measure_fhe(&self, protocol: &dyn Protocol) -> Result<Measurement, BenchError> {
        let sizes = Sizes { sender: self.sizes.sender, receiver: self.sizes.receiver, slack: 0 };
        let parameters = Parameters::best(sizes, Variant::default());
        let parameters = parameters.ok_or(ProtocolError::NoParameters)?;
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|_| BenchError::Threads)?;
        let elements = elements(0, self.sizes.sender);
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        process::reset_peak();
        let (started, cpu) = (Instant::now(), process::cpu_seconds());
        let database = pool.install(|| Database::new(&elements, parameters, &SESSION, &mut rng))?;
        let (seconds, offline) = (started.elapsed().as_secs_f64(), process::cpu_seconds() - cpu);
        let peak = process::peak_rss();
        let online = self.measure_as(&Served { protocol, database })?;
        Ok(Measurement {
            seconds: seconds + online.seconds,
            cpu_seconds: offline + online.cpu_seconds,
            peak_rss: peak.max(online.peak_rss),
            parts: Some(Parts {
                offline_cpu_seconds: offline,
                online_cpu_seconds: online.cpu_seconds,
            }),
            ..online
        })
    }
}
