//! Who is pinned, and this party's own key.

use serde_json::{Value, json};
use veilset::invitation::{Proposal, agreed_way, agreement_file, agreements};
use veilset::party::{Identity, words};

use crate::answer::needed;
use crate::invitations::agreement;
use crate::{Answer, Desk, Refusal};

impl Desk {
    pub(crate) fn peers(&self) -> Result<Answer, Refusal> {
        let (identity, _) = self.identity()?;
        let peers = self.known(&identity)?;
        let own = identity.public_key();
        let of_peer = |(name, keys): (&str, veilset::party::PeerKeys)| -> Result<Value, Refusal> {
            let key = keys.now();
            let agreed = Proposal::agreed(&self.home, name)?;
            let way = agreed_way(&self.home, name)?;
            let via = way.as_ref().map(veilset::net::Endpoint::place);
            let agreed = agreed.map(|agreed| agreement(&agreed, via));
            Ok(json!({
                "name": name,
                "key": key.to_string(),
                "words": words(&own, &key),
                "agreement": agreed,
            }))
        };
        let all: Result<Vec<Value>, Refusal> = peers.iter().map(of_peer).collect();
        Ok(json!({ "peers": all? }).into())
    }

    pub(crate) fn forget(&self, args: &Value) -> Result<Answer, Refusal> {
        let name = needed(args, "name")?;
        let (identity, _) = self.identity()?;
        self.known(&identity)?.remove(name)?;
        agreements(&self.home).remove(&agreement_file(name))?;
        Ok(Answer::default())
    }

    /// The secret key, for another browser or program of the same party.
    pub(crate) fn export(&self) -> Result<Answer, Refusal> {
        self.own_place()?;
        self.identity()?;
        let bytes = self.home.read(Identity::FILE)?.unwrap_or_default();
        let value = json!({ "name": Identity::FILE, "type": "application/octet-stream" });
        Ok(Answer { value, bytes })
    }

    pub(crate) fn import(&self, bytes: &[u8]) -> Result<Answer, Refusal> {
        self.own_place()?;
        if self.home.has("ledger") {
            return Err(Refusal::of(
                "the key that is here has taken part in runs, which its history names",
            )
            .next("Open the page in another browser profile, and import the key there."));
        }
        let identity = Identity::import(&self.home, bytes)?;
        Ok(json!({ "key": identity.public_key().to_string() }).into())
    }

    /// A program's key is a file of its own, which no page takes or gives.
    fn own_place(&self) -> Result<(), Refusal> {
        if self.place.has_files {
            return Err(Refusal::of("the key of a program stays in its folder")
                .next("Copy the file that `veilset id` names."));
        }
        Ok(())
    }
}
