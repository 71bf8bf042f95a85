//! Private set operations between two parties.
//!
//! Each party holds a list; together they compute something of the two lists, and learn nothing else:
//!
//! ```no_run
//! use veilset::data::{Destination, KeySpec, Source};
//! use veilset::net::Endpoint;
//! use veilset::party::{Home, Identity, Peers};
//! use veilset::registry::Silent;
//! use veilset::{Connection, Input, Job, Resources};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = Home::from_env()?;
//! let identity = Identity::load(&home)?;
//! let peer = Peers::load(&home, Some(identity.public_key()))?.resolve("acme")?;
//!
//! let input = Input::read(&Source::new("customers.csv"), None, &"email:email".parse::<KeySpec>()?)?;
//! let endpoint = Endpoint::Connect("acme.example:7000".to_owned());
//! let job = Job::intersect([&peer.name]);
//! let connection = Connection::open(&identity, &[peer.into()], &endpoint, &Default::default(), &|_| {})?;
//! let ready = job.offer(connection, &input)?;
//! // The terms are agreed. Where the peer asks for what this side did not name, `run` refuses unless `accept` was called.
//! println!("{}", ready.briefing().learned);
//! let resources = Resources { threads: 2, observer: &Silent };
//! let done = ready.run(&input, &resources)?;
//! done.write(&input, &Destination::new("matches.csv", false))?;
//! # Ok(())
//! # }
//! ```
//!
//! The stages are types, each consumed by the next: [`Connection`] → [`Ready`] (its terms are agreed; show the
//! briefing, then run or decline) → [`Done`]. Several parties take the same stages.
//!
//! A list that one party serves, and many look items up in, is no run: [`lookup`]. Nor is what is done with partners who run
//! something else: [`tongues`].

#[cfg(not(target_family = "wasm"))]
mod choices;
mod connection;
#[cfg(not(target_family = "wasm"))]
mod device;
mod done;
mod error;
mod input;
pub mod invitation;
mod job;
mod join;
pub mod json;
#[cfg(not(target_family = "wasm"))]
pub mod lookup;
#[cfg(feature = "calendar")]
pub mod meeting;
mod memory;
mod output;
mod overlaps;
#[cfg(not(target_family = "wasm"))]
mod pair;
#[cfg(not(target_family = "wasm"))]
pub mod prime;
mod ready;
mod record;
mod rules;
mod threads;
#[cfg(not(target_family = "wasm"))]
pub mod tongues;
pub mod units;
pub mod voice;
mod whom;

#[cfg(not(target_family = "wasm"))]
pub use choices::choose;
pub use connection::Connection;
#[cfg(not(target_family = "wasm"))]
pub use device::{DeviceChoice, compute_on};
pub use done::{Done, GroupDone};
pub use error::{Error, GroupsError, KeysError, exit_code};
pub use input::{Columns, Input, disk_need, table};
pub use job::Job;
pub use join::{Join, Joined, JoinedRows, Joining};
pub use memory::end_at_excess;
pub use output::{deliver, destination};
pub use overlaps::{ListSize, Shared, SharedKeys};
pub use ready::Ready;
pub use threads::{limit_threads, on_threads};
pub use whom::{Ends, ME, NamedPeer, NoParties, PeerAddress, seats};

pub use veilset_channel::PhaseCost;
pub use veilset_session::{
    Briefing, Learn, Matching, NoNoise, Noise, PeerBriefing, Price, Release, Report, Resources,
    Seats, Withheld, can_be_filled, no_match,
};

/// Runs that many workers of both parties share.
pub mod cluster {
    pub use veilset_cluster::{
        Cut, DriverConnection, ListColumns, MAX_MESSAGE, Merged, Slicing, cut, merge, scan, split,
    };
    #[cfg(not(target_family = "wasm"))]
    pub use veilset_cluster::{Rendezvous, Worker};
    pub use veilset_crypto::Element;
    pub use veilset_protocols::capacity;
    pub use veilset_protocols::pieces::value_bits;
    pub use veilset_session::{
        AgreedCluster, ClusterOffer, Column, MAX_COLUMNS, MAX_NAME, MOST_KEYS, MOST_PIECES,
        MOST_WORKERS, Matched, PieceShape, Ticket, rows_of_items,
    };
}

/// Files, keys and outputs.
pub mod data {
    #[cfg(feature = "calendar")]
    pub use veilset_data::calendar;
    pub use veilset_data::{
        Arrivals, CheckReport, ColumnLook, ColumnSum, Condition, DataError, Destination, Finding,
        Format, Groups, ID_COLUMN, JoinedRow, KEY_COLUMN, KeyColumn, KeySpec, LABEL_COLUMN,
        LooksLike, MAX_LINKAGE_KEYS, NoCondition, PROGRAM_MEMORY, Pairs, Place, Scratch,
        ShareTable, Sink, SinkError, Source, Spot, Spread, Stamp, Table, ValueCheck, Values,
        Warning, WarningCode, check, check_values, counted, look_at_columns, remove_unfinished,
    };
}

/// The way to the peer.
pub mod net {
    #[cfg(not(target_family = "wasm"))]
    pub use veilset_net::{Callers, Entrance, Farewell, Limits, Listener, Note, Parting, signals};
    pub use veilset_net::{
        Code, Comeback, Endpoint, Event, Introduced, Introduction, NetError, Options, Role, Stop,
        Traffic,
    };
}

/// A meeting point for parties of which neither can be reached.
#[cfg(feature = "relay")]
pub mod relay {
    pub use veilset_relay::{Certificates, Limits, Note, Options, Page, Relay, RelayError};
}

/// This party's identity, and the peers that it pinned.
pub mod party {
    pub use veilset_party::{
        Added, Home, Identity, KeyError, Lock, Peer, PeerKeys, Peers, PublicKey, Replaced,
        Replacement, StoreError, Succession, guard, words,
    };
}

/// What a party takes part in, and what it took part in.
pub mod policy {
    pub use veilset_session::Statement;

    pub use veilset_rules::{
        Began, Budget, Ended, Ending, Entry, Ledger, LedgerError, LedgerPeer, Place, Policy,
        PolicyError, ReceiptError, Refusal, Rules, Sentence, SignedReceipt,
    };
}

/// Prices before a run.
pub mod planner {
    pub use veilset_cluster::{Cluster, ClusterPrice, Fit, INNER_BITS_PER_SECOND};
    pub use veilset_session::{
        Calibration, Link, MOST_WORKERS, MeetingEstimate, PlannedMeeting, PlannedRun, Prices,
        Speed, Wanted,
    };
}

/// Lists from beyond this machine.
pub mod sources {
    pub use veilset_sources::{fetch, is_object};
}

/// The protocols, and what each says of itself.
pub mod registry {
    pub use veilset_names::{Names, UnknownName};
    pub use veilset_protocols::{
        Attaches, CHOICES, Choice, Choices, Flooding, Gives, Keys, MAX_FACTOR, MAX_GROUPS,
        MAX_LENT_GROUPS, MULTIPARTY, MultipartySpec, OPERATIONS, Observer, Operation,
        OperationSpec, Outcome, Over, PROTOCOLS, Parts, Reveal, Role, Scheme, Security,
        SetEncoding, Side, Silent, Spec, Withstands, find, find_multiparty,
    };
}
