//! What the user is told before a run.

use veilset_tongues::openmined::Structure;

use crate::tongues::NOT_KEPT;

/// Whose side this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one that has its list looked up; how its setup holds the list, where that is known.
    Server(Option<Structure>),
    /// The one that learns.
    Client,
}

/// What this side does well to know before it sends anything: who learns what, what leaks, and which promise of a run between two
/// veilsets does not hold.
#[must_use]
pub fn notes(side: Side, reveal: bool) -> Vec<String> {
    let what = if reveal { "which of its keys you have, too" } else { "how many keys you share" };
    let own =
        if reveal { "which of your keys the partner has, too" } else { "how many keys you share" };
    let mut notes = match side {
        Side::Server(structure) => vec![
            format!("The partner learns: {what}, and {} your list has. You learn: how many keys it asks about, and nothing of the result.", how_many(structure)),
            "It may ask about any keys that it can think of: nothing shows that they are its own, and each response answers more of them.".to_owned(),
            "It keeps the setup: whoever gets the key in --secret can try every possible key on it.".to_owned(),
        ],
        Side::Client => vec![
            format!("You learn: {own}, and how many keys it has, more or less. The partner learns: how many keys you ask about, and nothing of the result."),
            "A partner that cheats decides what matches: nothing shows that setup and response are of its list.".to_owned(),
        ],
    };
    if let Side::Server(Some(structure)) = side {
        notes.extend(false_positives(structure).map(str::to_owned));
    }
    notes.push(NOT_KEPT.to_owned());
    notes
}

fn how_many(structure: Option<Structure>) -> &'static str {
    match structure {
        Some(Structure::Raw) => "how many keys",
        _ => "about how many keys",
    }
}

/// What the client may find that the server does not have.
#[must_use]
pub fn false_positives(structure: Structure) -> Option<&'static str> {
    match structure {
        Structure::Raw => None,
        Structure::Gcs => Some(
            "With gcs a key may match that the server does not have: --false-positives of the server says how likely any of a request does.",
        ),
        Structure::Bloom => Some(
            "With bloom about one request in seventy finds a key that the server does not have, whatever --false-positives says: OpenMined's filter takes \
             too few of its bits for some keys.",
        ),
    }
}
