//! What the two parties must agree on before any cryptography.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use veilset_channel::{Malformed, Message, Reader, Signal, Tag};
use veilset_crypto::Group;
use veilset_names::names;
use veilset_protocols::{AttachedShape, Choices, Digest, Operation, Reveal, Security};

/// The version of everything that crosses the wire; two versions never talk.
pub const WIRE_VERSION: u16 = 3;

/// The longest encoded terms in bytes.
const MAX_TERMS: usize = 32 * 1024;

/// The most columns of values, of labels, or of a union's rows.
pub const MAX_COLUMNS: usize = 64;

/// The longest name of a column in bytes.
const MAX_NAME: usize = 256;

/// The most details.
const MAX_DETAILS: usize = 16;

/// The most fraction digits of a value column.
const MAX_SCALE: u32 = 30;

/// The longest row of a union in bytes.
const MAX_WIDTH: u16 = 4096;

names! {
    "who learns";
    /// Who gets the result, as one side sees it.
    #[derive(Serialize, Deserialize)]
    pub enum Learn {
        /// This side alone.
        Me = "me",
        /// The peer alone.
        Peer = "peer",
        /// Both sides.
        Both = "both",
    }
}

impl Learn {
    /// The same choice as the peer must put it.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Me => Self::Peer,
            Self::Peer => Self::Me,
            Self::Both => Self::Both,
        }
    }

    /// To whom the result goes, whichever side is asked.
    #[must_use]
    pub fn reveal(self) -> Reveal {
        if self == Self::Both { Reveal::Both } else { Reveal::Receiver }
    }

    /// Whether this side gets the result.
    #[must_use]
    pub fn includes_me(self) -> bool {
        self != Self::Peer
    }
}

/// What this side wants.
#[derive(Debug, Clone)]
pub struct Offer {
    /// What to compute.
    pub operation: Operation,
    /// How; `None` leaves it to the planner.
    pub protocol: Option<&'static str>,
    /// Against whom the protocol must hold, at least.
    pub security: Security,
    /// Who gets the result.
    pub learn: Learn,
    /// The versioned presets of the key columns, such as `email/1`.
    pub presets: String,
    /// How many distinct keys this side has.
    pub distinct: usize,
    /// Whether this side's keys look like hashes.
    pub looks_hashed: bool,
    /// Whether this side opened the connection; the two sides differ in it.
    pub connecting: bool,
    /// What this side calls the peer.
    pub peer: String,
    /// Bytes of memory that the run may take beside what the process holds; no run may allocate as the peer's number
    /// of keys has it.
    pub memory: u64,
    /// What is chosen beside the protocol; the rest is left to its defaults.
    pub choices: Choices,
    /// What this side holds about each of its keys.
    pub attached: AttachedShape,
    /// The columns of the values, those of the labels, or those of a union's rows beyond the key's.
    pub columns: Vec<Column>,
    /// What else both sides must say alike, in this order.
    pub details: Vec<Detail>,
}

/// Something about the lists that both sides must say alike, such as the length of the slots in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// What it is, for messages; at most 256 bytes.
    pub name: String,
    /// What this side says; at most 256 bytes.
    pub value: String,
}

/// A column of what a side holds about its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// Of values: they count in units of 10^-scale.
    pub scale: u32,
}

/// What goes over the wire: an [`Offer`] with a nonce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// What to compute.
    pub operation: String,
    /// How; empty leaves it to the planner.
    pub protocol: String,
    /// Against whom the protocol must hold.
    pub security: String,
    /// Who gets the result, as the sender of these terms sees it.
    pub learn: Learn,
    /// The versioned presets of the key columns.
    pub presets: String,
    /// How many distinct keys.
    pub distinct: u64,
    /// Whether the keys look like hashes.
    pub looks_hashed: bool,
    /// Whether the sender of these terms opened the connection.
    pub connecting: bool,
    /// The group; empty leaves it to the protocol's default.
    pub group: String,
    /// How a set travels; empty leaves it to the protocol's default.
    pub digest: String,
    /// How secrets are shared.
    pub sharing: String,
    /// How many numbers the sender of these terms holds about each of its keys.
    pub values: u16,
    /// How many bytes it holds about each of its keys.
    pub width: u16,
    /// The columns of the values, those of the labels, or those of a union's rows beyond the key's.
    pub columns: Vec<Column>,
    /// How two orders of preference become one.
    pub scheme: String,
    /// What else both sides must say alike.
    pub details: Vec<Detail>,
    /// Fresh randomness; both nonces key the elements of this session alone.
    pub nonce: [u8; 32],
}

