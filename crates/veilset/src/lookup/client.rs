//! What is looked up, and what became known of it.

use std::time::SystemTime;

use rand_core::CryptoRng;
use veilset_channel::Malformed;
use veilset_crypto::Element;
use veilset_data::{DataError, Destination, KeySpec, LABEL_COLUMN, PROGRAM_MEMORY, Warning};
use veilset_lookup::{
    Answer, Client, Contact, Fetched, Filter, LookupError, MAX_LIST, Manifest, Seen,
};
use veilset_net::{Comeback, Endpoint, Event, NetError, Options, establish};
use veilset_party::{Home, Identity, Peer, PublicKey};
use veilset_protocols::Observer;
use veilset_session::run_id;

use super::{check_presets, column, differ_in_version, elements, input_of};
use crate::connection::settle;
use crate::{Error, Input, memory};
use veilset_session::fresh_rng;

/// The preset that takes everything as it is.
const RAW: &str = "raw/1";

/// What is looked up.
pub enum LookupInput {
    /// Items, which the list's own presets normalise.
    Items(Vec<String>),
    /// The keys of a list, and where the rows go that are listed, if they go anywhere.
    List(Box<Input>, Option<Destination>),
}

/// What a lookup takes from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// The longest published list in bytes; memory is up to twenty times as much.
    pub most: u64,
    /// Whether the server may have another list than it had before at the address.
    pub new_list: bool,
}

impl Default for Takes {
    fn default() -> Self {
        Self { most: MAX_LIST, new_list: false }
    }
}

impl Takes {
    /// The most memory that a fetched list takes, for its length.
    const MEMORY: u64 = 20;

    /// No more than so much memory has room for beside the program.
    #[must_use]
    pub fn within(self, max_memory: Option<u64>) -> Self {
        let room = max_memory.map_or(u64::MAX, |all| all.saturating_sub(PROGRAM_MEMORY));
        Self { most: self.most.min(room / Self::MEMORY), ..self }
    }
}

/// A lookup's answers.
pub struct LookedUp {
    /// What was looked up: an input with a row for each item.
    pub input: Input,
    /// Whether single items were named.
    named: bool,
    /// The answer for each of its distinct keys, in order.
    pub answers: Vec<Answer>,
    /// The list that was asked.
    pub manifest: Manifest,
    /// What had to be fetched of it.
    pub fetched: Fetched,
    /// Whether it is another list than those that the server has at other addresses.
    pub contact: Contact,
    /// Bytes that crossed the wire: sent, received.
    pub bytes: (u64, u64),
    /// An id for records, the same on both sides.
    pub run: String,
    /// The server's key.
    pub peer: PublicKey,
    /// When this side asked.
    pub started: SystemTime,
}

impl LookedUp {
    /// The answer for a row of the input; `None` for a row without a key.
    #[must_use]
    pub fn of_row(&self, row: usize) -> Option<&Answer> {
        self.input.keys().key_of(row).map(|key| &self.answers[key])
    }

    /// What a user should know of the rows; of single items, which say themselves what became of them, nothing.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        if self.named { Vec::new() } else { self.input.warnings() }
    }

    /// The rows that are listed, in order, with their labels.
    pub fn listed(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        (0..self.input.rows()).filter_map(|row| match self.of_row(row)? {
            Answer::Listed(label) => Some((row, label.as_deref())),
            Answer::NotListed => None,
        })
    }

    /// Who learns what, in a sentence, where the server is called `name`.
    #[must_use]
    pub fn learned(&self, name: &str) -> String {
        let labels = if self.manifest.labelled() { ", their labels" } else { "" };
        format!(
            "You learn: which of your items are listed{labels}, and how many items the list has. {name} learns: how many \
             items you asked for."
        )
    }
}

/// Who looks something up, and how.
pub struct Visitor<'a> {
    /// What is fetched of a list is kept here for the next time, and so are the versions that were seen of a server's lists.
    pub home: &'a Home,
    /// This side's key.
    pub identity: &'a Identity,
    /// How long to wait, and who may end it.
    pub options: &'a Options,
    /// Hears what the connection comes to.
    pub events: &'a dyn Fn(Event),
    /// Hears how far the lookup is.
    pub observer: &'a dyn Observer,
}

