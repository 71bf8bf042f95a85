//! A user's calendar: free slots or an error that names the line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use veilset_data::calendar::{Calendar, Preference, Search};

fuzz_target!(|input: (Vec<u8>, String)| {
    let (file, rules) = input;
    let zone = "Europe/Berlin".parse().expect("a zone");
    let search = Search {
        dates: "2027-03-26..2027-03-29".parse().expect("days"),
        hours: "00:00-24:00".parse().expect("hours"),
        zone,
        weekends: true,
        length: 45,
        step: 30,
    };
    let preference = Preference::parse("rules", &rules).unwrap_or(Preference::Late);
    let slots = Calendar::parse("input".to_owned(), file).and_then(|calendar| calendar.free(&search));
    match slots {
        Ok(slots) => assert!(preference.rank(slots.clone(), zone).len() <= slots.len()),
        Err(error) => assert!(error.to_string().starts_with("input, line "), "{error}"),
    }
});
