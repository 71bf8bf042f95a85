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
    use std::num::NonZero;
    use std::sync::Arc;
    use std::thread;
    use std::time::Instant;

    use veilset_crypto::kernel::{Kernel, Scalar, multiply_batch};
    use veilset_crypto::{Accelerator, accelerate, accelerate_after};
    use veilset_gpu::Pool;

    use crate::Error;

    /// Points that one core multiplies in about the time in which a device opens.
    const WORTH_IT: u64 = 1 << 20;

    pub(super) fn opened() -> Result<String, Error> {
        let device = veilset_gpu::open().map_err(|fault| Error::Device(fault.to_string()))?;
        let name = device.name().to_owned();
        accelerate(Box::new(device));
        Ok(name)
    }

    /// Whoever has no device, or a slow one, goes on without a word.
    pub(super) fn later() {
        accelerate_after(WORTH_IT, || {
            thread::spawn(|| {
                if let Some(device) = veilset_gpu::open().ok().filter(beats_this_processor) {
                    accelerate(Box::new(device));
                }
            });
        });
    }

    /// Whether a device multiplies more points in a time than all cores do.
    fn beats_this_processor(device: &Pool) -> bool {
        const SAMPLE: usize = 256;
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let (key, mut some) = (Scalar::new(&[9; 32]), vec![[9; 32]; SAMPLE]);
        let started = Instant::now();
        multiply_batch(Kernel::best(), &key, &mut some);
        let here = started.elapsed().as_secs_f64() / (SAMPLE * cores) as f64;

        let points = Arc::new(vec![[9; 32]; device.batch()]);
        let started = Instant::now();
        let multiply = |_| device.multiply(&[9; 32], Arc::clone(&points));
        let batches: Vec<_> = (0..2 * device.batches()).map(multiply).collect();
        let count = (batches.len() * points.len()) as f64;
        let done = batches.into_iter().all(|batch| batch.recv().is_ok());
        done && started.elapsed().as_secs_f64() / count < here
    }

    #[cfg(test)]
    mod tests {
        use veilset_crypto::Point;
        use veilset_gpu::{Batch, Worker};

        use super::*;

        /// Gives these points, whatever it is asked, or fails.
        struct Fixed(Option<Vec<Point>>);

        impl Worker for Fixed {
            fn compute(&mut self, _: &Batch) -> Option<Vec<Point>> {
                self.0.clone()
            }
        }

        #[test]
        fn a_device_is_taken_if_it_answers_and_is_fast() {
            let pool = |answer| Pool::new("none".into(), 1 << 16, vec![Box::new(Fixed(answer))]);
            assert!(beats_this_processor(&pool(Some(Vec::new()))));
            assert!(!beats_this_processor(&pool(None)));
        }
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
