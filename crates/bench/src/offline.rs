//! Protocols with work before the query: each part measured for itself.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_protocols::fhe::{Database, FheParameters, FheSizes, Variant, receive};
use veilset_protocols::{Conclusion, Cost, Protocol, ProtocolError, Role, Run, Shape, Spec, find};

use crate::case::{Attachments, SESSION, elements};
use crate::{BenchError, Case, Measurement, process};

/// Processor time of both parties in each part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuSplit {
    /// What the sender does before it hears of the receiver.
    pub offline_cpu_seconds: f64,
    /// All else.
    pub online_cpu_seconds: f64,
}

/// A sender's set made ready for queries, and what that took.
pub struct PreparedSender {
    database: Database,
    parameters: FheParameters,
    /// How long it took, in seconds.
    pub seconds: f64,
    cpu_seconds: f64,
    peak_rss: u64,
}

/// A protocol whose sender has done its work before the query.
struct Served<'a> {
    protocol: &'a dyn Protocol,
    prepared: &'a PreparedSender,
}

impl Protocol for Served<'_> {
    fn spec(&self) -> &Spec {
        self.protocol.spec()
    }

    fn cost(&self, shape: Shape) -> Cost {
        self.protocol.cost(shape)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        let PreparedSender { database, parameters, .. } = self.prepared;
        match run.side.role {
            Role::Sender => {
                let Run { side, input, mut means } = run;
                database.serve(&mut means, side.reveal, input.peer_count)
            }
            Role::Receiver => receive(run, parameters, self.spec().operation),
        }
    }
}

impl Case {
    /// What the sender of `fhe` or `fhe-lookup` does before the query, with these improvements; the sets are not empty.
    ///
    /// # Errors
    /// When no parameters fit the sizes.
    pub fn prepare(&self, variant: Variant) -> Result<PreparedSender, BenchError> {
        let protocol = find(self.protocol).ok_or(BenchError::Unknown(self.protocol))?;
        let sizes = FheSizes { sender: self.sizes.sender, receiver: self.sizes.receiver, slack: 0 };
        let elements = elements(0, self.sizes.sender);
        let attachments = Attachments::of(&elements, None);
        let (width, labels) = attachments.in_run(protocol.spec(), Role::Sender).items();
        let parameters = FheParameters::best_with_labels(sizes, variant, width);
        let parameters = parameters.ok_or(ProtocolError::NoParameters)?;
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|_| BenchError::Threads)?;
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        process::reset_peak();
        let (started, cpu) = (Instant::now(), process::cpu_seconds());
        let database = pool.install(|| {
            Database::labelled(&elements, labels, parameters.clone(), &SESSION, &mut rng)
        })?;
        let (seconds, cpu_seconds) =
            (started.elapsed().as_secs_f64(), process::cpu_seconds() - cpu);
        Ok(PreparedSender {
            database,
            parameters,
            seconds,
            cpu_seconds,
            peak_rss: process::peak_rss(),
        })
    }

    /// A run after that.
    ///
    /// # Errors
    /// When the run fails or its result is wrong.
    pub fn measure_prepared(&self, prepared: &PreparedSender) -> Result<Measurement, BenchError> {
        let protocol = find(self.protocol).ok_or(BenchError::Unknown(self.protocol))?;
        let online = self.measure_as(&Served { protocol, prepared })?;
        Ok(Measurement {
            seconds: prepared.seconds + online.seconds,
            cpu_seconds: prepared.cpu_seconds + online.cpu_seconds,
            peak_rss: prepared.peak_rss.max(online.peak_rss),
            parts: Some(CpuSplit {
                offline_cpu_seconds: prepared.cpu_seconds,
                online_cpu_seconds: online.cpu_seconds,
            }),
            ..online
        })
    }
}
