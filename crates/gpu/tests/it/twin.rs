//! The programs compiled for this machine.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use chacha20::ChaCha20Rng;
use libloading::{Library, Symbol};
use rand_core::SeedableRng;
use veilset_crypto::{
    Accelerator, CommutativePrf, Curve25519Prf, Element, NotAnElement, accelerate,
};

use crate::inputs::{mapped, numbers, points, products};

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
type Map = unsafe extern "C" fn(*const [u8; 48], *mut [u8; 32], u32);

/// The programs for numbers of one shape, as a device has them; it may fail.
struct Twin {
    multiply: &'static str,
    map: &'static str,
    fails: AtomicBool,
}

impl Twin {
    fn multiply(&self, twin: &Library, scalar: &[u8; 32], points: &mut [[u8; 32]]) {
        // SAFETY: the program has this type; it reads 32 bytes and reads and writes as many points as it is told.
        unsafe {
            let multiply: Symbol<'_, Multiply> = twin.get(self.multiply).expect("a program");
            multiply(scalar.as_ptr(), points.as_mut_ptr(), points.len() as u32);
        }
    }

    fn map(&self, twin: &Library, numbers: &[[u8; 48]], points: &mut [[u8; 32]]) {
        assert_eq!(numbers.len(), points.len());
        // SAFETY: the program has this type; it reads as many numbers and writes as many points as it is told.
        unsafe {
            let map: Symbol<'_, Map> = twin.get(self.map).expect("a program");
            map(numbers.as_ptr(), points.as_mut_ptr(), points.len() as u32);
        }
    }
}

static SHAPES: [Twin; 2] = [
    Twin { multiply: "multiply_words", map: "map_words", fails: AtomicBool::new(false) },
    Twin { multiply: "multiply_doubles", map: "map_doubles", fails: AtomicBool::new(false) },
];

impl Accelerator for &'static Twin {
    fn name(&self) -> &str {
        "twin"
    }

    fn batch(&self) -> usize {
        5000
    }

    fn multiply(&self, scalar: &[u8; 32], points: &mut [[u8; 32]]) -> bool {
        let Some(twin) = TWIN.as_ref().filter(|_| !self.fails.load(Relaxed)) else { return false };
        (*self).multiply(twin, scalar, points);
        true
    }

    fn map_and_multiply(
        &self,
        scalar: &[u8; 32],
        uniform: &[[u8; 48]],
        points: &mut [[u8; 32]],
    ) -> bool {
        let Some(twin) = TWIN.as_ref().filter(|_| !self.fails.load(Relaxed)) else { return false };
        self.map(twin, uniform, points);
        (*self).multiply(twin, scalar, points);
        true
    }
}

#[test]
fn both_shapes_multiply_as_the_scalar_twin_does() {
    let Some(twin) = &*TWIN else { return println!("no compiler of C++ here: skipped") };
    for seed in 1..=4 {
        let (scalar, points) = points(seed, 300);
        let expected = products(&scalar, &points);
        for shape in &SHAPES {
            let mut found = points.clone();
            shape.multiply(twin, &scalar, &mut found);
            assert!(found == expected, "{}, seed {seed}", shape.multiply);
        }
    }
}

#[test]
fn both_shapes_map_as_the_scalar_twin_does() {
    let Some(twin) = &*TWIN else { return println!("no compiler of C++ here: skipped") };
    let numbers = numbers(5, 500);
    let expected = mapped(&numbers);
    for shape in &SHAPES {
        let mut found = vec![[0; 32]; numbers.len()];
        shape.map(twin, &numbers, &mut found);
        assert!(found == expected, "{}", shape.map);
    }
}

#[test]
fn a_function_is_the_same_with_a_device_and_without() {
    let prf = || Curve25519Prf::generate(&mut ChaCha20Rng::from_seed([6; 32]));
    let elements: Vec<_> = (0u32..5000)
        .map(|index| Element(std::array::from_fn(|k| index.to_le_bytes()[k % 4] ^ k as u8)))
        .collect();
    let here = prf().hash_and_evaluate(&elements);
    let twice = prf().evaluate(&here).expect("points");
    assert_eq!(Curve25519Prf::batch(), 1);

    let device = &SHAPES[1];
    assert!(accelerate(Box::new(device)));
    for fails in [false, true] {
        device.fails.store(fails, Relaxed);
        assert_eq!(Curve25519Prf::batch(), 5000);
        assert!(prf().hash_and_evaluate(&elements) == here, "fails: {fails}");
        assert!(prf().evaluate(&here).expect("points") == twice, "fails: {fails}");
        // The first of a point of small order and one that is not canonical is refused, whoever computes.
        let mut wrong = here.clone();
        (wrong[4321], wrong[4500]) = ([0; 32], [0xff; 32]);
        assert_eq!(prf().evaluate(&wrong).map(drop), Err(NotAnElement { index: 4321 }));
        wrong.swap(4321, 4500);
        assert_eq!(prf().evaluate(&wrong).map(drop), Err(NotAnElement { index: 4321 }));
    }
}
