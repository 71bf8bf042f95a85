//! On what two sides differ.

use std::borrow::Cow;
use std::fmt;

use veilset_protocols::{AttachedShape, Attaches, MAX_GROUPS, Operation, find};

use super::{GROUPS, Terms, UncheckedTerms, UnknownTerm};
use crate::{Detail, Learn};

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
    pub(crate) fn no_protocol(theirs: Option<&str>) -> Self {
        theirs.map_or_else(
            || Self {
                field: "protocol".into(),
                mine: "none that is taken without a name has both sides' group and digest"
                    .to_owned(),
                theirs: "none named".to_owned(),
            },
            |named| Self::unknown("protocol", named),
        )
    }

    /// The peer names something that is nothing here.
    fn unknown(field: &'static str, named: &str) -> Self {
        Self::of(field, "any that this version has; veilset protocols lists them", named)
    }

    fn of(field: &'static str, mine: &str, theirs: &str) -> Self {
        Self { field: field.into(), mine: mine.to_owned(), theirs: escape(theirs) }
    }
}

impl From<UnknownTerm> for Mismatch {
    fn from(UnknownTerm { field, name }: UnknownTerm) -> Self {
        Self::unknown(field, &name)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: here {}, at the peer {}", self.field, self.mine, self.theirs)
    }
}

impl Terms {
    /// Every field on which the peer's terms do not fit these. What depends on the operation is compared where that is the same.
    pub(super) fn mismatches(&self, theirs: &UncheckedTerms) -> Vec<Mismatch> {
        let mine = UncheckedTerms::from(self);
        let either = |field, mine: &str, theirs: &str| {
            if mine.is_empty() || theirs.is_empty() { None } else { differ(field, mine, theirs) }
        };
        let end = |connecting| if connecting { "connecting" } else { "listening" };
        let of_any = [
            differ("operation", &mine.operation, &theirs.operation),
            differing_learners(self.learn, theirs.learn.name()),
            differing_presets(&mine.presets, &theirs.presets),
            differ("security", &mine.security, &theirs.security),
            differ("ends", end(mine.connecting), end(!theirs.connecting)),
        ];
        let of_all = of_any.into_iter().flatten();
        if mine.operation != theirs.operation {
            return of_all.collect();
        }
        let here = matches!(self.attached, AttachedShape::Values { .. });
        let of_operation = [
            either("protocol", &mine.protocol, &theirs.protocol),
            either("group", &mine.group, &theirs.group),
            either("digest", &mine.digest, &theirs.digest),
            differ("shares", &mine.sharing, &theirs.sharing),
            differ("scheme", &mine.scheme, &theirs.scheme),
            mismatched_owners(self.operation, here, [&mine, theirs]),
            mismatched_factors([&mine, theirs]),
            mismatched_groups([&mine, theirs]),
        ];
        let rows = mismatched_rows([&mine, theirs]);
        let details = differing_details(&self.details, &theirs.details);
        let tiers = || {
            let [mine, theirs] =
                [&mine.tiers, &theirs.tiers].map(|tiers| format!("{} keys", tiers.len()));
            differ("tiers", &mine, &theirs)
        };
        let of_operation = of_operation.into_iter().flatten().chain(rows).chain(details);
        let found: Vec<_> = of_all.chain(of_operation).collect();
        // Where all the rest is the same, an honest peer has as many.
        if found.is_empty() { tiers().into_iter().collect() } else { found }
    }
}

/// A field that must be the same on both sides.
pub(crate) fn differ(field: &'static str, mine: &str, theirs: &str) -> Option<Mismatch> {
    (mine != theirs).then(|| Mismatch::of(field, mine, theirs))
}

/// How many keys there are, or the first whose presets differ.
fn differing_presets(mine: &str, theirs: &str) -> Option<Mismatch> {
    let count = |presets: &str| presets.split(';').count();
    if (count(mine), count(theirs)) == (1, 1) {
        return differ("key presets", mine, theirs);
    }
    let counts = [count(mine), count(theirs)].map(|count| count.to_string());
    let keys = differ("number of keys (--key for each)", &counts[0], &counts[1]);
    keys.or_else(|| {
        let pairs = (1..).zip(mine.split(';').zip(theirs.split(';')));
        let mut differing = pairs.filter(|(_, (mine, theirs))| mine != theirs);
        differing.next().map(|(place, (mine, theirs))| Mismatch {
            field: format!("presets of key {place}").into(),
            mine: mine.to_owned(),
            theirs: escape(theirs),
        })
    })
}

/// One side's me is the other side's peer; `theirs` is the word on the peer's side.
pub(crate) fn differing_learners(mine: Learn, theirs: &str) -> Option<Mismatch> {
    let field = "who learns (--learn: one side's me is the other side's peer)";
    (theirs != mine.mirrored().name()).then(|| Mismatch::of(field, mine.name(), theirs))
}

/// Values are on one side, where the operation needs any; whether there are any here, and at the peer.
pub(crate) fn mismatched_values(
    operation: Operation,
    [here, there]: [bool; 2],
) -> Option<Mismatch> {
    let Attaches::Values { needed } = operation.spec().attaches else { return None };
    let (field, mine, theirs) = match (here, there) {
        (false, false) if needed => {
            ("value columns (one side gives --value)", "none", "none either")
        }
        (true, true) => ("value columns (--value on one side alone)", "given", "given, too"),
        _ => return None,
    };
    Some(Mismatch::of(field, mine, theirs))
}

