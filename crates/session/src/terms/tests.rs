//! What fits, how differences are told, and what is refused.

use veilset_channel::{Malformed, Message, Reader};

use veilset_crypto::Group;

use super::*;

fn terms() -> Terms {
    let offer = Offer { learn: Learn::Me, distinct: 3, ..Offer::sample() };
    Terms::new(&offer, true, [7; 32])
}

/// What the peer sends.
fn fitting() -> UncheckedTerms {
    let theirs =
        Terms { learn: Learn::Peer, connecting: false, distinct: 9, nonce: [8; 32], ..terms() };
    UncheckedTerms::from(&theirs)
}

#[test]
fn terms_that_fit_fit() {
    assert_eq!(terms().mismatches(&fitting()), []);
    let named = UncheckedTerms { protocol: "mqrpmt-dh".into(), ..fitting() };
    let theirs = terms().fitting(named.clone()).expect("it fits");
    assert_eq!((theirs.protocol, theirs.distinct), (Some("mqrpmt-dh"), 9));
    assert_eq!(UncheckedTerms::from(&theirs), named);
}

#[test]
fn how_many_parties_there_are_is_part_of_what_is_computed() {
    let three = PartyCount::Many(3);
    let mine = Terms { operation: Operation::Intersect, parties: three, ..terms() };
    let theirs = |operation: &str| UncheckedTerms { operation: operation.into(), ..fitting() };
    let fits = mine.fitting(theirs("intersect of 3 parties")).expect("as many");
    assert_eq!((fits.operation, fits.parties), (Operation::Intersect, three));
    for other in ["intersect", "intersect of 4 parties", "count of 3 parties", "of", " of  parties"]
    {
        let found = mine.fitting(theirs(other)).expect_err("something else");
        let expected = format!("operation: here intersect of 3 parties, at the peer {other}");
        assert_eq!(found[0].to_string(), expected);
    }
}

