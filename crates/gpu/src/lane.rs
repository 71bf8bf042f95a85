//! A place on a device where one call computes beside others.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg,
};

use crate::fault::{Asked, Fault};

/// Threads of a block; `programs/target.h` has the same number.
const THREADS: u32 = 128;

/// Bytes of a number from which Elligator 2 makes a point.
pub(crate) const UNIFORM: usize = 48;

/// Bytes of a point.
pub(crate) const POINT: usize = 32;

/// A queue of work, and the memory that it works on.
pub(crate) struct Lane {
    stream: Arc<CudaStream>,
    scalar: CudaSlice<u8>,
    uniform: CudaSlice<u8>,
    points: CudaSlice<u8>,
}

impl Lane {
    /// With room for so many points.
    pub(crate) fn new(context: &Arc<CudaContext>, room: usize) -> Result<Self, Fault> {
        let stream = context.new_stream().to("open a queue")?;
        let zeros = |bytes| stream.alloc_zeros(bytes).to("give memory");
        let (scalar, uniform, points) = (zeros(32)?, zeros(room * UNIFORM)?, zeros(room * POINT)?);
        Ok(Self { stream, scalar, uniform, points })
    }

    /// Points that it has room for.
    pub(crate) fn room(&self) -> usize {
        self.points.len() / POINT
    }

    /// Maps `uniform` to `points` if there is any, and multiplies these by the scalar.
    pub(crate) fn run(
        &mut self,
        programs: &Programs,
        scalar: &[u8; 32],
        uniform: Option<&[[u8; UNIFORM]]>,
        points: &mut [[u8; POINT]],
    ) -> Result<(), Fault> {
        let bytes = points.as_flattened_mut();
        let (count, length) = ((bytes.len() / POINT) as u32, bytes.len());
        if let Some(uniform) = uniform {
            let uniform = uniform.as_flattened();
            let mut place = self.uniform.slice_mut(..uniform.len());
            self.stream.memcpy_htod(uniform, &mut place).to("take numbers")?;
            self.start(&programs.map, Input::Uniform, count)?;
        } else {
            let mut place = self.points.slice_mut(..length);
            self.stream.memcpy_htod(bytes, &mut place).to("take points")?;
        }
        self.stream.memcpy_htod(scalar, &mut self.scalar).to("take a key")?;
        self.start(&programs.multiply, Input::Scalar, count)?;
        let points = self.points.slice(..length);
        self.stream.memcpy_dtoh(&points, bytes).to("give points back")?;
        self.stream.memset_zeros(&mut self.scalar).to("wipe a key")?;
        if let Some(uniform) = uniform {
            let mut place = self.uniform.slice_mut(..uniform.len() * UNIFORM);
            self.stream.memset_zeros(&mut place).to("wipe numbers")?;
        }
        self.stream.synchronize().to("compute")
    }

    fn start(&mut self, program: &CudaFunction, input: Input, count: u32) -> Result<(), Fault> {
        let config = LaunchConfig {
            grid_dim: (count.div_ceil(THREADS), 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let input = match input {
            Input::Uniform => &self.uniform,
            Input::Scalar => &self.scalar,
        };
        let mut launch = self.stream.launch_builder(program);
        launch.arg(input).arg(&mut self.points).arg(&count);
        // SAFETY: both programs take two addresses and a number. They read 32 bytes of a scalar, or `UNIFORM` bytes for each of
        // `count` points, and read and write as many points: `run` was given no more than the buffers have room for.
        unsafe { launch.launch(config) }.to("start a program")?;
        Ok(())
    }
}

/// What a program reads beside the points.
#[derive(Clone, Copy)]
enum Input {
    Uniform,
    Scalar,
}

/// The programs for numbers of one shape.
pub(crate) struct Programs {
    pub(crate) multiply: CudaFunction,
    pub(crate) map: CudaFunction,
}
