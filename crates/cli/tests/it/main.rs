//! The command line: parties as processes, against plain sets and what the documentation says.

mod admap;
mod agree;
mod config;
#[cfg(target_os = "linux")]
mod consent;
mod device;
mod docs;
#[cfg(unix)]
mod invite;
mod json;
#[cfg(unix)]
mod lookup;
mod objects;
#[cfg(unix)]
mod openmined;
mod operations;
mod page;
mod pair;
#[cfg(unix)]
mod postgres;
mod reference;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(unix)]
mod results;
mod rotation;
mod rules;
mod scripts;
#[cfg(unix)]
mod spilled;
mod support;
mod three_parties;
mod timing;
mod two_parties;
#[cfg(unix)]
mod unattended;
#[cfg(unix)]
mod voice;
mod warnings;
