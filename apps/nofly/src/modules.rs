//! The time of a run by sub-module, as the paper measures it (section IV).

use std::time::Duration;

use veilset::Report;

/// What one part of the application cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

/// Sub-modules of several phases. The parties agree before the protocol and after it, and sets travel both ways.
const GROUPS: [(&str, &[&str]); 2] = [
    ("agreement", &["agreement", "consent", "end of the run"]),
    ("transfer", &["encrypted sets", "encrypted answers"]),
];

/// The sub-modules of a run in the order in which each began. A phase of no group stands for itself.
pub(crate) fn modules(report: &Report) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for phase in &report.phases {
        let name = module_of(phase.name);
        let place = modules.iter().position(|module| module.name == name);
        let place = place.unwrap_or_else(|| {
            modules.push(Module { name, time: Duration::ZERO, sent: 0, received: 0 });
            modules.len() - 1
        });
        let module = &mut modules[place];
        module.time += phase.time;
        module.sent += phase.bytes_sent;
        module.received += phase.bytes_received;
    }
    modules
}

fn module_of(phase: &'static str) -> &'static str {
    let group = GROUPS.iter().find(|(_, phases)| phases.contains(&phase));
    group.map_or(phase, |(module, _)| module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_belong_to_the_papers_parts() {
        for (phase, module) in [
            ("agreement", "agreement"),
            ("end of the run", "agreement"),
            ("encrypted sets", "transfer"),
            ("encrypted answers", "transfer"),
            ("encryption", "encryption"),
            ("elements under both keys", "elements under both keys"),
        ] {
            assert_eq!(module_of(phase), module, "{phase}");
        }
    }
}
