use std::time::{Duration, SystemTime};

use super::*;
use crate::{Destination, KeySet};

/// Events between the lines of a calendar.
fn calendar(events: &str) -> Calendar {
    parse(&format!("BEGIN:VCALENDAR\nVERSION:2.0\n{events}END:VCALENDAR\n")).expect("a calendar")
}

fn parse(text: &str) -> Result<Calendar, String> {
    let parsed = Calendar::parse("a.ics".into(), text.as_bytes().to_vec());
    parsed.map_err(|error| error.to_string())
}

/// An event with these lines.
fn event(lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:1\n{lines}\nEND:VEVENT\n")
}

/// One length of slots.
fn lengths(minutes: u32) -> Lengths {
    format!("{minutes}m").parse().expect("a length")
}

fn search(dates: &str, hours: &str, zone: &str) -> Search {
    Search {
        dates: dates.parse().expect("days"),
        hours: hours.parse().expect("hours"),
        zone: zone.parse().expect("a zone"),
        weekends: true,
        lengths: lengths(60),
        step: 60,
    }
}

/// The starts in UTC of the free slots, without the date if there is but one day.
fn free(calendar: &Calendar, search: &Search) -> Vec<String> {
    let slots = calendar.free(search).expect("it can be read");
    slots.iter().map(|slot| slot.start()[5..16].replace('T', " ")).collect()
}

/// The hours, in UTC, that events occupy of 2027-03-29.
fn busy_hours(events: &str) -> Vec<u32> {
    let free = free(&calendar(events), &search("2027-03-29", "00:00-24:00", "UTC"));
    (0..24).filter(|hour| !free.contains(&format!("03-29 {hour:02}:00"))).collect()
}

#[test]
fn what_occupies_time_and_what_does_not() {
    let timed =
        |more: &str| event(&format!("DTSTART:20270329T100000Z\nDTEND:20270329T120000Z\n{more}"));
    assert_eq!(busy_hours(""), [0; 0]);
    assert_eq!(busy_hours(&timed("SUMMARY:x")), [10, 11]);
    assert_eq!(busy_hours(&timed("TRANSP:OPAQUE\nSTATUS:TENTATIVE")), [10, 11]);
    assert_eq!(busy_hours(&timed("TRANSP:TRANSPARENT")), [0; 0]);
    assert_eq!(busy_hours(&timed("status:Cancelled")), [0; 0]);
    for (lines, hours) in [
        ("DTSTART:20270329T100000Z\nDURATION:PT1H30M", vec![10, 11]),
        ("DTSTART:20270329T103000Z\nDTEND:20270329T110000Z", vec![10]),
        ("DTSTART:20270329T100000Z", vec![]),
        ("DTSTART:20270328T230000Z\nDTEND:20270329T010000Z", vec![0]),
        ("DTSTART:20270329T230000Z\nDTEND:20270330T020000Z", vec![23]),
        ("DTSTART:20270101T000000Z\nDTEND:20280101T000000Z", (0..24).collect()),
        ("DTSTART;VALUE=DATE:20270329", (0..24).collect()),
        ("DTSTART;VALUE=DATE:20270327\nDTEND;VALUE=DATE:20270329", vec![]),
        ("DTSTART;VALUE=DATE:20270327\nDURATION:P1W", (0..24).collect()),
        ("DTSTART:20270329T100000", vec![10][..0].to_vec()),
        ("DTSTART:20270329T100000\nDTEND:20270329T110000", vec![10]),
        ("DTSTART;TZID=America/New_York:20270329T060000\nDURATION:PT1H", vec![10]),
        ("DTSTART;TZID=\"W. Europe Standard Time\":20270329T120000\nDURATION:PT1H", vec![10]),
        (
            "DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20270329T120000\nDURATION:PT1H",
            vec![10],
        ),
        ("DTSTART:2027032\n 9T100000Z\nDUR\n\tATION:PT1H", vec![10]),
    ] {
        assert_eq!(busy_hours(&event(lines)), hours, "{lines}");
    }
    let alarm =
        "DTSTART:20270329T100000Z\nDTEND:20270329T110000Z\nBEGIN:VALARM\nDURATION:P9D\nEND:VALARM";
    assert_eq!(busy_hours(&event(alarm)), [10], "an alarm's lines are not the event's");
    let periods = "BEGIN:VFREEBUSY\nFREEBUSY:20270329T080000Z/PT1H,20270329T100000Z/20270329T110000Z\n\
                   FREEBUSY;FBTYPE=FREE:20270329T120000Z/PT1H\nEND:VFREEBUSY\n";
    assert_eq!(busy_hours(periods), [8, 10]);
    let zone = "BEGIN:VTIMEZONE\nTZID:Home\nX-LIC-LOCATION:Europe/Berlin\nEND:VTIMEZONE\n";
    let there = event("DTSTART;TZID=Home:20270329T120000\nDURATION:PT1H");
    assert_eq!(busy_hours(&format!("{zone}{there}")), [10]);
}