/// A field on which two parties differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The field's name, this side's.
    pub field: Cow<'static, str>,
    /// This side's value.
    pub mine: String,
    /// The peer's value, escaped.
    pub theirs: String,
}

impl Mismatch {
    /// The peer asks for a protocol that this side does not have, or not for this operation; or names none, where what both
    /// sides give leaves none to take.
    pub(crate) fn no_protocol(theirs: &Terms) -> Self {
        let (mine, theirs) = match theirs.protocol.as_str() {
            "" => (
                "none that is taken without a name has both sides' group and digest",
                "none named".to_owned(),
            ),
            named => ("any that this version has; veilset protocols lists them", escape(named)),
        };
        Self { field: "protocol".into(), mine: mine.to_owned(), theirs }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: here {}, at the peer {}", self.field, self.mine, self.theirs)
    }
}

impl Terms {
    /// The offer with `nonce`.
    #[must_use]
    pub fn new(offer: &Offer, nonce: [u8; 32]) -> Self {
        Self {
            operation: offer.operation.name().into(),
            protocol: offer.protocol.unwrap_or_default().into(),
            security: offer.security.name().into(),
            learn: offer.learn,
            presets: offer.presets.clone(),
            distinct: offer.distinct as u64,
            looks_hashed: offer.looks_hashed,
            connecting: offer.connecting,
            group: offer.choices.group.map_or("", Group::name).into(),
            digest: offer.choices.digest.map_or("", Digest::name).into(),
            sharing: offer.choices.sharing.unwrap_or_default().name().into(),
            values: match offer.attached {
                AttachedShape::Values { columns } => u16::try_from(columns).unwrap_or(u16::MAX),
                AttachedShape::Nothing | AttachedShape::Items { .. } => 0,
            },
            width: match offer.attached {
                AttachedShape::Items { width } => u16::try_from(width).unwrap_or(u16::MAX),
                AttachedShape::Nothing | AttachedShape::Values { .. } => 0,
            },
            columns: offer.columns.clone(),
            scheme: offer.choices.scheme.unwrap_or_default().name().into(),
            details: offer.details.iter().cloned().chain(choice_details(offer.choices)).collect(),
            nonce,
        }
    }

    /// What the sender of these terms holds about each of its keys.
    #[must_use]
    pub fn attached(&self) -> AttachedShape {
        match (self.values, self.width) {
            (0, 0) => AttachedShape::Nothing,
            (0, width) => AttachedShape::Items { width: width.into() },
            (columns, _) => AttachedShape::Values { columns: columns.into() },
        }
    }

    /// Every field on which the peer's terms do not fit these. What depends on the operation is compared where that is the same.
    #[must_use]
    pub fn mismatches(&self, theirs: &Self) -> Vec<Mismatch> {
        let differ = |field: &'static str, mine: &str, theirs: &str| {
            (mine != theirs).then(|| Mismatch {
                field: Cow::Borrowed(field),
                mine: mine.to_owned(),
                theirs: escape(theirs),
            })
        };
        let either = |field, mine: &str, theirs: &str| {
            if mine.is_empty() || theirs.is_empty() { None } else { differ(field, mine, theirs) }
        };
        let end = |connecting| if connecting { "connecting" } else { "listening" };
        let of_any = [
            differ("operation", &self.operation, &theirs.operation),
            self.differing_learners(theirs),
            differ("key presets", &self.presets, &theirs.presets),
            differ("security", &self.security, &theirs.security),
            differ("ends", end(self.connecting), end(!theirs.connecting)),
        ];
        let of_all = of_any.into_iter().flatten();
        if self.operation != theirs.operation {
            return of_all.collect();
        }
        let of_operation = [
            either("protocol", &self.protocol, &theirs.protocol),
            either("group", &self.group, &theirs.group),
            either("digest", &self.digest, &theirs.digest),
            differ("shares", &self.sharing, &theirs.sharing),
            differ("scheme", &self.scheme, &theirs.scheme),
            self.mismatched_values(theirs),
        ];
        let details = self.differing_details(theirs);
        of_all.chain(of_operation.into_iter().flatten()).chain(details).collect()
    }
}

