//! A run of which only the price is asked.

use std::time::Duration;

use veilset_protocols::{
    AttachedShape, MULTIPARTY, MultipartyCost, MultipartySpec, Operation, Parties, Parts, Role,
    Security, Shape, Side, Spec,
};

use crate::plan::{plan, switches, time_among};
use crate::wanted::VALUES_OF_BOTH;
use crate::{Calibration, Estimate, Learn, Link, Matching, SessionError, Wanted};

/// A run of which only the price is asked.
#[derive(Debug, Clone, Copy)]
pub struct PlannedRun {
    /// What to compute, and what the protocol must be.
    pub wanted: Wanted,
    /// This side's number of distinct keys; of several keys, of rows, each with a value under each.
    pub rows: u64,
    /// The peer's.
    pub peer_rows: u64,
    /// By how many keys rows match.
    pub keys: u64,
    /// Whether nobody is to see by which of them, where a row's values stay together.
    pub blind: bool,
    /// Value columns of a sum or of shares.
    pub values: usize,
    /// Value columns of the other side of shares.
    pub peer_values: usize,
    /// How many groups there are at most by which values are added up.
    pub groups: Option<usize>,
    /// How many groups the peer lends to a sum, if it does.
    pub lent_groups: Option<usize>,
    /// How many value columns of a sum are multiplied by a factor of the peer's.
    pub products: usize,
    /// Bytes of the longest factor.
    pub factor_bytes: usize,
    /// Bytes of the longest row that goes with a result, or of a label; without a number 32, and none of an intersection.
    pub row_bytes: Option<usize>,
    /// The network between the two parties.
    pub link: Link,
    /// Threads of either side.
    pub threads: usize,
}

/// What each protocol that fits would cost.
pub struct Prices {
    /// What is computed.
    pub operation: Operation,
    /// Threads of either side.
    pub threads: usize,
    /// First what `auto` takes, then the others, the fastest first.
    pub plans: Vec<Estimate>,
    /// What `auto` takes at equal sizes, each from the smallest power of two on.
    pub switches: Vec<(u64, &'static Spec)>,
    shape: Shape,
    side: Side,
}

impl PlannedRun {
    /// Measures this machine for some milliseconds and prices every protocol that fits.
    ///
    /// # Errors
    /// When no protocol fits, none takes so many keys, or the operation takes one key.
    pub fn price(&self) -> Result<Prices, SessionError> {
        let Self { link, threads, .. } = *self;
        let with_rows = self.wanted.operation.spec().may_send_rows() && self.row_bytes() > 0;
        let grouped = self.matching().is_some_and(Matching::keeps_rows);
        let blind = self.matching() == Some(Matching::Blind);
        if self.blind && !blind {
            return Err(SessionError::BlindKeys);
        }
        let by_groups = self.groups.is_some() || self.lent_groups.is_some();
        let on_shares = Wanted::flag_on_shares(by_groups, false, self.products > 0);
        let on_shares = on_shares.or((self.peer_values() > 0).then_some(VALUES_OF_BOTH));
        let wanted = Wanted { with_rows, grouped, blind, on_shares, ..self.wanted };
        wanted.check(None)?;
        if self.keys > 1 && self.matching().is_none() {
            return Err(SessionError::OneKey(wanted.operation));
        }
        let (side, shape) = (self.side(), self.shape());
        let machine = Calibration::measure()?;
        let plans = plan(wanted, &|_| shape, &machine, link, threads);
        let most = plans.iter().map(|plan| Parts::most_elements(plan.spec())).max();
        match most {
            Some(most) if shape.larger() > most => Err(SessionError::TooManyKeys { most }),
            _ => {
                let tiers = self.tiers().unwrap_or(1);
                let plans = plans.into_iter().map(|plan| plan.in_tiers(tiers, shape)).collect();
                let switches = switches(wanted, shape, &machine, link, threads);
                let operation = wanted.operation;
                Ok(Prices { operation, threads, plans, switches, shape, side })
            }
        }
    }

    /// Which side of the figure this one is, and who learns: the owner of values sends them, and else whoever learns is the receiver.
    #[must_use]
    pub fn side(&self) -> Side {
        let Wanted { operation, learn, .. } = self.wanted;
        let owns = operation.spec().has_values();
        let role = if owns || !learn.includes_me() { Role::Sender } else { Role::Receiver };
        Side { role, reveal: learn.reveal() }
    }

    /// Value columns of the other side, where both can have some.
    fn peer_values(&self) -> usize {
        if self.wanted.operation.spec().may_both_own() { self.peer_values } else { 0 }
    }

