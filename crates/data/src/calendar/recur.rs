//! Recurrences (RFC 5545, sections 3.3.10 and 3.8.5), up to the end of a search.
//!
//! A rule goes by what clocks show: it is expanded on clock times, as if these had no zone, and each start then becomes an
//! instant in the event's zone. So a rule keeps its hour across daylight saving, and `UNTIL`, which is an instant, is
//! turned into clock time first.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};

use super::event::Event;
use super::time::{Bad, When, Zone};

/// The most starts that a rule may have up to the end of a search: a century of days, or four years of hours.
const MAX_STARTS: usize = 36_600;

/// The most starts a day: a rule by the hour.
const MAX_TIMES: u64 = 24;

/// Steps without a start after which a rule is taken to have no more: 273 years of days, but eleven of hours.
const LONGEST_GAP: u64 = 100_000;

/// What is left to spend on the rules of a calendar, whose events others may have sent: times of days that are looked at.
pub(super) struct Budget(u64);

impl Budget {
    /// Enough for 100 daily rules over a century; spent within seconds.
    pub(super) fn new() -> Self {
        Self(5_000_000)
    }

    fn spend(&mut self, times: u64) -> Result<(), Bad> {
        self.0 = self.0.checked_sub(times).ok_or(
            "one rule too many: those before it take all the work that a calendar may; drop past events",
        )?;
        Ok(())
    }
}

/// The starts of `event` before `end`, those of its rules and of `DTSTART` itself.
pub(super) fn starts(
    event: &Event,
    home: Zone,
    end: DateTime<Utc>,
    budget: &mut Budget,
) -> Result<Vec<When>, (u64, Bad)> {
    let mut starts = vec![event.start];
    for (line, rule) in &event.rules {
        let found = clocks(event.start, rule, home, end, budget).map_err(|bad| (*line, bad))?;
        starts.extend(found.into_iter().map(|clock| event.start.at(clock)));
    }
    Ok(starts)
}

fn clocks(
    start: When,
    text: &str,
    home: Zone,
    end: DateTime<Utc>,
    budget: &mut Budget,
) -> Result<Vec<NaiveDateTime>, Bad> {
    const WRONG: Bad = "no recurrence rule";
    let first = start.clock().and_utc().with_timezone(&rrule::Tz::UTC);
    let text = by_the_clock(text, start, home)?;
    let rule: RRule<Unvalidated> = text.parse().map_err(|_| WRONG)?;
    let times = times_a_day(&rule);
    let fast = matches!(rule.get_freq(), Frequency::Minutely | Frequency::Secondly);
    if fast || times > MAX_TIMES {
        return Err("an event that recurs every minute or second");
    }
    let rule = rule.validate(first).map_err(|_| WRONG)?;
    let end = start.zone(home).local(end);
    let days = (end - start.clock()).num_days();
    let Ok(days) = u64::try_from(days) else { return Ok(Vec::new()) };
    budget.spend(times * (days + 1))?;
    let until = rule.get_until().map(|until| until.naive_utc() + TimeDelta::seconds(1));
    let last = until.map_or(end, |until| until.min(end));
    let count = rule.get_count().map_or(usize::MAX, |count| count as usize);
    let endless: RRule<Unvalidated> = endless(&text).parse().map_err(|_| WRONG)?;
    let endless = endless.validate(first).map_err(|_| WRONG)?;
    let later = RRuleSet::new(first).rrule(endless).limit();
    let later = later.into_iter().map(|start| start.naive_utc());
    before(later, last, count, |next| match next {
        Some(next) => {
            let beyond = u64::try_from((next - end).num_days()).unwrap_or_default();
            budget.spend(times * beyond)
        }
        None if rule.get_freq() == Frequency::Hourly => {
            Err("a rule by the hour that finds no recurrence in 100000 hours")
        }
        None => budget.spend(LONGEST_GAP),
    })
}

/// The starts before `last`, up to `count` of them. Calls `over` with the one that is too late, or with none where the library
/// finds no more.
fn before(
    mut starts: impl Iterator<Item = NaiveDateTime>,
    last: NaiveDateTime,
    count: usize,
    mut over: impl FnMut(Option<NaiveDateTime>) -> Result<(), Bad>,
) -> Result<Vec<NaiveDateTime>, Bad> {
    let mut found = Vec::new();
    while found.len() < count {
        match starts.next() {
            Some(start) if start < last && found.len() == MAX_STARTS => {
                return Err(
                    "a rule with more than 36600 recurrences up to the last day of the search",
                );
            }
            Some(start) if start < last => found.push(start),
            next => {
                over(next)?;
                break;
            }
        }
    }
    Ok(found)
}

/// The rule without its end. The library looks for an end only where it finds a start, however long that takes.
fn endless(text: &str) -> String {
    let is_end = |part: &&str| part.starts_with("UNTIL=") || part.starts_with("COUNT=");
    text.split(';').filter(|part| !is_end(part)).collect::<Vec<_>>().join(";")
}

/// How often a rule looks at a day, at most.
fn times_a_day(rule: &RRule<Unvalidated>) -> u64 {
    let hours = match (rule.get_freq(), rule.get_by_hour().len()) {
        (Frequency::Hourly, 0) => 24,
        (_, hours) => hours.max(1),
    };
    let within = [rule.get_by_minute(), rule.get_by_second()].map(|list| list.len().max(1));
    (hours * within[0] * within[1]) as u64
}

/// The last time that a rule can name: in some zones it is a day later.
const LAST: NaiveDateTime = NaiveDateTime::new(
    NaiveDate::from_ymd_opt(9999, 12, 31).expect("a date"),
    NaiveTime::from_hms_opt(23, 59, 59).expect("a time"),
);

/// The rule with `UNTIL` as what clocks show in the event's zone. A date stands for the whole day.
fn by_the_clock(text: &str, start: When, home: Zone) -> Result<String, Bad> {
    let part = |part: &str| {
        let Some(until) = part.strip_prefix("UNTIL=") else { return Ok(part.to_owned()) };
        let clock = match When::parse(until, None)? {
            When::Day(day) => day.and_time(NaiveTime::from_hms_opt(23, 59, 59).unwrap_or_default()),
            When::Clock(clock, _) => clock,
            When::Instant(instant) => start.zone(home).local(instant),
        };
        // Rules that end before they begin have no recurrence but the first; those of four digits end within them.
        let clock = clock.min(LAST).max(start.clock());
        Ok(format!("UNTIL={}Z", clock.format("%Y%m%dT%H%M%S")))
    };
    let parts: Result<Vec<String>, Bad> = text.to_ascii_uppercase().split(';').map(part).collect();
    parts.map(|parts| parts.join(";"))
}