#[test]
fn recurrences_with_their_exceptions() {
    let weekly = "DTSTART:20270301T100000Z\nDTEND:20270301T110000Z\nRRULE:FREQ=WEEKLY";
    for (more, hours) in [
        ("", vec![10]),
        (";INTERVAL=2", vec![10]),
        (";INTERVAL=3", vec![]),
        (";COUNT=5", vec![10]),
        (";COUNT=4", vec![]),
        (";UNTIL=20270329T100000Z", vec![10]),
        (";UNTIL=20270329T095959Z", vec![]),
        (";UNTIL=20270329", vec![10]),
        (";BYDAY=TU", vec![]),
        (";COUNT=5\nEXDATE:20270329T100000Z", vec![]),
        ("\nEXDATE:20270322T100000Z,20270329T100000Z", vec![]),
        ("\nEXDATE;VALUE=DATE:20270329", vec![]),
        ("\nEXDATE;TZID=Europe/Berlin:20270329T120000", vec![]),
        ("\nEXDATE:20270329T110000Z", vec![10]),
        ("\nRDATE:20270329T150000Z", vec![10, 15]),
        ("\nRDATE;VALUE=PERIOD:20270329T150000Z/PT2H", vec![10, 15, 16]),
        ("\nTRANSP:TRANSPARENT", vec![]),
    ] {
        assert_eq!(busy_hours(&event(&format!("{weekly}{more}"))), hours, "{more}");
    }
    let with = |change: &str| busy_hours(&format!("{}{}", event(weekly), event(change)));
    let moved = "RECURRENCE-ID:20270329T100000Z\nDTSTART:20270329T140000Z\nDURATION:PT2H";
    assert_eq!(with(moved), [14, 15]);
    assert_eq!(with(&format!("{moved}\nSTATUS:CANCELLED")), [0; 0]);
    assert_eq!(with(&format!("{moved}\nTRANSP:TRANSPARENT")), [0; 0]);
    assert_eq!(with(&moved.replacen("0329", "0322", 1)), [10, 14, 15], "another one moved here");
    let again = event(&format!("{}\nSEQUENCE:2", moved.replace("T140000", "T160000")));
    assert_eq!(
        with(&format!(
            "{moved}\nSEQUENCE:1\nEND:VEVENT\n{}BEGIN:VEVENT\nUID:2\nDTSTART:20270401",
            again
        )),
        [16, 17]
    );
}

#[test]
fn a_far_end_is_for_ever_and_a_far_date_is_no_reason_to_refuse() {
    let from = |zone: &str| format!("DTSTART;TZID={zone}:20270301T100000\nDURATION:PT1H\nRRULE:");
    for until in ["99991231T235959Z", "99991231T235959", "99991231", "22010101"] {
        // Where clocks are ahead the last second is in the year after.
        for (zone, hour) in [("UTC", 10), ("Pacific/Kiritimati", 20), ("America/Lima", 15)] {
            let rule = event(&format!("{}FREQ=DAILY;UNTIL={until}", from(zone)));
            assert_eq!(busy_hours(&rule), [hour], "{zone} {until}");
        }
    }
    let all: Vec<u32> = (0..24).collect();
    for (lines, hours) in [
        ("DTSTART;VALUE=DATE:20270101\nDTEND;VALUE=DATE:99991231", &all[..]),
        ("DTSTART:00010101T000000Z\nDTEND:99991231T235959Z", &all),
        ("DTSTART:20270329T100000Z\nDTEND:99991231T235959Z", &all[10..]),
        ("DTSTART:20270329\nDURATION:P999999W", &all),
        ("DTSTART:20270329T220000Z\nDURATION:PT999999H", &all[22..]),
        ("DTSTART;VALUE=DATE:99991231\nRRULE:FREQ=YEARLY", &[]),
        ("DTSTART:99991231T235959Z\nDURATION:P999999W\nRRULE:FREQ=DAILY", &[]),
        ("DTSTART;TZID=Asia/Tokyo:00000101T000000\nDURATION:PT1H", &[]),
        ("DTSTART;TZID=Asia/Tokyo:99991231T235959\nDURATION:PT1H", &[]),
        ("DTSTART;VALUE=DATE:15500329\nRRULE:FREQ=YEARLY", &all),
        ("DTSTART;VALUE=DATE:20270322\nRRULE:FREQ=WEEKLY\nEXDATE;VALUE=DATE:99990101", &all),
        ("DTSTART:20270322T100000Z\nDURATION:PT1H\nRDATE:99990101T000000Z,20270329T080000Z", &[8]),
    ] {
        assert_eq!(busy_hours(&event(lines)), hours, "{lines}");
    }
    // As long as it is written, it is for ever.
    let longest = format!("DTSTART:20270329\nDURATION:PT{}", "999999H".repeat(3_000_000));
    assert_eq!(busy_hours(&event(&longest)), all);
    let other = "DTSTART:20270329T100000Z\nDURATION:PT1H";
    let moved = "RECURRENCE-ID:99990329T100000Z\nDTSTART:99990330T100000Z\nDURATION:PT2H";
    assert_eq!(busy_hours(&format!("{}{}", event(other), event(moved))), [10]);
}

