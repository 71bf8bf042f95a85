//! Words and numbers as flags and fields give them.

use std::fs;

use veilset::data::calendar::Preference;
use veilset::registry::Operation;
use veilset::units::protocol_of;
pub(crate) use veilset::units::{duration, threads};

/// A protocol's id, or `None` for the planner's choice.
#[derive(Clone, Copy)]
pub(crate) struct Protocol(pub(crate) Option<&'static str>);

/// A preference as the page's fields hold it: a word, or `rules` with their text.
#[derive(Clone)]
pub(crate) struct Prefer {
    pub(crate) word: String,
    pub(crate) rules: String,
}

/// The words that stand for a preference without a text.
const WORDS: [(&str, Preference); 4] = [
    ("mornings", Preference::Mornings),
    ("afternoons", Preference::Afternoons),
    ("early", Preference::Early),
    ("late", Preference::Late),
];

/// The preference that a word stands for.
pub(crate) fn word(text: &str) -> Option<Preference> {
    WORDS.iter().find(|(word, _)| *word == text).map(|(_, preference)| preference.clone())
}

/// A word, or the name of a file of rules.
pub(crate) fn preference(text: &str) -> Result<Prefer, String> {
    if word(text).is_some() {
        return Ok(Prefer { word: text.to_owned(), rules: String::new() });
    }
    let rules = fs::read_to_string(text)
        .map_err(|why| format!("neither mornings, afternoons, early or late, nor a file: {why}"))?;
    Preference::parse(text, &rules).map_err(|error| error.to_string())?;
    Ok(Prefer { word: "rules".to_owned(), rules })
}

/// `auto` or the id of a protocol that agrees.
pub(crate) fn protocol(text: &str) -> Result<Protocol, String> {
    protocol_of(Operation::Agree, text).map(Protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_agrees_and_a_preference_is_a_word_or_a_file() {
        assert!(protocol("auto").is_ok_and(|protocol| protocol.0.is_none()));
        assert!(protocol("3pr-dh").is_ok_and(|protocol| protocol.0 == Some("3pr-dh")));
        let refused = protocol("dh").err().expect("it intersects");
        assert!(refused.contains(" 3pr-dh,"), "{refused}");
        assert!(preference("late").is_ok_and(|prefer| prefer.word == "late"));
        let likes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agree/likes.txt");
        let prefer = preference(likes).expect("rules");
        assert!(prefer.word == "rules" && prefer.rules.contains("tue 10:00-12:00"));
        assert!(preference("nowhere.txt").is_err());
        assert!(preference(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).is_err());
    }
}