    /// Bytes of the longest row or label, where any is attached.
    fn row_bytes(&self) -> usize {
        const USUAL: usize = 32;
        let usual = if self.wanted.operation.spec().may_send_rows() { 0 } else { USUAL };
        self.row_bytes.unwrap_or(usual)
    }

    /// How rows match by several keys.
    fn matching(&self) -> Option<Matching> {
        let Wanted { operation, learn, .. } = self.wanted;
        let usual = Matching::of(operation, learn).filter(|_| self.keys > 1)?;
        let blind = self.blind && Matching::Blind.stands_for(usual);
        Some(if blind { Matching::Blind } else { usual })
    }

    /// How many runs follow each other, one for each key of tiers; nothing where rows match by several keys at once.
    #[must_use]
    pub fn tiers(&self) -> Option<u64> {
        match self.matching() {
            None => (self.keys <= 1).then_some(1),
            Some(Matching::Tiers) => Some(self.keys),
            Some(Matching::OneSided | Matching::Grouped | Matching::Blind) => None,
        }
    }

    /// The sizes of the run, or of the first of its tiers, with the choices that are asked for.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let Side { role, reveal } = self.side();
        let (values, per_row) = match self.matching() {
            Some(Matching::Grouped | Matching::Blind) => (self.keys, self.keys),
            Some(Matching::OneSided) => (self.keys, 1),
            Some(Matching::Tiers) | None => (1, 1),
        };
        let [rows, peer_rows] = [self.rows, self.peer_rows].map(|rows| rows.saturating_mul(values));
        let (sender, receiver) = match role {
            Role::Receiver => (peer_rows, rows),
            Role::Sender => (rows, peer_rows),
        };
        let spec = self.wanted.operation.spec();
        let attached = |role| match spec.may_send_rows() {
            true => spec.sent_rows(role, reveal, self.row_bytes()),
            false => spec.attached(role, self.values, self.row_bytes()),
        };
        let owned = attached(Role::Sender).with_sums(self.groups, self.products);
        let factor = if owned.products() > 0 { self.factor_bytes } else { 0 };
        let returned = match (factor, self.lent_groups) {
            (0, None) if self.peer_values() > 0 => {
                AttachedShape::Values { columns: self.peer_values(), products: 0, groups: None }
            }
            (0, None) => attached(Role::Receiver),
            (factor, groups) => AttachedShape::Lent { factor, groups },
        };
        let attached = owned;
        let choices = self.wanted.choices;
        let withheld = self.wanted.withheld;
        Shape { sender, receiver, reveal, attached, returned, withheld, coins: 0, per_row, choices }
    }
}

impl Prices {
    /// Bytes that this side and the peer send.
    #[must_use]
    pub fn bytes(&self, plan: &Estimate) -> (f64, f64) {
        let (sender, receiver) = (plan.cost.sender.bytes_sent, plan.cost.receiver.bytes_sent);
        match self.side.role {
            Role::Sender => (sender, receiver),
            Role::Receiver => (receiver, sender),
        }
    }

    /// Bytes that later runs need not send again: the published set of lookups.
    #[must_use]
    pub fn kept(&self, plan: &Estimate) -> f64 {
        plan.kept(self.shape)
    }

    /// "You learn: …. The peer learns: …."
    #[must_use]
    pub fn learned(&self, plan: &Estimate) -> String {
        plan.learned(self.side, "The peer")
    }

    /// What leaks beyond that, in sentences.
    #[must_use]
    pub fn leaks(&self, plan: &Estimate) -> Vec<&'static str> {
        plan.spec().leaks_of(self.side.reveal).collect()
    }
}

/// A run of several parties of which only the price is asked.
#[derive(Debug, Clone, Copy)]
pub struct PlannedMeeting {
    /// What to compute.
    pub operation: Operation,
    /// How many parties.
    pub parties: usize,
    /// This party's number of distinct keys.
    pub rows: usize,
    /// Each other's.
    pub peer_rows: usize,
    /// The network between any two.
    pub link: Link,
    /// Threads of each party.
    pub threads: usize,
}

/// What a protocol would take of several parties, of which this one leads and the next one is the pivot.
#[derive(Debug, Clone)]
pub struct MeetingEstimate {
    /// The protocol's entry.
    pub spec: &'static MultipartySpec,
    /// From the first message to the last.
    pub time: Duration,
    /// Each party's part, the leader's first, and what it receives.
    pub cost: MultipartyCost,
}

