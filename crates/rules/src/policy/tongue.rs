//! What the rules refuse of a step with a partner who runs something else.
//!
//! Such a partner has no key, agrees on no terms, and its program does what it does with a result. So a rule that both sides would have
//! to keep refuses the step, unless this side alone sees the result.

use veilset_protocols::{Operation, Security};
use veilset_session::{Learn, Release, Withheld};

use super::check::sizes;
use super::section::Section;
use super::{Facts, Place, Refusal, Rules};

veilset_names::names! {
    "protocols of others";
    /// A protocol of others.
    pub enum Tongue {
        /// IAB Tech Lab's PAIR.
        Pair = "pair",
        /// OpenMined's PSI.
        OpenMined = "openmined",
    }
}

/// How a user goes on who allows what a rule refuses.
const NEXT: &str =
    "to allow that with this partner, give --policy a file of rules without this one";

type Refused = (&'static str, usize, String);

impl Rules {
    /// Whether a step of a protocol of others obeys the rules, as far as that can be said of it. What the facts say of the protocol,
    /// its security and the release is as the protocol has it.
    ///
    /// # Errors
    /// With the first rule that it does not obey, or that nothing there can keep.
    pub fn check_foreign(&self, tongue: Tongue, facts: &Facts<'_>) -> Result<(), Refusal> {
        let facts = Facts {
            protocol: Some(tongue.name()),
            security: Security::SemiHonest,
            release: self.complete(Release::default(), facts.operation),
            ..facts.clone()
        };
        if let Some((rule, line, why)) = unkept(&self.section, tongue, &facts) {
            return Err(self.refusal(rule, line, format!("{why}; {NEXT}")));
        }
        self.check(&facts)
    }

    /// Whether a list of a partner's is large and small enough, whose size may be unknown.
    ///
    /// # Errors
    /// With the rule that it does not obey, or that asks for its size.
    pub fn check_foreign_size(&self, facts: &Facts<'_>) -> Result<(), Refusal> {
        let Section { peer_least, peer_most, .. } = &self.section;
        let asks = [("peer-least", peer_least), ("peer-most", peer_most)];
        let asked = asks.into_iter().find_map(|(rule, bound)| Some((rule, bound.as_ref()?.line)));
        match (facts.peer, asked) {
            (None, Some((rule, line))) => {
                let why = "how many keys the partner has is not known exactly: ask for a setup of the structure raw";
                Err(self.refusal(rule, line, why.to_owned()))
            }
            _ => match sizes(&self.section, facts) {
                Some((rule, line, why)) => Err(self.refusal(rule, line, why)),
                None => Ok(()),
            },
        }
    }

    /// Whether the number of matches may be told to this side, which alone sees it; `smaller` is the size of the smaller list, if that
    /// is known.
    ///
    /// # Errors
    /// With the rule that withholds it.
    pub fn check_matches(
        &self,
        operation: Operation,
        matches: u64,
        smaller: Option<u64>,
    ) -> Result<(), Refusal> {
        let Section { least, most_rate, .. } = &self.section;
        let release = self.complete(Release::default(), operation);
        let line = |withheld| match withheld {
            Withheld::Fewer(_) => least.as_ref().map(|rule| ("least", rule.line)),
            Withheld::Rate(_) => most_rate.as_ref().map(|rule| ("most-rate", rule.line)),
        };
        // Of an unknown list any number of matches may be too large a part.
        let withheld = release.withholds(matches, smaller.unwrap_or(0));
        match withheld.and_then(|withheld| Some((withheld, line(withheld)?))) {
            Some((withheld, (rule, line))) => {
                Err(self.refusal(rule, line, format!("{withheld}, so the result is withheld")))
            }
            None => Ok(()),
        }
    }

    /// Whether anybody may ask as often as they like.
    ///
    /// # Errors
    /// With the budget that bounds it.
    pub fn check_open(&self) -> Result<(), Refusal> {
        let Some((rule, place)) = self.needs_ledger() else { return Ok(()) };
        let why = format!(
            "anybody who reaches the service may ask, however often, so it bounds nothing: answer by `openmined setup` and `respond`; {NEXT}"
        );
        Err(Refusal { rule, place, why })
    }

    fn refusal(&self, rule: &'static str, line: usize, why: String) -> Refusal {
        Refusal { rule, place: Place { path: self.path.clone(), line }, why }
    }
}

/// The first rule that nothing in a protocol of others keeps.
fn unkept(section: &Section, tongue: Tongue, facts: &Facts<'_>) -> Option<Refused> {
    let Section { security, reference, least, most_rate, round, noise, epsilon, pad_to, .. } =
        section;
    let holds = facts.security;
    let weaker = security.as_ref().filter(|rule| holds < rule.value).map(|rule| rule.line);
    let elsewhere = facts.learn != Some(Learn::Me);
    let is_number = Release::is_of_numbers(facts.operation);
    let short = pad_to.as_ref().filter(|rule| facts.own.is_some_and(|own| own < rule.value));
    let of_result = |line: Option<usize>| line.filter(|_| elsewhere);
    let of_number = |line: Option<usize>| line.filter(|_| is_number);
    let result = "the partner's program sees the whole result, and this rule does not bind it";
    let number = format!("in {tongue} a number goes as it is");
    let rules = [
        (
            "security",
            weaker,
            format!("{tongue} holds against a partner that follows the protocol alone"),
        ),
        (
            "reference",
            reference.as_ref().map(|rule| rule.line),
            format!("in {tongue} nobody compares references"),
        ),
        ("least", of_result(least.as_ref().map(|rule| rule.line)), result.to_owned()),
        ("most-rate", of_result(most_rate.as_ref().map(|rule| rule.line)), result.to_owned()),
        ("round", of_number(round.as_ref().map(|rule| rule.line)), number.clone()),
        ("noise", of_number(noise.as_ref().map(|rule| rule.line)), number.clone()),
        ("epsilon", of_number(epsilon.as_ref().map(|rule| rule.line)), number),
        (
            "pad-to",
            short.map(|rule| rule.line),
            format!("your list has fewer keys, and in {tongue} none is filled up"),
        ),
    ];
    rules.into_iter().find_map(|(rule, line, why)| Some((rule, line?, why)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chrono::NaiveDate;

    use super::*;
    use crate::Policy;

    fn facts(operation: Operation, learn: Learn) -> Facts<'static> {
        Facts {
            operation,
            learn: Some(learn),
            security: Security::SemiHonest,
            protocol: None,
            keys: vec![("email", "email".to_owned())],
            sends: Vec::new(),
            own: Some(20),
            pad_to: None,
            peer: None,
            release: Release::default(),
            reference: None,
            today: NaiveDate::from_ymd_opt(2026, 11, 28).expect("a day"),
        }
    }

    fn rules(text: &str) -> Rules {
        Policy::parse(Path::new("policy.toml"), text).expect("rules").rules_for("acme")
    }

    /// The rule that refuses, if any.
    fn refused(text: &str, facts: &Facts<'_>) -> Option<&'static str> {
        rules(text).check_foreign(Tongue::OpenMined, facts).err().map(|refusal| refusal.rule)
    }

    #[test]
    fn rules_of_this_side_hold_and_those_of_both_refuse() {
        let rows = |learn| facts(Operation::Intersect, learn);
        let (asking, serving) = (rows(Learn::Me), rows(Learn::Peer));
        for text in [
            "operations = [\"intersect\"]\nlearn = [\"me\", \"peer\"]\nsecurity = \"semi-honest\"",
            "protocols = [\"rr22\", \"openmined\"]\nkey-columns = [\"email\"]\nkey-presets = [\"email\"]",
            "own-least = 20\nown-most = 20\npad-to = 20\nsend-columns = []\nfrom = 2026-11-28",
            "runs = \"3 per 7d\"\nruns-per-list = 2\nepsilon = \"1 per 7d\"\nleast-difference = 5",
            "round = 5\nnoise = \"epsilon=1,delta=1e-9\"",
        ] {
            assert_eq!((refused(text, &asking), refused(text, &serving)), (None, None), "{text}");
        }
        for (text, rule) in [
            ("operations = [\"count\"]", "operations"),
            ("protocols = [\"rr22\"]", "protocols"),
            ("protocols = [\"pair\"]", "protocols"),
            ("security = \"malicious\"", "security"),
            ("key-columns = [\"phone\"]", "key-columns"),
            ("key-presets = [\"raw\"]", "key-presets"),
            ("own-least = 21", "own-least"),
            ("pad-to = 21", "pad-to"),
            ("reference = \"DPA 1\"", "reference"),
            ("until = 2026-11-27", "until"),
        ] {
            for facts in [&asking, &serving] {
                assert_eq!(refused(text, facts), Some(rule), "{text}");
            }
        }
        for rule in ["least = 5", "most-rate = 50"] {
            assert_eq!(refused(rule, &asking), None, "this side alone sees the result");
            assert_eq!(refused(rule, &serving), rule.split(' ').next());
        }
        let count = facts(Operation::Count, Learn::Me);
        for rule in ["round = 5", "noise = \"epsilon=1,delta=1e-9\"", "epsilon = \"1 per 7d\""] {
            assert_eq!(refused(rule, &count), rule.split(' ').next());
        }
        let learn = rules("learn = [\"me\"]").check_foreign(Tongue::Pair, &rows(Learn::Both));
        assert_eq!(learn.expect_err("both").rule, "learn");
    }

    #[test]
    fn a_refusal_says_which_rule_why_and_what_next() {
        let refused = rules("\nleast = 5")
            .check_foreign(Tongue::Pair, &facts(Operation::Intersect, Learn::Both));
        assert_eq!(
            refused.expect_err("both learn").to_string(),
            "your policy refuses this run: the partner's program sees the whole result, and this rule does not bind it; to allow that with \
             this partner, give --policy a file of rules without this one (rule `least`, policy.toml:2)"
        );
    }

    #[test]
    fn sizes_and_results_are_checked_once_they_are_known() {
        let size = |text: &str, peer| {
            let facts = Facts { peer, ..facts(Operation::Intersect, Learn::Me) };
            rules(text).check_foreign_size(&facts).err().map(|refusal| refusal.rule)
        };
        for (text, peer, rule) in [
            ("own-least = 3", None, None),
            ("peer-least = 10", Some(10), None),
            ("peer-least = 10", Some(9), Some("peer-least")),
            ("peer-least = 10", None, Some("peer-least")),
            ("peer-most = 10", Some(11), Some("peer-most")),
        ] {
            assert_eq!(size(text, peer), rule, "{text}");
        }
        let told = |text: &str, matches, smaller| {
            let checked = rules(text).check_matches(Operation::Intersect, matches, smaller);
            checked.err().map(|refusal| refusal.rule)
        };
        for (text, matches, smaller, rule) in [
            ("round = 2", 1, None, None),
            ("least = 5", 5, None, None),
            ("least = 5", 4, None, Some("least")),
            ("most-rate = 50", 10, Some(20), None),
            ("most-rate = 50", 11, Some(20), Some("most-rate")),
            ("most-rate = 50", 1, None, Some("most-rate")),
            ("most-rate = 50", 0, None, None),
        ] {
            assert_eq!(told(text, matches, smaller), rule, "{text}");
        }
        assert!(rules("least = 5").check_open().is_ok());
        assert_eq!(rules("runs = \"1 per 7d\"").check_open().expect_err("a budget").rule, "runs");
    }
}
