//! What the user sees before a run.

use veilset_data::{Warning, WarningCode};
use veilset_protocols::{AttachedShape, Choices, Operation, Reveal, Role, Security, Side, Spec};

use crate::terms::{Terms, escape};
use crate::wanted::sends_rows;
use crate::{Asked, Column, Learn, LentGroups, Matching, Offer};

/// The agreed run in words.
#[derive(Debug, Clone)]
pub struct Briefing {
    /// What is computed.
    pub operation: Operation,
    /// The versioned presets of the key columns, such as `email/1`.
    pub presets: String,
    /// The protocol's entry in the registry.
    pub protocol: &'static str,
    /// What was agreed on beside the protocol.
    pub choices: Choices,
    /// Against whom the protocol holds.
    pub security: Security,
    /// Who gets the result.
    pub learn: Learn,
    /// What of these the peer asks for, and this side neither named nor takes by itself. A run of it needs a yes of
    /// somebody who saw this.
    pub asked_by_peer: Asked,
    /// "You learn: …. NAME learns: …."
    pub learned: String,
    /// What leaks beyond the result, in sentences.
    pub leaks: Vec<&'static str>,
    /// The other parties: one, or each of several.
    pub peers: Vec<PeerBriefing>,
    /// What looks wrong about the sets; at most one thing of each two.
    pub warnings: Vec<Warning>,
}

/// Another party before a run.
#[derive(Debug, Clone)]
pub struct PeerBriefing {
    /// What this side calls it.
    pub name: String,
    /// Its number of distinct keys.
    pub distinct: u64,
    /// Whether it learns the result.
    pub learns: bool,
    /// What it has, in a sentence.
    pub has: String,
}

impl PeerBriefing {
    pub(crate) fn of(name: &str, distinct: u64, learns: bool) -> Self {
        let has = format!("{name} has {distinct} distinct keys");
        Self { name: name.to_owned(), distinct, learns, has }
    }

    /// Of the party of this name, which gave these terms.
    pub(crate) fn with(name: &str, theirs: &Terms, learns: bool) -> Self {
        let peer = Self::of(name, theirs.distinct, learns);
        if theirs.tiers.is_empty() {
            return peer;
        }
        let counts: Vec<_> = theirs.tiers.iter().map(ToString::to_string).collect();
        Self {
            has: format!("{name} has {} distinct values of its keys", counts.join(" + ")),
            ..peer
        }
    }
}

/// What the exchange of terms tells, whatever the protocol.
const TERMS_LEAK: &str = "Each side learns whether the other's keys look like hashes.";

impl Briefing {
    pub(crate) fn new(
        spec: &'static Spec,
        choices: Choices,
        asked_by_peer: Asked,
        side: Side,
        offer: &Offer,
        (name, theirs): (&str, &Terms),
    ) -> Self {
        let both = [offer.attached.in_groups(offer.groups), theirs.attached];
        let of = |groups: fn(AttachedShape) -> Option<usize>| both.into_iter().find_map(groups);
        let groups = [of(AttachedShape::groups), of(AttachedShape::lent_groups)];
        let noise = offer.noise_of_each(&theirs.columns).ok();
        let sums = (offer.operation == Operation::Sum).then_some(offer.factor.is_some());
        Self {
            operation: offer.operation,
            presets: offer.presets.clone(),
            protocol: spec.id,
            choices,
            security: spec.security,
            learn: offer.learn,
            asked_by_peer,
            learned: with_columns(sentence(spec, side, name, groups), offer, (name, theirs))
                + &offer.release.sentences(noise.flatten(), sums),
            leaks: leaks(spec, side.reveal, offer, theirs),
            peers: vec![peer(offer, name, theirs)],
            warnings: warning(offer, theirs).into_iter().collect(),
        }
    }

    /// The peer of a run of two, and the first of several.
    #[must_use]
    pub fn peer(&self) -> &PeerBriefing {
        &self.peers[0]
    }
}

/// What tiers tell beyond which rows match and by which key.
pub(crate) const TIERS_LEAK: &str = "Under each key, each side learns how many distinct key values the other has, and how many of them are in \
                          rows that matched by no key before; the time between two keys can tell about how many rows it has. A \
                          peer that changes its program can keep rows in that have matched, and learn which of their other key \
                          values match, too.";

