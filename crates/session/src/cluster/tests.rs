use serde_json::{Value, json};

use super::*;
use crate::Blame;
use crate::terms::MAX_NAME;

fn offer(operation: Operation) -> ClusterOffer {
    ClusterOffer {
        operation,
        learn: Learn::Both,
        presets: "email/1".to_owned(),
        matching: None,
        values: Vec::new(),
        send: Vec::new(),
        width: 0,
        rows: 10,
        workers: 3,
        connecting: true,
    }
}

/// What the peer sends: what this side does, but for some fields.
fn heard(offer: &ClusterOffer, change: Value) -> Vec<u8> {
    let sent = offer.message().expect("it is bounded");
    let mut terms: Value = serde_json::from_slice(&sent).expect("JSON");
    for (field, value) in change.as_object().expect("fields") {
        terms[field] = value.clone();
    }
    terms.to_string().into_bytes()
}

fn agreed(offer: ClusterOffer, change: Value) -> Result<AgreedCluster, SessionError> {
    let heard = heard(&offer, change);
    offer.agreed(&heard)
}

fn refused(offer: ClusterOffer, change: Value) -> (Blame, String) {
    let error = agreed(offer, change).err().expect("it is refused");
    (error.blame(), error.to_string())
}

fn amounts() -> Vec<Column> {
    vec![Column { name: "amount".to_owned(), scale: 2 }]
}

#[test]
fn terms_are_one_message_of_the_drivers() {
    let offer = ClusterOffer { values: amounts(), learn: Learn::Me, ..offer(Operation::Sum) };
    let text = String::from_utf8(offer.message().expect("it is bounded")).expect("text");
    let expected = r#"{"kind":"terms","version":1,"operation":"sum","presets":"email/1","learn":"me",
        "values":["amount"],"scales":[2],"send":[],"width":0,"pieces":8,"workers":3}"#;
    assert_eq!(text, expected.replace("\n        ", ""));
}

#[test]
fn as_many_pieces_as_rows_and_pairs_of_workers_ask_for() {
    let of = |rows, workers, peer_pieces| {
        let offer = ClusterOffer { rows, workers, ..offer(Operation::Count) };
        let agreed = agreed(offer, json!({ "workers": 3, "pieces": peer_pieces }));
        let agreed = agreed.unwrap_or_else(|error| panic!("{error}"));
        (agreed.slots, agreed.pieces)
    };
    assert_eq!(of(0, 1, 8), (1, 8));
    assert_eq!(of(10, 5, 8), (3, 16));
    assert_eq!(of(10, 5, 64), (3, 64));
    assert_eq!(of((1 << 24) + 1, 1, 8), (1, 32));
    assert_eq!(of(1 << 50, 1, 8), (1, MOST_PIECES));
}

#[test]
fn who_learns_and_who_owns_values_say_which_part_is_whose() {
    let role = |learn: Learn, connecting| {
        let offer = ClusterOffer { learn, connecting, ..offer(Operation::Count) };
        let agreed = agreed(offer, json!({ "learn": learn.mirrored().name() }));
        let agreed = agreed.unwrap_or_else(|error| panic!("{error}"));
        (agreed.role, agreed.learns())
    };
    assert_eq!(role(Learn::Both, true), (Role::Receiver, [true, true]));
    assert_eq!(role(Learn::Both, false), (Role::Sender, [true, true]));
    assert_eq!(role(Learn::Me, false), (Role::Receiver, [true, false]));
    assert_eq!(role(Learn::Peer, true), (Role::Sender, [false, true]));
    let values = json!({ "values": ["a", "b"], "scales": [0, 2] });
    let theirs = agreed(offer(Operation::Sum), values).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((theirs.role, theirs.sums), (Role::Receiver, 2));
    let own = ClusterOffer { values: amounts(), ..offer(Operation::Sum) };
    let own = agreed(own, json!({ "values": [], "scales": [] }));
    let own = own.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((own.role, own.sums), (Role::Sender, 1));
}

#[test]
fn all_differences_are_named_at_once() {
    let change = json!({
        "version": 2, "operation": "weigh\u{1b}", "learn": "all", "presets": "raw/1", "values": ["a"],
    });
    let (blame, text) = refused(offer(Operation::Sum), change);
    assert_eq!(blame, Blame::Terms);
    let expected = "the two sides do not agree on the terms: version: here 1, at the peer 2; \
        operation: here sum, at the peer weigh\\u{1b}; \
        who learns (--learn: one side's me is the other side's peer): here both, at the peer all; \
        key presets: here email/1, at the peer raw/1; agree with the peer and run again";
    assert_eq!(text, expected);
    let (_, text) = refused(offer(Operation::Sum), json!({}));
    assert!(text.contains("one side gives --value"), "{text}");
}

