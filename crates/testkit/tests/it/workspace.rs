//! The workspace keeps its own rules: which crate may know which, licences, and where unsafe code may live.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, LicenseId};

/// What each crate may depend on, directly. `docs/DESIGN.md` draws it.
const GRAPH: [(&str, &[&str]); 39] = [
    ("veilset-host", &[]),
    ("veilset-channel", &["veilset-host"]),
    ("veilset-names", &[]),
    ("veilset-real", &[]),
    ("veilset-structures", &["veilset-real", "veilset-simd"]),
    ("veilset-simd", &[]),
    ("veilset-bfv", &["veilset-real"]),
    ("veilset-crypto", &["veilset-names", "veilset-simd"]),
    ("veilset-gpu", &["veilset-crypto"]),
    ("veilset-poly", &["veilset-crypto", "veilset-simd"]),
    ("veilset-ot", &["veilset-channel", "veilset-simd"]),
    (
        "veilset-protocols",
        &[
            "veilset-bfv",
            "veilset-channel",
            "veilset-crypto",
            "veilset-names",
            "veilset-ot",
            "veilset-poly",
            "veilset-real",
            "veilset-simd",
            "veilset-structures",
        ],
    ),
    ("veilset-tongues", &["veilset-crypto"]),
    ("veilset-courier", &[]),
    ("veilset-data", &["veilset-names"]),
    (
        "veilset-session",
        &[
            "veilset-channel",
            "veilset-crypto",
            "veilset-data",
            "veilset-host",
            "veilset-names",
            "veilset-protocols",
            "veilset-real",
        ],
    ),
    ("veilset-party", &["veilset-host"]),
    ("veilset-rules", &["veilset-names", "veilset-party", "veilset-protocols", "veilset-session"]),
    ("veilset-reach", &["veilset-host"]),
    ("veilset-net", &["veilset-channel", "veilset-host", "veilset-party", "veilset-reach"]),
    ("veilset-relay", &["veilset-net", "veilset-reach"]),
    (
        "veilset-cluster",
        &[
            "veilset-channel",
            "veilset-crypto",
            "veilset-data",
            "veilset-net",
            "veilset-party",
            "veilset-protocols",
            "veilset-session",
        ],
    ),
    ("veilset-sources", &[]),
    ("veilset-desk", &["veilset", "veilset-host"]),
    ("veilset-console", &["veilset", "veilset-desk", "veilset-page"]),
    ("veilset-browser", &["veilset", "veilset-desk", "veilset-host"]),
    (
        "veilset-lookup",
        &["veilset-channel", "veilset-crypto", "veilset-net", "veilset-party", "veilset-protocols"],
    ),
    (
        "veilset-bench",
        &["veilset-channel", "veilset-crypto", "veilset-net", "veilset-party", "veilset-protocols"],
    ),
    (
        "veilset",
        &[
            "veilset-channel",
            "veilset-cluster",
            "veilset-courier",
            "veilset-crypto",
            "veilset-data",
            "veilset-gpu",
            "veilset-host",
            "veilset-host",
            "veilset-lookup",
            "veilset-names",
            "veilset-net",
            "veilset-party",
            "veilset-protocols",
            "veilset-relay",
            "veilset-rules",
            "veilset-session",
            "veilset-sources",
            "veilset-tongues",
        ],
    ),
    ("veilset-cli", &["veilset", "veilset-bench", "veilset-console", "veilset-desk"]),
    (
        "veilset-reproduce",
        &[
            "veilset",
            "veilset-bench",
            "veilset-channel",
            "veilset-crypto",
            "veilset-data",
            "veilset-paper-groups",
            "veilset-poly",
            "veilset-protocols",
            "veilset-simd",
        ],
    ),
    ("veilset-paper-groups", &["veilset-crypto", "veilset-simd"]),
    ("veilset-python", &["veilset"]),
    ("veilset-page", &[]),
    ("veilset-stage", &["veilset"]),
    ("veilset-nofly", &["veilset", "veilset-page"]),
    ("veilset-appoint", &["veilset", "veilset-page"]),
    ("veilset-testkit", &["veilset-channel", "veilset-crypto", "veilset-protocols"]),
    (
        "veilset-fuzz",
        &[
            "veilset-channel",
            "veilset-crypto",
            "veilset-data",
            "veilset-lookup",
            "veilset-party",
            "veilset-protocols",
            "veilset-rules",
            "veilset-session",
            "veilset-structures",
            "veilset-testkit",
            "veilset-tongues",
        ],
    ),
];

fn metadata(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn arrows_point_one_way() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        GRAPH.iter().map(|(name, to)| (*name, to.iter().copied().collect())).collect();
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata, "packages");
    let names: BTreeSet<&str> = packages.iter().map(|package| text(package, "name")).collect();
    assert_eq!(names, allowed.keys().copied().collect(), "the table lists every crate");
    for package in packages {
        let name = text(package, "name");
        let ours = |dependency: &&Value| {
            text(dependency, "kind") != "dev" && names.contains(text(dependency, "name"))
        };
        let found: BTreeSet<&str> =
            list(package, "dependencies").iter().filter(ours).map(|d| text(d, "name")).collect();
        assert_eq!(found, allowed[name], "{name}");
    }
}

