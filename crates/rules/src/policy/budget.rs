//! The rules that bound what many runs tell together.

use chrono::{DateTime, SecondsFormat};
use veilset_protocols::Operation;
use veilset_session::Release;

use super::section::{Allowance, Difference, Placed, Section};
use super::{Place, Refusal, Rules};
use crate::Began;
use crate::ledger::Past;

/// A budget with a peer, and what of it is spent.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The rule's name.
    pub rule: &'static str,
    /// Where it stands.
    pub place: Place,
    /// How much there is.
    pub most: f64,
    /// How much of it is spent.
    pub spent: f64,
    /// Within how many seconds.
    pub within: u64,
    /// When some of it comes back, in seconds since 1970, if any is spent.
    pub renewed: Option<u64>,
}

/// A sum of many numbers may be this much larger than it is.
const ROUNDING: f64 = 1e-9;

impl Rules {
    /// Whether a run may begin after those before with the same peer.
    pub(crate) fn check_budgets(&self, before: &[Past], began: &Began) -> Result<(), Refusal> {
        self.check_exact(began)?;
        self.check_runs(before, began)?;
        self.check_lists(before, began)
    }

    /// The first rule that a ledger is needed for.
    #[must_use]
    pub fn needs_ledger(&self) -> Option<(&'static str, Place)> {
        let Section { runs, runs_per_list, epsilon, least_difference, .. } = &self.section;
        let lines = [
            ("runs", runs.as_ref().map(|rule| rule.line)),
            ("runs-per-list", runs_per_list.as_ref().map(|rule| rule.line)),
            ("epsilon", epsilon.as_ref().map(|rule| rule.line)),
            ("least-difference", least_difference.as_ref().map(|rule| rule.line)),
        ];
        lines.into_iter().find_map(|(rule, line)| Some((rule, self.place(line?))))
    }

    /// Numbers without noise spend more than any epsilon.
    fn check_exact(&self, began: &Began) -> Result<(), Refusal> {
        let operation: Option<Operation> = began.operation.parse().ok();
        let is_exact = began.epsilon.is_none() && operation.is_some_and(Release::is_of_numbers);
        match &self.section.epsilon {
            Some(rule) if is_exact => {
                let why = format!(
                    "it bounds what numbers with noise tell, and this {} has none: give --noise, or the rule noise",
                    began.operation
                );
                Err(Refusal { rule: "epsilon", place: self.place(rule.line), why })
            }
            _ => Ok(()),
        }
    }

    /// Those of times.
    pub(crate) fn budgets(&self, before: &[Past], now: u64) -> Vec<Budget> {
        let runs = self.section.runs.as_ref().map(|rule| {
            let Placed { value: Allowance { most, within }, line } = *rule;
            self.budget("runs", line, (most as f64, within), before, now, |_| 1.0)
        });
        let epsilon = self.section.epsilon.as_ref().map(|rule| {
            let Placed { value: Allowance { most, within }, line } = *rule;
            let spent = |run: &Past| run.epsilon.unwrap_or(0.0);
            self.budget("epsilon", line, (most, within), before, now, spent)
        });
        runs.into_iter().chain(epsilon).collect()
    }

    fn budget(
        &self,
        rule: &'static str,
        line: usize,
        (most, within): (f64, u64),
        before: &[Past],
        now: u64,
        spends: impl Fn(&Past) -> f64,
    ) -> Budget {
        let recent = before.iter().filter(|run| run.at.saturating_add(within) > now);
        let recent: Vec<&Past> = recent.filter(|run| spends(run) > 0.0).collect();
        // No number at all adds up to -0.
        let spent = recent.iter().fold(0.0, |sum, run| sum + spends(run));
        let renewed = recent.iter().map(|run| run.at.saturating_add(within)).min();
        Budget { rule, place: self.place(line), most, spent, within, renewed }
    }

    fn check_runs(&self, before: &[Past], began: &Began) -> Result<(), Refusal> {
        for budget in self.budgets(before, began.at) {
            let more = if budget.rule == "runs" { 1.0 } else { began.epsilon.unwrap_or(0.0) };
            if more <= 0.0 || budget.spent + more <= budget.most + ROUNDING {
                continue;
            }
            let Budget { rule, place, most, spent, within, renewed } = budget;
            let within = Allowance { most, within }.time();
            let again = renewed
                .map_or(String::new(), |at| format!("; some of it comes back at {}", time(at)));
            let peer = self.peer();
            let why = match rule {
                "runs" => format!(
                    "it allows {most} runs in {within} with {peer}, and {spent} have begun{again}"
                ),
                _ => format!(
                    "it allows an epsilon of {most} in {within} on {peer}, {spent} is spent, and this run takes {more}{again}"
                ),
            };
            return Err(Refusal { rule, place, why });
        }
        Ok(())
    }

    /// Those of lists.
    fn check_lists(&self, before: &[Past], began: &Began) -> Result<(), Refusal> {
        let (operation, peer) = (&began.operation, self.peer());
        let alike = || before.iter().filter(|run| *run.operation == **operation);
        let list = began.list.written();
        let is_same = |run: &Past| *run.list == *list;
        if let Some(Placed { value: most, line }) = &self.section.runs_per_list {
            let same = alike().filter(|run| is_same(run)).count() as u64;
            if same >= *most {
                let why = format!(
                    "it allows {most} runs of {operation} with one list and {peer}, and this list had {same}"
                );
                return Err(Refusal { rule: "runs-per-list", place: self.place(*line), why });
            }
        }
        let Some(Placed { value: Difference(least), line }) = &self.section.least_difference else {
            return Ok(());
        };
        let is_close =
            |run: &&Past| !is_same(run) && run.sketch().may_differ_by_less(&began.list, *least);
        let Some(close) = alike().find(is_close) else { return Ok(()) };
        let why = format!(
            "it asks that lists for a {operation} with {peer} differ by {least} keys at least, and this one differs by fewer, or by \
             little more, from that of {}",
            time(close.at)
        );
        Err(Refusal { rule: "least-difference", place: self.place(*line), why })
    }

    fn place(&self, line: usize) -> Place {
        Place { path: self.path.clone(), line }
    }
}

/// A time in UTC.
fn time(at: u64) -> String {
    let time = i64::try_from(at).ok().and_then(|at| DateTime::from_timestamp(at, 0));
    time.map_or(String::new(), |time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
}
