//! What this party took part in.

use serde_json::{Value, json};
use veilset::json::{PastRun, of_budget, of_past_run};
use veilset::policy::{Ledger, Policy};
use veilset_host::time::now;

use crate::{Answer, Desk, Refusal};

impl Desk {
    pub(crate) fn history(&self) -> Result<Answer, Refusal> {
        self.identity()?;
        let runs = PastRun::all(Ledger::open(&self.home)?.entries()?);
        let entries: Vec<Value> = runs.iter().map(of_past_run).collect();
        Ok(json!({ "entries": entries }).into())
    }

    pub(crate) fn budgets(&self) -> Result<Answer, Refusal> {
        let (identity, _) = self.identity()?;
        let Some(policy) = Policy::of_home(&self.home)? else {
            return Ok(json!({ "budgets": [] }).into());
        };
        let ledger = Ledger::open(&self.home)?;
        let mut all = Vec::new();
        for (name, keys) in self.known(&identity)?.iter() {
            let rules = policy.rules_for(name);
            for budget in ledger.budgets(&rules, &keys.now().to_string(), now())? {
                let mut budget = of_budget(&budget);
                budget["peer"] = json!(name);
                all.push(budget);
            }
        }
        Ok(json!({ "budgets": all }).into())
    }
}
