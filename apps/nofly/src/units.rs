//! Flags' values and numbers for a reader.

use std::time::Duration;

use veilset::registry::Operation;
use veilset::units::protocol_of;
pub(crate) use veilset::units::{duration, show_bytes, threads};

use crate::args::ProtocolArg;

/// `auto` or the id of a protocol that intersects.
pub(crate) fn protocol(text: &str) -> Result<ProtocolArg, String> {
    protocol_of(Operation::Intersect, text).map(ProtocolArg)
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
        assert!(protocol("auto").is_ok_and(|protocol| protocol.0.is_none()));
        assert!(protocol("dh").is_ok_and(|protocol| protocol.0 == Some("dh")));
        let refused = protocol("mqrpmt-dh").err().expect("it only counts");
        assert!(refused.contains(" dh,") && !refused.contains("mqrpmt-dh,"), "{refused}");
    }

    #[test]
    fn numbers_carry_units() {
        assert_eq!(show_duration(Duration::from_micros(250)), "0.2 ms");
        assert_eq!(show_duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(show_duration(Duration::from_secs(150)), "2.5 min");
    }
}
