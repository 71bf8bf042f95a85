use std::thread;
use std::time::Duration;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::memory_pair;
use veilset_protocols::Security;

use super::*;
use crate::Release;
use crate::terms::{factor_detail, groups_detail};

/// Where memory is short, too.
#[test]
fn nothing_is_chosen_that_somebody_has_to_name() {
    let wanted = Wanted::new(Operation::Count, Security::SemiHonest, Learn::Both);
    let shape = Shape::of_sets(1 << 14, 1 << 14, wanted.learn.reveal(), Choices::default());
    let named = wanted.candidates().filter(|protocol| !protocol.spec().auto);
    assert!(named.count() > 0, "some counts have to be named");
    for fits in [|protocol: &dyn Protocol| !protocol.spec().auto, |_: &dyn Protocol| false] {
        let chosen = best(wanted, &|_| shape, &|protocol, _| fits(protocol));
        assert!(chosen.expect("a machine").is_some_and(|chosen| chosen.spec().auto));
    }
}

/// What a side makes of the peer at the other end of a pipe.
fn agreed_over(pipe: Pipe, offer: Offer, connecting: bool) -> Result<AgreedPair, SessionError> {
    let mut peer = ConnectedPeer { name: "peer".into(), pipe, connecting };
    agree(&mut peer, offer, &mut ChaCha20Rng::from_seed([1; 32]))
}

/// What a side makes of a peer that sends these terms.
fn agreed_with(
    offer: Offer,
    binding: [u8; 32],
    theirs: UncheckedTerms,
) -> Result<AgreedPair, SessionError> {
    let connecting = !theirs.connecting;
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let peer = scope.spawn(move || {
            let mut pipe = Pipe::new(Box::new(left), [0; 32]);
            swap_terms(&mut pipe, &theirs).map(|_| pipe)
        });
        let agreed = agreed_over(Pipe::new(Box::new(right), binding), offer, connecting);
        peer.join().expect("no panic").expect("terms cross");
        agreed
    })
}

fn terms(change: impl FnOnce(&mut UncheckedTerms)) -> UncheckedTerms {
    let mut terms = UncheckedTerms::from(&Terms::new(&Offer::sample(), false, [2; 32]));
    change(&mut terms);
    terms
}

/// A name in the terms.
type Name = fn(&mut UncheckedTerms) -> &mut String;

#[test]
fn what_only_the_peer_knows_is_a_difference_of_terms() {
    let known = "any that this version has; veilset protocols lists them";
    let cases: [(&str, Name, &str); 6] = [
        ("operation", |terms| &mut terms.operation, "count"),
        ("security", |terms| &mut terms.security, "semi-honest"),
        ("protocol", |terms| &mut terms.protocol, known),
        ("group", |terms| &mut terms.group, known),
        ("digest", |terms| &mut terms.digest, known),
        ("scheme", |terms| &mut terms.scheme, "sum-of-ranks"),
    ];
    for (field, named, mine) in cases {
        for connects in [true, false] {
            let theirs = terms(|terms| {
                terms.connecting = !connects;
                *named(terms) = "from-the-future".into();
            });
            let ended = agreed_with(Offer::sample(), [0; 32], theirs);
            let Err(SessionError::Terms(found)) = ended else { panic!("it must not go on") };
            let [found] = &found[..] else { panic!("one difference: {found:?}") };
            let said = (&*found.field, &*found.mine, &*found.theirs);
            assert_eq!(said, (field, mine, "from-the-future"));
        }
    }
}

#[test]
fn a_peer_that_sends_no_terms_or_no_choice_ends_the_wait() {
    let waited = Duration::from_millis(20);
    let silent = |result: Result<AgreedPair, SessionError>| {
        let Err(why @ SessionError::NoTerms { .. }) = result else { panic!("it must not go on") };
        assert!(why.to_string().starts_with("the peer did not send its terms"), "{why}");
        assert_eq!(why.goodbye(), Some(Abort::Late));
    };
    let (left, _silent) = memory_pair();
    let patient = |end| Pipe::new(Box::new(end), [0; 32]).with_patience(waited);
    silent(agreed_over(patient(left), Offer::sample(), true));

    let (left, right) = memory_pair();
    let mut peer = Pipe::new(Box::new(right), [0; 32]);
    let opening = Hello::of(terms(|terms| terms.connecting = true));
    peer.channel.put(&opening).expect("there is room");
    silent(agreed_over(patient(left), Offer::sample(), false));
}

#[test]
fn a_peer_cannot_claim_more_than_memory_holds() {
    let most = 1 << 30;
    let small = || Offer { memory: 1_000_000, ..Offer::sample() };
    assert!(agreed_with(small(), [0; 32], terms(|_| {})).is_ok());
    let ended = agreed_with(small(), [0; 32], terms(|terms| terms.distinct = most));
    let Err(SessionError::Memory { needed, allowed, peer }) = ended else {
        panic!("it must not go on")
    };
    assert!(needed > 16 * most && allowed == 1_000_000 && peer == most);
}