/// What one side learns where all keys are matched at once.
const ONE_SIDED_LEAK: &str = "The side that learns sees of each of its rows every key by which it matches, not the first alone, and \
                              so also where two keys point to different rows of the peer.";

/// What rows tell that go with matches.
const ROWS_LEAK: &str = "Whoever gets columns with its matches learns the names of these columns, how many bytes the longest row takes, and \
                         how many rows of the other one key has at most. A side that sends columns sends them for every key that \
                         the other's program has, whether these are in its list or guessed. If both learn, the sender takes the \
                         matches, and the columns that come with them, from the receiver on trust.";

/// What is meant by a key where the values of a row stay together, and what that tells beyond what it tells of one key.
const GROUPED_LEAK: &str = "A key is a row here, with its values under all keys: it matches by any of them. Whoever sees how many keys \
                            match also sees of each of the other's rows, in random order, by which keys it matches, and where its \
                            own rows lack different values, so also which of them match. With a changed program it can learn \
                            which of its values stand in one row of the other. If both learn a count, each learns how many rows of \
                            either list match, and takes the number of its own from the other on trust. On mqrpmt-star the sender learns how many values match.";

/// What rows tell that match without anybody seeing by which keys.
const BLIND_LEAK: &str = "A key is a row here, with its values under all keys: it matches by any of them, and nobody sees by which. If both learn a count, \
                          it is that of the rows of the one or of the other list that match, whichever is smaller; if one learns it, that of the other's \
                          rows.";

/// What groups tell.
const GROUPS_LEAK: &str = "Of a group of few keys a count tells which of them match: give --least, which holds for each group by itself. The side without \
                           values learns the most groups of the owner's that there can be, which both give, not how many there are.";

/// What lent groups tell.
const LENT_GROUPS_LEAK: &str = "Whoever owns the values learns how many groups the other side lends, and their names, which no noise hides.";

/// What products tell.
const FACTOR_LEAK: &str = "Whoever owns the values chooses by what the other side's factor is multiplied, and learns the sum: with a value of one key \
                           alone, that key's factor, if it matches. A least result does not hold against that. Both learn how many bytes the \
                           longest factor takes, and its decimal places, which no noise hides.";

/// What key values tell that generators make.
const GENERATORS_LEAK: &str = "Where a generator (~) makes several key values of a text, their number tells about how long the \
                               texts are, and whoever learns matches can learn which of the values match, so how two texts \
                               differ.";

/// What rules for the release of a result hold against.
const RELEASE_LEAK: &str = "A least result, a greatest match rate and rounding hold against whoever reads the result. The program of \
                            whoever learns computes all of it first, so they hold against a peer that does not change its program.";

/// What a least result holds against where the protocol withholds what is less.
const LEAST_LEAK: &str = "The least result holds against the programs of both sides, too, as long as they follow the protocol: below it they have \
                          nothing but random shares. If both learn, each learns that there are fewer, and who watches the network can see it, too.";

/// What noise of dummies holds against.
const NOISE_LEAK: &str = "The noise holds against a peer that follows the protocol: one that leaves its dummies out of its list sees the exact \
                          count, and one that repeats an element sees more of it. It hides which keys a list has, not how many. Each run spends \
                          its epsilon and delta again. Tell the other side nothing of your count: it knows a part of your noise.";

/// What noise of coins holds against.
const COINS_LEAK: &str = "The noise is of coins that both sides toss on shares, so that neither can take it off, as long as both follow the protocol. It \
                               hides which keys a list has, not how many. Each run spends its epsilon and delta again.";

/// What stands before a generator among the presets.
const GENERATOR: char = '~';

/// What leaks by what a side offers: by several keys, by generators, and by rules for a release, given whether the protocol
/// withholds itself.
pub(crate) fn leaks_of_offer(
    offer: &Offer,
    withholds: bool,
    lends: bool,
) -> impl Iterator<Item = &'static str> + use<> {
    let of_keys = offer.matching.map(|matching| match matching {
        Matching::Tiers => TIERS_LEAK,
        Matching::OneSided => ONE_SIDED_LEAK,
        Matching::Grouped => GROUPED_LEAK,
        Matching::Blind => BLIND_LEAK,
    });
    let of_generators = offer.presets.contains(GENERATOR).then_some(GENERATORS_LEAK);
    let of_groups = offer.groups.map(|_| GROUPS_LEAK);
    let of_lent = lends.then_some(LENT_GROUPS_LEAK);
    let of_factor = offer.factor.as_ref().map(|_| FACTOR_LEAK);
    let of_least = offer.release.least_inside(withholds).map(|_| LEAST_LEAK);
    let of_release = offer.release.binds_readers(withholds).then_some(RELEASE_LEAK);
    let of_rows =
        of_keys.into_iter().chain(of_generators).chain(of_groups).chain(of_lent).chain(of_factor);
    of_rows.chain(of_least).chain(of_release)
}

