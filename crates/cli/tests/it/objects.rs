//! Lists and results in an object store.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use veilset_stage::{NOBODY, Party, Running, code, stderr};

use crate::support::bucket::{Bucket, SECRET};
use crate::support::{ANY, json, pair, party};

/// `args` in the party's folder, with the store and `user`'s credentials.
fn command(bucket: &Bucket, user: &str, party: &Party, args: &[&str]) -> Command {
    let mut command = party.command(args);
    bucket.known_to(user, &mut command);
    command
}

fn run(bucket: &Bucket, party: &Party, args: &[&str]) -> Output {
    command(bucket, "ann", party, args).output().expect("it starts")
}

/// An address a line, under a header.
fn rows(numbers: impl Iterator<Item = u32>) -> String {
    let rows = numbers.map(|number| format!("{number},user{number}@example.org\n"));
    "id,email\n".to_owned() + &rows.collect::<String>()
}

/// An intersection of `left` with `right`, with further flags on the left.
fn meet(bucket: &Bucket, parties: [&Party; 2], lists: [&str; 2], flags: &[&str]) -> [Output; 2] {
    let common = ["--key", "email:email", "--deadline", "60s"];
    let [left, right] = lists;
    let left = [&["intersect", left, "--listen", ANY, "--peer", "right"][..], &common, flags];
    let mut listening = Running::start(command(bucket, "ann", parties[0], &left.concat()));
    let address = listening.address();
    let right = ["intersect", right, "--connect", &address, "--peer", "left", "--json"];
    let connected = run(bucket, parties[1], &[&right[..], &common].concat());
    [listening.output(), connected]
}

#[test]
fn folders_and_patterns_of_objects_are_lists_and_the_result_is_an_object() {
    let bucket = Bucket::start();
    for part in 0..5 {
        bucket.put(&format!("left/part-{part}.csv"), rows(part * 100..part * 100 + 80));
    }
    for part in 0..3 {
        let name = format!("right/day={part}/shaky [1].csv");
        bucket.put(&name, rows((0..100).map(|number| part * 150 + number * 2)));
    }
    // None of these belongs to either list.
    for name in
        ["left/", "left/_SUCCESS", "left/.part.csv", "left/old/part-9.csv", "left2/part.csv"]
    {
        bucket.put(name, if name == "left/" { String::new() } else { rows(0..500) });
    }
    bucket.put("right/day=0/other.csv", rows(0..500));
    let parties = pair();

    let lists = ["s3://lists/left/", "s3://lists/right/day=*/shaky [1].csv"];
    let [left, right] =
        meet(&bucket, [&parties.0, &parties.1], lists, &["-o", "s3://lists/out/matches.csv"]);
    assert_eq!(code(&left), 0, "{}", stderr(&left));
    let in_left: BTreeSet<u32> = (0..5).flat_map(|part| part * 100..part * 100 + 80).collect();
    let in_right: BTreeSet<u32> =
        (0..3).flat_map(|part| (0..100).map(move |number| part * 150 + number * 2)).collect();
    let both: Vec<u32> = in_left.intersection(&in_right).copied().collect();
    assert_eq!(json(&right)["result"]["count"], both.len());
    assert_eq!(bucket.get("out/matches.csv"), Some(rows(both.iter().copied())));
    // What broke off in the middle went on from there.
    assert_eq!(bucket.requests("GET /lists/right/day=0/shaky [1].csv"), 2);

    // A folder without its slash, and a result with types, which is read again.
    let lists = ["s3://lists/left", "s3://lists/left/part-0.csv"];
    let [left, right] =
        meet(&bucket, [&parties.0, &parties.1], lists, &["-o", "s3://lists/out/matches.parquet"]);
    assert_eq!((code(&left), code(&right)), (0, 0), "{}", stderr(&left));
    let check = ["check", "s3://lists/out/matches.parquet", "--key", "email:email", "--json"];
    let seen = json(&run(&bucket, &parties.0, &check));
    assert_eq!(seen["rows"], 80);
    bucket.is_content();
}

