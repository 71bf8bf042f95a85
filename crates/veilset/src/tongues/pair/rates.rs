//! The match of two lists under all three keys.

use veilset_host::time::now;
use veilset_party::Home;
use veilset_tongues::pair::{Encrypted, Kind, List, Matching, Rate, Seen};

use super::{EncryptedList, Key, PairError, Stage};
use crate::Error;

/// The folder, beside the identity, of records of what was matched.
const FOLDER: &str = "pair";

/// What a clean room has in the end.
pub struct Lists<'a> {
    /// This room's list, as it sent it.
    pub sent: &'a EncryptedList,
    /// The same as it came back, with the other room's key on it.
    pub ours: &'a EncryptedList,
    /// The other room's, on which this one put its key.
    pub theirs: &'a EncryptedList,
}

/// What matched, and what a client may hear of it.
pub struct Rates {
    /// The part of this room's list.
    pub ours: Rate,
    /// The part of the other room's list.
    pub theirs: Rate,
    matched: Vec<Encrypted>,
}

impl Rates {
    /// Matches the two lists that have all keys. The party at `home` keeps a record of both for each `pairing`, by which it notices lists
    /// that are nearly others.
    ///
    /// # Errors
    /// When a list is shorter than PAIR wants or nearly one that was matched before, or is not the one that was sent.
    pub fn of(
        Lists { sent, ours, theirs }: &Lists<'_>,
        home: &Home,
        pairing: Option<&str>,
    ) -> Result<Self, Error> {
        sent.check_stage(Stage::Once)?;
        ours.check_stage(Stage::Twice)?;
        theirs.check_stage(Stage::Twice)?;
        let matching = Matching::new(&sent.entries, &ours.entries, &theirs.entries);
        let matching =
            matching.map_err(|why| PairError::Matching { file: ours.name().to_owned(), why })?;
        ours.check_size(ours.len())?;
        theirs.check_size(matching.distinct_of_theirs())?;
        note([(List::Ours, ours), (List::Theirs, theirs)], home, pairing)?;
        let matched = matching.matched();
        let [of_ours, of_theirs] = matching.rates(matched.len());
        Ok(Self { ours: of_ours, theirs: of_theirs, matched })
    }

    /// Whether both rates are of less than one per cent, as they are, too, where the lists are wrong.
    #[must_use]
    pub fn are_none(&self) -> bool {
        [self.ours, self.theirs] == [Rate::Percent(0); 2]
    }

    /// Whether this key may take itself off what matched.
    ///
    /// # Errors
    /// When it is not the advertiser's.
    pub fn check_key(key: &Key) -> Result<(), Error> {
        match key.kind() {
            Kind::Ka => Ok(()),
            Kind::Ks | Kind::Kp => Err(PairError::NotTheAdvertisers { path: key.path() }.into()),
        }
    }

    /// The Publisher Identifiers of what matched, for the advertiser's platform, in ascending order of what they were.
    ///
    /// # Errors
    /// When the key is not the advertiser's, or an entry of this room's list, in the file `ours`, is no point.
    pub fn publisher_identifiers(
        &self,
        key: &Key,
        ours: &EncryptedList,
    ) -> Result<Vec<Encrypted>, Error> {
        Self::check_key(key)?;
        let removed = key.cipher_key()?.remove(&self.matched);
        let place = |index: usize| {
            let entry = self.matched.get(index);
            let index = ours.entries.iter().position(|own| Some(own) == entry);
            ours.place(index.unwrap_or_default())
        };
        Ok(removed.map_err(|why| PairError::Point { place: place(why.index) })?)
    }
}

/// Notes both lists in the record of this pairing, before anything of the match is told.
fn note(
    lists: [(List, &EncryptedList); 2],
    home: &Home,
    pairing: Option<&str>,
) -> Result<(), Error> {
    let folder = home.folder(FOLDER);
    let digest = blake3::hash(pairing.unwrap_or_default().as_bytes());
    let name = format!("{}.seen", &digest.to_hex()[..32]);
    let path = folder.path().join(&name);
    folder.change(&name, |before: Option<Vec<u8>>| -> Result<Option<Vec<u8>>, Error> {
        let mut seen = match before {
            Some(bytes) => Seen::read(&bytes).map_err(|why| PairError::Record { path, why })?,
            None => Seen::default(),
        };
        for (list, entries) in lists {
            let noted = seen.note(list, &entries.entries, now());
            let place = || entries.name().to_owned();
            noted.map_err(|why| PairError::Rule { place: place(), why })?;
        }
        Ok(Some(seen.to_bytes()))
    })
}