#[test]
fn names_of_universal_time_stand_at_the_end_of_longer_ones() {
    for name in [
        "/freeassociation.sourceforge.net/UTC",
        "/freeassociation.sourceforge.net/Tzfile/GMT",
        "/citadel.org/20190914_1/Etc/UTC",
        "/mozilla.org/20050126_1/Etc/GMT",
        "/x/Zulu",
        "UTC",
        "GMT",
    ] {
        let there = event(&format!("DTSTART;TZID={name}:20270329T100000\nDURATION:PT1H"));
        assert_eq!(busy_hours(&there), [10], "{name}");
    }
    // The signs of these names are turned round: five hours behind.
    let behind = event("DTSTART;TZID=/x/Etc/GMT+5:20270329T100000\nDURATION:PT1H");
    assert_eq!(busy_hours(&behind), [15]);
}

#[test]
fn rules_go_by_the_clock_across_daylight_saving() {
    // Berlin: from 02:00 to 03:00 on 2027-03-28; back on 2027-10-31. New York: 2027-03-14.
    let daily = |zone: &str| {
        event(&format!("DTSTART;TZID={zone}:20270301T093000\nDURATION:PT30M\nRRULE:FREQ=DAILY"))
    };
    let at = |zone: &str, day: &str| {
        let step = Search { lengths: lengths(30), step: 30, ..search(day, "00:00-24:00", "UTC") };
        let all = free(&calendar(""), &step);
        let left = free(&calendar(&daily(zone)), &step);
        all.into_iter().filter(|start| !left.contains(start)).collect::<Vec<_>>()
    };
    assert_eq!(at("Europe/Berlin", "2027-03-27"), ["03-27 08:30"]);
    assert_eq!(at("Europe/Berlin", "2027-03-28"), ["03-28 07:30"]);
    assert_eq!(at("Europe/Berlin", "2027-11-02"), ["11-02 08:30"]);
    assert_eq!(at("America/New_York", "2027-03-13"), ["03-13 14:30"]);
    assert_eq!(at("America/New_York", "2027-03-14"), ["03-14 13:30"]);
    // A time that clocks skip counts from the offset before (RFC 5545, section 3.3.5): 02:30 is 01:30 UTC.
    let skipped = event("DTSTART;TZID=Europe/Berlin:20270328T023000\nDURATION:PT30M");
    let step =
        Search { lengths: lengths(30), step: 30, ..search("2027-03-28", "00:00-24:00", "UTC") };
    assert!(!free(&calendar(&skipped), &step).contains(&"03-28 01:30".to_owned()));
    // A time that they show twice is the first.
    let twice = event("DTSTART;TZID=Europe/Berlin:20271031T023000\nDURATION:PT30M");
    let step = Search { dates: "2027-10-31".parse().expect("a day"), ..step };
    let left = free(&calendar(&twice), &step);
    assert!(!left.contains(&"10-31 00:30".to_owned()) && left.contains(&"10-31 01:30".to_owned()));
    // UNTIL is an instant: 09:30 in Berlin is 07:30 from the 28th on.
    let until = daily("Europe/Berlin").replace("DAILY", "DAILY;UNTIL=20270328T073000Z");
    let on = |day| free(&calendar(&until), &search(day, "00:00-24:00", "UTC")).len();
    assert_eq!([on("2027-03-28"), on("2027-03-29")], [23, 24]);
}

#[test]
fn whole_days_are_days_of_the_zone_and_nights_keep_their_length() {
    let day = event("DTSTART;VALUE=DATE:20270328\nRRULE:FREQ=YEARLY");
    let berlin = search("2027-03-27..2027-03-29", "00:00-24:00", "Europe/Berlin");
    let all = free(&calendar(""), &berlin);
    assert_eq!(all.len(), 24 + 23 + 24);
    let left = free(&calendar(&day), &berlin);
    assert_eq!(
        (left.len(), left[23].as_str(), left[24].as_str()),
        (48, "03-27 22:00", "03-28 22:00")
    );
    // From 22:00 for exactly nine hours: to 07:00, and to 08:00 when the clocks go forward.
    let night = event(
        "DTSTART;TZID=Europe/Berlin:20270301T220000\nDTEND;TZID=Europe/Berlin:20270302T070000\nRRULE:FREQ=DAILY",
    );
    let mornings =
        Search { dates: berlin.dates, ..search("2027-03-27", "06:00-10:00", "Europe/Berlin") };
    assert_eq!(
        free(&calendar(&night), &mornings),
        [
            "03-27 06:00",
            "03-27 07:00",
            "03-27 08:00",
            "03-28 06:00",
            "03-28 07:00",
            "03-29 05:00",
            "03-29 06:00",
            "03-29 07:00"
        ]
    );
}

