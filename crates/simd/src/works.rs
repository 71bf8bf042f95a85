//! The way from a kernel's name to code for its instructions, once for all that computes on lanes.

/// Declares `trait Work`, whose `run` is written once for lanes of any kind, and functions that run it with what a kernel has and
/// wipe the stack below: `on_lanes` so many bytes, and `on_lanes_with` any other number. A kernel that does not run here, or is not
/// named, gives way to the plain one. That of WebAssembly is there when the module is compiled with its instructions.
macro_rules! works_on_lanes {
    (
        lanes $lanes:path, plain $plain:expr, $(simd128 $simd128:expr,)? stack $stack:expr;
        $($kernel:ident, $features:literal => $vector:expr;)+
    ) => {
        /// Work that any lanes can do.
        trait Work {
            fn run<L: $lanes>(self, lanes: L);
        }

        fn on_lanes(kernel: $crate::Kernel, work: impl Work) {
            on_lanes_with::<{ $stack }>(kernel, work);
        }

        /// [`on_lanes`] for work that takes another amount of stack.
        fn on_lanes_with<const STACK: usize>(kernel: $crate::Kernel, work: impl Work) {
            dispatch(kernel, work);
            zeroize::zeroize_stack::<STACK>();
        }

        /// Never inlined, so that what is below the caller's frame is what the work used.
        #[inline(never)]
        fn dispatch(kernel: $crate::Kernel, work: impl Work) {
            match kernel {
                $(
                    #[cfg(target_arch = "x86_64")]
                    $crate::Kernel::$kernel if kernel.runs_here() => {
                        /// # Safety
                        /// The processor has the kernel's instructions.
                        #[target_feature(enable = $features)]
                        unsafe fn with(work: impl Work) {
                            // SAFETY: as asked of the caller.
                            work.run(unsafe { $vector });
                        }
                        // SAFETY: the processor has the instructions.
                        unsafe { with(work) }
                    }
                )+
                $(
                    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                    $crate::Kernel::Simd128 => work.run($simd128),
                )?
                _ => work.run($plain),
            }
        }
    };
}

pub(crate) use works_on_lanes;