#[test]
fn each_difference_is_named_with_both_values() {
    let cases = [
        (
            UncheckedTerms { operation: "intersect".into(), ..fitting() },
            "operation",
            "count",
            "intersect",
        ),
        (
            UncheckedTerms { learn: Learn::Me, ..fitting() },
            "who learns (--learn: one side's me is the other side's peer)",
            "me",
            "me",
        ),
        (
            UncheckedTerms { presets: "raw/1".into(), ..fitting() },
            "key presets",
            "email/1",
            "raw/1",
        ),
        (
            UncheckedTerms { security: "malicious".into(), ..fitting() },
            "security",
            "semi-honest",
            "malicious",
        ),
        (UncheckedTerms { connecting: true, ..fitting() }, "ends", "connecting", "listening"),
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
    let with = |details: &[Detail]| UncheckedTerms { details: details.to_vec(), ..fitting() };
    let details = vec![detail("length", "60m"), detail("dates", "a..b")];
    let mine = Terms { details, ..terms() };
    assert_eq!(mine.mismatches(&with(&mine.details)), []);
    let cases = [
        (vec![detail("length", "30m"), detail("dates", "a..b")], vec![("length", "60m", "30m")]),
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
        let found = mine.mismatches(&with(&theirs));
        let found: Vec<_> =
            found.iter().map(|one| (&*one.field, &*one.mine, &*one.theirs)).collect();
        assert_eq!(found, expected);
    }
    let bare = &terms().mismatches(&with(&mine.details))[0];
    assert_eq!((&*bare.field, &*bare.mine, &*bare.theirs), ("length", "nothing", "60m"));
    let other = UncheckedTerms { scheme: "minimum-of-ranks".into(), ..fitting() };
    assert_eq!(terms().mismatches(&other)[0].field, "scheme");
}

#[test]
fn all_differences_are_named_at_once() {
    let theirs = UncheckedTerms {
        presets: "raw/1".into(),
        security: "malicious".into(),
        learn: Learn::Me,
        group: "p256".into(),
        ..fitting()
    };
    let fields = |mine: &Terms, theirs: &UncheckedTerms| -> Vec<String> {
        mine.mismatches(theirs).into_iter().map(|one| one.field.into_owned()).collect()
    };
    let choices = Choices { group: Some(Group::Curve25519), ..Choices::default() };
    let mine = Terms { choices, ..terms() };
    let found = fields(&mine, &theirs);
    assert!(found[0].starts_with("who learns"));
    assert_eq!(found[1..], ["key presets", "security", "group"]);
    // Of another operation, what only an operation gives a meaning is not compared.
    let other = UncheckedTerms { operation: "sum".into(), ..theirs };
    let found = fields(&mine, &other);
    assert_eq!((found.len(), &*found[0]), (4, "operation"));
}

#[test]
fn who_gives_values_is_said_so_that_nobody_reads_it_as_agreement() {
    let with = |operation: Operation, columns, values| {
        let attached = match columns {
            0 => AttachedShape::Nothing,
            _ => AttachedShape::Values { columns, products: 0, groups: None },
        };
        let mine = Terms { operation, attached, ..terms() };
        let theirs = UncheckedTerms { operation: operation.name().into(), values, ..fitting() };
        mine.mismatches(&theirs).first().map(ToString::to_string)
    };
    assert_eq!(
        with(Operation::Sum, 1, 1).as_deref(),
        Some("value columns (--value on one side alone): here given, at the peer given, too")
    );
    assert_eq!(with(Operation::Sum, 0, 2), None);
    // Shares can be of both sides' values.
    assert_eq!(with(Operation::Share, 1, 1), None);
    assert_eq!(with(Operation::Share, 0, 2), None);
    assert_eq!(
        with(Operation::Sum, 0, 0).as_deref(),
        Some("value columns (one side gives --value): here none, at the peer none either")
    );
    assert_eq!(with(Operation::Share, 0, 0), None);
}

#[test]
fn terms_that_no_side_of_an_operation_can_have_are_refused() {
    let column = |scale| Column { name: "x".into(), scale };
    let refused = |change: &dyn Fn(&mut UncheckedTerms)| {
        let mut terms = fitting();
        change(&mut terms);
        let mut body = Vec::new();
        Hello::of(terms).encode(&mut body);
        Reader::parse(&body, |r| Hello::decode(r, &())).err() == Some(Malformed::OutOfRange)
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
    let products = |operation: &'static str, said: bool, [values, products, factor]: [u16; 3]| {
        refused(&move |terms| {
            terms.operation = operation.into();
            terms.columns = vec![column(2); usize::from(values.max(u16::from(factor > 0)))];
            (terms.values, terms.products, terms.factor) = (values, products, factor);
            terms.details = said.then(|| factor_detail("rate")).into_iter().collect();
        })
    };
    assert!(!products("sum", true, [3, 2, 0]) && !products("sum", true, [0, 0, 7]));
    for wrong in [[3, 4, 0], [3, 0, 0], [0, 0, 0], [3, 2, 1], [3, 0, 1], [0, 0, 8]] {
        assert!(products("sum", true, wrong), "{wrong:?}");
    }
    assert!(products("sum", false, [3, 2, 0]) && products("sum", false, [0, 0, 7]));
    assert!(products("share", true, [3, 2, 0]) && products("count", true, [0, 0, 7]));
    let by = |values: u16, by: u16, said: Option<usize>, lent: Option<[usize; 3]>| {
        refused(&move |terms| {
            terms.operation = "sum".into();
            (terms.values, terms.by) = (values, by);
            terms.columns = vec![column(2); values.into()];
            terms.lent = lent.map(|[columns, names, cells]| LentGroups {
                columns: vec!["region".into(); columns],
                names: (0..names).map(|name| vec![format!("{name:0>200}"); cells]).collect(),
            });
            terms.details = said.map(groups_detail).into_iter().collect();
        })
    };
    assert!(!by(1, 5, Some(5), None) && !by(0, 3, Some(5), Some([1, 3, 1])));
    assert!(by(1, 4, Some(5), None) && by(1, 5, None, None) && by(0, 5, Some(5), None));
    for (values, told, said, lent) in [
        (1, 3, Some(5), [1, 3, 1]),
        (0, 2, Some(5), [1, 3, 1]),
        (0, 3, None, [1, 3, 1]),
        (0, 3, Some(5), [1, 3, 2]),
        (0, 3, Some(5), [0, 3, 0]),
        (0, 0, Some(5), [1, 0, 1]),
        (0, 65, Some(100), [1, 65, 1]),
        (0, 60, Some(100), [1, 60, 1]),
        (0, 6, Some(5), [1, 6, 1]),
        (0, 3, Some(5), [2, 3, 2]),
    ] {
        assert!(by(values, told, said, Some(lent)), "{values} {told} {said:?} {lent:?}");
    }
    let tiers = |operation: &'static str, learn, presets: &'static str, tiers: &'static [u64]| {
        refused(&move |terms| {
            (terms.operation, terms.learn) = (operation.into(), learn);
            (terms.presets, terms.tiers) = (presets.into(), tiers.into());
        })
    };
    // The peer has nine keys.
    assert!(!tiers("intersect", Learn::Both, "email/1;raw/1", &[4, 5]));
    assert!(tiers("intersect", Learn::Both, "email/1;raw/1", &[4, 4]));
    assert!(tiers("intersect", Learn::Both, "email/1;raw/1", &[10, u64::MAX]));
    assert!(tiers("intersect", Learn::Both, "email/1", &[4, 5]));
    assert!(tiers("intersect", Learn::Both, "email/1", &[9]));
    assert!(tiers("intersect", Learn::Peer, "email/1;raw/1", &[4, 5]));
    assert!(tiers("count", Learn::Both, "email/1;raw/1", &[4, 5]));
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
    let theirs = UncheckedTerms { presets: "\u{1b}[2J\u{202e}x".repeat(100), ..fitting() };
    let shown = terms().mismatches(&theirs)[0].to_string();
    assert!(shown.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{shown}");
    assert!(shown.len() < 2500);
}

#[test]
fn openings_round_trip_and_other_versions_are_seen() {
    let mut body = Vec::new();
    Hello::of(fitting()).encode(&mut body);
    let back = Reader::parse(&body, |r| Hello::decode(r, &())).expect("valid");
    assert_eq!(back.terms, Some(fitting()));
    body.push(0);
    assert!(Reader::parse(&body, |r| Hello::decode(r, &())).is_err());
    let next = WIRE_VERSION + 1;
    body[..2].copy_from_slice(&next.to_le_bytes());
    let other = Reader::parse(&body, |r| Hello::decode(r, &())).expect("a version");
    assert_eq!((other.version, other.terms), (next, None));
}

proptest::proptest! {
    #[test]
    fn any_bytes_decode_or_fail(body: Vec<u8>) {
        let _ = Reader::parse(&body, |r| Hello::decode(r, &()));
        let mut known = WIRE_VERSION.to_le_bytes().to_vec();
        known.extend(body);
        if let Ok(opening) = Reader::parse(&known, |r| Hello::decode(r, &())) {
            let mut again = Vec::new();
            opening.encode(&mut again);
            let back = Reader::parse(&again, |r| Hello::decode(r, &())).expect("ours");
            proptest::prop_assert_eq!(back.terms, opening.terms);
        }
    }
}