impl Terms {
    fn differing_learners(&self, theirs: &Self) -> Option<Mismatch> {
        let fits = self.learn == theirs.learn.mirrored();
        (!fits).then(|| Mismatch {
            field: "who learns (--learn: one side's me is the other side's peer)".into(),
            mine: self.learn.name().to_owned(),
            theirs: theirs.learn.name().to_owned(),
        })
    }

    /// The details that one side gives and the other does not, or gives otherwise.
    fn differing_details(&self, theirs: &Self) -> Vec<Mismatch> {
        if self.details == theirs.details {
            return Vec::new();
        }
        let find = |details: &'_ [Detail], name: &str| {
            let found = details.iter().find(|detail| detail.name == name);
            found.map(|detail| detail.value.clone())
        };
        let said = |value: Option<String>| value.map_or("nothing".to_owned(), |v| escape(&v));
        let alone = |detail: &&Detail| find(&self.details, &detail.name).is_none();
        let names = self.details.iter().chain(theirs.details.iter().filter(alone));
        let values = names.map(|detail| {
            let name = detail.name.as_str();
            (name, find(&self.details, name), find(&theirs.details, name))
        });
        let differ: Vec<Mismatch> = values
            .filter(|(_, mine, theirs)| mine != theirs)
            .map(|(name, mine, theirs)| Mismatch {
                field: escape(name).into(),
                mine: said(mine),
                theirs: said(theirs),
            })
            .collect();
        if !differ.is_empty() {
            return differ;
        }
        let order = |details: &[Detail]| {
            let names: Vec<String> = details.iter().map(|detail| escape(&detail.name)).collect();
            names.join(", ")
        };
        let (mine, theirs) = (order(&self.details), order(&theirs.details));
        vec![Mismatch { field: "order of what is said".into(), mine, theirs }]
    }

    /// A sum needs values on one side, shares can have them on one side.
    fn mismatched_values(&self, theirs: &Self) -> Option<Mismatch> {
        let (field, mine, theirs) = match (self.operation.as_str(), self.values, theirs.values) {
            ("sum", 0, 0) => ("value columns (one side gives --value)", "none", "none either"),
            ("sum" | "share", 1.., 1..) => {
                ("value columns (--value on one side alone)", "given", "given, too")
            }
            _ => return None,
        };
        Some(Mismatch { field: field.into(), mine: mine.to_owned(), theirs: theirs.to_owned() })
    }

    /// Whether all in it is what a side of this operation can have.
    pub(crate) fn is_possible(&self) -> bool {
        let fits = |column: &Column| {
            column.name.len() <= MAX_NAME
                && !column.name.contains('\0')
                && column.scale <= MAX_SCALE
        };
        let columns = self.columns.len();
        let attached = match self.operation.as_str() {
            "sum" | "share" => self.width == 0 && usize::from(self.values) == columns,
            "union" => {
                let sends = self.learn != Learn::Me && self.distinct > 0;
                self.values == 0 && self.width <= MAX_WIDTH && (self.width > 0 || !sends)
            }
            "lookup" => {
                let labels = self.learn == Learn::Peer && columns > 0;
                let whole = labels && (self.width > 0 || self.distinct == 0);
                let attached = if labels { whole } else { self.width == 0 && columns == 0 };
                self.values == 0 && self.width <= MAX_WIDTH && attached
            }
            _ => self.values == 0 && self.width == 0 && columns == 0,
        };
        let short = |detail: &Detail| detail.name.len().max(detail.value.len()) <= MAX_NAME;
        let details = self.details.len() <= MAX_DETAILS && self.details.iter().all(short);
        attached && details && columns <= MAX_COLUMNS && self.columns.iter().all(fits)
    }
}

