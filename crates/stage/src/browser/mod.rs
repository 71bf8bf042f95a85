//! A page in a browser: Chromium, driven over its debugging pipe (the Chrome DevTools Protocol).

use std::cell::RefCell;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

mod tab;
mod wire;

pub use tab::{Key, Tab};
use wire::Wire;

/// Names under which Chromium is found.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser reads commands at descriptor 3 and answers at 4; a shell puts the pipes that a child can have there.
const START: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";

/// What keeps it quiet, and the same on every machine. Its sandbox needs rights that a test may lack, and it sees no pages
/// but the ones under test.
const FLAGS: [&str; 9] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--lang=en-GB",
];

/// A browser without a window. It ends when this goes.
pub struct Browser {
    child: Child,
    wire: RefCell<Wire>,
    folder: TempDir,
}

impl Browser {
    /// Starts the browser that `CHROMIUM` names, or the first that is installed.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn start() -> Self {
        let program = find().expect(
            "the tests of pages need Chromium: scripts/browser installs it, or CHROMIUM names it",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(program)
            .args(FLAGS)
            .arg(profile)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let commands = child.stdin.take().expect("piped");
        let answers = child.stdout.take().expect("piped");
        Self { child, wire: RefCell::new(Wire::new(commands, answers)), folder }
    }

    /// Opens an address in a window of its own, which shares nothing with others.
    #[must_use]
    pub fn open(&self, address: &str) -> Tab<'_> {
        let context = self.call("Target.createBrowserContext", json!({}));
        let context = &context["browserContextId"];
        let downloads = json!({
            "behavior": "allow", "browserContextId": context, "downloadPath": self.downloads(),
        });
        self.call("Browser.setDownloadBehavior", downloads);
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = self.call("Target.createTarget", target);
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call("Target.attachToTarget", attach);
        Tab::open(self, session["sessionId"].as_str().expect("a session"), address)
    }

    /// Where downloads are put.
    #[must_use]
    pub fn downloads(&self) -> PathBuf {
        self.folder.path().join("downloads")
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.wire.borrow_mut().call(None, method, params)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let at = |name: &&str| {
        folders.iter().map(|folder| folder.join(Path::new(name))).find(|path| path.exists())
    };
    NAMES.iter().find_map(at)
}
