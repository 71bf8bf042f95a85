//! The table of rules: their names, what values they take, and what they say in a sentence.

use std::path::Path;
use std::str::FromStr;

use chrono::NaiveDate;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use veilset_names::UnknownName;
use veilset_protocols::{Operation, Security, find, find_multiparty};
use veilset_session::{Learn, MAX_NAME, NoNoise, Noise};

use super::{Place, Policy, PolicyError, Tongue};
use crate::ledger::MOST_DIFFERENCE;

/// A rule's value with the line that it stands in.
#[derive(Debug, Clone)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) line: usize,
}

/// A value of the file that a rule takes.
trait Value: Sized {
    /// This value, or what is wanted in its place.
    fn of(value: &DeValue<'_>) -> Result<Self, String>;
}

/// Declares the rules: each a field, its name in the file, and its type.
macro_rules! rules {
    ($($(#[$doc:meta])* $field:ident = $name:literal: $type:ty;)*) => {
        /// Rules, as far as there are any.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct Section {
            $($(#[$doc])* pub(crate) $field: Option<Placed<$type>>,)*
        }

        /// The names of all rules.
        pub(crate) const NAMES: &[&str] = &[$($name),*];

        impl Section {
            /// Takes the rule of this name.
            fn set(&mut self, name: &str, value: &DeValue<'_>, place: Place) -> Result<(), PolicyError> {
                match name {
                    $($name => {
                        let line = place.line;
                        let read = <$type>::of(value);
                        let value = read.map_err(|wanted| PolicyError::Value { place, name: $name, wanted })?;
                        self.$field = Some(Placed { value, line });
                    })*
                    _ => return Err(unknown(name, place)),
                }
                Ok(())
            }

            /// These rules, and of the others those that are not among them.
            pub(crate) fn or(self, others: Self) -> Self {
                Self { $($field: self.$field.or(others.$field),)* }
            }
        }
    };
}

rules! {
    /// What may be computed.
    operations = "operations": Vec<Operation>;
    /// Who may learn, as this side sees it.
    learn = "learn": Vec<Learn>;
    /// The least security.
    security = "security": Security;
    /// The protocols that may run.
    protocols = "protocols": Vec<Protocol>;
    /// The columns that may be keys.
    key_columns = "key-columns": Vec<String>;
    /// The presets that keys may have.
    key_presets = "key-presets": Vec<String>;
    /// The columns that may go to the peer: as rows, labels, or values that are added up.
    send_columns = "send-columns": Vec<String>;
    /// The fewest distinct keys of this side's list.
    own_least = "own-least": u64;
    /// The most.
    own_most = "own-most": u64;
    /// The fewest distinct keys of the peer's list.
    peer_least = "peer-least": u64;
    /// The most.
    peer_most = "peer-most": u64;
    /// How many keys the peer is told of at least: lists are filled up to that.
    pad_to = "pad-to": u64;
    /// The fewest matches of a result that is released.
    least = "least": u64;
    /// The most per cent of the smaller list that may match in one.
    most_rate = "most-rate": u8;
    /// To multiples of what numbers are rounded.
    round = "round": u64;
    /// The noise of a count.
    noise = "noise": Noise;
    /// How many runs with a peer there may be in a time.
    runs = "runs": Allowance<u64>;
    /// How many runs of one operation with one list.
    runs_per_list = "runs-per-list": u64;
    /// How much noise may be spent on a peer in a time.
    epsilon = "epsilon": Allowance<f64>;
    /// By how many keys a list differs at least from each that was used before.
    least_difference = "least-difference": Difference;
    /// The agreement's reference, which both sides give.
    reference = "reference": String;
    /// The first day on which there are runs.
    from = "from": NaiveDate;
    /// The last day.
    until = "until": NaiveDate;
}

/// A protocol's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Protocol(pub(crate) &'static str);

impl Value for String {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let fits = |text: &&str| {
            !text.trim().is_empty() && text.len() <= MAX_NAME && !text.contains(char::is_control)
        };
        let text = value.as_str().filter(fits);
        text.map(str::to_owned).ok_or_else(|| format!("a text of 1 to {MAX_NAME} bytes"))
    }
}

impl Value for u64 {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let number = value.as_integer().and_then(|number| {
            Self::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
        });
        number.filter(|number| *number > 0).ok_or_else(|| "a number from 1".to_owned())
    }
}

impl Value for u8 {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let per_cent = u64::of(value).ok().and_then(|number| Self::try_from(number).ok());
        let wanted = || "a whole number of per cent, from 1 to 99".to_owned();
        per_cent.filter(|number| *number < 100).ok_or_else(wanted)
    }
}

impl Value for NaiveDate {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let date = value.as_datetime().filter(|at| at.time.is_none()).and_then(|at| at.date);
        let date = date.and_then(|date| {
            Self::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
        });
        date.ok_or_else(|| "a date such as 2027-12-31, without quotation marks".to_owned())
    }
}

