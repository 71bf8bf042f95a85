//! What is checked in as compiled is what the sources say.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn the_programs_are_made_from_these_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let programs = fs::read_to_string(folder.join("programs.ptx")).expect("the programs");
    let made_from: Vec<_> =
        programs.lines().skip(1).map_while(|line| line.strip_prefix("// ")).collect();
    assert_eq!(made_from.len(), 6);
    for line in made_from {
        let (digest, name) = line.split_once("  ").expect("a digest and a name");
        let source = fs::read(folder.join("programs").join(name)).expect("a source");
        let found = Sha256::digest(source).iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        assert_eq!(found, digest, "{name} has changed: run scripts/ptx");
    }
}
