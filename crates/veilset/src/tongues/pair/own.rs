//! This side's list under its own keys.

use veilset_data::{DataError, Destination, Preset};
use veilset_session::fresh_rng;
use veilset_tongues::pair::{Encrypted, Hashed, Kind, check_size, encode, shuffled};
use zeroize::Zeroizing;

use super::list::{Stage, write};
use super::{Key, PairError, Shape};
use crate::tongues::{for_each_text, is_of_one_column};
use crate::{Error, Input};

/// The column that the publisher's table has beside the publisher's own.
pub const PUBLISHER_IDENTIFIER: &str = "publisher_identifier";

/// A list's distinct identifiers under Ks and a cipher key.
pub struct OwnList<'a> {
    input: &'a Input,
    /// In the order of their first rows.
    encrypted: Vec<Encrypted>,
    is_publishers: bool,
    key: &'a Key,
}

impl<'a> OwnList<'a> {
    /// Encrypts the identifiers of a list: the values under its only key, which is one column.
    ///
    /// # Errors
    /// When the key makes other values than PAIR's identifiers, a key is of the wrong kind, or the list is shorter than PAIR wants.
    pub fn encrypt(input: &'a Input, salt: &Key, key: &'a Key) -> Result<Self, Error> {
        let (salt, cipher) = (salt.salt()?, key.cipher_key()?);
        check_preset(input)?;
        let place = || input.name().to_owned();
        let distinct = input.keys().len();
        check_size(distinct).map_err(|why| PairError::Rule { place: place(), why })?;
        // With room for all, so that none is left where there was too little.
        let mut hashes: Zeroizing<Vec<Hashed>> = Zeroizing::new(Vec::with_capacity(distinct));
        for_each_text(input, |text| hashes.push(salt.hash(text.as_bytes())))?;
        let encrypted = cipher.encrypt(&hashes);
        Ok(Self { input, encrypted, is_publishers: key.kind() == Kind::Kp, key })
    }

    /// How many identifiers it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.encrypted.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.encrypted.is_empty()
    }

    /// Writes it for the other room, in a fresh random order.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write(&self, destination: &Destination, shape: &Shape) -> Result<(), Error> {
        let shuffled = shuffled(&self.encrypted, &mut fresh_rng()?);
        Ok(write(&shuffled, Stage::Once, destination, shape)?)
    }

    /// Whether the publisher's table can be written.
    ///
    /// # Errors
    /// When the key is not the publisher's, or the list has a column of the name already.
    pub fn check_table(input: &Input, key: &Key) -> Result<(), Error> {
        if key.kind() != Kind::Kp {
            return Err(PairError::NotThePublishers { path: key.path() }.into());
        }
        Ok(input.table.check_labelled(PUBLISHER_IDENTIFIER)?)
    }

    /// Writes the publisher's own rows, all of them, each with its Publisher Identifier; rows without an identifier have none.
    ///
    /// # Errors
    /// As [`OwnList::check_table`], and when writing fails; a file is then as it was before.
    pub fn write_table(&self, destination: &Destination) -> Result<(), Error> {
        if !self.is_publishers {
            return Err(PairError::NotThePublishers { path: self.key.path() }.into());
        }
        let texts: Vec<String> = self.encrypted.iter().map(encode).collect();
        let text = |row| {
            let key = self.input.keys().key_of(row);
            key.and_then(|key| texts.get(key)).map_or("", String::as_str)
        };
        let rows: Vec<(usize, &str)> = (0..self.input.rows()).map(|row| (row, text(row))).collect();
        let written: Result<(), DataError> =
            destination.write_labelled(&self.input.table, PUBLISHER_IDENTIFIER, &rows);
        Ok(written?)
    }
}

/// Whether the list's key makes identifiers as PAIR has them.
fn check_preset(input: &Input) -> Result<(), PairError> {
    let fits = |preset| {
        matches!(
            preset,
            Preset::Raw | Preset::EmailSha256 | Preset::EmailAsciiSha256 | Preset::PhoneSha256(_)
        )
    };
    let all_fit = input.spec().columns().iter().all(|column| fits(column.preset));
    if all_fit && is_of_one_column(input) { Ok(()) } else { Err(PairError::Preset) }
}
