use std::thread;

use veilset_channel::memory_pair;
use veilset_data::{KeySpec, Table};
use veilset_protocols::{Operation, Silent};
use veilset_session::{Learn, Resources};

use super::*;
use crate::{Connection, Job};

fn input(csv: &str) -> Input {
    let table = Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table");
    Input::of(table, &"mail:email".parse::<KeySpec>().expect("a key")).expect("a column")
}

/// Both ends of a lookup, the owner's first.
fn look_up(owner: &Input, asker: &Input, protocol: &'static str) -> [Result<Done, Error>; 2] {
    let (left, right) = memory_pair();
    let side = |input: &Input, transport, connecting, learn| {
        let job = Job { learn, protocol: Some(protocol), ..Job::new(Operation::Lookup, ["peer"]) };
        let ready = job.offer(Connection::from_transport(transport, connecting), input)?;
        ready.run(input, &Resources { threads: 1, observer: &Silent })
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| side(owner, Box::new(left), false, Learn::Peer));
        let here = side(asker, Box::new(right), true, Learn::Me);
        [other.join().expect("no panic"), here]
    })
}

fn written(done: &Done, input: &Input) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    done.write(input, &Destination::file(path.clone(), false)).expect("writable");
    std::fs::read_to_string(path).expect("written")
}

#[test]
fn listed_rows_get_their_labels() {
    let list = "mail,source\nann@b.c,\"dump, 2019\"\nben@b.c,x\neve@b.c,\n";
    let asker = input("n,mail\n1,EVE@b.c\n2,fay@b.c\n3,ann@b.c\n4,Ann@b.c\n5,\n");
    for protocol in ["oprf-filter", "fhe-lookup"] {
        let labelled = input(list).with_labels("source").expect("short");
        let [owner, done] = look_up(&labelled, &asker, protocol).map(|end| end.expect("it runs"));
        assert_eq!((owner.report.count(), done.report.count()), (None, Some(2)), "{protocol}");
        let want = "n,mail,veilset_label\n1,EVE@b.c,\n3,ann@b.c,\"dump, 2019\"\n\
                    4,Ann@b.c,\"dump, 2019\"\n";
        assert_eq!(written(&done, &asker), want, "{protocol}");
        let other = input("mail\nfay@b.c\n");
        let [_, none] = look_up(&labelled, &other, protocol).map(|end| end.expect("it runs"));
        assert_eq!(written(&none, &other), "mail,veilset_label\n");
        let [_, done] = look_up(&input(list), &asker, protocol).map(|end| end.expect("it runs"));
        assert_eq!(written(&done, &asker), "n,mail\n1,EVE@b.c\n3,ann@b.c\n4,Ann@b.c\n");
    }
}

#[test]
fn a_column_of_labels_cannot_be_added_twice() {
    let labelled = input("mail,source\nann@b.c,x\n").with_labels("source").expect("short");
    let asker = input("mail,veilset_label\nann@b.c,y\n");
    let [owner, asked] = look_up(&labelled, &asker, "oprf-filter");
    assert!(owner.is_err());
    assert_eq!(asked.err().map(|error| error.exit_code()), Some(2));
}
