//! Lines for whoever reads them later: with the time, and the run that they are about.

use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::json;
use veilset_host::time::now;

use crate::json::time;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The time in UTC, the run, and the line.
    Text,
    /// One JSON object a line: `time`, `run` (none before the terms are agreed), `level` (`info`, `warning` or `error`) and `text`.
    Json,
}

static FORMAT: OnceLock<Format> = OnceLock::new();
static RUN: Mutex<Option<String>> = Mutex::new(None);

/// Has every line written so from now on; the first call decides.
pub fn log(format: Format) {
    let _ = FORMAT.set(format);
}

/// Has every line name this run from now on, or none.
pub fn log_run(run: Option<String>) {
    *RUN.lock().unwrap_or_else(PoisonError::into_inner) = run;
}

/// Whether lines are written for later.
pub(super) fn is_kept() -> bool {
    FORMAT.get().is_some()
}

/// A line as it is written, with its end.
pub(super) fn line(text: String) -> String {
    let Some(format) = FORMAT.get() else { return text + "\n" };
    let run = RUN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    written(*format, &time(now()), run.as_deref(), text.trim()) + "\n"
}

fn written(format: Format, time: &str, run: Option<&str>, text: &str) -> String {
    match format {
        Format::Text => {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            format!("{time} run={} {}", run.unwrap_or("-"), lines.join(" "))
        }
        Format::Json => {
            let levels = ["error", "warning"];
            let of =
                |level: &&&str| text.strip_prefix(**level).is_some_and(|t| t.starts_with(": "));
            let level = levels.iter().find(of).map_or("info", |level| *level);
            let text =
                text.strip_prefix(level).and_then(|text| text.strip_prefix(": ")).unwrap_or(text);
            json!({ "time": time, "run": run, "level": level, "text": text }).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn an_event_is_a_line_with_its_time_and_run() {
        let at = "2027-03-29T09:00:00Z";
        let text = |run, text| written(Format::Text, at, run, text);
        assert_eq!(text(None, "l.csv: 2 rows"), "2027-03-29T09:00:00Z run=- l.csv: 2 rows");
        assert_eq!(text(Some("ab"), "two\n  lines"), "2027-03-29T09:00:00Z run=ab two lines");
        let object = |run, text| -> Value {
            serde_json::from_str(&written(Format::Json, at, run, text)).expect("JSON")
        };
        let want = json!({ "time": at, "run": null, "level": "warning", "text": "odd \"keys\"" });
        assert_eq!(object(None, "warning: odd \"keys\""), want);
        assert_eq!(object(Some("ab"), "error: gone")["level"], "error");
        assert_eq!(object(Some("ab"), "errors: none")["text"], "errors: none");
    }
}
