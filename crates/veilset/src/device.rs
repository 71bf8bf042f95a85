//! What multiplies points beside this processor.

use crate::Error;

veilset_names::names! {
    "devices";
    /// Who multiplies points of Curve25519.
    pub enum DeviceChoice {
        /// A graphics processor, once a run has done enough work to be worth opening one.
        Auto = "auto",
        /// This processor alone.
        Cpu = "cpu",
        /// A graphics processor.
        Gpu = "gpu",
    }
}

/// Has this process compute where `choice` says, from now on; the name of the device that was opened.
///
/// # Errors
/// When a graphics processor is asked for and there is none, or it does not compute as it should.
pub fn compute_on(choice: DeviceChoice) -> Result<Option<String>, Error> {
    match choice {
        DeviceChoice::Cpu => Ok(None),
        DeviceChoice::Gpu => opened().map(Some),
        DeviceChoice::Auto => {
            later();
            Ok(None)
        }
    }
}

#[cfg(feature = "gpu")]
mod with {
    use std::thread;

    use veilset_crypto::{Accelerator, accelerate, accelerate_after};

    use crate::Error;

    /// Points that one core multiplies in about the time in which a device opens.
    const WORTH_IT: u64 = 1 << 20;

    pub(super) fn opened() -> Result<String, Error> {
        let device = veilset_gpu::open().map_err(|fault| Error::Device(fault.to_string()))?;
        let name = device.name().to_owned();
        accelerate(Box::new(device));
        Ok(name)
    }

    /// Whoever has no device goes on without a word.
    pub(super) fn later() {
        accelerate_after(WORTH_IT, || drop(thread::spawn(opened)));
    }
}

#[cfg(not(feature = "gpu"))]
mod with {
    use crate::Error;

    pub(super) fn opened() -> Result<String, Error> {
        let why =
            "this veilset was built without graphics processors; build it with the feature gpu";
        Err(Error::Device(why.to_owned()))
    }

    pub(super) fn later() {}
}

use with::{later, opened};