/// The choices that have no field of their own, which both sides have to give alike.
fn choice_details(choices: Choices) -> impl Iterator<Item = Detail> {
    let others = Choices { group: None, digest: None, sharing: None, scheme: None, ..choices };
    others.names().map(|(name, value)| Detail { name: format!("{name} (--{name})"), value })
}

/// Text from the peer, made harmless for a terminal and short.
pub(crate) fn escape(text: &str) -> String {
    text.chars().take(200).flat_map(char::escape_debug).collect()
}

/// As it goes over the wire.
pub(crate) fn encoded(terms: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(terms).expect("terms are plain data")
}

/// The first message: the version, then the terms if the version is ours.
pub(crate) struct Opening {
    pub(crate) version: u16,
    pub(crate) terms: Option<Terms>,
}

impl Message for Opening {
    const TAG: Tag = Tag::Terms;
    type Context = ();

    fn max_len((): &()) -> usize {
        MAX_TERMS
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.version.to_le_bytes());
        if let Some(terms) = &self.terms {
            out.extend(encoded(terms));
        }
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let version = u16::from_le_bytes(reader.array()?);
        let body = reader.rest();
        if version != WIRE_VERSION {
            return Ok(Self { version, terms: None });
        }
        let (terms, rest) = postcard::take_from_bytes(body).map_err(|_| Malformed::OutOfRange)?;
        let terms: Terms = terms;
        match (rest.is_empty(), terms.is_possible()) {
            (true, true) => Ok(Self { version, terms: Some(terms) }),
            (true, false) => Err(Malformed::OutOfRange),
            (false, _) => Err(Malformed::LeftOver),
        }
    }
}

/// The protocol and its parameters that the connecting side chose, by their names.
#[derive(Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) protocol: String,
    pub(crate) group: String,
    pub(crate) digest: String,
}

impl Message for Choice {
    const TAG: Tag = Tag::Choice;
    type Context = ();

    fn max_len((): &()) -> usize {
        128
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(encoded(self));
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let (choice, rest) =
            postcard::take_from_bytes(reader.rest()).map_err(|_| Malformed::OutOfRange)?;
        if rest.is_empty() { Ok(choice) } else { Err(Malformed::LeftOver) }
    }
}

/// Consent to the terms, after the user saw them.
pub(crate) type Consent = Signal<{ Tag::Consent.byte() }>;

/// The end of a complete run: everything arrived.
pub(crate) type Done = Signal<{ Tag::Done.byte() }>;

