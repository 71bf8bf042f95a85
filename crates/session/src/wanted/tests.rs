//! What the planner takes by itself, against what entries say of themselves; and what is asked for beyond that.

use std::collections::BTreeSet;

use veilset_protocols::{PROTOCOLS, Role, Shape};

use super::*;
use crate::plan::plan;
use crate::{Calibration, Link, Speed};

/// Every question without a group, digest or prime.
fn questions() -> impl Iterator<Item = Wanted> {
    let learns = [Learn::Me, Learn::Peer, Learn::Both];
    Operation::ALL.into_iter().flat_map(move |operation| {
        [Security::SemiHonest, Security::Malicious].into_iter().flat_map(move |security| {
            learns.into_iter().map(move |learn| Wanted::new(operation, security, learn))
        })
    })
}

/// Machines whose groups and passes differ in speed by more than any do.
fn machines() -> Vec<Calibration> {
    let speed =
        |slow: f64| Speed { multiplication: 20e-6 * slow, map: 3e-6 * slow, on_device: false };
    let mut machines = Vec::new();
    for others in [0.25, 4.0] {
        for pass in [2e-9, 1e-7, 4e-6] {
            machines.push(Calibration::with(
                |group| speed(if group == Group::Curve25519 { 1.0 } else { others }),
                pass,
            ));
        }
    }
    machines
}

/// Runs of all sizes, with something attached where the operation wants it.
fn shapes(wanted: Wanted) -> impl Iterator<Item = Shape> {
    let attached = wanted.operation.spec().attached(Role::Sender, 2, 40);
    let sizes = || [1, 1 << 8, 1 << 14, 1 << 20, 1 << 28].into_iter();
    sizes().flat_map(move |sender| {
        sizes().map(move |receiver| Shape {
            attached,
            ..Shape::of_sets(sender, receiver, wanted.learn.reveal(), Choices::default())
        })
    })
}

/// Receivers of these can test guesses against all keys by one changed line: whoever wants one asks for it.
#[test]
fn no_intersection_is_planned_on_an_mqrpmt() {
    let groups = || Group::ALL.map(Some).into_iter().chain([None]);
    let digests = || SetEncoding::ALL.map(Some).into_iter().chain([None]);
    for learn in [Learn::Me, Learn::Peer, Learn::Both] {
        let asked = Wanted::new(Operation::Intersect, Security::SemiHonest, learn);
        for (group, digest) in
            groups().flat_map(|group| digests().map(move |digest| (group, digest)))
        {
            for choice in
                (Wanted { choices: Choices { group, digest, ..asked.choices }, ..asked }).planned()
            {
                let id = choice.spec().id;
                assert!(["dh", "rr22", "rt21", "rr22-malicious"].contains(&id), "{id}");
            }
        }
    }
}

#[test]
fn each_question_without_a_group_or_digest_has_an_answer_without_a_name() {
    for wanted in questions() {
        assert_eq!(wanted.candidates().count() > 0, wanted.planned().count() > 0, "{wanted:?}");
    }
}

#[test]
fn the_planner_takes_nothing_but_what_both_sides_know_it_may_take() {
    let links = ["10gbit,0.1ms", "1mbit,200ms"];
    let mut taken = BTreeSet::new();
    for wanted in questions() {
        for (machine, shape) in machines().iter().flat_map(|m| shapes(wanted).map(move |s| (m, s)))
        {
            for link in links {
                let link: Link = link.parse().expect("a link");
                let plans = plan(wanted, &|_| shape, machine, link, 1);
                let Some(first) = plans.first() else { continue };
                let (spec, choices) = (first.spec(), first.choices);
                assert!(spec.auto, "{} for {wanted:?} at {shape:?}", spec.id);
                let asked = wanted.asked_too_much(false, spec, choices, &|_| shape);
                assert!(asked.is_empty(), "{asked} for {wanted:?}");
                taken.insert(spec.id);
            }
        }
    }
    // And what may be taken is taken somewhere: the list is no longer than it has to be.
    let auto = PROTOCOLS.iter().map(|protocol| protocol.spec()).filter(|spec| spec.auto);
    assert_eq!(taken, auto.map(|spec| spec.id).collect());
}

