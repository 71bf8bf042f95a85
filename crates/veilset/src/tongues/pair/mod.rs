//! PAIR, IAB Tech Lab's Publisher Advertiser Identity Reconciliation, between two clean rooms.
//!
//! The steps are those of [`veilset_tongues::pair`]; a file passes from each to the next:
//!
//! ```no_run
//! use std::path::Path;
//!
//! use veilset::data::{Destination, KeySpec, Source};
//! use veilset::tongues::pair::{Key, Kind, NewKey, OwnList, Shape};
//! use veilset::Input;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for (kind, file) in [(Kind::Ks, "ks.txt"), (Kind::Kp, "kp.txt")] {
//!     NewKey { kind, path: Path::new(file), force: false }.create()?;
//! }
//! let key = "email:email-ascii-sha256".parse::<KeySpec>()?;
//! let input = Input::read(&Source::new("subscribers.csv"), None, &key)?;
//! let (ks, kp) = (Key::load(Path::new("ks.txt"))?, Key::load(Path::new("kp.txt"))?);
//! let own = OwnList::encrypt(&input, &ks, &kp)?;
//! own.write(&Destination::new("publisher.csv", false), &Shape::default())?;
//! # Ok(())
//! # }
//! ```

mod error;
mod key;
mod list;
mod own;
mod rates;

use veilset_protocols::Operation;
use veilset_session::Learn;
pub use veilset_tongues::pair::{Kind, Rate};

pub use self::error::PairError;
pub use self::key::{Key, NewKey};
pub use self::list::{EncryptedList, Shape, Stage, write};
pub use self::own::{OwnList, PUBLISHER_IDENTIFIER};
pub use self::rates::{Lists, Rates};
use super::{Step, Tongue};

/// What each step is to this party's policy: both rooms see how many identifiers match, and can see which.
pub const STEP: Step =
    Step { tongue: Tongue::Pair, operation: Operation::Intersect, learn: Learn::Both };

/// What the other clean room learns of a list that is sent.
pub const LEAK_OF_LISTS: &str = "PAIR: the other clean room learns how many identifiers the list has, and whoever gets two lists under the same \
                                 keys sees what they share";

/// What the other clean room learns of a list that it gets back.
pub const LEAK_OF_ANSWERS: &str = "PAIR: with the list that goes back the other clean room learns how many of its identifiers yours has, if it has your list \
                                   under both keys; each list that you encrypt again tells it of more";

/// What both clean rooms learn of a match.
pub const LEAK_OF_MATCHES: &str = "PAIR: both clean rooms learn how many identifiers match, and a room whose list the other did not shuffle also \
                                   which; nothing shows whether it did";
