//! The programs compiled for this machine.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use libloading::{Library, Symbol};
use veilset_crypto::{Element, kernel};
use veilset_gpu::{Batch, Values, Worker};

use crate::inputs::{elements, expanded, mapped, numbers, points, products};

/// The programs, unless there is no compiler of C++ here.
static TWIN: LazyLock<Option<Library>> = LazyLock::new(|| {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/programs/twin.cpp");
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libtwin.so");
    // Doubles are rounded as the program says, and sums and products stay apart.
    let flags = ["-std=c++17", "-O2", "-frounding-math", "-ffp-contract=off", "-Wall", "-Wextra"];
    let status = Command::new(compiler)
        .args(flags)
        .args(["-Werror", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .arg("-lm")
        .status()
        .expect("the compiler starts");
    assert!(status.success(), "the programs compile for this machine");
    // SAFETY: the library was just compiled from a source without initialisers.
    Some(unsafe { Library::new(library) }.expect("the library loads"))
});

type Multiply = unsafe extern "C" fn(*const u8, *mut [u8; 32], u32);
type Map = unsafe extern "C" fn(*const u64, *mut [u8; 32], u32);
type Elligator = unsafe extern "C" fn(*const [u8; 64], *mut [u8; 32], u32);

/// The programs for numbers of one shape, as a device has them.
#[derive(Clone, Copy)]
pub(crate) struct Twin {
    library: &'static Library,
    shape: &'static str,
}

impl Twin {
    /// Those of both shapes; none without a compiler of C++.
    pub(crate) fn both() -> Vec<Self> {
        let library = TWIN.as_ref();
        let both = ["words", "doubles"].map(|shape| library.map(|library| Self { library, shape }));
        if library.is_none() {
            println!("no compiler of C++ here: skipped");
        }
        both.into_iter().flatten().collect()
    }

    /// # Safety
    /// The program has this type.
    unsafe fn program<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: as the caller says.
        unsafe { self.library.get(format!("{name}_{}", self.shape)) }.expect("a program")
    }

    fn multiply(&self, scalar: &[u8; 32], points: &mut [[u8; 32]]) {
        // SAFETY: the program has this type; it reads 32 bytes and reads and writes as many points as it is told.
        unsafe {
            let multiply = self.program::<Multiply>("multiply");
            multiply(scalar.as_ptr(), points.as_mut_ptr(), points.len() as u32);
        }
    }

    /// In place of elements.
    fn map(&self, elements: &[Element]) -> Vec<[u8; 32]> {
        let kernel::Expansion { states, blocks } = kernel::expansion();
        let words = [states.as_flattened(), blocks.as_flattened()].concat();
        let mut points: Vec<_> = elements.iter().map(|element| element.0).collect();
        // SAFETY: the program has this type; it reads the 48 words and reads and writes as many points as it is told.
        unsafe {
            let map = self.program::<Map>("map");
            map(words.as_ptr(), points.as_mut_ptr(), points.len() as u32);
        }
        points
    }

    fn elligator(&self, numbers: &[[u8; 48]]) -> Vec<[u8; 32]> {
        let wide = |number: &[u8; 48]| {
            let mut wide = [0; 64];
            wide.iter_mut().zip(number.iter().rev()).for_each(|(wide, byte)| *wide = *byte);
            wide
        };
        let numbers: Vec<_> = numbers.iter().map(wide).collect();
        let mut points = vec![[0; 32]; numbers.len()];
        // SAFETY: the program has this type; it reads as many numbers and writes as many points as it is told.
        unsafe {
            let elligator = self.program::<Elligator>("elligator");
            elligator(numbers.as_ptr(), points.as_mut_ptr(), points.len() as u32);
        }
        points
    }
}

impl Worker for Twin {
    fn compute(&mut self, batch: &Batch) -> Option<Vec<[u8; 32]>> {
        let mut points = match &batch.values {
            Values::Elements(elements) => self.map(elements),
            Values::Points(points) => points.to_vec(),
        };
        self.multiply(&batch.scalar, &mut points);
        Some(points)
    }
}

#[test]
fn both_shapes_multiply_as_the_scalar_twin_does() {
    for twin in Twin::both() {
        for seed in 1..=4 {
            let (scalar, points) = points(seed, 300);
            let mut found = points.clone();
            twin.multiply(&scalar, &mut found);
            assert!(found == products(&scalar, &points), "{}, seed {seed}", twin.shape);
        }
    }
}

#[test]
fn both_shapes_map_as_the_scalar_twin_does() {
    let (numbers, elements) = (numbers(5, 500), elements(6, 500));
    for twin in Twin::both() {
        assert!(twin.elligator(&numbers) == mapped(&numbers), "{}", twin.shape);
        assert!(twin.map(&elements) == mapped(&expanded(&elements)), "{}", twin.shape);
    }
}