/// So much in a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Allowance<T> {
    pub(crate) most: T,
    /// In seconds.
    pub(crate) within: u64,
}

impl<T> Allowance<T> {
    /// The time in words.
    pub(crate) fn time(&self) -> String {
        let unit = TIMES.iter().find(|(.., seconds)| self.within.is_multiple_of(*seconds));
        let (_, name, seconds) = unit.copied().unwrap_or(("s", "second", 1));
        match self.within / seconds {
            1 => format!("1 {name}"),
            count => format!("{count} {name}s"),
        }
    }
}

/// The units of times, the longest first.
const TIMES: [(&str, &str, u64); 2] = [("d", "day", 86_400), ("h", "hour", 3_600)];

impl<T: FromStr + PartialOrd + Default> Value for Allowance<T> {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let read = |text: &str| {
            let (most, within) = text.split_once(" per ")?;
            let (unit, _, seconds) = TIMES.iter().find(|(unit, ..)| within.ends_with(unit))?;
            let count: u64 = within.strip_suffix(unit)?.trim().parse().ok()?;
            let within = count.checked_mul(*seconds).filter(|within| *within > 0)?;
            // A number in digits: there is no infinite budget.
            let digits = most.chars().all(|digit| digit.is_ascii_digit() || ".".contains(digit));
            let most = most.parse().ok().filter(|most| digits && *most > T::default())?;
            Some(Self { most, within })
        };
        let wanted = || "a text such as \"10 per 7d\" or \"3 per 24h\"".to_owned();
        value.as_str().and_then(read).ok_or_else(wanted)
    }
}

/// By how many keys lists differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference(pub(crate) u64);

impl Value for Difference {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let number = u64::of(value).ok().filter(|number| *number <= MOST_DIFFERENCE);
        number.map(Self).ok_or_else(|| format!("a number from 1 to {MOST_DIFFERENCE}"))
    }
}

/// What is named, or the names that there are.
fn named<T: FromStr<Err = UnknownName>>(value: &DeValue<'_>) -> Result<T, String> {
    let text = value.as_str().unwrap_or_default();
    text.parse().map_err(|UnknownName(names)| format!("one of {names}"))
}

impl Value for Operation {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        named(value)
    }
}

impl Value for Learn {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        named(value)
    }
}

impl Value for Security {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        named(value)
    }
}

impl Value for Noise {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        value.as_str().unwrap_or_default().parse().map_err(|NoNoise| {
            "a text such as \"epsilon=1,delta=1e-9\", as --noise does".to_owned()
        })
    }
}

impl Value for Protocol {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let of_two = |id| find(id).map(|protocol| protocol.spec().id);
        let of_several = |id| find_multiparty(id).map(|protocol| protocol.spec().id);
        let of_others = |id: &str| id.parse().ok().map(Tongue::name);
        let any = |id| of_two(id).or_else(|| of_several(id)).or_else(|| of_others(id));
        let id = value.as_str().and_then(any);
        let wanted = || {
            format!("a name that `veilset protocols` lists, or {}", Tongue::NAMES.all.join(" or "))
        };
        id.map(Self).ok_or_else(wanted)
    }
}

