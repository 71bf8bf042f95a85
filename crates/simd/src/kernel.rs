//! Which instructions a kernel may use.

/// A set of instructions that some kernel is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Plain Rust.
    Scalar,
    /// x86-64 with AVX2 for the transpose and PCLMULQDQ for the field.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// Those that this processor can run, the plain one first and the fastest last.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        let all = [
            Self::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2,
        ];
        all.into_iter().filter(|kernel| kernel.runs_here()).collect()
    }

    /// The fastest that this processor can run.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if Self::Avx2.runs_here() {
            return Self::Avx2;
        }
        Self::Scalar
    }

    /// Whether this processor has the instructions; asked once and remembered by the standard library.
    pub(crate) fn runs_here(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("pclmulqdq"),
        }
    }
}