/// What both sides make of these offers, the connecting side first.
fn both_agree(offers: [Offer; 2]) -> [Result<AgreedPair, SessionError>; 2] {
    let (left, right) = memory_pair();
    let [connecting, listening] = offers;
    thread::scope(|scope| {
        let pipe = |end| Pipe::new(Box::new(end), [0; 32]);
        let other = scope.spawn(move || agreed_over(pipe(right), listening, false));
        [agreed_over(pipe(left), connecting, true), other.join().expect("no panic")]
    })
}

/// The noise of a small epsilon takes millions of dummies, but coins alone on shares.
#[test]
fn noise_on_shares_takes_no_room_of_the_lists() {
    let release = Release { noise: Noise::new(0.01, 1e-9).ok(), ..Release::default() };
    let circuit = veilset_protocols::find("circuit-count").expect("an entry").spec();
    let most = circuit.max_elements as usize;
    let offer = || Offer { distinct: most, release, ..Offer::sample() };
    for agreed in both_agree([offer(), offer()]) {
        let agreed = agreed.map_err(|error| error.to_string()).expect("they fit");
        assert_eq!(agreed.protocol.spec().id, circuit.id);
        assert_eq!((agreed.peer_count, agreed.dummies.is_none()), (most, true));
    }
}

/// A release is kept by the protocol itself unless both sides give that up: one of them by its memory or by a name, and the other by a yes.
#[test]
fn a_side_is_asked_before_a_protocol_tells_what_is_withheld() {
    let least = Release { least: Some(50), ..Release::default() };
    let noise = Release { noise: Noise::new(1.0, 1e-9).ok(), ..Release::default() };
    for release in [least, noise] {
        let offer = || Offer { distinct: 3000, release, ..Offer::sample() };
        for agreed in both_agree([offer(), offer()]) {
            let agreed = agreed.map_err(|error| error.to_string()).expect("they fit");
            assert_eq!(agreed.protocol.spec().id, "circuit-count");
            assert!(agreed.check_accepted().is_ok() && agreed.asked_of_peer.is_empty());
        }
        let named = Offer { protocol: Some("mqrpmt-dh"), ..offer() };
        let memories = (16..40).map(|log| 1 << log);
        let short = |memory| Offer { memory, ..offer() };
        let least =
            memories.map(short).find(|short| both_agree([short.clone(), offer()])[0].is_ok());
        for connecting in [named, least.expect("some memory is enough")] {
            let [one, other] = both_agree([connecting, offer()])
                .map(|agreed| agreed.map_err(|error| error.to_string()).expect("they fit"));
            let id = one.protocol.spec().id;
            assert!(!one.protocol.spec().withholds, "{id}");
            assert!(one.check_accepted().is_ok());
            assert_eq!(one.asked_of_peer.protocol, Some(id));
            let Err(SessionError::Asked(asked)) = other.check_accepted() else {
                panic!("nobody here said yes to {id}")
            };
            assert_eq!((asked.protocol, other.asked_of_peer.is_empty()), (Some(id), true));
        }
    }
    // Nothing is withheld from programs there, and any count may be taken.
    let plain = || Offer { distinct: 3000, ..Offer::sample() };
    let [_, other] = both_agree([Offer { protocol: Some("mqrpmt-dh"), ..plain() }, plain()]);
    assert!(other.is_ok_and(|agreed| agreed.check_accepted().is_ok()));
    // Where lists are too long for the circuit, there is nothing better to take.
    let long = || Offer { distinct: (1 << 22) + 1, release: least, ..Offer::sample() };
    for agreed in both_agree([long(), long()]) {
        let agreed = agreed.map_err(|error| error.to_string()).expect("they fit");
        assert!(agreed.check_accepted().is_ok() && !agreed.protocol.spec().withholds);
    }
}

#[test]
fn what_either_side_names_holds() {
    let theirs = terms(|terms| {
        terms.protocol = "mqrpmt-dh".into();
        terms.group = "p256".into();
    });
    let choices = Choices { digest: Some(SetEncoding::Bloom), ..Choices::default() };
    let agreed = agreed_with(Offer { choices, ..Offer::sample() }, [0; 32], theirs.clone())
        .map_err(|error| error.to_string());
    let agreed = agreed.expect("it fits");
    assert_eq!(agreed.protocol.spec().id, "mqrpmt-dh");
    assert_eq!(agreed.choices, Choices { group: Some(Group::P256), ..choices });
    let choices = Choices { group: Some(Group::Curve25519), ..Choices::default() };
    let other = Offer { choices, ..Offer::sample() };
    let Err(SessionError::Terms(found)) = agreed_with(other, [0; 32], theirs) else {
        panic!("it must not go on")
    };
    let [found] = &found[..] else { panic!("one difference") };
    assert_eq!((&*found.field, &*found.mine, &*found.theirs), ("group", "curve25519", "p256"));
}