#[test]
fn terms_that_no_driver_sends_are_the_peers_fault() {
    let union = || ClusterOffer { learn: Learn::Peer, ..offer(Operation::Union) };
    let count = || offer(Operation::Count);
    let long = "a".repeat(MAX_NAME + 1);
    let cases = [
        (count(), json!({ "kind": "go" })),
        (count(), json!({ "more": 1 })),
        (count(), json!({ "version": true })),
        (count(), json!({ "width": 4097 })),
        (count(), json!({ "width": 1.5 })),
        (count(), json!({ "pieces": 0 })),
        (count(), json!({ "pieces": 24 })),
        (count(), json!({ "pieces": 8192 })),
        (count(), json!({ "workers": 0 })),
        (count(), json!({ "workers": 4097 })),
        (count(), json!({ "operation": long })),
        (count(), json!({ "send": vec!["a"; 65] })),
        (count(), json!({ "values": ["a"], "scales": [0] })),
        (count(), json!({ "send": ["a"] })),
        (count(), json!({ "width": 1 })),
        (offer(Operation::Sum), json!({ "values": ["a"], "scales": [31] })),
        (offer(Operation::Sum), json!({ "values": ["a"], "scales": [] })),
        (offer(Operation::Union), json!({ "send": ["a", "a"], "width": 9 })),
        (union(), json!({ "learn": "me", "send": ["a"], "width": 9 })),
    ];
    for (offer, change) in cases {
        let shown = change.to_string();
        let (blame, text) = refused(offer, change);
        assert_eq!(blame, Blame::Peer, "{shown}");
        assert!(text.starts_with("during agreement: the peer's "), "{shown}: {text}");
    }
    for heard in ["", "[]", "\u{0}", "{}"] {
        let error = count().agreed(heard.as_bytes()).err().expect("it is refused");
        assert_eq!(error.blame(), Blame::Peer);
    }
}

#[test]
fn this_sides_terms_have_the_same_bounds() {
    let columns =
        |count| ClusterOffer { send: vec!["a".to_owned(); count], ..offer(Operation::Union) };
    assert!(columns(64).message().is_ok());
    assert!(matches!(columns(65).message(), Err(SessionError::Columns)));
}

#[test]
fn a_run_says_of_itself_what_its_protocol_says() {
    let offer = ClusterOffer { values: amounts(), ..offer(Operation::Sum) };
    let agreed = agreed(offer, json!({ "values": [], "scales": [] }));
    let agreed = agreed.unwrap_or_else(|error| panic!("{error}"));
    let briefing = agreed.briefing("acme", 7);
    assert_eq!(briefing.warnings, []);
    assert_eq!(agreed.briefing("acme", 0).warnings[0].text, "The peer's set is empty.");
    assert_eq!(
        briefing.learned,
        "You learn: how many distinct keys match, and the sums of your values over them. \
         acme learns: how many distinct keys match, not which."
    );
    let spec = find("mqrpmt-dh-sum").expect("it is registered").spec();
    assert_eq!((briefing.protocol, briefing.choices), (spec.id, spec.defaults()));
    let (last, of_protocol) = briefing.leaks.split_last().expect("there are some");
    assert_eq!(*last, CLUSTER_LEAK);
    assert!(spec.leaks_of(briefing.learn.reveal()).eq(of_protocol.iter().copied()));
}

#[test]
fn a_run_by_several_keys_says_what_tiers_tell() {
    let matching = Some(Matching::Tiers);
    let presets = "email/1;phone-gb/1".to_owned();
    let offer = ClusterOffer { presets, matching, ..offer(Operation::Intersect) };
    let briefing = agreed(offer, json!({})).expect("both want the same").briefing("acme", 0);
    assert_eq!(briefing.peer().has, "acme has 0 distinct values of its first key");
    assert!(briefing.leaks.contains(&TIERS_LEAK));
    // Under another key the peer may have values.
    assert_eq!(briefing.warnings, []);
}

#[test]
fn clusters_run_operations_by_protocols_that_are_for_them() {
    for operation in Operation::ALL {
        let Some(protocol) = clustered(operation) else { continue };
        let spec = protocol.spec();
        assert_eq!((spec.operation, spec.security), (operation, Security::SemiHonest));
        assert!(spec.auto && spec.reveals.contains(&Learn::Both.reveal()));
    }
    assert!(matches!(
        offer(Operation::Align).agreed(b""),
        Err(SessionError::NoProtocol { operation: Operation::Align, .. })
    ));
}
