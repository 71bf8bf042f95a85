//! Steps 2 and 3: the figure's rounds.

use veilset_channel::{ChannelExt, PeerFault};

use super::Course;
use super::matching::Matching;
use super::schedule::Schedule;
use super::scheme::Pair;
use super::verdict::Verdict;
use crate::{Means, ProtocolError};

/// Compares the pairs round by round, and finds the one to agree on.
pub(super) fn reconcile<M: Matching>(
    means: &mut Means<'_>,
    mut rounds: Schedule<'_, M>,
    course: Course,
) -> Result<Option<Pair>, ProtocolError> {
    rounds.begin(means)?;
    let mut agreed = None;
    for round in 0..rounds.count() {
        // After the match there are decoys only.
        let genuine = agreed.is_none();
        let found = if rounds.shows(round) {
            // Step 2.
            let tokens = rounds.show(means, round, genuine)?;
            // Step 3.
            means.channel.phase("comparisons");
            let verdict: Verdict = means.channel.take(&tokens.len())?;
            verdict.checked(&tokens)?
        } else {
            // Step 2.
            let verdict = Verdict::on(&rounds.test(means, round)?).if_genuine(genuine);
            // Step 3.
            means.channel.phase("comparisons");
            means.channel.put(&verdict)?;
            verdict.place()
        };
        if let Some(place) = found {
            let pair = rounds.pairs(round)[place as usize];
            if agreed.replace(pair).is_some() {
                let twice = "match confirmation, which came twice";
                return Err(PeerFault::CheckFailed(twice).into());
            }
        }
        if agreed.is_some() && course != Course::AllRounds {
            break;
        }
    }
    Ok(agreed)
}