#[test]
fn the_owner_of_values_is_the_sender_and_there_is_one() {
    let values = AttachedShape::Values { columns: 1, products: 0, groups: None };
    let column = || vec![Column { name: "amount".into(), scale: 2 }];
    let mine = |attached, columns| Offer {
        operation: Operation::Sum,
        attached,
        columns,
        ..Offer::sample()
    };
    let theirs = |columns: Vec<Column>| {
        terms(|terms| {
            terms.operation = "sum".into();
            terms.values = columns.len() as u16;
            terms.columns = columns;
        })
    };
    let role = |mine, theirs| agreed_with(mine, [0; 32], theirs).map(|agreed| agreed.role);
    let owning = role(mine(values, column()), theirs(vec![]));
    assert!(matches!(owning, Ok(Role::Sender)));
    let other = role(mine(AttachedShape::Nothing, vec![]), theirs(column()));
    assert!(matches!(other, Ok(Role::Receiver)));
    for wrong in [
        role(mine(values, column()), theirs(column())),
        role(mine(AttachedShape::Nothing, vec![]), theirs(vec![])),
    ] {
        let Err(SessionError::Terms(found)) = wrong else { panic!("it must not go on") };
        assert!(found[0].field.starts_with("value columns"));
    }
}

#[test]
fn a_factor_is_on_the_one_side_and_what_it_multiplies_on_the_other() {
    let column = |name: &str| vec![Column { name: name.into(), scale: 2 }];
    let values = AttachedShape::Values { columns: 1, products: 1, groups: None };
    let mine = |attached, factor: Option<&str>| Offer {
        operation: Operation::Sum,
        attached,
        columns: if attached == AttachedShape::Nothing { Vec::new() } else { column("amount") },
        factor: factor.map(str::to_owned),
        ..Offer::sample()
    };
    let theirs = |[values, products, factor]: [u16; 3], said: Option<&str>| {
        terms(|terms| {
            terms.operation = "sum".into();
            (terms.values, terms.products, terms.factor) = (values, products, factor);
            terms.columns = column("rate");
            terms.details = said.map(factor_detail).into_iter().collect();
        })
    };
    let agreed = |mine, theirs| agreed_with(mine, [0; 32], theirs);
    let owning = agreed(mine(values, Some("rate")), theirs([0, 0, 2], Some("rate")));
    let owning = owning.map_err(|error| error.to_string()).expect("they fit");
    let factor = AttachedShape::Lent { factor: 2, groups: None };
    assert_eq!((owning.role, owning.peer_attached), (Role::Sender, factor));
    assert_eq!(owning.protocol.spec().id, "circuit-sum");
    let having = agreed(mine(factor, Some("rate")), theirs([1, 1, 0], Some("rate")));
    let having = having.map_err(|error| error.to_string()).expect("they fit");
    assert_eq!((having.role, having.peer_attached), (Role::Receiver, values));
    for (wrong, field) in [
        (agreed(mine(values, Some("rate")), theirs([0, 0, 2], Some("price"))), "factor (--factor"),
        (agreed(mine(factor, Some("rate")), theirs([0, 0, 2], Some("rate"))), "value columns"),
        (agreed(mine(values, Some("rate")), theirs([1, 1, 0], Some("rate"))), "value columns"),
        (
            agreed(mine(AttachedShape::Nothing, None), theirs([1, 1, 0], Some("rate"))),
            "factor (--factor",
        ),
    ] {
        let Err(SessionError::Terms(found)) = wrong else { panic!("it must not go on") };
        assert!(found.iter().any(|one| one.field.starts_with(field)), "{field}: {found:?}");
    }
}

