//! The differencing attack on counts of Guo and others (USENIX Security 2022), by a peer that learns counts of its own choosing, with and
//! without rules. What it finds is on the page of rules.

use std::fs;
use std::sync::Arc;
use std::thread;

use veilset::data::{KeySpec, Table};
use veilset::net::{Endpoint, Listener};
use veilset::party::{Home, Identity, Peer};
use veilset::policy::{Ledger, Policy};
use veilset::registry::{Operation, Silent};
use veilset::{Connection, Error, Input, Job, Learn, Release, Resources};

/// Whom the attacker asks about: every fourth is on the victim's list.
const TARGETS: u32 = 64;
const MEMBERS: u32 = 16;

/// Others on the victim's list, of whom the attacker knows some.
const OTHERS: std::ops::Range<u32> = 1000..1200;

fn is_member(target: u32) -> bool {
    target.is_multiple_of(TARGETS / MEMBERS)
}

fn list(keys: impl Iterator<Item = u32>) -> Input {
    let rows: String = keys.map(|key| format!("{key}\n")).collect();
    let table = Table::parse("list".into(), format!("id\n{rows}").into(), b',').expect("a table");
    Input::of(table, &"id".parse::<KeySpec>().expect("a key")).expect("a column")
}

/// A victim that answers counts under a policy, and its attacker.
struct Stage {
    _dir: tempfile::TempDir,
    victim: Home,
    attacker: Identity,
    policy: String,
    /// What the policy makes of the terms, which the attacker has to give, too.
    release: Release,
    /// Members that the attacker knows, and strangers, which it puts on every list so that it is long and matches enough.
    known: u32,
    strangers: u32,
    queries: usize,
}

impl Stage {
    fn new(policy: &str, release: Release, [known, strangers]: [u32; 2]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let victim = Home::new(dir.path().join("victim"));
        Identity::create(&victim).expect("nothing there");
        let (attacker, policy) = (Identity::ephemeral(), policy.to_owned());
        Self { _dir: dir, victim, attacker, policy, release, known, strangers, queries: 0 }
    }

    /// How many of these targets are on the victim's list, as the attacker sees it; nothing where the victim refuses.
    fn count(&mut self, targets: &[u32]) -> Option<f64> {
        let (known, strangers) = (OTHERS.take(self.known as usize), 9000..9000 + self.strangers);
        let asked = list(targets.iter().copied().chain(known).chain(strangers));
        let own = list((0..TARGETS).filter(|target| is_member(*target)).chain(OTHERS));
        let identity = Identity::load(&self.victim).expect("an identity");
        let listener = Listener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().to_string();
        let options = Default::default();
        let resources = || Resources { threads: 1, observer: &Silent };
        let job = |learn| Job { learn, ..Job::new(Operation::Count, ["peer"]) };
        let seen: Result<u64, Error> = thread::scope(|scope| {
            let answer = scope.spawn(|| -> Result<(), Error> {
                let attacker = Peer::unpinned(self.attacker.public_key());
                let transport = listener.accept(&identity, &attacker, &options, &|_| {})?;
                let way = Connection::taken(&attacker, transport, options.deadline, &|_| {});
                let policy = Policy::parse("policy.toml".as_ref(), &self.policy).expect("rules");
                let ledger = Arc::new(Ledger::open(&self.victim)?);
                let job = Job { ledger: Some(ledger), ..job(Learn::Peer) }.under(&policy);
                job.offer(way, &own)?.run(&own, &resources()).map(drop)
            });
            let endpoint = Endpoint::Connect(address.clone());
            let victim = Peer::unpinned(identity.public_key());
            let way =
                Connection::open(&self.attacker, &[victim.into()], &endpoint, &options, &|_| {})?;
            let job = Job { release: self.release, ..job(Learn::Me) };
            let done = job.offer(way, &asked)?.run(&asked, &resources())?;
            answer.join().expect("no panic")?;
            Ok(done.report.count().unwrap_or_default())
        });
        let seen = seen.ok()?;
        self.queries += 1;
        Some(seen as f64 - f64::from(self.known))
    }

    /// The targets with the attacker's estimate that each is a member: it halves the targets as long as the counts leave something open,
    /// and asks about one half of each two.
    fn attack(&mut self) -> Vec<(u32, f64)> {
        let all: Vec<u32> = (0..TARGETS).collect();
        let Some(count) = self.count(&all) else { return Vec::new() };
        let mut open = std::collections::VecDeque::from([(all, count)]);
        let mut known = Vec::new();
        while let Some((targets, count)) = open.pop_front() {
            let share = (count / targets.len() as f64).clamp(0.0, 1.0);
            let half = targets.len() / 2;
            let ask = share > 0.0 && share < 1.0 && half > 0;
            let left = if ask { self.count(&targets[..half]) } else { None };
            let Some(left) = left else {
                known.extend(targets.into_iter().map(|target| (target, share)));
                continue;
            };
            open.push_back((targets[..half].to_vec(), left));
            open.push_back((targets[half..].to_vec(), count - left));
        }
        known
    }

    /// How many members the attacker is sure of, and how many are among as many targets as it finds likeliest.
    fn found(&mut self) -> (usize, usize) {
        let mut known = self.attack();
        let sure =
            known.iter().filter(|(target, share)| *share >= 1.0 && is_member(*target)).count();
        // Of equally likely ones, the order says nothing.
        known.sort_by(|(one, share), (other, of_other)| {
            let mixed = |target: &u32| target.wrapping_mul(0x9e37_79b9).rotate_left(7);
            of_other.total_cmp(share).then(mixed(one).cmp(&mixed(other)))
        });
        let likeliest = known.iter().take(MEMBERS as usize);
        (sure, likeliest.filter(|(target, _)| is_member(*target)).count())
    }
}

#[test]
fn counts_of_ones_own_choice_find_members_and_rules_prevent_it() {
    let members = MEMBERS as usize;
    let mut free = Stage::new("", Release::default(), [0, 0]);
    assert_eq!(free.found(), (members, members));

    // Somebody who knows members is not stopped by sizes.
    let least = Release { least: Some(20), ..Release::default() };
    let mut sizes = Stage::new("least = 20\npeer-least = 100", least, [20, 80]);
    assert_eq!(sizes.found(), (members, members));
    let mut stranger = Stage::new("least = 20\npeer-least = 100", least, [0, 100]);
    assert_eq!(stranger.found().0, 0);

    let mut few = Stage::new("runs = \"10 per 7d\"", Release::default(), [0, 0]);
    let (sure, _) = few.found();
    assert_eq!((few.queries, sure), (10, 0));

    let noise = Release { noise: "epsilon=0.5,delta=1e-9".parse().ok(), ..Release::default() };
    let policy = "noise = \"epsilon=0.5,delta=1e-9\"\nepsilon = \"5 per 30d\"";
    let mut noisy = Stage::new(policy, noise, [0, 0]);
    let (_, likely) = noisy.found();
    assert!(noisy.queries <= 10);
    // A quarter would be right by chance; with so many coins, 13 once in 10^5 times.
    assert!(likely < 13, "{likely}");

    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/use/rules.md");
    let page = fs::read_to_string(page).expect("the page is there");
    for (rules, queries, sure) in [
        ("none", free.queries, members),
        (
            "`least = 20`, `peer-least = 100`, and the attacker knows 20 members",
            sizes.queries,
            members,
        ),
        ("`runs = \"10 per 7d\"`", 10, 0),
    ] {
        let row = format!("| {rules} | {queries} | {sure} of {MEMBERS} |");
        assert!(page.contains(&row), "{row}");
    }
}
