//! Flags' values and numbers for a reader.

use std::time::Duration;

use veilset::registry::{Operation, PROTOCOLS, find};
pub(crate) use veilset::units::{show_bytes, threads};

use crate::args::ProtocolArg;

/// `90s`, `10m`, `2h` or `500ms`: the unit is not optional.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
    let milliseconds = || {
        let (number, scale) =
            UNITS.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)))?;
        number.parse::<u64>().ok()?.checked_mul(scale)
    };
    milliseconds()
        .map(Duration::from_millis)
        .ok_or_else(|| "a duration with its unit is needed, such as 90s or 10m".to_owned())
}

/// `auto` or the id of a protocol that intersects.
pub(crate) fn protocol(text: &str) -> Result<ProtocolArg, String> {
    let intersects = |operation| operation == Operation::Intersect;
    match find(text).map(|protocol| protocol.spec()) {
        _ if text == "auto" => Ok(ProtocolArg(None)),
        Some(spec) if intersects(spec.operation) => Ok(ProtocolArg(Some(spec.id))),
        _ => {
            let specs = PROTOCOLS.iter().map(|protocol| protocol.spec());
            let ids: Vec<_> =
                specs.filter(|spec| intersects(spec.operation)).map(|spec| spec.id).collect();
            Err(format!("auto, or one of: {}", ids.join(", ")))
        }
    }
}

/// A duration for a reader.
pub(crate) fn show_duration(duration: Duration) -> String {
    match duration.as_secs_f64() {
        tiny if tiny < 0.01 => format!("{:.1} ms", tiny * 1e3),
        short if short < 1.0 => format!("{:.0} ms", short * 1e3),
        seconds if seconds < 120.0 => format!("{seconds:.1} s"),
        minutes => format!("{:.1} min", minutes / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(["90", "", "s", "1d"].iter().all(|text| duration(text).is_err()));
        assert!(threads("0").is_err() && threads("1").is_ok());
        assert!(protocol("auto").is_ok_and(|protocol| protocol.0.is_none()));
        assert!(protocol("dh").is_ok_and(|protocol| protocol.0 == Some("dh")));
        let refused = protocol("mqrpmt-dh").err().expect("it only counts");
        assert!(refused.contains(" dh,") && !refused.contains("mqrpmt-dh,"), "{refused}");
    }

    #[test]
    fn numbers_carry_units() {
        assert_eq!([show_bytes(999.0), show_bytes(1_500.0)], ["999 B", "1.5 kB"]);
        assert_eq!(show_duration(Duration::from_micros(250)), "0.2 ms");
        assert_eq!(show_duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(show_duration(Duration::from_secs(150)), "2.5 min");
    }
}
