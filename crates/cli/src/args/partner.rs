//! What the commands for partners who run something else say of the partner and of this side's rules.

use std::path::PathBuf;

use clap::Args;
use veilset::party::Home;
use veilset::policy::LedgerError;
use veilset::tongues::{Standing, Step};

use super::{PEER, RULES, Talk};
use crate::complete;
use crate::error::Failure;
use crate::progress::{say, say_warning};
use crate::units;

#[derive(Args)]
pub(crate) struct PartnerArgs {
    /// What you call the partner: your policy has rules for that name, and your ledger has it. Nobody proves who it is
    #[arg(long, help_heading = PEER, value_name = "NAME", value_parser = units::reference, add = complete::peers())]
    peer: Option<String>,
    /// Your policy; rules that a partner's program would have to keep refuse the step (docs/use/rules.md) [default: policy.toml in the
    /// folder of your identity, if there is one]
    #[arg(long, help_heading = RULES, value_name = "FILE")]
    policy: Option<PathBuf>,
}

impl PartnerArgs {
    /// How this party stands to the partner in a step of this kind.
    pub(crate) fn standing(&self, step: Step) -> Result<Standing, Failure> {
        let home = Home::from_env()?;
        Ok(Standing::of(step, &home, self.policy.as_deref(), self.peer.as_deref())?)
    }

    /// The same in a step that sends something, which a ledger has where there is one.
    pub(crate) fn sending(&self, step: Step, talk: &Talk) -> Result<Standing, Failure> {
        let standing = self.standing(step)?;
        if !standing.has_ledger() {
            say(
                talk,
                "note: no ledger has this, because you have no identity; `veilset id` makes one",
            );
        }
        Ok(standing)
    }
}

/// Says what the ledger did not take.
pub(crate) fn unrecorded(why: &LedgerError) {
    say_warning(&format!("your ledger does not have this step: {why}"));
}
