//! Which instructions a kernel may use.

use std::sync::LazyLock;

/// A set of instructions that kernels are written for; each of x86-64 has those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// Plain Rust, on any processor.
    Scalar,
    /// WebAssembly with 128-bit vectors, known when the module is compiled.
    Simd128,
    /// x86-64 with AVX2, FMA and PCLMULQDQ.
    Avx2,
    /// Those of AVX-512F, BW, DQ and VL too.
    Avx512f,
    /// Those of AVX-512 IFMA too.
    Avx512Ifma,
}

impl Kernel {
    /// All, the plain one first.
    pub const ALL: [Self; 5] =
        [Self::Scalar, Self::Simd128, Self::Avx2, Self::Avx512f, Self::Avx512Ifma];

    /// Those that this processor can run, the plain one first and the fastest last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.runs_here())
    }

    /// The fastest that this processor can run; asked once.
    #[must_use]
    pub fn best() -> Self {
        static BEST: LazyLock<Kernel> =
            LazyLock::new(|| Kernel::available().next_back().unwrap_or(Kernel::Scalar));
        *BEST
    }

    /// As programs print it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Simd128 => "simd128",
            Self::Avx2 => "avx2",
            Self::Avx512f => "avx512f",
            Self::Avx512Ifma => "avx512ifma",
        }
    }

    /// Whether this processor has the instructions; asked once and remembered by the standard library.
    #[must_use]
    pub fn runs_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Scalar => true,
            Self::Simd128 => false,
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("pclmulqdq")
            }
            Self::Avx512f => {
                Self::Avx2.runs_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            Self::Avx512Ifma => Self::Avx512f.runs_here() && is_x86_feature_detected!("avx512ifma"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        return match self {
            Self::Scalar => true,
            Self::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
            Self::Avx2 | Self::Avx512f | Self::Avx512Ifma => false,
        };
    }
}
