//! A ledger that is changed in every way, budgets that many take at once, and how long many runs take to read.

use std::path::Path;
use std::time::{Duration, Instant};

use veilset_party::StoreError;

use super::chain::{for_each_piece, line_after};
use super::*;
use crate::Policy;

/// The day on which these tests are.
fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn ledger() -> (tempfile::TempDir, Ledger) {
    let dir = tempfile::tempdir().expect("a directory");
    let home = Home::new(dir.path().join("home"));
    Identity::create(&home).expect("nothing there");
    let ledger = Ledger::open(&home).expect("an identity");
    (dir, ledger)
}

fn rules(text: &str) -> Vec<Rules> {
    vec![Policy::parse(Path::new("policy.toml"), text).expect("rules").rules_for("acme")]
}

fn run(number: u32, operation: &str) -> Began {
    let peer = LedgerPeer { name: "acme".into(), key: "veilset1acme".into(), distinct: 10 };
    Began::new(format!("run {number}"), vec![peer], operation.into())
}

fn digests(numbers: std::ops::Range<u32>) -> Vec<[u8; 32]> {
    numbers.map(|number| *blake3::hash(&number.to_le_bytes()).as_bytes()).collect()
}

/// The rule that refuses.
fn refused(result: Result<(), LedgerError>) -> &'static str {
    match result {
        Err(LedgerError::Refused(refusal)) => refusal.rule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_number_of_runs_in_a_time_is_a_bound_that_comes_back_with_time_alone() {
    let (_dir, ledger) = ledger();
    let rules = rules("runs = \"2 per 24h\"");
    let begin = |number, time| ledger.begin(run(number, "count"), &[], &rules, at(time));
    begin(0, 0).expect("the first");
    begin(1, 3600).expect("the second");
    // A failed run is spent, too.
    ledger.end("run 1", Ending::Failed, None, at(3700)).expect("written");
    assert_eq!(refused(begin(2, 86_399)), "runs");
    let budgets = ledger.budgets(&rules[0], "veilset1acme", at(7200)).expect("readable");
    assert_eq!((budgets[0].spent, budgets[0].renewed), (2.0, Some(1_800_000_000 + 86_400)));
    begin(3, 86_400).expect("the first is a day ago");
    assert_eq!(refused(begin(4, 86_401)), "runs");
    // Under another name the peer is the same, and another peer is another.
    let mut renamed = run(5, "count");
    renamed.peers[0].name = "acme2".into();
    let of = |name: &str| {
        vec![Policy::parse(Path::new("p"), "runs = \"2 per 24h\"").expect("rules").rules_for(name)]
    };
    assert_eq!(refused(ledger.begin(renamed.clone(), &[], &of("acme2"), at(86_402))), "runs");
    renamed.peers[0].key = "veilset1other".into();
    ledger.begin(renamed, &[], &of("acme2"), at(86_402)).expect("nobody that it ran with");
    assert_eq!(ledger.entries().expect("readable").len(), 5);
}

#[test]
fn noise_adds_up() {
    let (_dir, ledger) = ledger();
    let rules = rules("epsilon = \"1 per 24h\"");
    let begin = |epsilon| ledger.begin(Began { epsilon, ..run(0, "count") }, &[], &rules, at(0));
    for _ in 0..10 {
        begin(Some(0.1)).expect("a tenth each");
    }
    assert_eq!(refused(begin(Some(0.01))), "epsilon");
    let union = Began { epsilon: None, ..run(0, "union") };
    ledger.begin(union, &[], &rules, at(0)).expect("it has no numbers");
}

#[test]
fn lists_that_are_used_too_often_or_differ_by_too_little_are_refused() {
    let (_dir, ledger) = ledger();
    let rules = rules("runs-per-list = 2\nleast-difference = 50");
    let begin = |operation, list: &[[u8; 32]]| ledger.begin(run(0, operation), list, &rules, at(0));
    begin("count", &digests(0..1000)).expect("the first");
    assert_eq!(refused(begin("count", &digests(1..1000))), "least-difference");
    assert_eq!(refused(begin("count", &digests(0..1049))), "least-difference");
    begin("sum", &digests(1..1000)).expect("another operation");
    begin("count", &digests(0..1000)).expect("the same list");
    assert_eq!(refused(begin("count", &digests(0..1000))), "runs-per-list");
    begin("count", &digests(200..1200)).expect("400 differ");
    begin("count", &digests(0..1050)).expect("50 more, exactly");
}

#[test]
fn a_hundred_at_once_take_a_budget_of_ten_ten_times() {
    let (dir, _) = ledger();
    let home = Home::new(dir.path().join("home"));
    let began = std::sync::atomic::AtomicU32::new(0);
    std::thread::scope(|scope| {
        for number in 0..100 {
            let (home, began) = (&home, &began);
            scope.spawn(move || {
                let ledger = Ledger::open(home).expect("an identity");
                let rules = rules("runs = \"10 per 7d\"");
                match ledger.begin(run(number, "count"), &digests(0..100), &rules, at(0)) {
                    Ok(()) => drop(began.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
                    // The lock is not fair, and waits for ten seconds.
                    Err(LedgerError::Refused(_) | LedgerError::Store(StoreError::Busy { .. })) => {}
                    Err(other) => panic!("{other}"),
                }
            });
        }
    });
    assert_eq!(began.into_inner(), 10);
    let entries = Ledger::open(&home).expect("an identity").entries().expect("whole");
    assert_eq!(entries.len(), 10);
}

#[test]
fn every_change_is_noticed_and_a_stop_in_the_middle_is_none() {
    let (_dir, ledger) = ledger();
    for number in 0..4 {
        ledger.begin(run(number, "count"), &digests(0..10), &[], at(0)).expect("written");
    }
    let place = |name: &str| ledger.home.path().join(name);
    let [file, head] = [FILE, HEAD].map(|name| std::fs::read(place(name)).expect("there"));
    let with = |lines: &[u8], end: Option<&[u8]>| {
        std::fs::write(place(FILE), lines).expect("room");
        match end {
            Some(end) => std::fs::write(place(HEAD), end).expect("room"),
            None => std::fs::remove_file(place(HEAD)).expect("there"),
        }
        ledger.entries().map(|entries| entries.len())
    };
    let lines: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
    let is_changed = |found| matches!(found, Err(LedgerError::Changed { .. }));
    // Each byte of the first line, each line taken out, two exchanged, the last cut off, all gone, another's head.
    for place in 0..lines[0].len() {
        let mut changed = file.clone();
        changed[place] ^= 1;
        assert!(is_changed(with(&changed, Some(&head))), "byte {place}");
    }
    for gone in 0..lines.len() {
        let rest = lines.iter().enumerate().filter(|(place, _)| *place != gone);
        assert!(is_changed(with(
            &rest.map(|(_, line)| *line).collect::<Vec<_>>().concat(),
            Some(&head)
        )));
    }
    let exchanged = [lines[1], lines[0], lines[2], lines[3]].concat();
    assert!(is_changed(with(&exchanged, Some(&head))) && is_changed(with(b"", Some(&head))));
    assert!(is_changed(with(&file, None)));
    let (_other, stranger) = self::ledger();
    (0..4).for_each(|number| {
        stranger.begin(run(number, "count"), &digests(0..10), &[], at(0)).expect("written")
    });
    let strange = std::fs::read(stranger.home.path().join(HEAD)).expect("there");
    assert!(is_changed(with(&file, Some(&strange))) && is_changed(with(&file, Some(b"4 what"))));
    // The machine stopped before the head was there, or in the middle of a line: the next line takes its place.
    let begun = |number| ledger.begin(run(number, "count"), &[], &[], at(0)).expect("written");
    assert_eq!(with(&file, Some(&head)).ok(), Some(4));
    begun(4);
    let longer = std::fs::read(place(FILE)).expect("there");
    assert_eq!(with(&longer, Some(&head)).ok(), Some(5), "a line without its head");
    assert_eq!(with(&longer[..longer.len() - 1], Some(&head)).ok(), Some(4), "a part of a line");
    begun(5);
    assert_eq!(ledger.entries().expect("whole").len(), 5);
}

#[test]
fn pieces_are_of_whole_lines_and_leave_none_out() {
    // The last line has no end.
    let lengths = [0, 1, 5 << 20, 300, (4 << 20) - 1, 9 << 20, 7, 77];
    let lines = lengths.map(|length| vec![b'x'; length]).join(&b'\n');
    let mut pieces = Vec::new();
    for_each_piece(&lines[..], |piece| pieces.push(piece.to_vec())).expect("in memory");
    assert!(pieces.len() > 3);
    assert!(pieces.iter().all(|piece| piece.is_empty() || piece.ends_with(b"\n")));
    assert!(pieces.concat() == lines[..lines.len() - 77]);
}

#[cfg(unix)]
#[test]
fn a_head_that_cannot_be_written_takes_its_line_back() {
    let (_dir, ledger) = ledger();
    let begin = |number| ledger.begin(run(number, "count"), &[], &[], at(0));
    begin(0).expect("written");
    let head = ledger.home.path().join(HEAD);
    let kept = std::fs::read(&head).expect("there");
    // No file takes the place of a folder.
    std::fs::remove_file(&head).expect("ours");
    std::fs::create_dir(&head).expect("ours");
    std::fs::write(head.join("full"), b"").expect("room");
    for number in 1..4 {
        assert!(begin(number).is_err());
    }
    std::fs::remove_dir_all(&head).expect("ours");
    std::fs::write(&head, kept).expect("room");
    begin(4).expect("as before");
    assert_eq!(ledger.entries().expect("whole").len(), 2);
}

#[test]
fn a_new_identity_goes_on_with_the_ledger_and_knows_its_lists() {
    let (dir, ledger) = ledger();
    let home = Home::new(dir.path().join("home"));
    let rules = rules("runs-per-list = 1");
    ledger.begin(run(0, "count"), &digests(0..9), &rules, at(0)).expect("the first");
    let replaced = Ledger::replace_identity(&home, Replacement::Fresh).expect("writable");
    let identity = replaced.identity;
    assert!(ledger.entries().is_err(), "the old one is not its owner");
    let ledger = Ledger::open(&home).expect("an identity");
    assert_eq!(ledger.identity.public_key(), identity.public_key());
    assert_eq!(
        refused(ledger.begin(run(1, "count"), &digests(0..9), &rules, at(0))),
        "runs-per-list"
    );
    ledger.begin(run(1, "count"), &digests(0..99), &rules, at(0)).expect("another list");
    std::fs::write(home.path().join(FILE), b"").expect("room");
    assert!(matches!(
        Ledger::replace_identity(&home, Replacement::Fresh),
        Err(LedgerError::Changed { .. })
    ));
}

#[test]
fn the_ledger_shows_no_key() {
    let (_dir, ledger) = ledger();
    let list = digests(0..3);
    ledger.begin(run(0, "count"), &list, &[], at(0)).expect("written");
    let text = std::fs::read(ledger.home.path().join(FILE)).expect("there");
    for digest in &list {
        assert!(memmem::find(&text, &digest[..8]).is_none());
        let digits = blake3::Hash::from_bytes(*digest).to_hex();
        assert!(memmem::find(&text, &digits.as_bytes()[..16]).is_none());
    }
}

/// How long a ledger of 10^5 runs takes to open: `cargo test --release -p veilset-rules ledger -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout)]
fn many_runs_are_read_at_once() {
    let (_dir, ledger) = ledger();
    let (mut bytes, mut last) = (Vec::new(), Vec::new());
    let list = ledger.sketch_key().expect("a key").sketch(&digests(0..1000));
    for number in 0..100_000 {
        let salt = Some("0".repeat(64));
        let began = Began { list: list.clone(), at: number.into(), salt, ..run(number, "count") };
        let receipt = Some(RecordedReceipt { digest: "0".repeat(64), signed: true });
        let (run, ending) = (began.run.clone(), Ending::Complete);
        let ended = Ended { run, at: number.into(), ending, receipt };
        for entry in [Entry::Began(Box::new(began)), Entry::Ended(ended)] {
            last = line_after(&last, &entry);
            bytes.extend_from_slice(&last);
        }
    }
    let head = Head::of(blake3::Hasher::new().update(&bytes), 200_000);
    std::fs::write(ledger.home.path().join(FILE), &bytes).expect("room");
    std::fs::write(ledger.home.path().join(HEAD), head.signed(&ledger.identity)).expect("room");
    let rules = rules("runs = \"10 per 7d\"");
    println!("{} MB", bytes.len() / 1_000_000);
    for _ in 0..5 {
        let start = Instant::now();
        ledger.chain().expect("whole");
        let opened = start.elapsed();
        let budgets = ledger.budgets(&rules[0], "veilset1acme", at(0)).expect("whole");
        println!("opened in {opened:?}, summed up in {:?}", start.elapsed() - opened);
        assert_eq!(budgets[0].spent.to_bits(), 0f64.to_bits());
    }
}

#[test]
fn answers_to_a_partner_without_a_key_are_about_the_list_that_it_has() {
    let (_dir, ledger) = ledger();
    let rules = rules("runs = \"4 per 24h\"\nruns-per-list = 2\nleast-difference = 5");
    let step = |number: u32, peer: &str, protocol: &str| {
        let peer = LedgerPeer { name: peer.into(), key: String::new(), distinct: 0 };
        let protocol = protocol.to_owned();
        Began { protocol, ..Began::new(format!("step {number}"), vec![peer], "intersect".into()) }
    };
    let own = Began { own: 30, ..step(0, "acme", "pair") };
    ledger.begin(own, &digests(0..30), &rules, at(0)).expect("the first");
    // Neither another partner's steps count, nor is its list the one that is answered about.
    let other = vec![Policy::default().rules_for("other")];
    ledger.begin(step(1, "other", "pair"), &digests(50..90), &other, at(1)).expect("another");
    let answer = |number, time| ledger.answer(step(number, "acme", "pair"), &rules, at(time));
    answer(2, 2).expect("the first answer");
    answer(3, 3).expect("the second");
    assert_eq!(refused(answer(4, 4)), "runs-per-list");
    let close = ledger.begin(step(5, "acme", "pair"), &digests(0..29), &rules, at(5));
    assert_eq!(refused(close), "least-difference");
    ledger.begin(step(6, "acme", "pair"), &digests(30..60), &rules, at(6)).expect("another list");
    assert_eq!(refused(answer(7, 7)), "runs");
    answer(8, 86_405).expect("a day after, about the new list");
    let entries = ledger.entries().expect("readable");
    let Some(Entry::Began(last)) = entries.last() else { panic!("an answer") };
    assert_eq!((last.operation.as_str(), last.list.keys), (ANSWER, 30));
    let Some(Entry::Began(first)) = entries.get(2) else { panic!("an answer") };
    assert_eq!((first.operation.as_str(), first.own), (ANSWER, 30));
}
