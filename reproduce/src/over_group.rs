//! The intersection on encrypted polynomials over groups that the registry does not offer.

use veilset_bench::{BenchError, Measurement};
use veilset_crypto::PrimeGroup;
use veilset_protocols::ks::{Algorithm, Spread, run_over};
use veilset_protocols::{Conclusion, Cost, Protocol, ProtocolError, Run, Shape, Spec, find};

use crate::Failure;
use crate::paper::in_memory;

/// `ks` or `ks-binned` with another group in the place of its own. Its cost remains that of the registry's.
struct OverGroup<'a, G> {
    entry: &'static dyn Protocol,
    group: &'a G,
    spread: Spread,
    algorithm: Algorithm,
}

impl<G: PrimeGroup> Protocol for OverGroup<'_, G> {
    fn spec(&self) -> &Spec {
        self.entry.spec()
    }

    fn cost(&self, shape: Shape) -> Cost {
        self.entry.cost(shape)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        run_over(self.group, self.spread, self.algorithm, run)
    }
}

/// A run over `group` with `size` elements a side, whose result is checked.
pub(super) fn measure_over<G: PrimeGroup>(
    group: &G,
    spread: Spread,
    algorithm: Algorithm,
    size: usize,
) -> Result<Measurement, Failure> {
    let protocol = match spread {
        Spread::Whole => "ks",
        Spread::Binned => "ks-binned",
    };
    let entry = find(protocol).ok_or(BenchError::Unknown(protocol))?;
    Ok(in_memory(protocol, size).measure_as(&OverGroup { entry, group, spread, algorithm })?)
}
