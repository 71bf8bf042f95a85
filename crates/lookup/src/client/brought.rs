//! What the server gave, and what follows from it.

use veilset_crypto::oprf::Output;
use veilset_protocols::fhe::{Asker, FheParameters, Reply, served_parameters};
use veilset_protocols::oprf_filter::Mask;

use super::{Answer, Fetched};
use crate::{Filter, LookupError, Manifest};

/// Who asked encrypted questions, and what became known by them.
pub(crate) type Replies = (Asker, Vec<Reply>);

/// All that needed the server.
pub(crate) struct Brought {
    pub(crate) manifest: Manifest,
    pub(crate) filter: Option<Filter>,
    pub(crate) fetched: Fetched,
    pub(crate) outputs: Vec<Output>,
    /// Of a list for questions: who asked, and what the server replied.
    pub(crate) replies: Option<Replies>,
}

impl Brought {
    /// What follows from it for each output.
    pub(crate) fn answers(&self) -> Vec<Answer> {
        if let Some(filter) = &self.filter {
            return self.outputs.iter().map(|output| filter.find(output)).collect();
        }
        let seals = self
            .replies
            .iter()
            .flat_map(|(asker, replies)| replies.iter().flat_map(|reply| asker.labels(reply)));
        let labelled = self.manifest.labelled();
        let answer = |(output, seal): (&Output, Option<Vec<u8>>)| match seal {
            Some(_) if !labelled => Answer::Listed(None),
            // What does not open is another item's, whose parts are alike.
            Some(seal) => Answer::labelled(Mask::of(output).open(&seal)),
            None => Answer::NotListed,
        };
        self.outputs.iter().zip(seals).map(answer).collect()
    }
}

/// Who asks a list, if a question and its answer have at most so many bytes.
///
/// # Errors
/// When they have more, or there are none.
pub(crate) fn asker(manifest: &Manifest, most: u64) -> Result<(Asker, FheParameters), LookupError> {
    let parameters = served_parameters(manifest.capacity, manifest.format.seal)
        .map_err(LookupError::Question)?;
    let length = parameters.query_bytes() + parameters.all_answers_bytes();
    if length > most {
        return Err(LookupError::TooLong { length, most });
    }
    let asker = Asker::new(parameters.clone(), manifest.list).map_err(LookupError::Question)?;
    Ok((asker, parameters))
}
