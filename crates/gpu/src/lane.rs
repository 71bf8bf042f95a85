//! A queue on a device, which computes beside others.

use std::mem::size_of;
use std::slice;
use std::sync::Arc;

use cudarc::driver::sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg,
};
use veilset_crypto::{Element, Point, kernel};
use zeroize::Zeroizing;

use crate::fault::{Asked, Fault};
use crate::pool::{Batch, Values, Worker};

/// Threads of a block; `programs/target.h` has the same number.
const THREADS: u32 = 128;

/// Bytes of a point.
const POINT: usize = size_of::<Point>();

/// A queue of work, and the memory that it works on.
pub(crate) struct Lane {
    programs: Arc<Programs>,
    stream: Arc<CudaStream>,
    scalar: CudaSlice<u8>,
    /// How elements are hashed.
    expansion: CudaSlice<u64>,
    points: CudaSlice<u8>,
}

impl Lane {
    /// With room for so many points.
    pub(crate) fn new(
        context: &Arc<CudaContext>,
        programs: &Arc<Programs>,
        room: usize,
    ) -> Result<Self, Fault> {
        let stream = context.new_stream().to("open a queue")?;
        let zeros = |bytes| stream.alloc_zeros(bytes).to("give memory");
        let (scalar, points) = (zeros(32)?, zeros(room * POINT)?);
        let kernel::Expansion { states, blocks } = kernel::expansion();
        let words = [states.as_flattened(), blocks.as_flattened()].concat();
        let expansion = stream.clone_htod(&words).to("take constants")?;
        Ok(Self { programs: Arc::clone(programs), stream, scalar, expansion, points })
    }

    /// The products of a batch.
    pub(crate) fn run(&mut self, batch: &Batch) -> Result<Vec<Point>, Fault> {
        let bytes = match &batch.values {
            Values::Elements(elements) => bytes(elements),
            Values::Points(points) => points.as_flattened(),
        };
        let count = (bytes.len() / POINT) as u32;
        let mut place = self.points.slice_mut(..bytes.len());
        self.stream.memcpy_htod(bytes, &mut place).to("take values")?;
        if matches!(batch.values, Values::Elements(_)) {
            self.start(Step::Map, count)?;
        }
        let scalar = clamped(&batch.scalar);
        self.stream.memcpy_htod(&scalar[..], &mut self.scalar).to("take a key")?;
        self.start(Step::Multiply, count)?;
        self.stream.memset_zeros(&mut self.scalar).to("wipe a key")?;
        // To wait like this leaves the processor to others.
        let done = self.stream.record_event(Some(CU_EVENT_BLOCKING_SYNC)).to("tell its end")?;
        done.synchronize().to("compute")?;
        let mut products = vec![[0; POINT]; bytes.len() / POINT];
        let place = self.points.slice(..bytes.len());
        self.stream.memcpy_dtoh(&place, products.as_flattened_mut()).to("give points back")?;
        self.stream.synchronize().to("give points back")?;
        Ok(products)
    }

    fn start(&mut self, step: Step, count: u32) -> Result<(), Fault> {
        let config = LaunchConfig {
            grid_dim: (count.div_ceil(THREADS), 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut launch = self.stream.launch_builder(match step {
            Step::Map => &self.programs.map,
            Step::Multiply => &self.programs.multiply,
        });
        match step {
            Step::Map => launch.arg(&self.expansion),
            Step::Multiply => launch.arg(&self.scalar),
        };
        launch.arg(&mut self.points).arg(&count);
        // SAFETY: both programs take two addresses and a number. They read 32 bytes of a scalar, or the 48 words of an expansion, and
        // read and write `count` points: the views of `run` are as long, so the buffer has room for them.
        unsafe { launch.launch(config) }.to("start a program")?;
        Ok(())
    }
}

impl Worker for Lane {
    fn compute(&mut self, batch: &Batch) -> Option<Vec<Point>> {
        self.run(batch).ok()
    }
}

/// What is done with what lies in the place of the points.
#[derive(Clone, Copy)]
enum Step {
    Map,
    Multiply,
}

/// The programs for numbers of one shape.
pub(crate) struct Programs {
    pub(crate) multiply: CudaFunction,
    pub(crate) map: CudaFunction,
}

fn bytes(elements: &[Element]) -> &[u8] {
    // SAFETY: an element is nothing but its bytes, so elements one after the other are theirs.
    unsafe { slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// As RFC 7748, section 5, says.
fn clamped(scalar: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut scalar = Zeroizing::new(*scalar);
    scalar[0] &= 0xf8;
    scalar[31] = scalar[31] & 0x7f | 0x40;
    scalar
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_programs_have_as_many_threads_in_a_block() {
        let target = include_str!("programs/target.h");
        assert!(target.contains(&format!("enum {{ THREADS = {}, ", super::THREADS)));
    }
}
