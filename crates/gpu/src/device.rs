//! The graphics processors of this machine.

use std::sync::Arc;
use std::thread;

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};
use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;
use zeroize::Zeroizing;

use crate::fault::{Asked, Fault};
use crate::lane::{Lane, Programs};
use crate::pool::{Batch, Pool, Values, Worker};

const PTX: &str = include_str!("programs.ptx");

/// The oldest version of CUDA whose drivers have all that is asked of them: 11.2, of 2020.
const OLDEST: i32 = 11_020;

/// Points of a batch: more than one wave of threads on the largest devices, and few enough that copies of one batch overlap with
/// the work on another.
const BATCH: usize = 1 << 17;

/// Queues of a device: two of them compute, so that one fills what the other's last threads leave idle, while two copy.
const LANES: usize = 4;

/// All devices that CUDA's driver has and that multiply rightly. The driver compiles the programs the first time, which takes
/// seconds, and keeps them.
///
/// # Errors
/// When there is none, or none does what it is asked: what the first of them does wrong.
pub fn open() -> Result<Pool, Fault> {
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
    let count = CudaContext::device_count().ok().and_then(|count| usize::try_from(count).ok());
    let devices = opened(count.unwrap_or(0));
    let (mut name, mut workers, mut fault) = (String::new(), Vec::new(), Fault::NoDevice);
    for device in devices.into_iter().rev() {
        match device {
            Ok(device) => {
                name = device.name;
                workers.extend(device.lanes.into_iter().map(boxed));
            }
            Err(why) => fault = why,
        }
    }
    match workers.len() / LANES {
        0 => return Err(fault),
        1 => {}
        several => name = format!("{several} devices such as {name}"),
    }
    Ok(Pool::new(name, BATCH, workers))
}

fn boxed(lane: Lane) -> Box<dyn Worker> {
    Box::new(lane)
}

/// So many devices, all at once.
fn opened(count: usize) -> Vec<Result<Device, Fault>> {
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..count).map(|ordinal| scope.spawn(move || Device::open(ordinal))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Fault::Wrong))).collect()
    })
}

/// A device of CUDA's, with its queues.
struct Device {
    name: String,
    lanes: Vec<Lane>,
}

impl Device {
    fn open(ordinal: usize) -> Result<Self, Fault> {
        let context = CudaContext::new(ordinal).to("open the device")?;
        let name = context.name().to("name the device")?;
        let ratio = Attribute::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO;
        let ratio = context.attribute(ratio).to("describe the device")?;
        let module = context.load_module(Ptx::from_src(PTX)).to("compile its programs")?;
        let shape = if ratio <= 2 { "doubles" } else { "words" };
        let programs = Arc::new(programs(&module, shape)?);
        let lanes = (0..LANES).map(|_| Lane::new(&context, &programs, BATCH));
        let mut lanes = lanes.collect::<Result<Vec<_>, _>>()?;
        lanes.iter_mut().try_for_each(check)?;
        Ok(Self { name, lanes })
    }
}

/// The second vector of RFC 7748, section 5.2, in every place of some blocks.
fn check(lane: &mut Lane) -> Result<(), Fault> {
    let scalar = *b"\x4b\x66\xe9\xd4\xd1\xb4\x67\x3c\x5a\xd2\x26\x91\x95\x7d\x6a\xf5\xc1\x1b\x64\x21\xe0\xea\x01\xd4\x2c\xa4\x16\x9e\x79\x18\xba\x0d";
    let point = *b"\xe5\x21\x0f\x12\x78\x68\x11\xd3\xf4\xb7\x95\x9d\x05\x38\xae\x2c\x31\xdb\xe7\x10\x6f\xc0\x3c\x3e\xfc\x4c\xd5\x49\xc7\x15\xa4\x93";
    let product = *b"\x95\xcb\xde\x94\x76\xe8\x90\x7d\x7a\xad\xe4\x5c\xb4\xb8\x73\xf8\x8b\x59\x5a\x68\x79\x9f\xa1\x52\xe6\xf8\xf7\x64\x7a\xac\x79\x57";
    let values = Values::Points(Arc::new(vec![point; 1000]));
    let products = lane.run(&Batch { scalar: Zeroizing::new(scalar), values })?;
    if products.iter().all(|found| *found == product) { Ok(()) } else { Err(Fault::Wrong) }
}

fn programs(module: &Arc<CudaModule>, shape: &str) -> Result<Programs, Fault> {
    let program = |name| module.load_function(&format!("{name}_{shape}")).to("find a program");
    Ok(Programs { multiply: program("multiply")?, map: program("map")? })
}