impl<T: Value> Value for Vec<T> {
    fn of(value: &DeValue<'_>) -> Result<Self, String> {
        let Some(values) = value.as_array() else {
            return Err("a list, in brackets".to_owned());
        };
        let values = values.iter().map(|value| T::of(value.get_ref()));
        values.collect::<Result<_, _>>().map_err(|wanted| format!("a list, each {wanted}"))
    }
}

fn unknown(name: &str, place: Place) -> PolicyError {
    let name = name.chars().take(MAX_NAME).flat_map(char::escape_debug).collect();
    PolicyError::Unknown { place, name, all: NAMES.join(", ") }
}

impl Policy {
    /// The policy that a text is, which stands at `path`.
    ///
    /// # Errors
    /// With the line that is no rule.
    pub fn parse(path: &Path, text: &str) -> Result<Self, PolicyError> {
        let place = |at: usize| {
            let before = text.get(..at).unwrap_or(text);
            Place { path: path.to_owned(), line: before.matches('\n').count() + 1 }
        };
        let parsed = DeTable::parse(text).map_err(|error| PolicyError::Syntax {
            place: place(error.span().map_or(0, |span| span.start)),
            why: error.message().to_owned(),
        })?;
        let mut policy = Self { path: path.to_owned(), ..Self::default() };
        for (name, value) in parsed.get_ref() {
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("peers", DeValue::Table(peers)) => {
                    for (peer, rules) in peers {
                        let at = place(peer.span().start);
                        let section = of_peer(rules, at, &place)?;
                        policy.peers.insert(peer.get_ref().to_string(), section);
                    }
                }
                _ => set(&mut policy.general, name, value, &place)?,
            }
        }
        policy.check_bounds()?;
        Ok(policy)
    }

    /// Whether some run obeys all rules.
    fn check_bounds(&self) -> Result<(), PolicyError> {
        let peers = self.peers.values().map(|own| own.clone().or(self.general.clone()));
        for section in peers.chain([self.general.clone()]) {
            for (low, high, name, other) in [
                (&section.own_least, &section.own_most, "own-least", "own-most"),
                (&section.peer_least, &section.peer_most, "peer-least", "peer-most"),
            ] {
                crossed(low, high).map_or(Ok(()), |line| {
                    let place = Place { path: self.path.clone(), line };
                    Err(PolicyError::Crossed { place, name, other })
                })?;
            }
            if let Some(line) = crossed(&section.from, &section.until) {
                let place = Place { path: self.path.clone(), line };
                return Err(PolicyError::Crossed { place, name: "from", other: "until" });
            }
        }
        Ok(())
    }
}

/// The line of a lower bound that is above the upper one.
fn crossed<T: PartialOrd>(low: &Option<Placed<T>>, high: &Option<Placed<T>>) -> Option<usize> {
    let (low, high) = (low.as_ref()?, high.as_ref()?);
    (low.value > high.value).then_some(low.line)
}

fn of_peer(
    rules: &Spanned<DeValue<'_>>,
    at: Place,
    place: &dyn Fn(usize) -> Place,
) -> Result<Section, PolicyError> {
    let DeValue::Table(rules) = rules.get_ref() else {
        let why = "a peer's rules stand under [peers.NAME]".to_owned();
        return Err(PolicyError::Syntax { place: at, why });
    };
    let mut section = Section::default();
    for (name, value) in rules {
        set(&mut section, name, value, place)?;
    }
    Ok(section)
}

fn set(
    section: &mut Section,
    name: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    place: &dyn Fn(usize) -> Place,
) -> Result<(), PolicyError> {
    section.set(name.get_ref(), value.get_ref(), place(name.span().start))
}