#[test]
fn an_object_that_exists_is_kept_unless_forced() {
    let bucket = Bucket::start();
    bucket.put("list.csv", rows(0..10));
    bucket.put("out.csv", "old");
    let parties = pair();
    let lists = ["s3://lists/list.csv"; 2];
    let intersect = ["intersect", lists[0], "--key", "email:email", "--listen", "127.0.0.1:1"];
    for (output, part) in [
        ("s3://lists/out.csv", "s3://lists/out.csv exists"),
        ("s3://lists/list.csv", "is the input"),
        ("s3://lists/out/", "no name of one object"),
        ("s3://lists/out-*.csv", "no name of one object"),
        ("s3://nothing/out.csv", "no bucket for s3://nothing/out.csv"),
        ("s3://lists/denied.csv", "the store refuses s3://lists/denied.csv"),
    ] {
        // Said before the peer is waited for.
        let flags = ["--peer", "right", "-o", output];
        let refused = run(&bucket, &parties.0, &[&intersect[..], &flags].concat());
        assert_eq!(code(&refused), 2, "{}", stderr(&refused));
        assert!(stderr(&refused).contains(part), "{}", stderr(&refused));
    }
    assert_eq!(bucket.get("out.csv").as_deref(), Some("old"));
    assert_eq!(bucket.requests("PUT"), 0);

    let [left, _] =
        meet(&bucket, [&parties.0, &parties.1], lists, &["-o", "s3://lists/out.csv", "--force"]);
    assert_eq!(code(&left), 0, "{}", stderr(&left));
    assert_eq!(bucket.get("out.csv"), Some(rows(0..10)));
    bucket.is_content();
}

#[test]
fn what_goes_wrong_names_the_object_and_says_what_to_do() {
    let bucket = Bucket::start();
    bucket.put("a.csv", rows(0..10));
    bucket.put("broken.csv", rows(0..1000));
    bucket.put("mixed/1.csv", "id,email\n1,a@example.org\n");
    bucket.put("mixed/2.csv", "id,mail\n1,a@example.org\n");
    let party = party();
    for (user, address, exit, part) in [
        ("ann", "s3://lists/none.csv", 2, "s3://lists/none.csv does not exist"),
        ("ann", "s3://lists/none/", 2, "s3://lists/none/ does not exist"),
        ("ann", "s3://lists/b*.parquet", 2, "s3://lists/b*.parquet does not exist"),
        ("ann", "s3://nothing/a.csv", 2, "no bucket for s3://nothing/a.csv"),
        (
            "eve",
            "s3://lists/a.csv",
            2,
            "refuses s3://lists/a.csv: it answers with status 403, AccessDenied",
        ),
        ("ann", "s3://lists/broken.csv", 4, "cannot reach s3://lists/broken.csv"),
        (
            "ann",
            "s3://lists/mixed/",
            2,
            "s3://lists/mixed/2.csv differs from s3://lists/mixed/1.csv",
        ),
        ("ann", "s3://ann:pass@lists/a.csv", 2, "credentials in the environment"),
    ] {
        let check = ["check", address, "--key", "email:email"];
        let output = command(&bucket, user, &party, &check).output().expect("it starts");
        let said = stderr(&output);
        assert!(code(&output) == exit && said.contains(part), "{}: {said}", code(&output));
        assert!(!said.contains(SECRET) && !said.contains("example.org"), "{said}");
        assert!(!said.contains("pass"), "{said}");
    }
    bucket.is_content();
    the_way_to_a_store_is_encrypted_or_stays_here(&bucket, &party);
}

fn the_way_to_a_store_is_encrypted_or_stays_here(bucket: &Bucket, party: &Party) {
    let closed = format!("http://{NOBODY}");
    for (endpoint, exit, part) in [
        ("http://store.example", 2, "has no encryption"),
        (&closed, 4, "cannot reach s3://lists/a.csv"),
    ] {
        let check = ["check", "s3://lists/a.csv", "--key", "email:email"];
        let mut command = command(bucket, "ann", party, &check);
        let output =
            command.env("AWS_ENDPOINT_URL", endpoint).env("AWS_ALLOW_HTTP", "true").output();
        let output = output.expect("it starts");
        let said = stderr(&output);
        assert!(code(&output) == exit && said.contains(part), "{}: {said}", code(&output));
    }
}