/// What leaks: by the protocol, by several keys, by generators, and by the terms where what is compared could be hashes.
fn leaks(spec: &'static Spec, reveal: Reveal, offer: &Offer, theirs: &Terms) -> Vec<&'static str> {
    let sends = |attached| sends_rows(offer.operation, attached);
    let of_rows = (sends(offer.attached) || sends(theirs.attached)).then_some(ROWS_LEAK);
    let of_noise = offer.release.noise.map(|_| match offer.release.has_dummies(spec.on_shares) {
        true => NOISE_LEAK,
        false => COINS_LEAK,
    });
    let lends = offer.lent.is_some() || theirs.lent.is_some();
    let of_terms = (offer.operation != Operation::Agree).then_some(TERMS_LEAK);
    spec.leaks_of(reveal)
        .chain(of_rows)
        .chain(leaks_of_offer(offer, spec.withholds, lends))
        .chain(of_noise)
        .chain(of_terms)
        .collect()
}

fn peer(offer: &Offer, name: &str, theirs: &Terms) -> PeerBriefing {
    let distinct = theirs.distinct;
    let peer = PeerBriefing::with(name, theirs, offer.learn.mirrored().includes_me());
    match offer.operation {
        _ if offer.matching.is_some_and(Matching::keeps_rows) => {
            let rows = distinct / offer.per_row() as u64;
            PeerBriefing {
                distinct: rows,
                has: format!("{name} has {rows} distinct rows with a value of a key"),
                ..peer
            }
        }
        Operation::Agree => PeerBriefing { has: format!("{name} offers {distinct} slots"), ..peer },
        _ => peer,
    }
}

/// The sentence that says who learns what, where values are added up by so many groups of their owner's at most, or by none, and by so
/// many that are lent.
pub(crate) fn sentence(spec: &Spec, side: Side, peer: &str, groups: [Option<usize>; 2]) -> String {
    let Side { role, reveal } = side;
    let most = match groups {
        [None, None] => None,
        [Some(own), None] => Some(format!(" There are at most {own} groups.")),
        [None, Some(lent)] => Some(format!(" There are {lent} groups.")),
        [Some(own), Some(lent)] => {
            Some(format!(" There are at most {own} groups, each by {lent} that are lent."))
        }
    };
    let by_groups = most.and_then(|most| Some((most, spec.by_groups.as_ref()?)));
    let of = |role| match (&by_groups, role) {
        (None, _) => spec.knowledge(role, reveal),
        (Some((_, knowledge)), Role::Sender) => knowledge,
        (Some(_), Role::Receiver) => &spec.residue,
    };
    let (you, them) = (of(role).of_you, of(role.other()).of_peer);
    let most = by_groups.map_or_else(String::new, |(most, _)| most);
    format!("You learn: {you}. {peer} learns: {them}.{most}")
}

/// The same, with the columns that go with the matches, and with what the peer is told of a list that is filled up.
fn with_columns(learned: String, offer: &Offer, (name, theirs): (&str, &Terms)) -> String {
    let names = |columns: &[Column]| {
        let quoted = |column: &Column| format!("\"{}\"", escape(&column.name));
        let names: Vec<String> = columns.iter().map(quoted).collect();
        names.join(", ")
    };
    let sends = |columns: &[Column]| offer.operation.spec().may_send_rows() && !columns.is_empty();
    let come = sends(&theirs.columns)
        .then(|| format!(" {name} sends with matches: {}.", names(&theirs.columns)));
    let go = sends(&offer.columns)
        .then(|| format!(" You send with matches: {}.", names(&offer.columns)));
    let multiplied = offer.factor.as_ref().map(|factor| {
        let theirs = theirs.attached.factor() > 0;
        let whose = if theirs { format!("{name}'s") } else { "your".to_owned() };
        format!(" Values are multiplied by {whose} column \"{}\".", escape(factor))
    });
    let lent = |lent: &Option<LentGroups>, who: &str| {
        let LentGroups { columns, names } = lent.as_ref()?;
        let quoted = |texts: &[String]| {
            let texts = texts.iter().map(|text| format!("\"{}\"", escape(text)));
            texts.collect::<Vec<_>>().join(", ")
        };
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        Some(format!(" {who} groups by {}: {}.", quoted(columns), names.join("; ")))
    };
    let theirs_lent = lent(&theirs.lent, &format!("{name} lends"));
    let own_lent = lent(&offer.lent, &format!("You lend, and {name} learns, the"));
    let told = (offer.padding > 0).then(|| {
        let (real, told) = (offer.distinct - offer.padding, offer.distinct);
        format!(" {name} is told of {told} distinct keys: your {real}, and made-up ones.")
    });
    let more = [come, go, multiplied, theirs_lent, own_lent, told].into_iter().flatten();
    more.fold(learned, |learned, more| learned + &more)
}

/// What is said to a side whose set is empty.
pub(crate) const NO_KEYS: &str =
    "Your set is empty: no row has a key. Check the column and the preset of the key.";

/// What is said to a side whose peer's set is empty.
const NO_PEER_KEYS: &str = "The peer's set is empty.";

/// The same as a warning, where the peer's set of so many keys is empty.
pub(crate) fn no_peer_keys(peer_distinct: u64) -> Option<Warning> {
    let text = NO_PEER_KEYS.to_owned();
    (peer_distinct == 0).then(|| Warning::of_lists(WarningCode::EmptyPeerSet, text))
}

fn warning(offer: &Offer, theirs: &Terms) -> Option<Warning> {
    let agrees = offer.operation == Operation::Agree;
    let (code, text) = if offer.distinct == offer.padding {
        let text = match agrees {
            true => "You offer no slot: there is nothing to agree on.",
            false => NO_KEYS,
        };
        (WarningCode::EmptySet, text.to_owned())
    } else if theirs.distinct == 0 {
        let text = if agrees { "The peer offers no slot." } else { NO_PEER_KEYS };
        (WarningCode::EmptyPeerSet, text.to_owned())
    } else if offer.looks_hashed != theirs.looks_hashed {
        let (hashed, plain) =
            if offer.looks_hashed { ("yours", "the peer's") } else { ("the peer's", "yours") };
        let text = format!(
            "The keys look hashed on one side only ({hashed}), plain on the other ({plain}): \
             nothing will match. Veilset hashes for you; give it the plain keys on both sides."
        );
        (WarningCode::HashedOnOneSide, text)
    } else {
        return None;
    };
    Some(Warning::of_lists(code, text))
}

#[cfg(test)]
mod tests {
    use veilset_protocols::{PROTOCOLS, Role};

    use super::*;

    #[test]
    fn what_holds_for_both_is_said_to_both_alone() {
        let offer = Offer::sample();
        let theirs = Terms::new(&offer, true, [0; 32]);
        for spec in PROTOCOLS.map(|protocol| protocol.spec()) {
            for reveal in spec.reveals {
                let side = Side { role: Role::Receiver, reveal: *reveal };
                let (choices, asked) = (spec.defaults(), Asked::default());
                let briefing = Briefing::new(spec, choices, asked, side, &offer, ("peer", &theirs));
                let of_both = briefing.leaks.iter().any(|leak| leak.starts_with("If both learn"));
                let said = spec.all_leaks().any(|leak| leak.starts_with("If both learn"));
                assert_eq!(of_both, said && *reveal == Reveal::Both, "{}", spec.id);
                assert!(briefing.leaks.contains(&TERMS_LEAK));
                assert!(!briefing.leaks.contains(&GENERATORS_LEAK));
            }
        }
    }

    #[test]
    fn whoever_gives_a_generator_hears_what_it_tells() {
        let offer = Offer { presets: "name/1~deletion/1,date/2".into(), ..Offer::sample() };
        let spec = PROTOCOLS[0].spec();
        assert!(
            leaks(spec, Reveal::Both, &offer, &Terms::new(&offer, true, [0; 32]))
                .contains(&GENERATORS_LEAK)
        );
    }
}