#[test]
fn groups_of_either_side_or_both_are_agreed_on() {
    let values = |groups| AttachedShape::Values { columns: 1, products: 0, groups };
    let column = || vec![Column { name: "amount".into(), scale: 2 }];
    let mine = |groups: Option<usize>, most: usize| Offer {
        operation: Operation::Sum,
        attached: values(groups),
        columns: column(),
        groups: Some(most),
        ..Offer::sample()
    };
    let theirs = |lent: usize, most: usize| {
        terms(|terms| {
            terms.operation = "sum".into();
            terms.by = lent as u16;
            let names = (0..lent).map(|name| vec![name.to_string()]).collect();
            let columns = vec!["kind".to_owned()];
            terms.lent = (lent > 0).then_some(LentGroups { columns, names });
            terms.details = vec![groups_detail(most)];
        })
    };
    let agreed = |mine, theirs| agreed_with(mine, [0; 32], theirs);
    for (own, lent) in [(Some(3), 0), (None, 4), (Some(3), 4), (Some(16), 16)] {
        let agreed = agreed(mine(own, 16), theirs(lent, 16)).map_err(|error| error.to_string());
        let agreed = agreed.expect("they fit");
        let [shape] = &agreed.runs[..] else { panic!("one run") };
        // The peer does not see how many groups there are, but how many there can be.
        assert_eq!(shape.attached, values(own.map(|_| 16)));
        assert_eq!(shape.returned.lent_groups(), (lent > 0).then_some(lent));
        assert_eq!(agreed.peer_lent.map_or(0, |lent| lent.names.len()), lent);
        assert_eq!(agreed.protocol.spec().id, "circuit-sum");
    }
    for (own, lent, most) in [(None, 0, 16), (Some(3), 30, 35)] {
        let Err(SessionError::Terms(found)) = agreed(mine(own, most), theirs(lent, most)) else {
            panic!("it must not go on")
        };
        assert!(found[0].field.starts_with("groups"), "{found:?}");
    }
}

#[test]
fn two_connections_are_two_sessions() {
    let session = |binding| {
        agreed_with(Offer::sample(), binding, terms(|_| {})).map(|agreed| agreed.session).ok()
    };
    assert_eq!(session([0; 32]), session([0; 32]));
    assert_ne!(session([0; 32]), session([1; 32]));
}

#[test]
fn a_choice_is_whole_and_says_no_more_than_there_is() {
    let takes = |protocol: &'static str, group: &str, digest: &str| {
        let (protocol, named) = (protocol.to_owned(), Some(protocol));
        let offer = Offer { operation: Operation::Intersect, protocol: named, ..Offer::sample() };
        let choice = ChosenNames { protocol, group: group.to_owned(), digest: digest.to_owned() };
        check_choice(Wanted::of(&offer), &offer, &choice).map(|chosen| chosen.choices)
    };
    let dh = takes("dh", "curve25519", "shuffled").expect("its default");
    assert_eq!((dh.group, dh.digest), (Some(Group::Curve25519), Some(SetEncoding::Shuffled)));
    for (group, digest) in [("", "shuffled"), ("curve25519", ""), ("", ""), ("none", "shuffled")] {
        assert_eq!(takes("dh", group, digest), None, "{group} {digest}");
    }
    // It is on no group, and no set travels.
    assert_eq!(takes("fnp", "", ""), Some(Choices::default()));
    assert_eq!(takes("fnp", "ristretto255", "shuffled"), None);
}

#[test]
fn tiers_are_runs_one_after_the_other() {
    let of = |distinct, tiers: &[usize]| {
        let offer = Offer {
            operation: Operation::Intersect,
            distinct,
            tiers: tiers.to_vec(),
            ..Offer::sample()
        };
        Terms::new(&offer, true, [0; 32])
    };
    let sizes = |role, mine: &Terms, theirs: &Terms| -> Vec<(u64, u64)> {
        let whole = shape_of(role, Reveal::Both, mine, theirs, 1);
        runs(role, whole, mine, theirs).iter().map(|run| (run.sender, run.receiver)).collect()
    };
    let (mine, theirs) = (of(7, &[3, 4]), of(11, &[5, 6]));
    assert_eq!(sizes(Role::Sender, &mine, &theirs), [(3, 5), (4, 6)]);
    assert_eq!(sizes(Role::Receiver, &mine, &theirs), [(5, 3), (6, 4)]);
    assert_eq!(sizes(Role::Receiver, &of(7, &[]), &of(11, &[])), [(11, 7)]);
}

#[test]
fn the_planner_takes_what_fits_the_memory() {
    let offer = || Offer { distinct: 3000, ..Offer::sample() };
    let theirs = || terms(|terms| terms.distinct = 3000);
    let agreed = |memory| agreed_with(Offer { memory, ..offer() }, [0; 32], theirs());
    let shape = |agreed: &AgreedPair| agreed.runs[0];
    let any = agreed(u64::MAX).map_err(|error| error.to_string()).expect("it fits");
    let all: Vec<_> = Wanted::of(&offer()).planned().collect();
    let needed =
        |protocol: &&'static dyn Protocol| memory_of(*protocol, shape(&any), any.role, Parts::ONE);
    let smallest = all.iter().min_by_key(|protocol| needed(protocol)).expect("there are some");
    assert!(all.len() > 1 && all.iter().any(|protocol| needed(protocol) > needed(smallest)));
    let fitting = agreed(needed(smallest)).map_err(|error| error.to_string()).expect("it fits");
    assert_eq!(fitting.protocol.spec().id, smallest.spec().id);
    assert!(matches!(agreed(needed(smallest) - 1), Err(SessionError::Memory { .. })));
}
