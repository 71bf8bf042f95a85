//! A page in a browser without a window: Chromium over its debugging pipe (the Chrome DevTools Protocol), or Firefox over WebDriver BiDi.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::Value;
use tempfile::TempDir;

mod chromium;
mod firefox;
mod tab;
mod wire;

use chromium::Chromium;
use firefox::Firefox;
pub use tab::{Key, Tab};

/// A browser without a window. It ends when this goes.
pub struct Browser {
    driver: Box<dyn Driver>,
    child: Child,
    folder: TempDir,
}

/// What every browser is asked for. A `tab` is the name that the browser gave it.
trait Driver {
    /// Opens an empty window of its own, which shares nothing with others.
    fn open(&self) -> String;

    /// Goes to an address, and waits until the page is loaded.
    fn go(&self, tab: &str, address: &str);

    /// The value of an expression, awaited if it is a promise; else what was thrown.
    fn eval(&self, tab: &str, expression: &str) -> Result<Value, String>;

    /// Chooses a file in a field for files.
    fn choose(&self, tab: &str, selector: &str, file: &Path);

    /// Makes the page this wide and high, in pixels.
    fn size(&self, tab: &str, width: u32, height: u32);

    /// What went wrong in the page so far.
    fn faults(&self, tab: &str) -> Vec<String>;

    /// The one that is driven by mouse and keys too.
    fn chromium(&self) -> Option<&Chromium> {
        None
    }
}

impl Browser {
    /// Starts Chromium: the one that `CHROMIUM` names, or the first that is installed.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (driver, child) = Chromium::start(folder.path(), downloads(&folder));
        Self { driver: Box::new(driver), child, folder }
    }

    /// Starts Firefox: the one that `FIREFOX` names, or the first that is installed. It has no mouse and no keys here.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn firefox() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (driver, child) = Firefox::start(folder.path(), &downloads(&folder));
        Self { driver: Box::new(driver), child, folder }
    }

    /// Opens an address in a window of its own, which shares nothing with others.
    #[must_use]
    pub fn open(&self, address: &str) -> Tab<'_> {
        Tab::open(&*self.driver, address)
    }

    /// Where downloads are put.
    #[must_use]
    pub fn downloads(&self) -> PathBuf {
        downloads(&self.folder)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn downloads(folder: &TempDir) -> PathBuf {
    folder.path().join("downloads")
}

/// The program that a variable names, or the first of these that is installed.
fn find(variable: &str, names: &[&str]) -> PathBuf {
    if let Some(named) = env::var_os(variable) {
        return named.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let at = |name: &&str| folders.iter().map(|folder| folder.join(name)).find(|at| at.exists());
    names.iter().find_map(at).unwrap_or_else(|| {
        panic!(
            "the tests of pages need {}: scripts/browser installs it, or {variable} names it",
            names[0]
        )
    })
}

/// A text as a script writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
