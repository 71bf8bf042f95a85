//! The browser that the system uses.

use std::io;
use std::process::{Command, Stdio};

#[cfg(target_os = "macos")]
const OPEN: &[&str] = &["open"];
#[cfg(windows)]
const OPEN: &[&str] = &["rundll32", "url.dll,FileProtocolHandler"];
#[cfg(not(any(target_os = "macos", windows)))]
const OPEN: &[&str] = &["xdg-open"];

/// Opens an address in it.
///
/// # Errors
/// When the system has no such command.
pub(crate) fn open(address: &str) -> io::Result<()> {
    let mut command = Command::new(OPEN[0]);
    command.args(&OPEN[1..]).arg(address).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn()?;
    // It ends once the browser has the address; nobody waits for its word.
    std::thread::spawn(move || child.wait());
    Ok(())
}