impl PlannedMeeting {
    /// Measures this machine for some milliseconds and prices every protocol that fits.
    ///
    /// # Errors
    /// When several parties do not compute this, or none of their protocols takes so many keys.
    pub fn price(&self) -> Result<Vec<MeetingEstimate>, SessionError> {
        let Self { operation, parties, rows, peer_rows, link, threads } = *self;
        let wanted = Wanted::new(operation, Security::SemiHonest, Learn::Both);
        let first = wanted.among_several(None)?.spec();
        let mut sizes = vec![peer_rows; parties];
        sizes[0] = rows;
        let learners = vec![true; parties];
        let among = Parties { sizes: &sizes, leader: 0, pivot: 1, learners: &learners, slack: 0 };
        let machine = Calibration::measure()?;
        let (largest, most) = (rows.max(peer_rows) as u64, first.max_elements);
        let fitting = MULTIPARTY.iter().filter(|fits| fits.spec().operation == operation);
        let fitting = fitting.filter(|fits| largest <= fits.spec().max_elements);
        let estimates: Vec<_> = fitting
            .map(|protocol| {
                let (spec, cost) = (protocol.spec(), protocol.cost(&among));
                let time = time_among(&cost, spec.choices.group, &machine, link, threads);
                MeetingEstimate { spec, time, cost }
            })
            .collect();
        if estimates.is_empty() {
            let (whose, protocol) = ("a party's", first.id);
            return Err(SessionError::TooLarge { whose, count: largest, protocol, most });
        }
        Ok(estimates)
    }
}

#[cfg(test)]
mod tests {
    use veilset_crypto::Group;
    use veilset_protocols::Choices;

    use super::*;

    fn bytes(operation: Operation, learn: Learn, [rows, peer_rows, keys]: [u64; 3]) -> (f64, f64) {
        let security = Security::SemiHonest;
        // Without those whose parameters are searched for.
        let choices = Choices { group: Some(Group::Curve25519), ..Choices::default() };
        let wanted = Wanted { choices, ..Wanted::new(operation, security, learn) };
        let row_bytes = if operation == Operation::Union { Some(100) } else { None };
        let link = Link::default();
        let run = PlannedRun {
            wanted,
            rows,
            peer_rows,
            keys,
            blind: false,
            values: 1,
            peer_values: 0,
            groups: None,
            lent_groups: None,
            products: 0,
            factor_bytes: 1,
            row_bytes,
            link,
            threads: 1,
        };
        let prices = run.price().expect("protocols fit");
        let of = |id| prices.plans.iter().find(|plan| plan.spec().id == id);
        let plan = of("dh").or_else(|| of("mqrpmt-dh")).or_else(|| of("mqrpmt-dh-union"));
        prices.bytes(plan.expect("it fits"))
    }

    #[test]
    fn several_keys_cost_what_their_runs_cost() {
        let (both, me) = (Learn::Both, Learn::Me);
        let (sent, received) = bytes(Operation::Intersect, both, [1000, 3000, 1]);
        let tiers = bytes(Operation::Intersect, both, [1000, 3000, 3]);
        assert_eq!(tiers, (3.0 * sent, 3.0 * received));
        for operation in [Operation::Intersect, Operation::Count] {
            let at_once = bytes(operation, me, [1000, 3000, 3]);
            assert_eq!(at_once, bytes(operation, me, [3000, 9000, 1]), "{operation}");
        }
        // Rows of a union are sent once.
        let grouped = bytes(Operation::Union, me, [1000, 3000, 3]);
        let apart = bytes(Operation::Union, me, [3000, 9000, 1]);
        assert!(apart.1 - grouped.1 > 6000.0 * 100.0, "{grouped:?} {apart:?}");
    }

    #[test]
    fn an_operation_of_one_key_has_no_price_for_several() {
        let wanted = Wanted::new(Operation::Align, Security::SemiHonest, Learn::Both);
        let (rows, peer_rows, keys, values, row_bytes) = (10, 10, 2, 0, None);
        let (link, threads) = (Link::default(), 1);
        let run = PlannedRun {
            wanted,
            rows,
            peer_rows,
            keys,
            blind: false,
            values,
            peer_values: 0,
            groups: None,
            lent_groups: None,
            products: 0,
            factor_bytes: 1,
            row_bytes,
            link,
            threads,
        };
        let refused = run.price().err().expect("refused").to_string();
        assert!(refused.starts_with("align takes one --key"), "{refused}");
    }
}