#[test]
fn slots_are_within_hours_and_on_one_grid_in_all_zones() {
    let starts = |search: &Search| free(&calendar(""), search);
    let berlin = search("2027-03-26..2027-03-29", "09:00-11:00", "Europe/Berlin");
    assert_eq!(
        starts(&Search { weekends: false, ..berlin.clone() }),
        ["03-26 08:00", "03-26 09:00", "03-29 07:00", "03-29 08:00"]
    );
    assert_eq!(starts(&berlin).len(), 8);
    let long = Search {
        lengths: lengths(90),
        step: 30,
        ..search("2027-03-29", "09:00-11:00", "Europe/Berlin")
    };
    assert_eq!(starts(&long), ["03-29 07:00", "03-29 07:30"]);
    let late = search("2027-03-29", "22:00-24:00", "UTC");
    assert_eq!(starts(&late), ["03-29 22:00", "03-29 23:00"]);
    assert_eq!(starts(&Search { lengths: lengths(180), ..late }), [""; 0]);
    // Kathmandu is 5:45 ahead; its hours are whole quarters of ours.
    let kathmandu = Search { step: 15, ..search("2027-03-29", "09:00-10:15", "Asia/Kathmandu") };
    assert_eq!(starts(&kathmandu), ["03-29 03:15", "03-29 03:30"]);
    // 15:00 in Berlin is 09:00 in New York.
    let berlin = calendar("").free(&search("2027-03-29", "15:00-16:00", "Europe/Berlin"));
    let york = calendar("").free(&search("2027-03-29", "09:00-10:00", "America/New_York"));
    let (berlin, york) = (berlin.expect("free"), york.expect("free"));
    assert_eq!(berlin, york);
    assert_eq!(
        york[0].in_zone("America/New_York".parse().expect("a zone")),
        "Mon 2027-03-29 09:00–10:00"
    );
}

/// A zone with daylight saving by a name that has none.
const ZONE: &str = "BEGIN:VTIMEZONE\nTZID:EST\nBEGIN:STANDARD\nEND:STANDARD\nBEGIN:DAYLIGHT\nEND:DAYLIGHT\nEND:VTIMEZONE\n";

