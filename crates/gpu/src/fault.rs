//! What goes wrong with a device.

use cudarc::driver::DriverError;

/// Why a device does not compute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no driver.
    #[error(
        "there is no driver of a graphics processor here (libcuda); install one, or compute with --device cpu"
    )]
    NoDriver,
    /// The driver is older than the functions that are called.
    #[error(
        "the graphics processor's driver is older than CUDA 11.2; install a newer one, or compute with --device cpu"
    )]
    OldDriver,
    /// The driver has no device.
    #[error(
        "the driver finds no graphics processor; see whether nvidia-smi lists one, or compute with --device cpu"
    )]
    NoDevice,
    /// The driver refused something.
    #[error("the graphics processor's driver cannot {what}: {why}; compute with --device cpu")]
    Driver {
        /// What was asked of it.
        what: &'static str,
        /// What it says.
        why: String,
    },
    /// The device multiplies wrongly.
    #[error("the graphics processor does not multiply as RFC 7748 says; compute with --device cpu")]
    Wrong,
}

/// Names what was asked of the driver.
pub(crate) trait Asked<T> {
    fn to(self, what: &'static str) -> Result<T, Fault>;
}

impl<T> Asked<T> for Result<T, DriverError> {
    fn to(self, what: &'static str) -> Result<T, Fault> {
        self.map_err(|error| Fault::Driver { what, why: error.to_string() })
    }
}
