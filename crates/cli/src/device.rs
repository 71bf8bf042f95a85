//! `--device`: who multiplies points of the curve.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use veilset::{DeviceChoice, compute_on};

use crate::args::Talk;
use crate::error::Failure;
use crate::progress::detail;

/// Any choice.
pub(crate) fn any() -> impl TypedValueParser<Value = DeviceChoice> {
    one_of(&DeviceChoice::ALL)
}

/// A device by its name, for what measures it before any run.
pub(crate) fn named() -> impl TypedValueParser<Value = DeviceChoice> {
    one_of(&[DeviceChoice::Cpu, DeviceChoice::Gpu])
}

fn one_of(choices: &[DeviceChoice]) -> impl TypedValueParser<Value = DeviceChoice> + use<> {
    let names = choices.iter().map(|choice| choice.name());
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|name| name.parse())
}

/// Has this process compute there.
pub(crate) fn choose(device: DeviceChoice, talk: &Talk) -> Result<(), Failure> {
    if let Some(name) = compute_on(device)? {
        detail(talk, &format!("{name} multiplies points of Curve25519"));
    }
    Ok(())
}