/// The licences that `deny.toml` allows.
fn licences() -> BTreeSet<String> {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml");
    let rules = std::fs::read_to_string(rules).expect("readable");
    let (_, rules) = rules.split_once("[licenses]\nallow = [").expect("a list");
    let (allowed, _) = rules.split_once(']').expect("an end");
    allowed.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_dependency_has_a_licence_that_fits() {
    let licences = licences();
    let metadata = metadata(&["--filter-platform", "x86_64-unknown-linux-gnu"]);
    for package in list(&metadata, "packages") {
        let name = text(package, "name");
        let licence = text(package, "license").replace('/', " OR ");
        let expression = Expression::parse(&licence).expect(name);
        let fits = expression.evaluate(|requirement| {
            let id: Option<LicenseId> = requirement.license.id();
            id.is_some_and(|id| licences.contains(id.name))
        });
        assert!(fits, "{name} is under {licence}");
    }
}

/// The crates that may hold unsafe code: kernels, a device, and the border to a page.
const UNSAFE: [&str; 3] = ["veilset-gpu", "veilset-host", "veilset-simd"];

#[test]
fn every_crate_takes_the_workspaces_lints() {
    let metadata = metadata(&["--no-deps"]);
    for package in list(&metadata, "packages") {
        let manifest = std::fs::read_to_string(text(package, "manifest_path")).expect("readable");
        let name = text(package, "name");
        let lints =
            if UNSAFE.contains(&name) { "[lints.rust]" } else { "[lints]\nworkspace = true" };
        assert!(manifest.contains(lints), "{name}: lints are the workspace's");
    }
}

#[test]
fn the_crates_with_unsafe_code_keep_the_other_lints() {
    let section = |manifest: &str, name: &str| -> BTreeSet<String> {
        let lines = manifest.lines().skip_while(|line| *line != name).skip(1);
        lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let read = |path: &str| std::fs::read_to_string(path).expect("readable");
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata, "packages").iter();
    let of_unsafe: Vec<_> =
        packages.filter(|package| UNSAFE.contains(&text(package, "name"))).collect();
    assert_eq!(of_unsafe.len(), UNSAFE.len());
    for package in of_unsafe {
        let manifest = read(text(package, "manifest_path"));
        for lints in ["rust", "clippy"] {
            let wanted = section(&read(root), &format!("[workspace.lints.{lints}]"));
            let kept = section(&manifest, &format!("[lints.{lints}]"));
            let missing: Vec<_> = wanted.difference(&kept).collect();
            let allowed =
                if lints == "rust" { vec!["unsafe_code = \"forbid\""] } else { Vec::new() };
            assert_eq!(missing, allowed, "[lints.{lints}] of {}", text(package, "name"));
        }
    }
}

/// The Rust files of the crates, by their paths in the repository.
fn sources() -> Vec<(PathBuf, String)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut folders = vec![root.join("crates"), root.join("apps"), root.join("reproduce")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                let place = path.strip_prefix(&root).expect("within").to_owned();
                sources.push((place, text));
            }
        }
    }
    sources
}

#[test]
fn both_sides_compute_parameters_alike() {
    let own =
        ["crates/bfv/src", "crates/structures/src/okvs", "crates/protocols/src/catalogue/fhe"];
    let systems = [".log2()", ".exp2()", ".ln()", ".exp()", ".powf(", ".powi(", ".ln_1p()"];
    let mut looked = 0;
    for (path, text) in sources() {
        let place = path.display().to_string();
        if !own.iter().any(|own| place.contains(own)) || place.contains("/tests") {
            continue;
        }
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        let found: Vec<_> = systems.iter().filter(|system| shipped.contains(**system)).collect();
        assert!(found.is_empty(), "{place}: {found:?} may differ between machines; take `real`'s");
        looked += 1;
    }
    assert!(looked > 20, "{looked}");
}

#[test]
fn one_place_writes_to_standard_error_and_every_program_ends_at_panics() {
    let (lint, method) =
        (concat!("clippy::", "print_stderr"), concat!("clippy::", "disallowed_methods"));
    let mut programs = 0;
    for (path, text) in sources() {
        let place = path.display();
        assert!(!text.contains(lint), "{place} speaks past veilset::voice");
        let speaks = path.ends_with("crates/veilset/src/voice/mod.rs");
        assert_eq!(text.contains(method), speaks, "{place} speaks past veilset::voice");
        if path.ends_with("src/main.rs") {
            assert!(text.contains("voice::end_at_panics("), "{place} outlives its panics");
            assert!(text.contains("veilset::end_at_excess("), "{place} takes any memory");
            programs += 1;
        }
    }
    assert_eq!(programs, 4);
}