/// The same of two parties; shares can be of the values of both by one key, by a protocol that has them, if one is named.
fn mismatched_owners(
    operation: Operation,
    here: bool,
    [mine, theirs]: [&UncheckedTerms; 2],
) -> Option<Mismatch> {
    let owners = [here, theirs.values > 0];
    if owners != [true, true] || !operation.spec().may_both_own() {
        return mismatched_values(operation, owners);
    }
    let cannot = |terms: &UncheckedTerms| {
        let named = find(&terms.protocol).filter(|named| !named.spec().on_shares);
        match named {
            _ if terms.has_several_keys() => Some("--value, by several keys".to_owned()),
            named => Some(format!("--value and --protocol {}", named?.spec().id)),
        }
    };
    let [mine, theirs] = [cannot(mine), cannot(theirs)];
    if mine.is_none() && theirs.is_none() {
        return None;
    }
    let [mine, theirs] = [mine, theirs].map(|said| said.unwrap_or_else(|| "--value".to_owned()));
    let field = "value columns of both sides (by one --key, and --protocol circuit-share or none)";
    Some(Mismatch::of(field, &mine, &theirs))
}

/// A factor is on one side, and the values that it multiplies on the other.
fn mismatched_factors(sides: [&UncheckedTerms; 2]) -> Option<Mismatch> {
    let said = |terms: &UncheckedTerms| match (terms.products > 0, terms.factor > 0) {
        (true, _) => "--value with a *",
        (_, true) => "--factor",
        _ => "neither",
    };
    let [mine, theirs] = sides.map(said);
    (mine == theirs && mine != "neither")
        .then(|| Mismatch::of("who has the factor, and who the values", mine, theirs))
}

/// Somebody has groups where both sides say how many there are, and those of both sides are not too many.
fn mismatched_groups(sides: [&UncheckedTerms; 2]) -> Option<Mismatch> {
    let said = |terms: &UncheckedTerms| terms.details.iter().any(|detail| detail.name == GROUPS);
    if !sides.iter().all(|terms| said(terms)) {
        return None;
    }
    let by = sides.map(|terms| usize::from(terms.by));
    let (field, how) = match by {
        [0, 0] => ("groups (--by on one side or both)", "none"),
        [mine, theirs] if mine * theirs > MAX_GROUPS => {
            ("groups of both sides, 1024 together", "at most")
        }
        _ => return None,
    };
    let [mine, theirs] = by.map(|by| if by == 0 { how.to_owned() } else { format!("{how} {by}") });
    Some(Mismatch::of(field, &mine, &theirs))
}

/// A protocol that a side names while rows go with the matches, which cannot go there.
fn mismatched_rows(sides: [&UncheckedTerms; 2]) -> Option<Mismatch> {
    let sends = |terms: &UncheckedTerms| terms.width > 0 && !terms.columns.is_empty();
    let may = |terms: &UncheckedTerms| {
        let operation: Option<Operation> = terms.operation.parse().ok();
        operation.is_some_and(|operation| operation.spec().may_send_rows()) && sends(terms)
    };
    if !sides.iter().any(|terms| may(terms)) {
        return None;
    }
    let cannot = |terms: &UncheckedTerms| {
        find(&terms.protocol).is_some_and(|protocol| protocol.spec().with_rows.is_none())
    };
    if !sides.iter().any(|terms| cannot(terms)) {
        return None;
    }
    let [mine, theirs] = sides.map(|terms| {
        let columns: Vec<_> = terms.columns.iter().map(|column| column.name.as_str()).collect();
        let sends = (!columns.is_empty()).then(|| format!("--send {}", columns.join(", ")));
        let names =
            cannot(terms).then(|| format!("--protocol {}, which sends no columns", terms.protocol));
        let said: Vec<String> = [sends, names].into_iter().flatten().collect();
        if said.is_empty() { "neither".to_owned() } else { said.join(" and ") }
    });
    Some(Mismatch::of("columns with matches and protocol", &mine, &theirs))
}

/// The details that one side gives and the other does not, or gives otherwise.
fn differing_details(mine: &[Detail], theirs: &[Detail]) -> Vec<Mismatch> {
    if mine == theirs {
        return Vec::new();
    }
    let find = |details: &[Detail], name: &str| {
        let found = details.iter().find(|detail| detail.name == name);
        found.map(|detail| detail.value.clone())
    };
    let said = |value: Option<String>| value.map_or("nothing".to_owned(), |v| escape(&v));
    let alone = |detail: &&Detail| find(mine, &detail.name).is_none();
    let names = mine.iter().chain(theirs.iter().filter(alone));
    let values = names.map(|detail| {
        let name = detail.name.as_str();
        (name, find(mine, name), find(theirs, name))
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
    let (mine, theirs) = (order(mine), order(theirs));
    vec![Mismatch { field: "order of what is said".into(), mine, theirs }]
}

/// Text from the peer, made harmless for a terminal and short.
pub(crate) fn escape(text: &str) -> String {
    text.chars().take(200).flat_map(char::escape_debug).collect()
}