#[test]
fn what_is_no_calendar_names_the_line_and_no_value() {
    let inside =
        |line: &str| format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\n{line}\nEND:VEVENT\nEND:VCALENDAR\n");
    for (text, line, part) in [
        (String::new(), 1, "no BEGIN:VCALENDAR"),
        ("name,secret\n".into(), 1, "no content line"),
        ("BEGIN:VCARD\n".into(), 1, "no BEGIN:VCALENDAR"),
        ("VERSION:2.0\n".into(), 1, "no BEGIN:VCALENDAR"),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20270329\n".into(), 2, "never ends"),
        ("BEGIN:VCALENDAR\nEND:VEVENT\n".into(), 2, "without its BEGIN"),
        (inside("secret"), 3, "no content line"),
        (inside("SUMMARY:x"), 2, "without DTSTART"),
        (inside("DTSTART:20270229"), 3, "no date"),
        (inside("DTSTART:secret"), 3, "no date"),
        (inside("DTSTART:20270329T2500Z"), 3, "no date"),
        (inside("DTSTART:99990229"), 3, "no date"),
        (inside("DTSTART;TZID=Secret/Nowhere:20270329T100000"), 3, "time zone"),
        (inside("DTSTART:20270329\nDURATION:1H"), 4, "no duration"),
        (inside("DTSTART:20270329\nDURATION:PT"), 4, "no duration"),
        (inside("DTSTART:20270329\nDURATION:P1000000W"), 4, "no duration"),
        (inside("DTSTART:20270329\nEXRULE:FREQ=DAILY"), 4, "EXRULE"),
        (inside("DTSTART:20270329\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270329"), 4, "following"),
        (inside("DTSTART:20270329\nSEQUENCE:secret"), 4, "no number"),
        (inside(&format!("DTSTART;TZID={}:20270329T100000", "/".repeat(1 << 20))), 3, "time zone"),
        (inside("DTSTART;TZID=Nowhere/EST:20270329T100000"), 3, "time zone"),
        (inside("DTSTART;TZID=Nowhere/utc:20270329T100000"), 3, "time zone"),
        (inside("BEGIN:X-GROUP\nBEGIN:VEVENT\nDTSTART:20270329"), 4, "not directly"),
        (
            format!(
                "BEGIN:VCALENDAR\n{}",
                ZONE.to_owned() + "BEGIN:VEVENT\nDTSTART;TZID=EST:20270329T100000"
            ),
            10,
            "ambiguous",
        ),
    ] {
        let error = parse(&text).err().expect("no calendar");
        assert!(error.starts_with(&format!("a.ics, line {line}: ")), "{text}: {error}");
        assert!(
            error.contains(part) && !error.to_lowercase().contains("secret"),
            "{text}: {error}"
        );
    }
    for (rule, part) in [
        ("FREQ=OFTEN", "no recurrence rule"),
        ("FREQ=DAILY;BYMONTH=13", "no recurrence rule"),
        ("FREQ=SECONDLY", "every minute or second"),
        (
            "FREQ=YEARLY;BYDAY=MO,TU;BYHOUR=0,1,2;BYMINUTE=0,10,20,30,40,50;BYSECOND=0,30",
            "every minute or second",
        ),
        ("FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "no recurrence in 100000 hours"),
        ("FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30;UNTIL=99991231", "no recurrence in 100000 hours"),
        ("FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30;COUNT=9", "no recurrence in 100000 hours"),
        ("FREQ=HOURLY", "more than 36600"),
        ("FREQ=DAILY;UNTIL=secret", "no date"),
    ] {
        let text = inside(&format!("DTSTART:20000101T000000Z\nRRULE:{rule}"));
        let calendar = parse(&text).expect("rules are read when they are needed");
        let error =
            calendar.free(&search("2027-03-29", "09:00-10:00", "UTC")).expect_err("no rule");
        let error = error.to_string();
        assert!(error.starts_with("a.ics, line 4: ") && error.contains(part), "{rule}: {error}");
    }
    let latin = Calendar::parse("a.ics".into(), b"BEGIN:VCALENDAR\nX:\xe9\n".to_vec());
    let error = latin.err().expect("no text").to_string();
    assert!(error.starts_with("a.ics, line 2: bytes"), "{error}");
}

#[test]
fn a_rule_that_never_comes_ends() {
    let never =
        event("DTSTART:20270301T100000Z\nDURATION:PT1H\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
    assert_eq!(busy_hours(&never), [0; 0]);
    let many = Search {
        lengths: lengths(1),
        step: 1,
        ..search("2027-03-29..2027-04-02", "00:00-24:00", "UTC")
    };
    let error = calendar("").free(&many).expect_err("too many").to_string();
    assert!(error.contains("7200") && error.contains("4096"), "{error}");
}

#[test]
fn the_work_on_a_calendar_is_bounded() {
    let fails = |calendar: &Calendar| {
        let found = calendar.free(&search("2027-03-29", "09:00-10:00", "UTC"));
        found.expect_err("too much").to_string()
    };
    let hourly = event("DTSTART:20230401T000000Z\nDURATION:PT1M\nRRULE:FREQ=HOURLY");
    let error = fails(&calendar(&hourly.repeat(600)));
    assert!(error.contains("all the work"), "{error}");
    let never = "DTSTART:20270301T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30";
    for end in [";UNTIL=99991231", ";UNTIL=20270310", ";COUNT=2"] {
        let error = fails(&calendar(&event(&format!("{never}{end}")).repeat(60)));
        assert!(error.contains("all the work"), "{end}: {error}");
    }
    // Nor are days free of charge that lie behind the search.
    let rare = never.replace("BYMONTHDAY=30", "BYMONTHDAY=29;BYDAY=MO");
    let error = fails(&calendar(&event(&rare).repeat(2_000)));
    assert!(error.contains("all the work"), "{error}");
    // Nobody looks at rules that begin after the search.
    let later = hourly.replace("2023", "2028").repeat(5_000);
    assert_eq!(busy_hours(&later), [0; 0]);
    // As many exceptions as recurrences.
    let days: Vec<String> =
        (0..30_000).map(|day| format!("EXDATE:{}", 20_270_329 - day % 20)).collect();
    let except =
        format!("DTSTART:19500329T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\n{}", days.join("\n"));
    assert_eq!(busy_hours(&event(&except)), [0; 0]);
}

#[test]
fn what_ends_before_it_begins_is_refused() {
    let search = search("2027-03-29", "09:00-10:00", "UTC");
    for lines in [
        "DTSTART:20270329T100000Z\nDTEND:20270328T110000Z",
        "DTSTART;VALUE=DATE:20270329\nDTEND;VALUE=DATE:20260330",
        "DTSTART:20270329T100000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20270329T150000Z/20270329T140000Z",
    ] {
        let error = calendar(&event(lines)).free(&search).expect_err("it is wrong").to_string();
        assert!(error.contains("ends before it begins"), "{lines}: {error}");
    }
    let free = "BEGIN:VFREEBUSY\nFREEBUSY:20270329T080000Z/20270329T070000Z\nEND:VFREEBUSY\n";
    let error = calendar(free).free(&search).expect_err("it is wrong").to_string();
    assert!(error.contains("line 4: an event that ends"), "{error}");
}

#[test]
fn preferences_put_slots_in_order() {
    let search = search("2027-03-29..2027-03-30", "10:00-14:00", "Europe/Berlin");
    let slots = calendar("").free(&search).expect("free");
    let order = |preference: &str| {
        let preference: Preference = match preference.strip_prefix("file:") {
            Some(text) => Preference::parse("likes.txt", text).expect("rules"),
            None => preference.parse().expect("a word"),
        };
        let ranked = preference.rank(slots.clone(), search.zone);
        // Days 1 and 2 with the local hour, in summer time.
        let short = |slot: &Slot| {
            let hour: u32 = slot.start()[11..13].parse().expect("an hour");
            format!("{}.{}", if &slot.start()[9..10] == "9" { 1 } else { 2 }, hour + 2)
        };
        ranked.iter().map(short).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order("early"), "1.10 1.11 1.12 1.13 2.10 2.11 2.12 2.13");
    assert_eq!(order("late"), "2.13 2.12 2.11 2.10 1.13 1.12 1.11 1.10");
    assert_eq!(order("mornings"), "1.10 1.11 2.10 2.11 1.12 1.13 2.12 2.13");
    assert_eq!(order("afternoons"), "1.12 1.13 2.12 2.13 1.10 1.11 2.10 2.11");
    assert_eq!(
        order("file:2027-03-30T11:00:00+02:00 # best\n\nTue 12:00-14:00\n11:00\nnot 13:00\n"),
        "2.11 2.12 1.11 1.10 1.12 2.10"
    );
    assert_eq!(
        order("file:tue-wed\nnot weekends\nnot mon 10:00-12:00"),
        "2.10 2.11 2.12 2.13 1.12 1.13"
    );
    assert_eq!(order("file:sat-mon\nweekdays 13:00"), "1.10 1.11 1.12 1.13 2.13 2.10 2.11 2.12");
    for (text, line) in
        [("mon\nsometimes", 2), ("mon 9:00", 1), ("10:00-10:00", 1), ("mon tue wed", 1), ("not", 1)]
    {
        let error = Preference::parse("likes.txt", text).expect_err("no rule").to_string();
        assert!(error.starts_with(&format!("likes.txt, line {line}: ")), "{text}: {error}");
    }
}

#[test]
fn slots_of_several_lengths_are_put_in_order_together() {
    let lengths = "30m,60m".parse().expect("lengths");
    let search =
        Search { lengths, step: 30, ..search("2027-03-29", "11:00-13:00", "Europe/Berlin") };
    let slots = calendar("").free(&search).expect("free");
    let order = |preference: &str| {
        let preference: Preference = match preference.strip_prefix("file:") {
            Some(text) => Preference::parse("likes.txt", text).expect("rules"),
            None => preference.parse().expect("a word"),
        };
        let short = |slot: &Slot| slot.clock(search.zone).map(|at| at[11..].to_owned()).join("-");
        let ranked = preference.rank(slots.clone(), search.zone);
        ranked.iter().map(short).collect::<Vec<_>>().join(" ")
    };
    // Of those that start together, that of the length named first.
    let [eleven, half, noon, last] = [
        "11:00-11:30 11:00-12:00",
        "11:30-12:00 11:30-12:30",
        "12:00-12:30 12:00-13:00",
        "12:30-13:00",
    ];
    assert_eq!(order("early"), [eleven, half, noon, last].join(" "));
    assert_eq!(order("late"), [last, noon, half, eleven].join(" "));
    assert_eq!(order("afternoons"), [noon, last, eleven, half].join(" "));
    // A rule may be about one length.
    let short = "11:00-11:30 11:30-12:00 12:00-12:30 12:30-13:00";
    assert_eq!(order("file:1h"), format!("11:00-12:00 11:30-12:30 12:00-13:00 {short}"));
    assert_eq!(
        order("file:60m mon 12:00-13:00\n30m\nnot 60m 11:00"),
        format!("12:00-13:00 {short} 11:30-12:30")
    );
    assert_eq!(
        order("file:60m 2027-03-29T11:30:00+02:00\nnot 30m\n45m"),
        "11:30-12:30 11:00-12:00 12:00-13:00"
    );
    for wrong in ["60m tomorrow", "60 mon", "mon 60m", "not 90s"] {
        assert!(Preference::parse("likes.txt", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn flags_read_as_people_write_them() {
    for bad in [
        "2027-3-29",
        "2027-03-30..2027-03-29",
        "2027-01-01..2028-01-02",
        "2027-02-29",
        "tomorrow",
        "..",
    ] {
        assert!(bad.parse::<Dates>().is_err(), "{bad}");
    }
    let dates: Dates = "2027-03-29..2027-03-30".parse().expect("days");
    assert_eq!(dates.to_string(), "2027-03-29..2027-03-30");
    for bad in [
        "9:00-18:00",
        "18:00-09:00",
        "09:00-09:00",
        "09:00-24:01",
        "09:60-10:00",
        "09:00",
        "77777777:77-09:00",
    ] {
        assert!(bad.parse::<Hours>().is_err(), "{bad}");
    }
    assert!("CET+1".parse::<Zone>().is_err() && "Europe/Berlin".parse::<Zone>().is_ok());
}

#[test]
fn slots_become_a_table_whose_keys_keep_their_order() {
    let slots = calendar("").free(&search("2027-03-29", "09:00-12:00", "UTC")).expect("free");
    let ranked = Preference::Late.rank(slots, "UTC".parse().expect("a zone"));
    let table = slot_table("a.ics".into(), &ranked).expect("a table");
    let keys = KeySet::build(&table, &"start,end".parse().expect("a key")).expect("columns");
    let texts = ["2027-03-29T11:00:00Z", "2027-03-29T12:00:00Z"];
    let first = texts.map(|text| [&[text.len() as u8, 0, 0, 0], text.as_bytes()].concat()).concat();
    assert_eq!(keys.digests()[0], *blake3::hash(&first).as_bytes());
    assert_eq!(keys.len(), 3);
}

#[test]
fn what_was_agreed_on_is_a_calendar_that_others_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.ics");
    let search = search("2027-03-29", "09:00-10:00", "Europe/Berlin");
    let slots = calendar("").free(&search).expect("free");
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    slots[0].write(&Destination::new(&path.display().to_string(), false), now).expect("written");
    let text = std::fs::read_to_string(&path).expect("it is there");
    // The library, another reader, agrees; and so does this one.
    let read: icalendar::Calendar = text.parse().expect("a calendar");
    let icalendar::CalendarComponent::Event(event) = &read.components[0] else {
        panic!("an event")
    };
    use icalendar::Component;
    let start = icalendar::DatePerhapsTime::from(slots[0].start);
    let end = icalendar::DatePerhapsTime::from(slots[0].end);
    assert_eq!((event.get_start(), event.get_end()), (Some(start), Some(end)));
    assert_eq!(event.get_timestamp().map(|stamp| stamp.timestamp()), Some(1_800_000_000));
    let back = parse(&text).expect("a calendar");
    assert_eq!(back.free(&search).expect("it can be read"), []);
    assert!(text.lines().count() == 11 && text.ends_with("\r\n"));
}

#[test]
fn a_sheet_without_a_calendar_has_what_was_painted() {
    let search =
        Search { lengths: lengths(60), step: 30, ..search("2027-03-29", "09:15-11:45", "UTC") };
    let sheet = Sheet::new(None, &search).expect("a sheet");
    let starts: Vec<String> = sheet.cells().iter().map(Slot::start).collect();
    assert_eq!(starts[0], "2027-03-29T09:30:00Z");
    assert_eq!((starts.len(), sheet.cells()[4].end()), (5, "2027-03-29T12:00:00Z".to_owned()));
    assert_eq!((sheet.is_free(), sheet.slots().expect("few")), (vec![false; 5], vec![]));
    let painted = [0, 1, 3, 4].map(|cell| (starts[cell].clone(), true));
    let unknown = ("2027-03-28T10:00:00Z".to_owned(), true);
    let sheet = sheet.corrected(&painted.into_iter().chain([unknown]).collect());
    assert_eq!(sheet.is_free(), [true, true, false, true, true]);
    // That from 11:00 would end after the hours.
    let slots = sheet.slots().expect("few");
    assert_eq!(slots.iter().map(Slot::start).collect::<Vec<_>>(), [starts[0].clone()]);
    let berlin = "Europe/Berlin".parse().expect("a zone");
    assert_eq!(slots[0].clock(berlin), ["2027-03-29T11:30", "2027-03-29T12:30"]);
}

proptest::proptest! {
    #[test]
    fn a_correction_counts_for_its_cell_and_the_calendar_elsewhere(
        events in proptest::collection::vec((0u32..1440, 1u32..600), 0..8),
        corrections in proptest::collection::btree_map(0u32..48, proptest::bool::ANY, 0..20),
        length in 1u32..180,
    ) {
        let text: String = events.iter().map(|(start, minutes)| {
            event(&format!("DTSTART:20270329T{:02}{:02}00Z\nDURATION:PT{minutes}M", start / 60, start % 60))
        }).collect();
        let search = Search { lengths: lengths(length), step: 30, ..search("2027-03-29", "00:00-24:00", "UTC") };
        let mut busy = [false; 1440];
        for (start, minutes) in &events {
            busy[*start as usize..(start + minutes).min(1440) as usize].fill(true);
        }
        for (cell, free) in &corrections {
            busy[*cell as usize * 30..][..30].fill(!free);
        }
        let none = |range: std::ops::Range<u32>| !busy[range.start as usize..range.end as usize].contains(&true);
        let name = |start: u32| format!("2027-03-29T{:02}:{:02}:00Z", start / 60, start % 60);
        let said = corrections.iter().map(|(cell, free)| (name(cell * 30), *free)).collect();
        let sheet = Sheet::new(Some(&calendar(&text)), &search).expect("a sheet").corrected(&said);
        let cells: Vec<bool> = (0..48).map(|cell| none(cell * 30..cell * 30 + 30)).collect();
        proptest::prop_assert_eq!(sheet.is_free(), cells);
        let starts: Vec<String> = (0..1440).step_by(30)
            .filter(|start| start + length <= 1440 && none(*start..start + length)).map(name).collect();
        let slots: Vec<String> = sheet.slots().expect("few").iter().map(Slot::start).collect();
        proptest::prop_assert_eq!(slots, starts);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_calendar_or_names_a_line(text in "(?s)(BEGIN:|END:|VEVENT|VCALENDAR|DTSTART|RRULE:FREQ=DAILY|[;:=,]|2027|T|Z|\n|\\PC){0,40}") {
        match parse(&format!("BEGIN:VCALENDAR\n{text}")) {
            Ok(calendar) => drop(calendar.free(&search("2027-03-29", "09:00-10:00", "UTC"))),
            Err(error) => proptest::prop_assert!(error.starts_with("a.ics, line "), "{error}"),
        }
    }

    #[test]
    fn any_rule_has_recurrences_or_names_its_line(
        freq in "HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY", interval in 0u16..,
        more in "(;COUNT=[0-9]{1,5}|;BYMONTH=-?[0-9]{1,2}|;BYMONTHDAY=-?[0-9]{1,2}|;BYDAY=(-?[0-9]{1,2})?(MO|SU)|;BYYEARDAY=-?[0-9]{1,3}|;BYWEEKNO=-?[0-9]{1,2}|;BYHOUR=[0-9]{1,2}|;BYSETPOS=-?[0-9]{1,3}|;WKST=TU|;UNTIL=[0-9]{8}){0,3}",
        start in "(1[6-9]|2[01])[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|1[0-9]|2[0-8])",
    ) {
        let rule = event(&format!("DTSTART:{start}T090000\nDURATION:PT1H\nRRULE:FREQ={freq};INTERVAL={interval}{more}"));
        if let Err(error) = calendar(&rule).free(&search("2027-03-29", "09:00-10:00", "UTC")) {
            proptest::prop_assert!(error.to_string().starts_with("a.ics, line 7: "), "{}", error);
        }
    }

    #[test]
    fn a_slot_is_free_if_no_event_overlaps_it(
        events in proptest::collection::vec((0u32..1440, 1u32..600), 0..12),
        minutes in proptest::collection::btree_set(1u32..180, 1..4),
        last in proptest::bool::ANY,
    ) {
        let text: String = events.iter().map(|(start, minutes)| {
            event(&format!("DTSTART:20270329T{:02}{:02}00Z\nDURATION:PT{minutes}M", start / 60, start % 60))
        }).collect();
        let mut minutes: Vec<u32> = minutes.into_iter().collect();
        if last {
            minutes.reverse();
        }
        let lengths = minutes.iter().map(|minutes| format!("{minutes}m")).collect::<Vec<_>>().join(",");
        let lengths = lengths.parse().expect("lengths");
        let search = Search { lengths, step: 15, ..search("2027-03-29", "00:00-24:00", "UTC") };
        let ends = |start: u32| minutes.iter().map(move |minutes| (start, start + minutes));
        let time = |minute: u32| match minute {
            1440 => "2027-03-30T00:00:00Z".to_owned(),
            minute => format!("2027-03-29T{:02}:{:02}:00Z", minute / 60, minute % 60),
        };
        let expected: Vec<String> = (0..1440).step_by(15).flat_map(ends)
            .filter(|(_, end)| *end <= 1440)
            .filter(|(start, end)| events.iter().all(|(begin, minutes)| end <= begin || begin + minutes <= *start))
            .map(|(start, end)| format!("{}/{}", time(start), time(end)))
            .collect();
        let slots = calendar(&text).free(&search).expect("it can be read");
        proptest::prop_assert_eq!(slots.iter().map(Slot::to_string).collect::<Vec<_>>(), expected);
    }
}
