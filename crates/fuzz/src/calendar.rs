//! A user's calendar: free slots or an error that names the line.

use veilset_data::calendar::{Calendar, Preference, Search};

use crate::Seed;
use crate::bytes::{Fields, put_string};

/// An iCalendar file behind its length, and a file of preferences.
pub fn calendar(data: &[u8]) {
    let mut fields = Fields::new(data);
    let (file, rules) = (fields.string().to_vec(), String::from_utf8_lossy(fields.rest()));
    let zone = "Europe/Berlin".parse().expect("a zone");
    let search = Search {
        dates: "2027-03-26..2027-03-29".parse().expect("days"),
        hours: "00:00-24:00".parse().expect("hours"),
        zone,
        weekends: true,
        lengths: "45m,20m".parse().expect("lengths"),
        step: 30,
    };
    let preference = Preference::parse("rules", &rules).unwrap_or(Preference::Late);
    let slots =
        Calendar::parse("input".to_owned(), file).and_then(|calendar| calendar.free(&search));
    match slots {
        Ok(slots) => assert!(preference.rank(slots.clone(), zone).len() <= slots.len()),
        Err(error) => assert!(error.to_string().starts_with("input, line "), "{error}"),
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    let events = [
        ("an hour", "DTSTART:20270326T090000Z\r\nDTEND:20270326T100000Z\r\n"),
        (
            "every day",
            "DTSTART;TZID=Europe/Berlin:20270320T083000\r\nDURATION:PT45M\r\nRRULE:FREQ=DAILY;COUNT=12\r\n",
        ),
        ("all day", "DTSTART;VALUE=DATE:20270327\r\nDTEND;VALUE=DATE:20270328\r\n"),
        (
            "every second Friday but one",
            "DTSTART:20270101T120000\r\nDTEND:20270101T130000\r\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR\r\n\
             EXDATE:20270326T120000\r\n",
        ),
    ];
    events.map(|(name, lines)| seed(name, lines)).into()
}

fn seed(name: &str, lines: &str) -> Seed {
    let file = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20270101T000000Z\r\n\
         {lines}SUMMARY:busy\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    let mut bytes = Vec::new();
    put_string(&mut bytes, file.as_bytes());
    bytes.extend_from_slice(b"10 Fri 09:00-12:00\n-5 Sat\n");
    Seed::new(name, bytes)
}