/// Who serves a list.
#[derive(Clone, Copy)]
pub struct Server<'a> {
    /// As it is pinned.
    pub peer: &'a Peer,
    /// Where it is reached: not one that listens.
    pub endpoint: &'a Endpoint,
}

/// Looks something up in the list of a server.
///
/// For single items as many are asked for as are given: for one that the list's presets make no key of, or the same key as
/// of another, a made-up one. Else a server could choose presets by which their number tells what they look like.
///
/// # Errors
/// When the service is not there or refuses, the presets differ, the list is too long or not the one that was there before,
/// or the server breaks the protocol.
pub fn look_up(
    visitor: &Visitor<'_>,
    server: Server<'_>,
    sought: LookupInput,
    takes: Takes,
) -> Result<LookedUp, Error> {
    let Visitor { home, identity, options, events, observer } = *visitor;
    let Server { peer, endpoint } = server;
    memory::has_read();
    if let LookupInput::Items(items) = &sought {
        // Nothing that is wrong with the items shows after the server chose its presets.
        input_of(items, RAW)?;
    }
    let options = Options { comeback: Comeback::NEVER, ..options.clone() };
    let transport = establish(identity, peer, endpoint, &options, events).map_err(no_service)?;
    if settle(peer, &transport, events) {
        // What the server showed before binds it under its next key, too.
        let [before, now] = [peer.keys.now(), transport.peer()].map(|key| seen_of(&key));
        if let Some(seen) = home.read(&before)? {
            home.write(&now, &seen, false)?;
        }
    }
    let peer = &transport.peer();
    let place = kept_at(peer, endpoint.place());
    let kept = home.read(&place)?.and_then(|bytes| Filter::decode(&bytes, peer));
    let (run, started) = (run_id(&transport.binding()), SystemTime::now());
    let client = Client::new(Box::new(transport), *peer);
    let mut client = client.taking(takes.most).telling(observer);
    let mut contact = Contact::Usual;
    let accept = |manifest: &Manifest| {
        check_names(&manifest.presets)?;
        sought.prepare(manifest)?;
        // Where the list changes meanwhile it is met again, and is known by then.
        match remember(home, peer, endpoint, manifest, takes.new_list)? {
            Contact::Usual => {}
            another => contact = another,
        }
        Ok(())
    };
    let mut made_up = fresh_rng()?;
    let ask = |manifest: &Manifest| sought.elements(manifest, &mut made_up);
    let found = client.look_up(kept, accept, ask, &mut fresh_rng()?)?;
    if let (Some(filter), true) = (&found.filter, found.fetched != Fetched::Nothing) {
        home.write(&place, &filter.encode(), true)?;
    }
    Ok(LookedUp {
        named: matches!(sought, LookupInput::Items(_)),
        input: sought.into_input(&found.manifest)?,
        answers: found.answers,
        manifest: found.manifest,
        fetched: found.fetched,
        contact,
        bytes: (found.wire.sent, found.wire.received),
        run,
        peer: *peer,
        started,
    })
}

impl LookedUp {
    /// Writes the rows that are listed, byte for byte as they were, with their labels in a further column if the list has
    /// labels.
    ///
    /// # Errors
    /// When the input has a column of that name, or writing fails; the file is then as it was before.
    pub fn write(&self, destination: &Destination) -> Result<(), DataError> {
        if !self.manifest.labelled() {
            return self.input.write(self.listed().map(|(row, _)| row), destination);
        }
        let listed = self.listed().map(|(row, label)| (row, label.unwrap_or_default()));
        destination.write_labelled(&self.input.table, LABEL_COLUMN, &listed.collect::<Vec<_>>())
    }
}

impl LookupInput {
    /// Finds out whether labels can stand beside the rows that are listed, before anything is asked that the server counts.
    fn prepare(&self, manifest: &Manifest) -> Result<(), Error> {
        match self {
            Self::List(input, Some(destination)) if manifest.labelled() => {
                input.table.check_labelled(LABEL_COLUMN)?;
                Ok(destination.prepare_labelled(
                    &input.table,
                    LABEL_COLUMN,
                    manifest.longest_label(),
                )?)
            }
            _ => Ok(()),
        }
    }