#[cfg(test)]
impl Offer {
    /// A count that both learn, of the connecting side.
    pub(crate) fn sample() -> Self {
        Self {
            operation: Operation::Count,
            protocol: None,
            security: Security::SemiHonest,
            learn: Learn::Both,
            presets: "email/1".into(),
            distinct: 1000,
            looks_hashed: false,
            connecting: true,
            peer: "peer".into(),
            memory: u64::MAX,
            choices: Choices::default(),
            attached: AttachedShape::Nothing,
            columns: Vec::new(),
            details: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Terms {
        let offer = Offer { learn: Learn::Me, distinct: 3, ..Offer::sample() };
        Terms::new(&offer, [7; 32])
    }

    fn fitting() -> Terms {
        Terms { learn: Learn::Peer, connecting: false, distinct: 9, nonce: [8; 32], ..terms() }
    }

    #[test]
    fn terms_that_fit_fit() {
        assert_eq!(terms().mismatches(&fitting()), []);
        let named = Terms { protocol: "mqrpmt-dh".into(), ..fitting() };
        assert_eq!(terms().mismatches(&named), []);
    }

    #[test]
    fn each_difference_is_named_with_both_values() {
        let cases = [
            (
                Terms { operation: "intersect".into(), ..fitting() },
                "operation",
                "count",
                "intersect",
            ),
            (
                Terms { learn: Learn::Me, ..fitting() },
                "who learns (--learn: one side's me is the other side's peer)",
                "me",
                "me",
            ),
            (Terms { presets: "raw/1".into(), ..fitting() }, "key presets", "email/1", "raw/1"),
            (
                Terms { security: "malicious".into(), ..fitting() },
                "security",
                "semi-honest",
                "malicious",
            ),
            (Terms { connecting: true, ..fitting() }, "ends", "connecting", "listening"),
        ];
        for (theirs, field, mine, other) in cases {
            let found = terms().mismatches(&theirs);
            let [found] = &found[..] else { panic!("one difference: {found:?}") };
            assert_eq!((&*found.field, &*found.mine, &*found.theirs), (field, mine, other));
        }
    }

    #[test]
    fn details_must_be_the_same_and_are_named_by_this_side() {
        let detail = |name: &str, value: &str| Detail { name: name.into(), value: value.into() };
        let with = |terms: Terms, details: &[Detail]| Terms { details: details.to_vec(), ..terms };
        let mine = with(terms(), &[detail("length", "60m"), detail("dates", "a..b")]);
        assert_eq!(mine.mismatches(&with(fitting(), &mine.details)), []);
        let cases = [
            (
                vec![detail("length", "30m"), detail("dates", "a..b")],
                vec![("length", "60m", "30m")],
            ),
            (
                vec![detail("length", "60m"), detail("dates", "a..\u{1b}")],
                vec![("dates", "a..b", "a..\\u{1b}")],
            ),
            (vec![detail("length", "60m")], vec![("dates", "a..b", "nothing")]),
            (
                vec![detail("width", "60m"), detail("dates", "b..c")],
                vec![
                    ("length", "60m", "nothing"),
                    ("dates", "a..b", "b..c"),
                    ("width", "nothing", "60m"),
                ],
            ),
            (
                vec![detail("dates", "a..b"), detail("length", "60m")],
                vec![("order of what is said", "length, dates", "dates, length")],
            ),
        ];
        for (theirs, expected) in cases {
            let found = mine.mismatches(&with(fitting(), &theirs));
            let found: Vec<_> =
                found.iter().map(|one| (&*one.field, &*one.mine, &*one.theirs)).collect();
            assert_eq!(found, expected);
        }
        let bare = &terms().mismatches(&with(fitting(), &mine.details))[0];
        assert_eq!((&*bare.field, &*bare.mine, &*bare.theirs), ("length", "nothing", "60m"));
        let other = Terms { scheme: "minimum-of-ranks".into(), ..fitting() };
        assert_eq!(terms().mismatches(&other)[0].field, "scheme");
    }

    #[test]
    fn all_differences_are_named_at_once() {
        let theirs = Terms {
            presets: "raw/1".into(),
            security: "malicious".into(),
            learn: Learn::Me,
            group: "p256".into(),
            ..fitting()
        };
        let fields = |mine: &Terms, theirs: &Terms| -> Vec<String> {
            mine.mismatches(theirs).into_iter().map(|one| one.field.into_owned()).collect()
        };
        let mine = Terms { group: "curve25519".into(), ..terms() };
        let found = fields(&mine, &theirs);
        assert!(found[0].starts_with("who learns"));
        assert_eq!(found[1..], ["key presets", "security", "group"]);
        // Of another operation, what only an operation gives a meaning is not compared.
        let other = Terms { operation: "sum".into(), ..theirs };
        let found = fields(&mine, &other);
        assert_eq!((found.len(), &*found[0]), (4, "operation"));
    }

    #[test]
    fn who_gives_values_is_said_so_that_nobody_reads_it_as_agreement() {
        let with = |operation: &str, mine: u16, theirs: u16| {
            let of = |terms: Terms, values| Terms { operation: operation.into(), values, ..terms };
            let found = of(terms(), mine).mismatches(&of(fitting(), theirs));
            found.first().map(ToString::to_string)
        };
        for operation in ["sum", "share"] {
            assert_eq!(
                with(operation, 1, 1).as_deref(),
                Some(
                    "value columns (--value on one side alone): here given, at the peer given, too"
                )
            );
            assert_eq!(with(operation, 0, 2), None);
        }
        assert_eq!(
            with("sum", 0, 0).as_deref(),
            Some("value columns (one side gives --value): here none, at the peer none either")
        );
        assert_eq!(with("share", 0, 0), None);
    }

    #[test]
    fn terms_that_no_side_of_an_operation_can_have_are_refused() {
        let column = |scale| Column { name: "x".into(), scale };
        let refused = |change: &dyn Fn(&mut Terms)| {
            let mut terms = fitting();
            change(&mut terms);
            let mut body = Vec::new();
            Opening { version: WIRE_VERSION, terms: Some(terms) }.encode(&mut body);
            Reader::parse(&body, |r| Opening::decode(r, &())).err() == Some(Malformed::OutOfRange)
        };
        assert!(!refused(&|_| {}));
        assert!(refused(&|terms| terms.values = 1));
        assert!(refused(&|terms| terms.width = 1));
        let long = Detail { name: "a".repeat(257), value: String::new() };
        assert!(refused(&|terms| terms.details = vec![long.clone()]));
        for operation in ["share", "sum"] {
            let with = |columns: usize, values| {
                refused(&move |terms| {
                    terms.operation = operation.into();
                    terms.columns = vec![column(2); columns];
                    terms.values = values;
                })
            };
            assert!(!with(2, 2) && with(2, 0) && with(65, 65) && with(1, 2), "{operation}");
        }
        let union = |values, width| {
            refused(&move |terms| {
                terms.operation = "union".into();
                (terms.values, terms.width) = (values, width);
                terms.columns = vec![column(0)];
            })
        };
        assert!(!union(0, 10) && union(1, 10) && union(0, 0) && union(0, 4097));
        let lookup = |learn, width, columns: usize| {
            refused(&move |terms| {
                (terms.operation, terms.learn) = ("lookup".into(), learn);
                (terms.width, terms.columns) = (width, vec![column(0); columns]);
            })
        };
        assert!(!lookup(Learn::Peer, 10, 1) && !lookup(Learn::Peer, 0, 0));
        assert!(lookup(Learn::Peer, 0, 1) && lookup(Learn::Peer, 10, 0));
        assert!(!lookup(Learn::Me, 0, 0) && lookup(Learn::Me, 10, 1));
        assert!(refused(&|terms| {
            terms.operation = "sum".into();
            (terms.values, terms.columns) = (1, vec![column(31)]);
        }));
    }

    #[test]
    fn text_from_the_peer_cannot_drive_a_terminal() {
        let theirs = Terms { presets: "\u{1b}[2J\u{202e}x".repeat(100), ..fitting() };
        let shown = terms().mismatches(&theirs)[0].to_string();
        assert!(shown.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{shown}");
        assert!(shown.len() < 2500);
    }

    #[test]
    fn openings_round_trip_and_other_versions_are_seen() {
        let mut body = Vec::new();
        Opening { version: WIRE_VERSION, terms: Some(terms()) }.encode(&mut body);
        let back = Reader::parse(&body, |r| Opening::decode(r, &())).expect("valid");
        assert_eq!(back.terms, Some(terms()));
        body.push(0);
        assert!(Reader::parse(&body, |r| Opening::decode(r, &())).is_err());
        body[0] = 9;
        let other = Reader::parse(&body, |r| Opening::decode(r, &())).expect("a version");
        assert_eq!((other.version, other.terms), (9, None));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_decode_or_fail(body: Vec<u8>) {
            let _ = Reader::parse(&body, |r| Opening::decode(r, &()));
            let mut known = WIRE_VERSION.to_le_bytes().to_vec();
            known.extend(body);
            if let Ok(opening) = Reader::parse(&known, |r| Opening::decode(r, &())) {
                let mut again = Vec::new();
                opening.encode(&mut again);
                let back = Reader::parse(&again, |r| Opening::decode(r, &())).expect("ours");
                proptest::prop_assert_eq!(back.terms, opening.terms);
            }
        }
    }
}
