//! From agreed terms to a result.

use chacha20::ChaCha20Rng;
use veilset_channel::Abort;
use veilset_data::{DataError, Destination, LABEL_COLUMN};
use veilset_host::time::now;
use veilset_protocols::Gives;
use veilset_rules::LedgerError;
use veilset_session::{Agreed, Briefing, Column, ListInput, Price, Resources};

use crate::record::Record;
use crate::{Done, Error, Input, Join, join};

/// Digits of the number of a key.
const LONGEST_PLACE: u64 = 2;

/// Agreed terms, waiting for this side's consent.
pub struct Ready {
    pub(crate) agreed: Agreed,
    pub(crate) rng: ChaCha20Rng,
    /// What the ledger gets of the run, where there is one.
    pub(crate) record: Option<Record>,
}

impl Ready {
    /// What the user should see before consenting.
    #[must_use]
    pub fn briefing(&self) -> &Briefing {
        self.agreed.briefing()
    }

    /// The run's identifier, which all parties have.
    #[must_use]
    pub fn run_id(&self) -> String {
        self.agreed.run_id()
    }

    /// Holds room at `destination` for what the result has beside rows of `input`, for which room is held already.
    ///
    /// # Errors
    /// When there is too little; the others are told that this side declines.
    pub fn prepare(self, input: &Input, destination: &Destination) -> Result<Self, Error> {
        match self.hold(input, destination) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.decline();
                Err(error.into())
            }
        }
    }

    fn hold(&self, input: &Input, destination: &Destination) -> Result<(), DataError> {
        let briefing = self.briefing();
        let theirs = self.agreed.peer_columns();
        let Some((count, width)) = self.agreed.rows_to_come() else { return Ok(()) };
        let spec = briefing.operation.spec();
        let joins = spec.may_send_rows();
        let names = |columns: &[Column]| -> Vec<String> {
            columns.iter().map(|column| column.name.clone()).collect()
        };
        match spec.gives {
            Gives::PeerRows => {
                let (table, (key, _)) = (&input.table, input.written_key());
                destination.prepare_union(table, &key, &names(theirs), count, width)
            }
            Gives::Identifiers => destination.prepare_aligned(&input.table, count),
            Gives::OwnRows if joins => {
                let columns = join::columns(input, &briefing.peer().name, theirs)?;
                if columns.names().is_empty() || input.joining.join == Join::Anti {
                    return Ok(());
                }
                // A row can match by all values that it has under a key.
                let values = input.linkage.values_of_row() as u64;
                let most = self.agreed.peer_rows_of_key().max(1).saturating_mul(values);
                let key = if input.has_several_keys() { LONGEST_PLACE } else { 0 };
                let text = width.saturating_mul(values).saturating_add(most.saturating_mul(key));
                destination.prepare_joined(&input.table, &columns, most, text)
            }
            Gives::OwnRows if !theirs.is_empty() => {
                destination.prepare_labelled(&input.table, LABEL_COLUMN, width)
            }
            Gives::Shares => {
                let columns = names(&input.share_columns(theirs, self.agreed.role()));
                destination.prepare_shares(columns.iter().map(String::as_str), count)
            }
            Gives::Numbers | Gives::OwnRows | Gives::OneRow => Ok(()),
        }
    }

    /// Somebody saw what the peer [asks for](Briefing::asked_by_peer), and said yes to it.
    pub fn accept(&mut self) {
        self.agreed.accept();
    }

    /// What the run is likely to take on so many threads of each party; this machine is measured for some milliseconds.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn price(&self, threads: usize) -> Result<Price, Error> {
        Ok(self.agreed.price(threads)?)
    }

    /// Whether all others have consented already: worth asking while this side's user thinks.
    ///
    /// # Errors
    /// When one declined, or went away.
    pub fn have_all_consented(&mut self) -> Result<bool, Error> {
        Ok(self.agreed.have_all_consented()?)
    }

    /// Ends the session without a run; the others are told.
    pub fn decline(self) {
        self.agreed.decline(Abort::Declined);
    }

    /// Takes the run's budgets, consents, waits for everybody's consent, and runs the protocol.
    ///
    /// # Errors
    /// When a budget has too little left, the peer asks for something that this side did not name and nobody [accepted](Self::accept), or a party declines,
    /// breaks the protocol or goes away; nothing was written then.
    pub fn run(self, input: &Input, resources: &Resources<'_>) -> Result<Done, Error> {
        let started = now();
        let Self { agreed, mut rng, mut record } = self;
        let keys = input.digests(&mut rng)?;
        let mut unrecorded = None;
        if let Some(taking) = &record
            && let Err(why) = taking.begin(input.distinct() as u64, &input.of_values(&keys))
        {
            if !(taking.is_free() && matches!(why, LedgerError::Store(_))) {
                agreed.decline(Abort::Declined);
                return Err(why.into());
            }
            // The folder takes no files, and no rule asks for one.
            (unrecorded, record) = (Some(why), None);
        }
        let (attached, rows) = (input.attached(), input.rows_to_send());
        let list = ListInput { keys, attached, rows, linkage: Some(&input.linkage) };
        let report = agreed.run(list, resources, &mut rng);
        let recorded = record.map_or(Ok(()), |record| record.end(&report));
        Done::new(report?, started, unrecorded.or(recorded.err()), input)
    }
}
