//! A graphics processor and its queues.

use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};
use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;
use veilset_crypto::Accelerator;
use zeroize::Zeroizing;

use crate::fault::{Asked, Fault};
use crate::lane::{Lane, POINT, Programs, UNIFORM};

const PTX: &str = include_str!("programs.ptx");

/// The oldest version of CUDA whose drivers have all that is asked of them: 11.2, of 2020.
const OLDEST: i32 = 11_020;

/// Points of a piece: some waves of threads on the largest devices, and few enough that copies of one piece overlap with
/// the work on another.
const PIECE: usize = 1 << 18;

/// Points of a call at least: more than one wave of threads.
const BATCH: usize = 1 << 17;

/// Points of a queue at least, so that ever larger chunks do not ask for memory each time.
const LEAST_ROOM: usize = 1 << 15;

/// The first device of CUDA's, with what it runs.
pub struct Device {
    name: String,
    context: Arc<CudaContext>,
    programs: Programs,
    /// Queues that nobody uses now.
    idle: Mutex<Vec<Lane>>,
}

impl Device {
    /// Opens it and sees that it multiplies rightly. The driver compiles the programs the first time, which takes seconds, and
    /// keeps them.
    ///
    /// # Errors
    /// When there is none, or it does not do what it is asked.
    pub fn open() -> Result<Self, Fault> {
        // SAFETY: this loads the driver's library, whose initialisers are as safe as any library's of this system.
        if !unsafe { sys::is_culib_present() } {
            return Err(Fault::NoDriver);
        }
        let mut version = 0;
        // SAFETY: the function writes a number to where it is told.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().to("say its version")?;
        if version < OLDEST {
            return Err(Fault::OldDriver);
        }
        let device = Self::found()?;
        device.check()?;
        Ok(device)
    }

    fn found() -> Result<Self, Fault> {
        if CudaContext::device_count().map_or(true, |count| count < 1) {
            return Err(Fault::NoDevice);
        }
        let context = CudaContext::new(0).to("open the device")?;
        let name = context.name().to("name the device")?;
        let ratio = Attribute::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO;
        let ratio = context.attribute(ratio).to("describe the device")?;
        let module = context.load_module(Ptx::from_src(PTX)).to("compile its programs")?;
        let programs = programs(&module, if ratio <= 2 { "doubles" } else { "words" })?;
        Ok(Self { name, context, programs, idle: Mutex::default() })
    }

    /// The second vector of RFC 7748, section 5.2, in every place of some blocks.
    fn check(&self) -> Result<(), Fault> {
        let scalar = *b"\x4b\x66\xe9\xd4\xd1\xb4\x67\x3c\x5a\xd2\x26\x91\x95\x7d\x6a\xf5\xc1\x1b\x64\x21\xe0\xea\x01\xd4\x2c\xa4\x16\x9e\x79\x18\xba\x0d";
        let point = *b"\xe5\x21\x0f\x12\x78\x68\x11\xd3\xf4\xb7\x95\x9d\x05\x38\xae\x2c\x31\xdb\xe7\x10\x6f\xc0\x3c\x3e\xfc\x4c\xd5\x49\xc7\x15\xa4\x93";
        let product = *b"\x95\xcb\xde\x94\x76\xe8\x90\x7d\x7a\xad\xe4\x5c\xb4\xb8\x73\xf8\x8b\x59\x5a\x68\x79\x9f\xa1\x52\xe6\xf8\xf7\x64\x7a\xac\x79\x57";
        let mut points = vec![point; 1000];
        self.multiply(&scalar, &mut points)?;
        if points.iter().all(|found| *found == product) { Ok(()) } else { Err(Fault::Wrong) }
    }

    /// Replaces each point by its product with a scalar, clamped as RFC 7748 says; the neutral element becomes 0.
    ///
    /// # Errors
    /// When the driver refuses; points may have changed then.
    pub fn multiply(&self, scalar: &[u8; 32], points: &mut [[u8; 32]]) -> Result<(), Fault> {
        self.in_pieces(&clamped(scalar), None, points)
    }

    /// Puts the products of where Elligator 2 takes numbers, big-endian, with such a scalar.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    ///
    /// # Panics
    /// When there are not as many points as numbers.
    pub fn map_and_multiply(
        &self,
        scalar: &[u8; 32],
        uniform: &[[u8; 48]],
        points: &mut [[u8; 32]],
    ) -> Result<(), Fault> {
        assert_eq!(uniform.len(), points.len(), "each number has its point");
        self.in_pieces(&clamped(scalar), Some(uniform), points)
    }

    /// Two threads take pieces in turn, so that one copies while the other's are computed.
    fn in_pieces(
        &self,
        scalar: &[u8; 32],
        uniform: Option<&[[u8; UNIFORM]]>,
        points: &mut [[u8; POINT]],
    ) -> Result<(), Fault> {
        if points.len() <= PIECE {
            return self.on_a_lane(scalar, uniform, points);
        }
        let pieces = Mutex::new(points.chunks_mut(PIECE).enumerate());
        let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((index, points)) = next() {
                let range = index * PIECE..index * PIECE + points.len();
                self.on_a_lane(scalar, uniform.map(|uniform| &uniform[range]), points)?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let other = scope.spawn(work);
            let here = work();
            other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)).and(here)
        })
    }

    fn on_a_lane(
        &self,
        scalar: &[u8; 32],
        uniform: Option<&[[u8; UNIFORM]]>,
        points: &mut [[u8; POINT]],
    ) -> Result<(), Fault> {
        if points.is_empty() {
            return Ok(());
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop().filter(|lane| lane.room() >= points.len());
        let room = points.len().next_power_of_two().max(LEAST_ROOM);
        let mut lane = taken.map_or_else(|| Lane::new(&self.context, room), Ok)?;
        lane.run(&self.programs, scalar, uniform, points)?;
        idle().push(lane);
        Ok(())
    }
}

impl Accelerator for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn multiply(&self, scalar: &[u8; 32], points: &mut [[u8; 32]]) -> bool {
        Self::multiply(self, scalar, points).is_ok()
    }

    fn map_and_multiply(
        &self,
        scalar: &[u8; 32],
        uniform: &[[u8; 48]],
        points: &mut [[u8; 32]],
    ) -> bool {
        Self::map_and_multiply(self, scalar, uniform, points).is_ok()
    }
}

fn programs(module: &Arc<CudaModule>, shape: &str) -> Result<Programs, Fault> {
    let program = |name| module.load_function(&format!("{name}_{shape}")).to("find a program");
    Ok(Programs { multiply: program("multiply")?, map: program("map")? })
}

/// As RFC 7748, section 5, says.
fn clamped(scalar: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut scalar = Zeroizing::new(*scalar);
    scalar[0] &= 0xf8;
    scalar[31] = scalar[31] & 0x7f | 0x40;
    scalar
}
