//! The slot that was agreed on, as a calendar of one event.

use std::io::Write;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::Slot;
use crate::{DataError, Destination};

impl Slot {
    /// Writes a calendar that has this slot as its one event, made at `now`. Both sides' events have one `UID`, so that a
    /// calendar which gets both keeps one.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write(&self, destination: &Destination, now: SystemTime) -> Result<(), DataError> {
        destination.write(|out| out.write_all(self.calendar(now).as_bytes()))
    }

    /// What [`write`](Self::write) writes.
    #[must_use]
    pub fn calendar(&self, now: SystemTime) -> String {
        let now: DateTime<Utc> = now.into();
        let basic = |instant: DateTime<Utc>| instant.format("%Y%m%dT%H%M%SZ").to_string();
        let (start, end) = (basic(self.start), basic(self.end));
        let lines = [
            "BEGIN:VCALENDAR".to_owned(),
            "VERSION:2.0".to_owned(),
            "PRODID:-//veilset//agree//EN".to_owned(),
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{start}-{end}@veilset"),
            format!("DTSTAMP:{}", basic(now)),
            format!("DTSTART:{start}"),
            format!("DTEND:{end}"),
            "SUMMARY:Meeting".to_owned(),
            "END:VEVENT".to_owned(),
            "END:VCALENDAR".to_owned(),
        ];
        lines.map(|line| line + "\r\n").concat()
    }
}