    /// What is asked for: distinct keys, of single items with made-up ones in place of what is none.
    fn elements(
        &self,
        manifest: &Manifest,
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<Element>, Error> {
        match self {
            Self::Items(items) => {
                let mut asked = elements(&input_of(items, &manifest.presets)?, &manifest.list);
                asked.resize_with(items.len(), || {
                    let mut element = Element([0; Element::LEN]);
                    rng.fill_bytes(&mut element.0);
                    element
                });
                Ok(asked)
            }
            Self::List(input, _) => {
                check_presets(&manifest.presets, input)?;
                Ok(elements(input, &manifest.list))
            }
        }
    }

    fn into_input(self, manifest: &Manifest) -> Result<Input, Error> {
        match self {
            Self::Items(items) => input_of(&items, &manifest.presets),
            Self::List(input, _) => Ok(*input),
        }
    }
}

/// A service takes keys that are pinned and allowed, so that its owner must do two things.
fn no_service(error: NetError) -> Error {
    match error {
        NetError::RefusedByPeer { addr, own } => LookupError::Stranger { addr, own }.into(),
        other => other.into(),
    }
}

/// The file for what is kept of a list.
fn kept_at(peer: &PublicKey, addr: &str) -> String {
    const LONGEST: usize = 100;
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let addr: String = addr.chars().rev().take(LONGEST).map(letter).collect();
    format!("lookup-{peer}-{}", addr.chars().rev().collect::<String>())
}

/// The file of what was seen of a server's lists.
fn seen_of(peer: &PublicKey) -> String {
    format!("lookup-{peer}.seen")
}

/// Checks what a server says of its list against what was seen of its lists before, and keeps it.
fn remember(
    home: &Home,
    peer: &PublicKey,
    endpoint: &Endpoint,
    manifest: &Manifest,
    new_list: bool,
) -> Result<Contact, Error> {
    let name = seen_of(peer);
    let mut contact = Contact::Usual;
    home.change(&name, |bytes| {
        let text = String::from_utf8(bytes.unwrap_or_default()).ok();
        let before = text.and_then(|text| Seen::decode(&text));
        let before = before.ok_or_else(|| Error::Seen { path: home.path().join(&name) })?;
        let mut seen = before.clone();
        contact = seen.check(endpoint.place(), manifest, new_list).map_err(Error::from)?;
        Ok::<_, Error>((seen != before).then(|| seen.encode().into_bytes()))
    })?;
    Ok(contact)
}

/// Whether these presets are known ones, and nothing else: a server's text, which messages show.
fn check_names(presets: &str) -> Result<(), Error> {
    let columns: Vec<String> = presets.split(',').map(column).collect();
    let ours = columns.join(",").parse::<KeySpec>().map(|spec| spec.canonical());
    match ours {
        Ok(ours) if ours == presets => Ok(()),
        Ok(ours) if differ_in_version(&ours, presets) => {
            Err(Error::PresetVersions { ours, list: presets.to_owned() })
        }
        _ => Err(LookupError::Malformed { what: "manifest", why: Malformed::OutOfRange }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_names_known_presets_and_nothing_else() {
        for good in ["raw/1", "email/1", "name/1,name/1,date/2", "phone/2"] {
            assert!(check_names(good).is_ok(), "{good}");
        }
        for wrong in
            ["", "email", "email/", "email/1,", "x/1", "email/1\u{1b}[2J", "Email/1", "a:email/1"]
        {
            let refused = check_names(wrong).expect_err("no presets");
            assert_eq!(refused.exit_code(), crate::exit_code::PEER);
            assert!(wrong.is_empty() || !refused.to_string().contains(wrong), "{refused}");
        }
        for other in ["email/2", "phone/1", "date/1", "name/1,phone-gb/1"] {
            let refused = check_names(other).expect_err("other versions");
            assert_eq!(refused.exit_code(), crate::exit_code::TERMS);
            assert!(refused.to_string().contains(other), "{refused}");
        }
    }
}
