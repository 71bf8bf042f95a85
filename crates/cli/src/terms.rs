//! The agreed terms in words.

use veilset::registry::{Flooding, Operation};
use veilset::{Briefing, Price};

use crate::args::Talk;
use crate::layout::{INDENT, width_of_voice, wrapped};
use crate::progress::{say, warn_some};
use crate::units::{show_bytes, show_duration};

/// Shows what was agreed on, with one peer or with several.
pub(crate) fn show(briefing: &Briefing, talk: &Talk) {
    let line = |text: &str| say_wrapped(talk, text);
    let Briefing { operation, presets, protocol, choices, security, .. } = briefing;
    let of_keys = match operation {
        // Slots are compared as they are.
        Operation::Agree => String::new(),
        _ => format!(", keys {presets}"),
    };
    let with = match &briefing.peers[..] {
        [peer] => format!(" with {}", peer.name),
        _ => String::new(),
    };
    line(&format!("{operation}{with}: {security} security{of_keys}"));
    let group = choices.group_name().map(|group| format!(" on {group}")).unwrap_or_default();
    let digest = choices.digest.map(|digest| format!(", sets {digest}")).unwrap_or_default();
    let flooded = choices.flooding == Some(Flooding::On);
    let flooding = if flooded { ", noise flooded" } else { "" };
    line(&format!("protocol {protocol}{group}{digest}{flooding}"));
    for (what, name) in briefing.asked_by_peer.iter() {
        line(&format!("asked for by the peer, not by you: {what} {name}"));
    }
    line(&briefing.learned);
    warn_some(&briefing.warnings, "");
    for leak in &briefing.leaks {
        line(&format!("leaks: {leak}"));
    }
    for peer in &briefing.peers {
        line(&peer.has);
    }
}

/// Shows what the run is likely to take.
pub(crate) fn show_price(price: &Price, talk: &Talk) {
    say_wrapped(
        talk,
        &format!(
            "about {}, {} sent and {} received, on a network of 1 Gbit/s",
            show_duration(price.time),
            show_bytes(price.sent as f64),
            show_bytes(price.received as f64),
        ),
    );
}

fn say_wrapped(talk: &Talk, text: &str) {
    say(talk, &wrapped(text, width_of_voice(), INDENT));
}