#[test]
fn what_is_asked_for_beyond_that_is_named() {
    let intersect = Wanted::new(Operation::Intersect, Security::SemiHonest, Learn::Both);
    let spec = |id| veilset_protocols::find(id).expect("an entry").spec();
    let ask = |wanted: Wanted, named, id, change: &dyn Fn(&mut Choices)| {
        let mut choices = spec(id).defaults();
        change(&mut choices);
        let shape = shapes(wanted).next().expect("a shape");
        wanted.asked_too_much(named, spec(id), choices, &|_| shape).to_string()
    };
    let as_is = |_: &mut Choices| {};
    for id in ["dh", "rr22"] {
        assert_eq!(ask(intersect, false, id, &as_is), "");
    }
    for id in ["mqrpmt-dh-intersect", "mqrpmt-star-intersect", "fnp", "fnp-binned", "ks", "fhe"] {
        assert_eq!(ask(intersect, false, id, &as_is), format!("--protocol {id}"));
        assert_eq!(ask(intersect, true, id, &as_is), "", "it was named");
    }
    let finite = |choices: &mut Choices| choices.group = Some(Group::Ffdhe2048);
    assert_eq!(ask(intersect, false, "dh", &finite), "--group ffdhe2048");
    assert_eq!(ask(intersect, true, "dh", &finite), "--group ffdhe2048");
    let own = Choices { group: Some(Group::Ffdhe2048), ..intersect.choices };
    let own = Wanted { choices: own, ..intersect };
    assert_eq!(ask(own, false, "dh", &finite), "");
    let bloom = |choices: &mut Choices| choices.digest = Some(SetEncoding::Bloom);
    assert_eq!(
        ask(intersect, false, "mqrpmt-dh-intersect", &bloom),
        "--protocol mqrpmt-dh-intersect --digest bloom"
    );
    let count = Wanted::new(Operation::Count, Security::SemiHonest, Learn::Both);
    assert_eq!(ask(count, false, "mqrpmt-dh", &bloom), "--digest bloom");
    assert_eq!(ask(count, false, "mqrpmt-star", &as_is), "--protocol mqrpmt-star");
}

#[test]
fn what_only_other_entries_have_takes_a_name() {
    let prime = Wanted {
        choices: Choices { group: Some(Group::Ffdhe2048), ..Choices::default() },
        ..Wanted::new(Operation::Intersect, Security::Malicious, Learn::Me)
    };
    let bloom = Wanted {
        choices: Choices { digest: Some(SetEncoding::Bloom), ..Choices::default() },
        ..Wanted::new(Operation::Intersect, Security::SemiHonest, Learn::Both)
    };
    for (wanted, entry, fitting) in [
        (prime, "rt21-ffdh", "one of rt21-ffdh"),
        (bloom, "mqrpmt-dh-intersect", "one of mqrpmt-dh-intersect, mqrpmt-star-intersect"),
    ] {
        let refused = wanted.check(None).expect_err("a name is needed").to_string();
        assert!(refused.ends_with(fitting), "{refused}");
        assert!(wanted.check(Some(entry)).is_ok());
    }
}

#[test]
fn a_result_for_one_side_says_so() {
    let check = |learn, named| {
        let wanted = Wanted::new(Operation::Intersect, Security::Malicious, learn);
        wanted.check(named).err().map(|error| error.to_string())
    };
    assert_eq!(check(Learn::Me, Some("rt21")), None);
    assert_eq!(
        check(Learn::Both, None).as_deref(),
        Some(
            "intersect with malicious security gives the result to one side alone: give --learn me on one side and \
             --learn peer on the other"
        )
    );
    let both = Wanted::new(Operation::Intersect, Security::SemiHonest, Learn::Both);
    for named in ["rt21", "rt21-ffdh", "rr22-malicious"] {
        let error = both.check(Some(named)).expect_err("one side learns").to_string();
        assert!(error.starts_with(&format!("protocol {named} gives")), "{error}");
        assert!(error.contains("--learn me"), "{error}");
    }
    let sum = Wanted::new(Operation::Sum, Security::SemiHonest, Learn::Me);
    assert!(matches!(sum.check(None), Err(SessionError::BothLearn(_))));
    let none = Wanted::new(Operation::Count, Security::Malicious, Learn::Both);
    assert!(matches!(none.check(None), Err(SessionError::NoProtocol { .. })));
}
