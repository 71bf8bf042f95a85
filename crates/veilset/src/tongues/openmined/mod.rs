//! OpenMined's PSI: a setup, a request, a response.

mod client;
mod http;
mod notes;
mod secret;
mod server;

use veilset_protocols::Operation;
use veilset_session::Learn;
use veilset_tongues::openmined::OpenMinedError;
use zeroize::Zeroizing;

pub use self::client::{Asked, Found, intersect, request, reveals};
pub use self::http::{Note, Partner, Service};
pub use self::notes::{Side, false_positives, notes};
pub use self::secret::NewSecret;
pub use self::server::{Question, Responder, Setups, setup};
pub use veilset_tongues::openmined::{MAX_MESSAGE, Plan, Structure};

use super::{Step, Tongue, TongueError};
use crate::{Error, Input};

/// What an exchange is to this party's policy: with `reveal` whoever asks learns which keys match.
#[must_use]
pub fn step(side: Side, reveal: bool) -> Step {
    let operation = if reveal { Operation::Intersect } else { Operation::Count };
    let learn = if matches!(side, Side::Client) { Learn::Me } else { Learn::Peer };
    Step { tongue: Tongue::OpenMined, operation, learn }
}

/// The texts of a list's keys.
fn texts(input: &Input) -> Result<Zeroizing<Vec<String>>, Error> {
    let spec = input.spec();
    let columns = spec.columns().len();
    if input.has_several_keys() || columns != 1 {
        let columns = if input.has_several_keys() { input.by_key().count() } else { columns };
        return Err(TongueError::Columns { columns }.into());
    }
    Ok(input.keys().texts(&input.table, spec)?)
}

fn refused(why: OpenMinedError) -> Error {
    TongueError::from(why).into()
}
