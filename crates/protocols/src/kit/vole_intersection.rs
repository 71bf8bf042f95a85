//! An intersection of two sets by the outputs of the oblivious function from vector OLE: eprint 2022/320, figure 5.

use veilset_ot::base::Base;

use crate::kit::comparison::{self, Outputs, and_comparison};
use crate::kit::membership::Hits;
use crate::kit::set_encoding::SetTerms;
use crate::kit::vole_oprf::{self, OprfTerms};
use crate::{Conclusion, Cost, ProtocolError, Role, Run, RunInput, Security, SetEncoding, Shape};

/// Against whom it holds, and the base transfers under it.
#[derive(Clone, Copy)]
pub(crate) struct VoleKind {
    pub(crate) security: Security,
    pub(crate) base: Base,
}

/// One side of a run.
pub(crate) fn run(kind: VoleKind, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    if let Some(nothing) = run.without_matches() {
        return Ok(nothing);
    }
    match run.side.role {
        Role::Sender => sender(kind, run),
        Role::Receiver => receiver(kind, run),
    }
}

fn sender(kind: VoleKind, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let set = set(kind, &run.input, run.input.elements.len(), run.input.peer_count);
    // Step 1.
    let terms = OprfTerms::new(run, Role::Sender, kind.security, kind.base);
    let elements = std::mem::take(&mut run.input.elements);
    let outputs = vole_oprf::send(&mut run.means, &terms, elements)?;
    // Steps 2 and 3.
    comparison::send(run, set, outputs)
}

fn receiver(kind: VoleKind, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let (set, outputs) = evaluated(kind, run)?;
    // Steps 2 and 3.
    comparison::receive(run, set, outputs)
}

/// The receiver's part of a run of sets that are not empty, where nothing goes with the matches and the receiver alone learns: whether
/// the sender has each element, found in steps that are the same whatever it has.
pub(crate) fn hits(kind: VoleKind, run: &mut Run<'_>) -> Result<Hits, ProtocolError> {
    let (set, outputs) = evaluated(kind, run)?;
    comparison::compared(run.means.channel, set, outputs)
}

/// Step 1 of the receiver.
fn evaluated(kind: VoleKind, run: &mut Run<'_>) -> Result<(SetTerms, Outputs), ProtocolError> {
    let set = set(kind, &run.input, run.input.peer_count, run.input.elements.len());
    let terms = OprfTerms::new(run, Role::Sender, kind.security, kind.base);
    let elements = std::mem::take(&mut run.input.elements);
    Ok((set, vole_oprf::receive(&mut run.means, &terms, elements)?))
}

/// How the sender's values travel.
fn set(kind: VoleKind, input: &RunInput<'_>, sender: usize, receiver: usize) -> SetTerms {
    let set = SetTerms::new(SetEncoding::Sorted, sender, receiver);
    set.longer(longer(input.slack, kind.security))
}

/// By how many bits values are longer than what a match asks for. A cheating sender could look for elements whose values
/// agree, so that one value stands for several: against that they are whole.
fn longer(slack: u32, security: Security) -> u32 {
    match security {
        Security::SemiHonest => slack,
        Security::Malicious => u128::BITS,
    }
}

/// What a run costs.
pub(crate) fn cost(kind: VoleKind, shape: &Shape) -> Cost {
    let VoleKind { security, base } = kind;
    if shape.sender == 0 || shape.receiver == 0 {
        return Cost::default();
    }
    let (sender, receiver) = vole_oprf::cost(shape.receiver, shape.sender, security, base);
    let (rounds, waits) = (vole_oprf::ROUNDS, vole_oprf::waits(security));
    let function = Cost { sender, receiver, rounds, waits };
    let set = SetTerms::of(SetEncoding::Sorted, shape.sender, shape.receiver);
    and_comparison(function, shape, set.longer(longer(0, security)))
}
