//! Writes the honest inputs of every target into the folders that `smoke` searches from.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    for target in veilset_fuzz::TARGETS {
        let folder = Path::new("corpus").join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().into_iter().enumerate() {
            fs::write(folder.join(format!("honest-{number}")), seed.bytes)?;
        }
    }
    Ok(())
}
